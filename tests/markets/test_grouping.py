"""Types and families, by hand-written events and by what must hold for any event."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from augury.markets.families import undated
from augury.markets.grouping import Grouping, infer
from augury.markets.records import PLATFORMS, MarketType, Strike
from augury.markets.sides import EventMember


def kalshi(name: str, *sides: str, **fields: Any) -> list[EventMember]:
    """One event as Kalshi tells it: a common title, the side in the subtitle."""
    return [
        EventMember(
            id=f"kalshi:{n}", platform="kalshi", question=f"{name} — {side}", title=name,
            subtitle=side, event_id="E", event_name=name, **fields,
        )
        for n, side in enumerate(sides)
    ]  # fmt: skip


def polymarket(name: str, *questions: str, **fields: Any) -> list[EventMember]:
    """One event as Polymarket tells it: a whole question each."""
    return [
        EventMember(
            id=f"polymarket:{n}", platform="polymarket", question=q, title=q, event_id="1",
            event_name=name, **fields,
        )
        for n, q in enumerate(questions)
    ]  # fmt: skip


def priced(members: list[EventMember], *prices: float | None) -> list[EventMember]:
    def at(member: EventMember, price: float | None) -> EventMember:
        return replace(member, prices=(price, None if price is None else 1 - price))

    return [at(m, p) for m, p in zip(members, prices, strict=True)]


def types(members: list[EventMember]) -> list[MarketType]:
    found = infer(members)
    return [found[m.id].market_type for m in members]


def all_are(members: list[EventMember], wanted: MarketType) -> bool:
    return types(members) == [wanted] * len(members)


LADDERS = {
    "above": kalshi("CPI in May?", "Above 2.1%", "Above 2.2%", "Above 2.3%"),
    "or above": kalshi("How high will it get?", "$4,000 or above", "$5,000 or above"),
    "or below": kalshi("How low?", "$70 or below", "$60 or below"),
    "at least": kalshi("How many?", "At least 500 million", "At least 1 billion"),
    "spread": kalshi("A at B: Spread", "B wins by over 3.5 points", "B wins by over 6.5 points"),
    "reach": polymarket("BTC?", "Will Bitcoin reach $100k in May?", "Will Bitcoin reach $120k in May?"),  # noqa: E501
    "dip": polymarket("BTC?", "Will Bitcoin dip to $90,000?", "Will Bitcoin dip to $80,000?"),
    "symbols": polymarket("FDV?", "Token FDV >$1B a day after launch?", "Token FDV >$800M a day after launch?"),  # noqa: E501
    "plus": polymarket("Said?", "Will they say it 5+ times?", "Will they say it 10+ times?"),
    "by": polymarket("Peace by...?", "Peace by March 31?", "Peace by June 30, 2026?"),
    "before": kalshi("When will it fly?", "Before 2027", "Before Jul 2027", "Before May 1, 2028"),
    "by the end of": polymarket("X?", "Done by end of June?", "Done by end of 2026?"),
    "strikes": [
        EventMember(id=str(n), platform="kalshi", question="q", title="Rate?", event_id="E",
               subtitle=f"{n}.5 and up", strike=Strike(kind="greater", floor=n + 0.5))
        for n in range(3)
    ],
    "over under": polymarket("A vs. B", "A vs. B: O/U 210.5", "A vs. B: O/U 215.5", outcomes=("Over", "Under")),  # noqa: E501
}  # fmt: skip
BUCKETS = {
    "degrees": kalshi("High?", "45° or below", "46° to 47°", "48° to 49°", "50° or above"),
    "between": polymarket("Sales?", "Will sales be less than 75k?", "Will sales be between 75k and 100k?", "Will sales be at least 100k?"),  # noqa: E501
    "dashes": kalshi("Revenue?", "$1–2t", "$500b–1t", "$200–500b"),
    "flagged": kalshi("Fed?", "Cut 25bps", "No change", "Hike 25bps", exclusive=True),
    "steps": priced(kalshi("Fed?", "Cut 25bps", "Fed maintains rate", "Hike 25bps"), 0.6, 0.37, 0.02),  # noqa: E501
    "exact counts": priced(kalshi("How many cuts?", "0", "1", "2"), 0.5, 0.3, 0.21),
}  # fmt: skip
CONTESTS = {
    "flagged": polymarket("Oscars", "Will A win?", "Will B be chosen?", exclusive=True),
    "award": polymarket(
        "Best Song winner", *(f"Will {n} win Best Song at the show?" for n in "ABC")
    ),
    "who": kalshi("Who will win the race in Ohio?", "Ann Lee", "Bob Roe", "Cy Poe"),
    "two parties": priced(kalshi("Which party will win the seat?", "Red", "Blue"), 0.6, 0.42),
    "fixture": kalshi("Halden vs Gorby", "Quentin Halden", "David Gorby"),
    "fixture with a draw": kalshi("Salt Lake vs Austin", "Tie", "Salt Lake", "Austin"),
    "next": kalshi("Who will be the next Secretary of State?", "Ann Lee", "Bob Roe", "Cy Poe"),
}
DOUBTFUL = {
    "may all happen": kalshi("Who will attend the gala?", "Ann", "Bob", "Cy"),
    "several win": kalshi("Who will win a Grammy?", "Ann", "Bob", "Cy"),
    "several qualify": polymarket("Which qualify?", *(f"Will {n} qualify for the cup?" for n in "ABC")),  # noqa: E501
    "the sum says no": priced(kalshi("Who will win the race?", "Ann", "Bob", "Cy"), 0.9, 0.8, 0.3),
    "the venue says no": kalshi("Who will win the race?", "Ann", "Bob", "Cy", exclusive=False),
    "two won": kalshi("Who will win the race?", "Ann", "Bob", "Cy", status="resolved", resolution="Yes"),  # noqa: E501
    "flag against text": kalshi("CPI?", "Above 2%", "Above 3%", exclusive=True),
    "quoted upside down": priced(kalshi("CPI?", "Above 2%", "Above 3%", "Above 4%"), 0.1, 0.5, 0.9),
    "different quantities": polymarket("Game", "Will A score over 20.5?", "Will B score over 17.5?"),  # noqa: E501
    "different teams": kalshi("Spread", "A wins by over 3.5", "B wins by over 3.5"),
    "bare numbers": priced(kalshi("Levels?", "4.65 Million", "4.19 Million", "3.95 Million"), 0.1, 0.4, 0.8),  # noqa: E501
    "years": polymarket("Champion", "Will they win in 2026?", "Will they win in 2027?"),
    "one alone": kalshi("CPI?", "Above 2%"),
    "the same twice": kalshi("CPI?", "Above 2%", "Above 2%"),
    "up and down may both happen": polymarket("BTC", "Will Bitcoin reach $120k?", "Will Bitcoin dip to $90k?"),  # noqa: E501
}  # fmt: skip


@pytest.mark.parametrize("members", LADDERS.values(), ids=LADDERS)
def test_ladders(members: list[EventMember]) -> None:
    assert all_are(members, "threshold_ladder")


@pytest.mark.parametrize("members", BUCKETS.values(), ids=BUCKETS)
def test_buckets(members: list[EventMember]) -> None:
    assert all_are(members, "sum_to_one")


@pytest.mark.parametrize("members", CONTESTS.values(), ids=CONTESTS)
def test_contests(members: list[EventMember]) -> None:
    assert all_are(members, "winner_take_all")


@pytest.mark.parametrize("members", DOUBTFUL.values(), ids=DOUBTFUL)
def test_in_doubt_binary(members: list[EventMember]) -> None:
    assert all_are(members, "binary")


def test_two_ladders_in_one_event() -> None:
    questions = [f"Will Bitcoin {verb} ${n},000 in May?" for verb in ("reach", "dip to")
                 for n in (90, 100)]  # fmt: skip
    assert all_are(polymarket("BTC in May?", *questions), "threshold_ladder")


def test_a_stray_market_does_not_spoil_the_ladder() -> None:
    members = polymarket(
        "Called by...?", "Called by March 31, 2026?", "Called by June 30, 2026?", "Called in 2025?"
    )
    assert types(members) == ["threshold_ladder", "threshold_ladder", "binary"]


def test_a_market_with_many_outcomes() -> None:
    [field] = polymarket("Who?", "Who will win?", outcomes=("Ann", "Bob", "Cy"))
    [ranges] = polymarket("How many?", "How many?", outcomes=("0-10", "11-20", "21 or more"))
    assert types([field]) == ["winner_take_all"]
    assert types([ranges]) == ["sum_to_one"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Highest temperature in NYC on Apr 8, 2026?", "Highest temperature in NYC in Apr 2026?"),
        ("Bitcoin Up or Down - July 1, 3PM ET", "Bitcoin Up or Down - July"),
        ("Bitcoin Up or Down - July 1, 3:15PM-3:30PM ET", "Bitcoin Up or Down - July"),
        ("Will A win on 2025-08-17?", "Will A win in 2025-08?"),
        ("Ceasefire by March 31, 2026?", "Ceasefire by …?"),
        ("Ceasefire before 2027?", "Ceasefire by …?"),
        ("Who wins in 2028?", "Who wins in 2028?"),
        ("Mayor of May Town", "Mayor of May Town"),
    ],
)
def test_undated(text: str, name: str) -> None:
    assert undated(text) == name


def test_families() -> None:
    def family(members: list[EventMember]) -> Grouping:
        [found] = set(infer(members).values())
        return found

    # one market an event each, one series of deadlines, on either venue
    a = family(polymarket("Peace by March 31?", "Peace by March 31?"))
    b = family([*kalshi("Peace before June 2027?", "Yes")])
    assert (a.group_id, a.group_name) == (b.group_id, b.group_name) == ("peace-by", "Peace by …?")
    # a deadline that all the rungs share belongs to the question
    ladder = family(kalshi("CO2 before 2030?", "At least 440", "At least 450"))
    assert ladder.group_id == "co2-before-2030"
    # no event name: what the titles share
    titles = [f"Will {n} win the cup this year?" for n in ("Ann Lee", "Bob")]
    shared = [
        EventMember(id=t, platform="kalshi", question=t, title=t, event_id="E", exclusive=True)
        for t in titles
    ]
    assert family(shared).group_name == "Will … win the cup this year?"
    # names in other scripts stay apart, nondescript ones belong to their event
    assert family(polymarket("選挙", "q")).group_id != family(polymarket("戦争", "q")).group_id
    assert family(polymarket("12", "q")).group_id == "12-polymarket-1"
    assert len(family(polymarket("word " * 80, "q")).group_id) < 100


side_texts = st.sampled_from(
    ["Above 2%", "Above 3%", "Below 2%", "2% to 3%", "Before 2027", "Before June 2027", "Ann Lee",
     "Bob Roe", "Tie", "No change", "25 bps", "50+", "3", "", "$1b–2b", "≥ 7"]
)  # fmt: skip
prices = st.one_of(st.none(), st.floats(0, 1))


@st.composite
def events(draw: st.DrawFn) -> list[EventMember]:
    name = draw(st.sampled_from(["Who will win it?", "A vs B", "How high?", "When?", "x", ""]))
    flag = draw(st.sampled_from([None, True, False]))
    platform = draw(st.sampled_from(PLATFORMS))
    count = draw(st.integers(1, 6))
    members = []
    for n in range(count):
        price = draw(prices)
        members.append(
            EventMember(
                id=f"id{n}",
                platform=platform,
                question=draw(st.text(max_size=30) | side_texts),
                title=name or "t",
                subtitle=draw(st.none() | side_texts),
                prices=(price, None),
                event_id="E",
                event_name=name or None,
                exclusive=flag,
                status=draw(st.sampled_from(["active", "closed", "resolved"])),
                resolution=draw(st.sampled_from([None, "Yes", "No"])),
            )
        )
    return members


@pytest.mark.heavy
@settings(max_examples=80, deadline=None)
@given(events(), st.randoms(use_true_random=False))
def test_order_and_ids_do_not_matter(members: list[EventMember], random: Any) -> None:
    wanted = infer(members)
    shuffled = list(members)
    random.shuffle(shuffled)
    assert infer(shuffled) == wanted
    renamed = [replace(m, id=f"other-{m.id}") for m in members]
    assert [g.market_type for g in infer(renamed).values()] == [
        wanted[m.id].market_type for m in members
    ]


@pytest.mark.heavy
@settings(max_examples=80, deadline=None)
@given(events())
def test_every_market_gets_a_family_and_no_type_stands_alone(members: list[EventMember]) -> None:
    found = infer(members)
    assert set(found) == {m.id for m in members}
    assert len({(g.group_id, g.group_name) for g in found.values()}) == 1
    kinds = [g.market_type for g in found.values()]
    assert all(kind == "binary" or kinds.count(kind) > 1 for kind in kinds)
    assert all(g.group_id and len(g.group_id) < 140 for g in found.values())


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.integers(1, 10**7), min_size=2, max_size=8, unique=True),
    st.sampled_from(
        ["Above ${}", "${} or above", "Below ${}", "At least {} points", "More than {}"]
    ),
)
def test_any_thresholds_of_one_direction_are_a_ladder(numbers: list[int], side: str) -> None:
    members = kalshi("Where will it stand?", *(side.format(f"{n:,}") for n in numbers))
    assert all_are(members, "threshold_ladder")

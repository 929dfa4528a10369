"""Events and links of markets as both venues write them; look-alikes stay apart."""

# ruff: noqa: E501
from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from augury.markets.store import IndexRow
from augury.relations.events import Event, assign, links, place

CLOSES = datetime(2027, 12, 31, tzinfo=UTC)


def kalshi(
    seq: int, title: str, side: str | None, event: str = "KXTHING-27", **more: Any
) -> IndexRow:
    fields: dict[str, Any] = {
        "question": f"{title} — {side}" if side else title, "title": title, "subtitle": side,
        "event_id": event, "event_name": title, "closes_at": CLOSES, "outcomes": ["Yes", "No"],
    }  # fmt: skip
    return IndexRow(change=seq, seq=seq, id=f"kalshi:{seq}", platform="kalshi", **(fields | more))


def polymarket(seq: int, question: str, event: str | None = None, **more: Any) -> IndexRow:
    fields: dict[str, Any] = {
        "question": question, "title": question, "event_id": event, "closes_at": CLOSES,
        "outcomes": ["Yes", "No"],
    }  # fmt: skip
    return IndexRow(
        change=seq, seq=seq, id=f"polymarket:{seq}", platform="polymarket", **(fields | more)
    )


def link_of(one: IndexRow, other: IndexRow) -> str | None:
    places = [(m, place(m)) for m in (one, other)]
    if places[0][1].key != places[1][1].key:
        return None
    found = links(places)
    return None if not found else "inverted" if found[0].inverted else "same"


SAME: dict[str, tuple[IndexRow, IndexRow, str]] = {
    "a nominee": (
        polymarket(1, "Will Ann Lee win the 2028 Democratic presidential nomination?"),
        kalshi(2, "Will Ann Lee be the nominee for the Presidency for the Democratic party?",
               "Ann Lee", "KXPRESNOMD-28", event_name="2028 Democratic presidential nominee"),
        "same",
    ),
    "a party's race": (
        polymarket(1, "Will the Democrats win the Oregon governor race in 2028?"),
        kalshi(2, "Who will win the governorship in Oregon?", "Democratic", "GOVPARTYOR-28"),
        "same",
    ),
    "a deadline": (
        polymarket(1, "Ruritania and Graustark sign a treaty by December 31, 2027?"),
        kalshi(2, "Will Ruritania and Graustark sign a treaty?", "Before Jan 1, 2028"),
        "same",
    ),
    "a team by its city": (
        polymarket(1, "Will the Detroit Lions win Super Bowl 2028?"),
        kalshi(2, "Will the Detroit win the 2028 Pro Football Championship?", "Detroit", "KXSB-28"),
        "same",
    ),
    "a game, the same side": (
        polymarket(1, "Nuggets vs. Grizzlies", outcomes=["Nuggets", "Grizzlies"],
                   slug="nba-den-mem-2027-03-18"),
        kalshi(2, "Denver at Memphis", "Denver", "KXNBAGAME-27MAR18DENMEM"),
        "same",
    ),
    "a game, the other side": (
        polymarket(1, "Nuggets vs. Grizzlies", outcomes=["Nuggets", "Grizzlies"],
                   slug="nba-den-mem-2027-03-18"),
        kalshi(2, "Denver at Memphis", "Memphis", "KXNBAGAME-27MAR18DENMEM"),
        "inverted",
    ),
    "a negation": (
        polymarket(1, "Will Ruritania and Graustark fail to sign a treaty by December 31, 2027?"),
        kalshi(2, "Will Ruritania and Graustark sign a treaty?", "Before Jan 1, 2028"),
        "inverted",
    ),
    "a level and what is below it": (
        polymarket(1, "Will the unemployment rate be below 4.5% in May 2027?"),
        kalshi(2, "Unemployment rate in May 2027?", "4.5% or above",
               strike_kind="greater_or_equal", strike_floor=4.5),
        "inverted",
    ),
    "a temperature at the same station": (
        polymarket(1, "Will the highest temperature in Springfield be 57°F or below on April 13?",
                   closes_at=datetime(2027, 4, 13, tzinfo=UTC),
                   description="The highest temperature recorded at the Old Mill Station."),
        kalshi(2, "Highest temperature in Springfield on Apr 13, 2027?", "57° or below",
               strike_kind="less", strike_cap=58.0,
               description="If the highest temperature recorded at Old Mill for April 13 is"),
        "same",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_one_contract_on_two_venues_is_linked(name: str) -> None:
    one, other, wanted = SAME[name]
    assert link_of(one, other) == wanted


ALIKE: dict[str, tuple[IndexRow, IndexRow]] = {
    "another station": (
        polymarket(1, "Will the highest temperature in Springfield be 57°F or below on April 13?",
                   closes_at=datetime(2027, 4, 13, tzinfo=UTC),
                   description="The highest temperature recorded at the Springfield Airport Station."),
        kalshi(2, "Highest temperature in Springfield on Apr 13, 2027?", "57° or below",
               strike_kind="less", strike_cap=58.0,
               description="If the highest temperature recorded at Old Mill for April 13 is"),
    ),
    "a station that is not told": (
        polymarket(1, "Will the highest temperature in Springfield be 57°F or below on April 13?",
                   closes_at=datetime(2027, 4, 13, tzinfo=UTC)),
        kalshi(2, "Highest temperature in Springfield on Apr 13, 2027?", "57° or below",
               strike_kind="less", strike_cap=58.0),
    ),
    "a window's edge": (
        polymarket(1, "Ruritania and Graustark sign a treaty by January 1, 2028?"),
        kalshi(2, "Will Ruritania and Graustark sign a treaty?", "Before Jan 1, 2028"),
    ),
    "cumulative against exclusive": (
        polymarket(1, "Will the Fed make more than 3 cuts in 2027?"),
        kalshi(2, "How many cuts will the Fed make in 2027?", "Exactly 3"),
    ),
    "an event against its announcement": (
        polymarket(1, "Will Acme launch a coin by December 31, 2027?"),
        kalshi(2, "Will Acme announce the launch of a coin?", "Before Jan 1, 2028"),
    ),
    "another level": (
        polymarket(1, "Will Bitcoin reach $150,000 in 2027?"),
        kalshi(2, "How high will Bitcoin get in 2027?", "$160,000 or above"),
    ),
    "touch against close": (
        polymarket(1, "Will gold reach $5,000 on December 31, 2027?"),
        kalshi(2, "Will gold be above $5,000 on December 31, 2027?", "$5,000 or above"),
    ),
    "the vice presidency": (
        polymarket(1, "Will Ann Lee win the 2028 Democratic presidential nomination?"),
        kalshi(2, "Will Ann Lee be the nominee for the Vice Presidency for the Democratic party?",
               "Ann Lee", event_name="2028 Democratic VP nominee"),
    ),
    "another race": (
        polymarket(1, "Will the Democrats win the Virginia Senate race in 2028?"),
        kalshi(2, "Who will win the Senate race in West Virginia?", "Democratic party", "SENATEWV-28"),
    ),
    "another week": (
        polymarket(1, "Will Song A be the #1 song for the week of April 18, 2027?"),
        kalshi(2, "Will Song A be the #1 song for the week of April 25, 2027?", "Song A"),
    ),
    "another minute of a coin's price": (
        polymarket(1, "Will the price of Bitcoin be above $90,000 on April 14, 2027?"),
        kalshi(2, "Will the price of Bitcoin be above $90,000 on April 14, 2027?", None),
    ),
    "the game after": (
        polymarket(1, "Nuggets vs. Grizzlies", outcomes=["Nuggets", "Grizzlies"],
                   slug="nba-den-mem-2027-03-18"),
        kalshi(2, "Denver at Memphis", "Denver", "KXNBAGAME-27MAR20DENMEM"),
    ),
    "a game that can end in a draw, the other side": (
        polymarket(1, "Arsenal vs. Fulham", outcomes=["Arsenal", "Fulham"],
                   slug="epl-ars-ful-2027-03-18"),
        kalshi(2, "Arsenal vs Fulham", "Fulham", "KXEPLGAME-27MAR18ARSFUL"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ALIKE)
def test_what_only_looks_the_same_is_not_linked(name: str) -> None:
    one, other = ALIKE[name]
    assert link_of(one, other) is None


def test_families_have_the_type_of_what_tells_their_markets_apart() -> None:
    ladder = kalshi(1, "CPI in May 2027?", "Above 2.1%")
    deadline = polymarket(2, "Will the treaty be signed by March 31, 2027?")
    field = polymarket(3, "Will Ann Lee win the 2028 Oregon Senate election?")
    game = kalshi(4, "Denver at Memphis", "Denver", "KXNBAGAME-27MAR20DENMEM")
    plain = polymarket(5, "Will it rain frogs?")
    assert [place(m).kind for m in (ladder, deadline, field, game, plain)] == [
        "ladder", "deadlines", "contest", "game", "single",
    ]  # fmt: skip


def test_stages_of_a_contest_are_told_by_a_common_number() -> None:
    title, final, other = (
        place(polymarket(n, question))
        for n, question in enumerate((
            "Will Norway win the 2030 World Cup?",
            "Will Ghana reach the final of the 2030 World Cup?",
            "Will Norway win the 2034 World Cup?",
        ))
    )  # fmt: skip
    assert title.contest_hash == final.contest_hash != other.contest_hash
    assert title.nodes != final.nodes


def event_of(events: dict[str, Event], market: IndexRow) -> int:
    return id(events[place(market).nodes[0]])


def test_a_family_joins_events_of_two_venues_but_never_two_of_one() -> None:
    first = polymarket(1, "Will Ann Lee win the 2028 Oregon Senate election?", "11")
    second = polymarket(2, "Will Bob Ray win the 2028 Oregon Senate election?", "12")
    loose = polymarket(3, "Will Cy Doe win the 2028 Oregon Senate election?")
    across = kalshi(4, "Who will win the 2028 Oregon Senate race?", "Ann Lee", "SENATEOR-28")
    events: dict[str, Event] = {}
    assign([place(m).nodes for m in (first, second, loose, across)], events)
    found = [event_of(events, m) for m in (first, second, loose, across)]
    assert found[0] == found[2] == found[3] != found[1]


def test_a_stored_event_keeps_its_number_when_it_is_joined() -> None:
    events = {"kalshi:B": Event(7, {"kalshi:B", "contest:x"}, {"kalshi": "kalshi:B"})}
    events["contest:x"] = events["kalshi:B"]
    assign([["polymarket:A", "contest:x"]], events)
    assert events["polymarket:A"] is events["kalshi:B"]
    assert events["polymarket:A"].id == 7

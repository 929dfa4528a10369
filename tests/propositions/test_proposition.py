"""What is read from markets and questions, by example and by what must hold for any text."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augury.propositions.proposition import Proposition, Threshold
from augury.propositions.reading import read, read_question

DAY = date(2026, 11, 21)


def ask(question: str) -> Proposition:
    return read_question(question, DAY)


def parts(p: Proposition) -> dict[str, Any]:
    """The parts that matter, in short."""
    return {
        "terms": " ".join(sorted(p.terms)),
        "predicate": p.predicate,
        "positive": p.positive,
        "choice": " ".join(sorted(p.choice)),
        "threshold": (p.threshold.low, p.threshold.high) if p.threshold else None,
        "window": (p.window.kind, p.window.start, p.window.end),
        "edition": p.edition,
        "stage": p.stage,
    }


QUESTIONS: dict[str, dict[str, Any]] = {
    "Will Bitcoin reach $120k by March 31, 2027?": {
        "terms": "bitcoin", "predicate": "touches", "threshold": (120_000.0, math.inf),
        "window": ("by", None, date(2027, 4, 1)),
    },
    "Will Bitcoin stay below $120k through March 31, 2027?": {
        "terms": "bitcoin", "predicate": "touches", "threshold": (120_000.0, math.inf),
        "positive": False, "window": ("by", None, date(2027, 4, 1)),
    },
    "Will the price of Bitcoin be between $66,000 and $68,000 on May 3?": {
        "predicate": "value", "threshold": (66_000.0, 68_000.0),
        "window": ("on", date(2027, 5, 3), date(2027, 5, 4)),
    },
    "Will parliament be dissolved before the end of August 2027?": {
        "terms": "dissolv parliament", "predicate": "happens",
        "window": ("by", None, date(2027, 9, 1)),
    },
    "Will the parliament make it past June 30, 2027 without being dissolved?": {
        "positive": False, "window": ("by", None, date(2027, 7, 1)),
    },
    "Will Model Nine still be unreleased when 2026 ends?": {
        "predicate": "happens", "positive": False, "window": ("by", None, date(2027, 1, 1)),
    },
    "Will someone other than Ann Lee win the 2028 mayoral election?": {
        "predicate": "wins", "positive": False, "choice": "ann lee", "edition": 2028,
    },
    "Will the Green Party lose more than 20 council seats in 2027?": {
        "predicate": "counts", "positive": True, "threshold": (20.0, math.inf),
    },
    "Will Ann Lee lose the 2028 mayoral election?": {
        "predicate": "wins", "positive": False, "edition": 2028,
    },
    "Will oil hit a low of $50 in March 2027?": {
        "terms": "oil", "predicate": "touches", "threshold": (-math.inf, 50.0),
    },
    "Will gold reach a new high of $6,000 in March 2027?": {
        "predicate": "touches", "threshold": (6_000.0, math.inf),
    },
    "Will Ann Lee be the Democratic nominee for CO-08 in 2028?": {
        "predicate": "nominated", "choice": "ann lee", "terms": "ann cdco8 democrat lee",
    },
    "Will Colorado's 8th District Democrats nominate Ann Lee in 2028?": {
        "predicate": "nominated", "choice": "ann lee", "terms": "ann cdco8 democrat lee",
    },
    "Will Norway reach the semifinals of the 2030 World Cup?": {
        "predicate": "advances", "stage": "semifinal", "choice": "norway", "edition": 2030,
    },
    "Will Leeds finish in the top four of the 2026-27 Premier League?": {
        "predicate": "ranks", "threshold": (1, 4), "choice": "leed", "edition": 2027,
    },
    "Will Kim Park remain President through June 30, 2027?": {
        "predicate": "leaves", "positive": False, "window": ("by", None, date(2027, 7, 1)),
    },
    "Will the season finish with 25 named storms or fewer?": {
        "predicate": "counts", "threshold": (-math.inf, 25.0),
    },
    "Will the Fed make no more than 3 cuts in 2027?": {
        "predicate": "counts", "threshold": (-math.inf, 3.0), "positive": True,
        "window": ("in", date(2027, 1, 1), date(2028, 1, 1)),
    },
    "Will Ann Lee announce a run before 2027?": {
        "predicate": "announces", "window": ("by", None, date(2027, 1, 1)),
    },
}  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_read_into_its_parts(question: str) -> None:
    wanted = QUESTIONS[question]
    found = parts(ask(question))
    assert {name: found[name] for name in wanted} == wanted


def test_a_kalshi_side_is_the_level_and_its_strike_is_exact() -> None:
    p = read(
        "Highest temperature in Springfield on Apr 13, 2027? — 57° or below",
        title="Highest temperature in Springfield on Apr 13, 2027?", subtitle="57° or below",
        strike=("less", None, 58.0), closes=date(2027, 4, 14),
    )  # fmt: skip
    assert p.predicate == "value"
    assert p.threshold == Threshold(-math.inf, 58.0, True, False, "degrees")
    assert p.window.start == date(2027, 4, 13)
    assert p.terms == {"highest", "springfield", "temperatur"}


def test_a_kalshi_side_is_the_choice_of_a_contest() -> None:
    p = read(
        "Who will win the Senate race in Oregon? — Democratic party",
        title="Who will win the Senate race in Oregon?", subtitle="Democratic party",
        event_id="SENATEOR-28", closes=date(2029, 11, 3),
    )  # fmt: skip
    assert (p.predicate, p.choice, p.edition) == ("wins", {"democrat"}, 2028)
    assert p.contest == {"oregon", "senat"}


def test_the_day_of_a_game_is_the_day_of_what_happens_in_it() -> None:
    game = {"title": "Harbor at Velm: Spread", "closes": date(2027, 9, 11)}
    p = read("Harbor at Velm: Spread — Over 45.5 points", subtitle="Over 45.5 points",
             event_id="KXNCAAFTOTAL-27AUG28HARBORVELM", **game)  # fmt: skip
    assert (p.window.kind, p.window.start) == ("on", date(2027, 8, 28))
    until = read("Harbor at Velm: Spread — Over 45.5 points", subtitle="Over 45.5 points",
                 event_id="KXTOTAL-27AUG28", **game)  # fmt: skip
    assert until.window.kind == "open"


@pytest.mark.parametrize(
    "range_",
    [
        "from June 1 to 7", "between June 1 and 7", "June 1 to 7, 2027", "from June 1 through 7",
        "from 1 to 7 June", "1-7 June 2027", "between the 1st and the 7th of June", "June 1-7",
    ],
)  # fmt: skip
def test_the_days_of_a_range_may_share_their_month(range_: str) -> None:
    window = ask(f"Will it rain in Arden {range_}?").window
    assert (window.kind, window.start, window.end) == ("in", date(2027, 6, 1), date(2027, 6, 8))


@pytest.mark.parametrize(
    "said", ["from June 1 to 7 percent", "from June 9 to 7", "on June 1 and 7", "2-1 on June 1"]
)
def test_a_number_after_a_day_is_not_always_a_day(said: str) -> None:
    window = ask(f"Will the Ardens' share rise {said}?").window
    assert window.precision == "day"
    assert window.start is not None


@pytest.mark.parametrize(
    "question",
    [
        "Will 2027 end without Mary Velm announcing a presidential run?",
        "Will December 31, 2027 pass without Mary Velm announcing a presidential run?",
        "Will Mary Velm get through the end of 2027 without announcing a presidential run?",
    ],
)
def test_a_time_that_ends_without_it_is_the_complement_of_by_then(question: str) -> None:
    asked = read_question(question, date(2026, 11, 1))
    market = read(
        "Will Mary Velm announce a presidential run before 2028?", closes=date(2028, 1, 1)
    )
    assert not asked.positive
    assert (asked.window.kind, asked.window.end) == ("by", market.window.end)


def test_the_second_outcome_is_the_complement_of_yes() -> None:
    yes = read("Will it rain in May 2027?", closes=date(2027, 6, 1))
    no = read("Will it rain in May 2027?", closes=date(2027, 6, 1), outcome=1)
    assert no == yes.opposite()


def test_each_part_says_what_it_was_read_from() -> None:
    p = ask("Will Bitcoin fail to reach $120k by March 31, 2027?")
    assert {(r.slot, r.text) for r in p.read} == {
        ("polarity", "fail to"),
        ("threshold", "reach $120k"),
        ("window", "by March 31, 2027"),
    }


def test_a_yearless_date_is_near_the_close_of_a_market_and_ahead_of_a_question() -> None:
    market = read("Will it end by March 3?", closes=date(2026, 3, 4))
    assert market.window.end == date(2026, 3, 4)
    assert ask("Will it end by March 3?").window.end == date(2027, 3, 4)


texts = st.text(max_size=200) | st.lists(
    st.sampled_from(
        "Will the Bitcoin not fail to reach $5k 3% by before in on March 31, 2027 2026 Q2 win lose "
        "someone other than stay below between and exactly at least top 4 final nominee Democratic "
        "vs. 3/4/2027 12AM ET — ? Up or Down".split()
    ),
    max_size=25,
).map(" ".join)


@pytest.mark.heavy
@given(texts, texts, st.sampled_from([("Yes", "No"), ("A", "B"), ("Up", "Down")]))
@settings(max_examples=300)
def test_any_text_is_read_the_same_twice_and_denied_twice_is_itself(
    title: str, side: str, outcomes: tuple[str, str]
) -> None:
    first, again = (
        read(f"{title} — {side}", title=title, subtitle=side, outcomes=outcomes, closes=DAY)
        for _ in range(2)
    )
    assert first == again
    assert first.opposite().opposite() == first
    w = first.window
    assert w.start is None or w.end is None or w.start < w.end
    t = first.threshold
    assert t is None or t.low <= t.high


@pytest.mark.parametrize(
    "question",
    [
        "Will Ann Lee be elected mayor or not?",
        "Whether or not it rains, will Ann Lee be elected mayor?",
        "Will Ann Lee, not Bob Ray, be elected mayor?",
        "Is it Ann Lee and not Bob Ray for mayor?",
        "Will Ann Lee be elected mayor, not just a member?",
        "Will Ann Lee not only run but be elected mayor?",
        "Will Ann Lee be elected mayor in June, not July?",
        "Will Ann Lee be elected mayor? don't laugh",
    ],
)
def test_a_not_that_denies_nothing(question: str) -> None:
    assert ask(question).positive


@pytest.mark.parametrize(
    "question",
    [
        "Will someone else, not Ann Lee, be elected mayor?",
        "Will Ann Lee not be elected mayor, or not even run?",
        "Will Ann Lee hold out, not resigning in June?",
        "Will the mayor be someone who isn't Ann Lee?",
    ],
)
def test_a_not_that_denies(question: str) -> None:
    assert not ask(question).positive


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("is Novak the first pick", 1), ("will Novak go first overall", 1),
        ("Will Ada Novak be the second pick in the draft?", 2),
    ],
)  # fmt: skip
def test_a_pick_is_a_place(question: str, place: int) -> None:
    found = read_question(question, date(2026, 4, 18))
    assert found.predicate == "ranks"
    assert found.threshold is not None
    assert (found.threshold.low, found.threshold.high) == (place, place)


@pytest.mark.parametrize(
    "question", ["do the Yankees make the World Series", "Will the Chiefs play in Super Bowl 2027?"]
)
def test_a_final_may_have_a_name_of_its_own(question: str) -> None:
    found = read_question(question, date(2026, 4, 18))
    assert (found.predicate, found.stage) == ("advances", "final")


@pytest.mark.parametrize(
    ("title", "event", "window"),
    [
        ("QRX at PV — Quarry", "KXWNBAGAME-25AUG26QRXPV", ("on", date(2025, 8, 26))),
        ("Ode vs Karst — Jan Karst", "KXATPMATCH-25AUG27ODEKAR", ("on", date(2025, 8, 27))),
        ("Ode vs Karst in 2025 — Ada Ode", "KXATPMATCH-25AUG27ODEKAR", ("in", date(2025, 1, 1))),
        ("Will Quarry win the cup?", "KXCUP-25", ("open", None)),
    ],
)
def test_the_day_of_a_game_comes_from_the_id_of_its_event(
    title: str, event: str, window: tuple[str, date | None]
) -> None:
    found = read(title, event_id=event, closes=date(2027, 8, 26)).window
    assert (found.kind, found.start) == window

"""How a market stands to a question, part by part."""

from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pytest

from augury.forecast import cues
from augury.forecast.match import Comparison, compare
from augury.forecast.normalize import normalize
from augury.forecast.view import view
from augury.propositions.reading import read

AT = datetime(2026, 11, 21, tzinfo=UTC)
VECTOR = np.full(4, 0.5, np.float32)


def fit(question: str, market: str, closes: date = date(2027, 12, 31)) -> Comparison:
    reading = normalize(question, AT)
    asked = cues.read(reading.proposition, reading.effective)
    theirs = read(market, closes=closes, opened=AT.date())
    told = cues.read(theirs, market, closes=closes)
    weigh = lambda words: view(words, VECTOR, lambda _: 12.0)  # noqa: E731
    return compare(weigh(asked), weigh(told), AT.date())


@pytest.mark.parametrize(
    ("question", "market"),
    [
        ("Will Ann Lee win the Zenda mayor's race in November 2027?",
         "Will Ann Lee win the Zenda mayor's race?"),
        ("Will Zenda United beat Hentzau and win the Harvest Cup in May 2027?",
         "Will Zenda United win the Harvest Cup?"),
        ("Will Ann Lee be voted Harvest League MVP in June 2027?",
         "Will Ann Lee win Harvest League MVP?"),
        ("Will Ann Lee come out of the 2027 election as Lima's mayor?",
         "Will Ann Lee win the election for Lima's mayor?"),
    ],
)  # fmt: skip
def test_a_contest_is_decided_on_its_day_however_late_the_market_closes(
    question: str, market: str
) -> None:
    assert fit(question, market, date(2028, 3, 1)).window in ("same", "unsaid")


def test_an_act_may_come_as_late_as_its_market_closes() -> None:
    asked = "Will Chile leave the pact in May 2027?"
    assert fit(asked, "Will Chile leave the pact?", date(2028, 3, 1)).window == "implies"


@pytest.mark.parametrize(
    ("question", "market", "stands"),
    [
        ("Will an 8.5 or stronger earthquake strike in March 2027?",
         "7.5 earthquake in March 2027?", "implies"),
        ("Will a 46 or greater temperature in Lima be measured on June 3, 2027?",
         "Will the temperature in Lima on June 3, 2027 be 45 degrees or lower?", "opposite"),
        ("Will a category 4 hurricane form in 2027?",
         "Will a category 5 hurricane form in 2027?", "implied"),
        ("Will Lima touch 46 degrees on June 3, 2027?",
         "Highest temperature in Lima on June 3, 2027? — 46° or above", "same"),
        ("Will Lima touch 46 degrees on June 3, 2027?",
         "Highest temperature in Lima on June 3, 2027? — 44° to 45°", "excludes"),
        ("Will there be fewer than 3 rate cuts in 2027?",
         "Will the bank's rate reach 3.0% or lower in 2027?", "differs"),
        ("157mph hurricane in 2027?", "Will a category 5 hurricane form in 2027?", "differs"),
        ("Will a 7.5 earthquake strike in March 2027?", "7.5 earthquake in March 2027?", "unsaid"),
        ("Will article 9 of the pact be dropped in 2027?",
         "Will article 7 of the pact be dropped in 2027?", "differs"),
        ("Will the low in Lima on June 3, 2027 be 40 degrees or lower?",
         "Will the high in Lima on June 3, 2027 be 50 degrees or lower?", "differs"),
        ("Will the temperature in Lima stay at 40 degrees or higher on June 3, 2027?",
         "Will the high temperature in Lima on June 3, 2027 be 40 degrees or higher?", "differs"),
        ("Will the temperature in Lima stay at 40 degrees or higher on June 3, 2027?",
         "Will the lowest temperature in Lima on June 3, 2027 be 40 degrees or higher?", "same"),
    ],
)  # fmt: skip
def test_levels_and_strengths(question: str, market: str, stands: str) -> None:
    assert fit(question, market).threshold == stands


@pytest.mark.parametrize(
    ("question", "stands"),
    [
        ("Do Zenda United get to the last four of the 2027 Harvest Cup?", "same"),
        ("Do Zenda United get to the last eight of the 2027 Harvest Cup?", "implied"),
    ],
)
def test_the_last_four_are_the_semifinalists(question: str, stands: str) -> None:
    market = "Will Zenda United reach the semifinals of the 2027 Harvest Cup?"
    assert fit(question, market).stage == stands


def test_a_market_may_begin_with_its_league() -> None:
    market = "Hockey: Will Bo Kim win the 2027 Harvest Trophy?"
    compared = fit("Will Ann Lee win the 2027 Harvest Trophy?", market)
    assert compared.choice == "excludes"


def test_a_party_behind_its_leader_is_known_by_its_initials() -> None:
    asked = "Will Ann Lee's Zenda Harvest Union win the 2027 Zenda election?"
    assert fit(asked, "Will ZHU win the 2027 Zenda election?").choice == "same"


def test_whoever_wins_a_division_is_in_the_playoffs() -> None:
    asked = "Will Zenda make the playoffs in 2027?"
    compared = fit(asked, "Will Zenda win the Harvest East Division in 2027?")
    assert compared.stage == "implied"
    assert compared.named > 0.9


def test_an_act_is_known_by_its_popular_name() -> None:
    asked = "Will the Affordable Care Act be repealed by June 30, 2027?"
    assert fit(asked, "Will Obamacare be repealed by June 30, 2027?").named > 0.9


@pytest.mark.parametrize(
    ("question", "market"),
    [
        ("Will Acme go public before Zeta Labs does?", "Acme IPO before 2028?"),
        ("Will Ann Lee be married before 2028?", "Ann Lee knighted before marriage?"),
    ],
)
def test_which_of_two_comes_first_says_little_of_when_one_comes(question: str, market: str) -> None:
    assert fit(question, market).choice == "differs"


def test_a_race_is_asked_in_other_words() -> None:
    asked = "Does Ann Lee's album Harvest come out ahead of Zeta Labs' Orbit?"
    assert fit(asked, "New Ann Lee album Harvest before Zeta Labs Orbit?").choice != "differs"


def test_a_level_does_not_follow_from_what_else_happens_to_it() -> None:
    asked = "Will the Zenda 100 finish 2027 above 9000?"
    market = "Will the Zenda 100 have the best performance in 2027?"
    assert fit(asked, market).threshold == "differs"


def test_a_deal_that_is_struck_is_reached() -> None:
    asked = "Will Chile and Peru strike a fishing deal in 2027?"
    assert fit(asked, "Will Chile and Peru reach a fishing deal in 2027?").missing == 0
    assert "strike" in normalize("Will Chile strike Peru in 2027?", AT).proposition.terms


TOUCHED = "Will gold hit (HIGH) $5,000 by June 30, 2027?"
STANDS = "Will gold be above $5,000 on June 30, 2027?"


@pytest.mark.parametrize(
    ("question", "market", "order"),
    [
        (STANDS, TOUCHED, "implies"),
        ("Will gold hit $5,000 by June 30, 2027?", STANDS, "implied"),
        (STANDS, "Will gold hit (HIGH) $6,000 by June 30, 2027?", "differs"),
        (STANDS, "Will gold hit (HIGH) $4,000 by June 30, 2027?", "implies"),
        ("Will gold close June 2027 above $5,000?", STANDS, "same"),
        ("Does inflation stay above 3% in 2027?", "Will inflation exceed 3% in 2027?", "differs"),
        ("Will gold stay below $5,000 until June 30, 2027?", TOUCHED, "same"),
        ("Will gold be stuck below $5,000 until June 30, 2027?", TOUCHED, "same"),
    ],
)  # fmt: skip
def test_a_level_that_is_touched_and_one_that_holds_on_a_day(
    question: str, market: str, order: str
) -> None:
    assert fit(question, market).threshold == order


@pytest.mark.parametrize(
    ("question", "market", "order"),
    [
        ("Will gold dip to $50 in 2027?", "Will gold hit $70 in 2027?", "differs"),
        ("Will gold hit $70 in 2027?", "Will gold dip to $50 in 2027?", "differs"),
        ("Will gold hit $65 in 2027?", "Will gold climb to $120 in 2027?", "differs"),
        ("Will gold hit $130 in 2027?", "Will gold climb to $120 in 2027?", "implies"),
        ("Will gold dip to $50 in 2027?", "Will gold hit $40 in 2027?", "implied"),
        ("Will gold hit $50 in 2027?", "Will gold dip to $50 in 2027?", "same"),
    ],
)
def test_a_level_that_is_hit_may_be_reached_from_either_side(
    question: str, market: str, order: str
) -> None:
    assert fit(question, market).threshold == order


@pytest.mark.parametrize(
    ("market", "stands"),
    [
        ("Will the DHS shutdown end after April 30, 2027?", "differs"),
        ("Will the DHS shutdown end after the April meeting?", "same"),
    ],
)
def test_what_comes_after_a_day_does_not_come_by_then(market: str, stands: str) -> None:
    assert fit("Will the DHS shutdown end before May 1, 2027?", market).window == stands

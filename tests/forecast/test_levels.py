"""Ways of saying that a quantity gets to a level, or stays on one side of it."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from augury.forecast.normalize import normalize

AT = datetime(2026, 4, 10, tzinfo=UTC)

GETS_THERE = [
    ("reach $100,000", 100000, None),
    ("hit $100,000", 100000, 100000),
    ("hit $100k", 100000, 100000),
    ("climb to $100k or more", 100000, None),
    ("get to $100,000", 100000, 100000),
    ("get as high as $100,000", 100000, None),
    ("trade at $100,000 or higher", 100000, None),
    ("trade at or above $100,000", 100000, None),
    ("print $100,000", 100000, 100000),
    ("see $100,000", 100000, 100000),
    ("touch six figures", 100000, None),
    ("rise above $100,000", 100000, None),
    ("break $100,000", 100000, None),
    ("break through $100,000", 100000, None),
    ("clear $100,000", 100000, None),
    ("top $100,000", 100000, None),
    ("cross the $100,000 mark", 100000, None),
    ("breach $100,000", 100000, None),
    ("go past $100,000", 100000, None),
    ("move past $100,000", 100000, None),
    ("make it to $100,000", 100000, 100000),
    ("go as high as $100,000", 100000, None),
    ("go above $100,000", 100000, None),
    ("exceed $100,000", 100000, None),
    ("surge past $100,000", 100000, None),
    ("set foot above $100,000", 100000, None),
    ("trade at a price of at least $100,000", 100000, None),
    ("fall to $50,000", None, 50000),
    ("drop under $50,000", None, 50000),
    ("dip to $50,000 or lower", None, 50000),
    ("sink below $50k", None, 50000),
    ("slide to $50,000", None, 50000),
    ("go as low as $50,000", None, 50000),
    ("go under $50,000", None, 50000),
    ("trade at $50,000 or less", None, 50000),
    ("get down to $50,000", None, 50000),
    ("get below $50,000", None, 50000),
    ("slump to $50,000", None, 50000),
    ("trade below $50,000", None, 50000),
    ("retreat to $50,000", None, 50000),
    ("tumble beneath $50,000", None, 50000),
    ("crash to $50,000", None, 50000),
    ("plunge under $50,000", None, 50000),
    ("lose the $50,000 level", None, 50000),
    ("come down to $50,000", None, 50000),
    ("pull back to $50,000", None, 50000),
    ("dive below $50,000", None, 50000),
    ("go above $100,000", 100000, None),
    ("get over 100000", 100000, None),
]
STAYS = [
    ("stay below $100,000", 100000, None),
    ("remain under $100,000", 100000, None),
    ("keep below $100,000", 100000, None),
    ("never reach $100,000", 100000, None),
    ("not hit $100,000", 100000, 100000),
    ("fail to reach $100,000", 100000, None),
    ("top out below $100,000", 100000, None),
    ("peak under $100,000", 100000, None),
    ("stay shy of $100,000", 100000, None),
    ("fall short of $100,000", 100000, None),
    ("come up short of $100,000", 100000, None),
    ("spend the rest of the year below $100,000", 100000, None),
    ("be stuck below $100,000", 100000, None),
    ("stay south of $100,000", 100000, None),
    ("hold above $50,000", None, 50000),
    ("stay above $50,000", None, 50000),
    ("avoid falling below $50,000", None, 50000),
    ("never trade below $50,000", None, 50000),
    ("bottom out above $50,000", None, 50000),
    ("not dip to $50,000", None, 50000),
    ("remain over $50,000", None, 50000),
    ("trade above $50,000 the whole time", None, 50000),
    ("hold the $50,000 level", None, 50000),
    ("keep its head above $50,000", None, 50000),
    ("never sink as low as $50,000", None, 50000),
]


def level(said: str) -> tuple[bool, str, float | None, float | None]:
    p = normalize(f"Will Bitcoin {said} by December 31?", AT).proposition
    t = p.threshold
    assert t is not None
    low, high = (None if math.isinf(x) else x for x in (t.low, t.high))
    return p.positive, p.predicate, low, high


@pytest.mark.parametrize(("said", "low", "high"), GETS_THERE)
def test_getting_to_a_level(said: str, low: float | None, high: float | None) -> None:
    """What only hits a level is read as that level, from either side."""
    level_ = high if low is None else low
    assert level(said) in [
        (True, "touches", low, high), (True, "touches", level_, level_),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "low", "high"),
    [
        ("eth dips to 1800 in may", -math.inf, 1800), ("gold falls to $4000", -math.inf, 4000),
        ("btc down to 65k by june", -math.inf, 65_000), ("sol climbs to $300", 300, math.inf),
        ("does sol fall to 65 in may", -math.inf, 65), ("btc up to 120k", 120_000, math.inf),
        ("eth to 1800 in may", 1800, 1800),
    ],
)  # fmt: skip
def test_a_short_question_says_from_which_side(asked: str, low: float, high: float) -> None:
    p = normalize(asked, AT).proposition
    assert p.threshold is not None
    assert (p.predicate, p.threshold.low, p.threshold.high) == ("touches", low, high)


@pytest.mark.parametrize(("said", "low", "high"), STAYS)
def test_staying_on_one_side_is_never_getting_to_the_other(
    said: str, low: float | None, high: float | None
) -> None:
    level_ = high if low is None else low
    assert level(said) in [
        (False, "touches", low, high), (False, "touches", level_, level_),
    ]  # fmt: skip


@pytest.mark.parametrize("said", ["finish below $90", "close below $90", "end up under $90"])
def test_ending_below_a_level_is_no_staying_there(said: str) -> None:
    asked = normalize(f"Will oil {said} on June 30, 2027?", AT).proposition
    assert asked.positive
    assert asked.threshold is not None
    assert asked.threshold.high == 90


@pytest.mark.parametrize(
    ("said", "level"),
    [("Dow top 50,000", 50_000), ("unemployment top 5%", 5), ("oil prices top 100", 100)],
)
def test_to_top_a_level_is_no_rank(said: str, level: float) -> None:
    asked = normalize(f"Will {said} this week?", AT).proposition
    assert asked.threshold is not None
    assert (asked.predicate, asked.threshold.low, asked.threshold.high) == (
        "touches", level, math.inf,
    )  # fmt: skip


@pytest.mark.parametrize("said", ["finish in the top 10", "finish top 3", "make the top 100"])
def test_the_top_places_are_a_rank(said: str) -> None:
    assert normalize(f"Will Arden {said}?", AT).proposition.predicate == "ranks"


@pytest.mark.parametrize(
    ("question", "level"),
    [
        ("gold to 5000?", 5000), ("dogecoin to a dollar?", 1), ("btc to 200k", 200_000),
        ("tesla to 500 this year", 500), ("will oil go to 100", 100),
        ("is gold going to 6000", 6000), ("eth under 2000 by the end of April", 2000),
    ],
)  # fmt: skip
def test_a_short_question_names_its_level(question: str, level: float) -> None:
    p = normalize(question, AT).proposition
    assert p.predicate == "touches"
    assert p.threshold is not None
    assert level in (p.threshold.low, p.threshold.high)


@pytest.mark.parametrize(
    "question", ["will the series go to 7?", "lakers to 60 wins", "Trump to visit 10 countries"]
)
def test_a_number_of_things_is_no_price(question: str) -> None:
    assert normalize(question, AT).proposition.predicate != "touches"


def test_a_month_that_closes_is_its_last_day() -> None:
    p = normalize("will bitcoin close the month over 75k", AT).proposition
    assert (p.predicate, p.window.kind) == ("value", "on")

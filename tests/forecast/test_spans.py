"""In June: by the end of June, but not by the end of May."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from tests.forecast.snapshots import answered

from augury.forecast.evidence import Estimate

AT = datetime(2026, 4, 18, tzinfo=UTC)
IPO: Mapping[str, float] = {"May 31, 2026": 0.10, "June 30, 2026": 0.70}


def asked(question: str, prices: Mapping[str, float], title: str) -> Estimate:
    """The engine's answer where "title by DAY" costs what `prices` says."""
    return answered(question, {f"{title} by {day}?": p for day, p in prices.items()}, AT)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Will SpaceX IPO in June 2026?", 0.60),
        ("Will SpaceX not IPO in June 2026?", 0.40),
        ("Will SpaceX IPO by June 30, 2026?", 0.70),
    ],
)
def test_a_month_is_the_difference_of_two_deadlines(question: str, expected: float) -> None:
    assert asked(question, IPO, "Will SpaceX IPO").probability == pytest.approx(expected, abs=0.011)


def test_what_lies_between_is_divided_by_days() -> None:
    prices = {"April 30, 2026": 0.10, "June 30, 2026": 0.40}
    found = asked("Will Starmer be out in June 2026?", prices, "Will Starmer be out")
    assert found.probability == pytest.approx(0.15, abs=0.03)
    assert found.bounds == (pytest.approx(0.0, abs=0.01), pytest.approx(0.30, abs=0.02))


def test_without_an_earlier_deadline_the_end_of_the_month_answers() -> None:
    found = asked("Will SpaceX IPO in June 2026?", {"June 30, 2026": 0.7}, "Will SpaceX IPO")
    assert found.probability == pytest.approx(0.7, abs=0.011)


def test_a_month_that_has_begun_has_no_earlier_deadline() -> None:
    prices = {"March 31, 2026": 0.3, "April 30, 2026": 0.5}
    found = asked("Will SpaceX IPO in April 2026?", prices, "Will SpaceX IPO")
    assert found.probability == pytest.approx(0.5, abs=0.011)

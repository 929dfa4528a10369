"""Exact counts of one event ("2 cuts", "3 cuts") add up to "at least two"."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.forecast.snapshots import answered

from augury.forecast.evidence import Estimate

AT = datetime(2026, 4, 18, tzinfo=UTC)
CUTS = {"no Fed rate cuts": 0.36, "1 Fed rate cut": 0.30, "2 Fed rate cuts": 0.19,
        "3 Fed rate cuts": 0.10, "4 or more Fed rate cuts": 0.05}  # fmt: skip


def asked(question: str) -> Estimate:
    """The engine's answer from markets on each number of cuts, which name no event of the venue."""
    prices = {f"Will {count} happen in 2026?": price for count, price in CUTS.items()}
    return answered(question, prices, AT)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Will at least 2 Fed rate cuts happen in 2026?", 0.34),
        ("Will there be 3 or more Fed rate cuts in 2026?", 0.15),
        ("Will 2 Fed rate cuts happen in 2026?", 0.19),
        ("Will no Fed rate cuts happen in 2026?", 0.36),
    ],
)
def test_exact_counts_add_up(question: str, expected: float) -> None:
    found = asked(question)
    assert found.probability == pytest.approx(expected, abs=0.015)


def test_their_sum_bounds_the_answer_on_both_sides() -> None:
    low, high = asked("Will at least 2 Fed rate cuts happen in 2026?").bounds
    assert (low, high) == (pytest.approx(0.34, abs=0.001), pytest.approx(0.34, abs=0.001))

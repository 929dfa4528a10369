"""What lies between the rungs of a ladder."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.forecast.distribution import MAX_LEVELS, by_day, by_level, chances, level_label

CHANCE = st.floats(0.001, 0.999)
LADDER = st.dictionaries(st.integers(1, 40).map(float), CHANCE, min_size=1, max_size=20)


def test_a_ladder_upward_and_downward() -> None:
    usd = level_label("usd")
    found = by_level({200_000.0: 0.08}, 150_000.0, 0.3, upward=True, label=usd)
    assert found is not None
    assert [part[1:3] for part in found] == [
        (None, 150_000), (150_000, 200_000), (200_000, None),
    ]  # fmt: skip
    assert chances(found) == {
        "below $150,000": 0.7, "$150,000 to $200,000": 0.22, "$200,000 or more": 0.08,
    }  # fmt: skip
    found = by_level({3.0: 0.1}, 4.0, 0.4, upward=False, label=level_label("percent"))
    assert found is not None
    assert chances(found) == {
        "3% or less": 0.1, "3% to 4%": 0.3, "above 4%": 0.6,
    }  # fmt: skip


def test_a_series_of_deadlines() -> None:
    found = by_day({date(2027, 2, 1): 0.18}, date(2027, 4, 1), 0.4)
    assert found is not None
    assert chances(found) == {
        "by 2027-01-31": 0.18, "2027-02-01 to 2027-03-31": 0.22, "later or never": 0.6,
    }  # fmt: skip


def test_one_rung_is_no_ladder() -> None:
    assert by_level({}, 3.0, 0.4, upward=True, label=str) is None
    assert by_level({3.0: 0.2}, 3.0, 0.4, upward=True, label=str) is None
    assert by_day({}, date(2027, 4, 1), 0.4) is None


def test_a_ladder_that_contradicts_the_answer_is_another_one() -> None:
    assert by_level({200_000.0: 0.8}, 150_000.0, 0.3, upward=True, label=str) is None
    assert by_day({date(2027, 2, 1): 0.8}, date(2027, 4, 1), 0.4) is None


@pytest.mark.heavy
@given(rungs=LADDER, asked=st.integers(1, 40).map(float), p=CHANCE, upward=st.booleans())
def test_the_parts_sum_to_one_and_keep_the_answer(
    rungs: dict[float, float], asked: float, p: float, upward: bool
) -> None:
    found = by_level(rungs, asked, p, upward=upward, label=str)
    if found is None:
        return
    shares = [part.probability for part in found]
    assert sum(shares) == pytest.approx(1, abs=1e-3)
    assert min(shares) >= 0
    assert len(found) <= MAX_LEVELS + 2
    names = [part.label for part in found]
    at = next(
        k for k, name in enumerate(names)
        if name.startswith((f"{asked} to", f"{asked} or", f"above {asked}"))
        and not (not upward and name == f"{asked} or less")
    )  # fmt: skip
    beyond = sum(shares[at:])
    assert (beyond if upward else 1 - beyond) == pytest.approx(p, abs=2e-3)

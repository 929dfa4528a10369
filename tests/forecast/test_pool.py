"""Pooling, ladders, bounds and doubt hold their promises for any input."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.forecast import doubt, pool

chance = st.floats(0.001, 0.999)
weight = st.floats(0.01, 100)
points = st.lists(st.tuples(st.floats(1, 1000), chance, weight), min_size=1, max_size=8)


def test_one_market_is_taken_at_its_price() -> None:
    assert pool.pooled([0.123456], [3.0]) == 0.123456


@given(st.lists(st.tuples(chance, weight), min_size=1, max_size=6))
def test_a_pool_lies_among_its_members_and_turns_with_them(
    pairs: list[tuple[float, float]],
) -> None:
    chances, weights = [p for p, _ in pairs], [w for _, w in pairs]
    p = pool.pooled(chances, weights)
    assert min(chances) - 1e-9 <= p <= max(chances) + 1e-9
    assert p + pool.pooled([1 - c for c in chances], weights) == pytest.approx(1)


@given(st.lists(st.tuples(chance, weight), min_size=1, max_size=12))
def test_isotonic_never_falls_and_keeps_the_mean(pairs: list[tuple[float, float]]) -> None:
    values, weights = [p for p, _ in pairs], [w for _, w in pairs]
    fitted = pool.isotonic(values, weights)
    assert all(a <= b + 1e-12 for a, b in itertools.pairwise(fitted))
    total = sum(v * w for v, w in pairs)
    assert sum(f * w for f, w in zip(fitted, weights, strict=True)) == pytest.approx(total)


@given(points, st.floats(1, 1000), st.floats(1, 1000))
def test_a_later_deadline_is_never_less_likely(
    series: list[tuple[float, float, float]], a: float, b: float
) -> None:
    early, late = sorted((a, b))
    p, lower, upper = pool.by_deadline(series, early)
    assert 0 <= lower <= p <= upper <= 1
    assert p <= pool.by_deadline(series, late)[0] + 1e-9


@given(points, st.floats(1, 1000), st.floats(1, 1000))
def test_a_higher_threshold_is_never_more_likely(
    ladder: list[tuple[float, float, float]], a: float, b: float
) -> None:
    low, high = sorted((a, b))
    p, lower, upper = pool.by_threshold(ladder, low)
    assert 0 <= lower <= p <= upper <= 1
    assert p >= pool.by_threshold(ladder, high)[0] - 1e-9


def test_deadlines_between_two_have_a_constant_hazard() -> None:
    p, lower, upper = pool.by_deadline([(10, 0.1, 1), (30, 0.3, 1)], 20)
    assert (lower, upper) == (0.1, 0.3)
    assert p == pytest.approx(1 - ((1 - 0.1) * (1 - 0.3)) ** 0.5)


@given(chance, st.floats(0, 1), st.floats(0, 2), st.floats(0, 30), st.integers(0, 4))
def test_an_interval_holds_its_estimate(
    p: float, match: float, disagreement: float, age: float, direct: int
) -> None:
    doubts = doubt.Doubts(match, disagreement, age, 0.1, 10.0, direct, 0.0 if direct else 0.3)
    lower, upper = doubt.interval(p, doubts)
    assert 0 <= lower <= p <= upper <= 1
    assert 0 < doubt.confidence(doubts) < 1


def test_weaker_evidence_is_worth_less() -> None:
    exact = doubt.Doubts(0.0, 0.0, 0.0, 0.0, 30.0, 1, 0.0)
    stale = doubt.Doubts(0.0, 0.0, 10.0, 0.0, 30.0, 1, 0.0)
    bound = doubt.Doubts(0.2, 0.0, 0.0, 0.0, 30.0, 0, 0.4)
    worth = [doubt.confidence(d) for d in (exact, stale, bound)]
    assert worth == sorted(worth, reverse=True)
    assert len(set(worth)) == 3
    widths = [
        upper - lower for lower, upper in (doubt.interval(0.4, d) for d in (exact, stale, bound))
    ]
    assert widths == sorted(widths)

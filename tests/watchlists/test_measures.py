"""Metrics against a market's own past: what they find and how often they cry wolf."""

from __future__ import annotations

import math
import random
from itertools import accumulate, pairwise

import pytest

from augury.watchlists.measures import divergence, logit, spike, zscore


def walk(
    seed: int, n: int = 97, *, still: float = 0.6, jump: float = 0.02, center: float = 0.4
) -> list[float]:
    """Prices of a market: mostly still, else heavy-tailed moves in log-odds, in whole cents."""
    rng = random.Random(seed)
    level = logit(center)
    prices = []
    for _ in range(n):
        if rng.random() > still:
            size = rng.gauss(0, 0.05) * (8 if rng.random() < jump else 1)
            level += size - 0.05 * (level - logit(center))
        prices.append(round(min(max(1 / (1 + math.exp(-level)), 0.01), 0.99), 2))
    return prices


def naive(prices: list[float]) -> float:
    moves = [b - a for a, b in pairwise(prices)]
    mean = sum(moves[:-1]) / (len(moves) - 1)
    sigma = math.sqrt(sum((m - mean) ** 2 for m in moves[:-1]) / (len(moves) - 1))
    return (moves[-1] - mean) / sigma if sigma else math.inf * (moves[-1] - mean or 0)


@pytest.mark.heavy
def test_an_ordinary_hour_is_not_unusual() -> None:
    worlds = [walk(seed, still=still) for seed in range(700) for still in (0.3, 0.6, 0.9)]
    loud = sum(abs(zscore(prices) or 0) > 4 for prices in worlds)
    assert loud / len(worlds) < 0.015
    assert loud < sum(abs(naive(prices)) > 4 for prices in worlds)


@pytest.mark.parametrize("center", [0.05, 0.4, 0.9])
def test_a_jump_is_found_even_when_others_came_before(center: float) -> None:
    found = 0
    for seed in range(300):
        prices = walk(seed, center=center)
        high = round(1 / (1 + math.exp(-logit(center) - 1.5)), 2)
        for at in (30, 50, 70):
            prices[at : at + 8] = [high] * 8
        toward = 1.5 if center < 0.5 else -1.5
        prices[-1] = round(1 / (1 + math.exp(-logit(prices[-2]) - toward)), 2)
        found += abs(zscore(prices) or 0) > 4
    assert found / 300 > 0.9


def test_a_still_market_does_not_cry_at_the_first_cent() -> None:
    assert zscore([0.4] * 96 + [0.41]) == pytest.approx(1.0, abs=0.05)
    assert zscore([0.97] * 96 + [0.98]) == pytest.approx(1.18, abs=0.3)
    assert (zscore([0.4] * 96 + [0.5]) or 0) > 9


def test_too_little_past_is_no_answer() -> None:
    assert zscore([0.4] * 21) is None
    assert zscore([0.4] * 22) == 0
    assert zscore([None] * 80 + [0.4] * 10) is None
    assert zscore([0.4] * 40 + [None]) is None
    assert zscore([0.4] * 40 + [None, 0.5]) is None
    assert zscore([]) is None


def test_a_spike_is_against_the_usual_window() -> None:
    rng = random.Random(1)
    steady = list(accumulate(rng.lognormvariate(5, 0.5) for _ in range(40)))
    assert (spike([*steady, steady[-1] + 150]) or 0) < 2
    assert (spike([*steady, steady[-1] + 1500]) or 0) > 8
    # One earlier spike does not hide the next.
    loud = [v + (20_000 if n > 20 else 0) for n, v in enumerate(steady)]
    assert (spike([*loud, loud[-1] + 1500]) or 0) > 8


def test_a_market_that_rarely_trades_is_measured_by_the_hours_it_does() -> None:
    volumes = [float(100 * (n // 8)) for n in range(40)]
    assert spike([*volumes, volumes[-1] + 100]) == 1.0
    assert spike([*volumes, volumes[-1] + 700]) == 7.0


def test_no_spike_without_a_past() -> None:
    assert spike([0.0] * 40) is None
    assert spike([float(n) for n in range(12)]) is None
    assert spike([None] * 30 + [1.0, 2.0]) is None
    assert spike([]) is None
    assert spike([float(n) for n in range(30)] + [10.0]) == 0.0  # a corrected total is no trade


def test_divergence_is_the_largest_distance() -> None:
    assert divergence(0.4, []) is None
    assert divergence(0.4, [0.45, 0.31]) == pytest.approx(0.09)

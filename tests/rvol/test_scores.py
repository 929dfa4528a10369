"""Losses and tests of forecasts."""

from __future__ import annotations

import numpy as np
import pytest

from augury.rvol import scores


def test_qlike_is_least_at_the_mean_and_zero_only_when_perfect() -> None:
    y = np.random.default_rng(0).gamma(2, 0.5, 4000)
    loss = {f: scores.qlike(y, np.full(4000, f)).mean() for f in (0.5, 0.9, y.mean(), 1.1, 2.0)}
    assert min(loss, key=lambda f: loss[f]) == y.mean()
    assert scores.qlike(y, y).max() == 0
    assert np.allclose(scores.qlike(7 * y, np.full(4000, 7.0)), scores.qlike(y, np.ones(4000)))


def test_qlike_punishes_forecasts_that_are_too_low_more() -> None:
    one = np.ones(1)
    assert scores.qlike(one, one / 2) > scores.qlike(one, one * 2)


def test_the_statistic_of_overlapping_windows_does_not_overstate() -> None:
    rng = np.random.default_rng(1)
    big_naive = big = 0
    for _ in range(300):
        shocks = rng.normal(size=600 + 21)
        d = np.convolve(shocks, np.ones(22) / 22, "valid")  # overlapping, mean zero
        t = scores.dm_t(d, np.zeros(600), 22)
        assert t is not None
        big += abs(t) > 1.96
        big_naive += abs(d.mean() / d.std() * np.sqrt(600)) > 1.96
    assert big / 300 < 0.15
    assert big_naive / 300 > 0.4


def test_the_statistic_is_negative_for_the_better_one_and_none_without_evidence() -> None:
    rng = np.random.default_rng(2)
    loss = rng.gamma(2, 1, 500)
    t = scores.dm_t(loss - 0.3 + rng.normal(0, 0.1, 500), loss, 1)
    assert t is not None
    assert t < -5
    assert scores.dm_t(loss[:100], loss[:100] + 1, 22) is None  # fewer than ten windows
    assert scores.dm_t(loss, loss, 1) is None


def test_coverage_r2_and_bias() -> None:
    y = np.array([1.0, 2.0, 3.0, 4.0])
    assert scores.coverage(y, np.full(4, 1.5), np.full(4, 3.5)) == 0.5
    assert scores.mincer_zarnowitz_r2(y, 2 * y) == pytest.approx(1)
    assert scores.mincer_zarnowitz_r2(y, np.ones(4)) is None
    assert scores.bias(y, 2 * y) == pytest.approx(np.log(2))
    assert scores.mean_ratio(y, 2 * y) == 0.5


def test_the_event_that_owns_a_score_is_left_out_whole() -> None:
    days = np.arange(100, 120)
    loss = np.ones(20)
    loss[8:12] = [5, 50, 9, 7]
    kept = scores.largest_event(loss, days, 5)
    assert days[~kept].tolist() == list(range(105, 114))

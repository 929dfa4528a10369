"""Recalibration wins where prices are biased, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from augury.forecast import calibrate
from augury.forecast.calibrate import DecidedPrice, expit, fit, logit


def decided(slope: float, n: int, *, seed: int = 7, size: int = 1) -> list[DecidedPrice]:
    """Markets whose true log-odds are `slope` times those of their price, `size` to an event."""
    rng = np.random.default_rng(seed)
    price = rng.uniform(0.03, 0.97, n)
    happens = rng.random(n) < expit(slope * logit(price))
    return [
        DecidedPrice(float(p), float(y), 7, "kalshi", f"event {k // size}")
        for k, (p, y) in enumerate(zip(price, happens, strict=True))
    ]


def test_a_bias_is_found_and_taken_out() -> None:
    (cell,) = calibrate.correction_tests(decided(1.8, 4_000))
    assert cell["slope"] == pytest.approx(1.8, abs=0.2)
    assert cell["brier_recalibrated"] < cell["brier"]
    assert cell["log_loss_recalibrated"] < cell["log_loss"]
    assert cell["use"]


def test_fair_prices_are_left_alone() -> None:
    for seed in range(5):
        (cell,) = calibrate.correction_tests(decided(1.0, 2_000, seed=seed))
        assert not cell["use"]


def test_few_prices_say_nothing() -> None:
    (cell,) = calibrate.correction_tests(decided(3.0, calibrate.MIN_PRICES - 1))
    assert "slope" not in cell
    assert not cell["use"]


def test_markets_of_one_event_count_as_one() -> None:
    """Copies of a few outcomes prove no more than the few."""
    few = decided(1.8, 60)
    copied = [row for row in few for _ in range(50)]
    (cell,) = calibrate.correction_tests(copied)
    assert (cell["n"], cell["events"]) == (3_000, 60)
    (many,) = calibrate.correction_tests(decided(1.8, 3_000))
    assert abs(cell["t"]) < abs(many["t"])


def test_nothing_is_fitted_to_nothing() -> None:
    assert fit(np.zeros(0), np.zeros(0)) == pytest.approx((0.0, 1.0))
    assert calibrate.correction_tests([]) == []

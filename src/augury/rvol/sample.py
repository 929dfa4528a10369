"""The sample: simulated price bars, so that a new installation shows volatility at work. Pure.

A stochastic-volatility simulation: log variance is the sum of a part common to all coins and a part
of each coin, both with a slow and a fast component. Weekends are quieter, there are jumps, and
falling prices raise the next day's variance. The coins have well-known names because callers ask
for them, but no real prices were used, and every answer made from these data is marked as a sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from augury.rvol import measures
from augury.rvol.panel import Floats, Ints

COINS = {
    "BTC": ("Bitcoin", 64_000.0, 0.45), "ETH": ("Ethereum", 3_100.0, 0.60),
    "SOL": ("Solana", 150.0, 0.80), "XRP": ("XRP", 0.9, 0.75), "DOGE": ("Dogecoin", 0.18, 0.85),
    "BNB": ("BNB", 600.0, 0.50),
}  # fmt: skip
"""The simulated coins of the sample data. By asset: its name, its last simulated price in dollars,
its typical annualized volatility (0.45 is 45%)."""
SAMPLE_DAYS = 400
BARS_A_DAY = 288
BAR_MINUTES = 5


@dataclass(frozen=True)
class SampleDays:
    """The simulated days of one coin in the sample data."""

    asset: str
    name: str
    days: Ints
    paths: Floats
    """Shape (days, bars + 1): for each day its first price, then the close of each five-minute
    bar."""
    measures: measures.Measures


def generate(last_day: int, *, days: int = SAMPLE_DAYS, seed: int = 7) -> list[SampleDays]:
    """Simulate the sample data: price bars and measures of a few coins for `days` days up to
    `last_day` (days since 1970-01-01). The same arguments give the same data. Takes about 0.3 s."""
    rng = np.random.default_rng(seed)
    when = np.arange(last_day - days + 1, last_day + 1)
    common = _autoregression(rng, days, 0.985, 0.10) + _autoregression(rng, days, 0.6, 0.22)
    weekend = np.where((when + 3) % 7 >= 5, -0.55, 0.0)
    time = np.arange(BARS_A_DAY) / BARS_A_DAY
    within = 0.35 * np.cos(2 * np.pi * (time - 15 / 24))
    out = []
    for asset, (name, price, volatility) in COINS.items():
        own = _autoregression(rng, days, 0.97, 0.08) + _autoregression(rng, days, 0.4, 0.20)
        level = np.log(volatility**2 / 365)
        log = level + common + own + weekend
        shocks = rng.standard_normal((days, BARS_A_DAY))
        fallen = np.minimum(shocks.mean(axis=1) * np.sqrt(BARS_A_DAY), 0.0)
        log[1:] -= 0.25 * fallen[:-1]
        variance = (
            np.exp(log[:, None] + within + 0.25 * rng.standard_normal((days, BARS_A_DAY)))
            / BARS_A_DAY
        )
        returns = np.sqrt(variance) * shocks
        jumps = rng.random((days, BARS_A_DAY)) < 0.15 / BARS_A_DAY
        size = rng.standard_normal((days, BARS_A_DAY)) * np.sqrt(np.exp(log))[:, None] * 1.2
        returns += np.where(jumps, size, 0.0)
        ends = np.log(price) + np.cumsum(returns.ravel()).reshape(days, BARS_A_DAY)
        ends -= ends[-1, -1] - np.log(price)
        starts = np.concatenate([[ends[0, 0] - returns[0, 0]], ends[:-1, -1]])
        paths = np.exp(np.concatenate([starts[:, None], ends], axis=1))
        out.append(SampleDays(asset, name, when, paths, measures.daily(paths, BAR_MINUTES)))
    return out


def _autoregression(rng: np.random.Generator, n: int, phi: float, sigma: float) -> Floats:
    out, value = np.empty(n), sigma / np.sqrt(1 - phi**2) * rng.standard_normal()
    for t, shock in enumerate(rng.standard_normal(n) * sigma):
        value = phi * value + shock
        out[t] = value
    return out

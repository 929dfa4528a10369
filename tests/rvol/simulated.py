"""Panels with the habits of markets, made up: for tests of models."""

from __future__ import annotations

import numpy as np

from augury.rvol.panel import Panel, pack

FIRST_DAY = 19_000


def panel(
    assets: int = 4, rows: int = 500, *, continuous: bool = True, seed: int = 5, short: int = 0
) -> Panel:
    """Log variance is a slow and a fast part with a shared factor; all measures are there.
    The last `short` assets start late."""
    rng = np.random.default_rng(seed)
    shared = _ar(rng, rows, 0.97, 0.15)
    series = {}
    days = FIRST_DAY + np.arange(rows)
    if not continuous:
        days = FIRST_DAY + np.arange(rows) // 5 * 7 + np.arange(rows) % 5 + 1
    for i in range(assets):
        log = -8 + shared + _ar(rng, rows, 0.95, 0.2) + _ar(rng, rows, 0.5, 0.3)
        if continuous:
            log = log - 0.5 * ((days + 3) % 7 >= 5)
        variance = np.exp(log)
        rv = variance * rng.gamma(40, 1 / 40, rows)
        ret = np.sqrt(variance) * rng.standard_normal(rows)
        share = rng.beta(20, 20, rows)
        own = {
            "rv": rv, "bv": rv * rng.uniform(0.85, 1.02, rows), "rsv_neg": rv * share,
            "rsv_pos": rv * (1 - share), "rq": rv**2 * rng.uniform(1, 2, rows), "ret": ret,
        }  # fmt: skip
        late = rows * 3 // 4 if i >= assets - short else 0
        series[f"A{i}"] = (days[late:], {k: v[late:] for k, v in own.items()})
    return pack(series, continuous=continuous)


def _ar(rng: np.random.Generator, n: int, phi: float, sigma: float) -> np.ndarray:
    out, value = np.empty(n), 0.0
    for t, shock in enumerate(rng.standard_normal(n) * sigma):
        value = phi * value + shock
        out[t] = value
    return out

"""Tests whether market prices should be corrected: a correction is fitted on some resolved markets
and scored on markets of other events. Pure.

Crowds are said to overrate unlikely outcomes (longshots), the more so the longer a market runs.
Such a bias is a straight line in log-odds, logit(q) = a + b logit(p) with b above 1, from a price p
to the corrected probability q. One line is fitted for each venue and each number of days left. A
line is worth using only if it scores better than the price on events that it was not fitted on.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

HORIZONS: Final = (1, 7, 30, 90)
"""Numbers of days before a market's end. The market's price at each of these times is used to test
whether prices need a correction."""
FOLDS: Final = 5
MIN_PRICES: Final = 200
"""One correction of prices is fitted for each venue and each number of days before a market's end
(`HORIZONS`). It is fitted only if at least this many such prices of resolved markets are known.
Chosen by hand."""
SURE_T: Final = -2.0
"""A correction of market prices counts as worth using if t is at most this. t is the Brier score
with the correction minus the score without it, divided by the standard error of this difference.
Negative: the correction is better."""
_EDGE: Final = 0.002
_RIDGE: Final = 1.0
"""Ridge penalty in the fit of a correction logit(q) = a + b logit(p) of a price p. The larger the
penalty and the fewer the prices, the closer `a` stays to 0 and `b` to 1, i.e. to no correction."""

Column = NDArray[np.float64]


class DecidedPrice(NamedTuple):
    """The price of a market's Yes, 0 to 1, some days before the market's end, and the outcome (1:
    Yes, 0: No)."""

    price: float
    outcome: float
    days: int
    """Days before the market's end: one of `HORIZONS`."""
    platform: str
    event: str
    """Id of the market's event. Markets of one event resolve together, so all of them are put in
    one fold of the cross-validation."""


def correction_tests(rows: Sequence[DecidedPrice]) -> list[dict[str, Any]]:
    """Compare prices of resolved markets with corrected prices, for each venue and number of days
    left until the market's end. A price is corrected by a fit on other events (cross-validation).

    Returns
    -------
    For each venue and number of days left:

    - `n`, `events`: number of prices and of events;
    - `intercept`, `slope`: of the correction, fitted on all rows;
    - `brier`, `log_loss`: of the prices; with the suffix `_recalibrated`: of the corrected prices;
    - `t`: Brier score with the correction minus without it, divided by the standard error (with
      events as units). Negative: the correction is better;
    - `use`: whether the correction is worth using, i.e. `t` is at most `SURE_T`.

    With fewer rows than `MIN_PRICES`: only `n`, `events`, and `use` (False).
    """
    cells: dict[tuple[str, int], list[DecidedPrice]] = {}
    for row in rows:
        cells.setdefault((row.platform, row.days), []).append(row)
    return [
        {"platform": platform, "days_left": days, **_cell(cells[platform, days])}
        for platform, days in sorted(cells)
    ]


def _cell(rows: Sequence[DecidedPrice]) -> dict[str, Any]:
    events, unit = np.unique([row.event for row in rows], return_inverse=True)
    out: dict[str, Any] = {"n": len(rows), "events": len(events)}
    if len(rows) < MIN_PRICES:
        return {**out, "use": False}
    x = logit(np.array([row.price for row in rows]))
    y = np.array([row.outcome for row in rows])
    fold = np.array([zlib.crc32(row.event.encode()) % FOLDS for row in rows])
    corrected = np.empty(len(rows))
    for held in range(FOLDS):
        a, b = fit(x[fold != held], y[fold != held])
        corrected[fold == held] = expit(a + b * x[fold == held])
    price = expit(x)
    gain = (corrected - y) ** 2 - (price - y) ** 2
    by_event = np.bincount(unit, gain)
    spread = by_event.std(ddof=1) * len(by_event) ** 0.5
    t = float(by_event.sum() / spread) if spread > 0 else 0.0
    a, b = fit(x, y)
    return {
        **out,
        "intercept": round(a, 3),
        "slope": round(b, 3),
        "brier": _rounded((price - y) ** 2),
        "brier_recalibrated": _rounded((corrected - y) ** 2),
        "log_loss": _rounded(-np.log(np.where(y > 0.5, price, 1 - price))),
        "log_loss_recalibrated": _rounded(-np.log(np.where(y > 0.5, corrected, 1 - corrected))),
        "t": round(t, 2),
        "use": t <= SURE_T,
    }


def fit(x: Column, y: Column) -> tuple[float, float]:
    """Intercept and slope of a logistic regression of outcomes `y` on log-odds `x`, by Newton's
    method, with a ridge penalty toward intercept 0 and slope 1."""
    design = np.column_stack([np.ones_like(x), x])
    home = np.array([0.0, 1.0])
    beta = home.copy()
    for _ in range(50):
        q = expit(design @ beta)
        gradient = design.T @ (y - q) - _RIDGE * (beta - home)
        curvature = (design * (q * (1 - q))[:, None]).T @ design + _RIDGE * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        beta += step
        if np.abs(step).max() < 1e-9:
            break
    return float(beta[0]), float(beta[1])


def logit(p: Column) -> Column:
    """Log-odds of the probabilities `p`, which are first clipped to the range from `_EDGE` to 1 -
    `_EDGE`."""
    p = np.clip(p, _EDGE, 1 - _EDGE)
    return np.log(p / (1 - p))


def expit(x: Column) -> Column:
    """Probabilities, 0 to 1, from the log-odds `x` (the logistic function)."""
    return 1 / (1 + np.exp(-x))


def _rounded(values: Column) -> float:
    return round(float(values.mean()), 4)

"""How good forecasts of variance were: losses, tests, coverage. Pure.

QLIKE is robust to noise in what was realized (Patton 2011). Windows overlap, so every standard
error here is of Newey and West with at least as many lags as the horizon has days.
"""

from __future__ import annotations

import math

import numpy as np

from augury.rvol.panel import Floats


def qlike(actual: Floats, forecast: Floats) -> Floats:
    """y/f - ln(y/f) - 1: zero for a perfect forecast, free of scale and units."""
    ratio = actual / forecast
    return ratio - np.log(ratio) - 1.0


def long_run_variance(values: Floats, lags: int) -> float:
    """Newey-West estimate of the variance of the mean of `values`, times their number."""
    centred = values - values.mean()
    n = len(centred)
    total = float(centred @ centred) / n
    for lag in range(1, min(lags, n - 1) + 1):
        weight = 1.0 - lag / (lags + 1.0)
        total += 2.0 * weight * float(centred[lag:] @ centred[:-lag]) / n
    return max(total, 0.0)


def dm_t(loss: Floats, rival: Floats, days: int) -> float | None:
    """Diebold-Mariano t of `loss` against `rival`'s: negative where `loss` is smaller.

    Newey-West with max(days, n^(1/3)) lags and the correction of Harvey, Leybourne and Newbold
    (1997) for short samples. None where fewer than 10 windows that do not overlap are there, or
    the losses do not differ.
    """
    difference = np.asarray(loss) - np.asarray(rival)
    n = len(difference)
    if n < 10 * days:
        return None
    lags = max(days, math.ceil(n ** (1 / 3)))
    variance = long_run_variance(difference, lags)
    if variance <= 0:
        return None
    shrink = max((n + 1 - 2 * days + days * (days - 1) / n) / n, 0.0)
    return float(difference.mean() / math.sqrt(variance / n) * math.sqrt(shrink))


def mincer_zarnowitz_r2(actual: Floats, forecast: Floats) -> float | None:
    """R2 of the regression of ln(actual) on ln(forecast)."""
    if len(actual) < 3:
        return None
    a, f = np.log(actual), np.log(forecast)
    if a.std() <= 0 or f.std() <= 0:
        return None
    return float(np.corrcoef(a, f)[0, 1] ** 2)


def bias(actual: Floats, forecast: Floats) -> float:
    """Mean of ln(forecast / actual): above zero, forecasts were too high. Of a fair forecast it
    is about half the variance of the log, as the mean of a skewed quantity is above its median."""
    return float(np.mean(np.log(forecast / actual)))


def mean_ratio(actual: Floats, forecast: Floats) -> float:
    """Sum of what was realized over the sum of what was forecast: 1 without bias."""
    return float(np.sum(actual) / np.sum(forecast))


def coverage(actual: Floats, lower: Floats, upper: Floats) -> float:
    """Share of what was realized that lies within the bounds."""
    return float(np.mean((actual >= lower) & (actual <= upper)))


def largest_event(loss: Floats, days: np.ndarray, horizon: int) -> np.ndarray:
    """Which windows do not hold the one day that owns most of the loss.

    The worst window ends, or the event lies, within `horizon` days of its origin: every window
    that overlaps it is left out. A score is given with and without them, because one day can own
    a scorecard.
    """
    worst = days[int(np.argmax(loss))]
    return np.abs(days - worst) >= horizon

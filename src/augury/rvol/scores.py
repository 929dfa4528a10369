"""Scores forecasts of variance: losses, tests, coverage of bands. Pure.

The loss QLIKE is robust to noise in the realized variance (Patton 2011). The target windows (the
days that a forecast covers) of successive days overlap, so all standard errors are Newey-West
errors with at least as many lags as the horizon has days.
"""

from __future__ import annotations

import math

import numpy as np

from augury.rvol.panel import Floats


def qlike(actual: Floats, forecast: Floats) -> Floats:
    """The QLIKE loss of variance forecasts, y/f - ln(y/f) - 1 with y realized and f forecast: zero
    for a perfect forecast, the same in any unit."""
    ratio = actual / forecast
    return ratio - np.log(ratio) - 1.0


def long_run_variance(values: Floats, lags: int) -> float:
    """Newey-West estimate of the long-run variance, i.e. of the variance of the mean of `values`
    multiplied by their number."""
    centred = values - values.mean()
    n = len(centred)
    total = float(centred @ centred) / n
    for lag in range(1, min(lags, n - 1) + 1):
        weight = 1.0 - lag / (lags + 1.0)
        total += 2.0 * weight * float(centred[lag:] @ centred[:-lag]) / n
    return max(total, 0.0)


def dm_t(loss: Floats, rival: Floats, days: int) -> float | None:
    """Diebold-Mariano t of the daily losses `loss` against those of another model, `rival`:
    negative where `loss` is smaller. `days` is the horizon.

    Newey-West with max(days, n^(1/3)) lags and the correction of Harvey, Leybourne and Newbold
    (1997) for short samples. None if there are fewer than 10 times `days` losses, i.e. fewer than
    10 target windows that do not overlap, or if the losses do not differ.
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
    """R2 of the regression of ln(actual) on ln(forecast), from 0 to 1; None with fewer than three
    values, or if one of the two does not vary."""
    if len(actual) < 3:
        return None
    a, f = np.log(actual), np.log(forecast)
    if a.std() <= 0 or f.std() <= 0:
        return None
    return float(np.corrcoef(a, f)[0, 1] ** 2)


def bias(actual: Floats, forecast: Floats) -> float:
    """Mean of ln(forecast / actual); larger values mean that forecasts are too high. The bias of a
    forecast that is right on average is not zero but about half the variance of ln(actual) around
    its expected value, because the mean of a skewed quantity is above its median."""
    return float(np.mean(np.log(forecast / actual)))


def mean_ratio(actual: Floats, forecast: Floats) -> float:
    """Sum of realized variances divided by the sum of their forecasts: 1 without bias, above 1 if
    forecasts were too low."""
    return float(np.sum(actual) / np.sum(forecast))


def coverage(actual: Floats, lower: Floats, upper: Floats) -> float:
    """Share (0 to 1) of realized variances that lie between the bounds of their forecast."""
    return float(np.mean((actual >= lower) & (actual <= upper)))


def largest_event(loss: Floats, days: np.ndarray, horizon: int) -> np.ndarray:
    """Which forecasts remain if the largest event is left out of the scores: shape (forecasts,),
    True for those that remain. Left out are the forecast with the largest loss, and every forecast
    whose target window (the days that it covers) overlaps the window of that one.

    Two windows overlap if their origins, `days`, are less than `horizon` days apart. Scores are
    given with and without these forecasts, because a single day can dominate them.
    """
    worst = days[int(np.argmax(loss))]
    return np.abs(days - worst) >= horizon

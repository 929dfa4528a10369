"""GARCH: a model of volatility that uses daily returns only. It is published for comparison with
the model `blend` (the mean of several regressions). Pure.

GJR-GARCH(1,1) with Student's t, mean zero (Glosten, Jagannathan, Runkle 1993):
v_{t+1} = omega + (alpha + gamma 1{r_t < 0}) r_t^2 + beta v_t. The regressions are fitted anew every
day. A fit of GARCH takes much longer than all of them, so its parameters are fitted only every
`FIT_EVERY_DAYS` days, from returns up to that day. Between two fits, the recursion continues with
the parameters of the last fit. The library `arch` makes the fits. It is the optional extra `garch`,
imported at first use.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from augury.rvol.panel import Floats, Ints, Panel

FIT_EVERY_DAYS = 91
"""Days from one scheduled fit of the GARCH parameters to the next. They are not fitted daily,
because a fit is much slower than all regressions of a day."""
MIN_RETURNS = 250
"""Smallest number of daily returns from which GARCH parameters are fitted."""
MAX_FITS = 4
"""Largest number of GARCH fits tried for an asset. If the latest scheduled fit fails, the fit
scheduled `FIT_EVERY_DAYS` days earlier is tried, and so on."""
MOST_ASSETS = 100
"""Largest number of assets modeled together for which GARCH is fitted; with more, the fits would
take minutes."""


class Garch(NamedTuple):
    """The parameters of one asset's GJR-GARCH(1,1). With v the variance of a day and r its log
    return, the variance of the next day is omega + (alpha + gamma 1{r < 0}) r^2 + beta v."""

    omega: float
    alpha: float
    gamma: float
    beta: float
    start: float
    """Daily variance before the first return: the mean squared return of the data that was
    fitted."""
    ratio: float = 1.0
    """Factor that turns forecasts of squared returns into forecasts of realized variance: mean
    realized variance divided by mean squared return, over the days of the fit."""


class Fitted(NamedTuple):
    """The GARCH parameters of several assets, fitted on daily returns up to `day` (days since
    1970-01-01); None for an asset with too few returns or without a usable fit."""

    day: int
    assets: tuple[Garch | None, ...]


@lru_cache(maxsize=1)
def available() -> bool:
    """Whether the optional extra `garch` is installed."""
    return find_spec("arch") is not None


def scheduled_fit_day(day: int) -> int:
    """The latest scheduled day of a GARCH fit up to and including `day` (days since 1970-01-01)."""
    return day - day % FIT_EVERY_DAYS


def fitted(panel: Panel, day: int, known: Fitted | None = None) -> Fitted | None:
    """The GARCH parameters in force on `day`: `known` until the next fit is due, otherwise newly
    fitted ones. None if the optional extra `garch` is not installed or there are more than
    `MOST_ASSETS` assets."""
    if not available() or len(panel.assets) > MOST_ASSETS:
        return None
    upto = scheduled_fit_day(day)
    if known is not None and known.day == upto:
        return known
    return Fitted(
        upto,
        tuple(
            _last_fit(panel.days[i], panel.ret[i], panel.rv[i], upto)
            for i in range(len(panel.assets))
        ),
    )


def _last_fit(days: Ints, returns: Floats, rv: Floats, upto: int) -> Garch | None:
    for back in range(MAX_FITS):
        there = (days <= upto - back * FIT_EVERY_DAYS) & np.isfinite(returns)
        if there.sum() < MIN_RETURNS:
            return None
        if (found := _cached_fit(returns[there].tobytes())) is not None:
            return found._replace(ratio=float(rv[there].mean()) / found.start)
    return None


@lru_cache(maxsize=1024)
def _cached_fit(returns: bytes) -> Garch | None:
    """Like `fit`, but cached, and for an array of returns given as bytes. The same fit is needed
    for several horizons, and again on later days if their own fit fails."""
    return fit(np.frombuffer(returns))


def fit(returns: Floats) -> Garch | None:
    """Maximum-likelihood GARCH parameters of daily log returns; None if there are too few returns,
    or if the fit does not converge to a stationary model."""
    r = returns[np.isfinite(returns)]
    if len(r) < MIN_RETURNS or not r.any():
        return None
    from arch import arch_model

    scale = 1.0 / float(r.std())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = arch_model(
            r * scale, mean="Zero", vol="GARCH", p=1, o=1, q=1, dist="t", rescale=False
        ).fit(disp="off", show_warning=False)
    omega, alpha, gamma, beta = np.asarray(found.params, dtype=float)[:4].tolist()
    made = Garch(omega / scale**2, alpha, gamma, beta, float(np.mean(r * r)))
    good = found.convergence_flag == 0 and made.omega > 0 and 0 < persistence(made) < 1
    return made if good else None


def persistence(given: Garch) -> float:
    """Share of a variance shock that is left a day later, if up and down returns are equally
    likely."""
    return given.alpha + 0.5 * given.gamma + given.beta


def next_variance(given: Garch, returns: Floats) -> Floats:
    """Shape (rows,): the variance that GARCH expects on the day after each row's day, given the
    daily log returns (rows); a missing return counts as zero."""
    from scipy.signal import lfilter

    r = np.where(np.isfinite(returns), returns, 0.0)
    news = given.omega + (given.alpha + given.gamma * (r < 0)) * r * r
    out, _ = lfilter([1.0], [1.0, -given.beta], news, zi=[given.beta * given.start])
    return np.asarray(out)


def mean_variance(given: Garch, following: Floats, steps: int) -> Floats:
    """The mean daily realized variance expected over `steps` days. `following` is the variance
    expected on the first of these days."""
    kept = persistence(given)
    level = given.omega / (1.0 - kept)
    ahead = level + (following - level) * (1.0 - kept**steps) / ((1.0 - kept) * steps)
    return given.ratio * ahead


def forecast(panel: Panel, given: Fitted, steps: int) -> Floats:
    """Shape (assets,): mean daily variance that GARCH expects over the `steps` days after each
    asset's last; NaN for an asset without parameters."""
    out = np.full(len(panel.assets), np.nan)
    for i, (own, length) in enumerate(zip(given.assets, panel.lengths, strict=True)):
        if own is not None:
            following = next_variance(own, panel.ret[i, :length])
            out[i] = mean_variance(own, following[-1], steps)
    return out


def walk(panel: Panel, steps: int) -> Floats:
    """Shape (assets, rows): the GARCH forecast made on each past day of each asset, i.e. the mean
    daily variance expected over the next `steps` days. It uses the parameters of the latest
    scheduled fit up to that day; NaN where there are none."""
    out = np.full(panel.rv.shape, np.nan)
    if not available() or len(panel.assets) > MOST_ASSETS:
        return out
    for i, length in enumerate(panel.lengths):
        days, returns = panel.days[i, :length], panel.ret[i, :length]
        if not np.isfinite(returns).any():
            continue
        scheduled = days - days % FIT_EVERY_DAYS
        for upto in np.unique(scheduled).tolist():
            own = _last_fit(days, returns, panel.rv[i, :length], upto)
            if own is not None:
                rows = np.flatnonzero(scheduled == upto)
                following = next_variance(own, returns[: rows[-1] + 1])[rows]
                out[i, rows] = mean_variance(own, following, steps)
    return out

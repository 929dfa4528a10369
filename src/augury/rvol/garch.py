"""GARCH: volatility from daily returns alone, a challenger fitted by `arch`. Pure.

GJR-GARCH(1,1) with Student's t, mean zero (Glosten, Jagannathan, Runkle 1993):
v_{t+1} = omega + (alpha + gamma 1{r_t < 0}) r_t^2 + beta v_t. A fit takes a hundred times a day's
regressions, so parameters are fitted on a schedule, from returns up to its last date; in between
the recursion goes on with them. `arch` is the optional extra `garch`, loaded when first needed.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from augury.rvol.panel import Floats, Ints, Panel

EVERY = 91
"""Days from one fit to the next."""
ROWS = 250
"""Returns a fit needs."""
TRIES = 4
"""Where a fit does not converge the one before it holds: this many are tried."""
MOST_ASSETS = 100
"""A larger class gets none: its fits would take minutes."""


class Garch(NamedTuple):
    """The parameters of one asset."""

    omega: float
    alpha: float
    gamma: float
    beta: float
    start: float
    """Variance before the first return: the mean square of those fitted on."""
    ratio: float = 1.0
    """Mean realized variance over mean squared return: what is forecast is realized variance."""


class Fitted(NamedTuple):
    """The parameters of a class, fitted on returns up to `day`; None: too few, or no fit."""

    day: int
    assets: tuple[Garch | None, ...]


@lru_cache(maxsize=1)
def available() -> bool:
    """Whether the extra is there."""
    return find_spec("arch") is not None


def due(day: int) -> int:
    """The last day of the schedule up to `day`."""
    return day - day % EVERY


def fitted(panel: Panel, day: int, known: Fitted | None = None) -> Fitted | None:
    """The parameters that hold on `day`: `known` ones while no fit is due, or else new ones."""
    if not available() or len(panel.assets) > MOST_ASSETS:
        return None
    upto = due(day)
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
    for back in range(TRIES):
        there = (days <= upto - back * EVERY) & np.isfinite(returns)
        if there.sum() < ROWS:
            return None
        if (found := _kept_fit(returns[there].tobytes())) is not None:
            return found._replace(ratio=float(rv[there].mean()) / found.start)
    return None


@lru_cache(maxsize=1024)
def _kept_fit(returns: bytes) -> Garch | None:
    """A fit shared by all horizons of a walk and by days that try it again."""
    return fit(np.frombuffer(returns))


def fit(returns: Floats) -> Garch | None:
    """The parameters that explain daily log returns best; None where there are too few."""
    r = returns[np.isfinite(returns)]
    if len(r) < ROWS or not r.any():
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
    """What is left of a shock a day later, where returns are as often up as down."""
    return given.alpha + 0.5 * given.gamma + given.beta


def next_variance(given: Garch, returns: Floats) -> Floats:
    """(rows): the variance expected on the day after each; a missing return counts as zero."""
    from scipy.signal import lfilter

    r = np.where(np.isfinite(returns), returns, 0.0)
    news = given.omega + (given.alpha + given.gamma * (r < 0)) * r * r
    out, _ = lfilter([1.0], [1.0, -given.beta], news, zi=[given.beta * given.start])
    return np.asarray(out)


def mean_variance(given: Garch, following: Floats, steps: int) -> Floats:
    """The mean daily variance over `steps` days, from that expected on the first of them."""
    kept = persistence(given)
    level = given.omega / (1.0 - kept)
    ahead = level + (following - level) * (1.0 - kept**steps) / ((1.0 - kept) * steps)
    return given.ratio * ahead


def forecast(panel: Panel, given: Fitted, steps: int) -> Floats:
    """(assets): mean daily variance over the `steps` rows after each asset's last; NaN: none."""
    out = np.full(len(panel.assets), np.nan)
    for i, (own, length) in enumerate(zip(given.assets, panel.lengths, strict=True)):
        if own is not None:
            following = next_variance(own, panel.ret[i, :length])
            out[i] = mean_variance(own, following[-1], steps)
    return out


def walk(panel: Panel, steps: int) -> Floats:
    """(assets, rows): what `forecast` would have said at each row."""
    out = np.full(panel.rv.shape, np.nan)
    if not available() or len(panel.assets) > MOST_ASSETS:
        return out
    for i, length in enumerate(panel.lengths):
        days, returns = panel.days[i, :length], panel.ret[i, :length]
        if not np.isfinite(returns).any():
            continue
        scheduled = days - days % EVERY
        for upto in np.unique(scheduled).tolist():
            own = _last_fit(days, returns, panel.rv[i, :length], upto)
            if own is not None:
                rows = np.flatnonzero(scheduled == upto)
                following = next_variance(own, returns[: rows[-1] + 1])[rows]
                out[i, rows] = mean_variance(own, following, steps)
    return out

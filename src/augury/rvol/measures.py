r"""Realized measures of one day from its intraday prices, many days or assets at once. Pure.

Prices come as paths (..., n + 1): the first price of the day, then the close of each of its n
bars, with gaps filled by the last price. All variances are of log returns over the day, in units
of return squared; nothing is annualized. r_1..r_n are the log returns of the path.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from augury.rvol.panel import Floats

_MU1 = math.sqrt(2.0 / math.pi)
"""Expected value of |z| for a standard normal z. It scales bipower variation to a variance."""
_MU43 = 2.0 ** (2.0 / 3.0) * math.gamma(7.0 / 6.0) / math.gamma(0.5)
"""Expected value of |z|^(4/3) for a standard normal z. It scales tripower quarticity."""
_MED = math.pi / (6.0 - 4.0 * math.sqrt(3.0) + math.pi)
_PARZEN_C = 3.5134
"""Optimal bandwidth constant of the Parzen kernel (Barndorff-Nielsen et al. 2009)."""

SAMPLING_MINUTES = 5
"""Minutes between the prices from which measures are computed: short enough to be precise, long
enough not to measure bid-ask bounce (Liu, Patton, Sheppard 2015)."""


@dataclass(frozen=True)
class Measures:
    """Realized measures of trading days, each computed by a function of this module (e.g. `bv` by
    `bipower_variation`). All arrays have the same shape, one value for each day."""

    rv: Floats
    bv: Floats
    rsv_neg: Floats
    rsv_pos: Floats
    medrv: Floats
    rk: Floats
    rq: Floats
    tq: Floats
    open_to_close: Floats


def daily(path: Floats, minutes: int) -> Measures:
    """All realized measures of days, from their price paths (..., n + 1): the day's first price,
    then the close of each of its n bars, which are `minutes` long.

    If several bars together last exactly `SAMPLING_MINUTES` minutes (e.g. five bars of one
    minute), rv is averaged over all grids of prices `SAMPLING_MINUTES` minutes apart, and the
    other measures use the grid that starts with the day. Otherwise all measures use every bar. The
    realized kernel always uses every bar.
    """
    prices = np.log(path)
    step = max(1, SAMPLING_MINUTES // minutes) if SAMPLING_MINUTES % minutes == 0 else 1
    r = np.diff(prices[..., grid(prices.shape[-1] - 1, step, 0)], axis=-1)
    negative, positive = semivariances(r)
    return Measures(
        rv=subsampled_variance(prices, step) if step > 1 else realized_variance(r),
        bv=bipower_variation(r),
        rsv_neg=negative,
        rsv_pos=positive,
        medrv=median_variance(r),
        rk=realized_kernel(np.diff(prices, axis=-1), np.diff(_sparse(prices, minutes), axis=-1)),
        rq=quarticity(r),
        tq=tripower_quarticity(r),
        open_to_close=prices[..., -1] - prices[..., 0],
    )


def grid(n: int, step: int, offset: int) -> list[int]:
    """Indices 0, offset, offset + step, ..., n into a path of n + 1 prices. Both ends are always
    included, so that the grid spans the whole day at any offset."""
    inner = range(offset if offset else step, n, step)
    return [0, *inner, n]


def realized_variance(r: Floats) -> Floats:
    r"""Realized variance RV = sum r_i^2 over a day's log returns r (Andersen, Bollerslev 1998)."""
    return (r * r).sum(axis=-1)


def subsampled_variance(prices: Floats, step: int) -> Floats:
    r"""Mean of realized variance over the `step` grids that use every `step`-th of the log prices
    `prices` (Zhang, Mykland, Ait-Sahalia 2005). Each grid includes the day's first and last
    price."""
    n = prices.shape[-1] - 1
    total = sum(
        realized_variance(np.diff(prices[..., grid(n, step, offset)], axis=-1))
        for offset in range(step)
    )
    return np.asarray(total) / step


def bipower_variation(r: Floats) -> Floats:
    r"""Bipower variation BV = mu_1^-2 n/(n-1) sum |r_i||r_{i-1}| over a day's n log returns r, with
    mu_1 = `_MU1`: the realized variance without the part that is due to jumps (Barndorff-Nielsen,
    Shephard 2004)."""
    n = r.shape[-1]
    a = np.abs(r)
    return _MU1**-2 * n / (n - 1) * (a[..., 1:] * a[..., :-1]).sum(axis=-1)


def semivariances(r: Floats) -> tuple[Floats, Floats]:
    r"""Realized semivariances RSV- = sum r_i^2 1{r_i < 0} and RSV+ likewise, over a day's log
    returns r; they add up to the realized variance (Barndorff-Nielsen, Kinnebrock, Shephard
    2010)."""
    square = r * r
    return (square * (r < 0)).sum(axis=-1), (square * (r > 0)).sum(axis=-1)


def median_variance(r: Floats) -> Floats:
    r"""MedRV = pi/(6 - 4 sqrt 3 + pi) n/(n-2) sum med(|r_{i-1}|, |r_i|, |r_{i+1}|)^2 over a day's n
    log returns r: a realized variance that is robust to jumps and to returns of zero (Andersen,
    Dobrev, Schaumburg 2012)."""
    n = r.shape[-1]
    a = np.abs(r)
    first, second, third = a[..., :-2], a[..., 1:-1], a[..., 2:]
    middle = np.maximum(np.minimum(first, second), np.minimum(np.maximum(first, second), third))
    return _MED * n / (n - 2) * (middle * middle).sum(axis=-1)


def quarticity(r: Floats) -> Floats:
    r"""Realized quarticity RQ = n/3 sum r_i^4 over a day's n log returns r. It says how precise the
    day's realized variance is: the variance of its measurement error is about 2 RQ / n
    (Barndorff-Nielsen, Shephard 2002)."""
    return r.shape[-1] / 3.0 * (r**4).sum(axis=-1)


def tripower_quarticity(r: Floats) -> Floats:
    r"""TQ = n^2/(n-2) mu_{4/3}^-3 sum (|r_i||r_{i-1}||r_{i-2}|)^{4/3} over a day's n log returns r,
    with mu_{4/3} = `_MU43`: quarticity without jumps (Andersen, Bollerslev, Diebold 2007)."""
    n = r.shape[-1]
    a = np.abs(r)
    product = (a[..., 2:] * a[..., 1:-1] * a[..., :-2]) ** (4.0 / 3.0)
    return _MU43**-3 * n * n / (n - 2) * product.sum(axis=-1)


def realized_kernel(r: Floats, sparse: Floats) -> Floats:
    r"""Realized kernel RK = sum_{|h| <= H} k(h/(H+1)) gamma_h over a day's n log returns r, with
    gamma_h = sum r_i r_{i-|h|} and k the Parzen kernel: a variance that is consistent under noise
    and never negative (Barndorff-Nielsen, Hansen, Lunde, Shephard 2009).

    H = 3.5134 xi^{4/5} n^{3/5} with xi^2 = omega^2 / IV, computed for each day. omega^2, the
    variance of the noise in prices, is RV / 2n over all returns. IV, the variance without noise, is
    the realized variance of the returns `sparse`, whose prices are about 15 minutes apart.
    """
    n = r.shape[-1]
    iv = np.maximum(realized_variance(sparse), 1e-300)
    noise = realized_variance(r) / (2.0 * n)
    bandwidth = np.ceil(_PARZEN_C * (noise / iv) ** 0.4 * n**0.6)
    bandwidth = np.minimum(bandwidth, n - 1)
    total = realized_variance(r)
    for lag in range(1, int(bandwidth.max(initial=0)) + 1):
        weight = _parzen(lag / (bandwidth + 1.0))
        total = total + 2.0 * weight * (r[..., lag:] * r[..., :-lag]).sum(axis=-1)
    return total


def _parzen(x: Floats) -> Floats:
    near = 1.0 - 6.0 * x**2 + 6.0 * x**3
    far = 2.0 * np.maximum(1.0 - x, 0.0) ** 3
    return np.where(x <= 0.5, near, far)


def _sparse(prices: Floats, minutes: int) -> Floats:
    """Log prices about 15 minutes apart, from log prices that are `minutes` minutes apart: every
    k-th price, with the first and the last. k is the largest number with k * `minutes` <= 15, at
    least 1."""
    n = prices.shape[-1] - 1
    return prices[..., grid(n, max(1, 15 // minutes), 0)]

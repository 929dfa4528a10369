"""Least squares and gamma regression from sums of products, many at once. Pure.

A regression over an expanding window needs only the sums of products of what came before: kept
cumulative, a refit on every day costs one small linear system a day.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from augury.rvol.panel import Bools, Floats, Ints

NEVER_SINGULAR = 1e-9
"""Smallest penalty on the unit-scaled Gram matrix: columns that repeat each other get a share
each in place of an error."""
_CONSTANT = 1e-10
"""A column whose variance is below this share of its mean square says nothing."""
BLOCK = 256
"""Rows multiplied at a time: below the size from which BLAS spreads a product over threads, which
for products this small costs many times what it saves, most of all on a busy machine."""
CHUNK = 32
"""Regressions prepared at a time: what is copied for them stays in the processor's cache."""
GAMMA_STEPS = 30
GAMMA_CLIP = 6.0
"""One historic day must not bend the pooled gamma regression: a realized value counts as at most
1 + this times what was expected of it."""


@dataclass(frozen=True)
class Sums:
    """Sums of products of any number of regressions: leading axes are theirs."""

    xx: Floats
    """(..., k, k): of regressors with each other; the first regressor is the constant 1."""
    xy: Floats
    """(..., k): of regressors with the target."""
    yy: Floats
    """(...): of the target with itself."""
    n: Floats
    """(...): rows counted."""

    def of(self, columns: list[int]) -> Sums:
        """The regression on some of the columns; the first must be the constant."""
        picked = self.xx[..., columns, :][..., columns]
        return Sums(picked, self.xy[..., columns], self.yy, self.n)

    def total(self, rest: Sums | None = None) -> Sums:
        """All of the regressions as one, with `rest` added."""
        own = [getattr(self, f).sum(axis=0) for f in _FIELDS]
        if rest is not None:
            own = [
                mine + getattr(rest, f).sum(axis=0) for mine, f in zip(own, _FIELDS, strict=True)
            ]
        return Sums(*own)

    def at(self, index: Ints | Bools | int) -> Sums:
        """Some of the regressions."""
        return Sums(self.xx[index], self.xy[index], self.yy[index], self.n[index])

    @property
    def means(self) -> Floats:
        """(..., k): mean of each regressor."""
        return self.xx[..., 0, :] / np.maximum(self.xx[..., 0, :1], 1e-300)


_FIELDS = ("xx", "xy", "yy", "n")


def sums(x: Floats, y: Floats, ok: Bools, weights: Floats | None = None) -> Sums:
    """Sums over the rows that are `ok`.

    Parameters
    ----------
    x : (..., rows, k)
    y : (..., rows)
    ok : (..., rows)
        Rows to count; what stands in others does not matter.
    weights : (..., rows), optional
    """
    if x.ndim > 2 and len(x) > CHUNK:
        parts = [slice(at, at + CHUNK) for at in range(0, len(x), CHUNK)]
        done = [sums(x[p], y[p], ok[p], None if weights is None else weights[p]) for p in parts]
        return Sums(*(np.concatenate([getattr(d, f) for d in done]) for f in _FIELDS))
    *batch, rows, k = x.shape
    blocks = -(-rows // BLOCK)
    both = np.zeros((*batch, blocks * BLOCK, k + 1))
    both[..., :rows, :k] = np.where(ok[..., None], x, 0.0)
    both[..., :rows, k] = np.where(ok, y, 0.0)
    right = both.reshape(*batch, blocks, BLOCK, k + 1)
    left = right
    if weights is not None:
        scaled = both.copy()
        scaled[..., :rows, :] *= np.where(ok, weights, 0.0)[..., None]
        left = scaled.reshape(right.shape)
    total = (left.swapaxes(-1, -2) @ right).sum(axis=-3)
    return Sums(
        total[..., :k, :k], total[..., :k, k], total[..., k, k], ok.sum(axis=-1).astype(float)
    )


def running_sums(x: Floats, y: Floats, ok: Bools, weights: Floats | None = None) -> Sums:
    """Sums over the first 1, 2, ... rows of one regression: x (rows, k), y and ok (rows)."""
    w = ok.astype(float) if weights is None else np.where(ok, weights, 0.0)
    target = np.where(ok, y, 0.0)
    clean = np.where(ok[:, None], x, 0.0)
    left = clean * w[:, None]
    return Sums(
        np.cumsum(left[:, :, None] * clean[:, None, :], axis=0),
        np.cumsum(left * target[:, None], axis=0),
        np.cumsum(w * target * target),
        np.cumsum(ok).astype(float),
    )


def fading_sums(x: Floats, y: Floats, ok: Bools, centre: float) -> Sums:
    """As `running_sums`, each counted row weighing `centre` / (1 + `centre`) of the next one."""
    k = x.shape[1]
    decay = centre / (1.0 + centre)
    out = Sums(np.zeros((len(y), k, k)), np.zeros((len(y), k)), np.zeros(len(y)), np.zeros(len(y)))
    xx, xy, yy, n = np.zeros((k, k)), np.zeros(k), 0.0, 0.0
    for row in range(len(y)):
        if ok[row]:
            now, target = x[row], y[row]
            xx = xx * decay + now[:, None] * now
            xy = xy * decay + now * target
            yy, n = yy * decay + target * target, n * decay + 1.0
        out.xx[row], out.xy[row], out.yy[row], out.n[row] = xx, xy, yy, n
    return out


def fading_weights(ok: Bools, centre: float) -> Floats:
    """(..., rows): the weights by which `fading_sums` had counted the rows at the last one."""
    decay = centre / (1.0 + centre)
    after = ok[..., ::-1].cumsum(axis=-1)[..., ::-1] - ok
    return np.where(ok, decay**after, 0.0)


def mean_square_error(given: Sums, b: Floats) -> Floats:
    """(...): of coefficients b (..., k) on the rows the sums are of."""
    fitted = (b * (given.xx @ b[..., None])[..., 0]).sum(axis=-1)
    return (given.yy - 2 * (b * given.xy).sum(axis=-1) + fitted) / np.maximum(given.n, 1e-300)


def solve(given: Sums, penalty: float) -> tuple[Floats, Floats]:
    """Ridge coefficients (..., k) and residual variances (...).

    minimizes sum (y - x b)^2 / n + penalty * sum_j (sd_j b_j)^2, the constant unpenalized; with
    the smallest penalty this is ordinary least squares. The residual variance has n - k degrees
    of freedom; overlapping targets leave it as it is.
    """
    weight = np.maximum(given.xx[..., 0, 0], 1e-300)
    mean_x, mean_y = given.xx[..., 0, :] / weight[..., None], given.xy[..., 0] / weight
    cov = given.xx / weight[..., None, None] - mean_x[..., :, None] * mean_x[..., None, :]
    cov = cov[..., 1:, 1:]
    with_y = (given.xy / weight[..., None] - mean_x * mean_y[..., None])[..., 1:]
    k = cov.shape[-1]
    diagonal = np.arange(k)
    variance = cov[..., diagonal, diagonal]
    square = given.xx[..., diagonal + 1, diagonal + 1] / weight[..., None]
    says = variance > _CONSTANT * np.maximum(square, 1e-300)
    sd = np.sqrt(np.where(says, variance, np.inf))
    scaled = cov / sd[..., :, None] / sd[..., None, :]
    scaled[..., diagonal, diagonal] = 1.0 + max(penalty, NEVER_SINGULAR)
    b = np.linalg.solve(scaled, (with_y / sd)[..., None])[..., 0] / sd
    explained = 2 * (b * with_y).sum(axis=-1) - (b * (cov @ b[..., None])[..., 0]).sum(axis=-1)
    left = np.maximum(given.yy / weight - mean_y * mean_y - explained, 0.0)
    left = left * given.n / np.maximum(given.n - k - 1, 1.0)
    constant = mean_y - (b * mean_x[..., 1:]).sum(axis=-1)
    return np.concatenate([constant[..., None], b], axis=-1), left


def gamma(
    x: Floats, y: Floats, ok: Bools, start: Floats, given: Sums, columns: list[int], penalty: float
) -> Floats:
    """Coefficients (k,) of a gamma regression with a log link, whose deviance is QLIKE.

    Fisher scoring: for the log link the information is the Gram matrix itself, so a step costs
    one pass over the data.

    Parameters
    ----------
    x : (..., all regressors)
    y : (...)
        Above zero where `ok`.
    ok : (...)
        What to count.
    start : (k,)
        Where to begin: the least-squares solution of the logs.
    given : Sums
        Of the same rows and of the chosen columns.
    columns : k
        Which regressors.
    penalty : float
        As in `solve`.
    """
    square = np.diagonal(given.xx)
    ridge = penalty * np.maximum(square - given.xx[0] ** 2 / given.xx[0, 0], 0.0)
    step = np.linalg.inv(given.xx + np.diag(ridge + 1e-12 * square.mean()))
    flat, realized = x.reshape(-1, x.shape[-1]), np.where(ok, y, 0.0).ravel()
    counted = ok.ravel().astype(float)
    b, wide = start.copy(), np.zeros(x.shape[-1])
    for _ in range(GAMMA_STEPS):
        wide[columns] = b
        surprise = realized * np.exp(-np.einsum("ij,j->i", flat, wide)) - counted
        np.minimum(surprise, GAMMA_CLIP, out=surprise)
        change = step @ (np.einsum("ij,i->j", flat, surprise)[columns] - ridge * b)
        b = b + change
        if np.abs(change).max() < 1e-8:
            break
    return b

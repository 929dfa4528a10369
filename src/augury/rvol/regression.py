"""Least squares, lasso and gamma regression. Pure.

Least squares and lasso over an expanding window need only sums of products over the rows. They are
kept as running sums, so that a refit on every day costs little: for least squares, one small linear
system a day. Many such regressions are solved at once. The gamma regression also needs the rows
themselves: each step of its fit reads all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from augury.rvol.panel import Bools, Floats, Ints

NEVER_SINGULAR = 1e-9
"""Smallest penalty that `solve` adds to the diagonal of a Gram matrix, whose diagonal is scaled to
1. Identical columns then share a coefficient instead of making the matrix singular."""
_CONSTANT = 1e-10
"""Largest ratio of a regressor's variance to its mean square at which the regressor counts as
constant and gets no coefficient."""
BLOCK_ROWS = 64
"""Number of rows of data (one block) whose products are summed at a time. Sums can be stored after
any block and continued later; the result is the same, to the last bit, as without the break. With
larger blocks, BLAS would start several threads, which at this size costs more than it saves."""
CHUNK_REGRESSIONS = 32
"""Number of regressions whose sums are computed at a time: few enough for their data to stay in the
processor's cache."""
LASSO_SWEEPS = 100
GAMMA_STEPS = 30
GAMMA_CLIP = 6.0
"""Limit on outliers in the gamma regression: a realized value counts as at most
(1 + `GAMMA_CLIP`) times the expected value, so that one historic day does not distort the fit.
Chosen by looking at the evaluation data."""


@dataclass(frozen=True)
class Sums:
    """Sums of products from which many regressions are solved at once. In the shapes below, `...`
    stands for the leading axes; each index on them is one regression."""

    xx: Floats
    """Shape (..., k, k): for each pair of the k regressors, their product summed over the data
    rows. The first regressor is the constant 1."""
    xy: Floats
    """Shape (..., k): for each of the k regressors, the sum over the data rows of its product with
    the target (the value that the regression explains)."""
    yy: Floats
    """Shape (...): the sum over the data rows of the squared target (the value that the regression
    explains)."""
    n: Floats
    """Shape (...): number of data rows. If the rows have exponential weights, it is the sum of
    these weights."""

    def of(self, columns: list[int]) -> Sums:
        """The sums for the same regressions with only some of their regressors. `columns`: the
        indices of these regressors; the first must be that of the constant."""
        picked = self.xx[..., columns, :][..., columns]
        return Sums(picked, self.xy[..., columns], self.yy, self.n)

    def total(self) -> Sums:
        """The sums of all regressions added up, i.e. the sums that a single regression over all
        their rows would have."""
        return Sums(*(getattr(self, f).sum(axis=0) for f in _FIELDS))

    def at(self, index: Ints | Bools | int) -> Sums:
        """The sums of only those regressions that `index` selects."""
        return Sums(self.xx[index], self.xy[index], self.yy[index], self.n[index])

    @property
    def means(self) -> Floats:
        """Shape (..., k): mean of each regressor."""
        return self.xx[..., 0, :] / np.maximum(self.xx[..., 0, :1], 1e-300)


_FIELDS = ("xx", "xy", "yy", "n")


def empty_sums(assets: int, k: int) -> Sums:
    """Sums that include no row yet, for `assets` regressions with `k` regressors each."""
    return Sums(np.zeros((assets, k, k)), np.zeros((assets, k)), np.zeros(assets), np.zeros(assets))


def sums(
    x: Floats,
    y: Floats,
    ok: Bools,
    weights: Floats | None = None,
    *,
    before: Sums | None = None,
    keep: Ints | None = None,
    centre: float | None = None,
) -> tuple[Sums, Sums]:
    """The sums of products (`Sums`) that one regression for each asset needs. Returns those over
    all rows that are `ok`, and those over the `ok` rows of the first `keep` blocks.

    Parameters
    ----------
    x : (assets, rows, k)
        Regressors.
    y : (assets, rows)
        Target.
    ok : (assets, rows)
        Which rows to count; values in other rows are ignored.
    weights : (assets, rows), optional
        Weight of each row; default: 1.
    before : Sums, optional
        Sums over the blocks before the first row; both results include them.
    keep : (assets), optional
        Number of blocks of `BLOCK_ROWS` rows in the second result; default: none.
    centre : optional
        Center of mass of exponential weights: a counted row weighs `centre` / (1 + `centre`) times
        as much as the next one. Default: equal weights.
    """
    n, rows, k = x.shape
    before = before or empty_sums(n, k)
    keep = np.zeros(n, dtype=np.int64) if keep is None else keep
    blocks = -(-rows // BLOCK_ROWS)
    decay = 1.0 if centre is None else centre / (1.0 + centre)
    counted = np.zeros((n, blocks * BLOCK_ROWS))
    counted[:, :rows] = ok
    counted = counted.reshape(n, blocks, BLOCK_ROWS)
    fade = decay ** counted.sum(axis=-1)
    weight = counted * decay ** (counted[..., ::-1].cumsum(axis=-1)[..., ::-1] - counted)
    if weights is not None:
        weight.reshape(n, -1)[:, :rows] *= np.where(ok, weights, 0.0)
    whole = [np.empty_like(getattr(before, f)) for f in _FIELDS]
    part = [getattr(before, f).copy() for f in _FIELDS]
    for at in range(0, n, CHUNK_REGRESSIONS):
        some = slice(at, at + CHUNK_REGRESSIONS)
        right = np.zeros((len(x[some]), blocks * BLOCK_ROWS, k + 1))
        right[:, :rows, :k] = np.where(ok[some, :, None], x[some], 0.0)
        right[:, :rows, k] = np.where(ok[some], y[some], 0.0)
        right = right.reshape(-1, blocks, BLOCK_ROWS, k + 1)
        plain = weights is None and centre is None
        left = right if plain else right * weight[some, ..., None]
        added = left.swapaxes(-1, -2) @ right
        total = [getattr(before, f)[some] for f in _FIELDS]
        for block in range(blocks):
            new = added[:, block]
            count = (weight if weights is None else counted)[some, block].sum(axis=-1)
            total = [
                old * fade[some, block].reshape(-1, *[1] * (old.ndim - 1)) + more
                for old, more in zip(
                    total, (new[:, :k, :k], new[:, :k, k], new[:, k, k], count), strict=True
                )
            ]
            here = keep[some] == block + 1
            if here.any():
                for mine, found in zip(part, total, strict=True):
                    mine[some][here] = found[here]
        for mine, found in zip(whole, total, strict=True):
            mine[some] = found
    return Sums(*whole), Sums(*part)


def running_sums(x: Floats, y: Floats, ok: Bools, weights: Floats | None = None) -> Sums:
    """Sums of products for one regression, after each of its rows: those over the first row, the
    first two rows, and so on. x is (rows, k), y and `ok` are (rows); rows that are not `ok` are
    ignored."""
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
    """Like `running_sums`, but older rows count less: each row that is `ok` weighs `centre` / (1 +
    `centre`) times as much as the next such row. `centre` is the center of mass of these weights,
    in rows."""
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


def mean_square_error(given: Sums, b: Floats) -> Floats:
    """Mean squared error, shape (...), of regressions with the coefficients `b`, shape (..., k).

    given : sums of products over the data rows on which the error is measured
    """
    fitted = (b * (given.xx @ b[..., None])[..., 0]).sum(axis=-1)
    return (given.yy - 2 * (b * given.xy).sum(axis=-1) + fitted) / np.maximum(given.n, 1e-300)


class _Scaled(NamedTuple):
    """Regressions whose regressors are centered and scaled to unit variance. Therefore they have no
    constant."""

    gram: Floats
    """Shape (..., k, k): correlations of the regressors; one on the diagonal."""
    with_y: Floats
    """Shape (..., k): covariances of the scaled regressors with the target."""
    sd: Floats
    """Shape (..., k): standard deviations of the regressors; infinite instead of 0 for a regressor
    that is constant, so that its coefficient becomes 0."""
    mean_x: Floats
    mean_y: Floats
    var_y: Floats


def _scaled(given: Sums) -> _Scaled:
    weight = np.maximum(given.xx[..., 0, 0], 1e-300)
    mean_x, mean_y = given.xx[..., 0, 1:] / weight[..., None], given.xy[..., 0] / weight
    cov = given.xx[..., 1:, 1:] / weight[..., None, None]
    cov = cov - mean_x[..., :, None] * mean_x[..., None, :]
    with_y = given.xy[..., 1:] / weight[..., None] - mean_x * mean_y[..., None]
    diagonal = np.arange(cov.shape[-1])
    variance = cov[..., diagonal, diagonal]
    square = given.xx[..., diagonal + 1, diagonal + 1] / weight[..., None]
    says = variance > _CONSTANT * np.maximum(square, 1e-300)
    sd = np.sqrt(np.where(says, variance, np.inf))
    gram = cov / sd[..., :, None] / sd[..., None, :]
    gram[..., diagonal, diagonal] = 1.0
    return _Scaled(gram, with_y / sd, sd, mean_x, mean_y, given.yy / weight - mean_y * mean_y)


def _unscaled(given: Sums, by: _Scaled, scaled: Floats) -> tuple[Floats, Floats]:
    """Coefficients of the original regressors, the constant first, and residual variances with n -
    k degrees of freedom. `scaled` are the coefficients of the scaled regressors in `by`."""
    says = np.isfinite(by.sd)
    shown = np.where(says, scaled, 0.0)
    explained = (shown * (2 * by.with_y - (by.gram @ shown[..., None])[..., 0])).sum(axis=-1)
    left = np.maximum(by.var_y - explained, 0.0)
    left = left * given.n / np.maximum(given.n - scaled.shape[-1] - 1, 1.0)
    b = scaled / by.sd
    constant = by.mean_y - (b * by.mean_x).sum(axis=-1)
    return np.concatenate([constant[..., None], b], axis=-1), left


def solve(given: Sums, penalty: float) -> tuple[Floats, Floats]:
    """Solve ridge regressions from their sums of products. Returns coefficients (..., k) and
    residual variances (...).

    Minimizes sum (y - x b)^2 / n + penalty * sum_j (sd_j b_j)^2, without a penalty on the constant.
    With `penalty` 0 this is ordinary least squares (up to `NEVER_SINGULAR`). The residual variance
    has n - k degrees of freedom and is not corrected for overlapping targets.
    """
    by = _scaled(given)
    diagonal = np.arange(by.gram.shape[-1])
    gram = by.gram.copy()
    gram[..., diagonal, diagonal] = 1.0 + max(penalty, NEVER_SINGULAR)
    b = np.asarray(np.linalg.solve(gram, by.with_y[..., None])[..., 0], dtype=np.float64)
    return _unscaled(given, by, b)


def lasso(given: Sums, penalty: float) -> tuple[Floats, Floats]:
    """Solve lasso regressions from their sums of products, by coordinate descent. Returns
    coefficients (..., k) and residual variances (...).

    Minimizes sum (y - x b)^2 / 2n + l sum_j |sd_j b_j|. Here l is `penalty` (0 to 1) times the
    smallest l at which all coefficients are zero (Friedman, Hastie, Tibshirani 2010).
    """
    by = _scaled(given)
    most = penalty * np.abs(by.with_y).max(axis=-1)
    b: Floats = np.zeros_like(by.with_y)
    for _ in range(LASSO_SWEEPS):
        for j in range(b.shape[-1]):
            rest = by.with_y[..., j] - (by.gram[..., j, :] * b).sum(axis=-1) + b[..., j]
            b[..., j] = np.sign(rest) * np.maximum(np.abs(rest) - most, 0.0)
    return _unscaled(given, by, b)


def gamma(
    x: Floats, y: Floats, ok: Bools, start: Floats, given: Sums, columns: list[int], penalty: float
) -> Floats:
    """Fit a gamma regression with a log link, whose deviance is QLIKE. Returns its coefficients
    (k,).

    Fisher scoring: for the log link the information is the Gram matrix itself, so a step costs
    one pass over the data.

    Parameters
    ----------
    x : (rows, all regressors)
    y : (rows)
        Above zero where `ok`.
    ok : (rows)
        Which rows to count.
    start : (k,)
        Coefficients to start from: the least-squares solution in logs.
    given : Sums
        Sums for the chosen columns over the same rows, or over more rows of the same assets.
    columns : k
        Indices of the chosen regressors.
    penalty : float
        As in `solve`.
    """
    counted = ok.astype(float)
    gram = given.xx * (counted.sum() / given.n)
    square = np.diagonal(gram)
    ridge = penalty * np.maximum(square - gram[0] ** 2 / gram[0, 0], 0.0)
    step = np.linalg.inv(gram + np.diag(ridge + 1e-12 * square.mean()))
    realized = np.where(ok, y, 0.0)
    b, wide = start.copy(), np.zeros(x.shape[-1])
    for _ in range(GAMMA_STEPS):
        wide[columns] = b
        surprise = realized * np.exp(-np.einsum("ij,j->i", x, wide)) - counted
        np.minimum(surprise, GAMMA_CLIP, out=surprise)
        change = step @ (np.einsum("ij,i->j", x, surprise)[columns] - ridge * b)
        b = b + change
        if np.abs(change).max() < 1e-8:
            break
    return b

"""Finds markets whose prices move together more than by chance. Pure numpy.

Changes of log-odds from step to step are turned into normal scores of their ranks, so that no
single wild step dominates. The scores are correlated for every pair of markets, at lags of 0 to 2
steps. How strong correlations are by chance is measured: one series of a pair is rotated in time by
a random number of steps, and the correlation is computed again. Rotation keeps the properties of
each series and removes what both share.

The false discovery rate among the reported pairs is held at `FALSE_DISCOVERY_RATE` (Benjamini &
Hochberg 1995). Co-movement supports relations that have a reason. By itself it relates nothing,
and it never says which of two things drives the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

FALSE_DISCOVERY_RATE: Final = 0.05
"""False discovery rate: of the pairs of markets reported as moving together, the expected share (0
to 1) that do so only by chance. A larger value reports more pairs."""
LAGS: Final = (0, 1, 2)
"""Lags that are compared: numbers of time steps by which the second market of a pair may follow the
first."""
LEAST_STEPS: Final = 20
"""Smallest number of time steps at which the price changes of both markets must be known for the
pair to be compared."""
LEAST_MOVES: Final = 10
"""Smallest number of time steps at which a market's price must have changed for the market to be
compared with others."""
MOST_PARTNERS: Final = 12
"""A market appears in at most this many of the reported pairs: those with the strongest
evidence."""
SHIFTED_ROWS: Final = 400
"""SHIFTS rounds measure how strong correlations are by chance. In each round, at most SHIFTED_ROWS
markets are drawn at random; their series of changes are rotated in time and then correlated with
the series of all markets."""
MAX_SHIFTS: Final = 3
BLOCK_MARKETS: Final = 512
"""Number of markets whose series are correlated with those of all markets in one matrix product; a
larger number takes more memory."""
SPIKE_LOG_ODDS: Final = 0.4
"""A change of log-odds of more than SPIKE from one step to the next, up or down, is dropped as a
spike if it is mostly taken back within SPIKE_STEPS steps (`log_odds_changes`)."""
SPIKE_STEPS: Final = 4
PRICE_EDGE: Final = 0.01
"""Smallest distance of a price from 0 and 1 when log-odds are computed; prices closer to 0 or 1 are
moved to this distance."""

Changes = NDArray[np.float32]
"""Changes of log-odds: one row for each market, one column for each time step, NaN where unknown.
"""


class MovingPair(NamedTuple):
    """Two markets, given by their rows in `Changes`, that move together; `second` follows `first`
    by `lag` time steps."""

    first: int
    second: int
    lag: int
    correlation: float
    steps: int
    q: float
    """False discovery rate (q-value): among all pairs with evidence at least as strong as this
    one's, the expected share (0 to 1) that move together only by chance."""


def log_odds_changes(prices: NDArray[np.float64]) -> Changes:
    """Changes of log-odds from one time step to the next, NaN where a price is missing. `prices`
    has one row for each market and one column for each step.

    A jump that is mostly taken back within `SPIKE_STEPS` steps becomes NaN. Such a jump comes from
    an order book that was empty for a while. Many books are empty at the same hours, so their jumps
    would look like co-movement.
    """
    held = np.clip(prices, PRICE_EDGE, 1 - PRICE_EDGE)
    changes = np.diff(np.log(held / (1 - held)), axis=1).astype(np.float32)
    jumps = np.nan_to_num(changes)
    spike = np.zeros(changes.shape, np.bool_)
    for gap in range(1, SPIKE_STEPS + 1):
        out, back = jumps[:, :-gap], jumps[:, gap:]
        undone = (np.abs(out) > SPIKE_LOG_ODDS) & (np.abs(out + back) < np.abs(out) / 2)
        spike[:, :-gap] |= undone
        spike[:, gap:] |= undone
    changes[spike] = np.nan
    return changes


def co_movements(
    changes: Changes,
    events: NDArray[np.int64],
    *,
    seed: int = 0,
    focus: NDArray[np.intp] | None = None,
) -> list[MovingPair]:
    """The pairs of markets that move together and belong to different events, those with the
    strongest evidence first.

    Parameters
    ----------
    events
        For each market, a number that identifies its event. Markets of one event are not compared,
        because their prices move together by construction, e.g. those of the levels of one
        quantity.
    focus
        Rows of which every pair must contain at least one; by default all rows.
    """
    rows = np.flatnonzero(
        (np.isfinite(changes) & (np.abs(changes) > 1e-6)).sum(axis=1) >= LEAST_MOVES
    )
    if len(rows) < 2:
        return []
    scores, known = _normal_scores(changes[rows])
    kin = events[rows]
    asked = np.arange(len(rows)) if focus is None else np.flatnonzero(np.isin(rows, focus))
    spread = _spread(_chance(scores, known, np.random.default_rng(seed)))
    first, second, lags, r, steps, z = _all_pairs(scores, known, kin, asked, focus is None)
    if not len(z):
        return []
    q = _q_values(_two_sided((np.abs(z) / spread).astype(np.float32)))
    kept = np.flatnonzero(q <= FALSE_DISCOVERY_RATE)
    order = kept[np.lexsort((second[kept], first[kept], -np.abs(z[kept])))]
    pairs: list[MovingPair] = []
    partners = np.zeros(len(rows), np.intp)
    seen: set[tuple[int, int]] = set()
    for at in order.tolist():
        a, b = int(first[at]), int(second[at])
        couple = (min(a, b), max(a, b))
        if couple in seen or max(partners[a], partners[b]) >= MOST_PARTNERS:
            continue
        seen.add(couple)
        partners[[a, b]] += 1
        pairs.append(
            MovingPair(
                int(rows[a]), int(rows[b]), int(lags[at]), float(r[at]), int(steps[at]),
                float(q[at]),
            )
        )  # fmt: skip
    return pairs


def _normal_scores(changes: Changes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Two arrays of the shape of `changes`: the changes of each row, replaced by normal scores of
    their ranks within the row (equal changes share a rank), 0 where unknown; and a mask, 1 where
    the change is known, else 0."""
    known = np.isfinite(changes)
    scores = np.zeros(changes.shape, np.float32)
    for row, (values, held) in enumerate(zip(changes, known, strict=True)):
        have = values[held]
        _, place, counts = np.unique(have, return_inverse=True, return_counts=True)
        middle = np.cumsum(counts) - (counts - 1) / 2
        scores[row, held] = _normal_quantile(middle[place] / (len(have) + 1))
    return scores, known.astype(np.float32)


def _normal_quantile(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard normal quantiles of the probabilities `p`, by formula 26.2.23 of Abramowitz and
    Stegun. Its error, below 0.001, does not matter for scores of ranks."""
    t = np.sqrt(-2 * np.log(np.minimum(p, 1 - p)))
    tail = t - (2.515517 + 0.802853 * t + 0.010328 * t**2) / (
        1 + 1.432788 * t + 0.189269 * t**2 + 0.001308 * t**3
    )
    return np.where(p < 0.5, -tail, tail)


def _correlate(
    x: NDArray[np.float32],
    kx: NDArray[np.float32],
    y: NDArray[np.float32],
    ky: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Two arrays (rows of x, rows of y): the correlation of each row of `x` with each row of `y`
    over the steps known in both, and the number of these steps. The correlation is 0 where fewer
    than `LEAST_STEPS` steps are known in both.

    kx, ky : masks, 1 where `x` and `y` are known
    """
    n = kx @ ky.T
    sx, sy = x @ ky.T, kx @ y.T
    xx, yy = (x * x) @ ky.T, kx @ (y * y).T
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (n * (x @ y.T) - sx * sy) / np.sqrt((n * xx - sx**2) * (n * yy - sy**2))
    return np.where((n >= LEAST_STEPS) & np.isfinite(r), r, 0), n


def _fisher(r: NDArray[np.float32], n: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.arctanh(np.clip(r, -0.999, 0.999)) * np.sqrt(np.maximum(n - 3, 0))


def _chance(
    scores: NDArray[np.float32], known: NDArray[np.float32], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Absolute z statistics of correlations that are due to chance alone: one value for each pair
    of markets, of which one series was rotated in time by a random number of steps."""
    days = scores.shape[1]
    found = []
    for _ in range(MAX_SHIFTS):
        picked = rng.choice(len(scores), min(SHIFTED_ROWS, len(scores)), replace=False)
        by = rng.integers(days // 4, days - days // 4, len(picked))
        at = (np.arange(days) + by[:, None]) % days
        turned, held = (np.take_along_axis(m[picked], at, axis=1) for m in (scores, known))
        r, n = _correlate(turned, held, scores, known)
        z = _fisher(r, n)
        z[np.arange(len(picked)), picked] = 0
        found.append(np.abs(z[(n >= LEAST_STEPS) & (z != 0)]))
    return np.concatenate(found)


def _spread(chance: NDArray[np.float32]) -> float:
    """Factor, at least 1, by which the distribution of z statistics under chance is wider than the
    standard normal distribution.

    This is an empirical null (Efron 2004). The most extreme values are too few to be counted.
    Therefore the width is measured in the tail, and a normal distribution of that width is used.
    """
    if not len(chance):
        return 1.0
    far = np.quantile(chance, (0.95, 0.99, 0.999)) / (1.960, 2.576, 3.291)
    return max(1.0, float(far.max()))


def _two_sided(z: NDArray[np.float32]) -> NDArray[np.float64]:
    """Two-sided p-values of standard normal statistics. They are upper bounds, up to a fifth above
    the true value, so that too few pairs are reported rather than too many."""
    x = z.astype(np.float64) / np.sqrt(2)
    return np.clip(2 * np.exp(-(x**2)) / (1.98 * x + np.sqrt((1.98 * x) ** 2 / 4 + 4)), 1e-30, 1)


def _all_pairs(
    scores: NDArray[np.float32],
    known: NDArray[np.float32],
    kin: NDArray[np.int64],
    asked: NDArray[np.intp],
    whole: bool,
) -> tuple[NDArray, ...]:
    """Compare all pairs of markets of different events that have enough steps in common. Returns
    arrays with one element for each pair: first row, second row, lag, correlation, number of common
    steps, z statistic.

    kin : number of each market's event
    asked : rows of which every pair must contain one
    whole : `asked` has all rows
    """
    out: list[tuple[NDArray, ...]] = []
    for lag in LAGS:
        end = scores.shape[1] - lag
        for start in range(0, len(asked), BLOCK_MARKETS):
            block = asked[start : start + BLOCK_MARKETS]
            for here, there, first in _directions(lag, end, whole):
                r, n = _correlate(
                    scores[block, here], known[block, here], scores[:, there], known[:, there]
                )
                z = _fisher(r, n)
                open_ = (n >= LEAST_STEPS) & (kin[block][:, None] != kin) & (r != 0)
                if lag == 0 and whole:
                    open_ &= block[:, None] < np.arange(len(scores))  # each couple once
                a, b = np.nonzero(open_)
                pair = (block[a], b) if first else (b, block[a])
                out.append((*pair, np.full(len(a), lag), r[a, b], n[a, b], z[a, b]))
    return tuple(np.concatenate(column) for column in zip(*out, strict=True))


def _directions(lag: int, end: int, whole: bool) -> Iterator[tuple[slice, slice, bool]]:
    """Yield the ways in which a block of series is compared with all series, each as three things:
    the slice of steps of the block's series, the slice of steps of the other series, and whether
    the block's series lead (change first).

    With a lag, the block is compared once as the leader and once as the follower. With `whole` it
    is compared only as the leader: every series is then in some block and leads once.

    end : number of steps that remain after shifting by `lag`
    """
    yield slice(0, end), slice(lag, None), True
    if lag and not whole:
        yield slice(lag, None), slice(0, end), False


def _q_values(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Benjamini-Hochberg q-values: for each of the p-values `p`, the smallest false discovery rate
    at which its pair is reported."""
    order = np.argsort(p, kind="stable")
    ranked = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum.accumulate(ranked[::-1])[::-1]
    return q

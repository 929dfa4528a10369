"""Finds markets whose prices move together more than by chance. Pure numpy.

Prices are turned into log-odds, and their changes from one time step to the next into normal scores
of their ranks, so that no single extreme step dominates. The scores are correlated for every pair
of markets, at lags of 0 to 2 steps. How strong correlations get by chance is measured: one series
of a pair is rotated in time by a random number of steps, and the correlation is computed again.
Rotation keeps the properties of each series and removes what both share.

The false discovery rate among the reported pairs is held at `FALSE_DISCOVERY_RATE` (Benjamini &
Hochberg 1995). Co-movement only supports a relation that has another reason: it makes no relation
by itself, and it never says which of two things drives the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

FALSE_DISCOVERY_RATE: Final = 0.05
"""Of the pairs of markets that are reported as moving together, at most this share (0 to 1) is
expected to do so only by chance. With a larger value, more pairs are reported."""
LAGS: Final = (0, 1, 2)
"""The price changes of two markets are compared at each of these lags. A lag is the number of time
steps (`moving.STEP_LENGTH`) by which the second market follows the first."""
LEAST_STEPS: Final = 20
"""Two markets are compared only if the price changes of both are known in at least this many time
steps."""
LEAST_MOVES: Final = 10
"""A market is compared with others only if its price changed in at least this many time steps."""
MOST_PARTNERS: Final = 12
"""A market appears in at most this many of the reported pairs: those with the strongest
evidence."""
SHIFTED_ROWS: Final = 400
"""To measure how strong correlations get by chance, at most this many markets are drawn at random
in each of `MAX_SHIFTS` rounds. Their series of price changes are rotated in time, and then
correlated with the series of all markets."""
MAX_SHIFTS: Final = 3
"""Largest number of rounds in which it is measured how strong correlations get by chance. In each
round, at most `SHIFTED_ROWS` series of price changes are rotated in time."""
BLOCK_MARKETS: Final = 512
"""Number of markets whose series of price changes are correlated with those of all markets in one
matrix product. A larger number takes more memory."""
SPIKE_LOG_ODDS: Final = 0.4
"""A jump of a price is removed as a spike if it changes the log-odds by more than this from one
time step to the next, up or down, and more than half of it is reversed within `SPIKE_STEPS` steps
(`log_odds_changes`). With a larger value, fewer jumps are removed."""
SPIKE_STEPS: Final = 4
"""A jump of a price counts as a spike, which is removed (`SPIKE_LOG_ODDS`), only if it is reversed
within this many time steps."""
PRICE_EDGE: Final = 0.01
"""Before log-odds are computed, a price (0 to 1) closer than this to 0 or 1 is moved to this
distance from it, because log-odds grow without limit there."""

Changes = NDArray[np.float32]
"""Changes of the log-odds of prices: one row for each market, one column for each time step; NaN
where a change is unknown."""


class MovingPair(NamedTuple):
    """Two markets whose prices move together, given by their rows in the array of price changes
    (`Changes`)."""

    first: int
    second: int
    lag: int
    """Number of time steps by which the second market follows the first; 0 if both move at once."""
    correlation: float
    """Rank correlation of the two markets' price changes at this lag, -1 to 1."""
    steps: int
    """Number of time steps in which the price changes of both markets are known."""
    q: float
    """False discovery rate (q-value): among all pairs with evidence at least as strong as this
    one's, the expected share (0 to 1) that move together only by chance."""


def log_odds_changes(prices: NDArray[np.float64]) -> Changes:
    """Changes of the log-odds of prices from one time step to the next; NaN where a price is
    missing.

    A jump that is mostly reversed within `SPIKE_STEPS` steps becomes NaN. Such a jump comes from
    an order book that was empty for a while. Many books are empty at the same hours, so their jumps
    would look like co-movement.

    prices : one row for each market, one column for each time step
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
        For each market, the number of its event. Markets of one event (e.g. the levels of one
        quantity) are not compared with each other, because their prices move together by
        construction.
    focus
        Rows of `changes`. Only pairs with at least one of these markets are compared; by default,
        all pairs are.
    """
    rows = np.flatnonzero(
        (np.isfinite(changes) & (np.abs(changes) > 1e-6)).sum(axis=1) >= LEAST_MOVES
    )
    if len(rows) < 2:
        return []
    scores, known = _normal_scores(changes[rows])
    row_events = events[rows]
    focus_rows = np.arange(len(rows)) if focus is None else np.flatnonzero(np.isin(rows, focus))
    spread = _spread(_chance_z(scores, known, np.random.default_rng(seed)))
    first, second, lags, r, steps, z = _all_pairs(
        scores, known, row_events, focus_rows, focus is None
    )
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
    """Two arrays of the shape of `changes`: normal scores of the changes, i.e. the normal quantiles
    of their ranks within the row (equal changes share a rank), 0 where the change is unknown; and a
    mask, 1 where the change is known, else 0."""
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

    x, y : one series in each row; 0 where unknown
    kx, ky : masks, 1 where `x` or `y` is known, else 0
    """
    n = kx @ ky.T
    sx, sy = x @ ky.T, kx @ y.T
    xx, yy = (x * x) @ ky.T, kx @ (y * y).T
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (n * (x @ y.T) - sx * sy) / np.sqrt((n * xx - sx**2) * (n * yy - sy**2))
    return np.where((n >= LEAST_STEPS) & np.isfinite(r), r, 0), n


def _fisher(r: NDArray[np.float32], n: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.arctanh(np.clip(r, -0.999, 0.999)) * np.sqrt(np.maximum(n - 3, 0))


def _chance_z(
    scores: NDArray[np.float32], known: NDArray[np.float32], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Absolute z statistics of correlations that are due to chance alone. They are measured on
    pairs of markets; one series of each pair is rotated in time by a random number of steps.

    scores, known : from `_normal_scores`
    """
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
    """The width of the distribution that z statistics have if only chance is at work, as a multiple
    of the width of the standard normal distribution; at least 1.

    This is an empirical null (Efron 2004). The width is measured in the tail (quantiles 0.95 to
    0.999), and a normal distribution of that width stands for the values further out, which are too
    few to be counted.

    chance : absolute z statistics from `_chance_z`
    """
    if not len(chance):
        return 1.0
    far = np.quantile(chance, (0.95, 0.99, 0.999)) / (1.960, 2.576, 3.291)
    return max(1.0, float(far.max()))


def _two_sided(z: NDArray[np.float32]) -> NDArray[np.float64]:
    """Two-sided p-values of the standard normal statistics `z`. They are upper bounds, up to 20%
    above the true values. So too few pairs may be reported, but not too many."""
    x = z.astype(np.float64) / np.sqrt(2)
    return np.clip(2 * np.exp(-(x**2)) / (1.98 * x + np.sqrt((1.98 * x) ** 2 / 4 + 4)), 1e-30, 1)


def _all_pairs(
    scores: NDArray[np.float32],
    known: NDArray[np.float32],
    row_events: NDArray[np.int64],
    focus_rows: NDArray[np.intp],
    all_rows: bool,
) -> tuple[NDArray, ...]:
    """Compare all pairs of markets of different events that have at least `LEAST_STEPS` time steps
    in common. Returns arrays with one element for each pair and lag: row of the first market, row
    of the second, lag, correlation, number of common steps, z statistic.

    scores, known : from `_normal_scores`, one row for each market
    row_events : for each market, the number of its event
    focus_rows : rows of which each pair must contain at least one
    all_rows : True if `focus_rows` has all rows
    """
    out: list[tuple[NDArray, ...]] = []
    for lag in LAGS:
        end = scores.shape[1] - lag
        for start in range(0, len(focus_rows), BLOCK_MARKETS):
            block = focus_rows[start : start + BLOCK_MARKETS]
            for here, there, first in _directions(lag, end, all_rows):
                r, n = _correlate(
                    scores[block, here], known[block, here], scores[:, there], known[:, there]
                )
                z = _fisher(r, n)
                apart = row_events[block][:, None] != row_events
                open_ = (n >= LEAST_STEPS) & apart & (r != 0)
                if lag == 0 and all_rows:
                    open_ &= block[:, None] < np.arange(len(scores))  # each couple once
                a, b = np.nonzero(open_)
                pair = (block[a], b) if first else (b, block[a])
                out.append((*pair, np.full(len(a), lag), r[a, b], n[a, b], z[a, b]))
    return tuple(np.concatenate(column) for column in zip(*out, strict=True))


def _directions(lag: int, end: int, all_rows: bool) -> Iterator[tuple[slice, slice, bool]]:
    """Yield the comparisons to make between a block of series and all series. Each is given as
    (slice of the time steps of the block's series, slice of those of the other series, whether the
    block's series lead, i.e. move first).

    Without a lag, there is one comparison. With a lag there are two: in the first the block leads,
    in the second it follows. With `all_rows`, only the first is made: every series is in some
    block, so a block that follows has been compared already, when the other series led.

    end : number of time steps that remain after a shift by `lag`
    all_rows : True if the blocks together contain all series
    """
    yield slice(0, end), slice(lag, None), True
    if lag and not all_rows:
        yield slice(lag, None), slice(0, end), False


def _q_values(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Benjamini-Hochberg q-values: for each p-value in `p` (one for each pair of markets), the
    smallest false discovery rate at which that pair is reported."""
    order = np.argsort(p, kind="stable")
    ranked = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum.accumulate(ranked[::-1])[::-1]
    return q

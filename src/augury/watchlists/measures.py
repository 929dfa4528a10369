"""Metrics that compare a value with its own past or with others, robustly. Pure.

A market's past is heavy-tailed and mostly still: moves are taken in log-odds, their size by
median and MAD (so that one earlier jump neither raises nor hides the next), and never measured
finer than the tick, so that a still market does not cry at the first cent.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log
from statistics import median

TICK = 0.01
"""Smallest step of most books, as a probability."""
_EDGE = TICK / 2
"""Prices nearer than this to 0 or 1 are taken as this near: there a tick is no information."""
MAD_TO_SIGMA = 1.4826
"""Of a normal distribution (Rousseeuw and Croux 1993)."""
LEAST_MOVES = 20
LEAST_VOLUMES = 12


def logit(p: float) -> float:
    """Log-odds of a probability, kept away from the ends."""
    p = min(max(p, _EDGE), 1 - _EDGE)
    return log(p / (1 - p))


def zscore(prices: Sequence[float | None]) -> float | None:
    """How unusual the last move is against those before, in robust standard deviations.

    Parameters
    ----------
    prices
        One a window, oldest first, the current one last; None where nothing was known. Moves
        are between neighbours.

    Returns
    -------
    None with fewer than 20 known moves before the last.
    """
    steps = [
        None if a is None or b is None else (logit(b) - logit(a), min(_tick(a), _tick(b)))
        for a, b in pairwise(prices)
    ]
    if not steps or steps[-1] is None:
        return None
    past = [s for s in steps[:-1] if s is not None]
    if len(past) < LEAST_MOVES:
        return None
    centre = median(move for move, _ in past)
    # A flicker by one tick is how books breathe, however large it looks in log-odds at the ends.
    sizes = [max(0.0, abs(move - centre) - tick) for move, tick in past]
    move, tick = steps[-1]
    return (move - centre) / max(MAD_TO_SIGMA * median(sizes), _usual(sizes), tick)


def _tick(p: float) -> float:
    """One tick at probability `p`, in log-odds."""
    p = min(max(p, _EDGE), 1 - _EDGE)
    return TICK / (p * (1 - p))


def _usual(sizes: list[float]) -> float:
    """Where most windows are still their median is 0: then the size of a usual move counts."""
    moved = [size for size in sizes if size > 0]
    return median(moved) if len(moved) >= len(sizes) / 5 else 0.0


def spike(volumes: Sequence[float | None]) -> float | None:
    """How many times its usual volume a market traded in the last window.

    Parameters
    ----------
    volumes
        Volume traded so far, one a window, oldest first, the current one last.

    Returns
    -------
    The last window's volume over the median of those before; where most windows saw no trade,
    over the median of those that did. None with fewer than 12 known windows before the last, or
    when nothing was ever traded in them.
    """
    traded = [None if a is None or b is None else max(0.0, b - a) for a, b in pairwise(volumes)]
    if not traded or traded[-1] is None:
        return None
    past = [v for v in traded[:-1] if v is not None]
    if len(past) < LEAST_VOLUMES:
        return None
    usual = median(past) or median([v for v in past if v > 0] or [0.0])
    return traded[-1] / usual if usual > 0 else None


def divergence(price: float, others: Sequence[float]) -> float | None:
    """The largest distance of `price` from the same contract's elsewhere; None without others."""
    return max((abs(price - other) for other in others), default=None)

"""Robust metrics that compare a value with its own past or with other venues. Pure.

Prices of a market mostly stand still, with rare large moves. So moves are taken in log-odds, and
their usual size by median and MAD (median absolute deviation), which one earlier jump hardly
changes. The usual size is at least one tick, so that the first cent in a still market is no signal.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log
from statistics import median

PRICE_TICK = 0.01
"""Smallest price step of most order books, in probability."""
_EDGE = PRICE_TICK / 2
"""A price that is closer than this to 0 or 1, in probability, is moved to this distance before its
log-odds are computed. Otherwise its log-odds would change a lot with moves of less than a tick."""
MAD_TO_SIGMA = 1.4826
"""Factor from the median absolute deviation of a normal distribution to its standard deviation
(Rousseeuw and Croux 1993)."""
LEAST_MOVES = 20
"""The z-score of a market's last price move is computed only if at least this many earlier moves
are known. Chosen by hand."""
LEAST_VOLUMES = 12
"""A volume spike (the volume traded in the last time window, as a multiple of the usual volume) is
computed only if the volumes of at least this many earlier windows are known. Chosen by hand."""


def logit(p: float) -> float:
    """Natural log-odds of a probability, limited to the range from `_EDGE` to 1 - `_EDGE`."""
    p = min(max(p, _EDGE), 1 - _EDGE)
    return log(p / (1 - p))


def zscore(prices: Sequence[float | None]) -> float | None:
    """How unusual a market's last price move is, compared with those before, in robust standard
    deviations.

    Parameters
    ----------
    prices
        One price per window (0 to 1), oldest first, the current one last; None if unknown. A move
        is the difference in log-odds between two neighboring prices.

    Returns
    -------
    Positive for a move up. None if the last move is unknown, or fewer than `LEAST_MOVES` before it
    are known.
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
    center = median(move for move, _ in past)
    # Moves by one tick are normal in a book, although they are large in log-odds near 0 and 1. So
    # one tick is subtracted from the size of each earlier move.
    sizes = [max(0.0, abs(move - center) - tick) for move, tick in past]
    move, tick = steps[-1]
    return (move - center) / max(MAD_TO_SIGMA * median(sizes), _usual(sizes), tick)


def _tick(p: float) -> float:
    """The size of one price tick (`PRICE_TICK`) at probability `p`, in log-odds."""
    p = min(max(p, _EDGE), 1 - _EDGE)
    return PRICE_TICK / (p * (1 - p))


def _usual(sizes: list[float]) -> float:
    """The usual size of a price move, in log-odds: the median of those sizes that are above 0. If
    fewer than a fifth of all sizes are above 0, the result is 0.

    `zscore` needs it when most windows had no move, because the median of all sizes is then 0.
    """
    moved = [size for size in sizes if size > 0]
    return median(moved) if len(moved) >= len(sizes) / 5 else 0.0


def spike(volumes: Sequence[float | None]) -> float | None:
    """A market's volume in the last window, as a multiple of its usual volume.

    Parameters
    ----------
    volumes
        Cumulative volume at the end of each window, oldest first, the current one last.

    Returns
    -------
    The volume traded in the last window, divided by the median of the volumes traded in the earlier
    windows. If that median is 0, the median of the windows with trades is used. None if the last
    window's volume is unknown, if fewer than `LEAST_VOLUMES` earlier ones are known, or if all of
    these are 0.
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
    """The largest difference (0 to 1) between a market's price and the prices of the same contract
    on other venues.

    None if there are no other prices.
    """
    return max((abs(price - other) for other in others), default=None)

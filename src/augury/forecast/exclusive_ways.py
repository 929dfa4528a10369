"""Adds up the probabilities of markets on mutually exclusive ways for something to happen. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from augury.forecast import (
    pool,
)
from augury.forecast.bearing import Bearing
from augury.search.text import is_number


def told_between(ways: Sequence[Bearing]) -> tuple[float, float]:
    """Lower and upper bound on the question's probability, from markets of one event.

    For "Will the Fed cut?", markets on ways to cut (by 25 points, by 50 points) give the lower
    bound: their sum if the ways exclude each other, else the likeliest. Markets on outcomes that
    exclude a cut (no change) give the upper bound.
    """
    inside = [b for b in ways if b.fit.threshold == "implied"]
    chances = [b.positive for b in inside]
    lower = sum(chances) if _are_parts(inside) else max(chances, default=0.0)
    outside = sum(b.positive for b in ways if b.fit.threshold == "excludes")
    lower = min(1 - pool.EDGE, lower)
    return lower, max(lower, 1 - min(outside, 1.0))


def _are_parts(ways: Sequence[Bearing]) -> bool:
    """Whether no two of these markets, each on one way for the same thing to happen (a cut by 25
    points, by 50 points), can both come true: each names another amount."""
    amounts = {frozenset(t for t in b.view.proposition.terms if is_number(t)) for b in ways}
    levels = [b.view.proposition.threshold for b in ways]
    open_ended = sum(t is not None and math.isinf(t.high) for t in levels)
    return len(ways) > 1 and open_ended <= 1 and len(amounts) + open_ended >= len(ways)


def are_apart(ranges: Sequence[Bearing]) -> bool:
    """Whether these markets ask about ranges of which no two overlap ("2% to 3%", "3% to 4%"). At
    least one range must be bounded on both sides."""
    levels = sorted(
        {(t.low, t.high) for b in ranges if (t := b.view.proposition.threshold) is not None}
    )
    pairs = pairwise(levels)
    return len(levels) > 1 and all(
        high <= low and not (math.isinf(first) and math.isinf(last))
        for (first, high), (low, last) in pairs
    ) and any(not math.isinf(low) and not math.isinf(high) for low, high in levels)  # fmt: skip


def summed_places(below: Sequence[Bearing]) -> float:
    """Probability that a contender finishes in one of several places, e.g. in the top three: the
    sum of the probabilities of markets on the single places (winning counts as first). If several
    markets are on one place, the largest of their probabilities counts."""
    places: dict[float, float] = {}
    for b in below:
        p = b.view.proposition
        if p.predicate == "wins":
            places[1.0] = max(places.get(1.0, 0.0), b.positive)
        elif p.predicate == "ranks" and p.threshold and p.threshold.low == p.threshold.high:
            places[p.threshold.low] = max(places.get(p.threshold.low, 0.0), b.positive)
    return sum(places.values())

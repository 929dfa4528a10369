"""Adds up the probabilities of markets on mutually exclusive ways for one thing to happen: a rate
cut by 25 or by 50 basis points. Pure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Final

from augury.forecast import pool
from augury.forecast.bearing import Bearing
from augury.forecast.roles import is_same_except
from augury.forecast.threshold_order import move
from augury.search.text import is_number

STEP_BPS: Final = 25.0
"""Size of one step of a central bank's rate, in basis points (hundredths of a percentage point).
Central banks move rates by one or more such steps, and markets on rate decisions name the steps. If
there are markets on 25 and 75 basis points, but none on 50, a step is missing."""


def event_of(b: Bearing) -> Hashable:
    """Key of a market's event. If the venue names no event, the venue's markets on the same things
    with the same deadline share a key: "2 Fed rate cuts in 2026", "3 Fed rate cuts in 2026"."""
    if b.market.event_id is not None:
        return b.market.platform, b.market.event_id
    asked = b.view.proposition
    return b.market.platform, asked.terms, asked.choice, asked.window.end


def is_way_or_exclusion(b: Bearing) -> bool:
    """Whether a market asks about one particular way for the event in question to happen ("a cut by
    25" for "a cut"), or about an outcome that excludes the event ("no change")."""
    named = b.fit.threshold in ("implied", "excludes") and is_same_except(b.fit, "threshold")
    return named and not b.fit.opposed


def ways_by_event(related: Sequence[Bearing], compared: Sequence[Bearing]) -> list[list[Bearing]]:
    """The markets that ask about one particular way for the event in question to happen ("a cut by
    25" for "a cut"), or about an outcome that excludes it ("no change"): see `is_way_or_exclusion`.
    Returns one list of such markets for each event of a venue.

    related : markets close enough to the question to bound its answer; an event gets a list only if
        one of its markets here asks about such a way or outcome
    compared : all markets compared with the question; the lists are completed from these
    """
    events: dict[tuple[str, str | None], list[Bearing]] = {}
    for b in related:
        if is_way_or_exclusion(b):
            events.setdefault((b.market.platform, b.market.event_id), []).append(b)
    for b in compared:
        ways = events.get((b.market.platform, b.market.event_id))
        if ways and b.market.event_id and b not in ways and is_way_or_exclusion(b):
            ways.append(b)
    return list(events.values())


def event_bounds(ways: Sequence[Bearing]) -> tuple[float, float]:
    """Lower and upper bound on the question's probability, from markets of one event.

    Example: "Will the Fed cut?". Markets on ways to cut (by 25 points, by 50 points) give the lower
    bound: the sum of their probabilities if the ways exclude each other, else the largest. Markets
    on outcomes that exclude a cut (no change) give the upper bound: 1 minus the sum of their
    probabilities. If the ways to cut leave no step out (25 points, 50 points or more), their sum is
    both bounds.
    """
    inside = [b for b in ways if b.fit.threshold == "implied"]
    chances = [b.positive for b in inside]
    lower = sum(chances) if _are_parts(inside) else max(chances, default=0.0)
    lower = min(1 - pool.PROBABILITY_EDGE, lower)
    if _are_all_steps(inside):
        return lower, lower
    outside = sum(b.positive for b in ways if b.fit.threshold == "excludes")
    return lower, max(lower, 1 - min(outside, 1.0))


def _are_parts(ways: Sequence[Bearing]) -> bool:
    """Whether at most one of these markets can come true. Each market asks about one particular way
    for an event to happen ("a cut by 25 points"), and the event is the same for all ("a cut"). The
    ways exclude each other if they all name different amounts; at most one may be open-ended ("by
    50 points or more")."""
    amounts = {frozenset(t for t in b.view.proposition.terms if is_number(t)) for b in ways}
    levels = [b.view.proposition.threshold for b in ways]
    open_ended = sum(t is not None and math.isinf(t.high) for t in levels)
    return len(ways) > 1 and open_ended <= 1 and len(amounts) + open_ended >= len(ways)


def _are_all_steps(ways: Sequence[Bearing]) -> bool:
    """Whether these markets cover all steps by which a rate can move in one direction, one market
    for each step, the largest step open-ended: by 25 points, by 50 points or more."""
    moves = sorted((m.low, m.high) for b in ways if (m := move(b.view.proposition)) is not None)
    if not moves or len(moves) < len(ways) or not math.isinf(moves[-1][1]):
        return False
    steps = [STEP_BPS * n for n in range(1, len(moves) + 1)]
    return [low for low, _ in moves] == steps and all(low == high for low, high in moves[:-1])


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
    sum, over the places, of the probability of exactly that place (winning counts as first).

    below : the markets on the single places; if several are on the same place, the largest of their
        probabilities counts
    """
    places: dict[float, float] = {}
    for b in below:
        p = b.view.proposition
        if p.predicate == "wins":
            places[1.0] = max(places.get(1.0, 0.0), b.positive)
        elif p.predicate == "ranks" and p.threshold and p.threshold.low == p.threshold.high:
            places[p.threshold.low] = max(places.get(p.threshold.low, 0.0), b.positive)
    return sum(places.values())

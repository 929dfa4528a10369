"""How likely an event is in a span that does not begin now, computed from deadlines: "in June" from
the probabilities of "by June 30" and "by May 31". Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from augury.forecast import pool
from augury.forecast.bearing import Bearing
from augury.propositions.proposition import EVENTS, Proposition

NEAR_END: Final = timedelta(days=2)
"""A market's deadline counts as the beginning or the end of a span if it is at most this far from
it: people say "in June" for "by June 29"."""


class SpanEstimate(NamedTuple):
    """The probability that an event happens in a span, with its bounds, and the markets that give
    it. A negation in the question does not count: for "Will X not resign in June?", it is the
    probability that X resigns in June."""

    used: list[Bearing]
    p: float
    lower: float
    upper: float


def in_span(
    asked: Proposition, direct: Sequence[Bearing], bearings: Sequence[Bearing], at: date
) -> SpanEstimate | None:
    """The probability that an event happens within a span of time: the probability that it happens
    by the end of the span, minus the probability that it happens by its beginning.

    Both come from markets with such deadlines. If no market has a deadline near the beginning of
    the span, the second probability is interpolated between other deadlines. The difference is
    right only for an event that happens once. A price can touch a level again, so for a level the
    difference is only the lower bound.

    All of the following must be true; otherwise the result is None:

    - The question (`asked`) is about an event in a span of time.
    - The span begins more than `NEAR_END` after the day `at`.
    - No market asks about the span itself.
    - One market's deadline is at most `NEAR_END` away from the end of the span.
    - One market's deadline is before the beginning of the span, or at most `NEAR_END` after it.

    direct : the markets that seem to ask the question itself
    bearings : all market outcomes compared with the question, the best match first
    """
    start, end = asked.window.start, asked.window.end
    if asked.window.kind != "in" or asked.window.vague or asked.predicate not in EVENTS:
        return None
    if start is None or end is None or start <= at + NEAR_END:
        return None
    last = next(iter(direct or [b for b in bearings if b.relation == "implies"]), None)
    theirs = last and _deadline(last)
    if last is None or theirs is None or last.exact or abs(theirs - end) > NEAR_END:
        return None
    series = [(theirs, last)] + [
        (day, b) for b in bearings
        if (day := _deadline(b)) is not None and at < day < end - NEAR_END
        and _is_same_event(last, b)
    ]  # fmt: skip
    if not any(day <= start + NEAR_END for day, _ in series):
        return None
    first = next((b for day, b in series if abs(day - start) <= NEAR_END), None)
    if first is not None:
        before = low = high = first.positive
        used = [last, first]
    else:
        points = [((day - at).days, b.positive, 1.0) for day, b in series]
        before, low, high = pool.by_deadline(points, (start - at).days)
        used = [b for _, b in series]
    lower = max(pool.PROBABILITY_EDGE, last.positive - high)
    if asked.predicate == "touches":
        upper = max(lower, last.positive)
        return SpanEstimate(used, pool.within(lower, upper), lower, upper)
    upper = max(lower, last.positive - low)
    return SpanEstimate(used, min(upper, max(lower, last.positive - before)), lower, upper)


def _deadline(b: Bearing) -> date | None:
    """First day after a market's deadline ("by June 3"); None if its text names no deadline."""
    theirs = b.view.proposition.window
    return theirs.end if theirs.kind == "by" and theirs.start is None else None


def _is_same_event(a: Bearing, b: Bearing) -> bool:
    one, other = a.view.proposition, b.view.proposition
    return (one.predicate, one.terms, one.threshold, one.stage, one.choice) == (
        other.predicate, other.terms, other.threshold, other.stage, other.choice,
    ) and a.turned == b.turned  # fmt: skip

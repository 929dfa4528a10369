"""Finds the markets that are rungs of one ladder: the same quantity at different levels, or the
same event by different deadlines. Pure.

The rungs are used for the distribution shown with an answer (`weighing`) and for the outcomes of an
open question (`outcomes`). If two markets are on one rung, the first is kept, because the markets
come with the best match first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import TYPE_CHECKING, Literal

from augury.propositions.proposition import Proposition

if TYPE_CHECKING:
    from augury.forecast.bearing import Bearing

Way = Literal["above", "below"]


def way(p: Proposition) -> Way | None:
    """Whether a proposition is true above or below the level that it names: "above $100" ->
    `above`. "Hits $100" counts as `above`, i.e. as reached from below. None for a range, an exact
    value, or a proposition without a level."""
    if p.threshold is None:
        return None
    toward = p.threshold.direction
    if toward == "exactly":
        return "above" if p.predicate == "touches" else None
    return toward if toward in ("above", "below") else None


def level(p: Proposition, toward: Way) -> float:
    """The level that a proposition names: 100 for "above 100" and for "below 100". It is the low
    end of the proposition's range if `toward` is "above", the high end if it is "below"."""
    assert p.threshold is not None
    return p.threshold.low if toward == "above" else p.threshold.high


def by_level(
    of: Proposition, toward: Way, bearings: Iterable[Bearing], fits: Callable[[Bearing], bool]
) -> dict[float, Bearing]:
    """The best market for each level, as a mapping: level -> market. Each of these markets asks
    whether the quantity of the proposition `of` is above a level or, if `toward` is "below", below
    it.

    bearings : the market outcomes to choose from, the best match for the question first
    fits : whether a market differs from `of` in nothing but the level
    """
    found: dict[float, Bearing] = {}
    if of.threshold is None:
        return found
    for b in bearings:
        p = b.view.proposition
        if (
            p.threshold is not None and p.threshold.unit == of.threshold.unit
            and way(p) == toward and p.predicate == of.predicate and fits(b)
        ):  # fmt: skip
            found.setdefault(level(p, toward), b)
    return found


def is_deadline(b: Bearing) -> bool:
    """Whether a market asks if something happens by a day. False if it asks whether something lasts
    until a day."""
    return b.view.proposition.window.kind == "by" and not b.fit.lasting


def by_day(
    bearings: Iterable[Bearing], after: date, day: Callable[[Bearing], date | None]
) -> dict[date, Bearing]:
    """The best market for each deadline later than `after`, as a mapping: deadline -> market.

    bearings : the market outcomes to choose from, the best match for the question first
    day : gives a market's deadline, as the first day that is too late; None if the market asks
        something else
    """
    found: dict[date, Bearing] = {}
    for b in bearings:
        end = day(b) if is_deadline(b) else None
        if end is not None and end > after:
            found.setdefault(end, b)
    return found

"""Which markets are the rungs of one ladder: the same quantity at other levels, the same event by
other days. Pure.

An answer with its ladder (`engine`) and the outcomes of an open question (`outcomes`) choose by the
same table: of two markets on one rung the better, which comes first, stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import TYPE_CHECKING, Literal

from augury.relations.proposition import Proposition

if TYPE_CHECKING:
    from augury.forecast.bearing import Bearing

Way = Literal["above", "below"]


def way(p: Proposition) -> Way | None:
    """The side of its level on which Yes lies; what is only "hit" is hit from below; None for a
    range or without a level."""
    if p.threshold is None:
        return None
    towards = p.threshold.direction
    if towards == "exactly":
        return "above" if p.predicate == "touches" else None
    return towards if towards in ("above", "below") else None


def level(p: Proposition, towards: Way) -> float:
    """The end of a threshold's range at which Yes begins or ends."""
    assert p.threshold is not None
    return p.threshold.low if towards == "above" else p.threshold.high


def by_level(
    of: Proposition, towards: Way, bearings: Iterable[Bearing], fits: Callable[[Bearing], bool]
) -> dict[float, Bearing]:
    """The best market of each level of the quantity of `of`, with Yes on the side `towards`; `fits`
    says of a market with such a level whether it asks the same otherwise."""
    found: dict[float, Bearing] = {}
    if of.threshold is None:
        return found
    for b in bearings:
        p = b.view.proposition
        if (
            p.threshold is not None and p.threshold.unit == of.threshold.unit
            and way(p) == towards and p.predicate == of.predicate and fits(b)
        ):  # fmt: skip
            found.setdefault(level(p, towards), b)
    return found


def is_deadline(b: Bearing) -> bool:
    """Whether a market asks for an event by a day, not for something that is to last till then."""
    return b.view.proposition.window.kind == "by" and not b.fit.lasting


def by_day(
    bearings: Iterable[Bearing], after: date, day: Callable[[Bearing], date | None]
) -> dict[date, Bearing]:
    """The best market of each deadline later than `after`; `day` gives the first day that is too
    late, None where a market asks something else."""
    found: dict[date, Bearing] = {}
    for b in bearings:
        end = day(b) if is_deadline(b) else None
        if end is not None and end > after:
            found.setdefault(end, b)
    return found

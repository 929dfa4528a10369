"""Which markets were compared with a question and not used, and why. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from augury.forecast.evidence import Estimate, Rejected
from augury.forecast.match import Comparison

if TYPE_CHECKING:
    from augury.forecast.engine import Bearing

MAX_REJECTED: Final = 8
"""Markets that are listed as not used: those nearest to the question."""
MIN_ABOUT: Final = 0.34
"""Share of the question's content that a market names before its parts are compared at all."""
MAX_FOREIGN: Final = 0.8
"""Weight of a market's most telling name that the question does not say, above which the market is
about something else; the engine's own limit."""


def rejected(bearings: Sequence[Bearing], estimate: Estimate) -> tuple[Rejected, ...]:
    """The markets nearest to the question that carry no weight in its estimate, best first.

    bearings : every outcome compared, the best fit first
    """
    seen = {one.market.id for one in estimate.evidence}
    found: list[Rejected] = []
    for bearing in bearings:
        if len(found) == MAX_REJECTED:
            break
        if bearing.market.id not in seen:
            seen.add(bearing.market.id)
            found.append(Rejected(bearing.market, why(bearing.fit)))
    return tuple(found)


def why(fit: Comparison) -> str:
    """Why a market is no evidence, in one sentence."""
    if fit.asked < MIN_ABOUT:
        return "It names too little of what the question is about."
    if fit.edition == "differs":
        return "It is about another year or edition."
    if fit.choice in ("excludes", "differs"):
        return "It is about another contender, party or place."
    if fit.foreign >= MAX_FOREIGN:
        return "It names something that the question does not."
    if fit.stage not in ("same", "unsaid"):
        return "It asks about another stage, place or act."
    if fit.threshold not in ("same", "opposite", "unsaid"):
        return "It asks about another level or amount."
    if fit.window not in ("same", "unsaid"):
        return "It asks about another period or deadline."
    return "Other markets fit the question better, or it is not surely about the same thing."

"""A second opinion on markets that are nearly, or barely, taken to ask the question itself. Pure.

The parts of question and market say what a market may be; how alike their words are says whether
it is about the same thing, and that has a limit with two sides. Only of markets near that limit is
an opinion asked. It can lower a market's role, or confirm one that the parts allow; which side the
market is read from, it can't change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from augury.forecast.bearing import Bearing
    from augury.forecast.match import Comparison

Verdict = Literal["same", "opposite", "different", "unsure"]
"""Whether a market's Yes is the question's Yes, its No, neither, or it can't be said."""

Opinions = Mapping[tuple[int, int], Verdict]
"""By market number and outcome."""

NONE: Final[Opinions] = {}

NEAR: Final = 0.2
"""So close to the limit a market's role is in doubt."""
LOOKED_AT: Final = 8
"""Best markets among which doubt is looked for."""
MOST: Final = 3
"""Most opinions asked for one question."""
_BELOW: Final = 0.01
_LOG_ODDS: Final = 5.0
"""So much likeness, in log-odds, weighs as much as one of the other measures."""


class Limit(NamedTuple):
    """From which likeness on a market is taken to ask the question itself."""

    score: float
    content: float
    asked: float
    likeness: float


def doubtful(bearings: Sequence[Bearing], limit: Limit) -> list[Bearing]:
    """The markets whose role should be looked at again, best first; none where the best is sure."""
    found: list[Bearing] = []
    for bearing in bearings[:LOOKED_AT]:
        margin = _margin(bearing.fit, limit)
        if margin is None or margin < -NEAR:
            continue
        if margin > NEAR:
            return found
        found.append(bearing)
    return found[:MOST]


def heard(
    bearings: Sequence[Bearing], opinions: Opinions, limit: Limit, *, positive: bool
) -> list[Bearing]:
    """The markets with opinions taken into account, in the same order.

    positive : whether the question asks for its proposition rather than its opposite
    """
    return [
        replace(bearing, fit=_heard(bearing, opinions[key], limit, positive=positive))
        if (key := (bearing.market.seq, bearing.outcome)) in opinions
        else bearing
        for bearing in bearings
    ]


def _heard(bearing: Bearing, verdict: Verdict, limit: Limit, *, positive: bool) -> Comparison:
    fit = bearing.fit
    margin = _margin(fit, limit)
    if margin is None or abs(margin) > NEAR:
        return fit  # nothing was in doubt
    if verdict == "different":
        return replace(fit, score=min(fit.score, limit.score - _BELOW))
    ours: Verdict = "opposite" if bearing.turned == positive else "same"
    if verdict != ours:
        return fit
    return replace(
        fit,
        score=max(fit.score, limit.score),
        content=max(fit.content, limit.content),
        asked=max(fit.asked, limit.asked),
        likeness=max(fit.likeness, limit.likeness),
    )


def _margin(fit: Comparison, limit: Limit) -> float | None:
    """How far a market is above the limit; None where a part already tells it apart."""
    if not fit.same:
        return None
    return min(
        fit.score - limit.score,
        fit.content - limit.content,
        fit.asked - limit.asked,
        (fit.likeness - limit.likeness) / _LOG_ODDS,
    )

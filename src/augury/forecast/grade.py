"""What of an estimate the closed public answer may show: what beats knowing nothing. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from augury.forecast import explain, nulls
from augury.forecast.evidence import Estimate, NullReason

MIN_HINT_CONFIDENCE: Final = 1.1
"""Least confidence, 0 to 1, from which a hint may stand as the probability of a public answer;
above 1: none does. Set by the floor of `augury eval leave-one-out`: on the development questions
hints come from 16 markets and beat the base rate (Brier 0.112 to 0.250, t -2.9 by market), but a
floor takes 20, and one hint in five is inverted."""


RIVALS: Final = "from_rivals"
"""Marks what the prices of rivals alone leave for the one asked about."""
LEAST_LEFT: Final = 0.5
"""Least that rivals have to leave open for a public answer. Where they left less, the answers said
3% and 41% came true (`augury eval leave-one-out`, 29 titles of resolved markets: Brier 0.378, base
rate's 0.251; worse in both halves). Usually the rivals are others than was thought."""
WIDEST_BOUNDS: Final = 0.9
"""Greatest distance between bounds of logic at which answers of the choosing half beat the base
rate by two standard errors (54 titles, Brier 0.178 to 0.249, t -2.2; the other half: 63, 0.169 to
0.228, t -2.2). Wider ones are told with that warning, as what rivals leave is."""
LOOSE: Final = "Markets leave it so much room that the number is worth no more than the base rate."


def is_shown(estimate: Estimate) -> bool:
    """Whether the probability may stand in the closed public answer."""
    match estimate.grade:
        case "hinted":
            return estimate.confidence >= MIN_HINT_CONFIDENCE
        case "bounded" if RIVALS in estimate.fallbacks:
            return _width(estimate) >= LEAST_LEFT
        case _:
            return True


def is_loose(estimate: Estimate) -> bool:
    """Whether it is bounded by what has not been better than the base rate."""
    if estimate.grade != "bounded":
        return False
    return RIVALS in estimate.fallbacks or _width(estimate) > WIDEST_BOUNDS


def _width(estimate: Estimate) -> float:
    low, high = estimate.bounds
    return high - low


def public(estimate: Estimate) -> Estimate:
    """The estimate as the closed public answer gives it: a hint, or what few rivals leave, keeps
    its evidence and is told in words, but leaves the probability null; loose bounds say so."""
    if estimate.probability is None:
        return estimate
    if is_shown(estimate):
        loose = is_loose(estimate)
        return replace(estimate, reasoning=f"{estimate.reasoning} {LOOSE}") if loose else estimate
    if estimate.grade == "bounded":
        reason = NullReason("bounds_only", explain.bounds(estimate.bounds, estimate.evidence))
        marker = "bounds_withheld"
    else:
        text = "No open market asks this or bounds it, so no probability is given. "
        reason = NullReason("hint_only", text + explain.hint(estimate.evidence))
        marker = "hint_withheld"
    hidden = nulls.explained(estimate, reason)
    return replace(hidden, fallbacks=(*hidden.fallbacks, marker))

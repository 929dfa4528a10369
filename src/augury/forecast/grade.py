"""What of an estimate the closed public answer may show: hints are no probability. Pure."""

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


def is_shown(estimate: Estimate) -> bool:
    """Whether the probability may stand in the closed public answer."""
    return estimate.grade != "hinted" or estimate.confidence >= MIN_HINT_CONFIDENCE


def public(estimate: Estimate) -> Estimate:
    """The estimate as the closed public answer gives it: a hint keeps its evidence and says in
    words what it hints at, but leaves the probability null."""
    if estimate.probability is None or is_shown(estimate):
        return estimate
    text = "No open market asks this or bounds it, so no probability is given. " + explain.hint(
        estimate.evidence
    )
    hidden = nulls.explained(estimate, NullReason("hint_only", text))
    return replace(hidden, fallbacks=(*hidden.fallbacks, "hint_withheld"))

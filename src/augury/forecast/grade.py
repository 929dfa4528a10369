"""Decides which estimates the public answer (`POST /v1/forecast`) may show as a number: only kinds
of estimates that have scored better than the base rate, i.e. than always answering with the share
of questions that came true. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from augury.forecast import explain, nulls, trust
from augury.forecast.evidence import Estimate, NullReason

MIN_HINT_CONFIDENCE: Final = 1.1
"""A hint (an answer that rests only on a related market) is shown as the probability of a public
answer only if its confidence is at least this. Confidences end at 1, so 1.1 withholds every hint. A
lower value would have to prove itself in `augury eval leave-one-out` on hints from at least 20
markets. The development questions have hints from only 16 markets. These hints are better than
always answering the base rate: their Brier score is 0.112, that of the base rate 0.250 (t of the
difference -2.9, with one observation for each market). But one in five answers the opposite
question."""


RIVALS_MARKER: Final = "from_rivals"
"""Marker in `Estimate.fallbacks`: the estimate rests only on prices of rivals, i.e. of contenders
other than the one asked about."""
MIN_LEFT_PROBABILITY: Final = 0.5
"""Limit for answers that rest only on the prices of rivals (contenders other than the one asked
about). The public answer gives a number only if 1 minus the highest price of a rival is at least
this probability. Below the limit, answers are too low, usually because the markets found are not on
rivals at all. Measured with `augury eval leave-one-out`, which asked the titles of 721 resolved
markets: 29 titles got an answer below the limit. The mean of these 29 answers was 3%, but 41% of
the titles came true. The answers' Brier score was 0.378; always answering the base rate scores
0.251. The limit was chosen on half of the titles. On that half and on the other one, the answers
below it were worse than the base rate."""
WIDEST_BOUNDS: Final = 0.9
"""An answer carries the warning `LOOSE_WARNING` if the bounds that logic puts on it are wider than
this (upper minus lower, as a probability). Answers that rest only on the prices of rivals
(contenders other than the one asked about) always carry it. Other answers with narrower bounds are
better than always answering the base rate. This was measured by asking titles of resolved markets.
The limit was chosen on half of the titles. On that half, the answers' Brier score is 0.178, that of
the base rate 0.249 (54 titles, t of the difference -2.2). On the other half, it is 0.169, that of
the base rate 0.228 (63 titles, t -2.2)."""
LOOSE_WARNING: Final = (
    "The markets bound the answer so loosely that the number is no better than the base rate."
)
DOUBT_WARNING: Final = (
    "Too many answers on such evidence have been wrong. The public answer gives no number here."
)


def is_shown(estimate: Estimate) -> bool:
    """Whether the public answer (`POST /v1/forecast`) may give the estimate's probability."""
    if is_doubtful(estimate):
        return False
    match estimate.grade:
        case "hinted":
            return estimate.confidence >= MIN_HINT_CONFIDENCE
        case "bounded" if RIVALS_MARKER in estimate.fallbacks:
            return _width(estimate) >= MIN_LEFT_PROBABILITY
        case _:
            return True


def is_doubtful(estimate: Estimate) -> bool:
    """Whether answers that were made like this one have been right too rarely (`trust`)."""
    return estimate.trust is not None and estimate.trust < trust.MIN_TRUST


def is_loose(estimate: Estimate) -> bool:
    """Whether the estimate rests on loose bounds: on bounds from rivals alone, or on bounds wider
    than `WIDEST_BOUNDS`. Such estimates have not scored better than the base rate (always answering
    with the share of questions that came true)."""
    if estimate.grade != "bounded":
        return False
    return RIVALS_MARKER in estimate.fallbacks or _width(estimate) > WIDEST_BOUNDS


def _width(estimate: Estimate) -> float:
    low, high = estimate.bounds
    return high - low


def public(estimate: Estimate) -> Estimate:
    """The estimate as the public answer (`POST /v1/forecast`) gives it.

    If its probability may not be shown, the estimate loses it, keeps its evidence and gets a reason
    in words. An estimate with loose bounds keeps its probability; a sentence that warns of them is
    added to its reasoning.
    """
    if estimate.probability is None:
        return estimate
    if is_shown(estimate):
        loose = is_loose(estimate)
        return (
            replace(estimate, reasoning=f"{estimate.reasoning} {LOOSE_WARNING}")
            if loose
            else estimate
        )
    if is_doubtful(estimate):
        reason = NullReason("doubtful", explain.doubtful(estimate.evidence))
        marker = "doubtful_withheld"
    elif estimate.grade == "bounded":
        reason = NullReason("bounds_only", explain.bounds_text(estimate.bounds, estimate.evidence))
        marker = "bounds_withheld"
    else:
        text = "No open market asks this or bounds it, so no probability is given. "
        reason = NullReason("hint_only", text + explain.hint(estimate.evidence))
        marker = "hint_withheld"
    hidden = nulls.explained(estimate, reason)
    return replace(hidden, fallbacks=(*hidden.fallbacks, marker))

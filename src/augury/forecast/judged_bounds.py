"""Bounds that the judge alone finds (`matching.judge`, a trained model): a market's price limits
the answer, although neither logic nor the hand-written rules say so. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from augury.forecast import bounds, explain
from augury.forecast.bearing import Bearing
from augury.forecast.evidence import Evidence
from augury.logic.joint_outcomes import Relation


def bounds_of(bearings: Sequence[Bearing]) -> tuple[bounds.Bounds, list[Bearing]]:
    """The bounds that the prices of these market outcomes put, according to the judge, on the
    probability of Yes to the question as it was asked. Also returns the outcomes that bound it,
    sorted by how sure the judge is, the surest first."""
    sure = sorted(
        ((b.judged_order, b) for b in bearings if b.judged_order is not None),
        key=lambda one: -one[0].probability,
    )
    found = bounds.bounds((order.relation, b.market.price(b.outcome) or 0.0) for order, b in sure)
    return found, [b for _, b in sure]


def evidence(b: Bearing, relation: Relation, weight: float) -> Evidence:
    """A market outcome as evidence that bounds the answer.

    relation : of the question to the outcome
    weight : share of the answer's weight, 0 to 1
    """
    price = b.market.price(b.outcome) or 0.0
    low, high = bounds.limits(relation, price)
    flipped = relation in ("excludes", "covers")
    return Evidence(
        market=b.market, outcome=b.outcome, role="bound", flipped=flipped,
        probability=round(1 - price if flipped else price, 6), age=b.age,
        fit=max(0.0, min(1.0, b.fit.score / 3)), weight=weight,
        relation=explain.ORDER_PHRASES[relation], low=round(low, 6), high=round(high, 6),
    )  # fmt: skip

"""Bounds that logic alone puts on an answer, given the prices of markets. Pure.

`logic.relate.relate` finds implication, exclusion and complement between question and market,
and returns `none` in doubt. Its findings are final: a market with a relation in `SAME` decides the
answer, a market with a relation in `ORDERED` only bounds it, and no estimate lies outside the
bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from augury.logic.joint_outcomes import ORDERS, Relation

SAME: Final[frozenset[Relation]] = frozenset({"equivalent", "complement"})
ORDERED: Final[frozenset[Relation]] = frozenset(ORDERS)

_LIMITS: Final[dict[Relation, Callable[[float], tuple[float, float]]]] = {
    "implies": lambda p: (0.0, p),
    "implied_by": lambda p: (p, 1.0),
    "equivalent": lambda p: (p, p),
    "complement": lambda p: (1 - p, 1 - p),
    "excludes": lambda p: (0.0, 1 - p),
    "covers": lambda p: (1 - p, 1.0),
    "none": lambda p: (0.0, 1.0),
}


def limits(relation: Relation, price: float) -> tuple[float, float]:
    """Lower and upper bound that a market outcome with this price, 0 to 1, puts on the probability
    of a question that has this relation to the outcome."""
    return _LIMITS[relation](price)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower and upper bound on the question's probability, 0 to 1."""

    low: float = 0.0
    high: float = 1.0

    def clamped(self, p: float) -> float:
        """`p` if it lies within the bounds, else the nearer bound."""
        return min(max(p, self.low), self.high)


def bounds(found: Iterable[tuple[Relation, float]]) -> Bounds:
    """Lower and upper bound that logic puts on the question's probability, given prices of markets.

    found : pairs (relation of the question to a market outcome, price of the outcome), the best
    match first. ("implies", 0.4): the question implies the outcome, so the question's probability
    is at most 0.4. A pair that contradicts the pairs before it is ignored
    """
    low, high = 0.0, 1.0
    for relation, price in found:
        least, most = limits(relation, price)
        if max(low, least) <= min(high, most):
            low, high = max(low, least), min(high, most)
    return Bounds(low, high)

"""Bounds that logic alone puts on an answer, given the prices of markets. Pure.

`relations.logic.relate` finds implication, exclusion and complement, and returns `none` in doubt.
What it finds is final: a market of a relation in `ORDERED` bounds the answer and never decides it,
a market of a relation in `SAME` decides it, and no estimate leaves the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from augury.relations.joint_outcomes import Relation

SAME: Final[frozenset[Relation]] = frozenset({"equivalent", "complement"})
ORDERED: Final[frozenset[Relation]] = frozenset({"implies", "implied_by", "excludes", "covers"})

_LIMITS: Final[dict[Relation, Callable[[float], tuple[float, float]]]] = {
    "implies": lambda p: (0.0, p),
    "implied_by": lambda p: (p, 1.0),
    "equivalent": lambda p: (p, p),
    "complement": lambda p: (1 - p, 1 - p),
    "excludes": lambda p: (0.0, 1 - p),
    "covers": lambda p: (1 - p, 1.0),
    "none": lambda p: (0.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower and upper bound on the question's probability, 0 to 1."""

    low: float = 0.0
    high: float = 1.0

    def clamped(self, p: float) -> float:
        """The chance within the bounds that is nearest to `p`."""
        return min(max(p, self.low), self.high)


def bounds(found: Iterable[tuple[Relation, float]]) -> Bounds:
    """The bounds from pairs of (the question's relation to a market outcome, its price).

    found : the surest first; a pair that contradicts those before it is ignored
    """
    low, high = 0.0, 1.0
    for relation, price in found:
        least, most = _LIMITS[relation](price)
        if max(low, least) <= min(high, most):
            low, high = max(low, least), min(high, most)
    return Bounds(low, high)

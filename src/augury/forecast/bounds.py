"""What logic alone says of an answer, given the prices of markets. Pure.

`relations.logic.relate` knows implication, exclusion and complement, and is silent in doubt. Where
it speaks, its word stands: a market that it orders with the question bounds the answer and never
decides it, one that it holds for the same decides it, and no estimate leaves its bounds.
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
    """Between which chances the question lies; where markets contradict each other, both ends are
    what the surer of them says."""

    low: float = 0.0
    high: float = 1.0

    def clamped(self, p: float) -> float:
        """The chance within the bounds that is nearest to `p`."""
        return min(max(p, self.low), self.high)


def bounds(found: Iterable[tuple[Relation, float]]) -> Bounds:
    """The bounds that relations and prices give, those named first being the surest."""
    low, high = 0.0, 1.0
    for relation, price in found:
        least, most = _LIMITS[relation](price)
        if max(low, least) <= min(high, most):
            low, high = max(low, least), min(high, most)
    return Bounds(low, high)

"""Paths from a question's factors to those that drive them, follow from them or move with them.

Pure. A factor is something in the world that markets are about. A path has one step along an edge
or link of the factor base or to a sibling (`SIBLING_WEIGHT`), or two steps along edges. For each
relation and factor, the result has the weight of the best path, in (0, 1], and its steps, which
say why a market is related.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.relations.causal.knowledge import Base
from augury.relations.causal.parts import Edge, FactorLink
from augury.search.related import Relation

RELATIONS: Final[tuple[Relation, ...]] = ("upstream", "downstream", "correlated")

STRENGTH: Final = {3: 1.0, 2: 0.6, 1: 0.3}
"""Strength of an edge or link of the factor base (3: main, 1: weak) -> weight (0 to 1) of a step
along it. Chosen by hand."""
SECOND_STEP: Final = 0.3
"""The weight of a path with two steps is multiplied by this number (0 to 1; 1 would mean no loss).
Chosen by hand."""
SIBLING_WEIGHT: Final = 0.5
"""Weight (0 to 1) of the step between siblings: two factors made from the same pattern for
different entities, e.g. for two central banks or two rival teams. Chosen by hand; 0.3 was measured
to be worse (`docs/experiments/relations-tried.md`)."""
MOST_SIBLINGS: Final = 400
"""The factors made from one pattern (one for each team, country ...) count as siblings of each
other, i.e. as related, only if there are at most this many of them."""
FIRST_SIBLINGS: Final = 4
"""Number of siblings of a factor (made from the same pattern, e.g. other teams' titles) whose
markets are looked up: the best known ones, which are the first in the pattern's list. Markets of
other siblings are candidates only if search finds them by their text."""
SAME_KIND: Final = "The same kind of thing elsewhere."
SUPPOSED: Final = "The question asks what follows from it."
FACTORS_KEPT: Final = 512
"""Number of factors whose paths to other factors are kept in a cache (about 50 MB in all); finding
the paths from a factor anew takes milliseconds."""
FAINT_WEIGHT: Final = 0.05
"""Smallest weight (0 to 1) of a path from factor to factor; weaker paths are dropped. Chosen by
hand."""


class Step(NamedTuple):
    """One step of a path between factors (things in the world that markets are about), from factor
    number `source` to factor number `target`: along an edge or link of the factor base, to a
    sibling (`SIBLING_WEIGHT`), or to a cause that the question supposes."""

    source: int
    target: int
    weight: float
    sign: int
    """+1 if more of the source factor goes with more of the target factor, -1 if with less, 0 if
    unknown."""
    lag: int
    """Typical number of days from cause to effect; 0 for two factors that only move together."""
    reason: str


Way = tuple[Step, ...]
"""A path from one factor (`parts.Factor`) to another: its steps, from the first to the
last."""


class _Around(NamedTuple):
    """Where paths of the factor base lead from one starting factor: the factors reached, and a path
    to each. The same for every question."""

    targets: NDArray[np.int32]
    relations: NDArray[np.intp]
    """For each of `targets`, how it is related to the factor at the start (upstream, downstream or
    correlated), as an index into `RELATIONS`. A target with several relations is listed several
    times."""
    weights: NDArray[np.float32]
    alike: NDArray[np.bool_]
    """For each of `targets`: True if it is related only as a sibling (made from the same pattern)
    and is not one of the first `FIRST_SIBLINGS` siblings."""
    ways: dict[tuple[int, int], Way]
    """(index into `RELATIONS`, number of the target) -> the path to the target."""


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """The factors to which paths lead from the factors that a question is about.

    weights : (3, factors + 1), weight of the best path, 0 to 1, by relation (in the order of
        `RELATIONS`) and factor number; 0 if there is no path
    asked : (factors + 1,), how much the question is about each factor itself, 0 to 1
    far : (factors + 1,), True for factors whose markets search should look up; False for most
        siblings (`SIBLING_WEIGHT`), whose markets search finds by their text
    """

    weights: NDArray[np.float32]
    asked: NDArray[np.float32]
    far: NDArray[np.bool_]
    _sources: tuple[tuple[float, _Around], ...]
    _supposed: Mapping[int, Way]
    """Number of a factor -> path to it, for factors that the question takes as given causes ("if
    the dollar collapses"). Such a path is one step from the first factor that the question is
    about. It is used only if no path of the factor base shows the factor to be a cause."""

    def way(self, relation: int, target: int) -> Way:
        """The path with the largest weight from a factor that the question is about to factor
        number `target`, in one relation; empty if there is none.

        relation : index into `RELATIONS` (upstream, downstream, correlated)
        """
        ways = [
            (weight * _weight(way), way)
            for weight, around in self._sources
            if (way := around.ways.get((relation, target))) is not None
        ]
        if not ways and relation == 0:
            return self._supposed.get(target, ())
        return max(ways, key=lambda pair: pair[0])[1] if ways else ()


class FactorGraph:
    """The edges (from cause to effect) and links (without direction) of a factor base, looked up by
    the numbers of the factors that they join."""

    def __init__(self, base: Base) -> None:
        numbers = {key: n for n, key in enumerate(base.factors, 1)}
        self.size = len(numbers) + 1
        self.causes: dict[int, list[tuple[int, Edge]]] = defaultdict(list)
        self.effects: dict[int, list[tuple[int, Edge]]] = defaultdict(list)
        self.links: dict[int, list[tuple[int, FactorLink]]] = defaultdict(list)
        for edge in base.edges:
            cause, effect = numbers[edge.cause], numbers[edge.effect]
            self.causes[effect].append((cause, edge))
            self.effects[cause].append((effect, edge))
        for link in base.links:
            one, other = numbers[link.one], numbers[link.other]
            self.links[one].append((other, link))
            self.links[other].append((one, link))
        patterns: dict[str, list[int]] = defaultdict(list)
        for number, factor in enumerate(base.factors.values(), 1):
            if factor.entity is not None and factor.siblings:
                patterns[factor.pattern].append(number)
        rows = {
            (kind, row["key"]): n
            for kind, listed in base.entities.items()
            for n, row in enumerate(listed)
        }
        every = tuple(base.factors.values())
        for members in patterns.values():
            members.sort(
                key=lambda n: rows.get((every[n - 1].kind or "", every[n - 1].entity or ""), 0)
            )
        self._around = lru_cache(maxsize=FACTORS_KEPT)(self._explore)
        self.kinds, self.entities = _entities(base)
        """Two arrays (factors + 1,): the number of the list of entities that a factor belongs to,
        and the number of its entity; 0 if it has none."""
        self.of_one = np.array([False, *(factor.is_of_one for factor in base.factors.values())])
        """(factors + 1,): `Factor.is_of_one` of each factor."""
        self.contenders: dict[int, list[int]] = defaultdict(list)
        """Number of a factor on a whole contest -> numbers of the factors on one of its contenders
        (`Factor.contests`)."""
        for number, factor in enumerate(base.factors.values(), 1):
            for key in factor.contests:
                if key in numbers:
                    self.contenders[numbers[key]].append(number)
        self.siblings: dict[int, list[int]] = {
            number: members
            for members in patterns.values()
            if len(members) <= MOST_SIBLINGS
            for number in members
        }
        """Number of a factor -> the numbers of all instances of its pattern, in the order of the
        base's list: the best known first."""

    def reach(self, asked: Sequence[tuple[int, float]], supposed: Collection[int] = ()) -> Reached:
        """Find the factors (things in the world that markets are about) that drive, follow from, or
        move with those that a question is about, and the paths to them.

        asked : (number, weight from 0 to 1) of the factors that the question is about
        supposed : numbers of the factors that the question supposes as causes ("if the dollar
            collapses"); they count as upstream only, whatever the factor base says
        """
        weights = np.zeros((3, self.size), np.float32)
        own = np.zeros(self.size, np.float32)
        far = np.zeros(self.size, np.bool_)
        sources = tuple((weight, self._around(number)) for number, weight in asked)
        for number, weight in asked:
            own[number] = max(own[number], weight)
        for weight, around in sources:
            carried = around.weights * np.float32(weight)
            np.maximum.at(weights, (around.relations, around.targets), carried)
            far[around.targets[~around.alike & (carried >= FAINT_WEIGHT)]] = True
        weights[(weights < FAINT_WEIGHT) | (own > 0)] = 0
        conditions = [number for number in supposed if asked and not own[number]]
        weights[:, conditions] = np.array([[1], [0], [0]], np.float32)
        far[conditions] = True
        far[own > 0] = False
        ways = {
            number: (Step(asked[0][0], number, STRENGTH[2], 0, 0, SUPPOSED),)
            for number in conditions
        }
        return Reached(weights, own, far, sources, ways)

    def _explore(self, number: int) -> _Around:
        best: dict[tuple[int, int], tuple[float, Way]] = {}

        def note(relation: int, way: Way, weight: float) -> None:
            key = relation, way[-1].target
            if weight >= FAINT_WEIGHT and weight > best.get(key, (0.0, ()))[0]:
                best[key] = weight, way

        for relation, neighbours in ((0, self.causes), (1, self.effects)):
            for target, edge in neighbours.get(number, ()):
                first = _step(number, target, edge)
                note(relation, (first,), first.weight)
                for beyond, edge2 in neighbours.get(target, ()):
                    if not edge2.inherited:  # the contest's own edge stands for its contenders'
                        second = _step(target, beyond, edge2)
                        note(relation, (first, second), _weight((first, second)))
        for target, link in self.links.get(number, ()):
            sign = 1 if link.sign == "+" else -1
            step = Step(number, target, STRENGTH[link.strength], sign, 0, link.reason)
            note(2, (step,), step.weight)
        for target in self.siblings.get(number, ()):
            if target != number:
                note(2, (Step(number, target, SIBLING_WEIGHT, 1, 0, SAME_KIND),), SIBLING_WEIGHT)
        first = set(self.siblings.get(number, ())[:FIRST_SIBLINGS])
        keys = list(best)
        return _Around(
            np.array([target for _, target in keys], np.int32),
            np.array([relation for relation, _ in keys], np.intp),
            np.array([best[key][0] for key in keys], np.float32),
            np.array(
                [best[key][1][0].reason == SAME_KIND and key[1] not in first for key in keys],
                np.bool_,
            ),
            {key: way for key, (_, way) in best.items()},
        )

    def near(self, number: int) -> set[int]:
        """Numbers of the factors that a single edge or link of the factor base joins to factor
        number `number`."""
        tied = (*self.causes.get(number, ()), *self.effects.get(number, ()))
        return {other for other, _ in (*tied, *self.links.get(number, ()))}

    def among(self, numbers: set[int]) -> list[Step]:
        """The edges (from cause to effect) between any two of the factors numbered `numbers`, as
        steps."""
        return [
            _step(cause, effect, edge)
            for cause in sorted(numbers)
            for effect, edge in self.effects.get(cause, ())
            if effect in numbers
        ]


def _weight(way: Way) -> float:
    """Weight (0 to 1) of a path: the product of its steps' weights, times `SECOND_STEP` if it has
    two steps."""
    product = SECOND_STEP ** (len(way) - 1)
    for step in way:
        product *= step.weight
    return product


def _entities(base: Base) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    kinds, entities = np.zeros((2, len(base.factors) + 1), np.int32)
    known: dict[str, int] = {}
    named: dict[tuple[str, str | None], int] = {}
    for number, factor in enumerate(base.factors.values(), 1):
        if factor.kind is not None:
            kinds[number] = known.setdefault(factor.kind, len(known) + 1)
            entities[number] = named.setdefault((factor.kind, factor.entity), len(named) + 1)
    return kinds, entities


def _step(source: int, target: int, edge: Edge) -> Step:
    sign = 1 if edge.sign == "+" else -1
    return Step(source, target, STRENGTH[edge.strength], sign, edge.lag, edge.reason)

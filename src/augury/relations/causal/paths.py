"""Paths that lead from a question's own factors to the factors that drive them, follow from them or
move with them. Pure.

A factor is something in the world that markets are about. The factor base lists all factors, and
says which of them drives which (edges) and which move together (links). The id of a factor is its
position in this list, counted from 1. Siblings are factors made from the same pattern, e.g. one for
each team. A path has one step (along an edge, along a link or to a sibling) or two steps, both
along edges. For each relation (upstream, downstream, correlated) and each factor, the result has
the weight of the best path, in (0, 1], and the path's steps, which say why a market is related.
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
"""Strength of an edge or link between two factors (3: main, 1: weak) -> weight (0 to 1) of a step
along it. Chosen by hand."""
SECOND_STEP: Final = 0.3
"""The weight of a path with two steps (a cause of a cause, an effect of an effect) is multiplied by
this number. A smaller number makes indirect relations count less; 1 would make them count fully.
Chosen by hand."""
SIBLING_WEIGHT: Final = 0.5
"""Weight (0 to 1) of the step between siblings: factors made from the same pattern for different
entities, e.g. the rates of two central banks or the titles of two rival teams. Chosen by hand; 0.3
was measured to be worse (`docs/experiments/relations-tried.md`)."""
MOST_SIBLINGS: Final = 400
"""The factors made from one pattern (one for each team, country ...) count as siblings, i.e. as
related to each other, only if there are at most this many of them."""
FIRST_SIBLINGS: Final = 4
"""For a query, the markets of at most this many siblings of a factor are looked up. Siblings are
factors made from the same pattern, e.g. one for each team. The best known are taken: those that
come first in the pattern's list. Markets of further siblings are candidates only if search finds
them by their text."""
SAME_KIND: Final = "The same kind of thing elsewhere."
"""The reason given for a step from one factor to its sibling, e.g. to another team's title."""
SUPPOSED: Final = "The question asks what follows from it."
"""The reason given for a step to a factor that the question supposes as a cause ("if the dollar
collapses")."""
FACTORS_KEPT: Final = 512
"""A cache keeps the paths that start at this many factors (about 50 MB in all). Finding the paths
from a factor that is not in the cache takes milliseconds."""
FAINT_WEIGHT: Final = 0.05
"""A path from one factor (thing in the world) to another is dropped if its weight (0 to 1) is
smaller than this. Chosen by hand."""


class Step(NamedTuple):
    """One step of a path from one factor (thing in the world that markets are about) to another:
    along an edge (cause and effect) or a link (without direction) of the factor base; to a sibling,
    i.e. a factor made from the same pattern (such a step has the weight `SIBLING_WEIGHT`); or to a
    cause that the question supposes ("if the dollar collapses")."""

    source: int
    """Id of the factor at which the step starts."""
    target: int
    """Id of the factor to which the step leads."""
    weight: float
    """How strong the relation is, 0 to 1."""
    sign: int
    """+1 if the target factor tends to rise when the source factor rises, -1 if it tends to fall, 0
    if unknown."""
    lag: int
    """Typical number of days from cause to effect; 0 for two factors that only move together."""
    reason: str


FactorPath = tuple[Step, ...]
"""A path from one factor (thing in the world) to another: its steps, from the first to the last."""


class _Around(NamedTuple):
    """Where paths of the factor base lead from one starting factor: the factors that are reached,
    and the best path to each. It does not depend on the question."""

    targets: NDArray[np.int32]
    """Ids of the factors to which a path leads from the starting factor. `relations`, `weights` and
    `text_only` have the same order."""
    relations: NDArray[np.intp]
    """For each of `targets`, how it is related to the starting factor (upstream, downstream or
    correlated), as an index into `RELATIONS`. A target with several relations is listed several
    times."""
    weights: NDArray[np.float32]
    """For each of `targets`, the weight of the best path to it, 0 to 1."""
    text_only: NDArray[np.bool_]
    """For each of `targets`: True if its markets are found by their text only. These targets are
    the siblings after the first `FIRST_SIBLINGS`, unless a stronger path leads to them. Siblings
    are factors made from the same pattern, e.g. one for each team."""
    paths: dict[tuple[int, int], FactorPath]
    """(index into `RELATIONS`, id of the target) -> the path to the target."""


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """The factors (things in the world) that are reached from a question's own factors, along paths
    of the factor base. A question's own factors are those that it is about. The arrays are indexed
    by factor id.

    weights : (3, factors + 1), weight of the best path, 0 to 1, by relation (in the order of
        `RELATIONS`) and factor; 0 if there is no path
    own : (factors + 1,), how much the question is about the factor itself, 0 to 1
    looked_up : (factors + 1,), True for the reached factors whose markets may be looked up. False
        for all others. Siblings are factors made from the same pattern, e.g. one for each team.
        Of the siblings of an own factor, the first `FIRST_SIBLINGS` are True. A later one is True
        only if it is also upstream or downstream of an own factor, or is joined to one by a link
        with a weight of at least `SIBLING_WEIGHT`. Search finds the markets of the other siblings
        only by their text
    """

    weights: NDArray[np.float32]
    own: NDArray[np.float32]
    looked_up: NDArray[np.bool_]
    _sources: tuple[tuple[float, _Around], ...]
    """For each of the question's own factors: how much the question is about it, and the factors to
    which paths lead from it."""
    _supposed: Mapping[int, FactorPath]
    """Id of each factor that the question supposes as a cause ("if the dollar collapses") -> a path
    to this factor. The path has a single step: it starts at the first of the question's own factors
    and ends at the supposed factor. It is used only if the factor base itself has no path on which
    the supposed factor is a cause of what the question is about."""

    def path(self, relation: int, target: int) -> FactorPath:
        """The path with the largest weight that ends at the factor with the id `target` and starts
        at a factor of the question; empty if there is none.

        relation : which paths count, as an index into `RELATIONS` (upstream, downstream,
            correlated)
        """
        found = [
            (weight * _weight(path), path)
            for weight, around in self._sources
            if (path := around.paths.get((relation, target))) is not None
        ]
        if not found and relation == 0:
            return self._supposed.get(target, ())
        return max(found, key=lambda pair: pair[0])[1] if found else ()


class FactorGraph:
    """The edges (from cause to effect) and links (without direction) of a factor base, looked up by
    the ids of the factors that they join."""

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
                key=lambda n: rows.get(
                    (every[n - 1].entity_list or "", every[n - 1].entity or ""), 0
                )
            )
        self._around = lru_cache(maxsize=FACTORS_KEPT)(self._explore)
        self.kinds, self.entities = _entities(base)
        """Two arrays (factors + 1,), by factor id. A factor made from a pattern is about one entity
        of a list, e.g. one team of a league. `kinds` has a number that stands for the list, and
        `entities` one that stands for the entity. Both are 0 for all other factors."""
        self.differs_by_market = np.array(
            [False, *(factor.differs_by_market for factor in base.factors.values())]
        )
        """(factors + 1,), by factor id: whether the factor means a different thing in each market
        ("the song in question"). A path to such a factor counts only if the market's text mentions
        something that the query mentions (`columns.paths`)."""
        self.contenders: dict[int, list[int]] = defaultdict(list)
        """Id of a factor about a whole contest ("who wins the league") -> ids of the factors about
        its contenders ("this team wins the league")."""
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
        """Id of a factor -> ids of all factors made from the same pattern (e.g. the rates of all
        central banks), itself included, in the order of the pattern's list of entities: the best
        known first. Patterns with more than `MOST_SIBLINGS` factors are left out."""

    def reach(
        self, factors: Sequence[tuple[int, float]], supposed: Collection[int] = ()
    ) -> Reached:
        """Find the factors (things in the world that markets are about) that are related to a
        question's own factors, and the paths to them. A related factor drives one of the question's
        factors, follows from it, or moves with it.

        factors : the factors that the question is about, as (id, weight from 0 to 1)
        supposed : ids of the factors that the question supposes as causes ("if the dollar
            collapses"); they count as upstream only, whatever the factor base says
        """
        weights = np.zeros((3, self.size), np.float32)
        own = np.zeros(self.size, np.float32)
        looked_up = np.zeros(self.size, np.bool_)
        sources = tuple((weight, self._around(number)) for number, weight in factors)
        for number, weight in factors:
            own[number] = max(own[number], weight)
        for weight, around in sources:
            carried = around.weights * np.float32(weight)
            np.maximum.at(weights, (around.relations, around.targets), carried)
            looked_up[around.targets[~around.text_only & (carried >= FAINT_WEIGHT)]] = True
        weights[(weights < FAINT_WEIGHT) | (own > 0)] = 0
        conditions = [number for number in supposed if factors and not own[number]]
        weights[:, conditions] = np.array([[1], [0], [0]], np.float32)
        looked_up[conditions] = True
        looked_up[own > 0] = False
        supposed_paths = {
            number: (Step(factors[0][0], number, STRENGTH[2], 0, 0, SUPPOSED),)
            for number in conditions
        }
        return Reached(weights, own, looked_up, sources, supposed_paths)

    def _explore(self, number: int) -> _Around:
        best: dict[tuple[int, int], tuple[float, FactorPath]] = {}

        def note(relation: int, path: FactorPath, weight: float) -> None:
            key = relation, path[-1].target
            if weight >= FAINT_WEIGHT and weight > best.get(key, (0.0, ()))[0]:
                best[key] = weight, path

        for relation, neighbors in ((0, self.causes), (1, self.effects)):
            for target, edge in neighbors.get(number, ()):
                first = _step(number, target, edge)
                note(relation, (first,), first.weight)
                for beyond, edge2 in neighbors.get(target, ()):
                    if not edge2.inherited:  # the edge of the whole contest says the same
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
            {key: path for key, (_, path) in best.items()},
        )

    def near(self, number: int) -> set[int]:
        """Ids of the factors (things in the world) that are connected to the factor with the id
        `number` by a single edge or link of the factor base."""
        tied = (*self.causes.get(number, ()), *self.effects.get(number, ()))
        return {other for other, _ in (*tied, *self.links.get(number, ()))}

    def among(self, numbers: set[int]) -> list[Step]:
        """The edges (from cause to effect) between any two of the factors with the ids `numbers`,
        as steps."""
        return [
            _step(cause, effect, edge)
            for cause in sorted(numbers)
            for effect, edge in self.effects.get(cause, ())
            if effect in numbers
        ]


def _weight(path: FactorPath) -> float:
    """Weight (0 to 1) of a path: the product of its steps' weights, times `SECOND_STEP` if it has
    two steps."""
    product = SECOND_STEP ** (len(path) - 1)
    for step in path:
        product *= step.weight
    return product


def _entities(base: Base) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    kinds, entities = np.zeros((2, len(base.factors) + 1), np.int32)
    known: dict[str, int] = {}
    named: dict[tuple[str, str | None], int] = {}
    for number, factor in enumerate(base.factors.values(), 1):
        if factor.entity_list is not None:
            kinds[number] = known.setdefault(factor.entity_list, len(known) + 1)
            entities[number] = named.setdefault((factor.entity_list, factor.entity), len(named) + 1)
    return kinds, entities


def _step(source: int, target: int, edge: Edge) -> Step:
    sign = 1 if edge.sign == "+" else -1
    return Step(source, target, STRENGTH[edge.strength], sign, edge.lag, edge.reason)

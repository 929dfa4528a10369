"""Relations as search uses them: tags for markets, and for a query what is related and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from augury.relations import columns, knowledge, reasons
from augury.relations import rank as ranking
from augury.relations import ranker as fitted
from augury.relations.causal_parts import Factor
from augury.relations.columns import BY_PLACE
from augury.relations.factors import Matcher, game
from augury.relations.judged import CODES, Judged
from augury.relations.knowledge import Base
from augury.relations.labelling import Labels
from augury.relations.labels import Tie
from augury.relations.moving import STEP, Moving, Partner
from augury.relations.paths import (
    RELATIONS,
    SAME_KIND,
    SUPPOSED,
    FactorGraph,
    Reached,
    Relation,
    Step,
)
from augury.relations.reasons import Phrasing
from augury.search.related import Lookup, Pool, PoolReading, Ranked, Tag
from augury.search.subject import split
from augury.search.text import DocumentText

CODE: Final = "5"
"""Raise it when texts get other tags though the base stands as it was."""

ASKED: Final = 6
"""Most factors a query is taken to be about."""
ASKED_SHARE: Final = 0.25
"""Of the strongest factor's weight, the least that another one needs."""
NAMED: Final = 0.4
"""Weight of a factor that the query's words name, before its fit."""
VOTE: Final = 0.8
"""Weight of a factor that all of the best direct results are about."""
GUESS: Final = 0.5
"""Least weight of the strongest factor where the query's words name none: a bare name stands for
what its markets are most about."""
GUESSED: Final = 0.1
"""Weight by the direct results from which on they are taken to agree on a factor."""
SURE: Final = 0.6
"""Weight of a named factor from which on the words tell what the question is about."""
ANSWERED: Final = 0.5
"""Share of the best direct results from which a named factor counts as found by the words."""
SUPPOSED_SHARE: Final = 0.8
"""Of the strongest factor's weight in a condition, the least that another one needs to be supposed
as well."""
RIVAL: Final = 0.3
"""How much a market of the same contest is about a question that asks of one contender."""
BESIDE: Final = 0.4
"""What is left, beside such a factor, of one that only the direct results are about; and of one
whose words are a part of what another one's words say."""
LOOKED_UP: Final = 24
"""Most factors whose markets are looked up for one query."""
LABELLED: Final = 4
"""Most factors looked up besides, for markets that labels name."""


class RelationService:
    """`augury.search.related.Relations` over the factor base."""

    def __init__(self, base: Base | None = None, moving: Moving | None = None) -> None:
        """`moving`: which prices move together; without it nothing is known of that."""
        self.base = base or knowledge.load()
        self.moving = moving
        self.labels: Labels | None = None
        """How a language model relates markets; None: nothing is heard of that."""

    @property
    def version(self) -> str:
        """Changes with the base, and with how texts are matched."""
        return f"{CODE}-{self.base.version}"

    @cached_property
    def matcher(self) -> Matcher:
        return _matcher(self.base)

    @cached_property
    def graph(self) -> FactorGraph:
        return _graph(self.base)

    @cached_property
    def judged(self) -> Judged:
        return _judged(self.base)

    @cached_property
    def phrasing(self) -> Phrasing:
        return _phrasing(self.base)

    @cached_property
    def ranker(self) -> fitted.Ranker:
        return fitted.default()

    @cached_property
    def direct_ranker(self) -> fitted.Ranker:
        return fitted.direct()

    def factor(self, number: int) -> Factor:
        """The factor of a tag."""
        return self.matcher.factors[number - 1]

    def tags(self, text: DocumentText) -> list[Tag]:
        """The factors a market is about, best fitting first."""
        found = self.matcher.match(text.title, text.event or game(text.body))
        return [Tag(m.factor, m.fit, m.lean) for m in found]

    def ask(
        self,
        query: str,
        keys: NDArray[np.int64],
        tags: NDArray[np.uint16],
        fits: NDArray[np.float32],
        scores: NDArray[np.float32],
    ) -> Asked:
        """What a query is about: the factors that its words or its best direct results name."""
        weights, supposed = self._named(query)
        votes: Counter[int] = Counter()
        total = float(scores.sum())
        for row, fit, score in zip(tags.tolist(), fits.tolist(), scores.tolist(), strict=True):
            for tag, share in zip(row, fit, strict=True):
                if tag:
                    votes[tag] += score * min(1.0, 0.3 + share)
        voted = {tag: VOTE * vote / total for tag, vote in votes.items()}
        if not weights and (top := max(voted.values(), default=0.0)) >= GUESSED:
            voted = {tag: vote * max(1.0, GUESS / top) for tag, vote in voted.items()}
        found = {
            tag: float((tags == tag).any(axis=1).mean()) if len(tags) else 0.0 for tag in weights
        }
        unanswered = [
            tag for tag, weight in weights.items() if weight >= SURE and found[tag] < ANSWERED
        ]
        near = {tag: self._near(tag) for tag in weights}
        sure = max(weights.values(), default=0.0) >= SURE
        for tag, vote in voted.items():
            if tag in supposed:
                continue
            # What a named factor drives or is driven by is the answer, and not the question.
            if not any(tag in near[one] and weights[one] >= vote for one in near):
                share = BESIDE if sure and tag not in near else 1.0
                weights[tag] = max(weights.get(tag, 0.0), share * vote)
        # A question about one contender is not about what the others do.
        contests: set[int] = set()
        for tag, weight in tuple(weights.items()):
            for contest in self._contests(self.factor(tag)):
                if tag in near or weight > weights.get(contest, 0.0):
                    weights.pop(contest, None)
                    contests.add(contest)
        best = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:ASKED]
        least = ASKED_SHARE * best[0][1] if best else 0.0
        factors = [(tag, weight) for tag, weight in best if weight >= least]
        partners = self.moving.partners(keys.tolist()) if self.moving else {}
        labels = self.labels.ties(keys.tolist()) if self.labels else {}
        return Asked(self, factors, contests, partners, labels, unanswered, supposed)

    def _named(self, query: str) -> tuple[dict[int, float], set[int]]:
        """Weights of the factors that a query's words name, and the factors that it only supposes:
        these are none of its subject, but what is to drive it."""
        subject = split(query)
        about = self._weighed(subject.about)
        if not subject.condition or not about:
            return self._weighed(query), set()
        condition = self._weighed(subject.condition)
        least = SUPPOSED_SHARE * max(condition.values(), default=0.0)
        supposed = {factor for factor, weight in condition.items() if weight >= least}
        return about, supposed - about.keys()

    def _weighed(self, text: str) -> dict[int, float]:
        weights: dict[int, float] = {}
        for match in self.matcher.match(text):
            weight = min(1.0, NAMED + (1 - NAMED) * match.fit)
            weights[match.factor] = BESIDE * weight if match.part else weight
        return weights

    def _near(self, number: int) -> set[int]:
        """The factors one step away, and the contests that those are parts in."""
        near = self.graph.near(number)
        return near.union(*(self._contests(self.factor(other)) for other in near))

    def _contests(self, factor: Factor) -> set[int]:
        return {self.matcher.numbers[key] for key in factor.contests if key in self.base.factors}


@lru_cache(maxsize=1)
def _matcher(base: Base) -> Matcher:
    """One for all services of a process: it holds only what follows from the base."""
    return Matcher(base)


@lru_cache(maxsize=1)
def _graph(base: Base) -> FactorGraph:
    return FactorGraph(base)


@lru_cache(maxsize=1)
def _phrasing(base: Base) -> Phrasing:
    return Phrasing(base)


@lru_cache(maxsize=1)
def _judged(base: Base) -> Judged:
    return Judged(base.verdicts, tuple(base.factors.values()))


class Asked(Lookup):
    """One query's factors, and what is reached from them."""

    def __init__(
        self,
        relations: RelationService,
        factors: Sequence[tuple[int, float]],
        contests: Collection[int],
        partners: Mapping[int, Partner],
        labels: Mapping[int, Tie],
        unanswered: Sequence[int] = (),
        supposed: Collection[int] = (),
    ) -> None:
        """`contests`: those that the question's factors are a part in; `supposed`: factors that
        the question asks the effect of."""
        self._unanswered = unanswered
        self.relations = relations
        contenders = relations.graph.contenders
        self._others = np.zeros(relations.graph.size, np.bool_)
        """By factor: those that make a market another outcome of what is asked."""
        self._others[[*contests]] = True
        for number, _ in factors:
            self._others[contenders.get(number, [])] = True
        self._partners = partners
        self._reasons: dict[tuple[Relation, int], str] = {}
        self.labels = labels
        """By market: what a label relates to the question's best direct results."""
        self.factors = factors
        """(number, weight), the strongest first."""
        self.reached: Reached = relations.graph.reach(factors, supposed)

    @property
    def unanswered(self) -> Sequence[int]:
        """Factors that the query's words surely name and few of its best direct results hold."""
        return self._unanswered

    def bearing(
        self, tags: NDArray[np.uint16], fits: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """How much markets are about the question's own factors, and about related ones."""
        own, paths = ranking.bearing(self.reached, tags, fits)
        # Who else may win is an answer as well, if a lesser one.
        rivals = self._rivals(tags)
        own = np.where(rivals, np.maximum(own, RIVAL), own).astype(np.float32)
        return own, np.where(rivals, 0, paths.max(axis=(0, 2), initial=0)).astype(np.float32)

    @property
    def tags(self) -> list[int]:
        """The factors reached with the most weight: theirs are the markets to look up. Each
        relation has its share, so that many effects leave room for what moves together."""
        far = np.flatnonzero(self.reached.far)
        weights = self.reached.weights[:, far]
        strongest, best = weights.argmax(axis=0), weights.max(axis=0, initial=0)
        order = np.argsort(-best, kind="stable")
        order = order[best[order] > 0]
        found: dict[int, None] = {}
        for relation in range(len(RELATIONS)):
            own = order[strongest[order] == relation]
            found |= dict.fromkeys(far[own[: LOOKED_UP // len(RELATIONS)]].tolist())
        found |= dict.fromkeys(far[order[:LOOKED_UP]].tolist())
        labelled = [tie.factor for tie in self.labels.values() if tie.factor][:LABELLED]
        return list(dict.fromkeys([*list(found)[:LOOKED_UP], *labelled]))

    def read(self, pool: Pool) -> TreeReading:
        """What is known of each market of the pool."""
        tags = pool.tags
        graph, around = self.relations.graph, self.relations.judged.around
        found = columns.paths(self.reached, pool, graph.of_one[tags])
        judged = [around(number) for number, _ in self.factors[: len(BY_PLACE)]]
        rows = columns.table(
            self.reached, self.factors, pool, found, self._foreign(tags), self._rivals(tags), judged
        )
        return TreeReading(self, pool, found, rows)

    def weights_by_label(self, keys: NDArray[np.int64]) -> NDArray[np.float32]:
        """Weight of each market's label by relation, (3, n)."""
        weights = np.zeros((len(RELATIONS), len(keys)), np.float32)
        for seq, tie in self.labels.items():
            weights[RELATIONS.index(tie.relation), keys == seq] = tie.weight
        return weights

    def labelled(self, relation: Relation, factor: int, key: int) -> Tie | None:
        """The label by which alone a market stands in a relation."""
        tie = self.labels.get(key)
        if tie is None or tie.relation != relation or (factor and self.way(relation, factor)):
            return None
        return tie

    def told(self, relation: Relation, factor: int, key: int) -> str:
        """Why a market that was reached through `factor` is related, for a person to read."""
        if (tie := self.labelled(relation, factor, key)) is not None:
            return tie.told
        if (reason := self._reasons.get((relation, factor))) is None:
            reason = self._reasons[relation, factor] = self.reason(relation, factor)
        if (partner := self._partners.get(key)) is not None:
            hours = STEP.total_seconds() / 3600
            moved = (
                f"Prices moved together: correlation {partner.correlation:+.2f} over"
                f" {partner.steps} steps of {hours:.0f} hours."
            )
            reason = f"{reason} {moved}"
        return reason

    def _rivals(self, tags: NDArray[np.uint16]) -> NDArray[np.bool_]:
        """Markets of the contests that the question's factors are a part in, and of who takes
        part in the contest that the question asks for: other outcomes of what is asked."""
        return np.asarray(self._others[tags].any(axis=1))

    def _foreign(self, tags: NDArray[np.uint16]) -> NDArray[np.bool_]:
        """Markets about another team, country, bank ... than the question names."""
        graph = self.relations.graph
        kinds, entities = graph.kinds[tags], graph.entities[tags]
        named: dict[int, list[int]] = {}
        for number, _ in self.factors:
            if graph.kinds[number]:
                named.setdefault(graph.kinds[number], []).append(graph.entities[number])
        foreign = np.zeros(len(tags), np.bool_)
        for kind, members in named.items():
            of_kind = kinds == kind
            foreign |= of_kind.any(axis=1) & ~(of_kind & np.isin(entities, members)).any(axis=1)
        return foreign

    def way(self, relation: Relation, factor: int) -> tuple[Step, ...]:
        """The steps from the question's factor to `factor`; none for one of its own."""
        return self.reached.way(RELATIONS.index(relation), factor)

    def reason(self, relation: Relation, factor: int) -> str:
        """Why markets of `factor` are related, for a person to read."""
        way = self.way(relation, factor)
        factors = self.relations.factor
        if not way:
            return reasons.same(factors(factor).name)
        if relation == "correlated":
            return self._together(way[0])
        if way[0].reason == SUPPOSED:
            return reasons.supposed(factors(factor).name, factors(way[0].source).name)
        names = [factors(way[0].source).name, *(factors(step.target).name for step in way)]
        told = [self.relations.phrasing.inside(step.reason) for step in way]
        if relation == "upstream":
            names, told = names[::-1], told[::-1]
        return reasons.causes(names, told)

    def _together(self, step: Step) -> str:
        one, other = self.relations.factor(step.target), self.relations.factor(step.source)
        if step.reason == SAME_KIND:
            known = self.relations.base.factors
            common = [key for key in one.contests if key in other.contests and key in known]
            return reasons.alike(one, other, [known[key].name for key in common])
        code = self.relations.judged.around(step.source).codes[step.target]
        return reasons.together(
            one.name, other.name, self.relations.phrasing.inside(step.reason), sign=step.sign,
            code=CODES[code - 1] if 0 < code <= len(CODES) else None,
        )  # fmt: skip


class TreeReading(PoolReading):
    """What the trees read of each market of a pool, computed once for `direct` and relations."""

    def __init__(
        self, asked: Asked, pool: Pool, found: columns.Paths, rows: columns.Floats
    ) -> None:
        """`rows` from `columns.table`."""
        self._asked, self._pool, self._rows = asked, pool, rows
        self.ways = ranking.through(found)
        """Weight of what leads to each market's factors, (3, n, MOST_TAGS)."""

    def rows(self) -> columns.Floats:
        """What the trees of relations read: (n, COLUMNS)."""
        return columns.compared(self._rows, self._pool.family)

    def direct_rows(self) -> columns.Floats:
        """What the trees for `direct` read, which compare the query's own candidates with each
        other: (own, DIRECT_COLUMNS)."""
        own = slice(0, self._pool.own)
        rows = columns.compared(self._rows[own], self._pool.family[own])
        return columns.direct_table(rows, self._pool.features[own])

    def direct(self) -> columns.Floats:
        """How directly each of the query's own candidates is about it, in (0, 1)."""
        return self._asked.relations.direct_ranker.grades(self.direct_rows())

    def rank(self, direct: columns.Floats, most: int) -> dict[Relation, list[Ranked]]:
        """The `most` best of each relation, with their reasons."""
        asked, pool = self._asked, self._pool
        held = np.flatnonzero(self.ways.any(axis=(0, 2)))
        chances = np.zeros((len(pool.keys), len(RELATIONS)), np.float32)
        said = asked.relations.ranker.chances(self.rows()[held])
        chances[held] = said[:, -len(RELATIONS) :]
        labelled = asked.weights_by_label(pool.keys) if asked.labels else None
        ranked = ranking.rank(chances, pool, self.ways, direct, labelled)
        found: dict[Relation, list[Ranked]] = {}
        for relation, (positions, scores, vias) in ranked.items():
            places = positions[:most]
            listed = (places, scores[:most], vias[:most], pool.keys[places])
            found[relation] = [
                Ranked(place, score, via, asked.told(relation, via, key))
                for place, score, via, key in zip(*(one.tolist() for one in listed), strict=True)
            ]
        return found

"""Relations as search uses them: tags for markets, and for a query what is related and why.

A factor is something in the world that markets are about. The tags of a market are the numbers of
the factors that it is about. The question's own factors are those that its words name or that its
best direct results (markets on the question itself) are about. A pool has all markets that may be
listed for one query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from augury.relations import columns, reasons
from augury.relations import rank as ranking
from augury.relations import ranker as fitted
from augury.relations.causal import knowledge
from augury.relations.causal.factors import Matcher, game
from augury.relations.causal.judged import CODES, Judged
from augury.relations.causal.knowledge import Base
from augury.relations.causal.parts import Factor
from augury.relations.causal.paths import (
    RELATIONS,
    SAME_KIND,
    SUPPOSED,
    FactorGraph,
    Reached,
    Relation,
    Step,
)
from augury.relations.columns import BY_PLACE
from augury.relations.labelling import Labels
from augury.relations.labels import Tie
from augury.relations.moving import STEP_LENGTH, Moving, Partner
from augury.relations.reasons import Phrasing
from augury.search.related import Lookup, Pool, PoolReading, Ranked, Tag
from augury.search.subject import split
from augury.search.text import DocumentText

CODE: Final = "5"
"""Version of the code that finds the factors that a text is about. Raise it when an unchanged
factor base gives texts other factors."""

# The numbers below were chosen by hand. All weights and shares are from 0 to 1.
MAX_ASKED: Final = 6
"""Maximum number of factors (things in the world, e.g. a policy rate) that a query is taken to be
about. Chosen by hand."""
ASKED_SHARE: Final = 0.25
"""A query is taken to be about a factor only if the factor's weight is at least this share (0 to 1)
of the largest weight among the query's factors. Chosen by hand."""
NAMED_WEIGHT: Final = 0.4
"""Weight (0 to 1) of a factor that the query's words name with a fit (`factors.Match.fit`) near 0.
The weight rises linearly with the fit, to 1 for a fit of 1. Chosen by hand."""
VOTE_WEIGHT: Final = 0.8
"""Weight (0 to 1) that a factor gets for a query if all of the query's best direct results (markets
on the question itself) are closely about it. A factor of only some of these results gets less.
Chosen by hand."""
GUESS_WEIGHT: Final = 0.5
"""Weight (0 to 1) for a query whose words name no factor. If its best direct results agree on what
it is about (`GUESSED_SHARE`), the weights of their factors are raised until the largest one has
this value. Chosen by hand."""
GUESSED_SHARE: Final = 0.1
"""The best direct results (markets on the question itself) count as agreeing on what the query is
about if their strongest factor has at least this weight (0 to 1). Chosen by hand."""
SURE_WEIGHT: Final = 0.6
"""Smallest weight (0 to 1) at which a factor that the query's words name counts as certainly the
query's subject. Chosen by hand."""
ANSWERED_SHARE: Final = 0.5
"""A factor that the query's words certainly name counts as unanswered if less than this share (0 to
1) of the best direct results (markets on the question itself) are about it. Markets about an
unanswered factor are searched as well. Chosen by hand."""
SUPPOSED_SHARE: Final = 0.8
"""A factor that a query's condition names ("if the dollar collapses") counts as a supposed cause if
its weight is at least this share (0 to 1) of the largest weight of the condition's factors. Chosen
by hand."""
RIVAL_SHARE: Final = 0.3
"""A market on another outcome of the question's contest (another team's title) counts as being
about the question to at least this degree (0 to 1). Chosen by hand."""
BESIDE_FACTOR: Final = 0.4
"""The weight of a factor is multiplied by this number (0 to 1) in two cases. First, only the direct
results (markets on the question itself) are about the factor, while the query's words certainly
name other factors (`SURE_WEIGHT`). Second, the words that name the factor are only a part of the
words that name another one. Chosen by hand."""
LOOKED_UP: Final = 24
"""Maximum number of factors whose markets are looked up for one query; 30 were no better
(`docs/experiments/relations-tried.md`)."""
MAX_LABELLED: Final = 4
"""Maximum number of further factors whose markets are looked up because a language model's label
relates a market about them to one of the question's direct results. Chosen by hand."""


class RelationService:
    """Tells search which factors a market or a query is about, and which markets are related to the
    query and why, from the factor base. Implements `augury.search.related.Relations`."""

    def __init__(self, base: Base | None = None, moving: Moving | None = None) -> None:
        """`moving` knows which prices move together; without it, reasons do not mention prices."""
        self.base = base or knowledge.load()
        self.moving = moving
        self.labels: Labels | None = None
        """A language model's labels of related markets; None if none are used."""

    @property
    def version(self) -> str:
        """A text that changes whenever the factor base changes, or the code that finds the factors
        of texts (`CODE`)."""
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
        """The factor (something in the world that markets are about) with this number, i.e. at this
        position in the factor base, counted from 1."""
        return self.matcher.factors[number - 1]

    def tags(self, text: DocumentText) -> list[Tag]:
        """The factors (things in the world that markets are about) of a market with this text, best
        fitting first."""
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
        """Find out what a query is about: the factors that its words name, and those that its best
        direct results (markets on the question itself) are about.

        keys, tags, fits, scores : of these results: the market numbers, the numbers of their
            factors, how well each factor fits, and how good each result is
        """
        weights, supposed = self._named(query)
        votes: Counter[int] = Counter()
        total = float(scores.sum())
        for row, fit, score in zip(tags.tolist(), fits.tolist(), scores.tolist(), strict=True):
            for tag, share in zip(row, fit, strict=True):
                if tag:
                    votes[tag] += score * min(1.0, 0.3 + share)
        voted = {tag: VOTE_WEIGHT * vote / total for tag, vote in votes.items()}
        if not weights and (top := max(voted.values(), default=0.0)) >= GUESSED_SHARE:
            voted = {tag: vote * max(1.0, GUESS_WEIGHT / top) for tag, vote in voted.items()}
        found = {
            tag: float((tags == tag).any(axis=1).mean()) if len(tags) else 0.0 for tag in weights
        }
        unanswered = [
            tag
            for tag, weight in weights.items()
            if weight >= SURE_WEIGHT and found[tag] < ANSWERED_SHARE
        ]
        near = {tag: self._near(tag) for tag in weights}
        sure = max(weights.values(), default=0.0) >= SURE_WEIGHT
        for tag, vote in voted.items():
            if tag in supposed:
                continue
            # Factors that a named factor drives or follows from are the answer, not the question.
            if not any(tag in near[one] and weights[one] >= vote for one in near):
                share = BESIDE_FACTOR if sure and tag not in near else 1.0
                weights[tag] = max(weights.get(tag, 0.0), share * vote)
        # A question about one contender is not about what the others do.
        contests: set[int] = set()
        for tag, weight in tuple(weights.items()):
            for contest in self._contests(self.factor(tag)):
                if tag in near or weight > weights.get(contest, 0.0):
                    weights.pop(contest, None)
                    contests.add(contest)
        best = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_ASKED]
        least = ASKED_SHARE * best[0][1] if best else 0.0
        factors = [(tag, weight) for tag, weight in best if weight >= least]
        partners = self.moving.partners(keys.tolist()) if self.moving else {}
        labels = self.labels.ties(keys.tolist()) if self.labels else {}
        return Asked(self, factors, contests, partners, labels, unanswered, supposed)

    def _named(self, query: str) -> tuple[dict[int, float], set[int]]:
        """Two things: the factors that a query's words name (number -> weight); and the numbers of
        the factors that the query supposes as causes ("if the dollar collapses"), which are not
        part of its subject."""
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
            weight = min(1.0, NAMED_WEIGHT + (1 - NAMED_WEIGHT) * match.fit)
            weights[match.factor] = BESIDE_FACTOR * weight if match.part else weight
        return weights

    def _near(self, number: int) -> set[int]:
        """Numbers of the factors that an edge or link joins to factor number `number`. If such a
        factor is on one contender of a contest (a team's title), the factors on the whole contest
        are included."""
        near = self.graph.near(number)
        return near.union(*(self._contests(self.factor(other)) for other in near))

    def _contests(self, factor: Factor) -> set[int]:
        return {self.matcher.numbers[key] for key in factor.contests if key in self.base.factors}


@lru_cache(maxsize=1)
def _matcher(base: Base) -> Matcher:
    """The matcher of a factor base, which finds the factors that texts name; shared by all services
    of a process."""
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
    """What one query is about: the factors (things in the world, e.g. a policy rate) that it asks
    about, i.e. its own, and the factors to which paths lead from these."""

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
        """`contests`: numbers of the factors on whole contests whose contenders the question is
        about; `supposed`: numbers of the factors that the question supposes as causes."""
        self._unanswered = unanswered
        self.relations = relations
        contenders = relations.graph.contenders
        self._others = np.zeros(relations.graph.size, np.bool_)
        """(factors + 1,): True for factors whose markets are about other outcomes of the contest
        that the question is about."""
        self._others[[*contests]] = True
        for number, _ in factors:
            self._others[contenders.get(number, [])] = True
        self._partners = partners
        self._reasons: dict[tuple[Relation, int], str] = {}
        self.labels = labels
        """Market number -> the label that relates the market to one of the question's best direct
        results."""
        self.factors = factors
        """(number, weight), the strongest first."""
        self.reached: Reached = relations.graph.reach(factors, supposed)

    @property
    def unanswered(self) -> Sequence[int]:
        """Numbers of the factors that the query's words name with certainty (`SURE_WEIGHT`), but
        that too few of its best direct results are about (`ANSWERED_SHARE`)."""
        return self._unanswered

    def bearing(
        self, tags: NDArray[np.uint16], fits: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Two arrays (n,), 0 to 1: how much each market is about the factors that the question is
        about, and how strongly it is related to these factors.

        tags, fits : (n, MOST_TAGS), numbers of the markets' factors and how well each one fits
        """
        own, paths = ranking.bearing(self.reached, tags, fits)
        # Markets on other contenders are answers as well, but lesser ones.
        rivals = self._rivals(tags)
        own = np.where(rivals, np.maximum(own, RIVAL_SHARE), own).astype(np.float32)
        return own, np.where(rivals, 0, paths.max(axis=(0, 2), initial=0)).astype(np.float32)

    @property
    def tags(self) -> list[int]:
        """Numbers of the factors whose markets are looked up: those to which the strongest paths
        lead, at most `LOOKED_UP`, and those that a language model's labels add, at most
        `MAX_LABELLED`. A part of the `LOOKED_UP` places is kept for each relation, so that many
        effects leave room for correlated factors."""
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
        labelled = [tie.factor for tie in self.labels.values() if tie.factor][:MAX_LABELLED]
        return list(dict.fromkeys([*list(found)[:LOOKED_UP], *labelled]))

    def read(self, pool: Pool) -> TreeReading:
        """Compute, for each market of the pool, the features from which the fitted trees judge
        it."""
        tags = pool.tags
        graph, around = self.relations.graph, self.relations.judged.around
        found = columns.paths(self.reached, pool, graph.of_one[tags])
        judged = [around(number) for number, _ in self.factors[: len(BY_PLACE)]]
        rows = columns.table(
            self.reached, self.factors, pool, found, self._foreign(tags), self._rivals(tags), judged
        )
        return TreeReading(self, pool, found, rows)

    def weights_by_label(self, keys: NDArray[np.int64]) -> NDArray[np.float32]:
        """Weights of the language model's labels that relate markets to the question, by relation
        and market: (3, n); 0 without a label. `keys`: numbers of the n markets."""
        weights = np.zeros((len(RELATIONS), len(keys)), np.float32)
        for seq, tie in self.labels.items():
            weights[RELATIONS.index(tie.relation), keys == seq] = tie.weight
        return weights

    def labelled(self, relation: Relation, factor: int, key: int) -> Tie | None:
        """The language model's label that relates market number `key` to the question in this
        relation. None if there is none, or if a path of the factor base relates the market's factor
        to the question anyway.

        factor : number of the market's factor, 0 for none
        """
        tie = self.labels.get(key)
        if tie is None or tie.relation != relation or (factor and self.way(relation, factor)):
            return None
        return tie

    def told(self, relation: Relation, factor: int, key: int) -> str:
        """Why market number `key`, found through factor number `factor`, is related to the
        question, for people to read."""
        if (tie := self.labelled(relation, factor, key)) is not None:
            return tie.told
        if (reason := self._reasons.get((relation, factor))) is None:
            reason = self._reasons[relation, factor] = self.reason(relation, factor)
        if (partner := self._partners.get(key)) is not None:
            hours = STEP_LENGTH.total_seconds() / 3600
            moved = (
                f"Prices moved together: correlation {partner.correlation:+.2f} over"
                f" {partner.steps} steps of {hours:.0f} hours."
            )
            reason = f"{reason} {moved}"
        return reason

    def _rivals(self, tags: NDArray[np.uint16]) -> NDArray[np.bool_]:
        """(n,): True for markets on other outcomes of the contest that the question is about. If
        the question is about one contender, these are the markets on the whole contest; if it is
        about the whole contest, the markets on its contenders. `tags`: numbers of the markets'
        factors."""
        return np.asarray(self._others[tags].any(axis=1))

    def _foreign(self, tags: NDArray[np.uint16]) -> NDArray[np.bool_]:
        """(n,): True for markets about another team, country, bank ... than the question names.
        `tags`: numbers of the markets' factors."""
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
        """The path to factor number `factor` from one of the question's own factors, in one
        relation. Empty if there is none, e.g. because the question is about that factor itself."""
        return self.reached.way(RELATIONS.index(relation), factor)

    def reason(self, relation: Relation, factor: int) -> str:
        """Why markets about factor number `factor` are related to the question, for people to
        read."""
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
    """The features of the markets of a pool, from which the fitted trees judge how directly each
    market is about the query, and in which relation it is to the query. Computed once for both."""

    def __init__(
        self, asked: Asked, pool: Pool, found: columns.Paths, rows: columns.Floats
    ) -> None:
        """`found` comes from `columns.paths`, `rows` from `columns.table`."""
        self._asked, self._pool, self._rows = asked, pool, rows
        self.ways = ranking.through(found)
        """(3, n, MOST_TAGS): weight of the path to each factor of each market, by relation."""

    def rows(self) -> columns.Floats:
        """The features from which the trees tell in which relation each market is to the query: (n,
        len(COLUMNS))."""
        return columns.compared(self._rows, self._pool.family)

    def direct_rows(self) -> columns.Floats:
        """The features from which the trees tell how directly each market is about the query: (own,
        len(DIRECT_COLUMNS)). Only the query's own candidates (the first `Pool.own` markets) are
        included and compared with each other."""
        own = slice(0, self._pool.own)
        rows = columns.compared(self._rows[own], self._pool.family[own])
        return columns.direct_table(rows, self._pool.features[own])

    def direct(self) -> columns.Floats:
        """How directly each of the query's own candidates (the first `Pool.own` markets) is about
        the query: (own,) in (0, 1)."""
        return self._asked.relations.direct_ranker.grades(self.direct_rows())

    def rank(self, direct: columns.Floats, most: int) -> dict[Relation, list[Ranked]]:
        """The `most` best markets of each relation (upstream, downstream, correlated), with their
        reasons.

        direct : (n,), the score of each of the best direct results (markets on the question
            itself), 0 for other markets
        """
        asked, pool = self._asked, self._pool
        held = np.flatnonzero(self.ways.any(axis=(0, 2)))
        chances = np.zeros((len(pool.keys), len(RELATIONS)), np.float32)
        trees = asked.relations.ranker
        said = trees.chances(self.rows()[held])
        chances[held] = said[:, -len(RELATIONS) :]
        labelled = asked.weights_by_label(pool.keys) if asked.labels else None
        ranked = ranking.rank(chances, pool, self.ways, direct, trees.floors, labelled)
        found: dict[Relation, list[Ranked]] = {}
        for relation, (positions, scores, vias) in ranked.items():
            places = positions[:most]
            listed = (places, scores[:most], vias[:most], pool.keys[places])
            found[relation] = [
                Ranked(place, score, via, asked.told(relation, via, key))
                for place, score, via, key in zip(*(one.tolist() for one in listed), strict=True)
            ]
        return found

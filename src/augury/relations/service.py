"""Relations as search uses them: which factors a market is about, and which markets are related to
a query, and why.

A factor is something in the world that markets are about, e.g. a policy rate. The factor base lists
all factors, and says which of them drives which (edges) and which move together (links). The id of
a factor is its position in this list, counted from 1. The tags of a market are the ids of the
factors that it is about. A query's own factors are those that its words name or that its best
direct results (markets on the question itself) are about. Paths along the edges and links lead from
them to related factors. A pool holds all markets that may be listed for one query.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import zip_longest
from typing import Final

import numpy as np
from numpy.typing import NDArray

from augury.relations import columns, reasons, vectors
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
    FactorPath,
    Reached,
    Relation,
    Step,
)
from augury.relations.columns import RANK_WEIGHTS
from augury.relations.labelling import Labels
from augury.relations.labels import LabeledMarket
from augury.relations.moving import STEP_LENGTH, CoMovements, Partner
from augury.relations.own_factors import OwnFactorFinder
from augury.search.related import Lookup, Pool, PoolReading, Ranked, Tag
from augury.search.text import DocumentText

FINDER_VERSION: Final = "5"
"""Version of the code that finds the factors in a text. Raise it whenever a change of that code
changes the factors that are found in some text, although the factor base stays the same. The search
index, which stores the factors of markets, is then built again."""

SAME_CONTEST_SHARE: Final = 0.3
"""A market and a question may be on one contest at two levels: one is on the whole contest ("Who
wins the league?"), the other on one contender ("Will Arsenal win the league?"). Such a market
counts as being about the question at least to this degree (0 to 1). Chosen by hand."""
MAX_NEAREST_FACTORS: Final = 32
"""For one query, at most this many factors (things in the world) are named for each relation
(upstream, downstream, correlated), so three times as many in all. Half of all factors have no
market. So search skips those without one, and looks up the markets of the first
`augury.search.relating.MAX_FACTORS` others."""
MAX_LABELED_FACTORS: Final = 4
"""A language model's labels connect a query's best direct results (markets on the question itself)
with other markets. The search also looks up more markets on the factors (things in the world) of
these other markets. For one query, it uses at most this many of these factors. Chosen by hand."""


class RelationService:
    """Tells search which factors (things in the world) a market or a query is about, and which
    markets are related to the query and why. It uses the factor base (which factor drives which),
    and implements `augury.search.related.Relations`."""

    def __init__(self, base: Base | None = None, co_movements: CoMovements | None = None) -> None:
        """`base`: the factor base; by default the one shipped with this version. `co_movements`:
        the markets whose prices move together; without it, reasons do not mention prices."""
        self.base = base or knowledge.load()
        self.co_movements = co_movements
        self.labels: Labels | None = None
        """A language model's labels (its answers on how pairs of events are related); None if none
        are used."""

    @property
    def version(self) -> str:
        """Version of the way in which factors are found in texts and relation vectors are computed;
        if it changes, the search index is built again. It changes with the factor base, with the
        code that finds the factors (`FINDER_VERSION`), and with the network for markets."""
        return f"{FINDER_VERSION}-{self.base.version}-{self.networks.version}"

    @cached_property
    def matcher(self) -> Matcher:
        """Finds the factors (things in the world) that texts name."""
        return _matcher(self.base)

    @cached_property
    def graph(self) -> FactorGraph:
        """The edges (from cause to effect) and links (without direction) between factors, and the
        paths along both."""
        return _graph(self.base)

    @cached_property
    def _own_factors(self) -> OwnFactorFinder:
        return OwnFactorFinder(self.base, self.matcher, self.graph)

    @cached_property
    def judged(self) -> Judged:
        """The verdicts on how pairs of factors are related."""
        return _judged(self.base)

    @cached_property
    def ranker(self) -> fitted.Ranker:
        """The fitted decision trees that judge how a market is related to a query (upstream,
        downstream, correlated, direct or not at all)."""
        return fitted.default()

    @cached_property
    def direct_ranker(self) -> fitted.Ranker:
        """The fitted decision trees that judge how directly a market is about a query."""
        return fitted.direct()

    @cached_property
    def networks(self) -> vectors.RelationVectors:
        """The network and the transformer that tell, from the texts of a market and a query, how
        the two are related."""
        return vectors.default()

    def factor(self, number: int) -> Factor:
        """The factor (something in the world that markets are about) with the id `number`: its
        position in the factor base, counted from 1."""
        return self.matcher.factors[number - 1]

    def tags(self, text: DocumentText) -> list[Tag]:
        """The factors (things in the world that markets are about) of a market with this text, best
        fitting first."""
        found = self.matcher.match(text.title, text.event or game(text.body))
        return [Tag(m.factor, m.fit, m.yes_direction) for m in found]

    def relation_vectors(self, sentences: NDArray[np.float32]) -> NDArray[np.int8]:
        """The relation vectors of n markets, (n, RELATION_VECTOR_SIZE), from their sentence vectors
        (n, dim)."""
        return self.networks.of_markets(sentences)

    def ask(
        self,
        query: str,
        keys: NDArray[np.int64],
        tags: NDArray[np.uint16],
        fits: NDArray[np.float32],
        scores: NDArray[np.float32],
    ) -> QueryFactors:
        """Find out what a query is about: the factors (things in the world) that its words name,
        and those that its best direct results (markets on the question itself) are about.

        Parameters
        ----------
        keys : (n,)
            Database numbers of the n best direct results.
        tags, fits : (n, MOST_TAGS)
            Ids of the factors that each result is about, and how well each one fits, 0 to 1.
        scores : (n,)
            How good each result is; its factors count in proportion.
        """
        own = self._own_factors.find(query, tags, fits, scores)
        partners = self.co_movements.partners(keys.tolist()) if self.co_movements else {}
        labels = self.labels.related(keys.tolist()) if self.labels else {}
        return QueryFactors(
            self, own.factors, own.contests, partners, labels, own.unanswered, own.supposed,
            has_meant=len(keys) > 0,
        )  # fmt: skip


@lru_cache(maxsize=1)
def _matcher(base: Base) -> Matcher:
    """The matcher of a factor base, which finds the factors that texts name. All
    services of a process share it."""
    return Matcher(base)


@lru_cache(maxsize=1)
def _graph(base: Base) -> FactorGraph:
    return FactorGraph(base)


@lru_cache(maxsize=1)
def _judged(base: Base) -> Judged:
    return Judged(base.verdicts, tuple(base.factors.values()))


class QueryFactors(Lookup):
    """The factors (things in the world, e.g. a policy rate) that matter for one query: its own
    factors, which the query is about, and those that can be reached from them along paths in the
    factor base."""

    def __init__(
        self,
        relations: RelationService,
        factors: Sequence[tuple[int, float]],
        contests: Collection[int],
        partners: Mapping[int, Partner],
        labels: Mapping[int, LabeledMarket],
        unanswered: Sequence[int] = (),
        supposed: Collection[int] = (),
        *,
        has_meant: bool = False,
    ) -> None:
        """Parameters
        ----------
        factors
            The query's own factors as (id, weight), the strongest first.
        contests
            If the query is about one contender ("Will Arsenal win the league?"): ids of the factors
            about the whole contest ("Who wins the league?"), one for each such contest. Else empty.
        partners
            Database number of a market whose price moves together with that of one of the query's
            best direct results -> its correlation.
        labels
            Database number of a market -> how a language model's label relates it to the query.
        unanswered
            Ids of the factors that the query's words certainly name, although few of its best
            direct results are about them (the property `unanswered`).
        supposed
            Ids of the factors that the query supposes as causes ("if the dollar collapses").
        has_meant
            Whether search found a market that the query may mean.
        """
        self._unanswered = unanswered
        self.relations = relations
        contenders = relations.graph.contenders
        self._others = np.zeros(relations.graph.size, np.bool_)
        """Shape (factors + 1,), indexed by factor id: True for some factors on the same contest as
        the query. If the query is about one contender ("Will Arsenal win the league?"), they are
        the factors on the whole contest. If it is about the whole contest ("Who wins the league?"),
        they are the factors on its contenders."""
        self._others[[*contests]] = True
        for number, _ in factors:
            self._others[contenders.get(number, [])] = True
        self._partners = partners
        self._reasons: dict[tuple[Relation, int], str] = {}
        self.labels = labels
        """Database number of a market -> its relation to the query according to a label, i.e. a
        language model's answer on how two events are related. The label relates the market to one
        of the query's best direct results (markets on the question itself). If a market has several
        such labels, the one with the largest weight is used."""
        self.factors = factors
        """The query's own factors as (id, weight from 0 to 1), the strongest first."""
        self.reached: Reached = relations.graph.reach(factors, supposed)
        self.has_subject = has_meant or bool(factors)
        """False if search found no market that the query may mean, and the query names no factor:
        then nothing is known about its subject, and no market is related to it."""

    @property
    def unanswered(self) -> Sequence[int]:
        """Ids of the factors (things in the world) that the query's words certainly name
        (`own_factors.SURE_WEIGHT`), although few of its best direct results (markets on the
        question itself) are about them (`own_factors.ANSWERED_SHARE`)."""
        return self._unanswered

    def factor_shares(
        self, tags: NDArray[np.uint16], fits: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Two arrays (n,), 0 to 1, with one number for each of n markets.

        The first is how much the market is about the query's own factors (things in the world); the
        second is how strongly the best path of the factor base leads from these to one of the
        market's factors.

        tags, fits : (n, MOST_TAGS), ids of the markets' factors and how well each one fits, 0 to 1
        """
        own, paths = ranking.bearing(self.reached, tags, fits)
        # Markets on the contest's other level are answers as well, but lesser ones.
        rivals = self._at_other_level(tags)
        own = np.where(rivals, np.maximum(own, SAME_CONTEST_SHARE), own).astype(np.float32)
        return own, np.where(rivals, 0, paths.max(axis=(0, 2), initial=0)).astype(np.float32)

    @property
    def tags(self) -> list[int]:
        """Ids of the factors (things in the world) whose markets are looked up, as long as there
        are places (`augury.search.relating.MAX_FACTORS`).

        First come those that a language model's labels add, at most `MAX_LABELED_FACTORS`. Then
        come, in turns, the next factor upstream, downstream and correlated, of those not yet named
        the one to which the strongest path leads. This way, correlated factors get places even if
        the query has many effects.
        """
        labeled = [tie.factor for tie in self.labels.values() if tie.factor][:MAX_LABELED_FACTORS]
        far = np.flatnonzero(self.reached.looked_up)
        weights = self.reached.weights[:, far]
        strongest, best = weights.argmax(axis=0), weights.max(axis=0, initial=0)
        order = np.argsort(-best, kind="stable")
        order = order[best[order] > 0]
        nearest = [
            far[order[strongest[order] == nth]][:MAX_NEAREST_FACTORS].tolist()
            for nth in range(len(RELATIONS))
        ]
        in_turns = (one for turn in zip_longest(*nearest) for one in turn if one is not None)
        return list(dict.fromkeys([*labeled, *in_turns]))

    def read(self, pool: Pool) -> TreeReading:
        """Compute, for each market of the pool (the markets that may be listed for the query), the
        features from which fitted decision trees judge how it is related to the query."""
        tags = pool.tags
        graph, around = self.relations.graph, self.relations.judged.around
        found = columns.paths(self.reached, pool, graph.differs_by_market[tags])
        judged = [around(number) for number, _ in self.factors[: len(RANK_WEIGHTS)]]
        rows = columns.table(
            self.reached,
            self.factors,
            pool,
            found,
            self._foreign(tags),
            self._at_other_level(tags),
            judged,
            self.relations.networks.log_chances(pool.query, pool.relation_vectors),
        )
        return TreeReading(self, pool, found, rows)

    def weights_by_label(self, keys: NDArray[np.int64]) -> NDArray[np.float32]:
        """Weights (0 to 1) of the language model's labels that relate markets to the query: (3
        relations, n markets); 0 where there is no label. `keys`: database numbers of the markets.
        """
        weights = np.zeros((len(RELATIONS), len(keys)), np.float32)
        for seq, market in self.labels.items():
            weights[RELATIONS.index(market.relation), keys == seq] = market.weight
        return weights

    def labeled(self, relation: Relation, factor: int, key: int) -> LabeledMarket | None:
        """The market with its label, if a language model has said that the market is in `relation`
        to one of the query's best direct results.

        None if it has not. None, too, if the factor base (which factor drives which) connects the
        market's factor with the query, because then the label is not needed.

        key : database number of the market
        factor : id of the market's factor, 0 if it has none
        """
        market = self.labels.get(key)
        if market is None or market.relation != relation:
            return None
        return None if factor and self.path(relation, factor) else market

    def market_reason(self, relation: Relation, factor: int, key: int) -> str:
        """Why the market `key` (database number) is related to the query, for people to read.

        factor : id of the factor (thing in the world) through which the market was found, 0 if only
            the market's text says that it is related
        """
        if (market := self.labeled(relation, factor, key)) is not None:
            return market.reason
        if (reason := self._reasons.get((relation, factor))) is None:
            reason = self._reasons[relation, factor] = self.factor_reason(relation, factor)
        if (partner := self._partners.get(key)) is not None:
            hours = STEP_LENGTH.total_seconds() / 3600
            moved = (
                f"Prices moved together: correlation {partner.correlation:+.2f} over"
                f" {partner.steps} steps of {hours:.0f} hours."
            )
            reason = f"{reason} {moved}"
        return reason

    def _at_other_level(self, tags: NDArray[np.uint16]) -> NDArray[np.bool_]:
        """(n,): True for the markets on the same contest as the query, but at the other level.

        If the query is about one contender ("Will Arsenal win the league?"), these are the markets
        on the whole contest ("Who wins the league?"). If it is about the whole contest, these are
        the markets on its contenders.

        tags : (n, MOST_TAGS), ids of the markets' factors
        """
        return np.asarray(self._others[tags].any(axis=1))

    def _foreign(self, tags: NDArray[np.uint16]) -> NDArray[np.bool_]:
        """Whether each market is about a different entity from the query's, e.g. about another team
        or bank: (n,).

        tags : (n, MOST_TAGS), ids of the markets' factors
        """
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

    def path(self, relation: Relation, factor: int) -> FactorPath:
        """The strongest path of the factor base from any of the query's own factors to the factor
        with the id `factor`, in the given relation (upstream, downstream, correlated).

        Empty if there is none, e.g. because the query is about that factor itself.
        """
        return self.reached.path(RELATIONS.index(relation), factor)

    def factor_reason(self, relation: Relation, factor: int) -> str:
        """Why markets about the factor (thing in the world) with the id `factor` are related to the
        query, for people to read. If `factor` is 0 (no factor), only the markets' texts suggest
        that they are related."""
        if not factor:
            return reasons.BY_TEXT[relation]
        path = self.path(relation, factor)
        factors = self.relations.factor
        if not path:
            return reasons.same(factors(factor).name)
        if relation == "correlated":
            return self._co_movement_reason(path[0])
        if path[0].reason == SUPPOSED:
            return reasons.supposed(factors(factor).name, factors(path[0].source).name)
        names = [factors(path[0].source).name, *(factors(step.target).name for step in path)]
        causes = [step.reason for step in path]
        if relation == "upstream":
            names, causes = names[::-1], causes[::-1]
        return reasons.causes(names, causes)

    def _co_movement_reason(self, step: Step) -> str:
        one, other = self.relations.factor(step.target), self.relations.factor(step.source)
        if step.reason == SAME_KIND:
            known = self.relations.base.factors
            common = [key for key in one.contests if key in other.contests and key in known]
            return reasons.alike(one, other, [known[key].name for key in common])
        code = self.relations.judged.around(step.source).codes[step.target]
        return reasons.together(
            one.name, other.name, step.reason,
            sign=step.sign, code=CODES[code - 1] if 0 < code <= len(CODES) else None,
        )  # fmt: skip


class TreeReading(PoolReading):
    """The features of the markets of a pool (the markets that may be listed for a query), from
    which fitted decision trees judge the markets.

    The features are computed once and used by two sets of trees. One judges how directly a market
    is about the query. The other judges how the market is related to the query (upstream,
    downstream, correlated).
    """

    def __init__(
        self, query: QueryFactors, pool: Pool, found: columns.Paths, rows: columns.Floats
    ) -> None:
        """`found`: how strongly each market is tied to the query, from `columns.paths`. `rows`: the
        features of each market, from `columns.table`."""
        self._query, self._pool, self._rows = query, pool, rows
        self._path_weights = ranking.path_weights(found)
        """(3 relations, n markets, MOST_TAGS factors of each), 0 to 1: how strongly paths of the
        factor base lead from the query to each factor of each market."""

    def rows(self) -> columns.Floats:
        """The features from which the trees judge how each market is related to the query. The
        shape is (n, len(COLUMNS))."""
        return columns.compared(self._rows, self._pool.family)

    def direct_rows(self) -> columns.Floats:
        """The features from which fitted decision trees judge how directly a market is about the
        query. The shape is (`Pool.direct_count`, len(DIRECT_COLUMNS)).

        There is one row for each of the first `Pool.direct_count` markets of the pool. Only these
        may be listed as direct, and they are compared only with each other.
        """
        own = slice(0, self._pool.direct_count)
        rows = columns.compared(self._rows[own], self._pool.family[own])
        return columns.direct_table(rows, self._pool.features[own])

    def direct(self) -> columns.Floats:
        """How directly each of the first `Pool.direct_count` markets, those that may be listed as
        direct, is about the query: (`Pool.direct_count`,), each in (0, 1)."""
        return self._query.relations.direct_ranker.grades(self.direct_rows())

    @property
    def direct_floor(self) -> float:
        """Smallest grade (0 to 1) with which a market is listed as direct."""
        return self._query.relations.direct_ranker.floors["direct"]

    def rank(self, direct: columns.Floats) -> dict[Relation, Ranked]:
        """The markets of each relation (upstream, downstream, correlated), best first.

        direct : (n,), the score of each direct result (market on the question itself), 0 for other
            markets
        """
        query, pool = self._query, self._pool
        trees = query.relations.ranker
        chances = np.zeros((len(pool.keys), len(RELATIONS)), np.float32)
        if query.has_subject:
            chances = trees.chances(self.rows())[:, -len(RELATIONS) :]
        labeled = query.weights_by_label(pool.keys) if query.labels else None
        return ranking.rank(chances, pool, self._path_weights, direct, trees.floors, labeled)

    def reason(self, relation: Relation, position: int, factor_id: int) -> str:
        """Why a market is related to the query, for people to read.

        position : the market's position in the pool
        factor_id : id of the factor (thing in the world) through which it was found, 0 if none
        """
        return self._query.market_reason(relation, factor_id, int(self._pool.keys[position]))

    def direct_reasons(self, positions: NDArray[np.intp]) -> list[str]:
        """Why each of these markets answers the query, for people to read: the factor (thing in the
        world) that both are about. Empty if there is none.

        positions : positions in the pool
        """
        tags, factor = self._pool.tags[positions], self._query.relations.factor
        own = self._query.reached.own[tags] * self._pool.fits[positions]
        best = own.argmax(axis=1)[:, None]
        numbers = np.where(own.any(axis=1), np.take_along_axis(tags, best, 1)[:, 0], 0)
        texts = {n: reasons.own(factor(n).name) if n else "" for n in set(numbers.tolist())}
        return [texts[n] for n in numbers.tolist()]

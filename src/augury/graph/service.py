"""Draws the causal graph of a question from a search over all relations.

The relations of a market to the question: direct (it is on the question itself), upstream (a
cause), downstream (a consequence), correlated.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from augury.clock import now
from augury.graph import apt, logic, view
from augury.markets import store as markets
from augury.markets.freshness import AgeRule
from augury.markets.records import Status
from augury.propositions.reading import read_market, read_question
from augury.relations.causal.factors import Match
from augury.relations.causal.paths import RELATIONS
from augury.relations.service import Asked, RelationService
from augury.search.presenting import Explored, Found
from augury.search.service import SearchService
from augury.storage.database import Database

SEARCH_DEPTH: Final = 30
"""Number of search results from which a graph is drawn, for each relation to the question (direct,
upstream, downstream, correlated). Chosen by hand."""
MAX_TARGETS: Final = 4
"""Largest number of direct markets (markets on the question itself) shown at the question's
node."""
MAX_VOTERS: Final = 10
"""At most this many direct markets (markets on the question itself) decide, besides the question's
words, which factors (things in the world) the question is about. Chosen by hand."""

Stage = Callable[[str, dict[str, Any]], Awaitable[None]]
"""Async callback for the progress of drawing a graph. It is called at the beginning of each stage,
with the stage's name and details."""


class Drawn(NamedTuple):
    """A causal graph, a trace of how it was built, and the time at which it was drawn."""

    graph: view.GraphView
    trace: dict[str, Any]
    as_of: datetime


class Middle(NamedTuple):
    """The forecast of the question that a graph is drawn for."""

    probability: float | None
    price_as_of: datetime | None
    """When the newest price that the forecast rests on was quoted; None without such a price."""


Estimator = Callable[[str], Awaitable[Middle]]
"""Async function that forecasts the question that a graph is drawn for."""


class GraphService:
    """Builds the causal graph of a question from search results; stores nothing."""

    def __init__(
        self,
        database: Database,
        search: SearchService,
        relations: RelationService,
        *,
        age: AgeRule = AgeRule(),
    ) -> None:
        self._age = age
        self._database = database
        self._search = search
        self._relations = relations
        self.estimator: Estimator | None = None
        """Set by the application once it can forecast; without it the question has no probability
        in its graph."""

    async def build(
        self,
        question: str,
        *,
        estimate: bool = True,
        only: Mapping[str, Sequence[str]] | None = None,
        status: Status | None = "active",
        stage: Stage | None = None,
    ) -> Drawn:
        """Draw the causal graph of a question: its causes, its consequences and what moves with it.

        Parameters
        ----------
        estimate
            Whether to forecast the question, for the probability of its node.
        only
            Relation ("upstream" ...) -> names of markets (ids, URLs, slugs, tickers): if given, no
            other markets are drawn.
        status
            Only markets with this status; active ones by default, as a graph is about the future.
        stage
            Called at the beginning of each stage.
        """
        clock = _Clock()
        await _tell(stage, "searching", {"question": question})
        explored = await self._search.explore(question, top_k=SEARCH_DEPTH, status=status)
        clock.mark("search")
        found = explored.found
        if only is not None:
            found = _restricted(found, await self._native(only))
        count = sum(map(len, found.values()))
        await _tell(stage, "drawing", {"markets": count})
        ids = [result.id for results in found.values() for result in results]
        async with self._database.reading() as conn:
            by_id = {
                market.id: market
                for market in await markets.fetch(conn, ids)
                if not self._is_past(market, now())
            }
        clock.mark("markets")
        middle = Middle(None, None)
        if estimate and self.estimator is not None:
            middle = await self.estimator(question)
            clock.mark("estimate")
        graph, trace = self._draw(question, middle, explored, found, by_id)
        clock.mark("draw")
        return Drawn(graph, {**trace, "timings_ms": clock.marks}, now())

    async def _native(self, only: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
        given = [one for ids in only.values() for one in ids]
        async with self._database.reading() as conn:
            known = await markets.native_ids(conn, given)
        return {
            relation: [known[one] for one in ids if one in known] for relation, ids in only.items()
        }

    def _draw(
        self,
        question: str,
        middle: Middle,
        explored: Explored,
        found: Found,
        by_id: Mapping[str, markets.StoredMarket],
    ) -> tuple[view.GraphView, dict[str, Any]]:
        lookup = explored.lookup
        factors = list(lookup.factors) if isinstance(lookup, Asked) else []
        reached = list(self._reached(question, explored, found, by_id)) if factors else []
        direct = [by_id[r.id] for r in found.get("direct", ())[:MAX_TARGETS] if r.id in by_id]
        target = direct[0] if direct else None
        lean = next((m.lean for m in self._relations.matcher.match(question)), 1)
        asked = view.CentralQuestion(
            question, tuple(direct), middle.probability, factors, lean, middle.price_as_of
        )
        numbers = {one.factor for one in reached}
        numbers |= {n for one in reached for step in one.way for n in (step.source, step.target)}
        graph = view.draw(
            asked,
            reached,
            {number: self._relations.factor(number) for number in numbers},
            self._relations.graph.among({one.factor for one in reached}),
        )
        leads = {one.market.id: one.market for one in reached}
        graph.edges = logic.merged(graph.edges, logic.edges(_told(question, target, graph, leads)))
        view.add_labelled(graph, _labelled(explored, found, by_id))
        trace = {
            "question": question,
            "unique_market_count": len(by_id),
            "events": [node.id for node in graph.nodes],
            "edge_count": len(graph.edges),
            "warnings": graph.warnings,
            "coverage": {relation: len(results) for relation, results in found.items()},
            "target_selection": {
                "market": target.id if target else None,
                "factors": [
                    {
                        "factor": self._relations.factor(number).key,
                        "name": self._relations.factor(number).name,
                        "weight": round(float(weight), 3),
                    }
                    for number, weight in factors
                ],
            },
        }
        if any(market.origin == "sample" for node in graph.nodes for market in node.markets):
            graph.warnings.append(
                "Markets are of the sample that comes with Augury, not real ones."
            )
        if not factors:
            graph.warnings.append("No factor of the base names what the question is about.")
        return graph, trace

    def _reached(
        self,
        question: str,
        explored: Explored,
        found: Found,
        by_id: Mapping[str, markets.StoredMarket],
    ) -> Sequence[view.ReachedMarket]:
        lookup = explored.lookup
        assert isinstance(lookup, Asked)
        direct = [by_id[r.id] for r in found.get("direct", ()) if r.id in by_id][:MAX_VOTERS]
        meant = self._meant(question, lookup.factors, direct)
        leans: dict[int, int] = {}
        reached: list[view.ReachedMarket] = []
        for relation in RELATIONS:
            for result in found.get(relation, ()):
                market = by_id.get(result.id)
                factor = explored.tags[result.id]
                if market is None or lookup.labelled(relation, factor, market.seq) is not None:
                    continue
                way = lookup.way(relation, factor)
                if way and way[0].source not in meant:
                    continue
                if factor not in leans:  # the factor's first market: its node shows this price
                    if not self._is_about(market, factor):
                        continue
                    named = self._named(market.question, factor)
                    leans[factor] = named.lean if named else 1
                reached.append(
                    view.ReachedMarket(market, relation, result.score, factor, leans[factor], way)
                )
        return reached

    def _is_past(self, market: markets.StoredMarket, at: datetime) -> bool:
        """Whether a market says nothing about the future at time `at`: its price is stale, or its
        dates are past."""
        return self._age.judge(market, at).stale or apt.is_past(market, at)

    def _named(self, question: str, factor: int) -> Match | None:
        """How a question names factor (thing in the world) number `factor`: with which words, and
        whether Yes means a rise or a fall; None if it does not name the factor."""
        matches = self._relations.matcher.match(question)
        return next((m for m in matches if m.factor == factor), None)

    def _is_about(self, market: markets.StoredMarket, factor: int) -> bool:
        """Whether a market that was found by factor (thing in the world) number `factor` is really
        about that factor, and not about something else of the same name."""
        named = self._named(market.question, factor)
        words = named.words if named else ()
        return not apt.is_namesake(market, self._relations.factor(factor).name, words)

    def _meant(
        self,
        question: str,
        factors: Sequence[tuple[int, float]],
        direct: Sequence[markets.StoredMarket],
    ) -> set[int]:
        """Numbers of the factors (things in the world) that the question is about: those that its
        words name, and those of `factors` (number, weight) that one of the `direct` markets
        (markets on the question itself) is really about."""
        meant = {match.factor for match in self._relations.matcher.match(question)}
        for number, _ in factors:
            if number not in meant and any(
                number in {tag.factor for tag in self._tags(market)}
                and self._is_about(market, number)
                for market in direct
            ):
                meant.add(number)
        return meant

    def _tags(self, market: markets.StoredMarket) -> Sequence[Match]:
        return self._relations.matcher.match(market.question, market.event_name or "")


def _labelled(
    explored: Explored, found: Found, by_id: Mapping[str, markets.StoredMarket]
) -> list[view.Labelled]:
    """The markets that only a language model's statement (label) relates to the question, in the
    order of the search results. `by_id`: the markets that may be drawn."""
    lookup = explored.lookup
    return [
        view.Labelled(market, relation, tie.weight, tie.sign, tie.lag_days, tie.told)
        for relation in RELATIONS
        for result in found.get(relation, ())
        if isinstance(lookup, Asked)
        and (market := by_id.get(result.id)) is not None
        and (tie := lookup.labelled(relation, explored.tags[result.id], market.seq)) is not None
    ]


def _told(
    question: str,
    target: markets.StoredMarket | None,
    graph: view.GraphView,
    by_id: Mapping[str, markets.StoredMarket],
) -> list[logic.NodeClaim]:
    """What each node of the graph asserts. The question's node asserts the question or, if that
    cannot be read as a proposition, the question of `target`, the first market on it. Every other
    node asserts the question of its first market."""
    asked = read_question(question, now())
    if asked.unclear and target is not None:
        first = _asserted(view.QUESTION, target)
    else:
        first = logic.NodeClaim(view.QUESTION, question, asked, None)
    nodes = [node for node in graph.nodes if node.id != view.QUESTION]
    return [first, *(_asserted(node.id, by_id[node.markets[0].id]) for node in nodes)]


def _asserted(node: str, market: markets.StoredMarket) -> logic.NodeClaim:
    linked = frozenset(market.linked_market_ids)
    return logic.NodeClaim(node, market.question, read_market(market), market.id, linked)


def _restricted(found: Found, only: Mapping[str, Sequence[str]]) -> Found:
    return {
        dimension: [r for r in results if r.id in set(only.get(dimension, ()))]
        for dimension, results in found.items()
    }


async def _tell(stage: Stage | None, name: str, detail: dict[str, Any]) -> None:
    if stage is not None:
        await stage(name, detail)


class _Clock:
    """A stopwatch: `mark` stores in `marks`, by name, the milliseconds since the previous mark or
    the start."""

    def __init__(self) -> None:
        self.marks: dict[str, float] = {}
        self._last = time.perf_counter()

    def mark(self, name: str) -> None:
        now = time.perf_counter()
        self.marks[name] = round(1000 * (now - self._last), 2)
        self._last = now

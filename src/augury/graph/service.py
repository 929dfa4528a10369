"""Draws the causal graph of a question from the markets that search finds for it.

A market is in one of four relations to the question: direct (it is on the question itself),
upstream (a cause), downstream (a consequence), or correlated. A factor is something in the world
that markets are about. The factor base lists all factors and says which of them drive which. A
factor's id is its position in this list.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from augury.clock import now
from augury.graph import exclusion, logic, view
from augury.markets import store as markets
from augury.markets.freshness import AgeRule
from augury.markets.records import Status
from augury.propositions.reading import read_market, read_question
from augury.relations.causal.factors import Match
from augury.relations.causal.paths import RELATIONS
from augury.relations.service import QueryFactors, RelationService
from augury.search.presenting import Explored, Found
from augury.search.service import SearchService
from augury.storage.database import Database

SEARCH_DEPTH: Final = 30
"""A graph is drawn from at most this many search results in each relation to the question (direct,
upstream, downstream, correlated). Chosen by hand."""
MAX_DIRECT_MARKETS: Final = 4
"""Largest number of markets on the question itself that are shown at the question's node."""
MAX_SUBJECT_MARKETS: Final = 10
"""What a question is about is inferred from its words and from the best markets on the question
itself, at most this many. Chosen by hand."""

Stage = Callable[[str, dict[str, Any]], Awaitable[None]]
"""Async callback that reports the progress of drawing a graph. It is called at the beginning of
each stage, with the name of the stage and details on it."""


class Drawn(NamedTuple):
    """A causal graph, and how and when it was drawn."""

    graph: view.GraphView
    trace: dict[str, Any]
    """How the graph was built: the fields of `schemas.Trace`."""
    as_of: datetime
    """When the graph was drawn."""


class QuestionForecast(NamedTuple):
    """The forecast of the question in the middle of a graph."""

    probability: float | None
    """Probability of Yes, 0 to 1; None without a forecast."""
    price_as_of: datetime | None
    """When the newest price that the forecast rests on was quoted; None without such a price."""


Forecaster = Callable[[str], Awaitable[QuestionForecast]]
"""Async function that forecasts the question for which a graph is drawn."""


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
        self.forecaster: Forecaster | None = None
        """Forecasts the question of a graph. The application sets it once it can forecast; until
        then, the question has no probability in its graph."""

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
            Whether to forecast the question, so that its node has a probability.
        only
            Relation ("upstream" ...) -> names of markets (ids, URLs, slugs, tickers). If given,
            only these markets are drawn.
        status
            Only markets with this status are drawn; by default the active ones, because a graph is
            about the future.
        stage
            Reports the progress.
        """
        clock = _Clock()
        await _report(stage, "searching", {"question": question})
        explored = await self._search.explore(question, top_k=SEARCH_DEPTH, status=status)
        clock.mark("search")
        found = explored.results
        if only is not None:
            found = _restricted(found, await self._native(only))
        ids = list({result.id: None for results in found.values() for result in results})
        await _report(stage, "drawing", {"markets": len(ids)})
        async with self._database.reading() as conn:
            by_id = {
                market.id: market
                for market in await markets.fetch(conn, ids)
                if not self._is_past(market, now())
            }
        clock.mark("markets")
        forecast = QuestionForecast(None, None)
        if estimate and self.forecaster is not None:
            forecast = await self.forecaster(question)
            clock.mark("estimate")
        graph, trace = self._draw(question, forecast, explored, found, by_id)
        clock.mark("draw")
        return Drawn(graph, {**trace, "timings_ms": clock.durations}, now())

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
        forecast: QuestionForecast,
        explored: Explored,
        found: Found,
        by_id: Mapping[str, markets.StoredMarket],
    ) -> tuple[view.GraphView, dict[str, Any]]:
        lookup = explored.lookup
        factors = list(lookup.factors) if isinstance(lookup, QueryFactors) else []
        coverage = {relation: len(results) for relation, results in found.items()}
        found = shown_once(found)
        reached = list(self._reached(question, explored, found, by_id)) if factors else []
        direct = [
            by_id[r.id] for r in found.get("direct", ())[:MAX_DIRECT_MARKETS] if r.id in by_id
        ]
        target = direct[0] if direct else None
        yes_direction = next((m.yes_direction for m in self._relations.matcher.match(question)), 1)
        asked = view.CentralQuestion(
            question,
            tuple(direct),
            forecast.probability,
            factors,
            yes_direction,
            forecast.price_as_of,
        )
        numbers = {one.factor for one in reached}
        numbers |= {n for one in reached for step in one.path for n in (step.source, step.target)}
        graph = view.draw(
            asked,
            reached,
            {number: self._relations.factor(number) for number in numbers},
            self._relations.graph.among({one.factor for one in reached}),
        )
        leads = {one.market.id: one.market for one in reached}
        claims = _claims(question, target, graph, leads)
        graph.edges = logic.merged(graph.edges, logic.edges(claims))
        view.add_suggested(graph, _suggested(explored, found, by_id))
        trace = {
            "question": question,
            "unique_market_count": len(by_id),
            "events": [node.id for node in graph.nodes],
            "edge_count": len(graph.edges),
            "warnings": graph.warnings,
            "coverage": coverage,
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
                "At least one market in this graph is an invented sample market, not a real one."
            )
        if not factors:
            graph.warnings.append(
                "Augury's list of causes and effects has no entry on the subject of this question. "
                "So the graph shows no causes or consequences from this list."
            )
        return graph, trace

    def _reached(
        self,
        question: str,
        explored: Explored,
        found: Found,
        by_id: Mapping[str, markets.StoredMarket],
    ) -> Sequence[view.ReachedMarket]:
        lookup = explored.lookup
        assert isinstance(lookup, QueryFactors)
        direct = [by_id[r.id] for r in found.get("direct", ()) if r.id in by_id][
            :MAX_SUBJECT_MARKETS
        ]
        own = self._question_factors(question, lookup.factors, direct)
        directions: dict[int, int] = {}
        reached: list[view.ReachedMarket] = []
        for relation in RELATIONS:
            for result in found.get(relation, ()):
                market = by_id.get(result.id)
                factor = explored.tags[result.id]
                # without a factor, no path says how the market is related
                if not factor or market is None or lookup.labeled(relation, factor, market.seq):
                    continue
                path = lookup.path(relation, factor)
                if path and path[0].source not in own:
                    continue
                if factor not in directions:  # the factor's first market: its node shows this price
                    if not self._is_about(market, factor):
                        continue
                    named = self._named(market.question, factor)
                    directions[factor] = named.yes_direction if named else 1
                reached.append(
                    view.ReachedMarket(
                        market, relation, result.score, factor, directions[factor], path
                    )
                )
        return reached

    def _is_past(self, market: markets.StoredMarket, at: datetime) -> bool:
        """Whether a market says nothing about the time after `at`: its price is stale (too old), or
        the dates in its text are past."""
        return self._age.standing(market, at).stale or exclusion.is_past(market, at)

    def _named(self, question: str, factor: int) -> Match | None:
        """How a question names the factor (thing in the world) with the id `factor`: with which
        words, and whether Yes means a rise or a fall of it. None if it does not name the factor."""
        matches = self._relations.matcher.match(question)
        return next((m for m in matches if m.factor == factor), None)

    def _is_about(self, market: markets.StoredMarket, factor: int) -> bool:
        """Whether a market that was found through the factor (thing in the world) with the id
        `factor` is really about it, and not about something else of the same name."""
        named = self._named(market.question, factor)
        words = named.words if named else ()
        return not exclusion.is_namesake(market, self._relations.factor(factor).name, words)

    def _question_factors(
        self,
        question: str,
        factors: Sequence[tuple[int, float]],
        direct: Sequence[markets.StoredMarket],
    ) -> set[int]:
        """Ids of the factors (things in the world) that the question is about: those that its words
        name, and those of `factors` that one of the `direct` markets is really about.

        factors : (id, weight) of the factors that search takes the question to be about
        direct : markets on the question itself
        """
        own = {match.factor for match in self._relations.matcher.match(question)}
        for number, _ in factors:
            if number not in own and any(
                number in {tag.factor for tag in self._tags(market)}
                and self._is_about(market, number)
                for market in direct
            ):
                own.add(number)
        return own

    def _tags(self, market: markets.StoredMarket) -> Sequence[Match]:
        return self._relations.matcher.match(market.question, market.event_name or "")


def shown_once(found: Found) -> Found:
    """Search results in which the markets shown at the question's node are in no other list than
    `direct`."""
    central = {result.id for result in found.get("direct", ())[:MAX_DIRECT_MARKETS]}
    return {
        relation: results if relation == "direct" else [r for r in results if r.id not in central]
        for relation, results in found.items()
    }


def _suggested(
    explored: Explored, found: Found, by_id: Mapping[str, markets.StoredMarket]
) -> list[view.SuggestedMarket]:
    """The markets that are related to the question only by a language model's label, in the order
    of the search results. A label is the model's answer on how two events are related.

    by_id : the markets that the graph may show, by market id
    """
    lookup = explored.lookup
    return [
        view.SuggestedMarket(
            market, relation, label.weight, label.sign, label.lag_days, label.reason
        )
        for relation in RELATIONS
        for result in found.get(relation, ())
        if isinstance(lookup, QueryFactors)
        and (market := by_id.get(result.id)) is not None
        and (label := lookup.labeled(relation, explored.tags[result.id], market.seq)) is not None
    ]


def _claims(
    question: str,
    target: markets.StoredMarket | None,
    graph: view.GraphView,
    by_id: Mapping[str, markets.StoredMarket],
) -> list[logic.NodeClaim]:
    """What each node of the graph asserts. The question's node asserts the question itself or, if
    that can't be read as a proposition, the question of `target`. Every other node asserts the
    question of its first market.

    target : the first market on the question itself
    """
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


async def _report(stage: Stage | None, name: str, detail: dict[str, Any]) -> None:
    if stage is not None:
        await stage(name, detail)


class _Clock:
    """A stopwatch for the parts of a piece of work."""

    def __init__(self) -> None:
        self.durations: dict[str, float] = {}
        """Name of a part of the work -> how long it took, in milliseconds."""
        self._last = time.perf_counter()

    def mark(self, name: str) -> None:
        """Store how long a part of the work took. The part has just ended, and `name` is its name.
        Its time is counted from the previous call or, for the first part, from the start."""
        now = time.perf_counter()
        self.durations[name] = round(1000 * (now - self._last), 2)
        self._last = now

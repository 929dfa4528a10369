"""Draws the causal graph of a question, as nodes and edges, from the markets that are related to
it. Pure.

A factor is something in the world that markets are about, such as a policy rate. A market is
related to the question if a path of steps leads from one of the question's factors to the market's
factor; each step leads to a factor that drives, follows from or moves with the previous one. One
node is the question itself. Each related factor gives one more: of the factor's markets, the one
with the highest score is taken; its event is the node, which lists the event's markets and prices.
Edges point from cause to effect. An edge between events that only move together says so, and its
direction means nothing. The size of the graph is limited. A causal cycle is kept only if it has a
lag, i.e. if it is a feedback over time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from augury.graph.strength import SUBJECT, kind, strength
from augury.markets.store import StoredMarket
from augury.relations.causal.parts import Factor
from augury.relations.causal.paths import FactorPath, Step
from augury.search.related import Relation

Polarity = Literal["positive", "negative", "unknown"]
"""Whether Yes at one end of an edge makes Yes at the other end more likely ("positive") or less
likely ("negative"), or whether this is not known ("unknown")."""

QUESTION: Final = "question"
"""Id of the node of the question for which the graph is drawn."""
MOST_NODES: Final = 18
"""Largest number of nodes of a causal graph besides that of the question; more would be unreadable.
"""
MOST_PER_RELATION: Final = 7
"""Largest number of nodes in one relation to the question (upstream, downstream, correlated)."""
MAX_SUGGESTED: Final = 3
"""At most this many nodes are shown for markets whose only relation to the question is a language
model's label (its answer on how two events are related)."""
MOST_MARKETS: Final = 4
"""Largest number of markets shown at one node of a causal graph."""


@dataclass(frozen=True, slots=True)
class ReachedMarket:
    """A market related to the question, and the path from factor to factor (things in the world)
    that relates it."""

    market: StoredMarket
    relation: Relation
    """How the market is related to the question: `upstream` if it drives the question, `downstream`
    if it follows from it, `correlated` if both move together."""
    score: float
    """How certain it is that the market has this relation to the question, 0 to 1."""
    factor: int
    """Id of the factor that the market is about."""
    yes_direction: int
    """+1 if Yes to the best market on the factor means a rise of the factor, -1 if it means a fall,
    0: unknown."""
    path: FactorPath
    """Path that leads from one of the question's factors to the market's factor; empty if both are
    the same factor."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a causal graph: the question, or an event related to it."""

    id: str
    label: str
    markets: tuple[StoredMarket, ...]
    probability: float | None
    """Probability (0 to 1) that the answer to the question in `label` is Yes: the price of the
    first market or, for the node of the question itself, the forecast. None: unknown."""
    price_as_of: datetime | None = None
    """When the price that `probability` rests on was quoted."""


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge of a causal graph. `schemas.GraphEdge` describes the fields."""

    source: str
    target: str
    relationship: str
    strength: float | None
    """How often two markets joined by an edge of this kind moved together, 0 to 1
    (`strength.strength`); None: not measured."""
    description: str
    edge_type: Literal["causal", "co_movement", "logical"]
    polarity: Polarity
    confidence: float
    hard_constraint: bool
    lag_days: int | None
    evidence: tuple[str, ...]
    """Ids of the markets on which the edge rests; empty if it rests only on the factor base (causes
    and effects that people wrote)."""


@dataclass(slots=True)
class GraphView:
    """A causal graph: nodes, edges, and warnings. A warning says what was left out of the graph, or
    what to know before using it."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[DrawnEdge] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CentralQuestion:
    """The question for which a graph is drawn, as the graph's central node."""

    label: str
    """Text of the question: "Will the Fed cut rates in June?"."""
    markets: tuple[StoredMarket, ...]
    """Markets on the question itself, best first."""
    probability: float | None
    """Forecast of the question, 0 to 1; None without a forecast."""
    factors: Sequence[tuple[int, float]]
    """The factors (things in the world) that the question is about, the strongest first, each as
    (id, how much the question is about it, 0 to 1)."""
    yes_direction: int
    """+1 if Yes to the question means a rise of the factors that it is about, -1 if it means a
    fall, 0: unknown."""
    price_as_of: datetime | None = None
    """When the newest price that `probability` rests on was quoted."""


@dataclass(frozen=True, slots=True)
class SuggestedMarket:
    """A market that is related to the question only by a language model's label. A label is the
    model's answer on how two events are related."""

    market: StoredMarket
    relation: Relation
    """How the market is related to the question: `upstream` if it drives the question, `downstream`
    if it follows from it, `correlated` if both move together."""
    weight: float
    """How much the language model's label counts, 0 to 1: more if the operator of this installation
    has confirmed it (`labels.WEIGHT`)."""
    sign: int
    """+1 if the probabilities of market and question move the same way, -1 if opposite ways, 0:
    unknown."""
    lag_days: int
    """Typical number of days from cause to effect."""
    reason: str
    """Why the market is related, in the language model's words."""


def draw(
    asked: CentralQuestion,
    found: Sequence[ReachedMarket],
    factors: Mapping[int, Factor],
    between: Sequence[Step],
) -> GraphView:
    """Draw the causal graph of a question. A factor is something in the world that markets are
    about.

    Parameters
    ----------
    asked
        The question, with its forecast and the factors that it is about.
    found
        Related markets, best first within each relation (upstream, downstream, correlated).
    factors
        Id -> factor, for each factor of a market in `found` or of a step of its path.
    between
        Causal steps, from cause to effect, between the factors of the markets in `found`.
    """
    graph = GraphView()
    graph.nodes.append(
        Node(QUESTION, asked.label, asked.markets, asked.probability, asked.price_as_of)
    )
    by_factor: dict[int, list[ReachedMarket]] = defaultdict(list)
    for one in found:
        by_factor[one.factor].append(one)
    shown = _chosen(found)
    ids = {number: factors[number].key for number in shown}
    leads = {number: by_factor[number][0] for number in shown}
    for number in shown:
        lead = leads[number]
        event = [one.market for one in by_factor[number] if _same_event(one.market, lead.market)]
        graph.nodes.append(
            Node(
                ids[number],
                lead.market.question,
                tuple(event[:MOST_MARKETS]),
                price(lead.market),
                lead.market.price_as_of,
            )
        )
    for number in shown:
        graph.edges += _edges_of(leads[number], asked, ids, leads, factors)
    _add_between(graph, between, ids, leads)
    return graph


def add_suggested(graph: GraphView, suggested: Sequence[SuggestedMarket]) -> None:
    """Add to `graph` the first `MAX_SUGGESTED` of the markets that only a language model relates to
    the question, and that the graph does not show yet. Each one is joined to the question only, by
    an edge that is worded as a suggestion ("may raise")."""
    shown = {market.id for node in graph.nodes for market in node.markets}
    for one in [one for one in suggested if one.market.id not in shown][:MAX_SUGGESTED]:
        name, market = one.market.id, one.market
        graph.nodes.append(
            Node(name, market.question, (market,), price(market), market.price_as_of)
        )
        polarity = _polarity(one.sign)
        moves = one.relation == "correlated"
        verb = "may move with" if moves else f"may {_MAY[polarity]}"
        ends = (QUESTION, name) if one.relation == "downstream" else (name, QUESTION)
        graph.edges.append(
            DrawnEdge(
                *ends, verb, None, one.reason, "co_movement" if moves else "causal", polarity,
                one.weight, False, None if moves else one.lag_days, (name,),
            )
        )  # fmt: skip


_MAY: Final = {"positive": "raise", "negative": "lower", "unknown": "bear on"}


def price(market: StoredMarket) -> float | None:
    """The price of a market's first outcome, as a probability; None without a quote."""
    return market.prices[0] if market.prices else None


def _chosen(found: Sequence[ReachedMarket]) -> list[int]:
    """Ids of the factors (things in the world) that get a node: at most `MOST_NODES`. They are
    taken from each relation in turn, at most `MOST_PER_RELATION` from one, those with the best
    markets first."""
    best: dict[Relation, list[int]] = {"upstream": [], "downstream": [], "correlated": []}
    seen: set[int] = set()
    for one in sorted(found, key=lambda one: (-one.score, one.market.id)):
        if one.factor not in seen and len(best[one.relation]) < MOST_PER_RELATION:
            seen.add(one.factor)
            best[one.relation].append(one.factor)
    numbers: list[int] = []
    for place in range(MOST_PER_RELATION):
        for relation in best.values():
            numbers += relation[place : place + 1]
    return numbers[:MOST_NODES]


def _same_event(one: StoredMarket, other: StoredMarket) -> bool:
    if one.id == other.id:
        return True
    same_group = one.group_id is not None and one.group_id == other.group_id
    same_event = one.event_id is not None and one.event_id == other.event_id
    return one.platform == other.platform and (same_group or same_event)


def _edges_of(
    lead: ReachedMarket,
    asked: CentralQuestion,
    ids: Mapping[int, str],
    leads: Mapping[int, ReachedMarket],
    factors: Mapping[int, Factor],
) -> list[DrawnEdge]:
    """A list with one edge: it joins the node of a factor (a thing in the world) to the rest of the
    graph.

    The other end of the edge is the question's node, with one exception. A factor that is upstream
    or downstream of the question can be reached through other factors. If the last factor before it
    on the path has a node in the graph, and has the same relation to the question (e.g. both are
    upstream), the edge joins the nodes of these two factors.

    lead : the factor's best market, with the path from the question to the factor
    ids, leads, factors : node id, best market and factor, by factor id
    """
    if not lead.path:
        return [
            DrawnEdge(
                ids[lead.factor], QUESTION, "moves with", strength(SUBJECT),
                "About the same subject.", "co_movement", "unknown", lead.score, False, None,
                (lead.market.id,),
            )
        ]  # fmt: skip
    *before, last = lead.path
    between = before[-1].target if before else None
    if lead.relation == "correlated":
        sign = 1
        for step in lead.path:
            sign *= step.sign
        reason = " ".join(step.reason for step in lead.path)
        polarity = _polarity(sign * lead.yes_direction * asked.yes_direction)
        return [
            DrawnEdge(
                ids[lead.factor], QUESTION, "moves with",
                _strength(lead.path, polarity, causal=False), reason, "co_movement", polarity,
                lead.score, False, None, (lead.market.id,),
            )
        ]  # fmt: skip
    if between is not None and between in ids and leads[between].relation == lead.relation:
        steps, other, yes_direction = (last,), ids[between], leads[between].yes_direction
    else:
        steps, other, yes_direction = lead.path, QUESTION, asked.yes_direction
    sign = 1
    for step in steps:
        sign *= step.sign
    polarity = _polarity(sign * lead.yes_direction * yes_direction)
    ordered = tuple(reversed(steps)) if lead.relation == "upstream" else steps
    reason = " ".join(step.reason for step in ordered)
    if len(steps) > 1:
        name = factors[steps[0].target].name
        reason = f"Through {name}: {reason}"
    ends = (ids[lead.factor], other) if lead.relation == "upstream" else (other, ids[lead.factor])
    return [
        DrawnEdge(
            *ends, _verb(polarity), _strength(steps, polarity), reason, "causal", polarity,
            lead.score, False, sum(step.lag for step in steps), (lead.market.id,),
        )
    ]  # fmt: skip


def _add_between(
    graph: GraphView,
    between: Sequence[Step],
    ids: Mapping[int, str],
    leads: Mapping[int, ReachedMarket],
) -> None:
    """Add edges between factors (things in the world) for the causal steps in `between`. A step is
    added only if both of its factors are shown. A step that closes a cycle is added only if the
    cycle has a lag, i.e. if it is a feedback over time; otherwise a warning is added.

    between : causal steps of the factor base
    ids, leads : node id and best market of each factor that is shown, by factor id
    """
    for step in sorted(between, key=lambda s: (-s.weight, s.source, s.target)):
        source, target = ids.get(step.source), ids.get(step.target)
        if source is None or target is None or source == target:
            continue
        if any({edge.source, edge.target} == {source, target} for edge in graph.edges):
            continue
        start, end = leads[step.source], leads[step.target]
        polarity = _polarity(step.sign * start.yes_direction * end.yes_direction)
        reason = step.reason
        back = _lag_of_path(graph.edges, target, source)
        if back is not None:
            if back + step.lag == 0:
                graph.warnings.append(
                    f"The edge {source} -> {target} was left out: it would close a causal cycle "
                    "without a lag."
                )
                continue
            reason += f" (A feedback: one round takes about {back + step.lag} days.)"
        graph.edges.append(
            DrawnEdge(
                source, target, _verb(polarity), _strength((step,), polarity), reason, "causal",
                polarity, min(leads[step.source].score, leads[step.target].score), False,
                step.lag, (),
            )
        )  # fmt: skip


def _lag_of_path(edges: Sequence[DrawnEdge], start: str, end: str) -> int | None:
    """Lag, in days, of the quickest causal path from node `start` to node `end`; None if there is
    no such path."""
    out: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for edge in edges:
        if edge.edge_type == "causal":
            out[edge.source].append((edge.target, edge.lag_days or 0))
    reached = {start: 0}
    waiting = [start]
    while waiting:
        place = waiting.pop()
        for target, lag in out[place]:
            through = reached[place] + lag
            if through < reached.get(target, through + 1):
                reached[target] = through
                waiting.append(target)
    return reached.get(end)


def _strength(steps: Sequence[Step], polarity: Polarity, *, causal: bool = True) -> float | None:
    return strength(kind(steps, causal=causal, signed=polarity != "unknown"))


def _polarity(sign: int) -> Polarity:
    return "positive" if sign > 0 else "negative" if sign < 0 else "unknown"


def _verb(polarity: Polarity) -> str:
    return {"positive": "raises", "negative": "lowers", "unknown": "bears on"}[polarity]

"""The causal graph of a question, from related markets and the steps that led to them. Pure.

A factor is something in the world that markets are about, such as a policy rate; a step leads from
one factor to another that it drives, follows from or moves with. Nodes are events: the question
itself, and for each related factor its best event, with that event's markets and their current
prices. Edges point from cause to effect. Events that only move together have an edge that says so;
its direction means nothing. The size of the graph is limited. A causal cycle is kept only if it has
a lag, i.e. if it is a feedback over time.
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
from augury.relations.causal.paths import Step
from augury.search.related import Relation

Polarity = Literal["positive", "negative", "unknown"]

QUESTION: Final = "question"
MOST_NODES: Final = 18
"""Largest number of nodes of a causal graph besides the question; more would be unreadable."""
MOST_PER_RELATION: Final = 7
MOST_LABELLED: Final = 3
"""Largest number of nodes that are shown only because a language model said (in a label) that their
market is related to the question."""
MOST_MARKETS: Final = 4
"""Largest number of markets shown at one node of a causal graph."""


@dataclass(frozen=True, slots=True)
class ReachedMarket:
    """A market related to the question, and the path from factor to factor that relates it."""

    market: StoredMarket
    relation: Relation
    score: float
    factor: int
    lean: int
    """+1 if Yes to the best market on factor number `factor` (a thing in the world) means a rise of
    the factor, -1 if it means a fall, 0: unknown."""
    way: tuple[Step, ...]
    """Steps of the path to the market's factor (a thing in the world) from a factor that the
    question is about; empty if both are the same factor."""


@dataclass(frozen=True, slots=True)
class Node:
    id: str
    label: str
    markets: tuple[StoredMarket, ...]
    probability: float | None
    """Probability (0 to 1) that the node's label comes true: the price of its market or, for the
    question, its forecast; None: unknown."""
    price_as_of: datetime | None = None
    """When the price that `probability` rests on was quoted."""


@dataclass(frozen=True, slots=True)
class DrawnEdge:
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
    """Ids of the markets that support the edge; empty if it comes only from the factor base (causes
    and effects that people wrote down)."""


@dataclass(slots=True)
class GraphView:
    nodes: list[Node] = field(default_factory=list)
    edges: list[DrawnEdge] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CentralQuestion:
    """The question that a graph is drawn for, which is the node in its middle."""

    label: str
    markets: tuple[StoredMarket, ...]
    """Markets on the question itself, best first."""
    probability: float | None
    factors: Sequence[tuple[int, float]]
    """The factors (things in the world) that the question is about, the strongest first, each as
    (its number, how much the question is about it: 0 to 1)."""
    lean: int
    """+1 if Yes to the question means a rise of the factors that it is about, -1 if it means a
    fall, 0: unknown."""
    price_as_of: datetime | None = None
    """When the newest price that `probability` rests on was quoted."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A market that is related to the question only because a language model said so (in a
    label)."""

    market: StoredMarket
    relation: Relation
    weight: float
    sign: int
    """+1 if the probabilities of market and question move the same way, -1 if opposite ways, 0:
    unknown."""
    lag_days: int
    told: str


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
        Number -> factor, for every factor that `found` or the steps of its paths name.
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


def add_labelled(graph: GraphView, labelled: Sequence[Labelled]) -> None:
    """Add the first `MOST_LABELLED` of the `labelled` markets (related by a language model's word
    only) that `graph` does not show yet. Each one is joined to the question only, by an edge that
    is worded as a suggestion ("may raise")."""
    shown = {market.id for node in graph.nodes for market in node.markets}
    for one in [one for one in labelled if one.market.id not in shown][:MOST_LABELLED]:
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
                *ends, verb, None, one.told, "co_movement" if moves else "causal", polarity,
                one.weight, False, None if moves else one.lag_days, (name,),
            )
        )  # fmt: skip


_MAY: Final = {"positive": "raise", "negative": "lower", "unknown": "bear on"}


def price(market: StoredMarket) -> float | None:
    """The price of a market's first outcome, as a probability; None without a quote."""
    return market.prices[0] if market.prices else None


def _chosen(found: Sequence[ReachedMarket]) -> list[int]:
    """Numbers of the factors (things in the world) that get a node, from each relation in turn: at
    most `MOST_PER_RELATION` of a relation, those with the best markets first, and `MOST_NODES` in
    all."""
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
    """A list of one: the edge between the node of a factor (a thing in the world) and the
    question's node. If the causal path from the question to the factor leads through another factor
    that is shown in the same relation, the edge goes to the node of that one instead of the
    question's.

    lead : the factor's best market, with its path
    ids, leads, factors : node id, best market and factor, by factor number
    """
    if not lead.way:
        return [
            DrawnEdge(
                ids[lead.factor], QUESTION, "moves with", strength(SUBJECT),
                "About the same subject.", "co_movement", "unknown", lead.score, False, None,
                (lead.market.id,),
            )
        ]  # fmt: skip
    *before, last = lead.way
    between = before[-1].target if before else None
    if lead.relation == "correlated":
        sign = 1
        for step in lead.way:
            sign *= step.sign
        told = " ".join(step.reason for step in lead.way)
        polarity = _polarity(sign * lead.lean * asked.lean)
        return [
            DrawnEdge(
                ids[lead.factor], QUESTION, "moves with",
                _strength(lead.way, polarity, causal=False), told, "co_movement", polarity,
                lead.score, False, None, (lead.market.id,),
            )
        ]  # fmt: skip
    if between is not None and between in ids and leads[between].relation == lead.relation:
        steps, other, lean = (last,), ids[between], leads[between].lean
    else:
        steps, other, lean = lead.way, QUESTION, asked.lean
    sign = 1
    for step in steps:
        sign *= step.sign
    polarity = _polarity(sign * lead.lean * lean)
    ordered = tuple(reversed(steps)) if lead.relation == "upstream" else steps
    told = " ".join(step.reason for step in ordered)
    if len(steps) > 1:
        name = factors[steps[0].target].name
        told = f"Through {name}: {told}"
    ends = (ids[lead.factor], other) if lead.relation == "upstream" else (other, ids[lead.factor])
    return [
        DrawnEdge(
            *ends, _verb(polarity), _strength(steps, polarity), told, "causal", polarity,
            lead.score, False, sum(step.lag for step in steps), (lead.market.id,),
        )
    ]  # fmt: skip


def _add_between(
    graph: GraphView,
    between: Sequence[Step],
    ids: Mapping[int, str],
    leads: Mapping[int, ReachedMarket],
) -> None:
    """Add as edges those of the causal steps `between` (from the factor base) whose two factors are
    both shown. A step that closes a cycle is added only if the cycle has a lag, i.e. if it is a
    feedback over time; otherwise a warning is added.

    ids, leads : node id and best market of each factor shown, by factor number
    """
    for step in sorted(between, key=lambda s: (-s.weight, s.source, s.target)):
        source, target = ids.get(step.source), ids.get(step.target)
        if source is None or target is None or source == target:
            continue
        if any({edge.source, edge.target} == {source, target} for edge in graph.edges):
            continue
        polarity = _polarity(step.sign * leads[step.source].lean * leads[step.target].lean)
        told = step.reason
        back = _lag_of_path(graph.edges, target, source)
        if back is not None:
            if back + step.lag == 0:
                graph.warnings.append(
                    f"{source} -> {target} was left out: it would close a cycle without a lag"
                )
                continue
            told += f" (A feedback: one round takes about {back + step.lag} days.)"
        graph.edges.append(
            DrawnEdge(
                source, target, _verb(polarity), _strength((step,), polarity), told, "causal",
                polarity, min(leads[step.source].score, leads[step.target].score), False,
                step.lag, (),
            )
        )  # fmt: skip


def _lag_of_path(edges: Sequence[DrawnEdge], start: str, end: str) -> int | None:
    """Number of days that the quickest causal path from node `start` to node `end` takes; None if
    there is no path."""
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

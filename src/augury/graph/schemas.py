"""Schemas of the API's requests and answers on causal graphs: the public ones (spec section 2.3),
and those for operators."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from augury.graph import view
from augury.graph.service import Drawn
from augury.graph.view import DrawnEdge, Node
from augury.markets.records import ORIGINS, Platform, ShownOrigin, Status, priced
from augury.markets.store import StoredMarket
from augury.search.schemas import is_readable

MAX_QUESTION = 500
"""Largest length of a question, in characters."""


def _not_blank(value: Any) -> Any:
    if isinstance(value, str) and value and not is_readable(value):
        raise PydanticCustomError(
            "string_blank", "Question should have at least one visible character"
        )
    return value


Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_QUESTION,
        strict=True,
        description="The question, with at least one visible character.",
    ),
    BeforeValidator(_not_blank),
]

MARKET_EXAMPLE = {
    "id": "kalshi:KXFEDDECISION-26DEC-C25",
    "question": "Fed decision in December? — Cut 25bps",
    "platform": "kalshi",
    "current_prices": {"Yes": 0.62, "No": 0.38},
    "platform_url": "https://kalshi.com/markets/kxfeddecision",
}
_NODE = {
    "id": "us-labour-market",
    "label": "Will unemployment rise above 4.5% in November?",
    "markets": [MARKET_EXAMPLE],
    "current_probability": 0.62,
}
_EDGE = {
    "source": "us-labour-market",
    "target": "question",
    "relationship": "raises",
    "strength": 0.08,
    "description": "A weak November payroll report makes a cut more likely.",
}
GRAPH_EXAMPLE = {"nodes": [_NODE], "edges": [_EDGE]}


def strict_config(example: dict[str, Any]) -> ConfigDict:
    """Pydantic configuration of a model that refuses unknown properties and shows `example` in its
    JSON schema."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})


class PublicMarketSummary(BaseModel):
    """A market in brief: its question, its venue and its prices."""

    model_config = strict_config(MARKET_EXAMPLE)

    id: str = Field(description="Id of the market; it never changes.")
    question: str = Field(description="The market's question.")
    platform: Platform = Field(description="Venue of the market.")
    current_prices: dict[str, float] | None = Field(
        None,
        description="Label of each outcome and its price, as a probability from 0 to 1. Outcomes "
        "without a quote are left out. Null: no outcome has one.",
    )
    platform_url: str | None = Field(None, description="The market's page at its venue.")


class PublicGraphNode(BaseModel):
    """A node of a causal graph. One node stands for the question for which the graph was drawn.
    Every other node stands for something related to that question, and has markets on it."""

    model_config = strict_config(_NODE)

    id: str = Field(
        description="Id of the node in this graph. The node of the graph's question is `question`."
    )
    label: str = Field(
        description="The question that the node stands for. One node stands for the graph's own "
        "question; any other node has the question of its first market."
    )
    markets: list[PublicMarketSummary] = Field(
        description="Markets of the node, best first. The node of the graph's question has markets "
        "that ask that question; any other node has markets of one event."
    )
    current_probability: float | None = Field(
        None,
        description="Probability of Yes to the question in `label`, 0 to 1. For the node of the "
        "graph's question, it is the forecast; for any other node, the price of its first market. "
        "Null: not known.",
    )


class PublicGraphEdge(BaseModel):
    """An edge of a causal graph: how two of its nodes are related."""

    model_config = strict_config(_EDGE)

    source: str = Field(description="Id of the node at which the edge starts.")
    target: str = Field(description="Id of the node at which the edge ends.")
    relationship: str = Field(
        description="Relation of the source to the target, in words, e.g. raises or implies."
    )
    strength: float | None = Field(
        None,
        description="How often two markets joined by an edge of this kind moved together, 0 to 1. "
        "It is measured on recorded prices. Only days on which at least one of the two moved are "
        "counted; on this share of them, both moved as the edge says. Unrelated markets reach "
        "0.05. Null: not measured.",
    )
    description: str | None = Field(
        None, description="Why the two nodes are related, in sentences."
    )


class PublicCausalGraph(BaseModel):
    """A causal graph: a question with its causes, its consequences and their markets, as nodes and
    edges."""

    model_config = strict_config(GRAPH_EXAMPLE)

    nodes: list[PublicGraphNode]
    edges: list[PublicGraphEdge]


class GraphEdge(PublicGraphEdge):
    """An edge of a causal graph, with its type, direction, certainty, lag and markets."""

    model_config = strict_config(
        {
            **_EDGE,
            "edge_type": "causal",
            "polarity": "positive",
            "confidence": 0.8,
            "hard_constraint": False,
            "lag_days": 30,
            "evidence": ["kalshi:KXFEDDECISION-26DEC-C25"],
        }
    )

    edge_type: Literal["causal", "co_movement", "logical"] = Field(
        description="causal: the source drives the target. co_movement: both move together, "
        "without cause and effect. logical: one implies or excludes the other."
    )
    polarity: Literal["positive", "negative", "unknown"] = Field(
        description="positive: if the source is Yes, the target is more likely to be Yes. "
        "negative: it is less likely. unknown: the direction is not known."
    )
    confidence: float = Field(
        description="How certain it is that the two nodes are related, 0 to 1; 1 for a relation "
        "that follows from logic."
    )
    hard_constraint: bool = Field(
        description="True if the relation holds by logic, so that the probability of each node "
        "limits that of the other; false if it is only a tendency."
    )
    lag_days: int | None = Field(
        description="Typical number of days until the effect shows. Null: the edge is not causal."
    )
    evidence: list[str] = Field(
        description="Ids of the markets on which the edge rests. Empty: it rests only on Augury's "
        "built-in list of causes and effects, which people wrote."
    )


class Graph(BaseModel):
    """A causal graph as operators get it, with all details of its edges."""

    nodes: list[PublicGraphNode]
    edges: list[GraphEdge]


class Trace(BaseModel):
    """How a causal graph was built: what was found and drawn, with warnings and the duration of
    each part of the work."""

    question: str
    unique_market_count: int = Field(
        description="Number of different markets that were found. Markets with a stale (too old) "
        "price, or with only past dates in their text, are not counted."
    )
    events: list[str] = Field(
        description="Ids of the nodes of the graph, that of the question first."
    )
    edge_count: int = Field(description="Number of edges of the graph.")
    warnings: list[str] = Field(
        description="Notes to read before using the graph, in plain English; e.g. that markets "
        "are invented samples."
    )
    timings_ms: dict[str, float] = Field(
        description="Duration of each part of the work in milliseconds, by the part's name."
    )
    coverage: dict[str, int] = Field(
        description="Number of markets found, by their relation to the question (direct, upstream, "
        "downstream, correlated)."
    )
    target_selection: dict[str, Any] = Field(
        description="What the question was understood to be about. `factors`: things in the world, "
        "e.g. a policy rate, each with its weight from 0 to 1. `market`: id of the best market on "
        "the question itself, or null."
    )


class GraphRequest(BaseModel):
    """A question for which to draw a causal graph."""

    model_config = strict_config({"question": "Will the US fall into recession in 2027?"})

    question: Question
    search_results: dict[str, list[dict[str, Any]]] | None = Field(
        None,
        description="Draw only the markets in these results of an earlier search. The keys are "
        "relations to the question (direct, upstream, downstream, correlated). Each value is a "
        "list of results. Default: all results of a new search for the question.",
    )


class GraphAnswer(BaseModel):
    """A causal graph, with a trace of how it was built."""

    graph: Graph
    trace: Trace


class FullGraphRequest(BaseModel):
    """A question for which to draw a causal graph, and whether to wait for the graph."""

    model_config = strict_config({"question": "Will the US fall into recession in 2027?"})

    question: Question
    background: bool = Field(
        False,
        strict=True,
        description="true: answer 202 immediately and draw the graph in the background. false: "
        "answer when the graph is drawn.",
    )


class GraphMarket(PublicMarketSummary):
    """A market at a node of a causal graph, with the time and the origin of its prices."""

    model_config = strict_config(
        {**MARKET_EXAMPLE, "price_as_of": "2026-11-21T09:30:00Z", "closes_at": None,
         "status": "active", "stale": False, "origin": "live"}
    )  # fmt: skip

    price_as_of: datetime | None = Field(
        description="When the venue quoted the prices. Null: there is no price."
    )
    closes_at: datetime | None = Field(
        description="Announced closing time of the market. Null: not known."
    )
    status: Status
    stale: bool = Field(description="True if the market's price is too old to rely on.")
    origin: ShownOrigin = Field(
        description="Where the market's data comes from. live: the venue. import: a file. sample: "
        "it is invented."
    )


class FullNode(BaseModel):
    """A node of a causal graph. One node stands for the question for which the graph was drawn.
    Every other node stands for something related to that question, and has markets on it. Each node
    also says when its probability's newest price was quoted, and where its markets come from."""

    id: str = Field(
        description="Id of the node in this graph. The node of the graph's question is `question`."
    )
    label: str = Field(
        description="The question that the node stands for. One node stands for the graph's own "
        "question; any other node has the question of its first market."
    )
    markets: list[GraphMarket] = Field(
        description="Markets of the node, best first. The node of the graph's question has markets "
        "that ask that question; any other node has markets of one event."
    )
    current_probability: float | None = Field(
        description="Probability of Yes to the question in `label`, 0 to 1. For the node of the "
        "graph's question, it is the forecast; for any other node, the price of its first market. "
        "Null: not known."
    )
    price_as_of: datetime | None = Field(
        description="When the newest price behind `current_probability` was quoted. Null: there "
        "is none."
    )
    origin: ShownOrigin | None = Field(
        description="Least reliable origin among the node's markets. From least to most reliable: "
        "sample (invented), import (from a file), live (from the venue). Null: the node has no "
        "markets."
    )


class DrawnGraph(BaseModel):
    """A causal graph: its nodes and edges, with the time and the origin of each probability and
    price."""

    nodes: list[FullNode] = Field(
        description="The node of the graph's question first, then the related ones."
    )
    edges: list[GraphEdge]


class FullGraph(BaseModel):
    """A causal graph that this account asked for, or the progress of drawing it."""

    id: str
    status: Literal["queued", "running", "succeeded", "failed", "canceled"] = Field(
        description="Status of the job that draws the graph. `graph` is filled in when the status "
        "is `succeeded`."
    )
    created_at: datetime = Field(description="When the graph was asked for.")
    question: str = Field(description="The question for which the graph is drawn.")
    as_of: datetime | None = Field(
        None, description="When the graph was drawn. Null: it is not drawn yet."
    )
    origin: Literal["live", "import", "sample"] | None = Field(
        None,
        description="Least reliable origin among the graph's markets. From least to most reliable: "
        "sample (invented), import (from a file), live (from the venue). Null: the graph has no "
        "markets.",
    )
    data_as_of: datetime | None = Field(
        None,
        description="When the newest of the prices behind the nodes' probabilities was quoted. "
        "Null: there is no such price.",
    )
    graph: DrawnGraph | None = Field(
        None, description="The graph. Null until `status` is `succeeded`."
    )
    warnings: list[str] = Field(
        default_factory=list,
        description="Notes to read before using the graph, in plain English.",
    )
    error: str | None = Field(default=None, description="Why drawing failed. Null: it did not.")


class JobStarted(BaseModel):
    """A background job that draws a causal graph, just accepted."""

    job_id: str = Field(description="Id of the job; use it to read the job's progress.")
    status: str = Field(description="Status of the job, e.g. queued.")
    created_at: datetime


class JobState(BaseModel):
    """The progress of a job that draws a causal graph, and the graph once the job has succeeded."""

    job_id: str
    status: Literal["queued", "running", "succeeded", "failed", "canceled"]
    progress_stage: str | None = Field(
        description="The stage that was started last, e.g. searching. Null: no stage has started."
    )
    progress_detail: dict[str, Any] | None = Field(
        description="Details of the stage that was started last, e.g. the number of markets "
        "found. Null: no stage has started."
    )
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error_message: str | None = Field(description="Why the job failed. Null: it did not.")
    graph: Graph | None
    trace: Trace | None


def summary(market: StoredMarket) -> PublicMarketSummary:
    """A market in brief, as graphs show it in public: id, question, venue, prices and URL."""
    prices = priced(market.outcomes, market.prices) or {}
    return PublicMarketSummary(
        id=market.id,
        question=market.question,
        platform=market.platform,
        current_prices={k: v for k, v in prices.items() if v is not None} or None,
        platform_url=market.url,
    )


def public(drawn: Drawn) -> PublicCausalGraph:
    """The graph in its public form: without the type, direction, certainty, lag and markets of its
    edges."""
    return PublicCausalGraph(
        nodes=[_node(node) for node in drawn.graph.nodes],
        edges=[
            PublicGraphEdge(
                source=edge.source,
                target=edge.target,
                relationship=edge.relationship,
                strength=edge.strength,
                description=edge.description,
            )
            for edge in drawn.graph.edges
        ],
    )


def answer(drawn: Drawn) -> GraphAnswer:
    """The graph as operators see it, with all details of its edges, and the trace of how it was
    built."""
    return GraphAnswer(graph=graph(drawn.graph), trace=Trace(**drawn.trace))


def full(drawn: Drawn, graph_id: str, created_at: datetime) -> FullGraph:
    """The finished graph as `/v1/graphs` returns it, with the time and the origin of every number.

    graph_id : id that the API gives to the graph
    created_at : when the graph was asked for
    """
    nodes = [_full_node(node) for node in drawn.graph.nodes]
    times = [node.price_as_of for node in nodes if node.price_as_of is not None]
    found: set[ShownOrigin] = {market.origin for node in nodes for market in node.markets}
    return FullGraph(
        id=graph_id, status="succeeded", created_at=created_at,
        question=drawn.trace["question"], as_of=drawn.as_of, origin=least_reliable(found),
        data_as_of=max(times, default=None),
        graph=DrawnGraph(nodes=nodes, edges=[_edge(edge) for edge in drawn.graph.edges]),
        warnings=drawn.trace["warnings"],
    )  # fmt: skip


def least_reliable(origins: Collection[ShownOrigin]) -> ShownOrigin | None:
    """Of several origins of data, the least reliable: `sample` before `import` before `live`. It is
    shown as the origin of what is made from all the data. None if `origins` is empty."""
    return next((one for one in ("sample", "import", "live") if one in origins), None)


def _full_node(node: Node) -> FullNode:
    markets = [
        GraphMarket(
            **summary(market).model_dump(), price_as_of=market.price_as_of,
            closes_at=market.closes_at, status=market.status, stale=market.stale,
            origin=ORIGINS[market.origin],
        )
        for market in node.markets
    ]  # fmt: skip
    return FullNode(
        id=node.id, label=node.label, markets=markets, current_probability=node.probability,
        price_as_of=node.price_as_of, origin=least_reliable([market.origin for market in markets]),
    )  # fmt: skip


def graph(drawn: view.GraphView) -> Graph:
    """The graph as operators see it, with all details of its edges."""
    return Graph(
        nodes=[_node(node) for node in drawn.nodes],
        edges=[_edge(edge) for edge in drawn.edges],
    )


def _node(node: Node) -> PublicGraphNode:
    return PublicGraphNode(
        id=node.id,
        label=node.label,
        markets=[summary(market) for market in node.markets],
        current_probability=node.probability,
    )


def _edge(edge: DrawnEdge) -> GraphEdge:
    return GraphEdge(
        source=edge.source,
        target=edge.target,
        relationship=edge.relationship,
        strength=edge.strength,
        description=edge.description,
        edge_type=edge.edge_type,
        polarity=edge.polarity,
        confidence=round(edge.confidence, 3),
        hard_constraint=edge.hard_constraint,
        lag_days=edge.lag_days,
        evidence=list(edge.evidence),
    )

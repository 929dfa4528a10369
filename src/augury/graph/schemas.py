"""Wire shapes of causal graphs: the public view of spec section 2.3, and what operators get."""

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


def closed(example: dict[str, Any]) -> ConfigDict:
    """Pydantic configuration of a model that refuses unknown properties and shows `example` in its
    JSON schema."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})


class PublicMarketSummary(BaseModel):
    """A market in short: its question, its venue and its prices."""

    model_config = closed(MARKET_EXAMPLE)

    id: str = Field(description="Stable market identifier.")
    question: str = Field(description="Market question.")
    platform: Platform = Field(description="Venue of the market.")
    current_prices: dict[str, float] | None = Field(
        None,
        description="Price by outcome label, as a probability from 0 to 1; outcomes without a "
        "quote are left out. Null: no quote.",
    )
    platform_url: str | None = Field(None, description="The market's page at its venue.")


class PublicGraphNode(BaseModel):
    """A node of a causal graph: the question that the graph is for, or an event or factor related
    to it."""

    model_config = closed(_NODE)

    id: str = Field(description="Stable node identifier.")
    label: str = Field(
        description="The question that the graph is for, or that of the node's first market."
    )
    markets: list[PublicMarketSummary] = Field(
        description="Markets on the graph's question, or markets of the node's event, best first."
    )
    current_probability: float | None = Field(
        None,
        description="Probability of what the label says, 0 to 1: the price of its market or, for "
        "the question, the forecast. Null: not known.",
    )


class PublicGraphEdge(BaseModel):
    """An edge of a causal graph: how two of its nodes are related."""

    model_config = closed(_EDGE)

    source: str = Field(description="Id of the node at which the edge starts.")
    target: str = Field(description="Id of the node at which the edge ends.")
    relationship: str = Field(description="The relation in words, e.g. raises.")
    strength: float | None = Field(
        None,
        description="How often markets joined by an edge of this kind moved together, 0 to 1. "
        "Measured on recorded prices: of the days on which at least one of the two moved, the "
        "share on which both moved as the edge says. Unrelated markets reach 0.05. Null: not "
        "measured.",
    )
    description: str | None = Field(None, description="Why the two nodes are related.")


class PublicCausalGraph(BaseModel):
    """A causal graph: a question with its causes, its consequences and their markets, as nodes and
    edges."""

    model_config = closed(GRAPH_EXAMPLE)

    nodes: list[PublicGraphNode]
    edges: list[PublicGraphEdge]


class GraphEdge(PublicGraphEdge):
    """An edge of a causal graph, with its type, direction, certainty, lag and markets."""

    model_config = closed(
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
        description="positive: Yes at the source makes Yes at the target more likely. negative: "
        "less likely. unknown: the direction is not known."
    )
    confidence: float = Field(description="How certain the relation is, 0 to 1.")
    hard_constraint: bool = Field(
        description="True if the edge is a matter of logic, not of cause and effect."
    )
    lag_days: int | None = Field(
        description="Typical number of days until the effect shows. Null: the edge is not causal."
    )
    evidence: list[str] = Field(
        description="Ids of the markets that support the edge. Empty: the edge comes from the "
        "factor base (causes and effects that people wrote down) alone."
    )


class Graph(BaseModel):
    """A causal graph in an answer to operators, with all details of its edges."""

    nodes: list[PublicGraphNode]
    edges: list[GraphEdge]


class Trace(BaseModel):
    """How a causal graph was built: what was found and drawn, with warnings and the duration of
    each part of the work."""

    question: str
    unique_market_count: int = Field(
        description="Number of different markets found, without those with a stale price or past "
        "dates."
    )
    events: list[str] = Field(description="Keys of the events in the graph, the question first.")
    edge_count: int = Field(description="Number of edges of the graph.")
    warnings: list[str]
    timings_ms: dict[str, float] = Field(
        description="Duration of each part of the work in milliseconds, by the part's name."
    )
    coverage: dict[str, int] = Field(
        description="Number of markets found, by their relation to the question (direct, upstream "
        "...)."
    )
    target_selection: dict[str, Any] = Field(
        description="What the question was understood to be about: factors with weights, and the "
        "market that asks it, if there is one."
    )


class GraphRequest(BaseModel):
    """A question to draw a causal graph of."""

    model_config = closed({"question": "Will the US fall into recession in 2027?"})

    question: Question
    search_results: dict[str, list[dict[str, Any]]] | None = Field(
        None,
        description="Results of an earlier search, by relation. Only these markets are drawn. "
        "Default: the results of a search for the question.",
    )


class GraphAnswer(BaseModel):
    """A causal graph, with a trace of how it was built."""

    graph: Graph
    trace: Trace


class FullGraphRequest(BaseModel):
    """A question to draw a causal graph of, and whether to wait for the graph."""

    model_config = closed({"question": "Will the US fall into recession in 2027?"})

    question: Question
    background: bool = Field(
        False, strict=True, description="Answer 202 at once and draw the graph in the background."
    )


class GraphMarket(PublicMarketSummary):
    """A market at a node of a causal graph, with the time and origin of its prices."""

    model_config = closed(
        {**MARKET_EXAMPLE, "price_as_of": "2026-11-21T09:30:00Z", "closes_at": None,
         "status": "active", "stale": False, "origin": "live"}
    )  # fmt: skip

    price_as_of: datetime | None = Field(description="When the venue quoted the prices.")
    closes_at: datetime | None = Field(description="Announced close. Null: not known.")
    status: Status
    stale: bool = Field(description="True if the market's price is too old to count as evidence.")
    origin: ShownOrigin = Field(
        description="live: from the venue. import: from a file. sample: an invented market."
    )


class FullNode(BaseModel):
    """A node of a causal graph (the question, or an event or factor related to it), with the time
    and origin of its probability."""

    id: str
    label: str = Field(
        description="The question that the graph is for, or that of the node's first market."
    )
    markets: list[GraphMarket] = Field(
        description="Markets on the graph's question, or markets of the node's event, best first."
    )
    current_probability: float | None = Field(
        description="Probability of what the label says, 0 to 1: the price of its market or, for "
        "the question, the forecast. Null: not known."
    )
    price_as_of: datetime | None = Field(
        description="When the price behind `current_probability` was quoted."
    )
    origin: ShownOrigin | None = Field(
        description="The least reliable origin of the node's markets: sample, then import, then "
        "live. Null: it has no markets."
    )


class DrawnGraph(BaseModel):
    """A causal graph: its nodes and edges, with the time and origin of every probability and
    price."""

    nodes: list[FullNode] = Field(description="The question is the first node.")
    edges: list[GraphEdge]


class FullGraph(BaseModel):
    """A causal graph that this account asked for, or the progress of drawing it."""

    id: str
    status: Literal["queued", "running", "succeeded", "failed", "canceled"] = Field(
        description="Status of the work. `graph` is filled in once it has succeeded."
    )
    created_at: datetime
    question: str
    as_of: datetime | None = Field(None, description="When the graph was drawn.")
    origin: Literal["live", "import", "sample"] | None = Field(
        None,
        description="The least reliable origin of the graph's markets: sample, then import, then "
        "live. Null: it has no markets.",
    )
    data_as_of: datetime | None = Field(
        None,
        description="When the newest price behind a probability of the graph was quoted. Null: "
        "there is none.",
    )
    graph: DrawnGraph | None = Field(
        None, description="The graph. Null until `status` is succeeded."
    )
    warnings: list[str] = Field(
        default_factory=list, description="What to know before using the graph, in sentences."
    )
    error: str | None = Field(default=None, description="Why drawing failed. Null: it did not.")


class JobStarted(BaseModel):
    """A background job that draws a causal graph, just accepted."""

    job_id: str
    status: str
    created_at: datetime


class JobState(BaseModel):
    """The progress of a job that draws a causal graph, and the graph once the job has succeeded."""

    job_id: str
    status: Literal["queued", "running", "succeeded", "failed", "canceled"]
    progress_stage: str | None = Field(
        description="The part of the work that was begun last. Null: none was yet."
    )
    progress_detail: dict[str, Any] | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error_message: str | None = Field(description="Why the job failed. Null: it did not.")
    graph: Graph | None
    trace: Trace | None


def summary(market: StoredMarket) -> PublicMarketSummary:
    """The summary of a market that graphs show in public: id, question, venue, prices and URL."""
    prices = priced(market.outcomes, market.prices) or {}
    return PublicMarketSummary(
        id=market.id,
        question=market.question,
        platform=market.platform,
        current_prices={k: v for k, v in prices.items() if v is not None} or None,
        platform_url=market.url,
    )


def public(drawn: Drawn) -> PublicCausalGraph:
    """The graph in its public form: its edges have no type, direction, certainty, lag or
    markets."""
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
    """The finished graph as `/v1/graphs` returns it, with the time and origin of every number."""
    nodes = [_full_node(node) for node in drawn.graph.nodes]
    times = [node.price_as_of for node in nodes if node.price_as_of is not None]
    found: set[ShownOrigin] = {market.origin for node in nodes for market in node.markets}
    return FullGraph(
        id=graph_id, status="succeeded", created_at=created_at,
        question=drawn.trace["question"], as_of=drawn.as_of, origin=mixed(found),
        data_as_of=max(times, default=None),
        graph=DrawnGraph(nodes=nodes, edges=[_edge(edge) for edge in drawn.graph.edges]),
        warnings=drawn.trace["warnings"],
    )  # fmt: skip


def mixed(origins: Collection[ShownOrigin]) -> ShownOrigin | None:
    """Of several `origins` of data, the least reliable: `sample` before `import` before `live`. It
    is shown as the origin of what is made from all the data. None if there are none."""
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
        price_as_of=node.price_as_of, origin=mixed([market.origin for market in markets]),
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

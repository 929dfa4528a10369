"""Wire shapes of forecasts: spec sections 2.1 to 2.4."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from augury.markets.records import Platform
from augury.search.schemas import is_readable

MAX_QUESTION = 500


def _not_blank(value: Any) -> Any:
    if isinstance(value, str) and value and not is_readable(value):
        raise PydanticCustomError(
            "string_blank", "Question should have at least one visible character"
        )
    return value


def _closed(example: dict[str, Any]) -> ConfigDict:
    """A shape that takes no other properties, with its example."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})


_MARKET = {
    "id": "kalshi:KXFEDDECISION-26DEC-C25",
    "question": "Fed decision in December? — Cut 25bps",
    "platform": "kalshi",
    "current_prices": {"Yes": 0.62, "No": 0.38},
    "platform_url": "https://kalshi.com/markets/kxfeddecision",
}
_NODE = {
    "id": "n1",
    "label": "The Fed cuts rates in December",
    "markets": [_MARKET],
    "current_probability": 0.62,
}
_EDGE = {
    "source": "n2",
    "target": "n1",
    "relationship": "raises",
    "strength": 0.4,
    "description": "A weak November payroll report makes a cut more likely.",
}
_FILTER = {
    "selected_direct_count": 1,
    "selected_proxy_count": 2,
    "selected_weak_count": 0,
    "selected_evidence_profile": "direct_mixed",
    "selected_direct_evidence_missing": False,
    "selected_proxy_dominant": False,
}
_ORACLE_PORT = {
    "original_question": "Will the Fed cut rates in December?",
    "effective_question": "Will the Fed cut rates in December 2026?",
    "rewrite_applied": True,
    "insufficient_data": False,
    "fallbacks_applied": [],
    "relevance_filter_summary": _FILTER,
}


class PublicForecastRequest(BaseModel):
    """A question about the future, in plain words."""

    model_config = _closed(
        {"question": "Will the Fed cut rates in December?", "include_graph": True}
    )

    question: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUESTION,
            strict=True,
            description="The question; blank ones are refused.",
        ),
        BeforeValidator(_not_blank),
    ]
    include_graph: bool = Field(
        True, strict=True, description="Include the causal graph when there is one."
    )


class PublicConfidenceInterval(BaseModel):
    """Where the probability may well lie."""

    model_config = _closed({"lower": 0.54, "upper": 0.7})

    lower: float
    upper: float


class PublicMarketSummary(BaseModel):
    """A market used as evidence."""

    model_config = _closed(_MARKET)

    id: str = Field(description="Stable market identifier.")
    question: str = Field(description="Market question.")
    platform: Platform = Field(description="Source platform name.")
    current_prices: dict[str, float] | None = Field(None, description="Price by outcome label.")
    platform_url: str | None = Field(None, description="Address on the source platform.")


class PublicGraphNode(BaseModel):
    """An event in the causal graph."""

    model_config = _closed(_NODE)

    id: str = Field(description="Stable node identifier.")
    label: str
    markets: list[PublicMarketSummary]
    current_probability: float | None = None


class PublicGraphEdge(BaseModel):
    """How one event bears on another."""

    model_config = _closed(_EDGE)

    source: str = Field(description="Source node identifier.")
    target: str = Field(description="Target node identifier.")
    relationship: str = Field(description="Human-readable label.")
    strength: float | None = None
    description: str | None = None


class PublicCausalGraph(BaseModel):
    """The public view of the causal graph."""

    model_config = _closed({"nodes": [_NODE], "edges": [_EDGE]})

    nodes: list[PublicGraphNode]
    edges: list[PublicGraphEdge]


class PublicRelevanceFilterSummary(BaseModel):
    """What evidence the forecast was left with."""

    model_config = ConfigDict(json_schema_extra={"examples": [_FILTER]})

    selected_direct_count: int | None = None
    selected_proxy_count: int | None = None
    selected_weak_count: int | None = None
    selected_evidence_profile: (
        Literal["direct_mixed", "direct_only", "proxy_only", "weak_only", "none"] | None
    ) = None
    selected_direct_evidence_missing: bool | None = None
    selected_proxy_dominant: bool | None = None


class PublicOraclePortMetadata(BaseModel):
    """How the question was understood."""

    model_config = _closed(_ORACLE_PORT)

    original_question: str | None = None
    effective_question: str | None = Field(
        None, description="The question used after any normalization."
    )
    normalized_question: str | None = None
    rewrite_applied: bool | None = None
    normalization_reason: str | None = None
    search_query_used: str | None = None
    insufficient_data: bool | None = None
    fallbacks_applied: list[str] = Field(default_factory=list, description="Fallback markers.")
    relevance_filter_summary: PublicRelevanceFilterSummary | None = None


class PublicForecastMetadata(BaseModel):
    """What is known about the making of a forecast."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"oracle_port": _ORACLE_PORT}]})

    oracle_port: PublicOraclePortMetadata | None = None


class PublicForecastResponse(BaseModel):
    """A forecast, or the reason why there is none."""

    model_config = _closed(
        {
            "request_id": "req_01989d2c7f6b7c3f9d0e8f1a2b3c4d5e",
            "question": "Will the Fed cut rates in December?",
            "probability": 0.62,
            "confidence": 0.8,
            "confidence_interval": {"lower": 0.54, "upper": 0.7},
            "reasoning": "One market asks exactly this and trades at 0.62.",
            "engine_type": "oracle_port",
            "causal_graph": {"nodes": [_NODE], "edges": [_EDGE]},
            "markets_used": [_MARKET],
            "distribution": None,
            "latency_ms": 84,
            "error": None,
            "metadata": {"oracle_port": _ORACLE_PORT},
        }
    )

    request_id: str = Field(description="Server-generated identifier.")
    question: str = Field(description="The original question echoed back.")
    probability: float | None = Field(
        None, description="Null when no public estimate is available."
    )
    confidence: float = Field(description="Normalized confidence score.")
    confidence_interval: PublicConfidenceInterval | None = None
    reasoning: str = Field(description="Public natural-language explanation.")
    engine_type: Literal["oracle_port"] = Field(description="Forecast engine label.")
    causal_graph: PublicCausalGraph | None = None
    markets_used: list[PublicMarketSummary] = Field(description="Markets used as evidence.")
    distribution: dict[str, float] | None = Field(
        None, description="Optional probability distribution."
    )
    latency_ms: int = Field(description="End-to-end latency in milliseconds.")
    error: str | None = Field(None, description="Why no probability is produced, if so.")
    metadata: PublicForecastMetadata

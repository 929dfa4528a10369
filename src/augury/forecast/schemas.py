"""Wire shapes of forecasts: spec sections 2.1 to 2.4."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from augury.graph.schemas import (
    GRAPH_EXAMPLE,
    MARKET_EXAMPLE,
    PublicCausalGraph,
    PublicMarketSummary,
    Question,
    closed,
)

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

    model_config = closed(
        {"question": "Will the Fed cut rates in December?", "include_graph": True}
    )

    question: Question
    include_graph: bool = Field(
        True, strict=True, description="Include the causal graph when there is one."
    )


class PublicConfidenceInterval(BaseModel):
    """Where the probability may well lie."""

    model_config = closed({"lower": 0.54, "upper": 0.7})

    lower: float
    upper: float


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

    model_config = closed(_ORACLE_PORT)

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

    model_config = closed(
        {
            "request_id": "req_01989d2c7f6b7c3f9d0e8f1a2b3c4d5e",
            "question": "Will the Fed cut rates in December?",
            "probability": 0.62,
            "confidence": 0.8,
            "confidence_interval": {"lower": 0.54, "upper": 0.7},
            "reasoning": "One market asks exactly this and trades at 0.62.",
            "engine_type": "oracle_port",
            "causal_graph": GRAPH_EXAMPLE,
            "markets_used": [MARKET_EXAMPLE],
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

"""Request and response schemas of `POST /v1/forecast`, its stream, its runs and its scorecard
(sections 2.1 to 2.4 of the API specification)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from augury.forecast.distribution import chances
from augury.forecast.evidence import Evidence, Snapshot
from augury.forecast.grade import public as public_estimate
from augury.forecast.graph import summary
from augury.graph.schemas import (
    GRAPH_EXAMPLE,
    MARKET_EXAMPLE,
    PublicCausalGraph,
    PublicMarketSummary,
    Question,
    strict_config,
)
from augury.markets.records import ORIGINS, ShownOrigin

if TYPE_CHECKING:
    from augury.forecast.made import Forecast
    from augury.forecast.store import DecidedRow

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


def as_moment(value: datetime) -> datetime:
    """The time in a request, converted to UTC; a time without a zone is taken as UTC. Years before
    1970 or after 2200 raise `ValueError`."""
    if not 1970 <= value.year <= 2200:
        raise ValueError("the year should be between 1970 and 2200")
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def reject_bare_number(value: object) -> object:
    """Check that a time in a request is text or None, and return it unchanged. Raises `ValueError`
    for anything else, since a bare number would be read as seconds since 1970."""
    if value is not None and not isinstance(value, str):
        raise ValueError("write the time as ISO 8601, e.g. 2026-12-31T00:00:00Z")
    return value


class PublicForecastRequest(BaseModel):
    """A question about the future, in plain words, to be forecast."""

    model_config = strict_config(
        {"question": "Will the Fed cut rates in December?", "include_graph": True}
    )

    question: Question
    include_graph: bool = Field(
        True, strict=True, description="Include the causal graph when there is one."
    )


class StreamRequest(PublicForecastRequest):
    """A question whose forecast is to be streamed, stage by stage."""

    model_config = strict_config(
        {"question": "Will the Fed cut rates in December?", "include_graph": True, "as_of": None}
    )

    as_of: (
        Annotated[datetime, AfterValidator(as_moment), BeforeValidator(reject_bare_number)] | None
    ) = Field(
        None,
        description="Answer from what was known at this time (UTC if without a zone). Default: "
        "now. May not be in the future.",
    )


class PublicConfidenceInterval(BaseModel):
    """Range in which the price of the question's market will be a week after the forecast, with a
    chance of 80%.

    For a market that closes sooner: the price at its close. The interval says nothing of the
    outcome, which is Yes or No.
    """

    model_config = strict_config({"lower": 0.54, "upper": 0.7})

    lower: float = Field(description="Lower end, 0 to 1.")
    upper: float = Field(description="Upper end, 0 to 1.")


class PublicRelevanceFilterSummary(BaseModel):
    """How many markets were selected as evidence for a forecast, and of which kinds."""

    model_config = ConfigDict(json_schema_extra={"examples": [_FILTER]})

    selected_direct_count: int | None = Field(
        None, description="Number of direct markets: they ask the question itself or its opposite."
    )
    selected_proxy_count: int | None = Field(
        None,
        description="Number of markets that do not ask the question, but bound its answer by logic "
        "or hint at it (roles bound and proxy).",
    )
    selected_weak_count: int | None = Field(
        None, description="Number of weak markets: they only share the question's subject."
    )
    selected_evidence_profile: (
        Literal["direct_mixed", "direct_only", "proxy_only", "weak_only", "none"] | None
    ) = Field(
        None,
        description="What the selected markets have to do with the question. direct_only: all ask "
        "the question itself or its opposite. direct_mixed: some do, others do not. proxy_only: "
        "none does; at least one bounds the answer or hints at it. weak_only: all only share the "
        "question's subject. none: no market was selected.",
    )
    selected_direct_evidence_missing: bool | None = Field(
        None, description="True if no direct market was selected."
    )
    selected_proxy_dominant: bool | None = Field(
        None,
        description="True if at least one market bounds the answer or hints at it, but none asks "
        "the question itself.",
    )


class PublicOraclePortMetadata(BaseModel):
    """How the question was understood, and what was searched for (the field `oracle_port` of the
    public API)."""

    model_config = strict_config(_ORACLE_PORT)

    original_question: str | None = None
    effective_question: str | None = Field(
        None, description="The question in the wording that was compared with markets."
    )
    normalized_question: str | None = Field(
        None, description="The question as it was asked, without surplus spaces."
    )
    rewrite_applied: bool | None = Field(
        None, description="True if the question was changed before markets were searched."
    )
    normalization_reason: str | None = Field(
        None, description="What was changed in the question. Null: nothing."
    )
    search_query_used: str | None = Field(
        None,
        description="The question in the words in which markets were searched for it. The search "
        "also looks for full names, and for names of what the question may describe; these are "
        "left out.",
    )
    insufficient_data: bool | None = Field(
        None, description="True if the forecast has no probability."
    )
    fallbacks_applied: list[str] = Field(
        default_factory=list,
        description="Names of special steps behind the answer, e.g. nearest_market or "
        "language_model_rewrite. Empty: none.",
    )
    relevance_filter_summary: PublicRelevanceFilterSummary | None = None


class PublicForecastMetadata(BaseModel):
    """How the forecast was made."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"oracle_port": _ORACLE_PORT}]})

    oracle_port: PublicOraclePortMetadata | None = None


class PublicForecastResponse(BaseModel):
    """A forecast of a question, or the reason why there is none."""

    model_config = strict_config(
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

    request_id: str = Field(description="Identifier of this request, made by the server.")
    question: str = Field(description="The question as it was asked.")
    probability: float | None = Field(
        None, description="Probability of Yes, 0 to 1. Null: none is given; `error` says why."
    )
    confidence: float = Field(
        description="Confidence, 0 to 1: how far the evidence can be relied on. "
        "It is not a probability."
    )
    confidence_interval: PublicConfidenceInterval | None = None
    reasoning: str = Field(description="How the answer was found, in words.")
    engine_type: Literal["oracle_port"] = Field(
        description="Name of the forecast engine, always the same."
    )
    causal_graph: PublicCausalGraph | None = None
    markets_used: list[PublicMarketSummary] = Field(description="Markets used as evidence.")
    distribution: dict[str, float] | None = Field(
        None,
        description="Probabilities of mutually exclusive outcomes, exactly one of which comes "
        "true; keyed by level, period or name. They are the possible answers to an open question "
        "(who, when, how many), or the ranges below and above the question's own level or "
        "deadline. Null: the markets give no such set of outcomes.",
    )
    latency_ms: int = Field(description="End-to-end latency in milliseconds.")
    error: str | None = Field(
        None, description="Why there is no probability, and what to do. Null: there is one."
    )
    metadata: PublicForecastMetadata


# --- runs ----------------------------------------------------------------------------------

MAX_QUESTIONS = 1_000


class DecidedForecast(BaseModel):
    """A past forecast whose market has been decided, with its score.

    The market's question is shown. The question in the caller's own words is not, because it may be
    private.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "market_id": "kalshi:KXRATECUT-26DEC31",
                    "question": "Will the Fed cut rates in December?",
                    "outcome": "Yes",
                    "probability": 0.62,
                    "interval": {"lower": 0.44, "upper": 0.77},
                    "crowd": 0.6,
                    "happened": True,
                    "brier": 0.1444,
                    "as_of": "2026-11-21T09:30:00Z",
                    "origin": "live",
                    "decided_at": "2026-12-16T19:30:00Z",
                }
            ]
        }
    )

    market_id: str = Field(
        description="Id of the market whose result shows whether the forecast was right."
    )
    question: str = Field(description="The market's question.")
    outcome: str = Field(description="The outcome whose probability was forecast.")
    probability: float = Field(description="The forecast: the probability of the outcome, 0 to 1.")
    interval: PublicConfidenceInterval | None = Field(
        description="The forecast's 80% range for the market price a week later. Null: none given."
    )
    crowd: float | None = Field(
        description="The market's own price of the outcome when the forecast was made, 0 to 1. "
        "Null: it had none."
    )
    happened: bool = Field(description="True if the outcome came true.")
    brier: float = Field(
        description="Squared error of `probability`, 0 to 1: 0 is perfect, 0.25 is a coin toss."
    )
    as_of: datetime = Field(description="When the forecast was made.")
    origin: ShownOrigin = Field(
        description="Where the market `market_id` comes from. live: the venue. import: a file. "
        "sample: an invented market."
    )
    decided_at: datetime = Field(description="When the market was resolved.")


class DecidedForecasts(BaseModel):
    """One page of past forecasts whose markets have been decided, the latest decided first."""

    items: list[DecidedForecast]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )


def decided(row: DecidedRow) -> DecidedForecast:
    """A scored forecast in the shape in which `/v1/forecast/decided` lists it."""
    interval = None
    if row.lower is not None and row.upper is not None:
        interval = PublicConfidenceInterval(lower=round(row.lower, 6), upper=round(row.upper, 6))
    return DecidedForecast(
        market_id=row.market_id,
        question=row.question,
        outcome=row.outcome,
        probability=round(row.probability, 6),
        interval=interval,
        crowd=row.crowd if row.crowd is None else round(row.crowd, 6),
        happened=row.happened,
        brier=round((row.probability - row.happened) ** 2, 4),
        as_of=row.as_of,
        origin=ORIGINS[row.origin],
        decided_at=row.decided_at,
    )


class RunQuestion(BaseModel):
    """One question of a forecast run (many questions that are answered in the background)."""

    model_config = strict_config({"question": "Will the Fed cut rates in December?"})

    question: Question
    as_of: (
        Annotated[datetime, AfterValidator(as_moment), BeforeValidator(reject_bare_number)] | None
    ) = Field(
        None,
        description="Answer from what was known at this time (UTC if without a zone). Default: "
        "now. May not be in the future.",
    )


class RunRequest(BaseModel):
    """A forecast run to start: many questions, answered in the background."""

    model_config = strict_config(
        {"questions": [{"question": "Will the Fed cut rates in December?"}]}
    )

    questions: Annotated[list[RunQuestion], Field(min_length=1, max_length=MAX_QUESTIONS)]
    include_graph: bool = Field(
        False, strict=True, description="Include causal graphs in the answers."
    )


class RunStarted(BaseModel):
    """A forecast run that was accepted. Its id is needed to read its progress and its answers."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"run_id": "run_01989d2c7f6b", "status": "queued"}]}
    )

    run_id: str
    status: str = Field(description="Always queued.")


class RunState(BaseModel):
    """A forecast run: its progress, and a page of its answers in the order of its questions."""

    run_id: str
    status: Literal["queued", "running", "succeeded", "failed", "canceled"]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error_message: str | None = Field(description="Why the run failed. Null: the run did not fail.")
    questions: int = Field(description="Number of questions in the run.")
    answered: int = Field(description="Number of questions answered so far.")
    results: list[dict[str, Any]] = Field(
        description="Answers as `POST /v1/forecast` gives them, with `place` (position of the "
        "question in the run, from 0) and `as_of`."
    )
    next_cursor: str | None = Field(
        description="Cursor of the next page of results. Null: no further results so far."
    )


# --- the answer ----------------------------------------------------------------------------


def response(
    forecast: Forecast,
    question: str,
    request_id: str,
    *,
    graph: PublicCausalGraph | None,
    seconds: float,
) -> PublicForecastResponse:
    """A forecast in the shape of the public answer (`POST /v1/forecast`). `seconds`: how long it
    took to make."""
    reading, estimate = forecast.reading, public_estimate(forecast.estimate)
    interval = None
    if estimate.lower is not None and estimate.upper is not None:
        interval = PublicConfidenceInterval(lower=estimate.lower, upper=estimate.upper)
    return PublicForecastResponse(
        request_id=request_id,
        question=question,
        probability=estimate.probability,
        confidence=estimate.confidence,
        confidence_interval=interval,
        reasoning=estimate.reasoning,
        engine_type="oracle_port",
        causal_graph=graph,
        markets_used=[summary(one) for one in _used(estimate.evidence)],
        distribution=chances(estimate.distribution) if estimate.distribution else None,
        latency_ms=round(seconds * 1000),
        error=estimate.error,
        metadata=PublicForecastMetadata(
            oracle_port=PublicOraclePortMetadata(
                original_question=question,
                effective_question=reading.effective,
                normalized_question=reading.normalized,
                rewrite_applied=reading.rewritten,
                normalization_reason=reading.reason,
                search_query_used=reading.effective,
                insufficient_data=estimate.probability is None,
                fallbacks_applied=list(estimate.fallbacks),
                relevance_filter_summary=PublicRelevanceFilterSummary(
                    selected_direct_count=estimate.count("direct"),
                    selected_proxy_count=estimate.count("bound", "proxy"),
                    selected_weak_count=estimate.count("weak"),
                    selected_evidence_profile=estimate.profile,  # type: ignore[arg-type]
                    selected_direct_evidence_missing=not estimate.count("direct"),
                    selected_proxy_dominant=not estimate.count("direct")
                    and estimate.count("bound", "proxy") > 0,
                ),
            )
        ),
    )


def _used(evidence: tuple[Evidence, ...]) -> list[Snapshot]:
    """The markets of the evidence, each once, in the order of the evidence."""
    return list({one.market.id: one.market for one in evidence}.values())

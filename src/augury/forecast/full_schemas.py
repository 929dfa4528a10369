"""Request and response schemas of full forecasts (`/v1/forecasts`) and of forecast runs
(`/v1/forecast-runs`)."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from augury.forecast.distribution import Part
from augury.forecast.evidence import Evidence, Grade, NullKind, NullReason, Origin, Snapshot
from augury.forecast.schemas import (
    MAX_QUESTIONS,
    PublicConfidenceInterval,
    RunQuestion,
    as_moment,
    reject_bare_number,
)
from augury.graph.schemas import GRAPH_EXAMPLE, PublicCausalGraph, Question, strict_config
from augury.markets.freshness import AgeRule
from augury.markets.records import ORIGINS, Platform, ShownOrigin, Status

if TYPE_CHECKING:
    from augury.forecast.made import Forecast

JobStatus = Literal["queued", "running", "succeeded", "failed", "canceled"]

_MARKET: dict[str, Any] = {
    "id": "kalshi:KXFEDDECISION-26DEC-C25",
    "platform": "kalshi",
    "question": "Fed decision in December? — Cut 25bps",
    "outcomes": ["Yes", "No"],
    "status": "active",
    "platform_url": "https://kalshi.com/markets/kxfeddecision",
    "current_prices": {"Yes": 0.62, "No": 0.38},
    "price_as_of": "2026-11-21T09:30:00Z",
    "closes_at": "2026-12-09T19:00:00Z",
    "volume": 48210.0,
    "event_id": "KXFEDDECISION-26DEC",
    "stale": False,
    "origin": "live",
}
_EVIDENCE: dict[str, Any] = {
    "market": _MARKET,
    "outcome": "Yes",
    "role": "direct",
    "side": "same",
    "price": 0.62,
    "price_as_of": "2026-11-21T09:30:00Z",
    "probability": 0.62,
    "weight": 1.0,
    "lower": 0.0,
    "upper": 1.0,
    "why": "asks the same",
    "origin": "live",
}
_FULL: dict[str, Any] = {
    "id": "fc_01989d2c7f6b7c3f9d0e8f1a2b3c4d5e",
    "status": "succeeded",
    "created_at": "2026-11-21T09:31:00Z",
    "question": "Will the Fed cut rates in December?",
    "as_of": "2026-11-21T09:31:00Z",
    "probability": 0.62,
    "confidence": 0.8,
    "grade": "asked",
    "confidence_interval": {"lower": 0.54, "upper": 0.7},
    "reasoning": "One open market asks this.",
    "evidence": [_EVIDENCE],
    "rejected": [],
    "distribution": None,
    "origin": "live",
    "data_as_of": "2026-11-21T09:30:00Z",
    "warnings": [],
    "error": None,
    "error_code": None,
    "out_of_running": None,
    "graph": GRAPH_EXAMPLE,
}

AsOf = Annotated[datetime, AfterValidator(as_moment), BeforeValidator(reject_bare_number)]


class ForecastRequest(BaseModel):
    """A question to forecast, as of now or of an earlier time, with options."""

    model_config = strict_config({"question": "Will the Fed cut rates in December?", "as_of": None})

    question: Question
    as_of: AsOf | None = Field(
        None,
        description="Answer from what was known at this time (UTC if without a zone). Default: "
        "now. May not be in the future.",
    )
    include_graph: bool = Field(
        False, strict=True, description="Add the question's causal graph to the answer."
    )
    background: bool = Field(
        False,
        strict=True,
        description="Respond with 202 without waiting; the forecast is made in the background.",
    )


class EvidenceMarket(BaseModel):
    """A market that a forecast names. The fields say what was known of the market at the moment
    that the forecast describes (`as_of`)."""

    model_config = ConfigDict(json_schema_extra={"examples": [_MARKET]})

    id: str
    platform: Platform
    question: str
    outcomes: list[str]
    status: Status
    platform_url: str | None
    current_prices: dict[str, float] | None = Field(
        description="Probability by outcome label; outcomes without a quote are left out. Null: "
        "no quote."
    )
    price_as_of: datetime | None = Field(description="When `current_prices` were quoted.")
    closes_at: datetime | None = Field(
        description="Time at which the market is announced to close. Null: not known."
    )
    volume: float | None = Field(
        description="Volume traded so far: US dollars on Polymarket, contracts on Kalshi. Null: "
        "not known; always null in a forecast as of a past time."
    )
    event_id: str | None = Field(description="The venue's own id of the market's event.")
    stale: bool = Field(description="True if the price is too old to count as evidence.")
    origin: ShownOrigin = Field(
        description="live: from the venue. import: from a file. sample: an invented market."
    )


class EvidenceRow(BaseModel):
    """A market that is evidence for a forecast, and what it contributes to the answer."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EVIDENCE]})

    market: EvidenceMarket
    outcome: str = Field(description="Label of the market's outcome whose price is used.")
    role: Literal["direct", "bound", "proxy"] = Field(
        description="direct: the market asks the question, or its opposite. bound: the answer has "
        "to be above or below the market's price, or 1 minus it; logic says so, or the trained "
        "judge does. proxy: the market only hints at the answer."
    )
    side: Literal["same", "opposite"] = Field(
        description="same: the market's outcome speaks for Yes to the question, so its price "
        "counts. opposite: it speaks for No, so 1 - price counts."
    )
    price: float | None = Field(
        description="Price of the outcome as quoted, 0 to 1. Null: no quote."
    )
    price_as_of: datetime | None = Field(description="When the price was quoted.")
    probability: float = Field(
        description="Probability of Yes to the question, 0 to 1, that follows from `price`: the "
        "same number, or 1 minus it if `side` is opposite."
    )
    weight: float | None = Field(
        description="The market's share in the average of the markets that ask the question, 0 to "
        "1. 0: shown, but not counted. null: counted, but not as part of an average (a bound, a "
        "hint, or one outcome of an open-ended question)."
    )
    lower: float = Field(
        0.0,
        description="Lower bound, 0 to 1, that this market alone puts on the probability of Yes; "
        "0: no bound.",
    )
    upper: float = Field(
        1.0,
        description="Upper bound, 0 to 1, that this market alone puts on the probability of Yes; "
        "1: no bound.",
    )
    why: str = Field(description="How the market relates to the question, in words.")
    origin: ShownOrigin = Field(
        description="live: from the venue. import: from a file. sample: an invented market."
    )


class RejectedRow(BaseModel):
    """A market that was compared with the question of a forecast but not used."""

    market: EvidenceMarket
    why: str = Field(description="Why the market was not used.")


class DistributionPart(BaseModel):
    """One outcome of a forecast's distribution: a range of levels, a period or a name, with its
    probability. Exactly one of the distribution's outcomes comes true."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"label": "4% to 4.25%", "lower": 4.0, "upper": 4.25, "probability": 0.4}]
        }
    )

    label: str = Field(description="The outcome in words, e.g. 4% to 4.25%.")
    lower: float | date | None = Field(
        description="Lower end of this outcome's range: an amount, or the first day of a period. "
        "Null: the range is open below, or the outcome is a name."
    )
    upper: float | date | None = Field(
        description="Upper end of this outcome's range: an amount, or the first day after a "
        "period. Null: the range is open above, or the outcome is a name."
    )
    probability: float = Field(description="Probability that this outcome comes true, 0 to 1.")


class OutOfRunning(BaseModel):
    """A market that asks the same question as the forecast, or its exact opposite, but gives no
    answer now. The market is decided, is closed, or has had no price for too long."""

    market: EvidenceMarket
    price: float | None = Field(
        description="The market's last price, as the probability of Yes to the question. Null: "
        "none is known."
    )
    price_as_of: datetime | None = Field(description="When `price` was quoted.")
    retry_as_of: datetime | None = Field(
        description="Time of the last price recorded while the market was open. To get an answer "
        "as of this time, ask the question again with this time as `as_of`. Null: no price was "
        "recorded."
    )


class FullForecast(BaseModel):
    """A forecast with its evidence and its reasoning, or the reason why there is no probability."""

    model_config = ConfigDict(json_schema_extra={"examples": [_FULL]})

    id: str
    status: JobStatus = Field(
        description="Status of the work on the forecast. The fields of the answer are filled in "
        "once it is `succeeded`."
    )
    created_at: datetime
    question: str
    as_of: datetime | None = Field(
        description="The moment that the answer describes. Null: the request named no moment, and "
        "the question is not answered yet."
    )
    probability: float | None = Field(
        None, description="Probability of Yes, 0 to 1. Null: none can be given; `error` says why."
    )
    confidence: float = Field(
        0.0,
        description="0 to 1: how far the evidence can be relied on. It is not a probability.",
    )
    grade: Grade = Field(
        "none",
        description="How the answer was found. asked: a market asks this question. bounded: the "
        "prices of other markets limit the answer, by logic. hinted: related markets only hint at "
        "it. none: no answer.",
    )
    confidence_interval: PublicConfidenceInterval | None = None
    reasoning: str = Field("", description="How the answer was found, in words.")
    evidence: list[EvidenceRow] = Field(
        default_factory=list,
        description="Markets that the answer rests on, and some that are only shown (their "
        "`weight` is 0).",
    )
    rejected: list[RejectedRow] = Field(
        default_factory=list,
        description="Of the markets that were not used, those nearest to the question.",
    )
    distribution: list[DistributionPart] | None = Field(
        None,
        description="Mutually exclusive outcomes with probabilities that sum to 1: the possible "
        "answers to an open question (who, when, how many), or the ranges around the level or "
        "deadline that the question names. Null: the markets give no such set of outcomes.",
    )
    origin: Origin = Field(
        "live",
        description="live: as of now. sample: rests on sample markets, which are invented. "
        "replay: as of a past time.",
    )
    data_as_of: datetime | None = Field(
        None,
        description="When the newest price that the answer rests on was quoted. Null: the answer "
        "rests on no price.",
    )
    warnings: list[str] = Field(
        default_factory=list,
        description="Cautions to read before using the number, one sentence each.",
    )
    error: str | None = Field(
        None, description="Why there is no probability, and what to do. Null: there is one."
    )
    error_code: NullKind | str | None = Field(
        None,
        description="The reason in `error` as a code for programs, e.g. no_market (no market is "
        "about the question) or stale_price (a market asks it, but its price is too old).",
    )
    out_of_running: OutOfRunning | None = Field(
        None,
        description="A market that asks the question but gives no answer now, because it is "
        "decided or closed, or has had no price for too long. Null: there is no such market, or "
        "the forecast has a probability.",
    )
    graph: PublicCausalGraph | None = None


# --- runs ----------------------------------------------------------------------------------


class ForecastRunRequest(BaseModel):
    """A forecast run to start: many questions, answered in the background."""

    model_config = strict_config(
        {"questions": [{"question": "Will the Fed cut rates in December?"}]}
    )

    questions: Annotated[list[RunQuestion], Field(min_length=1, max_length=MAX_QUESTIONS)]
    include_graph: bool = Field(
        False, strict=True, description="Include causal graphs in the answers."
    )


class RunAnswer(FullForecast):
    """The answer to one question of a forecast run (many questions that are answered in the
    background)."""

    place: int = Field(description="Position of the question in the run, from 0.")


class ForecastRun(BaseModel):
    """A forecast run (many questions that are answered in the background): its progress, and a page
    of its answers in the order of its questions."""

    id: str
    status: JobStatus
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error: str | None = Field(description="Why the run failed. Null: the run did not fail.")
    questions: int = Field(description="Number of questions in the run.")
    answered: int = Field(description="Number of questions answered so far.")
    results: list[RunAnswer]
    next_cursor: str | None = Field(
        description="Cursor of the next page of results. Null: no further results so far."
    )


# --- the answer ----------------------------------------------------------------------------


def full(
    forecast: Forecast,
    forecast_id: str,
    created_at: datetime,
    *,
    graph: PublicCausalGraph | None,
    age: AgeRule,
) -> FullForecast:
    """A forecast in the shape in which `/v1/forecasts` returns it. `age`: the rule that
    says which prices are too old."""
    estimate, at = forecast.estimate, forecast.as_of
    interval = None
    if estimate.lower is not None and estimate.upper is not None:
        interval = PublicConfidenceInterval(lower=estimate.lower, upper=estimate.upper)
    parts = estimate.distribution
    return FullForecast(
        id=forecast_id,
        status="succeeded",
        created_at=created_at,
        question=forecast.reading.question,
        as_of=at,
        probability=estimate.probability,
        confidence=estimate.confidence,
        grade=estimate.grade,
        confidence_interval=interval,
        reasoning=estimate.reasoning,
        evidence=[_evidence(one, at, age) for one in estimate.evidence],
        rejected=[
            RejectedRow(market=market_row(one.market, at, age), why=one.why)
            for one in estimate.rejected
        ],
        distribution=[_part(one) for one in parts] if parts else None,
        origin=forecast.origin,
        data_as_of=forecast.data_as_of,
        warnings=list(forecast.warnings),
        error=estimate.error,
        error_code=estimate.null.kind if estimate.null else None,
        out_of_running=_out_of_running(estimate.null, at, age),
        graph=graph,
    )


def market_row(
    market: Snapshot, at: datetime, age: AgeRule, status: Status = "active"
) -> EvidenceMarket:
    """A market as it was known at `at`, in the shape of the API. `age`: the rule that
    says which prices are too old."""
    return EvidenceMarket(
        id=market.id,
        platform=market.platform,
        question=market.question,
        outcomes=market.outcomes,
        status=status,
        platform_url=market.url,
        current_prices=market.current_prices() or None,
        price_as_of=market.price_at,
        closes_at=market.closes_at,
        volume=market.volume,
        event_id=market.event_id,
        stale=status == "active" and age.is_old(market.price_at, at),
        origin=ORIGINS[market.origin],
    )


def _evidence(one: Evidence, at: datetime, age: AgeRule) -> EvidenceRow:
    return EvidenceRow(
        market=market_row(one.market, at, age),
        outcome=one.market.outcomes[one.outcome],
        role="proxy" if one.role == "weak" else one.role,
        side="opposite" if one.flipped else "same",
        price=one.market.price(one.outcome),
        price_as_of=one.market.price_at,
        probability=one.probability,
        weight=one.share,
        lower=one.low,
        upper=one.high,
        why=one.relation,
        origin=ORIGINS[one.market.origin],
    )


def _part(part: Part) -> DistributionPart:
    return DistributionPart(
        label=part.label, lower=part.lower, upper=part.upper, probability=part.probability
    )


_STATUS: dict[str, Status] = {"decided": "resolved", "closed": "closed"}


def _out_of_running(null: NullReason | None, at: datetime, age: AgeRule) -> OutOfRunning | None:
    if null is None or null.market is None:
        return None
    row = market_row(null.market, at, age, _STATUS.get(null.kind, "active"))
    if null.price_at is None:
        row = row.model_copy(update={"current_prices": None, "price_as_of": None})
    return OutOfRunning(
        market=row, price=null.price, price_as_of=null.price_at, retry_as_of=null.retry_as_of
    )

"""The answers of the tools for language models: rows with some fields of the API's objects.

A `Row` is made from an object of the API and has fields of the same names. `component` is the name
of the object's schema in the OpenAPI document. If a field is nested in the object, its `AliasPath`
says where. Fields that have their default value are left out of an answer, so that a model reads
only what matters.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import (
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    model_validator,
)

from augury.mcp.fields import Moment, More, Number, Prices, Text, rounded


class Row(BaseModel):
    """One object of the API in the answer of a tool, reduced to some of its fields."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True, protected_namespaces=())
    component: ClassVar[str] = ""
    DERIVED: ClassVar[frozenset[str]] = frozenset()
    """Names of the row's fields that the tool computes and that the API does not have."""

    @model_validator(mode="before")
    @classmethod
    def _nulls_are_left_out(cls, data: Any) -> Any:
        if isinstance(data, dict):
            return {name: value for name, value in data.items() if value is not None}
        return data


class Priced(Row):
    """The fields of every row that shows a market."""

    id: str
    question: str
    status: str = Field(
        default="active",
        description="closed or resolved. The field is absent while the market is active.",
    )
    current_prices: Prices | None = Field(
        default=None,
        description="Outcome -> probability, 0 to 1. The field is absent if no price is known.",
    )
    price_as_of: Moment | None = Field(
        default=None, description="When the prices were quoted (UTC)."
    )
    closes_at: Moment | None = None
    volume: Number | None = Field(
        default=None,
        description="Volume traded so far: US dollars (Polymarket) or contracts (Kalshi).",
    )
    stale: bool = Field(default=False, description="True: the price is too old to rely on.")
    origin: str = Field(
        default="live",
        description="sample: an invented market. The field is absent if the market is real.",
    )
    platform_url: str | None = None


class FoundRow(Priced):
    """A market that a search found."""

    component = "SearchResult"
    dimension: str = Field(
        default="direct",
        description="Relation of the market to the query. The field is absent if the relation is "
        "direct.",
    )
    twin_ids: list[str] = Field(
        default=[], description="Ids of the same contract on the other venue."
    )
    reason: str = ""
    more: More = Field(
        default=[],
        validation_alias=AliasPath("family", "more"),
        description="Markets that differ from this one only in the name, level or date; names that "
        "are in the query come first. Each line has the words that differ, the price, the status "
        "(left out if active) and the id.",
    )
    also: More = Field(
        default=[],
        description="Further markets about the same thing. Each line has the question, the price, "
        "the status (left out if active) and the id.",
    )


class MarketRow(Priced):
    """A market with the text of the rules by which it is resolved."""

    component = "MarketRecord"
    description: Text | None = Field(
        default=None, description="The venue's rules: how the market is decided."
    )
    platform_event_name: str | None = None
    category: str | None = None
    market_type: str = "binary"
    resolution: str | None = Field(
        default=None,
        description="The outcome that won. The field is absent while the market is undecided.",
    )
    resolved_at: Moment | None = None
    best_bid: Number | None = None
    best_ask: Number | None = None
    volume_24h: Number | None = None
    liquidity: Number | None = None
    linked_market_ids: list[str] = Field(
        default=[], description="Ids of the same contract on the other venue."
    )


class SiblingRow(Priced):
    """Another market of the same event, or of an event with the same name."""

    component = "RelatedMarket"
    relation: str = "same_event"


class EvidenceItem(Row):
    """A market that counted in a forecast."""

    component = "EvidenceRow"
    market_id: str = Field(validation_alias=AliasPath("market", "id"))
    question: str = Field(validation_alias=AliasPath("market", "question"))
    closes_at: Moment | None = Field(
        default=None, validation_alias=AliasPath("market", "closes_at")
    )
    stale: bool = Field(default=False, validation_alias=AliasPath("market", "stale"))
    outcome: str = "Yes"
    role: str = Field(
        description="direct: asks the question itself; bound: its price limits the answer; proxy: "
        "only hints at the answer."
    )
    side: str = Field(
        default="same",
        description="opposite: the market asks the opposite of the question, so the probability of "
        "Yes to the question is 1 - price. The field is absent if the market asks the same.",
    )
    price: Number | None = None
    price_as_of: Moment | None = None
    probability: Number | None = Field(
        default=None,
        description="Probability that the question's answer is Yes, as implied by the price.",
    )
    weight: Number | None = Field(
        default=None,
        description="Weight of the market in the average of the markets that ask the question, 0 "
        "to 1. 0: the market is shown, but not counted. The field is absent if the market counts, "
        "but not as part of an average.",
    )
    why: str = ""
    origin: str = "live"


class RejectedItem(Row):
    """A similar market that did not count."""

    component = "RejectedRow"
    market_id: str = Field(validation_alias=AliasPath("market", "id"))
    question: str = Field(validation_alias=AliasPath("market", "question"))
    current_prices: Prices | None = Field(
        default=None, validation_alias=AliasPath("market", "current_prices")
    )
    why: str


class IntervalRow(Row):
    """Range in which the price of the market will be a week from now, with a probability of 80%."""

    component = "PublicConfidenceInterval"
    lower: Number
    upper: Number


class PartRow(Row):
    """One outcome of a forecast's distribution, with its probability. The outcome is a range of
    levels, a period or a name."""

    component = "DistributionPart"
    label: str
    probability: Number


class OutOfRunningRow(Row):
    """The market that asks this question but is decided or closed already."""

    component = "OutOfRunning"
    market_id: str = Field(validation_alias=AliasPath("market", "id"))
    question: str = Field(validation_alias=AliasPath("market", "question"))
    price: Number | None = None
    price_as_of: Moment | None = None
    retry_as_of: Moment | None = Field(
        default=None,
        description="Time of the last price recorded while the market was open. To get the "
        "forecast as of then, call the tool `forecast` with this time as `as_of`.",
    )


class ToolAnswer(Row):
    """The fields that every tool's answer begins with."""

    warnings: list[str] = Field(
        default=[], description="Read these warnings before you use the numbers."
    )
    full: dict[str, Any] | None = Field(
        default=None, description='The whole answer of the API, only with detail="full".'
    )


class SearchAnswer(ToolAnswer):
    """Markets for a query, best first."""

    component = "SearchResponse"
    results: list[FoundRow] = []


class MarketAnswer(ToolAnswer):
    """One market, and other markets of its event or family."""

    component = "MarketDetail"
    market: MarketRow | None = None
    related: list[SiblingRow] = []


class PointRow(Row):
    """A past price of an outcome, with its time."""

    component = "HistoryPoint"
    timestamp: Moment
    probability: Number | None = Field(
        default=None,
        description="The price, 0 to 1. The field is absent if no price was recorded at that time.",
    )


class HistoryLine(Row):
    """One outcome's prices over time."""

    component = "OutcomeHistory"
    outcome: str
    points: list[PointRow]
    first: Number | None = Field(default=None, description="First known price in the window.")
    last: Number | None = None
    low: Number | None = None
    high: Number | None = None
    change: Number | None = Field(
        default=None, description="Last price minus first: 0.05 is a rise of 5 percentage points."
    )
    DERIVED: ClassVar[frozenset[str]] = frozenset({"first", "last", "low", "high", "change"})


class HistoryAnswer(ToolAnswer):
    """A market's prices over time."""

    component = "MarketHistory"
    market_id: str | None = Field(default=None, validation_alias=AliasPath("market", "id"))
    question: str | None = Field(default=None, validation_alias=AliasPath("market", "question"))
    start: Moment | None = None
    end: Moment | None = None
    interval_minutes: int | None = None
    price_as_of: Moment | None = None
    origin: str = "live"
    series: list[HistoryLine] = []


class ProbabilityRow(Row):
    """A forecast's probability, and how far it can be relied on."""

    component = "FullForecast"
    id: str | None = Field(
        default=None, description="Id of the forecast, e.g. for explain_forecast (`forecast_id`)."
    )
    question: str | None = None
    status: str = "succeeded"
    probability: Number | None = Field(
        default=None,
        description="0 to 1. The field is absent if the markets support no honest number; `error` "
        "says why.",
    )
    grade: str = Field(
        default="none",
        description="asked: a market asks this question. bounded: markets limit the answer. "
        "hinted: only related markets. none: no number.",
    )
    confidence: Number = Field(
        default=0.0, description="0 to 1: how far the number can be relied on."
    )
    confidence_interval: IntervalRow | None = None
    as_of: Moment | None = None
    data_as_of: Moment | None = Field(default=None, description="Time of the newest price used.")
    origin: str = Field(
        default="live", description="replay: as of a past time; sample: invented data."
    )
    error: str | None = None
    error_code: str | None = None


class ForecastAnswer(ToolAnswer, ProbabilityRow):
    """A forecast with its evidence."""

    component = "FullForecast"
    reasoning: str | None = None
    evidence: list[EvidenceItem] = []
    rejected: list[RejectedItem] = []
    distribution: list[PartRow] | None = None
    out_of_running: OutOfRunningRow | None = None


class RunRow(ProbabilityRow):
    """The answer to one question of a run; a run answers many questions."""

    component = "RunAnswer"
    place: int
    warnings: list[str] = []


class ForecastRunAnswer(ToolAnswer):
    """Forecasts of many questions."""

    component = "ForecastRun"
    id: str | None = Field(
        default=None,
        description="Id of the run. To read more answers, pass it as `run_id` to forecast_many.",
    )
    status: str | None = None
    questions: int = 0
    answered: int = 0
    results: list[RunRow] = []
    next_cursor: str | None = None


class NodeRow(Row):
    """A cause or an effect of what the question asks about."""

    component = "FullNode"
    id: str
    label: str
    current_probability: Number | None = None
    price_as_of: Moment | None = None
    origin: str | None = None
    market_ids: list[str] = Field(
        default=[], description="Ids of up to 2 markets on this node, best first."
    )
    DERIVED: ClassVar[frozenset[str]] = frozenset({"market_ids"})


class EdgeRow(Row):
    """An edge of the graph: how two of its nodes are related."""

    component = "GraphEdge"
    source: str
    target: str
    relationship: str
    edge_type: str = "causal"
    polarity: str = Field(
        description="positive: both rise and fall together; negative: one falls as the other rises."
    )
    strength: Number | None = None
    confidence: Number
    lag_days: int | None = None


class CausalGraphAnswer(ToolAnswer):
    """Causes and effects of what a question asks about, as a graph."""

    component = "FullGraph"
    id: str | None = None
    question: str | None = None
    as_of: Moment | None = None
    data_as_of: Moment | None = None
    origin: str | None = None
    error: str | None = None
    nodes: list[NodeRow] = Field(default=[], validation_alias=AliasPath("graph", "nodes"))
    edges: list[EdgeRow] = Field(default=[], validation_alias=AliasPath("graph", "edges"))


class VolatilityRow(Row):
    """A forecast of realized volatility."""

    component = "RvolForecastRow"
    asset: str
    horizon: str
    as_of: Moment
    target_end_at: Moment
    model_id: str
    annualized_volatility: Number | None = Field(
        default=None,
        validation_alias=AliasPath("prediction", "annualized_volatility"),
        description="Per year, as a fraction: 0.55 is 55%. The field is absent if there is not "
        "enough data.",
    )
    forecast_volatility: Number | None = Field(
        default=None,
        validation_alias=AliasPath("prediction", "forecast_volatility"),
        description="Standard deviation of the log return over the whole horizon.",
    )
    band_80: list[Number] | None = Field(
        default=None, description="80% band of annualized_volatility: [lower, upper]."
    )
    origin: str | None = "live"
    DERIVED: ClassVar[frozenset[str]] = frozenset({"band_80"})


class AssetRow(Row):
    """An asset that the volatility forecasts cover."""

    component = "RvolAssetRow"
    asset: str
    display_name: str
    target_family: str
    default_horizon: str
    default_horizons: list[str]
    data_through: Moment | None = None
    status: str = "ok"
    origin: str | None = "live"


class VolatilityAnswer(ToolAnswer):
    """Forecasts of realized volatility, or the assets that they cover."""

    forecasts: list[VolatilityRow] = []
    assets: list[AssetRow] = []


class ScoreRow(Row):
    """How good one volatility model was."""

    component = "RvolScoreRow"
    asset: str
    horizon: str
    model_id: str
    n: int = Field(description="Number of scored forecasts.")
    qlike: Number = Field(description="Mean QLIKE loss of the forecasts; lower is better.")
    ratio_to_har: Number | None = Field(
        default=None,
        description="QLIKE divided by that of the HAR model. Below 1: better than HAR.",
    )
    bias: Number | None = None
    origin: str = "live"


class TrackRecord(ToolAnswer):
    """How good past answers were."""

    forecasts: dict[str, Any] | None = Field(
        default=None,
        description="Brier score (0 is best, 0.25 is a coin flip), and calibration: for each range "
        "of probabilities (0 to 0.1, 0.1 to 0.2 ...), how often the event happened.",
    )
    volatility: list[ScoreRow] = []


def bare(row: dict[str, Any]) -> dict[str, Any]:
    """A JSON object of the API without fields that are null or empty, and with its numbers rounded
    to four significant digits."""
    return {name: rounded(value) for name, value in row.items() if value not in (None, [], {})}

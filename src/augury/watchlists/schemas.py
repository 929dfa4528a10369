"""Wire shapes of watchlists: requests and records."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from augury.deliveries.schemas import DeliveryMade, DeliveryRequest
from augury.deliveries.schemas import delivery as delivery_fields
from augury.http.fields import BodyMoment, Duration, Name, Note, written
from augury.markets.records import Status as MarketStatus
from augury.watchlists.evaluation import Evaluated
from augury.watchlists.rules import Kind, Metric, Op, Rule, Severity, Status
from augury.watchlists.service import Made, Preview
from augury.watchlists.store import StoredRule, Target, Watchlist

_ID = "019f3a5c7e1b7d2aa0c4b1f2d3e4f5a6"
_WATCHLIST: dict[str, Any] = {
    "id": f"wl_{_ID}",
    "name": "Rates",
    "description": "What moves before the central bank does.",
    "created_at": "2026-11-20T08:00:00Z",
    "updated_at": "2026-11-20T08:00:00Z",
    "targets": 2,
    "rules": 3,
    "firing": 1,
}
_TARGET: dict[str, Any] = {
    "id": f"tgt_{_ID}",
    "watchlist_id": f"wl_{_ID}",
    "kind": "market",
    "ref": "kalshi:KXRATECUT-27MAR-T25",
    "outcome": "Yes",
    "label": "Cut in March",
    "created_at": "2026-11-20T08:00:00Z",
}
_RULE: dict[str, Any] = {
    "id": f"rule_{_ID}",
    "watchlist_id": f"wl_{_ID}",
    "name": "Cut is likely",
    "target_id": None,
    "metric": "probability",
    "op": "crosses_above",
    "value": 0.6,
    "window": None,
    "for": "10m",
    "cooldown": "6h",
    "severity": "warning",
    "hysteresis": 0.03,
    "expires_at": None,
    "created_at": "2026-11-20T08:00:00Z",
    "silenced_until": None,
}
_ALERT: dict[str, Any] = {
    "id": f"alr_{_ID}",
    "watchlist_id": f"wl_{_ID}",
    "rule_id": f"rule_{_ID}",
    "target_id": f"tgt_{_ID}",
    "episode": 1,
    "state": "firing",
    "severity": "warning",
    "value": 0.62,
    "origin": "live",
    "as_of": "2026-11-21T09:30:00Z",
    "fired_at": "2026-11-21T09:40:01Z",
    "resolved_at": None,
    "resolution": None,
    "resolved_value": None,
    "silenced": False,
    "snoozed_until": None,
    "title": "Cut is likely: Will the central bank cut its rate in March?",
    "summary": "The probability is 62%, risen above 60%.",
    "market": {
        "id": "kalshi:KXRATECUT-27MAR-T25",
        "platform": "kalshi",
        "question": "Will the central bank cut its rate in March? — By 25 basis points",
        "outcome": "Yes",
        "status": "active",
        "platform_url": "https://kalshi.com/markets/kxratecut",
    },
    "target": {
        "id": f"tgt_{_ID}",
        "kind": "market",
        "ref": "kalshi:KXRATECUT-27MAR-T25",
        "label": "Cut in March",
    },
    "trigger": {
        "rule_id": f"rule_{_ID}",
        "name": "Cut is likely",
        "metric": "probability",
        "op": "crosses_above",
        "threshold": 0.6,
        "window_seconds": None,
        "for_seconds": 600.0,
    },
    "evidence": [
        {
            "kind": "price",
            "id": "kalshi:KXRATECUT-27MAR-T25",
            "outcome": "Yes",
            "value": 0.62,
            "as_of": "2026-11-21T09:30:00Z",
        }
    ],
    "source_status": {"as_of": "2026-11-21T09:30:00Z", "status": "active", "origin": "live"},
    "next_action": f"Look at the market and /v1/watchlists/wl_{_ID}/targets/tgt_{_ID}/chart.",
}


def _example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


def _request(**fields: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [fields]})


class WatchlistRequest(BaseModel):
    """A new watchlist."""

    model_config = _request(
        name="Rates", delivery=[{"type": "webhook", "url": "https://hooks.example.org/augury"}]
    )

    name: Name
    description: Note | None = None
    delivery: list[DeliveryRequest] = Field(
        default=[], max_length=10, description="Where its alerts should go."
    )


class WatchlistChange(BaseModel):
    """What to change; what is left out stays."""

    model_config = _request(name="Rates and inflation")

    name: Name | None = None
    description: Note | None = None


class WatchlistRecord(BaseModel):
    """A watchlist and how much is in it."""

    model_config = _example(**_WATCHLIST)

    id: str
    name: str
    description: str | None
    created_at: datetime
    updated_at: datetime
    targets: int
    rules: int
    firing: int = Field(description="Alerts that are open.")


class WatchlistMade(WatchlistRecord):
    """A new watchlist with its deliveries, whose signing secrets are shown this once."""

    model_config = _example(**_WATCHLIST, delivery=[])

    delivery: list[DeliveryMade]


class WatchlistList(BaseModel):
    """One page of watchlists, oldest first."""

    model_config = _example(items=[_WATCHLIST], next_cursor=None)

    items: list[WatchlistRecord]
    next_cursor: str | None


class TargetRequest(BaseModel):
    """What to watch."""

    model_config = _request(kind="market", ref="kalshi:KXRATECUT-27MAR-T25", outcome="Yes")

    kind: Kind
    ref: Annotated[str, Field(min_length=1, max_length=500, strict=True)] = Field(
        description="market: its id. event: platform:event id. asset: its key. series: its id. "
        "search: the query, whose best markets are watched."
    )
    outcome: Name | None = Field(None, description="An outcome's label; by default the first.")
    label: Name | None = Field(None, description="What to call it in alerts and charts.")


class TargetRecord(BaseModel):
    """A target."""

    model_config = _example(**_TARGET)

    id: str
    watchlist_id: str
    kind: Kind
    ref: str
    outcome: str | None
    label: str | None
    created_at: datetime


MOST_AT_ONCE = 500
"""Most targets or rules that one request adds."""


class TargetsRequest(BaseModel):
    """Several targets: all are added, or none."""

    model_config = _request(targets=[{"kind": "market", "ref": "kalshi:KXRATECUT-27MAR-T25"}])

    targets: list[TargetRequest] = Field(min_length=1, max_length=MOST_AT_ONCE)


class TargetsMade(BaseModel):
    """The targets, in the order of the request."""

    model_config = _example(items=[_TARGET])

    items: list[TargetRecord]


class TargetList(BaseModel):
    """One page of targets, oldest first."""

    model_config = _example(items=[_TARGET], next_cursor=None)

    items: list[TargetRecord]
    next_cursor: str | None


def _bounded(value: float | str) -> float | str:
    if isinstance(value, int | float) and abs(value) > 1e15:
        raise PydanticCustomError("number_out_of_range", "Input should be between -1e15 and 1e15")
    return value


def _one_issue(text: str) -> WrapValidator:
    """One issue for a value, not one for each kind of value that it might have been."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise PydanticCustomError("value_invalid", "{text}", {"text": text}) from None

    return WrapValidator(check)


Amount = Annotated[
    StrictInt | StrictFloat | MarketStatus,
    _one_issue("Input should be a number, or for a status active, closed or resolved"),
    AfterValidator(_bounded),
]
Slack = Annotated[
    StrictInt | StrictFloat,
    Field(ge=0, le=1e15),
    _one_issue("Input should be a number from 0 to 1e15"),
]


class RuleRequest(BaseModel):
    """A condition on one metric of one target, or of all it fits."""

    model_config = _request(
        name="Cut is likely",
        metric="probability",
        op="crosses_above",
        value=0.6,
        **{"for": "10m"},
        cooldown="6h",
        severity="warning",
        hysteresis=0.03,
    )

    name: Name
    target_id: str | None = Field(
        None, max_length=100, strict=True, description="Null: every target it fits, now and later."
    )
    metric: Metric
    op: Op
    value: Amount = Field(
        description="Threshold in the metric's unit: a probability from 0 to 1, hours, seconds "
        "(staleness), a market status."
    )
    window: Duration | None = Field(None, description="Of a metric over time; by default 1h.")
    hold: Duration | None = Field(
        None, alias="for", description="How long the condition must hold before it fires."
    )
    cooldown: Duration | None = Field(None, description="Least time from one alert to the next.")
    severity: Severity = "warning"
    hysteresis: Slack = Field(
        0, description="How far the value must come back before an alert resolves."
    )
    expires_at: BodyMoment | None = Field(None, description="Not evaluated any more from then on.")

    def rule(self) -> Rule:
        """As the state machine takes it, not yet named."""
        return Rule(
            id="",
            name=self.name,
            metric=self.metric,
            op=self.op,
            threshold=None if isinstance(self.value, str) else float(self.value),
            label=self.value if isinstance(self.value, str) else None,
            span=self.window,
            hold=self.hold or timedelta(0),
            cooldown=self.cooldown or timedelta(0),
            hysteresis=float(self.hysteresis),
            severity=self.severity,
            expires_at=self.expires_at,
        )


class RuleChange(BaseModel):
    """What to change of a rule; what is left out stays. Metric, op and target do not change."""

    model_config = _request(value=0.65, severity="critical")

    name: Name | None = None
    value: Amount | None = None
    window: Duration | None = None
    hold: Duration | None = Field(None, alias="for")
    cooldown: Duration | None = None
    severity: Severity | None = None
    hysteresis: Slack | None = None
    expires_at: BodyMoment | None = Field(None, description="null: never.")

    def changes(self) -> dict[str, Any]:
        """As the service takes them. null takes a window, `for`, cooldown or expiry away."""
        found: dict[str, Any] = {}
        if self.value is not None:
            found["threshold"] = None if isinstance(self.value, str) else float(self.value)
            found["label"] = self.value if isinstance(self.value, str) else None
        if self.hysteresis is not None:
            found["hysteresis"] = float(self.hysteresis)
        for name in ("name", "severity"):
            if (value := getattr(self, name)) is not None:
                found[name] = value
        given = self.model_fields_set
        if "window" in given:
            found["span"] = self.window
        for name in given & {"hold", "cooldown"}:
            found[name] = getattr(self, name) or timedelta(0)
        if "expires_at" in given:
            found["expires_at"] = self.expires_at
        return found


class RuleRecord(BaseModel):
    """A rule."""

    model_config = _example(**_RULE)

    id: str
    watchlist_id: str
    name: str
    target_id: str | None
    metric: Metric
    op: Op
    value: float | str
    window: str | None
    hold: str | None = Field(alias="for")
    cooldown: str | None
    severity: Severity
    hysteresis: float
    expires_at: datetime | None
    created_at: datetime
    silenced_until: datetime | None = Field(
        description="Until then its alerts are recorded and sent nowhere."
    )


class Silence(BaseModel):
    """For how long nothing is sent."""

    model_config = _request(**{"for": "4h"})

    length: Duration | None = Field(alias="for", description="Like 4h or 7d; null: send again.")


class PreviewRequest(RuleRequest):
    """A rule to try on the past."""

    model_config = _request(
        name="Cut is likely", metric="probability", op="crosses_above", value=0.6, days=30
    )

    days: Annotated[int, Field(ge=1, le=90, strict=True)] = Field(
        30, description="How far back to try it."
    )


class ChartPoint(BaseModel):
    """A value at a time."""

    time: datetime
    value: float | None = Field(description="Null: a gap.")


Origin = Literal["live", "import", "sample"]


class PreviewEpisode(BaseModel):
    """An alert that would have been."""

    fired_at: datetime
    resolved_at: datetime | None = Field(description="Null: it would still be open.")
    value: float


class PreviewTarget(BaseModel):
    """What the rule would have done with one target."""

    target_id: str
    name: str
    reason: str | None = Field(description="Why there is nothing to try it on.")
    points: list[ChartPoint] = Field(description="The metric's values, at most 1,000.")
    episodes: list[PreviewEpisode]
    as_of: datetime | None = Field(description="Of the last value.")
    origin: Origin | None = Field(description="Where the values come from.")


class PreviewResult(BaseModel):
    """What a rule would have done, looked at in steps of the record."""

    model_config = _example(
        start="2026-10-22T00:00:00Z",
        end="2026-11-21T00:00:00Z",
        step_seconds=3600,
        fired=1,
        targets=[
            {
                "target_id": f"tgt_{_ID}",
                "name": "Cut in March",
                "reason": None,
                "points": [{"time": "2026-11-20T10:00:00Z", "value": 0.62}],
                "episodes": [
                    {"fired_at": "2026-11-20T10:00:00Z", "resolved_at": None, "value": 0.62}
                ],
                "as_of": "2026-11-20T10:00:00Z",
                "origin": "live",
            }
        ],
    )

    start: datetime
    end: datetime
    step_seconds: int = Field(description="Of markets; series and volatility as recorded.")
    fired: int = Field(description="Alerts that would have been, of all targets.")
    targets: list[PreviewTarget] = Field(description="The first 20 that the rule fits.")


class RulesRequest(BaseModel):
    """Several rules: all are added, or none."""

    model_config = _request(
        rules=[{"name": "Cut is likely", "metric": "probability", "op": "gt", "value": 0.6}]
    )

    rules: list[RuleRequest] = Field(min_length=1, max_length=MOST_AT_ONCE)


class RulesMade(BaseModel):
    """The rules, in the order of the request."""

    model_config = _example(items=[_RULE])

    items: list[RuleRecord]


class RuleList(BaseModel):
    """One page of rules, oldest first."""

    model_config = _example(items=[_RULE], next_cursor=None)

    items: list[RuleRecord]
    next_cursor: str | None


class Evaluation(BaseModel):
    """Where a rule stands with a target."""

    rule_id: str
    target_id: str
    state: Status
    value: float | str | None = Field(description="Null: nothing was ever known.")
    threshold: float | str
    as_of: datetime | None = Field(description="When the source gave the value.")
    origin: Origin | None = Field(description="Where the value comes from.")
    since: datetime | None = Field(description="When the state began.")
    reason: str | None = Field(description="Why there is no data.")


class AlertRecord(BaseModel):
    """An alert, with what was known when it fired."""

    model_config = _example(**_ALERT)

    id: str
    watchlist_id: str
    rule_id: str
    target_id: str
    episode: int = Field(description="Counts the alerts of this rule and target.")
    state: Literal["firing", "resolved"]
    severity: Severity
    value: float | str | None
    as_of: datetime | None
    origin: Origin | None = Field(description="Where the value comes from.")
    fired_at: datetime
    resolved_at: datetime | None
    resolution: Literal["recovered", "expired", "removed"] | None
    resolved_value: float | str | None = Field(description="The value that ended it.")
    silenced: bool = Field(description="Its rule was silenced when it fired: nothing was sent.")
    snoozed_until: datetime | None = Field(description="Until then nothing more is sent.")
    title: str
    summary: str
    market: dict[str, Any] | None
    target: dict[str, Any]
    trigger: dict[str, Any]
    evidence: list[dict[str, Any]]
    source_status: dict[str, Any]
    next_action: str


class EvaluationResult(BaseModel):
    """Every state of the watchlist, and the alerts that are open."""

    model_config = _example(
        evaluated_at="2026-11-21T09:40:01Z",
        evaluations=[
            {
                "rule_id": f"rule_{_ID}",
                "target_id": f"tgt_{_ID}",
                "state": "firing",
                "value": 0.62,
                "threshold": 0.6,
                "as_of": "2026-11-21T09:30:00Z",
                "origin": "live",
                "since": "2026-11-21T09:40:01Z",
                "reason": None,
            }
        ],
        alerts=[_ALERT],
    )

    evaluated_at: datetime
    evaluations: list[Evaluation]
    alerts: list[AlertRecord] = Field(description="The latest 200 that are firing.")


class AlertList(BaseModel):
    """One page of alerts, the latest first."""

    model_config = _example(items=[_ALERT], next_cursor=None)

    items: list[AlertRecord]
    next_cursor: str | None


class ChartSeries(BaseModel):
    """A line: ascending, each time once."""

    name: str
    points: list[ChartPoint]


class ChartThreshold(BaseModel):
    """A rule's threshold."""

    name: str
    op: Op
    value: float
    severity: Severity


class ChartMarker(BaseModel):
    """An alert on the chart."""

    time: datetime
    resolved_at: datetime | None
    alert_id: str
    severity: Severity
    label: str
    value: float | None = Field(description="Null: the alert was on another metric.")


class ChartData(BaseModel):
    """A target's values with thresholds and alerts."""

    model_config = _example(
        title="Cut in March",
        unit="probability",
        start="2026-11-20T00:00:00Z",
        end="2026-11-21T00:00:00Z",
        as_of="2026-11-20T00:00:00Z",
        origin="live",
        series=[{"name": "Yes", "points": [{"time": "2026-11-20T00:00:00Z", "value": 0.55}]}],
        thresholds=[
            {"name": "Cut is likely", "op": "crosses_above", "value": 0.6, "severity": "warning"}
        ],
        markers=[],
    )

    title: str
    unit: str
    start: datetime
    end: datetime
    as_of: datetime | None = Field(description="Of the last value shown.")
    origin: Origin | None = Field(description="sample: not real data.")
    series: list[ChartSeries]
    thresholds: list[ChartThreshold]
    markers: list[ChartMarker]


def watchlist(found: Watchlist) -> dict[str, Any]:
    """The fields of `WatchlistRecord`."""
    return found._asdict()


def made(new: Made) -> dict[str, Any]:
    """The fields of `WatchlistMade`."""
    delivery = [
        {**delivery_fields(endpoint), "secret": secret} for endpoint, secret in new.endpoints
    ]
    return {**watchlist(new.watchlist), "delivery": delivery}


def target(found: Target) -> dict[str, Any]:
    """The fields of `TargetRecord`."""
    return {name: getattr(found, name) for name in TargetRecord.model_fields}


def rule(found: StoredRule) -> dict[str, Any]:
    """The fields of `RuleRecord`."""
    return {
        "id": found.id,
        "watchlist_id": found.watchlist_id,
        "name": found.name,
        "target_id": found.target_id,
        "metric": found.metric,
        "op": found.op,
        "value": found.label if found.label is not None else found.threshold,
        "window": written(found.span) if found.span else None,
        "for": written(found.hold) if found.hold else None,
        "cooldown": written(found.cooldown) if found.cooldown else None,
        "severity": found.severity,
        "hysteresis": found.hysteresis,
        "expires_at": found.expires_at,
        "created_at": found.created_at,
        "silenced_until": found.silenced_until,
    }


def preview(found: Preview) -> dict[str, Any]:
    """The fields of `PreviewResult`."""
    return {
        "start": found.start,
        "end": found.end,
        "step_seconds": int(found.step.total_seconds()),
        "fired": sum(len(one.episodes) for one in found.targets),
        "targets": [
            {
                "target_id": one.target.id,
                "name": one.name,
                "reason": one.reason,
                "points": [{"time": at, "value": value} for at, value in one.points],
                "episodes": [episode._asdict() for episode in one.episodes],
                "as_of": max((at for at, value in one.points if value is not None), default=None),
                "origin": one.origin,
            }
            for one in found.targets
        ],
    }


def evaluation(found: Evaluated) -> dict[str, Any]:
    """The fields of `Evaluation`."""
    state, limit = found.state, found.rule
    return {
        "rule_id": limit.id,
        "target_id": found.target.id,
        "state": state.status,
        "value": state.value,
        "threshold": limit.label if limit.label is not None else limit.threshold,
        "as_of": state.as_of,
        "origin": found.origin,
        "since": state.since,
        "reason": state.reason if state.status == "no_data" else None,
    }

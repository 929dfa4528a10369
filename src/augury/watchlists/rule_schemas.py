"""The JSON requests and answers of the API about rules (alert conditions), and about what a rule
would have done in the past."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StrictFloat,
    StrictInt,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from augury.http.examples import example, request_example
from augury.http.fields import BodyMoment, Duration, Name, duration_text
from augury.markets.records import ShownOrigin
from augury.markets.records import Status as MarketStatus
from augury.watchlists.chart_schemas import ChartPoint
from augury.watchlists.examples import EXAMPLE_ID, RULE
from augury.watchlists.rule_trial import Preview
from augury.watchlists.rules import Metric, Op, Rule, Severity
from augury.watchlists.schemas import MOST_AT_ONCE
from augury.watchlists.store import StoredRule


def _bounded(value: float | str) -> float | str:
    if isinstance(value, int | float) and abs(value) > 1e15:
        raise PydanticCustomError("number_out_of_range", "Input should be between -1e15 and 1e15")
    return value


def _one_issue(text: str) -> WrapValidator:
    """A pydantic validator that reports one error, with the message `text`, for a value of a wrong
    type, instead of one error for each type that the value may have."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise PydanticCustomError("value_invalid", "{text}", {"text": text}) from None

    return WrapValidator(check)


Amount = Annotated[
    StrictInt | StrictFloat | MarketStatus,
    _one_issue(
        "Input should be a number or, if the metric is `status`, one of active, closed and resolved"
    ),
    AfterValidator(_bounded),
]
Slack = Annotated[
    StrictInt | StrictFloat,
    Field(ge=0, le=1e15),
    _one_issue("Input should be a number from 0 to 1e15"),
]


class RuleRequest(BaseModel):
    """A rule to add to a watchlist: a condition on one metric, for one target or for all targets
    that have the metric. An alert fires when the condition is met."""

    model_config = request_example(
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
        None,
        max_length=100,
        strict=True,
        description="Id of the only target that the rule applies to. Null: it applies to every "
        "target of the watchlist that has the metric, also to those added later.",
    )
    metric: Metric = Field(
        description="Quantity to measure on the target and to compare with `value`. Metrics named "
        "series_* are for external series, rvol_* for assets, staleness for every target, and all "
        "others for markets (also those of an event or a search)."
    )
    op: Op = Field(
        description="How the metric is compared with `value`. gt and lt fire when the metric is "
        "above or below `value`, even if it already is when the rule is created. crosses_above "
        "fires only after the metric was at or below `value`, crosses_below only after it was at "
        "or above. If the metric is status, only eq and ne are allowed."
    )
    value: Amount = Field(
        description="Threshold in the metric's unit. probability, spread and divergence: 0 to 1. "
        "probability_change: -1 to 1. probability_zscore: standard deviations. volume_spike: "
        "multiple of the usual volume. volume_24h: US dollars (Polymarket) or contracts (Kalshi). "
        "hours_to_close: hours. series_value and series_change: the series' unit. rvol_forecast: "
        "annualized volatility as a fraction (0.55 is 55%). rvol_ratio: volatility realized over "
        "the last completed forecast window, divided by the forecast for that window. staleness: "
        "seconds. status: active, closed or resolved."
    )
    window: Duration | None = Field(
        None,
        description="Length of time over which probability_change, probability_zscore, "
        "volume_spike or series_change is measured, e.g. 24h; other metrics have none. Default: "
        "1h; 30d for series_change.",
    )
    hold: Duration | None = Field(
        None,
        alias="for",
        description="How long the condition must hold without a break before the rule fires, e.g. "
        "10m. Null: it fires at once.",
    )
    cooldown: Duration | None = Field(
        None,
        description="Minimum time between the firing of two alerts of this rule on the same "
        "target, e.g. 6h. Null: no limit.",
    )
    severity: Severity = Field("warning", description="How serious the rule's alerts are.")
    hysteresis: Slack = Field(
        0,
        description="How far past the threshold the metric must come back before an alert ends, "
        "in the metric's unit. With `value` 0.6 and hysteresis 0.03, an alert above 0.6 ends at "
        "0.57.",
    )
    expires_at: BodyMoment | None = Field(
        None,
        description="Time (UTC if without a zone) from which the rule is no longer evaluated. "
        "Null: it never expires.",
    )

    def rule(self) -> Rule:
        """The requested rule as a `Rule`, the form in which rules are evaluated; its id is still
        empty."""
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
    """Changes to a rule. Fields that are left out keep their values; metric, op and target can't be
    changed.

    null removes the window, `for`, the cooldown or the expiry. In all other fields null changes
    nothing.
    """

    model_config = request_example(value=0.65, severity="critical")

    name: Name | None = None
    value: Amount | None = Field(None, description="Threshold to set, in the metric's unit.")
    window: Duration | None = Field(
        None,
        description="Window to set: length of time over which the metric is measured, e.g. 24h. "
        "Null: the metric's default.",
    )
    hold: Duration | None = Field(
        None,
        alias="for",
        description="Hold time to set: how long the condition must hold before the rule fires, "
        "e.g. 10m. Null: it fires at once.",
    )
    cooldown: Duration | None = Field(
        None,
        description="Cooldown to set: minimum time between the firing of two alerts of this rule "
        "on the same target, e.g. 6h. Null: remove the limit.",
    )
    severity: Severity | None = None
    hysteresis: Slack | None = Field(
        None,
        description="Hysteresis to set: how far past the threshold the metric must come back "
        "before an alert ends, in the metric's unit.",
    )
    expires_at: BodyMoment | None = Field(
        None,
        description="Expiry to set: time (UTC if without a zone) from which the rule is no longer "
        "evaluated. Null: it never expires.",
    )

    def changes(self) -> dict[str, Any]:
        """The fields to change and their new values, named as in `StoredRule`.

        null removes a window, `for`, cooldown or expiry.
        """
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
    """A rule of a watchlist: the condition on a metric under which an alert fires, and its
    settings."""

    model_config = example(**RULE)

    id: str
    watchlist_id: str
    name: str
    target_id: str | None = Field(
        description="Id of the only target that the rule applies to. Null: it applies to every "
        "target of the watchlist that has the metric."
    )
    metric: Metric = Field(description="Quantity measured on the target and compared with `value`.")
    op: Op = Field(description="How the metric is compared with `value`.")
    value: float | str = Field(
        description="Threshold, in the metric's unit. If the metric is `status`: active, closed or "
        "resolved."
    )
    window: str | None = Field(
        description="Length of time over which the metric is measured, e.g. 24h. Null: the "
        "metric's default, or the metric is not measured over time."
    )
    hold: str | None = Field(
        alias="for",
        description="How long the condition must hold before the rule fires, e.g. 10m. Null: it "
        "fires at once.",
    )
    cooldown: str | None = Field(
        description="Minimum time between the firing of two alerts of this rule on the same "
        "target, e.g. 6h. Null: no limit."
    )
    severity: Severity
    hysteresis: float = Field(
        description="How far past the threshold the metric must come back before an alert ends, "
        "in the metric's unit."
    )
    expires_at: datetime | None = Field(
        description="Time from which the rule is no longer evaluated. Null: it never expires."
    )
    created_at: datetime
    silenced_until: datetime | None = Field(
        description="Until this time, the rule's alerts are recorded but not sent. Null: the rule "
        "is not silenced."
    )


class Silence(BaseModel):
    """How long to send no messages about the alerts of a rule (to silence the rule) or about one
    alert (to snooze it)."""

    model_config = request_example(**{"for": "4h"})

    length: Duration | None = Field(
        alias="for",
        description="Duration from now, e.g. 4h or 7d. Null: end the silence or snooze now, so "
        "that messages are sent again.",
    )


class PreviewRequest(RuleRequest):
    """A rule to try on the recorded history of a watchlist's targets, without adding the rule."""

    model_config = request_example(
        name="Cut is likely", metric="probability", op="crosses_above", value=0.6, days=30
    )

    days: Annotated[int, Field(ge=1, le=90, strict=True)] = Field(
        30, description="Number of days of history, up to now, to try the rule on."
    )


class PreviewEpisode(BaseModel):
    """An alert that the rule would have opened, had it been evaluated on recorded history."""

    fired_at: datetime = Field(description="When the alert would have fired.")
    resolved_at: datetime | None = Field(
        description="When the alert would have ended. Null: it would still be open."
    )
    value: float = Field(
        description="The metric's value that would have fired the alert, in the metric's unit."
    )


class PreviewTarget(BaseModel):
    """What a rule, tried on recorded history, would have done with one target."""

    target_id: str
    name: str = Field(
        description="The target's label; without one, its market's question, its series' name, or "
        "its `ref`."
    )
    reason: str | None = Field(
        description="Why the rule can't be tried on this target. Null: it was tried."
    )
    points: list[ChartPoint] = Field(description="The metric's values over time, at most 1,000.")
    episodes: list[PreviewEpisode] = Field(
        description="The alerts that the rule would have opened on the target."
    )
    as_of: datetime | None = Field(
        description="Time of the last known value. Null: no value is known."
    )
    origin: ShownOrigin | None = Field(
        description="Where the values come from. sample: invented data."
    )


class PreviewResult(BaseModel):
    """What a rule would have done, had it been evaluated on the recorded history of a watchlist's
    targets."""

    model_config = example(
        start="2026-10-22T00:00:00Z",
        end="2026-11-21T00:00:00Z",
        step_seconds=3600,
        fired=1,
        targets=[
            {
                "target_id": f"tgt_{EXAMPLE_ID}",
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
    step_seconds: int = Field(
        description="Seconds between two evaluations of the rule on a market's recorded prices. On "
        "a series or on volatility, the rule is evaluated at every recorded point."
    )
    fired: int = Field(
        description="Number of alerts that would have fired, on all listed targets together."
    )
    targets: list[PreviewTarget] = Field(
        description="The first 20 targets that have the rule's metric."
    )


class RulesRequest(BaseModel):
    """Several rules to add to a watchlist. Either all are added or none."""

    model_config = request_example(
        rules=[{"name": "Cut is likely", "metric": "probability", "op": "gt", "value": 0.6}]
    )

    rules: list[RuleRequest] = Field(min_length=1, max_length=MOST_AT_ONCE)


class RulesMade(BaseModel):
    """The rules that were added to a watchlist, in the order of the request."""

    model_config = example(items=[RULE])

    items: list[RuleRecord]


class RuleList(BaseModel):
    """One page of a watchlist's rules, oldest first."""

    model_config = example(items=[RULE], next_cursor=None)

    items: list[RuleRecord]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )


def rule(found: StoredRule) -> dict[str, Any]:
    """A stored rule (an alert condition) as plain data with the fields of the API record
    `RuleRecord`."""
    return {
        "id": found.id,
        "watchlist_id": found.watchlist_id,
        "name": found.name,
        "target_id": found.target_id,
        "metric": found.metric,
        "op": found.op,
        "value": found.label if found.label is not None else found.threshold,
        "window": duration_text(found.span) if found.span else None,
        "for": duration_text(found.hold) if found.hold else None,
        "cooldown": duration_text(found.cooldown) if found.cooldown else None,
        "severity": found.severity,
        "hysteresis": found.hysteresis,
        "expires_at": found.expires_at,
        "created_at": found.created_at,
        "silenced_until": found.silenced_until,
    }


def preview(found: Preview) -> dict[str, Any]:
    """What a rule (an alert condition) would have done in the past, as the fields of the API record
    `PreviewResult`."""
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

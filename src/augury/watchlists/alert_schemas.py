"""The JSON records of evaluations and of alerts."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from augury.http.examples import example
from augury.markets.records import ShownOrigin
from augury.watchlists.evaluation import Evaluated
from augury.watchlists.examples import ALERT, EXAMPLE_ID
from augury.watchlists.rules import Severity, Status


class Evaluation(BaseModel):
    """The state of one rule on one target of a watchlist."""

    rule_id: str
    target_id: str
    state: Status = Field(
        description="ok: the condition does not hold. pending: it holds, but not for long enough "
        "to fire. firing: an alert is open. resolved: the last alert has ended. no_data: no value "
        "is known now; an open alert stays open."
    )
    value: float | str | None = Field(
        description="The metric's last known value, in the metric's unit. Null: no value was ever "
        "known."
    )
    threshold: float | str = Field(description="The rule's threshold, in the metric's unit.")
    as_of: datetime | None = Field(description="When the source gave the value.")
    origin: ShownOrigin | None = Field(
        description="Where the value comes from. sample: invented data."
    )
    since: datetime | None = Field(
        description="Since when the rule has been in this state on this target."
    )
    reason: str | None = Field(
        description="Why no value is known; only in the state no_data, else null."
    )


class AlertRecord(BaseModel):
    """An alert: one time that a rule of a watchlist fired on a target. Market, trigger and evidence
    are as they were when it fired."""

    model_config = example(**ALERT)

    id: str
    watchlist_id: str
    rule_id: str
    target_id: str
    episode: int = Field(
        description="Sequence number of this alert among those of the same rule on the same "
        "target, from 1."
    )
    state: Literal["firing", "resolved"] = Field(
        description="firing: the alert is open. resolved: it has ended."
    )
    severity: Severity = Field(description="Severity of the rule when it fired.")
    value: float | str | None = Field(
        description="The metric's value that fired the alert, in the metric's unit."
    )
    as_of: datetime | None = Field(description="When the source gave this value.")
    origin: ShownOrigin | None = Field(
        description="Where the value comes from. sample: invented data."
    )
    fired_at: datetime
    resolved_at: datetime | None = Field(description="When the alert ended. Null: it is open.")
    resolution: Literal["recovered", "expired", "removed"] | None = Field(
        description="Why the alert ended. recovered: the value came back. expired: the rule "
        "expired, or what it watches has ended. removed: the rule or target was deleted. Null: "
        "the alert is open."
    )
    resolved_value: float | str | None = Field(
        description="The metric's value when the alert ended. Null: the alert is open, or no "
        "value was known."
    )
    silenced: bool = Field(
        description="True if the rule was silenced when the alert fired, so nothing was sent."
    )
    snoozed_until: datetime | None = Field(
        description="Until this time, no more messages about the alert are sent. Null: the alert "
        "is not snoozed."
    )
    title: str = Field(
        description="Name of the rule, then what it fired on: the market's question, or the label "
        "or name of the series or asset."
    )
    summary: str = Field(
        description="What happened, in one sentence: the value and the rule's condition, e.g. "
        '"The probability is 62%, having risen above 60%."'
    )
    market: dict[str, Any] | None = Field(
        description="The market whose value fired the alert: id, platform, question, outcome, "
        "status and URL. Null: the target is a series or an asset."
    )
    target: dict[str, Any] = Field(description="The watched target: its id, kind, ref and label.")
    trigger: dict[str, Any] = Field(
        description="The rule as it was when it fired: its id, name, metric, op, threshold, and "
        "window and hold time in seconds."
    )
    evidence: list[dict[str, Any]] = Field(
        description="The values that the metric was computed from, each with its own time."
    )
    source_status: dict[str, Any] = Field(
        description="How current the source was when the alert fired. as_of: time of the value. "
        "For a market, also: its status, the time it was last read from its venue (observed_at), "
        "and the time its price was quoted (price_as_of)."
    )
    next_action: str = Field(description="What to look at next, in one sentence.")


class EvaluationResult(BaseModel):
    """The state of every rule of a watchlist on every target that it applies to, evaluated now, and
    the open alerts."""

    model_config = example(
        evaluated_at="2026-11-21T09:40:01Z",
        evaluations=[
            {
                "rule_id": f"rule_{EXAMPLE_ID}",
                "target_id": f"tgt_{EXAMPLE_ID}",
                "state": "firing",
                "value": 0.62,
                "threshold": 0.6,
                "as_of": "2026-11-21T09:30:00Z",
                "origin": "live",
                "since": "2026-11-21T09:40:01Z",
                "reason": None,
            }
        ],
        alerts=[ALERT],
    )

    evaluated_at: datetime
    evaluations: list[Evaluation]
    alerts: list[AlertRecord] = Field(description="The open alerts, latest first, at most 200.")


class AlertList(BaseModel):
    """One page of a watchlist's alerts, latest first."""

    model_config = example(items=[ALERT], next_cursor=None)

    items: list[AlertRecord]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )


def evaluation(found: Evaluated) -> dict[str, Any]:
    """The state of a rule (a condition) on one watched target, as the fields of the API record
    `Evaluation`."""
    state, rule = found.state, found.rule
    return {
        "rule_id": rule.id,
        "target_id": found.target.id,
        "state": state.status,
        "value": state.value,
        "threshold": rule.label if rule.label is not None else rule.threshold,
        "as_of": state.as_of,
        "origin": found.origin,
        "since": state.since,
        "reason": state.reason if state.status == "no_data" else None,
    }

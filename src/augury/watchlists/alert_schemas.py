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
    """The state of a rule on a target."""

    rule_id: str
    target_id: str
    state: Status = Field(
        description="ok: the condition does not hold. pending: it holds, but not for long enough "
        "to fire. firing: an alert is open. resolved: the last alert has ended. no_data: no value "
        "is known now; an open alert stays open."
    )
    value: float | str | None = Field(
        description="The last known value, in the metric's unit. Null: none was ever known."
    )
    threshold: float | str
    as_of: datetime | None = Field(description="When the source gave the value.")
    origin: ShownOrigin | None = Field(description="Where the value comes from.")
    since: datetime | None = Field(description="Since when the rule has been in this state.")
    reason: str | None = Field(description="For the state no_data: why no value is known.")


class AlertRecord(BaseModel):
    """An alert, with the market, trigger and evidence as they were when it fired."""

    model_config = example(**ALERT)

    id: str
    watchlist_id: str
    rule_id: str
    target_id: str
    episode: int = Field(
        description="Number of this alert among those of the same rule and target, from 1."
    )
    state: Literal["firing", "resolved"]
    severity: Severity
    value: float | str | None = Field(description="The value that fired it, in the metric's unit.")
    as_of: datetime | None = Field(description="When the source gave the value.")
    origin: ShownOrigin | None = Field(description="Where the value comes from.")
    fired_at: datetime
    resolved_at: datetime | None = Field(description="Null: the alert is open.")
    resolution: Literal["recovered", "expired", "removed"] | None = Field(
        description="recovered: the value came back. expired: the rule expired, or what it watches "
        "has ended. removed: the rule or target was deleted. Null: the alert is open."
    )
    resolved_value: float | str | None = Field(
        description="The value when the alert ended. Null: it is open, or no value was known."
    )
    silenced: bool = Field(
        description="True if the rule was silenced when the alert fired, so nothing was sent."
    )
    snoozed_until: datetime | None = Field(
        description="Nothing more is sent about the alert until then. Null: it was never snoozed."
    )
    title: str
    summary: str
    market: dict[str, Any] | None = Field(description="Null: the target is a series or an asset.")
    target: dict[str, Any]
    trigger: dict[str, Any] = Field(description="The rule, with its threshold, as it fired.")
    evidence: list[dict[str, Any]] = Field(description="The values that the metric was made from.")
    source_status: dict[str, Any] = Field(description="How current the source's data were.")
    next_action: str = Field(description="What to look at next, in one sentence.")


class EvaluationResult(BaseModel):
    """The state of every rule on every target of the watchlist, and the open alerts."""

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
    """One page of alerts, the latest first."""

    model_config = example(items=[ALERT], next_cursor=None)

    items: list[AlertRecord]
    next_cursor: str | None


def evaluation(found: Evaluated) -> dict[str, Any]:
    """The state of a rule (a condition) on one watched target, as the fields of the API record
    `Evaluation`."""
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

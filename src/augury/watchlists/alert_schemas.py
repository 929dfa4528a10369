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
    state: Status
    value: float | str | None = Field(description="Null: no value was ever known.")
    threshold: float | str
    as_of: datetime | None = Field(description="When the source gave the value.")
    origin: ShownOrigin | None = Field(description="Where the value comes from.")
    since: datetime | None = Field(description="Since when the rule has been in this state.")
    reason: str | None = Field(description="Why there is no data.")


class AlertRecord(BaseModel):
    """An alert, with what was known when it fired."""

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
    value: float | str | None
    as_of: datetime | None
    origin: ShownOrigin | None = Field(description="Where the value comes from.")
    fired_at: datetime
    resolved_at: datetime | None
    resolution: Literal["recovered", "expired", "removed"] | None
    resolved_value: float | str | None = Field(description="The value with which the alert ended.")
    silenced: bool = Field(
        description="True if the rule was silenced when the alert fired, so nothing was sent."
    )
    snoozed_until: datetime | None = Field(description="Snoozed: nothing more is sent until then.")
    title: str
    summary: str
    market: dict[str, Any] | None
    target: dict[str, Any]
    trigger: dict[str, Any]
    evidence: list[dict[str, Any]]
    source_status: dict[str, Any]
    next_action: str


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
    alerts: list[AlertRecord] = Field(description="The latest 200 that are firing.")


class AlertList(BaseModel):
    """One page of alerts, the latest first."""

    model_config = example(items=[ALERT], next_cursor=None)

    items: list[AlertRecord]
    next_cursor: str | None


def evaluation(found: Evaluated) -> dict[str, Any]:
    """A rule's state on a target, as the fields of `Evaluation`."""
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

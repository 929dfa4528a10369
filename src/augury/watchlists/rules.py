"""Rules, and the state machine that turns observed values into alerts.

    ok ──► pending ──► firing ──► resolved ──► pending ...
     ▲        │           │
     └────────┘           └─ no_data ─┘   an alert stays open while nothing is known

Each observation is one `step`. It is pure, and processing the same observation twice has no further
effect. An episode begins when a rule fires and ends when its alert resolves; there is one alert for
each (rule, target, episode).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

import msgspec

Kind = Literal["market", "event", "asset", "series", "search"]
Metric = Literal[
    "probability", "probability_change", "probability_zscore", "volume_24h", "volume_spike",
    "spread", "divergence", "hours_to_close", "status", "series_value", "series_change",
    "rvol_forecast", "rvol_ratio", "staleness",
]  # fmt: skip
Op = Literal["gt", "gte", "lt", "lte", "crosses_above", "crosses_below", "eq", "ne"]
Severity = Literal["info", "warning", "critical"]
Status = Literal["ok", "pending", "firing", "resolved", "no_data"]

MARKET_METRICS = frozenset(
    {
        "probability", "probability_change", "probability_zscore", "volume_24h", "volume_spike",
        "spread", "divergence", "hours_to_close", "status", "staleness",
    }
)  # fmt: skip
METRICS_BY_KIND: dict[Kind, frozenset[str]] = {
    "market": MARKET_METRICS,
    "event": MARKET_METRICS,
    "search": MARKET_METRICS,
    "series": frozenset({"series_value", "series_change", "staleness"}),
    "asset": frozenset({"rvol_forecast", "rvol_ratio", "staleness"}),
}
"""By kind of watched target (e.g. `market`): the metrics that a rule (an alert condition) on such a
target can have."""

HOUR = timedelta(hours=1)
DEFAULT_SPANS: dict[str, timedelta] = {
    "probability_change": HOUR,
    "probability_zscore": HOUR,
    "volume_spike": HOUR,
    "series_change": timedelta(days=30),
}
"""Metrics that are measured over a time window, with the window's default length."""

_NO_TIME = timedelta(0)
_REEVALUATION_INTERVALS = {
    "hours_to_close": timedelta(seconds=30),
    "staleness": timedelta(seconds=30),
    "series_change": timedelta(minutes=5),
    "rvol_forecast": timedelta(minutes=1),
    "rvol_ratio": timedelta(minutes=1),
}
"""Metric -> time after which a rule (an alert condition) on this metric is evaluated again even
without new data, because time alone changes the metric's value. For metrics that compare a market
with its past, `reevaluation_interval` computes the time. Chosen by hand."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """An alert condition on one metric of the targets of a watchlist.

    `threshold` is in the metric's unit; for the metric `status`, `label` is used instead. Some
    metrics are measured over a time window. `span` is the length of this window; None means the
    metric's default (`DEFAULT_SPANS`). `hysteresis`, in the metric's unit, is how far past the
    threshold the value must come back before an alert resolves. `hold` is how long the condition
    must hold before the rule fires. `cooldown` is how long after firing the rule can't fire again
    on the same target.
    """

    id: str
    name: str = ""
    metric: Metric
    op: Op
    threshold: float | None = None
    label: str | None = None
    span: timedelta | None = None
    hold: timedelta = _NO_TIME
    cooldown: timedelta = _NO_TIME
    hysteresis: float = 0.0
    severity: Severity = "warning"
    expires_at: datetime | None = None
    silenced_until: datetime | None = None
    """Until this time, alerts of the rule are recorded but no message about them is sent."""

    @property
    def window(self) -> timedelta | None:
        """The time window over which the metric is measured: the rule's own or the metric's
        default; None for a metric without one."""
        return self.span or DEFAULT_SPANS.get(self.metric)

    def holds(self, value: float | str) -> bool:
        """Whether `value` meets the rule's condition, e.g. is above its threshold."""
        if isinstance(value, str):
            return (value == self.label) == (self.op == "eq")
        limit = self.threshold or 0.0
        match self.op:
            case "gt" | "crosses_above":
                return value > limit
            case "gte":
                return value >= limit
            case "lt" | "crosses_below":
                return value < limit
            case "lte":
                return value <= limit
            case "eq":
                return value == limit
            case "ne":
                return value != limit

    def recovered(self, value: float | str) -> bool:
        """Whether `value` ends an alert: the condition does not hold, and the value is at least the
        hysteresis away from the threshold."""
        if self.holds(value):
            return False
        if isinstance(value, str) or self.op in ("eq", "ne"):
            return True
        return abs(value - (self.threshold or 0.0)) >= self.hysteresis - 1e-9

    @property
    def crossing(self) -> bool:
        """Whether the rule fires only when the value crosses the threshold: the value must have
        been on the other side of the threshold before."""
        return self.op in ("crosses_above", "crosses_below")


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """A metric's observed value, with the time `as_of` at which its source gave it. Without a
    value, `reason` says why there is none."""

    value: float | str | None = None
    as_of: datetime | None = None
    reason: str | None = None
    has_ended: bool = False
    """True if there is no value because the watched thing has ended, e.g. a market has closed. An
    open alert then ends, too."""
    valid_until: datetime | None = None
    """Time from which the value is too old to be used, unless its source gives a new one before.
    None: it does not become too old."""


class RuleState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a rule (an alert condition) on one target. It has the default values until the
    first evaluation."""

    status: Status = "no_data"
    since: datetime | None = None
    """The time since which `status` has not changed."""
    alerting: bool = False
    """Whether an alert of the rule is open on this target. It stays open while `status` is
    `no_data`."""
    armed: bool = False
    """Whether a value that does not meet the rule's condition has been observed since the rule last
    fired. Only then can a rule with `crosses_above` or `crosses_below` fire."""
    episode: int = 0
    fired_at: datetime | None = None
    value: float | str | None = None
    as_of: datetime | None = None
    reason: str | None = None
    evaluated_at: datetime | None = None


Event = Literal["fired", "recovered", "expired"]


def step(
    rule: Rule, state: RuleState, observation: Observation, now: datetime
) -> tuple[RuleState, Event | None]:
    """Process a metric's observed value at the time `now`. Returns the rule's new state for the
    watched target, and the event: "fired" if an alert opened, "recovered" or "expired" if one
    ended, else None.

    If `now` is before the last evaluation (the clock was set back), the time of that evaluation is
    used. If the observed value is older than the state's, the state's value is used.
    """
    if state.evaluated_at is not None:
        now = max(now, state.evaluated_at)
    state = msgspec.structs.replace(state, evaluated_at=now)
    if rule.expires_at is not None and now >= rule.expires_at:
        if state.alerting:
            return _moved(state, "resolved", now, alerting=False), "expired"
        return state, None
    if observation.value is None and observation.has_ended and state.alerting:
        return _moved(state, "resolved", now, alerting=False, reason=observation.reason), "expired"
    if observation.value is None:
        return _moved(state, "no_data", now, reason=observation.reason), None
    if (
        state.as_of is not None
        and observation.as_of is not None
        and observation.as_of < state.as_of
    ):
        if state.status == "no_data" or state.value is None:
            return state, None
        observation = Observation(value=state.value, as_of=state.as_of)
    value = observation.value
    assert value is not None
    # A source whose clock is ahead must not make all later values look old.
    as_of = min(observation.as_of, now) if observation.as_of is not None else None
    state = msgspec.structs.replace(state, value=value, as_of=as_of, reason=None)
    if state.alerting:
        if rule.recovered(value):
            return _moved(state, "resolved", now, alerting=False, armed=True), "recovered"
        return _moved(state, "firing", now), None
    if not rule.holds(value):
        status = "resolved" if state.status == "resolved" else "ok"
        return _moved(state, status, now, armed=True), None
    if rule.crossing and not state.armed:
        return _moved(state, "ok", now), None
    pending = _moved(state, "pending", now)
    if now < _fires_at(rule, pending):
        return pending, None
    fired = _moved(
        pending, "firing", now, alerting=True, armed=False, fired_at=now, episode=state.episode + 1
    )
    return fired, "fired"


def due(
    rule: Rule, state: RuleState, now: datetime, until: datetime | None = None
) -> datetime | None:
    """When to evaluate the rule again even without new data, because time alone may change the
    result.

    None means never. `until` is the time from which the observed value is too old to be used.
    """
    moments = []
    if until is not None:
        moments.append(max(until, now) + timedelta(milliseconds=100))
    if state.status == "pending":
        moments.append(max(_fires_at(rule, state), now + timedelta(milliseconds=100)))
    if (interval := reevaluation_interval(rule)) is not None:
        moments.append(now + interval)
    if rule.expires_at is not None:
        if now >= rule.expires_at:
            return None
        moments.append(rule.expires_at)
    return min(moments, default=None)


def reevaluation_interval(rule: Rule) -> timedelta | None:
    """How often to evaluate the rule again even without new data, because time alone changes its
    metric; None: not at all."""
    if rule.metric in ("probability_change", "probability_zscore", "volume_spike"):
        window = rule.window or HOUR
        return min(max(window / 12, timedelta(minutes=1)), timedelta(minutes=15))
    return _REEVALUATION_INTERVALS.get(rule.metric)


def _fires_at(rule: Rule, state: RuleState) -> datetime:
    assert state.since is not None
    ready = state.since + rule.hold
    return ready if state.fired_at is None else max(ready, state.fired_at + rule.cooldown)


def _moved(state: RuleState, status: Status, now: datetime, **changes: object) -> RuleState:
    since = state.since if state.status == status and state.since is not None else now
    return msgspec.structs.replace(state, status=status, since=since, **changes)

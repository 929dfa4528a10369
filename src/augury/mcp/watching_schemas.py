"""The answers of the tools for watchlists (`watching`): rows with some fields of the API's alerts,
watchlists, targets and rules."""

from __future__ import annotations

from pydantic import Field

from augury.mcp.fields import Moment, Prices
from augury.mcp.schemas import Row, ToolAnswer


class AlertRow(Row):
    """An alert of a watchlist."""

    component = "AlertRecord"
    id: str
    watchlist_id: str
    rule_id: str
    state: str
    severity: str
    title: str
    summary: str
    value: float | str | None = None
    as_of: Moment | None = None
    fired_at: Moment
    resolved_at: Moment | None = None
    silenced: bool = False
    snoozed_until: Moment | None = None
    origin: str | None = "live"


class WatchlistRow(Row):
    """A watchlist, with its number of open alerts."""

    component = "WatchlistRecord"
    id: str
    name: str
    targets: int
    rules: int
    firing: int


class Alerts(ToolAnswer):
    """Alerts, newest first, and the watchlists they belong to."""

    watchlists: list[WatchlistRow] = Field(default=[])
    alerts: list[AlertRow] = Field(default=[])


class TargetRow(Row):
    """A target: what a watchlist looks at."""

    component = "TargetRecord"
    id: str
    kind: str
    ref: str
    outcome: str | None = None


class RuleRow(Row):
    """A rule: the condition under which an alert fires."""

    component = "RuleRecord"
    id: str
    name: str
    metric: str
    op: str
    value: float | str
    window: str | None = None
    severity: str = "info"
    silenced_until: Moment | None = None


class Watched(ToolAnswer):
    """The watchlist, target and rule that were set up, and the current prices of the market."""

    current_prices: Prices | None = Field(default=None, description="The market's prices now.")
    watchlist: WatchlistRow | None = None
    target: TargetRow | None = None
    rule: RuleRow | None = None


class Silenced(ToolAnswer):
    """The rule or the alert that was silenced."""

    rule: RuleRow | None = None
    alert: AlertRow | None = None

"""Tries a rule on the recorded history of one target."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from augury.watchlists import preview
from augury.watchlists.chart import ChartLine
from augury.watchlists.history import target_history
from augury.watchlists.rules import Rule
from augury.watchlists.store import Connection, Target

PREVIEW_POINTS, _PREVIEW_SHOWN = 3_000, 1_000
"""PREVIEW_POINTS: maximum number of recorded prices of a market on which a rule (an alert
condition) is tried. _PREVIEW_SHOWN: maximum number of (time, value) points of one target in the
answer. Both are chosen by hand."""


class TriedTarget(NamedTuple):
    """What a rule (an alert condition) would have done in the past on one watched target."""

    target: Target
    name: str
    reason: str | None
    points: list[preview.Point]
    episodes: list[preview.Episode]
    origin: str | None = None


class Preview(NamedTuple):
    """What a rule (an alert condition) would have done from `start` up to but not including
    `end`."""

    start: datetime
    end: datetime
    step: timedelta
    targets: list[TriedTarget]


async def try_rule(
    conn: Connection,
    account_id: str,
    target: Target,
    rule: Rule,
    start: datetime,
    end: datetime,
) -> TriedTarget:
    """Try `rule` on the target's recorded history in [start, end). Returns which alerts it would
    have opened, or the reason why it can't be tried."""
    name = target.label or target.ref
    if rule.metric not in preview.RECORDED:
        reason = "No history of this metric is recorded, so the rule can't be tried on the past."
        return TriedTarget(target, name, reason, [], [])
    since = start - preview.lookback(rule)
    name, _, lines, _, origin = await target_history(
        conn, account_id, target, since, end, most=PREVIEW_POINTS
    )
    if rule.metric == "rvol_ratio":
        lines = [_ratio(*lines)]
    elif target.kind == "asset":
        lines = lines[:1]
    values = [preview.measured(rule, line.points, start) for line in lines]
    points = values[0] if len(values) == 1 else preview.foremost(rule, values)
    if not any(value is not None for _, value in points):
        reason = "No value of the metric is recorded for this target in the requested days."
        return TriedTarget(target, name, reason, [], [])
    episodes = preview.replay(rule, points)
    thinned = points[:: max(1, -(-len(points) // _PREVIEW_SHOWN))]
    return TriedTarget(target, name, None, thinned, episodes, origin)


def _ratio(forecast: ChartLine, realized: ChartLine) -> ChartLine:
    """A chart line with realized volatility divided by the forecast for the same days; None where
    either is unknown. Above 1: the forecast was too low."""
    known = dict(realized.points)
    points = [
        (at, None if not value or known.get(at) is None else (known[at] or 0.0) / value)
        for at, value in forecast.points
    ]
    return ChartLine("Realized over forecast", points)

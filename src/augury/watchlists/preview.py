"""Tries a rule on recorded history: which alerts it would have opened. Pure.

The same state machine as in live evaluation (`rules.step`) processes each recorded point. Only
metrics whose history is recorded (`RECORDED`) can be tried.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from augury.watchlists import measures
from augury.watchlists.rules import HOUR, Observation, Rule, RuleState, step

Point = tuple[datetime, float | None]

EARLIER_VALUES = {"probability_change": 1, "series_change": 1, "probability_zscore": 96}
"""Metric -> number of earlier values that are needed to compute it, besides the current one. The
values are one time window of the rule apart. Metrics that are not listed need none."""
RECORDED = frozenset(
    {"probability", "series_value", "rvol_forecast", "rvol_ratio", *EARLIER_VALUES}
)
"""Metrics whose history is recorded, so that a rule (an alert condition) can be tried on the
past."""


class Episode(NamedTuple):
    """An alert that a rule would have opened, had the rule existed at that time."""

    fired_at: datetime
    resolved_at: datetime | None
    """When the alert would have ended; None if it would still be open."""
    value: float


def lookback(rule: Rule) -> timedelta:
    """How much recorded history, before the time from which the rule is tried, is needed to compute
    its metric."""
    return (rule.window or HOUR) * EARLIER_VALUES.get(rule.metric, 0)


def replay(rule: Rule, points: Sequence[Point]) -> list[Episode]:
    """The alerts that `rule` would have opened, oldest first, had its metric taken the values of
    `points`, given as (time, value) pairs."""
    state = RuleState()
    episodes: list[Episode] = []
    for at, value in points:
        observation = Observation(value=value, as_of=at if value is not None else None)
        state, event = step(rule, state, observation, at)
        if event == "fired" and value is not None:
            episodes.append(Episode(at, None, value))
        elif event is not None:
            episodes[-1] = episodes[-1]._replace(resolved_at=at)
    return episodes


def measured(rule: Rule, points: Sequence[Point], start: datetime) -> list[Point]:
    """The values of the rule's metric from `start` on, as (time, value) pairs, computed from
    recorded prices or other values (`points`).

    `points` must begin `lookback` before `start`.
    """
    if rule.metric not in EARLIER_VALUES:
        return [point for point in points if point[0] >= start]
    window, times = rule.window or HOUR, [at for at, _ in points]

    def before(at: datetime, span: timedelta) -> float | None:
        place = bisect_right(times, at - span)
        return points[place - 1][1] if place else None

    out: list[Point] = []
    for at, value in points:
        if at < start:
            continue
        if value is None:
            out.append((at, None))
        elif rule.metric == "probability_zscore":
            past = [before(at, window * n) for n in range(EARLIER_VALUES[rule.metric], 0, -1)]
            out.append((at, measures.zscore([*past, value])))
        else:
            earlier = before(at, window)
            out.append((at, None if earlier is None else round(value - earlier, 12)))
    return out


def foremost(rule: Rule, lines: Sequence[Sequence[Point]]) -> list[Point]:
    """One line of (time, value) pairs from the lines of several markets: at each time the value
    that is furthest toward or beyond the rule's threshold; None if none is known."""
    least = rule.op in ("lt", "lte", "crosses_below")
    at: dict[datetime, list[float]] = {}
    for line in lines:
        for moment, value in line:
            known = at.setdefault(moment, [])
            if value is not None:
                known.append(value)
    return [
        (moment, (min(values) if least else max(values)) if values else None)
        for moment, values in sorted(at.items())
    ]

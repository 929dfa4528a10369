"""The recorded history of a target (its markets, series or asset), as lines of a chart."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from augury.errors import InvalidInput
from augury.markets import store as markets
from augury.markets.records import ORIGINS, SHOWN_ORIGINS
from augury.markets.service import INTERVALS, MAX_INTERVALS, to_series
from augury.rvol import store as rvol
from augury.series import store as series
from augury.watchlists import store
from augury.watchlists.chart import ChartLine, fill_gaps
from augury.watchlists.store import Connection, Target

_CHART_POINTS = 600
"""Maximum number of points in the line of a market in a target's chart."""
_PRICE_VALID_FOR = timedelta(hours=26)
"""A chart shows a recorded price as the market's price for at most this long after it was recorded.
An unchanged price is recorded again once a day, so after a longer gap the price is unknown."""
_CHART_POINTS_READ = 20_000
"""Maximum number of points of an external series that are read for a chart."""


class TargetHistory(NamedTuple):
    """The recorded values of one watched target (a market, several markets, a series or an asset),
    as the lines of a chart."""

    title: str
    unit: str
    lines: list[ChartLine]
    metric: str
    """The metric whose values the lines of the chart show, e.g. `probability`."""
    origin: str | None


async def target_history(
    conn: Connection,
    account_id: str,
    target: Target,
    start: datetime,
    end: datetime,
    *,
    most: int = _CHART_POINTS,
) -> TargetHistory:
    """Read the recorded values of a watched target over [start, end): one line for each of its
    first 8 markets, one for a series, two (forecast and realized volatility) for an asset.

    most : maximum number of points in the line of a market
    """
    title = target.label or target.ref
    if target.kind == "series":
        found = await series.fetch(conn, account_id, target.ref)
        points = await series.points(
            conn, target.ref, start=start, end=end, limit=_CHART_POINTS_READ
        )
        name = found.name if found else target.ref
        line = ChartLine(name, [(point.time, point.value) for point in points])
        unit = (found.unit or "") if found else ""
        return TargetHistory(target.label or name, unit, [line], "series_value", "live")
    if target.kind == "asset":
        forecast, realized = await rvol.volatility_history(conn, target.ref, start, end)
        lines = [ChartLine("Forecast, annualized", forecast), ChartLine("Realized", realized)]
        known = await rvol.volatility(conn, [target.ref])
        origin = known[target.ref].origin if target.ref in known else None
        return TargetHistory(title, "volatility", lines, "rvol_forecast", origin)
    interval = step_of(end - start, most)
    minutes = int(interval / timedelta(minutes=1))
    if (end - start) / interval > MAX_INTERVALS:
        raise InvalidInput.at(
            "query", "start", msg="The window is longer than 27 years. Choose a later start."
        )
    members = [market for _, market in await store.target_members(conn, [target.id])]
    quotes = await markets.quotes(conn, members)
    lines = []
    for market_id in members[:8]:
        quote = quotes.get(market_id)
        if quote is None or (target.outcome and target.outcome not in quote.outcomes):
            continue
        outcome = quote.outcomes.index(target.outcome) if target.outcome else 0
        buckets = await markets.history(
            conn, quote.seq, start=start, end=end, interval_minutes=minutes
        )
        line = to_series(buckets, len(quote.outcomes), interval)[outcome]
        line = fill_gaps(line, _PRICE_VALID_FOR)
        name = quote.outcomes[outcome] if len(members) == 1 else quote.question
        lines.append(ChartLine(name, line))
    if target.label is None and len(quotes) == 1:
        title = next(iter(quotes.values())).question
    origins = {ORIGINS[quote.origin] for quote in quotes.values()}
    origin = next((o for o in SHOWN_ORIGINS if o in origins), None)
    return TargetHistory(title, "probability", lines, "probability", origin)


def step_of(window: timedelta, most: int) -> timedelta:
    """Time between the points of a chart over `window`: the shortest of 1 minute, 5 minutes, 1 hour
    and 1 day (`INTERVALS`) that gives at most `most` points; a day if none of them does."""
    fitting = (m for m in INTERVALS if window / timedelta(minutes=m) <= most)
    return timedelta(minutes=next(fitting, 1440))

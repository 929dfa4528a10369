"""Forecasts together with what was realized: for charts, rules and scores."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from augury.rvol.calendars import day_number
from augury.rvol.store.listing import RowFilters, conditions_of
from augury.rvol.store.registry import aliases
from augury.rvol.store.sql import ASSET_ORIGIN, Connection, sql


class Volatility(NamedTuple):
    """An asset's annualized volatility (0.45 is 45%): the newest forecast of the model served by
    default and, for comparison, what was realized over the latest target window (the days that a
    forecast covers) that has ended. Both windows have the same length."""

    as_of: datetime
    forecast: float
    completed: datetime | None
    """Start of the latest target window (the days that a forecast covers) that has ended and has a
    realized volatility. It is the `as_of` of the forecast made for this window. None if there is no
    such window."""
    expected: float | None
    """Annualized volatility that the same model had forecast for the days of `realized`; None if it
    had made no forecast."""
    realized: float | None
    """Annualized volatility realized over the latest window that has ended (see
    `completed`); None if there is no such window."""
    origin: str = "live"


async def volatility(conn: Connection, assets: Sequence[str]) -> dict[str, Volatility]:
    """For each asset: its newest forecast of annualized volatility over 7 days (five sessions for
    assets that trade in sessions), and the latest realized one. Assets without a forecast are left
    out."""
    named = await aliases(conn)
    rows = await conn.execute(
        f"""
        select a.asset, f.as_of, f.annualized, r.as_of, e.annualized,
               sqrt(r.variance * k.per_year / r.steps), {ASSET_ORIGIN}
        from rvol_assets a
        join (values (true, 7, 365), (false, 5, 252)) k (always, horizon, per_year)
          on k.always = (a.calendar = '24/7')
        join lateral (select as_of, annualized from rvol_forecasts f where f.asset = a.asset
                      and f.horizon = k.horizon and f.model_id = %(model_id)s
                      order by as_of desc limit 1) f on true
        left join lateral (select as_of, variance, steps from rvol_actuals r
                           where r.asset = a.asset and r.horizon = k.horizon and r.current
                             and r.variance is not null
                           order by as_of desc limit 1) r on true
        left join rvol_forecasts e on e.asset = a.asset and e.horizon = k.horizon
          and e.model_id = %(model_id)s and e.as_of = r.as_of
        where a.asset = any(%(assets)s)
        """,  # noqa: S608
        {"model_id": named.get("champion", ("blend", None))[0], "assets": list(assets)},
    )
    return {asset: Volatility(*values) for asset, *values in await rows.fetchall()}


async def volatility_history(
    conn: Connection, asset: str, start: datetime, end: datetime
) -> tuple[list[tuple[datetime, float]], list[tuple[datetime, float]]]:
    """An asset's volatility over [start, end), as two lists of (time, annualized volatility) pairs:
    forecasts, and what was realized. The time is the start of the days that the value covers."""
    named = await aliases(conn)
    given = {
        "asset": asset, "start": start, "end": end,
        "model_id": named.get("champion", ("blend", None))[0],
    }  # fmt: skip
    forecast = await conn.execute(
        """
        select f.as_of, f.annualized from rvol_assets a
        join rvol_forecasts f on f.asset = a.asset and f.model_id = %(model_id)s
          and f.horizon = case when a.calendar = '24/7' then 7 else 5 end
        where a.asset = %(asset)s and f.as_of >= %(start)s and f.as_of < %(end)s order by 1
        """,
        given,
    )
    realized = await conn.execute(
        """
        select r.as_of,
               sqrt(r.variance * case when a.calendar = '24/7' then 365 else 252 end / r.steps)
        from rvol_assets a
        join rvol_actuals r on r.asset = a.asset and r.current and r.variance is not null
          and r.horizon = case when a.calendar = '24/7' then 7 else 5 end
        where a.asset = %(asset)s and r.as_of >= %(start)s and r.as_of < %(end)s order by 1
        """,
        given,
    )
    return (
        [(at, value) for at, value in await forecast.fetchall()],
        [(at, value) for at, value in await realized.fetchall()],
    )


class ScoredForecasts(NamedTuple):
    """Forecasts of one asset, horizon and model, with the variance realized in the days that they
    cover; one array element for each day on which a forecast was made."""

    asset: str
    horizon: int
    model_id: str
    days: np.ndarray
    forecast: np.ndarray
    actual: np.ndarray
    bands: np.ndarray
    """Shape (forecasts, 6): lower and upper bound of the variance at 80%, then at 90%, then at
    95%."""
    live: np.ndarray
    """Shape (forecasts,): True if the forecast was made live, False if it is a replay or from
    sample data."""
    origin: str = "live"
    """Where the asset's data come from: `live`, `import` or `sample`."""


async def scored(conn: Connection, filters: RowFilters) -> list[ScoredForecasts]:
    """Every forecast whose target window (the days that it covers) is over, with the variance
    realized in it; grouped by asset, horizon and model."""
    params: dict[str, Any] = {}
    conditions = ["r.current", "r.variance > 0", *conditions_of(filters, "f", params)]
    bands = ("lower_80", "upper_80", "lower_90", "upper_90", "lower_95", "upper_95")
    columns = ", ".join(f"array_agg(f.{c} order by f.as_of)" for c in bands)
    async with conn.cursor(binary=True) as cursor:
        await cursor.execute(
            sql(
                f"""
                select f.asset, f.horizon, f.model_id, array_agg(s.day order by f.as_of),
                       array_agg(f.variance order by f.as_of),
                       array_agg(r.variance order by f.as_of),
                       array_agg(s.issued = 'live' and a.origin <> 'sample' order by f.as_of),
                       {ASSET_ORIGIN}, {columns}
                from rvol_forecasts f join rvol_sets s using (set_id)
                join rvol_actuals r using (asset, horizon, as_of)
                join rvol_assets a using (asset)
                where {" and ".join(conditions)}
                group by 1, 2, 3, a.origin order by 1, 2, 3
                """  # noqa: S608
            ),
            params,
        )
        return [
            ScoredForecasts(
                asset, horizon, model_id, np.array([day_number(d) for d in days]),
                np.array(forecast), np.array(actual), np.array(bounds).T, np.array(live), origin,
            )
            for asset, horizon, model_id, days, forecast, actual, live, origin, *bounds
            in await cursor.fetchall()
        ]  # fmt: skip

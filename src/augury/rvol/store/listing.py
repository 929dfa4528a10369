"""Pages of forecasts, actuals (realized variances) and features, newest `as_of` first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from augury.rvol.store.sql import ASSET_ORIGIN, FORECAST_ORIGIN, ISSUED, Connection, sql


class RowFilters(msgspec.Struct, frozen=True):
    """Which forecasts or realized variances to read. `start` and `end` bound `as_of`, both
    inclusive; None: no restriction."""

    model_id: str | None = None
    model_version: str | None = None
    asset: str | None = None
    horizon: int | None = None
    start: datetime | None = None
    end: datetime | None = None


class RowPosition(msgspec.Struct, frozen=True, array_like=True):
    """Position of a page's last row, after which the next page starts. Rows are sorted by `as_of`
    (newest first), then by asset, horizon and model."""

    as_of: datetime
    asset: str
    horizon: int
    model_id: str = ""
    model_version: str = ""


FORECAST_FIELDS = (
    "model_id", "model_version", "asset", "horizon", "as_of", "target_start_at", "target_end_at",
    "steps", "variance", "annualized", "lower_80", "upper_80", "lower_90", "upper_90", "lower_95",
    "upper_95", "issued", "published_at", "origin",
)  # fmt: skip
_MADE = {
    "issued": f"{ISSUED} as issued",
    "published_at": "s.published_at",
    "origin": f"{FORECAST_ORIGIN} as origin",
}
_FORECAST_SELECT = ", ".join(_MADE.get(c, f"f.{c}") for c in FORECAST_FIELDS)


_NEWEST = """
(select n.* from rvol_assets a
 cross join (select unnest(%(horizons)s::int2[]) as horizon) h
 cross join (select unnest(%(models)s::text[]) as model_id) m
 cross join lateral (
   select * from rvol_forecasts n where n.asset = a.asset and n.horizon = h.horizon
   and n.model_id = m.model_id
   and (%(newest_version)s::text is null or n.model_version = %(newest_version)s)
   order by n.as_of desc limit 1
 ) n)
"""
"""SQL for the newest forecast of each asset, horizon and model, with one index lookup for each."""


async def _newest(conn: Connection, filters: RowFilters) -> dict[str, Any]:
    """The parameters of the SQL in `_NEWEST`, for the forecasts that `filters` asks for."""
    horizons = await known_horizons(conn) if filters.horizon is None else [filters.horizon]
    return {
        "horizons": horizons,
        "models": [filters.model_id],
        "newest_version": filters.model_version,
    }


def conditions_of(filters: RowFilters, alias: str, params: dict[str, Any]) -> list[str]:
    found = []
    for name in ("model_id", "model_version", "asset", "horizon"):
        if (value := getattr(filters, name)) is not None:
            found.append(f"{alias}.{name} = %({name})s")
            params[name] = value
    if filters.start is not None:
        found.append(f"{alias}.as_of >= %(start)s")
        params["start"] = filters.start
    if filters.end is not None:
        found.append(f"{alias}.as_of <= %(end)s")
        params["end"] = filters.end
    return found


def _after(alias: str, after: RowPosition, keys: Sequence[str], params: dict[str, Any]) -> str:
    params |= {f"after_{k}": getattr(after, k) for k in ("as_of", *keys)}
    left = ", ".join(f"{alias}.{k}" for k in keys)
    right = ", ".join(f"%(after_{k})s" for k in keys)
    return (
        f"({alias}.as_of < %(after_as_of)s"
        f" or ({alias}.as_of = %(after_as_of)s and ({left}) > ({right})))"
    )


Page = list[Any]
"""A page of an answer: a list of its rows, each a tuple. With the argument `by_column`: a list of
its columns, each a list."""


async def _page(
    conn: Connection,
    fields: Sequence[str],
    select: str,
    params: dict[str, Any],
    *,
    by_column: bool,
) -> Page:
    """The rows that the SQL query `select` finds; with `by_column`, its columns as lists instead,
    which takes half as much CPU time."""
    async with conn.cursor(binary=True) as cursor:
        if not by_column:
            await cursor.execute(sql(select), params)
            return await cursor.fetchall()
        columns = ", ".join(f"array_agg({name})" for name in fields)
        await cursor.execute(sql(f"select {columns} from ({select}) found"), params)  # noqa: S608
        found = await cursor.fetchone()
        return [column or [] for column in found or ()]


async def forecasts(
    conn: Connection,
    filters: RowFilters,
    *,
    limit: int,
    after: RowPosition | None = None,
    latest: bool = False,
    by_column: bool = False,
) -> Page:
    """A page of forecasts with the fields `FORECAST_FIELDS`, newest `as_of` first. `latest`: only
    the newest forecast of each asset and horizon. `after`: position of the last row of the page
    before. `by_column`: return one list per field instead of one row per forecast."""
    params: dict[str, Any] = {"limit": limit}
    if latest:
        params |= await _newest(conn, filters)
    conditions = conditions_of(filters, "f", params)
    keys = ("asset", "horizon", "model_id", "model_version")
    if after is not None:
        conditions.append(_after("f", after, keys, params))
    where = f"where {' and '.join(conditions)}" if conditions else ""
    return await _page(
        conn,
        FORECAST_FIELDS,
        f"""
        select {_FORECAST_SELECT}
        from {_NEWEST if latest else "rvol_forecasts"} f join rvol_sets s using (set_id)
        join rvol_assets a on a.asset = f.asset
        {where}
        order by f.as_of desc, f.asset, f.horizon, f.model_id, f.model_version
        limit %(limit)s
        """,  # noqa: S608
        params,
        by_column=by_column,
    )


ACTUAL_FIELDS = (
    "asset", "horizon", "as_of", "target_start_at", "target_end_at", "steps", "variance", "status",
    "revision", "known_at", "origin",
)  # fmt: skip
_ACTUAL_SELECT = ", ".join(
    f"{ASSET_ORIGIN} as origin" if c == "origin" else f"r.{c}" for c in ACTUAL_FIELDS
)


async def actuals(
    conn: Connection,
    filters: RowFilters,
    *,
    limit: int,
    after: RowPosition | None = None,
    by_column: bool = False,
) -> Page:
    """A page of variances realized over completed target windows (the days that a forecast covers),
    with the fields `ACTUAL_FIELDS`, each in its newest revision; newest `as_of` first."""
    params: dict[str, Any] = {"limit": limit}
    conditions = ["r.current", *conditions_of(filters, "r", params)]
    if after is not None:
        conditions.append(_after("r", after, ("asset", "horizon"), params))
    return await _page(
        conn,
        ACTUAL_FIELDS,
        f"""
        select {_ACTUAL_SELECT} from rvol_actuals r join rvol_assets a on a.asset = r.asset
        where {" and ".join(conditions)}
        order by r.as_of desc, r.asset, r.horizon limit %(limit)s
        """,  # noqa: S608
        params,
        by_column=by_column,
    )


async def feature_rows(
    conn: Connection, filters: RowFilters, *, limit: int, after: RowPosition | None = None
) -> list[tuple[Any, ...]]:
    """The newest forecast of each asset and horizon, as tuples (asset, horizon, as_of,
    model_version, {group of regressors: [value, contribution]}, origin). The contribution is what
    the group adds to the natural log of the forecast variance, compared with a typical day."""
    params: dict[str, Any] = {"limit": limit, **await _newest(conn, filters)}
    conditions = ["f.families is not null", *conditions_of(filters, "f", params)]
    if after is not None:
        conditions.append(_after("f", after, ("asset", "horizon"), params))
    async with conn.cursor(binary=True) as cursor:
        await cursor.execute(
            sql(
                f"""
                select f.asset, f.horizon, f.as_of, f.model_version, f.families,
                       {FORECAST_ORIGIN}
                from {_NEWEST} f join rvol_sets s using (set_id)
                join rvol_assets a on a.asset = f.asset
                where {" and ".join(conditions)}
                order by f.as_of desc, f.asset, f.horizon limit %(limit)s
                """  # noqa: S608
            ),
            params,
        )
        return await cursor.fetchall()


async def known_horizons(conn: Connection) -> list[int]:
    """Horizons, in days, that have a forecast or a realized variance. For speed, only the first
    asset of each table is looked at."""
    found: set[int] = set()
    for table in ("rvol_forecasts", "rvol_actuals"):
        # One index lookup for each horizon, however many rows there are.
        rows = await conn.execute(
            sql(
                f"""
                with recursive h as (
                  select min(horizon) as horizon from {table}
                  where asset = (select min(asset) from {table})
                  union all
                  select (select min(t.horizon) from {table} t
                          where t.asset = (select min(asset) from {table})
                            and t.horizon > h.horizon)
                  from h where h.horizon is not null
                ) select horizon from h where horizon is not null
                """  # noqa: S608
            )
        )
        found.update(row[0] for row in await rows.fetchall())
    return sorted(found)

"""Sets of forecasts (all forecasts of one class of assets for one day) as they were issued, and the
variances that were then realized."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal, NamedTuple, cast

from psycopg.types.json import Jsonb

from augury.rvol.issuing import Actual, VarianceForecast
from augury.rvol.store.sql import Connection, sql


async def issued_days(conn: Connection, family: str, since: date) -> dict[date, set[str]]:
    """For each day from `since` on (inclusive): the assets that have a published forecast for the
    day, and those whose data were too short for one. `family` is a group of assets that are modeled
    together, with their trading calendar, e.g. `crypto@24/7`."""
    rows = await conn.execute(
        "select day, assets from rvol_sets where family = %s and day >= %s", (family, since)
    )
    found: dict[date, set[str]] = {}
    for day, names in await rows.fetchall():
        found.setdefault(day, set()).update(names)
    return found


_FORECAST_COLUMNS = (
    "asset", "horizon", "model_id", "model_version", "as_of", "set_id", "target_start_at",
    "target_end_at", "steps", "variance", "annualized", "lower_80", "upper_80", "lower_90",
    "upper_90", "lower_95", "upper_95", "families", "members",
)  # fmt: skip
_FORECAST_TYPES = [
    "text", "int2", "text", "text", "timestamptz", "int8", "timestamptz", "timestamptz", "int2",
    *["float8"] * 8, "jsonb", "jsonb",
]  # fmt: skip


async def publish(
    conn: Connection,
    forecasts: Sequence[VarianceForecast],
    *,
    family: str,
    day: date,
    issued: Literal["live", "replay"],
    known_at: datetime,
    inputs: str,
    model_version: str,
    assets: Sequence[str],
) -> int:
    """Publish the forecasts of one day for `assets`. A forecast that exists for the same asset,
    horizon, model and `as_of` is kept as it is. Returns how many were added."""
    rows = await conn.execute(
        "insert into rvol_sets (family, day, issued, known_at, inputs, assets)"
        " values (%s, %s, %s, %s, %s, %s) returning set_id",
        (family, day, issued, known_at, inputs, list(assets)),
    )
    (set_id,) = cast(tuple[int], await rows.fetchone())
    columns = ", ".join(_FORECAST_COLUMNS)
    await conn.execute(
        "create temp table if not exists news_forecasts (like rvol_forecasts) on commit drop"
    )
    await conn.execute("truncate news_forecasts")
    async with (
        conn.cursor() as cursor,
        cursor.copy(sql(f"copy news_forecasts ({columns}) from stdin (format binary)")) as copy,
    ):
        copy.set_types(_FORECAST_TYPES)
        for f in forecasts:
            await copy.write_row((
                f.asset, f.horizon, f.model_id, model_version, f.as_of, set_id, f.target_start_at,
                f.target_end_at, f.steps, f.variance, f.annualized, *f.bands,
                None if f.families is None else Jsonb(f.families),
                None if f.members is None else Jsonb(f.members),
            ))  # fmt: skip
    added = await conn.execute(
        sql(
            f"insert into rvol_forecasts ({columns}) select {columns} from news_forecasts n"  # noqa: S608
            " where not exists (select from rvol_forecasts o where o.asset = n.asset"
            " and o.horizon = n.horizon and o.model_id = n.model_id and o.as_of = n.as_of)"
        )
    )
    return added.rowcount


async def published_set(conn: Connection, set_id: int) -> tuple[str, date, datetime]:
    """Look up a published set of forecasts by its id. Returns the family and calendar of its
    assets, as `family@calendar`; the day at whose close the forecasts are made; and the time at
    which the daily measures that they use were read."""
    rows = await conn.execute(
        "select family, day, known_at from rvol_sets where set_id = %s", (set_id,)
    )
    return cast(tuple[str, date, datetime], await rows.fetchone())


async def proven_version(conn: Connection, model_id: str, origins: int) -> str | None:
    """The newest version of a model that was tested on enough days: its forecasts at the shortest
    horizon can be compared with realized variance on at least `origins` days. None if there is
    none."""
    rows = await conn.execute(
        """
        select model_version from rvol_models m where model_id = %(model_id)s and %(origins)s <= (
          select count(distinct f.as_of) from rvol_forecasts f
          join rvol_actuals a using (asset, horizon, as_of)
          where f.model_id = m.model_id and f.model_version = m.model_version and a.current
            and f.horizon = (select min(horizon) from rvol_forecasts))
        order by created_at desc limit 1
        """,
        {"model_id": model_id, "origins": origins},
    )
    found = await rows.fetchone()
    return found[0] if found else None


class ActualsSummary(NamedTuple):
    """How many realized variances were added and how many revised."""

    added: int
    revised: int


async def put_actuals(
    conn: Connection,
    actuals: Sequence[Actual],
    *,
    now: datetime,
    settle: float,
    known_at: datetime,
) -> ActualsSummary:
    """Store the variances realized over target windows (the days that a forecast covers); a changed
    value becomes a new revision.

    A value is preliminary until `settle` seconds after its window's end, then final. `known_at` is
    when the daily measures were read: `changed_from` finds the measures that change after it.
    """
    await conn.execute(
        "create temp table if not exists news_actuals (asset text, horizon int2, as_of timestamptz,"
        " target_start_at timestamptz, target_end_at timestamptz, steps int2, variance float8)"
        " on commit drop"
    )
    await conn.execute("truncate news_actuals")
    async with (
        conn.cursor() as cursor,
        cursor.copy("copy news_actuals from stdin (format binary)") as copy,
    ):
        copy.set_types(
            ["text", "int2", "timestamptz", "timestamptz", "timestamptz", "int2", "float8"]
        )
        for a in actuals:
            await copy.write_row((
                a.asset, a.horizon, a.as_of, a.target_start_at, a.target_end_at, a.steps,
                a.variance,
            ))  # fmt: skip
    rows = await conn.execute(
        """
        with news as (
          select n.*, o.revision from news_actuals n
          left join rvol_actuals o on o.asset = n.asset and o.horizon = n.horizon
            and o.as_of = n.as_of and o.current
          where o.asset is null or (o.variance is null) <> (n.variance is null)
             or abs(o.variance - n.variance) > 1e-9 * o.variance
        ), old as (
          update rvol_actuals a set current = false from news
          where a.asset = news.asset and a.horizon = news.horizon and a.as_of = news.as_of
            and a.current
          returning a.asset
        ), added as (
          insert into rvol_actuals (asset, horizon, as_of, revision, target_start_at,
            target_end_at, steps, variance, status, known_at, current)
          select asset, horizon, as_of, coalesce(revision + 1, 0), target_start_at,
            target_end_at, steps, variance,
            case when variance is null then 'incomplete'
                 when target_end_at + %(settle)s * interval '1 second' <= %(now)s then 'final'
                 else 'preliminary' end,
            %(known_at)s, (select count(*) from old) >= 0
          from news returning revision
        )
        select count(*) filter (where revision = 0), count(*) filter (where revision > 0) from added
        """,
        {"now": now, "settle": settle, "known_at": known_at},
    )
    found = await rows.fetchone()
    await conn.execute(
        "update rvol_actuals set status = 'final' where current and status = 'preliminary'"
        " and target_end_at + %s * interval '1 second' <= %s",
        (settle, now),
    )
    return ActualsSummary(*(found or (0, 0)))

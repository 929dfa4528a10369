"""Covered assets: their names, where their data come from and up to which day they reach."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, Literal, NamedTuple

import msgspec
from psycopg.rows import args_row

from augury.rvol.store.sql import Connection

Origin = Literal["sample", "import", "exchange"]


class CoveredAsset(msgspec.Struct, frozen=True, kw_only=True):
    """An asset that volatility is forecast for, and how its price bars are fetched."""

    asset: str
    display_name: str
    target_family: str
    calendar: str
    minutes: int
    source: str | None = None
    active: bool = True
    origin: Origin = "import"
    fetched_at: datetime | None = None
    failure: str | None = None
    data_through: date | None = None
    """The last day with measures that models can use."""


async def put_assets(conn: Connection, assets: Iterable[CoveredAsset]) -> None:
    """Add assets. For an asset already stored, update its name, source, length of bars and whether
    it is active, and keep its data."""
    for a in assets:
        await conn.execute(
            """
            insert into rvol_assets
              (asset, display_name, target_family, calendar, minutes, source, active, origin)
            values (%s, %s, %s, %s, %s, %s, %s, %s)
            on conflict (asset) do update set display_name = excluded.display_name,
              minutes = excluded.minutes, source = coalesce(excluded.source, rvol_assets.source),
              active = excluded.active, updated_at = now()
            """,
            (a.asset, a.display_name, a.target_family, a.calendar, a.minutes, a.source, a.active,
             a.origin),
        )  # fmt: skip


async def note_fetch(conn: Connection, asset: str, failure: str | None, at: datetime) -> None:
    """Store how the last fetch of an asset ended; `failure` is None if it succeeded."""
    await conn.execute(
        "update rvol_assets set failure = %s,"
        " fetched_at = case when %s::text is null then %s else fetched_at end where asset = %s",
        (failure, failure, at, asset),
    )


async def drop_sample(conn: Connection) -> bool:
    """Remove the sample data (simulated coins) and everything made from them. Returns False if
    there were none."""
    gone = await conn.execute("delete from rvol_assets where origin = 'sample'")
    if gone.rowcount:
        await conn.execute(
            "delete from rvol_sets s where not exists"
            " (select from rvol_forecasts f where f.set_id = s.set_id)"
        )
    return gone.rowcount > 0


async def sample_assets(conn: Connection) -> set[str]:
    """Names of the assets that belong to the sample data (simulated coins)."""
    rows = await conn.execute("select asset from rvol_assets where origin = 'sample'")
    return {name for (name,) in await rows.fetchall()}


async def assets(conn: Connection, *, inactive: bool = True) -> list[CoveredAsset]:
    """Assets that volatility is forecast for, sorted by name; inactive ones only if `inactive`."""
    async with conn.cursor(row_factory=args_row(_asset), binary=True) as cursor:
        await cursor.execute(
            """
            select a.asset, display_name, target_family, calendar, minutes, source, active, origin,
                   fetched_at, failure,
                   (select max(day) from rvol_days d where d.asset = a.asset and current and counts)
            from rvol_assets a where active or %s order by a.asset
            """,
            (inactive,),
        )
        return await cursor.fetchall()


def _asset(*values: Any) -> CoveredAsset:
    return CoveredAsset(**dict(zip(CoveredAsset.__struct_fields__, values, strict=True)))


class Newest(NamedTuple):
    """How far the data of one origin (exchange, import or sample) reach, either for assets that
    trade every day around the clock or for those that trade in sessions."""

    origin: Origin
    continuous: bool
    """Whether these are the assets that trade every day around the clock (e.g. coins); False: the
    assets that trade in sessions (e.g. stocks)."""
    through: datetime
    """The end of the newest day that has data."""


async def newest(conn: Connection) -> list[Newest]:
    """How far the data of active assets reach: for each origin of data, one `Newest` for the assets
    that trade every day around the clock and one for those that trade in sessions (e.g. stocks)."""
    rows = await conn.execute(
        """
        select origin, calendar = '24/7', (max(d.day) + 1)::timestamp at time zone 'UTC'
        from rvol_assets a cross join lateral (
          select max(day) as day from rvol_days d where d.asset = a.asset and current
        ) d
        where active and d.day is not null group by 1, 2 order by 1, 2
        """
    )
    return [Newest(*row) for row in await rows.fetchall()]


async def asset_names(conn: Connection) -> list[str]:
    """Names of all assets, sorted."""
    rows = await conn.execute("select asset from rvol_assets order by asset")
    return [row[0] for row in await rows.fetchall()]

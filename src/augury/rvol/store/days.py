"""Price bars and daily measures; a correction is stored as a new revision."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

import numpy as np

from augury.rvol.store.sql import Connection, sql


class DayRow(NamedTuple):
    """The realized measures of one asset on one day, in the order of the table's columns; None: not
    measured."""

    asset: str
    day: date
    counts: bool
    rv: float
    bv: float | None
    rsv_neg: float | None
    rsv_pos: float | None
    medrv: float | None
    rk: float | None
    rq: float | None
    tq: float | None
    ret: float | None
    overnight: float | None
    close: float | None
    n_obs: int | None
    expected: int | None
    longest_fill: int | None
    bad: int | None
    early_close: bool


_DAY_TYPES = ["text", "date", "bool", *["float8"] * 11, *["int4"] * 4, "bool"]
_DAY_COLUMNS = ", ".join(DayRow._fields)


async def put_bars(
    conn: Connection,
    asset: str,
    day: date,
    *,
    minutes: int,
    n: int,
    source: str,
    data: bytes,
    fingerprint: str,
) -> bool:
    """Store a day's price bars as a new revision. Returns False, and stores nothing, if the newest
    revision has the same bars.

    minutes : length of a bar
    n : number of bars
    source : exchange or file that the bars come from
    data : the bars, compressed by `bars.packed`
    fingerprint : hash of the bars, by which equal bars are recognized
    """
    done = await conn.execute(
        """
        with last as (
          select revision, fingerprint from rvol_bars where asset = %(asset)s and day = %(day)s
          order by revision desc limit 1
        )
        insert into rvol_bars (asset, day, revision, minutes, n, source, data, fingerprint)
        select %(asset)s, %(day)s, coalesce((select revision + 1 from last), 0), %(minutes)s,
               %(n)s, %(source)s, %(data)s, %(fingerprint)s
        where (select fingerprint from last) is distinct from %(fingerprint)s
        """,
        {
            "asset": asset, "day": day, "minutes": minutes, "n": n, "source": source, "data": data,
            "fingerprint": fingerprint,
        },
    )  # fmt: skip
    return done.rowcount > 0


async def put_days(conn: Connection, rows: Sequence[DayRow]) -> tuple[int, int]:
    """Store daily measures. Returns how many days are new and how many changed; a changed day is
    stored as a new revision."""
    if not rows:
        return 0, 0
    await conn.execute(
        sql(
            f"""
            create temp table if not exists news_days on commit drop
            as select {_DAY_COLUMNS} from rvol_days with no data
            """  # noqa: S608
        )
    )
    await conn.execute("truncate news_days")
    async with (
        conn.cursor() as cursor,
        cursor.copy(sql(f"copy news_days ({_DAY_COLUMNS}) from stdin (format binary)")) as copy,
    ):
        copy.set_types(_DAY_TYPES)
        for row in rows:
            await copy.write_row(row)
    # Relative changes below 1e-9 come from summing in another order: they are no new revision.
    done = await conn.execute(
        sql(
            f"""
            with news as (
              select n.*, o.revision from news_days n
              left join rvol_days o on o.asset = n.asset and o.day = n.day and o.current
              where o.asset is null or o.counts <> n.counts
                 or abs(o.rv - n.rv) > 1e-9 * o.rv
                 or (n.bv is not null
                     and abs(coalesce(o.bv, 0) - n.bv) > 1e-9 * abs(n.bv))
                 or (n.ret is not null and abs(coalesce(o.ret, 0) - n.ret) > 1e-12)
            ), old as (
              update rvol_days d set current = false from news
              where d.asset = news.asset and d.day = news.day and d.current
              returning d.asset
            ), added as (
              insert into rvol_days ({_DAY_COLUMNS}, revision, current)
              select {_DAY_COLUMNS}, coalesce(revision + 1, 0), (select count(*) from old) >= 0
              from news returning revision
            )
            select count(*) filter (where revision = 0), count(*) filter (where revision > 0)
            from added
            """  # noqa: S608
        )
    )
    found = await done.fetchone()
    return (found[0], found[1]) if found else (0, 0)


class MeasureSeries(NamedTuple):
    """An asset's days with usable measures, in ascending order (days since 1970-01-01), and a dict
    from the name of each measure to its values on these days."""

    days: np.ndarray
    measures: dict[str, np.ndarray]


_LOADED = ("rv", "bv", "rsv_neg", "rsv_pos", "rq", "ret")


async def series(
    conn: Connection, family: str, calendar: str, *, known_at: datetime | None = None
) -> dict[str, MeasureSeries]:
    """The daily measures of all active assets of one family and one trading calendar, by asset: as
    they are now or, with `known_at`, as they were known at that time.

    family : a group of assets that are modeled together, e.g. "crypto"
    """
    columns = ", ".join(f"array_agg({c} order by day)" for c in _LOADED)
    which = (
        "rvol_days d where current"
        if known_at is None
        else "(select distinct on (asset, day) * from rvol_days where known_at <= %(known_at)s"
        " order by asset, day, revision desc) d where true"
    )
    async with conn.cursor(binary=True) as cursor:
        await cursor.execute(
            sql(
                f"""
                select asset, array_agg((day - '1970-01-01'::date)::int8 order by day), {columns}
                from {which} and counts and asset in (
                  select asset from rvol_assets
                  where target_family = %(family)s and calendar = %(calendar)s and active
                ) group by asset order by asset
                """  # noqa: S608
            ),
            {"family": family, "calendar": calendar, "known_at": known_at},
        )
        found = {}
        for asset, days, *values in await cursor.fetchall():
            measures = {
                name: np.array(own, dtype=float) for name, own in zip(_LOADED, values, strict=True)
            }
            found[asset] = MeasureSeries(np.array(days, dtype=np.int64), measures)
        return found


async def changed_from(conn: Connection, family: str, calendar: str) -> date | None:
    """The earliest day whose measures changed after the realized variances of its asset were last
    computed, so that realized variances have to be computed again; None if there is no such day.

    `family` and `calendar` select the active assets.
    """
    rows = await conn.execute(
        """
        with own as (
          select asset from rvol_assets where target_family = %(family)s
            and calendar = %(calendar)s and active
        )
        select min(d.day) from own
        join lateral (select coalesce(max(known_at), '-infinity') as upto from rvol_actuals a
                      where a.asset = own.asset) a on true
        join rvol_days d on d.asset = own.asset and d.current and d.known_at > a.upto
        """,
        {"family": family, "calendar": calendar},
    )
    found = await rows.fetchone()
    return found[0] if found else None


async def last_close(conn: Connection, asset: str, day: date) -> float | None:
    """The asset's last close before a day; None if there is none."""
    rows = await conn.execute(
        "select close from rvol_days where asset = %s and day < %s and current"
        " and close is not null order by day desc limit 1",
        (asset, day),
    )
    found = await rows.fetchone()
    return found[0] if found else None

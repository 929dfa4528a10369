"""Shared by all SQL of realized volatility: the lock, the version of cached answers, and how
answers show where data come from."""

from __future__ import annotations

from datetime import datetime
from typing import Any, LiteralString, cast

from psycopg import AsyncConnection

from augury.storage import locks

Connection = AsyncConnection[Any]

# SQL for `origin` as answers show it (`markets.records.ShownOrigin`, or `replay`).
ASSET_ORIGIN = "case a.origin when 'exchange' then 'live' else a.origin end"
FORECAST_ORIGIN = (
    f"case when a.origin <> 'sample' and s.issued = 'replay' then 'replay' else {ASSET_ORIGIN} end"
)
# Forecasts made from the sample are never `live` nor `replay`.
ISSUED = "case when a.origin = 'sample' then 'sample' else s.issued end"


def sql(text: str) -> LiteralString:
    # Safe: queries are put together from constants of this package; every value is a parameter.
    return cast(LiteralString, text)


async def lock(conn: Connection) -> None:
    """Wait until no other transaction writes volatility data, and keep others from writing until
    this transaction ends."""
    await locks.wait(conn, locks.VOLATILITY)


async def invalidate_answers(conn: Connection) -> None:
    """Invalidate the volatility answers that all processes have cached."""
    await conn.execute("update rvol_state set version = version + 1")


async def version(conn: Connection) -> int:
    """A number that grows whenever an answer about volatility may have changed."""
    rows = await conn.execute("select version from rvol_state")
    found = await rows.fetchone()
    return found[0] if found else 0


async def clock(conn: Connection) -> datetime:
    """The database's current time. Results are stored with it as `known_at`: the time at which
    their input, the daily measures, was read."""
    rows = await conn.execute("select clock_timestamp()")
    return cast(tuple[datetime], await rows.fetchone())[0]

"""What the SQL of realized volatility shares: its lock, its version, origins in words."""

from __future__ import annotations

from datetime import datetime
from typing import Any, LiteralString, cast

from psycopg import AsyncConnection

from augury.storage import locks

Connection = AsyncConnection[Any]

# As answers say it (`markets.records.ShownOrigin`, and `replay`).
ASSET_ORIGIN = "case a.origin when 'exchange' then 'live' else a.origin end"
FORECAST_ORIGIN = (
    f"case when a.origin <> 'sample' and s.issued = 'replay' then 'replay' else {ASSET_ORIGIN} end"
)
# What is made of the sample was never issued for anybody.
ISSUED = "case when a.origin = 'sample' then 'sample' else s.issued end"


def sql(text: str) -> LiteralString:
    # Put together from this module's own constants only; every value is a parameter.
    return cast(LiteralString, text)


async def lock(conn: Connection) -> None:
    """One writer at a time, until the transaction ends."""
    await locks.wait(conn, locks.VOLATILITY)


async def bump(conn: Connection) -> None:
    """Let everybody's kept answers go."""
    await conn.execute("update rvol_state set version = version + 1")


async def version(conn: Connection) -> int:
    """A number that grows whenever an answer may have changed."""
    rows = await conn.execute("select version from rvol_state")
    found = await rows.fetchone()
    return found[0] if found else 0


async def clock(conn: Connection) -> datetime:
    """The database's time: what `known_at` is told by."""
    rows = await conn.execute("select clock_timestamp()")
    return cast(tuple[datetime], await rows.fetchone())[0]

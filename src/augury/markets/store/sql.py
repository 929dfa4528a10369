"""What all SQL over markets shares: the lock of ingest, and how much money makes a difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from psycopg import AsyncConnection
from psycopg.sql import SQL

from augury.storage import locks

Connection: TypeAlias = AsyncConnection[Any]

# The number of half decades of money: a tie-breaker need not follow every trade.
_BUCKETS = (
    "(floor(2 * log(1 + greatest(coalesce({volume}, 0), 0))),"
    " floor(2 * log(1 + greatest(coalesce({liquidity}, 0), 0))))"
)
SALIENCE = _BUCKETS.format(volume="{t}.volume", liquidity="{t}.liquidity")
SALIENCE_OF_NEWS = _BUCKETS.format(
    volume="coalesce(n.volume, m.volume)", liquidity="coalesce(n.liquidity, m.liquidity)"
)

# A price confirmed unchanged moves its market once an hour, each market at its own minute, for
# those who keep its time in memory: not at every look, which would be all markets all the time.
_HOUR = "floor((extract(epoch from {at}) + mod(m.seq, 3600)) / 3600)"
HEARD_AGAIN = f"{_HOUR} is distinct from {_HOUR.format(at='m.price_as_of')}"

# The rule of age (`augury.markets.freshness`) for queries over `markets`: %(now)s is the moment,
# %(oldest)s the time from which on a price counts.
OVERDUE = (
    "(status = 'active' and coalesce(closes_at, 'infinity') <= %(now)s"
    " and coalesce(greatest(observed_at, price_as_of), '-infinity') < closes_at)"
)
STALE = (
    f"({OVERDUE} or status = 'active'"
    " and coalesce(price_as_of, observed_at, '-infinity') < %(oldest)s)"
)
SHOWN_STATUS = f"case when {OVERDUE} then 'closed' else status end"


def sql(text: str) -> SQL:
    """SQL put together from these modules' own constants; values always go as parameters."""
    return SQL(text)  # type: ignore[arg-type]


async def lock_for_ingest(conn: Connection) -> None:
    """Wait until no other transaction is writing markets, and keep others out until this ends."""
    await locks.wait(conn, locks.INGEST)


Params: TypeAlias = Sequence[Any] | Mapping[str, Any]


async def scalar(conn: Connection, query: str, params: Params = (), *, binary: bool = False) -> Any:
    """The first column of the first row; None without one."""
    row = await (await conn.execute(sql(query), params, binary=binary)).fetchone()
    return row[0] if row else None

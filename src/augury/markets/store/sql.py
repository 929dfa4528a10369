"""Parts that several SQL queries over markets share: the ingest lock (only one transaction at a
time writes markets), the age rule (which prices are too old), and the salience bucket (volume and
liquidity in coarse steps, for search)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from psycopg import AsyncConnection
from psycopg.sql import SQL

from augury.storage import locks

Connection: TypeAlias = AsyncConnection[Any]

# The salience bucket: volume and liquidity in whole half decades (a factor of about 3.2 each).
# Money only breaks ties in search, so an index need not follow every trade.
_BUCKETS = (
    "(floor(2 * log(1 + greatest(coalesce({volume}, 0), 0))),"
    " floor(2 * log(1 + greatest(coalesce({liquidity}, 0), 0))))"
)
SALIENCE = _BUCKETS.format(volume="{t}.volume", liquidity="{t}.liquidity")
SALIENCE_OF_NEWS = _BUCKETS.format(
    volume="coalesce(n.volume, m.volume)", liquidity="coalesce(n.liquidity, m.liquidity)"
)

# A price that is confirmed unchanged gives its market a new `moved` number only once an hour, so
# that code which keeps price times in memory learns of it. Each market has its own second of the
# hour. A new number at every confirmation would mean that all markets move all the time.
_HOUR = "floor((extract(epoch from {at}) + mod(m.seq, 3600)) / 3600)"
HEARD_AGAIN = f"{_HOUR} is distinct from {_HOUR.format(at='m.price_as_of')}"

# The age rule (`augury.markets.freshness`) for queries over `markets`: %(now)s is the time to
# judge at, %(oldest)s the earliest quote time of a price that counts.
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
    """`text` as SQL for psycopg. It must be composed of constants of this package only; values are
    passed as parameters."""
    return SQL(text)  # type: ignore[arg-type]


async def lock_for_ingest(conn: Connection) -> None:
    """Take the ingest lock, waiting for it if needed: no other transaction writes markets until
    this one ends."""
    await locks.wait(conn, locks.INGEST)


Params: TypeAlias = Sequence[Any] | Mapping[str, Any]


async def scalar(conn: Connection, query: str, params: Params = (), *, binary: bool = False) -> Any:
    """The first column of the query's first row; None if there is no row."""
    row = await (await conn.execute(sql(query), params, binary=binary)).fetchone()
    return row[0] if row else None

"""Queries for code that follows the changes of markets, in the order in which they happened.

There are two sequences of changes. A market gets a new number `change` when a field changes that
search indexes read. It gets a new number `moved` when its price, volume, status or links (to the
same contract on another venue) change.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from psycopg.rows import args_row

from augury.markets.records import MarketType, Origin, Platform, Status
from augury.markets.store.sql import Connection, scalar, sql


class IndexRow(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a market, with the fields that search indexes read. Fields as in
    `records.Market`.

    `change` is the sequence number of the change, and `seq` the market's serial number. If
    `removed`, the market was deleted and all other fields are empty.
    """

    change: int
    seq: int
    removed: bool = False
    id: str = ""
    platform: Platform = "polymarket"
    question: str = ""
    title: str = ""
    subtitle: str | None = None
    description: str | None = None
    outcomes: list[str] = msgspec.field(default_factory=list)
    status: Status = "active"
    created_at: datetime | None = None
    closes_at: datetime | None = None
    resolved_at: datetime | None = None
    event_id: str | None = None
    event_name: str | None = None
    series_id: str | None = None
    group_id: str | None = None
    group_name: str | None = None
    market_type: MarketType = "binary"
    category: str | None = None
    tags: list[str] = msgspec.field(default_factory=list)
    volume: float | None = None
    volume_24h: float | None = None
    liquidity: float | None = None
    strike_kind: str | None = None
    strike_floor: float | None = None
    strike_cap: float | None = None
    url: str | None = None
    slug: str | None = None
    origin: Origin = "venue"


_INDEX_COLUMNS = tuple(f for f in IndexRow.__struct_fields__ if f != "removed")


def _index_row(*values: Any) -> IndexRow:
    return IndexRow(**dict(zip(_INDEX_COLUMNS, values, strict=True)))


async def changes_since(conn: Connection, change: int, limit: int) -> list[IndexRow]:
    """The changes of markets, removals included, that follow the change numbered `change`: at most
    `limit`, in order of their numbers."""
    # The two queries see different snapshots. Both stop at the last change visible before them, up
    # to which no further change can appear.
    bounds = {"after": change, "upto": await last_change(conn), "limit": limit}
    async with conn.cursor(row_factory=args_row(_index_row), binary=True) as cursor:
        query = f"""
            select {", ".join(_INDEX_COLUMNS)} from markets
            where change > %(after)s and change <= %(upto)s order by change limit %(limit)s
            """  # noqa: S608
        await cursor.execute(sql(query), bounds)
        rows = await cursor.fetchall()
    removals = await conn.execute(
        """
        select change, seq from market_removals
        where change > %(after)s and change <= %(upto)s order by change limit %(limit)s
        """,
        bounds,
    )
    rows += [IndexRow(change=c, seq=s, removed=True) for c, s in await removals.fetchall()]
    rows.sort(key=lambda row: row.change)
    return rows[:limit]


async def fetch_index_rows(conn: Connection, seqs: Sequence[int]) -> list[IndexRow]:
    """The current rows of the markets with these serial numbers (`seq`), in ascending order."""
    async with conn.cursor(row_factory=args_row(_index_row), binary=True) as cursor:
        query = f"select {', '.join(_INDEX_COLUMNS)} from markets where seq = any(%s) order by seq"  # noqa: S608
        await cursor.execute(sql(query), (list(seqs),))
        return await cursor.fetchall()


async def last_change(conn: Connection) -> int:
    """The sequence number of the latest change that this connection can see, of any market,
    removals included; 0 if there was none."""
    return await scalar(
        conn,
        """
        select greatest((select coalesce(max(change), 0) from markets),
                        (select coalesce(max(change), 0) from market_removals))
        """,
    )


async def moved_since(conn: Connection, moved: int, limit: int) -> tuple[list[str], int]:
    """Ids of the next markets, at most `limit`, whose price, volume, status or links (to the same
    contract on another venue) changed after the change numbered `moved`; and the number of the last
    of these changes."""
    rows = await conn.execute(
        "select id, moved from markets where moved > %s order by moved limit %s", (moved, limit)
    )
    found = await rows.fetchall()
    return [id_ for id_, _ in found], found[-1][1] if found else moved

"""What those who follow the catalogue read: its changes in their order, and what moved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from psycopg.rows import args_row

from augury.markets.records import MarketType, Origin, Platform, Status
from augury.markets.store.sql import Connection, scalar, sql


class IndexRow(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the catalogue's history as an index must follow it, in `change` order.

    With `removed` only `seq` holds: the market of that number is gone.
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
    """The next at most `limit` changes after number `change`, removals included, in order."""
    # Two queries see two snapshots; both stop at a number below which nothing can still appear.
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
    """The present state of markets, as `changes_since` gives it, in the order of their numbers."""
    async with conn.cursor(row_factory=args_row(_index_row), binary=True) as cursor:
        query = f"select {', '.join(_INDEX_COLUMNS)} from markets where seq = any(%s) order by seq"  # noqa: S608
        await cursor.execute(sql(query), (list(seqs),))
        return await cursor.fetchall()


async def last_change(conn: Connection) -> int:
    """The highest change number that is visible; 0 in an empty catalogue."""
    return await scalar(
        conn,
        """
        select greatest((select coalesce(max(change), 0) from markets),
                        (select coalesce(max(change), 0) from market_removals))
        """,
    )


async def moved_since(conn: Connection, moved: int, limit: int) -> tuple[list[str], int]:
    """Ids of at most `limit` markets that moved after number `moved`, and how far that reaches."""
    rows = await conn.execute(
        "select id, moved from markets where moved > %s order by moved limit %s", (moved, limit)
    )
    found = await rows.fetchall()
    return [id_ for id_, _ in found], found[-1][1] if found else moved

"""Queries that the modules of this package share: one row by its id, and pages of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString, TypeVar

from psycopg import AsyncConnection
from psycopg.rows import class_row

Connection = AsyncConnection[Any]
T = TypeVar("T")


async def row_of(
    conn: Connection, kind: type[T], of: LiteralString, watchlist_id: str, id: str
) -> T | None:
    async with conn.cursor(row_factory=class_row(kind)) as cursor:
        await cursor.execute(f"{of} where watchlist_id = %s and id = %s", (watchlist_id, id))
        return await cursor.fetchone()


async def page_of(
    conn: Connection,
    kind: type[T],
    of: LiteralString,
    watchlist_id: str,
    limit: int,
    after: str | None,
) -> list[T]:
    async with conn.cursor(row_factory=class_row(kind)) as cursor:
        await cursor.execute(
            f"{of} where watchlist_id = %s and id > %s order by id limit %s",
            (watchlist_id, after or "", limit),
        )
        return await cursor.fetchall()


async def scalar(conn: Connection, query: LiteralString, params: Sequence[Any] = ()) -> Any:
    row = await (await conn.execute(query, params)).fetchone()
    return row[0] if row else None

"""SQL that reads and writes watchlists and counts their targets, rules and alerts."""

from __future__ import annotations

from datetime import datetime
from typing import LiteralString, NamedTuple

from psycopg.rows import class_row

from augury.watchlists.store.reading import Connection, scalar


class Watchlist(NamedTuple):
    """An account's watchlist, with the number of its targets, rules and open alerts."""

    id: str
    name: str
    description: str | None
    created_at: datetime
    updated_at: datetime
    targets: int
    rules: int
    firing: int


_COUNTED: LiteralString = """
  select w.id, w.name, w.description, w.created_at, w.updated_at,
         (select count(*) from watch_targets t where t.watchlist_id = w.id) as targets,
         (select count(*) from watch_rules r where r.watchlist_id = w.id) as rules,
         (select count(*) from alerts a where a.watchlist_id = w.id and a.state = 'firing')
           as firing
  from watchlists w
"""


async def insert(
    conn: Connection, watchlist_id: str, account_id: str, name: str, description: str | None
) -> None:
    await conn.execute(
        "insert into watchlists (id, account_id, name, description) values (%s, %s, %s, %s)",
        (watchlist_id, account_id, name, description),
    )


async def count(conn: Connection, account_id: str) -> int:
    """Number of an account's watchlists. Locks the account until the transaction ends, so that no
    other transaction adds a watchlist."""
    await conn.execute("select 1 from accounts where id = %s for no key update", (account_id,))
    return await scalar(
        conn, "select count(*) from watchlists where account_id = %s", (account_id,)
    )


async def fetch(conn: Connection, account_id: str, watchlist_id: str) -> Watchlist | None:
    async with conn.cursor(row_factory=class_row(Watchlist)) as cursor:
        await cursor.execute(
            f"{_COUNTED} where w.account_id = %s and w.id = %s",
            (account_id, watchlist_id),
        )
        return await cursor.fetchone()


async def page(
    conn: Connection, account_id: str, *, limit: int, after: str | None
) -> list[Watchlist]:
    """An account's watchlists, oldest first."""
    async with conn.cursor(row_factory=class_row(Watchlist)) as cursor:
        await cursor.execute(
            f"{_COUNTED} where w.account_id = %s and w.id > %s order by w.id limit %s",
            (account_id, after or "", limit),
        )
        return await cursor.fetchall()


async def lock(conn: Connection, account_id: str, watchlist_id: str) -> bool:
    """Lock a watchlist until the transaction ends. False if the account has no such watchlist."""
    cursor = await conn.execute(
        "select 1 from watchlists where id = %s and account_id = %s for no key update",
        (watchlist_id, account_id),
    )
    return await cursor.fetchone() is not None


async def change(conn: Connection, watchlist_id: str, name: str, description: str | None) -> None:
    await conn.execute(
        "update watchlists set name = %s, description = %s, updated_at = now() where id = %s",
        (name, description, watchlist_id),
    )


async def delete(conn: Connection, watchlist_id: str) -> None:
    await conn.execute("delete from watchlists where id = %s", (watchlist_id,))


async def pair_count(conn: Connection, watchlist_id: str) -> int:
    return await scalar(
        conn, "select count(*) from watch_states where watchlist_id = %s", (watchlist_id,)
    )


async def counts(conn: Connection, watchlist_id: str) -> tuple[int, int]:
    """Number of targets and of rules of a watchlist."""
    rows = await conn.execute(
        "select (select count(*) from watch_targets where watchlist_id = %(id)s),"
        " (select count(*) from watch_rules where watchlist_id = %(id)s)",
        {"id": watchlist_id},
    )
    row = await rows.fetchone()
    assert row is not None
    return row[0], row[1]

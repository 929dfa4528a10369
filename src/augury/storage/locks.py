"""PostgreSQL's advisory locks, with which the processes on a database take turns.

Every key is defined here and never changes, so that different versions that run at the same
time wait for each other.
"""

from __future__ import annotations

from typing import Any, Final, LiteralString, NamedTuple

from psycopg import AsyncConnection


class LockKey(NamedTuple):
    """The key of one advisory lock, as PostgreSQL's lock functions take it: `arguments` is SQL with
    placeholders, `values` are the values of the placeholders."""

    arguments: LiteralString
    values: tuple[int | str, ...]

    @property
    def waiting(self) -> tuple[LiteralString, tuple[int | str, ...]]:
        """SQL and values of the query that waits for the lock and holds it until the transaction
        ends."""
        return f"select pg_advisory_xact_lock({self.arguments})", self.values


def _number(number: int) -> LockKey:
    return LockKey("%s", (number,))


def _name(name: str) -> LockKey:
    return LockKey("hashtextextended(%s, 0)", (name,))


MIGRATION: Final = _number(0x4155_4755)
"""Key of the lock that a process holds while it migrates the schema. Other processes wait for the
lock and then find the schema migrated."""
INGEST: Final = _number(0x6175_6775_7279_0001)
"""Key of the lock that a transaction holds while it writes markets. Only one writes at a time, so
that the sequence numbers of changes become visible in order."""
EVENTS: Final = _number(0x6175_6775_7279_0006)
"""Key of the lock held by the process that groups markets into events and links markets that are
the same contract on both venues."""
READINGS: Final = _number(0x6175_6775_7279_0007)
"""Key of the lock held by the process that parses the texts of active markets for forecasts."""
POINTS: Final = _number(0x6175_6775_7279_0010)
"""Key of the lock that a transaction holds while it writes points of external series. Only one
writes at a time, so that the sequence numbers of changes (column `moved`) become visible in
order."""
VOLATILITY: Final = _name("rvol")
"""Key of the lock that a transaction holds while it writes realized volatility."""


def schedule(name: str) -> LockKey:
    """Key of the lock held by the process that does the periodic work of this name."""
    return _name(f"schedule:{name}")


def venue_flow(platform: str, flow: str) -> LockKey:
    """Key of the lock held by the process that runs one kind of sync with a venue (`flow`: `full`,
    `incremental`, `prices` or `history`)."""
    return _name(f"augury sync {platform} {flow}")


def index(number: int) -> LockKey:
    """Key of the lock held by the process that writes the search index `number`, 0 to 2**32 - 1."""
    return LockKey("%s, %s", (0x1DE8, number - 2**31))


async def wait(conn: AsyncConnection[Any], key: LockKey) -> None:
    """Wait for a lock; it is then held until the transaction of `conn` ends."""
    await conn.execute(*key.waiting)


async def take(session: AsyncConnection[Any], key: LockKey) -> bool:
    """Take a lock if it is free, until `give_back` or the end of the session. Returns whether the
    lock was free."""
    cursor = await session.execute(f"select pg_try_advisory_lock({key.arguments})", key.values)
    row = await cursor.fetchone()
    return row is not None and row[0]


async def give_back(session: AsyncConnection[Any], key: LockKey) -> None:
    """Release a lock that this session took."""
    await session.execute(f"select pg_advisory_unlock({key.arguments})", key.values)

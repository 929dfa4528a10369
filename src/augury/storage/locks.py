"""PostgreSQL's advisory locks, by which the processes on a database take turns.

Every key is here and never changes: versions that run at the same time wait for each other by it.
"""

from __future__ import annotations

from typing import Any, Final, LiteralString, NamedTuple

from psycopg import AsyncConnection


class LockKey(NamedTuple):
    """Of one lock: what PostgreSQL's functions are called with."""

    arguments: LiteralString
    values: tuple[int | str, ...]

    @property
    def waiting(self) -> tuple[LiteralString, tuple[int | str, ...]]:
        """The query that waits for the lock and holds it until the transaction ends."""
        return f"select pg_advisory_xact_lock({self.arguments})", self.values


def _number(number: int) -> LockKey:
    return LockKey("%s", (number,))


def _name(name: str) -> LockKey:
    return LockKey("hashtextextended(%s, 0)", (name,))


MIGRATION: Final = _number(0x4155_4755)
"""One process migrates, the others wait for it and see what it did."""
INGEST: Final = _number(0x6175_6775_7279_0001)
"""One transaction writes markets at a time, so that numbers of changes become visible in order."""
EVENTS: Final = _number(0x6175_6775_7279_0006)
"""One process keeps events and their links up to the catalogue."""
READINGS: Final = _number(0x6175_6775_7279_0007)
"""One process reads the wordings of active markets for forecasts."""
POINTS: Final = _number(0x6175_6775_7279_0010)
"""One transaction writes points of external series at a time, so that `moved` numbers become
visible in order."""
VOLATILITY: Final = _name("rvol")
"""One transaction writes realized volatility at a time."""


def schedule(name: str) -> LockKey:
    """One process does the periodic work of this name."""
    return _name(f"schedule:{name}")


def venue_flow(platform: str, flow: str) -> LockKey:
    """One process follows this flow of a venue: its listing, its changes, its prices."""
    return _name(f"augury sync {platform} {flow}")


def index(number: int) -> LockKey:
    """One process writes the search index of this number, from 0 to 2**32 - 1."""
    return LockKey("%s, %s", (0x1DE8, number - 2**31))


async def wait(conn: AsyncConnection[Any], key: LockKey) -> None:
    """Wait for a lock; it is held until the transaction ends."""
    await conn.execute(*key.waiting)


async def take(session: AsyncConnection[Any], key: LockKey) -> bool:
    """Take a lock if it is free, until `give_back` or the session's end; whether it was."""
    cursor = await session.execute(f"select pg_try_advisory_lock({key.arguments})", key.values)
    row = await cursor.fetchone()
    return row is not None and row[0]


async def give_back(session: AsyncConnection[Any], key: LockKey) -> None:
    """Give back what this session took."""
    await session.execute(f"select pg_advisory_unlock({key.arguments})", key.values)

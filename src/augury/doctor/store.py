"""The SQL of `augury doctor`."""

from __future__ import annotations

from typing import Any, NamedTuple

from psycopg import AsyncConnection
from psycopg.rows import class_row


class Facts(NamedTuple):
    """Facts about a database and about the role that is connected to it."""

    superuser: bool
    seconds: float
    """Time on the database's clock, in seconds since 1970."""
    bytes: int


async def facts(connection: AsyncConnection[Any]) -> Facts:
    """Read the `Facts` about the connected database and role, in one query."""
    async with connection.cursor(row_factory=class_row(Facts)) as cursor:
        await cursor.execute(
            "select rolsuper as superuser,"
            " extract(epoch from clock_timestamp())::float8 as seconds,"
            " pg_database_size(current_database()) as bytes"
            " from pg_roles where rolname = current_user"
        )
        row = await cursor.fetchone()
    assert row is not None
    return row

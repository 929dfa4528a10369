"""The unit of work, the session's settings, and failures that become a 503."""

from __future__ import annotations

import asyncio
from typing import LiteralString

import pytest
from psycopg.errors import UniqueViolation

from augury.storage.database import Database

pytestmark = pytest.mark.anyio


async def test_a_transaction_commits_when_its_block_ends(database: Database) -> None:
    async with database.transaction() as connection:
        await connection.execute("insert into accounts (id, name) values ('a', 'Ada')")
    async with database.reading() as connection:
        cursor = await connection.execute("select name from accounts")
        assert await cursor.fetchall() == [("Ada",)]


async def test_a_transaction_rolls_back_when_its_block_raises(database: Database) -> None:
    async def fail() -> None:
        async with database.transaction() as connection:
            await connection.execute("insert into accounts (id, name) values ('a', 'Ada')")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    async with database.reading() as connection:
        cursor = await connection.execute("select count(*) from accounts")
        assert await cursor.fetchone() == (0,)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("TimeZone", "UTC"),
        ("statement_timeout", "2min"),
        ("idle_in_transaction_session_timeout", "1min"),
    ],
)
async def test_sessions_have_our_settings(database: Database, setting: str, value: str) -> None:
    async with database.reading() as connection:
        cursor = await connection.execute("select current_setting(%s)", (setting,))
        assert await cursor.fetchone() == (value,)


ADA = "insert into accounts (id, name) values ('a', 'Ada')"
BEN = "insert into accounts (id, name) values ('b', 'Ben')"


async def names(database: Database) -> list[str]:
    async with database.reading() as connection:
        cursor = await connection.execute("select name from accounts order by name")
        return [name for (name,) in await cursor.fetchall()]


async def write(database: Database, insert: LiteralString, *, separate: bool = False) -> None:
    async with database.transaction(separate=separate) as connection:
        await connection.execute(insert)


async def test_transactions_of_a_unit_are_one(database: Database) -> None:
    other = Database(database.url, database.url, pool_size=1)
    await other.start()
    async with database.unit():
        await write(database, ADA)
        assert await names(database) == ["Ada"]
        assert await names(other) == []
        await write(database, BEN)
    assert await names(other) == ["Ada", "Ben"]
    await other.close()


async def test_a_unit_that_raises_leaves_only_what_stands_apart(database: Database) -> None:
    async def fail() -> None:
        async with database.unit():
            await write(database, ADA)
            await write(database, BEN, separate=True)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert await names(database) == ["Ben"]


async def test_a_part_of_a_unit_fails_alone(database: Database) -> None:
    async with database.unit():
        await write(database, ADA)
        with pytest.raises(UniqueViolation):
            await write(database, ADA)
        await write(database, BEN)
    assert await names(database) == ["Ada", "Ben"]


async def test_a_unit_holds_no_connection_before_it_needs_one(database: Database) -> None:
    single = Database(database.url, database.url, pool_size=1)
    await single.start()
    async with single.unit():
        # A task of its own is not of the unit, and the only connection is free for it.
        await asyncio.create_task(write(single, ADA))
        assert await names(single) == ["Ada"]
        await write(single, BEN)
        assert await names(single) == ["Ada", "Ben"]
    await single.close()

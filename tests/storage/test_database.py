"""The unit of work, the session's settings, and failures that become a 503."""

from __future__ import annotations

import pytest

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

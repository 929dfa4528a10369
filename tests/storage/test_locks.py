"""Locks that processes take turns by."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from psycopg import AsyncConnection
from tests.conftest import PostgresServer

from augury.storage import locks
from augury.storage.locks import LockKey

KEYS = [
    *(key for key in vars(locks).values() if isinstance(key, LockKey)),
    *(locks.schedule("a"), locks.schedule("b"), locks.venue_flow("kalshi", "full")),
    *(locks.venue_flow("kalshi", "prices"), locks.index(0), locks.index(2**32 - 1)),
]


async def connected(postgres: PostgresServer) -> AsyncConnection[Any]:
    return await AsyncConnection.connect(postgres.url("postgres"), autocommit=True)


@pytest.mark.anyio
async def test_one_session_holds_a_lock_and_no_two_keys_are_the_same(
    postgres: PostgresServer,
) -> None:
    async with await connected(postgres) as one, await connected(postgres) as other:
        for key in KEYS:
            assert await locks.take(other, key)
            await locks.give_back(other, key)
            assert await locks.take(one, key)
            assert not await locks.take(other, key)
        await locks.give_back(one, locks.POINTS)
        async with other.transaction():
            await locks.wait(other, locks.POINTS)
            assert not await locks.take(one, locks.POINTS)
        assert await locks.take(one, locks.POINTS)


def test_numbers_are_those_of_earlier_versions() -> None:
    assert locks.MIGRATION.values == (0x41554755,)
    ours = int.from_bytes(b"augury", "big") << 16
    numbered = (locks.INGEST, locks.EVENTS, locks.READINGS, locks.POINTS)
    assert [key.values[0] for key in numbered] == [ours + n for n in (1, 6, 7, 16)]
    assert locks.schedule("x").values == ("schedule:x",)
    assert locks.venue_flow("kalshi", "full").values == ("augury sync kalshi full",)
    assert locks.index(zlib.crc32(b"markets")).values == (0x1DE8, zlib.crc32(b"markets") - 2**31)

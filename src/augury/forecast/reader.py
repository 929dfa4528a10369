"""Reads active markets into parts (subject, level, window ...) as they enter the catalogue, so that
they need not be read when a forecast is made."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from psycopg import AsyncConnection

from augury.forecast import store, words
from augury.markets import store as markets
from augury.markets.following import BATCH_CHANGES, Follower
from augury.markets.store import IndexRow
from augury.storage import locks

Connection: TypeAlias = AsyncConnection[Any]


class Reader(Follower):
    """Keeps the stored readings of active markets up to date with the catalogue. A reading is what
    was read of a market's text, in parts (subject, level, window ...).

    Other markets have no stored reading. Their texts are read only when they are needed: in replays
    (answers as of the past), and to explain why a question has no probability.
    """

    LOCK = locks.READINGS

    async def _begin(self) -> None:
        async with self._database.transaction() as conn:
            code, change = await store.words_state(conn)
            if code != words.code() or change > await markets.last_change(conn):
                # Readings by other code are never used (their digests differ), and are replaced.
                await store.save_words_state(conn, words.code(), 0)

    async def _step(self) -> int:
        async with self._database.transaction() as conn:
            _, after = await store.words_state(conn)
            rows = await markets.changes_since(conn, after, BATCH_CHANGES)
            if rows:
                await self._apply(conn, rows)
                await store.save_words_state(conn, words.code(), rows[-1].change)
        return len(rows)

    async def _apply(self, conn: Connection, rows: Sequence[IndexRow]) -> None:
        # The last change of a market is its present state; a removal is always the last.
        latest = {row.seq: row for row in rows}
        active = {s: r for s, r in latest.items() if r.status == "active" and not r.removed}
        if gone := sorted(latest.keys() - active.keys()):
            await store.drop_words(conn, gone)
        if active:
            # Many changes are of prices and volumes alone.
            known = await store.word_digests(conn, list(active))
            await store.save_words(conn, await asyncio.to_thread(_read, active, known))


def _read(
    rows: Mapping[int, IndexRow], known: Mapping[int, bytes]
) -> list[tuple[int, bytes, bytes]]:
    """Read the markets `rows` whose stored reading is missing or out of date. Returns for each:
    market number, digest of the market's text (`words.digest`), and what was read, packed for
    storage.

    known : digest of each stored reading, by market number
    """
    return [
        (seq, digest, words.packed(row))
        for seq, row in rows.items()
        if known.get(seq) != (digest := words.digest(row))
    ]

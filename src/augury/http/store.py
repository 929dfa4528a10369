"""The SQL of rate limits and idempotency keys."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from psycopg import AsyncConnection
from psycopg.rows import class_row

from augury.http.gcra import Decision, Rate

Connection = AsyncConnection[Any]

ANSWER_LIFETIME = timedelta(hours=24)
"""How long an answer is stored under its Idempotency-Key."""
ABANDONED_AFTER = timedelta(minutes=2)
"""If a request has claimed an idempotency key and no answer is stored after this time, another
request can take over the claim. The process that made the claim must have died by then, because
every deadline is shorter."""


async def take(conn: Connection, key: str, rate: Rate) -> Decision:
    """Count one request of `key` against `rate` by the SQL function `augury_take`, with the
    database's clock. Returns whether the request is allowed, and the state of the limit
    afterwards."""
    cursor = await conn.execute(
        "select allowed, retry_after, remaining, reset from augury_take(%s, %s, %s)",
        (key, timedelta(microseconds=rate.interval), rate.burst),
    )
    row = await cursor.fetchone()
    assert row is not None
    return Decision(*row)


async def sweep(conn: Connection) -> None:
    """Delete the rate-limit keys whose whole burst is available again. They carry no information: a
    key without a record has its whole burst, too."""
    await conn.execute("delete from rate_limits where tat < clock_timestamp()")


class StoredAnswer(NamedTuple):
    """The answer stored under an idempotency key; `status` is None while the request is running."""

    request_hash: bytes
    status: int | None
    headers: dict[str, str] | None
    body: bytes | None


async def claim(
    conn: Connection, account_id: str, key: str, request_hash: bytes
) -> datetime | None:
    """Claim an idempotency key, if it is new, past its lifetime, or abandoned by a process that
    died.

    Returns the time of the claim, by which `store_answer` and `release` notice if another process
    has taken the key over since; None if another request holds the key.
    """
    cursor = await conn.execute(
        """
        insert into idempotency_keys as i (account_id, key, request_hash)
        values (%s, %s, %s)
        on conflict (account_id, key) do update
          set request_hash = excluded.request_hash, created_at = now(),
              status = null, headers = null, body = null
          where i.created_at < now() - %s
             or (i.status is null and i.created_at < now() - %s)
        returning created_at
        """,
        (account_id, key, request_hash, ANSWER_LIFETIME, ABANDONED_AFTER),
    )
    row = await cursor.fetchone()
    return row[0] if row else None


async def stored_answer(conn: Connection, account_id: str, key: str) -> StoredAnswer | None:
    async with conn.cursor(row_factory=class_row(StoredAnswer)) as cursor:
        await cursor.execute(
            "select request_hash, status, headers, body from idempotency_keys"
            " where account_id = %s and key = %s",
            (account_id, key),
        )
        return await cursor.fetchone()


async def store_answer(
    conn: Connection,
    account_id: str,
    key: str,
    claimed_at: datetime,
    status: int,
    headers: dict[str, str],
    body: bytes,
) -> bool:
    """Store an answer under a claimed idempotency key. Returns False when another process has taken
    the claim over."""
    cursor = await conn.execute(
        "update idempotency_keys set status = %s, headers = %s, body = %s"
        " where account_id = %s and key = %s and created_at = %s",
        (status, json.dumps(headers), body, account_id, key, claimed_at),
    )
    return cursor.rowcount == 1


async def release(conn: Connection, account_id: str, key: str, claimed_at: datetime) -> None:
    """Free an idempotency key whose request failed, so that the same key can be used again."""
    await conn.execute(
        "delete from idempotency_keys"
        " where account_id = %s and key = %s and created_at = %s and status is null",
        (account_id, key, claimed_at),
    )


async def forget_old(conn: Connection) -> int:
    """Delete idempotency keys older than `ANSWER_LIFETIME` and return their number; called on a
    schedule."""
    cursor = await conn.execute(
        "delete from idempotency_keys where created_at < now() - %s", (ANSWER_LIFETIME,)
    )
    return cursor.rowcount

"""`Idempotency-Key` for POSTs that create: the second try gets the first one's answer.

Mark the endpoint of a `routing.Route` with `@idempotent`; it must name its caller by one of the
types of callers.py. A key belongs to an account for 24 hours. The same key with the same request
replays the stored answer, with another request is 422, and while the first is under way 409. An
attempt that raised has created nothing, so its key is free again. A process that died in the
middle leaves a claim that the next try takes over once no deadline could have spared it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import Request, Response
from psycopg import AsyncConnection

from augury.errors import Conflict, InvalidInput
from augury.http.callers import Caller
from augury.storage.database import Database

LIFETIME = "24 hours"
ABANDONED = "2 minutes"
"""A claim this old belongs to a process that died: every deadline is shorter."""
HEADER = "Idempotency-Key"
_KEY = re.compile(r'"?([\x21\x23-\x7e]{1,255})"?', re.ASCII)
_KEPT = {"content-type", "location", "etag"}

F = TypeVar("F", bound=Callable[..., Any])


def idempotent(endpoint: F) -> F:
    """Mark an endpoint whose answers are kept under the caller's `Idempotency-Key`."""
    endpoint.__augury_idempotent__ = True  # type: ignore[attr-defined]
    return endpoint


def is_marked(endpoint: Callable[..., Any]) -> bool:
    return getattr(endpoint, "__augury_idempotent__", False)


async def answer_once(
    request: Request, caller: Caller, handler: Callable[[Request], Awaitable[Response]]
) -> Response:
    """Run `handler` unless this key has been answered before."""
    sent = request.headers.getlist(HEADER)
    if not sent or caller.account_id is None:
        return await handler(request)
    found = _KEY.fullmatch(sent[0]) if len(sent) == 1 else None
    if found is None:
        raise InvalidInput.at(
            "header", HEADER, msg="Should be one key of 1 to 255 visible ASCII characters."
        )
    claim = (caller.account_id, found[1])
    fingerprint = hashlib.sha256()
    for part in (request.method.encode(), request.url.path.encode(), await request.body()):
        fingerprint.update(len(part).to_bytes(8) + part)
    database: Database = request.app.state.services.database
    async with database.transaction() as conn:
        kept = await _claim(conn, *claim, fingerprint.digest())
    if kept is not None:
        return kept
    try:
        response = await handler(request)
    except BaseException:
        async with database.transaction() as conn:
            await _release(conn, *claim)
        raise
    async with database.transaction() as conn:
        await _keep(conn, *claim, response)
    return response


async def _claim(
    conn: AsyncConnection[Any], account_id: str, key: str, request_hash: bytes
) -> Response | None:
    """The answer kept under this key; None when the key is now ours to answer."""
    cursor = await conn.execute(
        f"""
        insert into idempotency_keys as i (account_id, key, request_hash)
        values (%s, %s, %s)
        on conflict (account_id, key) do update
          set request_hash = excluded.request_hash, created_at = now(),
              status = null, headers = null, body = null
          where i.created_at < now() - interval '{LIFETIME}'
             or (i.status is null and i.created_at < now() - interval '{ABANDONED}')
        returning true
        """,
        (account_id, key, request_hash),
    )
    if await cursor.fetchone():
        return None
    cursor = await conn.execute(
        "select request_hash, status, headers, body from idempotency_keys"
        " where account_id = %s and key = %s",
        (account_id, key),
    )
    row = await cursor.fetchone()
    if row is None or (row[0] == request_hash and row[1] is None):
        raise Conflict(
            "A request with this Idempotency-Key is under way.",
            code="idempotency_in_flight",
            headers={"Retry-After": "1"},
        )
    stored_hash, status, headers, body = row
    if stored_hash != request_hash:
        raise InvalidInput(
            "This Idempotency-Key was used for another request.", code="idempotency_key_reused"
        )
    return Response(body, status, {**headers, "Idempotency-Replayed": "true"})


async def _keep(conn: AsyncConnection[Any], account_id: str, key: str, response: Response) -> None:
    headers = {name: value for name, value in response.headers.items() if name in _KEPT}
    await conn.execute(
        "update idempotency_keys set status = %s, headers = %s, body = %s"
        " where account_id = %s and key = %s",
        (response.status_code, json.dumps(headers), bytes(response.body), account_id, key),
    )


async def _release(conn: AsyncConnection[Any], account_id: str, key: str) -> None:
    await conn.execute(
        "delete from idempotency_keys where account_id = %s and key = %s and status is null",
        (account_id, key),
    )


async def forget_old(conn: AsyncConnection[Any]) -> int:
    """Delete what is older than a key's lifetime; for a schedule."""
    cursor = await conn.execute(
        f"delete from idempotency_keys where created_at < now() - interval '{LIFETIME}'"
    )
    return cursor.rowcount

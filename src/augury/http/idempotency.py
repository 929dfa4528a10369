"""The header `Idempotency-Key` of POSTs that create something: a repeated request gets the answer
to the first one.

Mark the endpoint of a `routing.Route` with `@idempotent`. One of its parameters must have a caller
type of callers.py, since a key belongs to an account. A key is remembered for 24 hours. If it comes
again with the same request, the stored answer is sent again. With another request, the answer is
422; while the first request is still running, it is 409.

A request first claims its key: it stores that it is being worked on. The claim is committed at
once, so that other processes see it. Then all that the endpoint writes is committed together with
its answer, in one transaction. If the endpoint raises, nothing has been created and the key is free
again. If the process dies, either nothing has been created or the answer is stored. After
`store.ABANDONED_AFTER`, which is longer than any deadline, another request can take over the claim.
Answers are stored encrypted, since some hold a secret that is shown only once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import Request, Response

from augury.errors import Conflict, InvalidInput
from augury.http import store
from augury.http.caller import Caller
from augury.storage.database import Database
from augury.storage.vault import CantOpen, Vault

HEADER = "Idempotency-Key"
_KEY = re.compile(r'"?([\x21\x23-\x7e]{1,255})"?', re.ASCII)
_KEPT = {"content-type", "location", "etag"}

F = TypeVar("F", bound=Callable[..., Any])


def idempotent(endpoint: F) -> F:
    """Mark an endpoint whose answers are stored under the `Idempotency-Key` of the caller."""
    endpoint.__augury_idempotent__ = True  # type: ignore[attr-defined]
    return endpoint


def is_marked(endpoint: Callable[..., Any]) -> bool:
    return getattr(endpoint, "__augury_idempotent__", False)


async def answer_once(
    request: Request, caller: Caller, handler: Callable[[Request], Awaitable[Response]]
) -> Response:
    """Run `handler` and store its answer under the request's `Idempotency-Key`. If a request with
    the same key has been answered before, return that answer instead."""
    sent = request.headers.getlist(HEADER)
    if not sent or caller.account_id is None:
        return await handler(request)
    found = _KEY.fullmatch(sent[0]) if len(sent) == 1 else None
    if found is None:
        raise InvalidInput.at(
            "header", HEADER, msg="Should be a single key of 1 to 255 visible ASCII characters."
        )
    claim = (caller.account_id, found[1])
    fingerprint = hashlib.sha256()
    for part in (request.method.encode(), request.url.path.encode(), await request.body()):
        fingerprint.update(len(part).to_bytes(8) + part)
    database: Database = request.app.state.services.database
    async with database.transaction() as conn:
        claimed_at = await store.claim(conn, *claim, fingerprint.digest())
        earlier = None if claimed_at else await store.stored_answer(conn, *claim)
    if claimed_at is None:
        return _answer(request, claim, earlier, fingerprint.digest())
    try:
        async with database.unit():
            response = await handler(request)
            headers = {name: value for name, value in response.headers.items() if name in _KEPT}
            sealed = _vault(request).seal(bytes(response.body), "/".join(claim))
            async with database.transaction() as conn:
                if not await store.store_answer(
                    conn, *claim, claimed_at, response.status_code, headers, sealed
                ):
                    raise _in_flight()
    except BaseException:
        async with database.transaction() as conn:
            await store.release(conn, *claim, claimed_at)
        raise
    return response


def _vault(request: Request) -> Vault:
    return request.app.state.vault


def _answer(
    request: Request,
    claim: tuple[str, str],
    earlier: store.StoredAnswer | None,
    request_hash: bytes,
) -> Response:
    if earlier is not None and earlier.request_hash != request_hash:
        raise InvalidInput(
            "This Idempotency-Key was used for a different request. Use a new key.",
            code="idempotency_key_reused",
        )
    if earlier is None or earlier.status is None:
        raise _in_flight()
    headers = {**(earlier.headers or {}), "Idempotency-Replayed": "true"}
    try:
        body = _vault(request).open(earlier.body or b"", "/".join(claim))
    except CantOpen:
        raise Conflict(
            "This request was answered before, but the stored answer can no longer be read. Check "
            "whether the request took effect. To send it again, use a new Idempotency-Key.",
            code="idempotency_answer_lost",
        ) from None
    return Response(body, earlier.status, headers)


def _in_flight() -> Conflict:
    return Conflict(
        "A request with this Idempotency-Key is still running. Try again when it has ended.",
        code="idempotency_in_flight",
        headers={"Retry-After": "1"},
    )

"""Answers over ASGI: JSON, raw bytes, a bomb; errors; places in a listing."""

from __future__ import annotations

import base64
import gzip
import json
from functools import cache
from typing import Any

from tests.venues.wire_markets import Wire


@cache
def bomb() -> bytes:
    """64 MB of blanks, in 64 KB."""
    return gzip.compress(b"[" + b" " * 64_000_000 + b"]", 1)


async def head(send: Any, status: int, kind: str, headers: Wire) -> None:
    pairs = [(b"content-type", kind.encode())]
    pairs += [(key.encode(), str(value).encode()) for key, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


async def raw_reply(
    send: Any, status: int, body: bytes, kind: str, headers: Wire | None = None
) -> None:
    await head(send, status, kind, {"content-length": len(body), **(headers or {})})
    await send({"type": "http.response.body", "body": body})


async def reply(
    send: Any, status: int, body: object, headers: Wire, *, packed: bool = False
) -> None:
    raw = json.dumps(body).encode()
    if packed and len(raw) > 1_000:
        raw = gzip.compress(raw, 1)
        headers = {**headers, "content-encoding": "gzip"}
    await raw_reply(send, status, raw, "application/json", headers)


class Answer(Exception):
    """An answer other than 200 with JSON."""

    def __init__(self, status: int, body: object = None, headers: Wire | None = None) -> None:
        super().__init__(status)
        self.status, self.body, self.headers = status, body, headers or {}


def cursor_at(position: int) -> str:
    return base64.urlsafe_b64encode(f"p{position}".encode()).decode()


def position_of(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        return int(base64.urlsafe_b64decode(cursor)[1:])
    except ValueError:
        raise Answer(400, {"error": "bad cursor"}) from None

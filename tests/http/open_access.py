"""Routes without keys, and one call of them."""

from __future__ import annotations

import asyncio
from typing import Any

from augury.access.records import Principal


class OpenAccess:
    """Knows every key."""

    async def authenticate(self, token: str) -> Principal:
        scopes = frozenset({"search:read", "forecast:read"})
        return Principal("key_1", "acc_1", scopes, False, None)


async def call(
    app: Any,
    path: str,
    headers: list[tuple[bytes, bytes]],
    body: bytes,
    *,
    pieces: int,
    method: str = "POST",
    stalls: bool = False,
) -> tuple[int, bytes]:
    """One request straight into the app, its body in pieces, or never."""
    size = max(1, -(-len(body) // pieces))
    parts = [body[i : i + size] for i in range(0, len(body), size)] or [b""]
    out: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if stalls or not parts:
            await asyncio.sleep(60)  # stays connected
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message: dict[str, Any]) -> None:
        out.append(message)

    if body:
        headers = [*headers, (b"transfer-encoding", b"chunked")]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("203.0.113.9", 1),
        "server": ("augury.test", 80),
        "state": {},
    }
    await app(scope, receive, send)
    return out[0]["status"], b"".join(m.get("body", b"") for m in out[1:])

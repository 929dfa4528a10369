"""A macro runtime over real HTTP that serves, counts, and fails in every way of R10."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import Counter
from functools import cache
from typing import Any

KEY = "upstream-credential-0123456789"

HTTP_FAULTS = (
    "429", "429_retry_after", "500", "503", "slow", "truncated", "gzip_bomb", "damaged_gzip",
    "too_large", "html", "redirect_loop", "redirect_inward", "redirect_up",
    "redirect_up_escaped", "unasked_304",
    "repeats_credential",
)  # fmt: skip
TRANSPORT_FAULTS = ("refused", "dns", "tls")


@cache
def bomb() -> bytes:
    return gzip.compress(bytes(64 * 1024 * 1024), 1)


class Upstream:
    """An ASGI application. `fault` stays until it is taken back."""

    def __init__(self) -> None:
        self.fault: str | None = None
        self.requests: Counter[str] = Counter()
        self.heard: list[dict[str, str]] = []
        """Headers of each request, method and target among them."""
        self.headers: dict[str, str] = {}
        """Sent with every healthy answer."""
        self.delay = 0.0
        self.revision = 1
        self.trapped: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"]
        if path.startswith("/trap"):
            self.trapped.append(path)
        self.requests[path] += 1
        headers = {n.decode(): v.decode("latin-1") for n, v in scope["headers"]}
        target = scope["raw_path"].decode() + "?" + scope["query_string"].decode()
        body = b""
        while (message := await receive()).get("more_body"):
            body += message.get("body", b"")
        body += message.get("body", b"")
        self.heard.append(headers | {":method": scope["method"], ":target": target})
        await asyncio.sleep(self.delay)
        status, out, content = self._answer(path, scope["method"], headers, body)
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [(n.encode(), v.encode()) for n, v in out],
            }
        )
        if self.fault == "slow":
            for n in range(40):
                chunk = content[n : n + 1] or b" "
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await asyncio.sleep(0.1)
        await send({"type": "http.response.body", "body": content})

    def _answer(
        self, path: str, method: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        content = json.dumps({"path": path, "revision": self.revision, "got": len(body)}).encode()
        kind = ("content-type", "application/json")
        match self.fault:
            case "429":
                return 429, [], b""
            case "429_retry_after":
                return 429, [("retry-after", "7")], b""
            case "500" | "503":
                return int(self.fault), [kind], b'{"detail": "inner workings"}'
            case "truncated":
                return 200, [kind, ("content-length", "5000")], content
            case "gzip_bomb":
                return 200, [kind, ("content-encoding", "gzip")], bomb()
            case "damaged_gzip":
                return 200, [kind, ("content-encoding", "gzip")], b"\x1f\x8b\x08 no more gzip"
            case "too_large":
                return 200, [kind], bytes(6 * 1024 * 1024)
            case "html":
                return 200, [("content-type", "text/html")], b"<script>alert(1)</script>"
            case "redirect_loop":
                return 307, [("location", path)], b""
            case "redirect_inward":
                return 302, [("location", "http://169.254.169.254/latest/meta-data")], b""
            case "redirect_up":
                return 302, [("location", "/trap")], b""
            case "redirect_up_escaped":
                return 302, [("location", "/api/%2e%2e/trap")], b""
            case "unasked_304":
                return 304, [], b""
            case "repeats_credential":
                return 200, [kind], json.dumps(headers).encode()
            case _:
                pass
        out = [kind, *self.headers.items()]
        if path.endswith("/unknown"):
            return 404, out, b'{"detail": "no such series"}'
        if path.endswith("/moved"):
            return 301, [("location", "/api/series")], b""
        tag = self.headers.get("etag")
        if tag and headers.get("if-none-match") == tag and method == "GET":
            return 304, list(self.headers.items()), b""
        return 200, out, content

"""Replaces market ids by UUIDs in answers (`AUGURY_MARKET_IDS=uuid`), as the last step before
sending.

One place serves all routes, stored answers and streams. In JSON and event streams each string that
is exactly a market id becomes its UUID; in CSV, each such cell. Three things keep the original ids:
Parquet files; the names of members of JSON objects, since callers look up by the id they asked
with; and fields that repeat what was asked (`ECHOES`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from augury.ids import market_uuid

ECHOES = ("question", "query", "query_used", "title", "text", "label", "name", "ref", "detail")
_STRING = re.compile(
    rb'(?:"(?:' + "|".join(ECHOES).encode() + rb')"\s*:\s*)?'
    rb'(?<!\\)"((?:polymarket|kalshi):(?:[^"\\\x00-\x1f]|\\.)+)"(?!\s*:)'
)
_CELL = re.compile(rb'(?m)(?:^|(?<=,))("?)((?:polymarket|kalshi):[^",\r\n]+)\1(?=,|\r?$)')
_PASSED_ON = "/v1/macro-runtime/"
"""Prefix of the paths whose answers come from another service and are not rewritten."""


def in_json(body: bytes) -> bytes:
    """`body` with each string that is a market id (`"kalshi:KXFED-27JAN-T3.50"`) replaced by the
    market's UUID. Names of members of objects and values of the fields `ECHOES` stay as they are.
    `body` is one or more JSON texts, with other text between them."""

    def shown(found: re.Match[bytes]) -> bytes:
        if not found[0].startswith(b'"polymarket:') and not found[0].startswith(b'"kalshi:'):
            return found[0]  # the value of a field in `ECHOES`
        own: str = msgspec.json.decode(b'"' + found[1] + b'"')
        return f'"{market_uuid(own)}"'.encode()

    return _STRING.sub(shown, body)


def in_csv(body: bytes) -> bytes:
    """`body`, a CSV text, with each cell that is a market id replaced by the market's UUID."""
    return _CELL.sub(lambda found: str(market_uuid(found[2].decode())).encode(), body)


_MEDIA: dict[str, Callable[[bytes], bytes]] = {
    "application/json": in_json,
    "text/event-stream": in_json,
    "application/x-ndjson": in_json,
    "text/csv": in_csv,
}


class MarketUuids:
    """ASGI middleware that replaces market ids by UUIDs in answers, before they are compressed."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_PASSED_ON):
            await self.app(scope, receive, send)
            return
        await self.app(scope, receive, _Rewritten(send))


class _Rewritten:
    """Replaces each market id in one answer by the market's UUID, and sends the answer. A body of
    known length is sent as a whole, a stream part by part."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._rewrite: Callable[[bytes], bytes] | None = None
        self._start: Message | None = None
        self._held: list[bytes] = []

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = Headers(raw=message["headers"])
            media = headers.get("content-type", "").partition(";")[0].strip().lower()
            self._rewrite = _MEDIA.get(media)
            if self._rewrite is not None and "content-length" in headers:
                self._start = message  # until the new length is known
                return
        elif message["type"] == "http.response.body" and self._rewrite is not None:
            body = message.get("body", b"")
            if self._start is None:
                message = {**message, "body": self._rewrite(body)}
            else:
                self._held.append(body)
                if message.get("more_body", False):
                    return
                await self._send_whole(self._start, b"".join(self._held))
                return
        await self._send(message)

    async def _send_whole(self, start: Message, body: bytes) -> None:
        assert self._rewrite is not None
        body = self._rewrite(body)
        MutableHeaders(scope=start)["content-length"] = str(len(body))
        self._start = None
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})

"""The server's own edge: bounds on what arrives before there is a request to speak of.

uvicorn's httptools protocol has no limit on the size of a header block nor on the time it takes.
This subclass adds both, answers unreadable requests as `{"detail": ...}`, and lets a refused
caller read the answer before the line is cut.
"""

from __future__ import annotations

import asyncio
import http
import json

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from augury.ids import new_id
from augury.settings import Settings

HEADER_TIMEOUT = 10.0
"""Seconds a connection has to send a whole header block."""
_LINGER_BYTES, _LINGER_SECONDS = 64 * 1024, 1.0
_MAX_FRAMING = 1024 * 1024
"""Bytes of chunk framing and trailers a request may spend besides its body."""


def config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    """How the service wants to be served."""
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=protocol(settings),
        ws="none",
        # address.py reads Forwarded headers itself, and only of proxies named in the settings.
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
    )


def protocol(
    settings: Settings, *, header_timeout: float = HEADER_TIMEOUT
) -> type[asyncio.Protocol]:
    """The protocol class with its bounds, as `uvicorn.Config(http=...)` takes it."""
    return type(
        "BoundedProtocol",
        (Protocol,),
        {"max_header_bytes": settings.max_header_bytes, "header_timeout": header_timeout},
    )


class Protocol(HttpToolsProtocol):
    """One connection."""

    max_header_bytes = 16 * 1024
    header_timeout = HEADER_TIMEOUT

    _in_head = True
    _head_bytes = 0
    _framing_bytes = 0
    _body_bytes = 0
    _refused = False
    _discarded = 0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._arm()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            self._discard(data)
            return
        self._body_bytes = 0
        if self._in_head:
            self._head_bytes += len(data)
            super().data_received(data)
        else:
            super().data_received(data)
            self._framing_bytes += len(data) - self._body_bytes
        if self._refused or self.transport.is_closing():
            return
        if self._in_head:
            if self._head_bytes > self.max_header_bytes:
                self._refuse(431, f"The request headers exceed {self.max_header_bytes} bytes.")
            elif self._head_timer is None and not self._busy():
                self._arm()
        elif self._framing_bytes > _MAX_FRAMING:
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._head_timer is None:
            self._arm()

    def on_header(self, name: bytes, value: bytes) -> None:
        # Trailers come by the same way; taken for headers, they could name another caller.
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._disarm()
        self._in_head = False
        self._head_bytes = self._framing_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_head = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "The request is not valid HTTP.")

    def _busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _arm(self) -> None:
        self._head_timer = self.loop.call_later(self.header_timeout, self._head_too_slow)

    def _disarm(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_too_slow(self) -> None:
        self._head_timer = None
        if self._busy():
            self._arm()
        elif not self._refused and not self.transport.is_closing():
            self._refuse(408, "The request headers took too long.")

    def _refuse(self, status: int, detail: str) -> None:
        """Answer without the app, then throw away what still comes for a moment, then close."""
        self._refused = True
        self._disarm()
        self._unset_keepalive_if_required()
        if self._busy():
            # An earlier request of this connection is being answered: no place for another text.
            self.transport.abort()
            return
        code = {400: "bad_request", 408: "request_timeout", 431: "headers_too_large"}[status]
        body = json.dumps({"detail": detail}).encode()
        self.transport.write(
            f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
            f"x-error-code: {code}\r\nx-request-id: {new_id('req')}\r\n"
            "connection: close\r\n\r\n".encode()
            + body
        )
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(_LINGER_SECONDS, self.transport.close)

    def _discard(self, data: bytes) -> None:
        self._discarded += len(data)
        if self._discarded > _LINGER_BYTES:
            self.transport.abort()

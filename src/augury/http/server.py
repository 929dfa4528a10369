"""Limits on connections that the server enforces before a request is complete.

uvicorn's httptools protocol does not limit the size of a header block, the time it takes, the
number of connections, or how slowly a caller reads an answer. The class `Protocol` adds all these
limits. It also answers unreadable requests as `{"detail": ...}`, and lets a refused caller read the
answer before the connection is closed.
"""

from __future__ import annotations

import asyncio
import http
import json
import os
import socket
from typing import Any, cast

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from augury.http.address import networks
from augury.http.connections import REFUSED, Connections
from augury.ids import new_id
from augury.settings import Settings

HEADER_TIMEOUT = 10.0
"""Seconds within which a connection must have sent its whole header block."""
DRAIN_WINDOW = 20.0
"""The rate at which a caller reads its answer is measured over this many seconds."""
LEAST_RATE = 1024
"""Smallest rate, in bytes per second, at which a caller may read its answer. A slower caller is
disconnected."""
_MOST_LINGERING = 32
"""Maximum number of refused connections that are kept open for a short time, so that the caller can
read the error. Further refused connections are closed at once."""
ACCEPTED_AT_ONCE = 16
"""Maximum number of new connections that are accepted in one go. Only after that can the server
close those that exceed a limit. The number is well below the number of file descriptors that are
kept free (64 or more), so a flood of connections never takes the last descriptor."""
MAX_QUEUED = 2048
"""Maximum number of connections that the kernel queues until they are accepted."""
_LINGER_BYTES, _LINGER_SECONDS = 64 * 1024, 1.0
_CODES = {
    400: "bad_request",
    408: "request_timeout",
    429: "too_many_connections",
    431: "headers_too_large",
    503: "too_many_connections",
}
_MAX_FRAMING = 1024 * 1024
"""Maximum number of bytes of chunk framing and trailers that a request may have in addition to its
body."""


def config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    """uvicorn's configuration for this service."""
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
        backlog=ACCEPTED_AT_ONCE,
    )


class Server(uvicorn.Server):
    """A uvicorn server that accepts few connections at a time, while the kernel queues many.

    asyncio has one number (`backlog`) for two limits: the length of the kernel's queue, and the
    number of connections accepted at a time. If it were large, asyncio would log one error for each
    queued connection when no file descriptor is free.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for server in self.servers if not self.should_exit else ():
            for listening in server.sockets:
                with socket.socket(fileno=os.dup(listening.fileno())) as same:
                    same.listen(MAX_QUEUED)


def protocol(
    settings: Settings,
    *,
    header_timeout: float = HEADER_TIMEOUT,
    drain_window: float = DRAIN_WINDOW,
) -> type[asyncio.Protocol]:
    """A subclass of `Protocol` with the limits of the settings, for `uvicorn.Config(http=...)`."""
    bounds = {
        "max_header_bytes": settings.max_header_bytes,
        "header_timeout": header_timeout,
        "drain_window": drain_window,
        "open_ones": Connections.of(settings, networks(settings.trusted_proxies)),
    }
    return type("BoundedProtocol", (Protocol,), bounds)


class _Counted:
    """A transport that counts the bytes written to it."""

    __slots__ = ("_owner", "_transport", "written")

    def __init__(self, transport: asyncio.Transport, owner: Protocol) -> None:
        self._transport = transport
        self._owner = owner
        self.written = 0

    def write(self, data: bytes) -> None:
        self.written += len(data)
        self._transport.write(data)
        if self._owner.drain_timer is None and self._transport.get_write_buffer_size():
            self._owner.watch_drain()

    @property
    def taken(self) -> int:
        """Number of bytes of the connection's answers that the kernel has taken so far. While it
        grows, the caller still reads."""
        return self.written - self._transport.get_write_buffer_size()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Protocol(HttpToolsProtocol):
    """One connection of a caller, with limits on what it may send and how slowly it may read."""

    max_header_bytes = 16 * 1024
    header_timeout = HEADER_TIMEOUT
    drain_window = DRAIN_WINDOW
    open_ones = Connections(4096, 512)
    drain_timer: asyncio.TimerHandle | None = None
    lingering = 0

    _counted: _Counted
    _counted_lingering = False
    _in_head = True
    _head_bytes = 0
    _framing_bytes = 0
    _body_bytes = 0
    _refused = False
    _discarded = 0
    _head_timer: asyncio.TimerHandle | None = None
    _rest_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        counted = self._counted = _Counted(transport, self)
        super().connection_made(cast(asyncio.Transport, counted))
        why = self.open_ones.enter(self, self.client[0] if self.client else None)
        if why is None:
            self._arm()
        elif type(self).lingering >= _MOST_LINGERING:
            self.drop()
        else:
            type(self).lingering += 1
            self._counted_lingering = True
            text = "from this address" if why == "address" else "to this service"
            status = 429 if why == "address" else 503
            self._refuse(status, f"Too many connections {text}. Close some, or try again later.")

    def drop(self) -> None:
        """End the connection at once."""
        self._disarm()
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        self.open_ones.leave(self)
        if self._counted_lingering:
            type(self).lingering -= 1
        for timer in (self.drain_timer, self._rest_timer):
            if timer is not None:
                timer.cancel()
        self.drain_timer = self._rest_timer = None
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
        # Trailers (after the body) arrive here too. Taken for headers, they could replace e.g. the
        # Authorization header.
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._disarm()
        self._in_head = False
        self.open_ones.busy(self)
        self._head_bytes = self._framing_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_head = True
        if self._rest_timer is not None:
            self._rest_timer.cancel()
            self._rest_timer = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self.open_ones.idle(self)
        super().on_response_complete()
        if not self._in_head and not self._busy():
            # Answered before the whole body had arrived: uvicorn would wait forever for the rest of
            # a slow body.
            self._rest_timer = self.loop.call_later(self.header_timeout, self.drop)

    def watch_drain(self) -> None:
        """Start the timer that checks whether the caller reads its answer fast enough."""
        taken = self._counted.taken
        self.drain_timer = self.loop.call_later(self.drain_window, self._drained, taken)

    def _drained(self, taken_before: int) -> None:
        self.drain_timer = None
        if not self.transport.get_write_buffer_size():
            return
        if self._counted.taken - taken_before < LEAST_RATE * self.drain_window:
            REFUSED.labels("slow").inc()
            self.drop()
        else:
            self.watch_drain()

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
            self._refuse(408, "The request headers took too long to arrive.")

    def _refuse(self, status: int, detail: str) -> None:
        """Answer with an error without calling the app, discard for a short time what the caller
        still sends, then close the connection."""
        self._refused = True
        self._disarm()
        self._unset_keepalive_if_required()
        if self._busy():
            # An earlier request on this connection is being answered, so no
            # other answer can be sent.
            self.transport.abort()
            return
        code = _CODES[status]
        retry = "retry-after: 5\r\n" if status in (429, 503) else ""
        body = json.dumps({"detail": detail}).encode()
        self.transport.write(
            f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
            f"x-error-code: {code}\r\nx-request-id: {new_id('req')}\r\n"
            f"{retry}connection: close\r\n\r\n".encode()
            + body
        )
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(_LINGER_SECONDS, self.transport.close)

    def _discard(self, data: bytes) -> None:
        self._discarded += len(data)
        if self._discarded > _LINGER_BYTES:
            self.transport.abort()

"""The outermost layer: size limits, deadlines, request ids, access log, metrics. Pure ASGI.

It runs before every route, so a refused request never reaches one, and an exception that a route
does not handle becomes a 500 without details. A body is read only after the caller is known
(`routing.Route`), so uploads of strangers are not read. The size of a body is checked while the
body is read.
"""

from __future__ import annotations

import asyncio
import time

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from augury.errors import AuguryError, HeadersTooLarge, Unavailable
from augury.http import metrics
from augury.http.allowance import USUAL, Allowance
from augury.http.door import Door
from augury.http.errors import describe, in_one_line, problem, respond
from augury.http.exchange import SCOPE_KEY, Exchange, exchange_of, no_limits
from augury.settings import Settings

log = structlog.get_logger("augury.http")

BODY_TIMEOUT = 10.0
"""Seconds within which a caller must have sent the whole body."""
LINGER_BYTES, LINGER_SECONDS = 16 * 1024 * 1024, 5.0
"""A refused upload is still read for a while and thrown away, so that the caller can read the
answer. LINGER_BYTES: maximum number of bytes that are read. LINGER_SECONDS: maximum time of
reading, in seconds."""
_FORWARDED_PREFIX = "/v1/macro-runtime/"
"""Paths that begin with this are passed on to another service. A HEAD request to them stays a HEAD
request; to any other path it is handled as a GET."""


class Guard:
    """The outermost ASGI middleware: size limits, deadlines, a rate limit for callers without a
    key, request ids, access log, metrics."""

    def __init__(
        self, app: ASGIApp, settings: Settings, *, body_timeout: float = BODY_TIMEOUT
    ) -> None:
        self.app = app
        self.settings = settings
        self.max_headers = settings.max_header_bytes
        self.body_timeout = body_timeout
        self.plain_errors = settings.error_detail == "string"
        self.door = Door(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD" and not scope["path"].startswith(_FORWARDED_PREFIX):
            # A HEAD is the GET without its body: every route that takes the one takes the other.
            scope, send = {**scope, "method": "GET"}, _without_body(send)
        exchange = scope[SCOPE_KEY] = Exchange()
        exchange.plain_errors = self.plain_errors
        for name, value in scope["headers"]:
            if name == b"prefer" and b"detail=string" in value.replace(b" ", b"").lower():
                exchange.plain_errors = True
                exchange.headers["Preference-Applied"] = "detail=string"
        exchange.address = self.door.forwarding.client(scope)
        passage = _Passage(self, scope, exchange, receive, send)
        metrics.in_flight.inc()
        try:
            await self._answer(scope, passage)
        except asyncio.CancelledError:
            passage.status = passage.status or 499
            raise
        finally:
            metrics.in_flight.dec()
            exchange.allow = no_limits  # breaks the reference cycle of the two
            for loose_end in exchange.at_end:
                loose_end()
            self._record(scope, exchange, passage.status)

    async def _answer(self, scope: Scope, passage: _Passage) -> None:
        deadline = passage.deadline = asyncio.timeout_at(passage.due(USUAL))
        failure: Exception | None = None
        try:
            async with deadline:
                refusal = self._refusal(scope)
                if refusal is None:
                    await self.app(scope, passage.receive, passage.send)
                else:
                    await refusal(scope, passage.receive, passage.send)
        except Exception as exc:
            failure = exc
        passage.deadline = None
        if failure is None:
            return
        if isinstance(failure, ClientDisconnect):
            passage.status = passage.status or 499
            return
        request_id = passage.exchange.request_id
        if passage.status is not None:
            # The answer has begun, so no other can be sent. Left unfinished, it makes the
            # server close the connection.
            log.error("answer_cut_short", request_id=request_id, **describe(failure))
            return
        if isinstance(failure, TimeoutError) and deadline.expired():
            failure = Unavailable(
                "The request took too long and was stopped. Try again, or ask for less.",
                code="deadline",
            )
        answer = respond(failure, request_id, plain=passage.exchange.plain_errors)
        await answer(scope, passage.receive, passage.send)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        for name, value in scope["headers"]:
            size += len(name) + len(value) + 4
        if size > self.max_headers:
            return respond(
                HeadersTooLarge(
                    f"The request headers exceed {self.max_headers} bytes.",
                    headers={"Connection": "close"},
                ),
                "",
            )
        try:
            self.door.check_host(scope)
            self.door.admit(exchange_of(scope).address, _key_of(scope))
        except AuguryError as refused:
            return respond(refused, "")
        if "\x00" in scope["path"]:
            return respond(HTTPException(404), "")
        if b"%00" in scope["query_string"] or b"\x00" in scope["query_string"]:
            issue = {"loc": ["query"], "msg": "The query string contains a NUL character."}
            found = [issue | {"type": "query_invalid"}]
            return problem(422, in_one_line(found) if self.plain_errors else found)
        return None

    def _record(self, scope: Scope, exchange: Exchange, status: int | None) -> None:
        seconds = time.perf_counter() - exchange.started
        caller = exchange.caller
        good = caller is not None and caller.kind == "key"
        if status != 429:
            self.door.count_finished(
                exchange.address, _key_of(scope), good=good, wrong=status == 401
            )
        route = route_of(scope)
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        metrics.requests.labels(route, method, str(status)).inc()
        metrics.duration.labels(route).observe(seconds)
        log.info(
            "request",
            request_id=exchange.request_id,
            method=method,
            route=route,
            status=status,
            ms=round(seconds * 1000, 1),
            key=caller.key_id if caller else None,
            client=self.door.mark(exchange.address),
        )


def _key_of(scope: Scope) -> bytes | None:
    """The Authorization header of a request, valid or not; None if there is none."""
    sent = [value for name, value in scope["headers"] if name == b"authorization"]
    return b"\n".join(sent) if sent else None


def _without_body(send: Send) -> Send:
    """An ASGI `send` that passes on only the head of the answer. Content-Length stays that of the
    omitted body."""

    async def head(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return head


_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}


def route_of(scope: Scope) -> str:
    """The path template of the matched route, e.g. `/v1/watchlists/{watchlist_id}`, as a label for
    metrics; it has few distinct values because it holds no ids. "unmatched" without a route."""
    included = scope.get("fastapi", {}).get("effective_route_context")
    return getattr(included or scope.get("route"), "path", "unmatched")


class _Passage:
    """Wraps `receive` and `send` of one request, to apply the request's limits of size and time."""

    def __init__(
        self, guard: Guard, scope: Scope, exchange: Exchange, receive: Receive, send: Send
    ) -> None:
        self.guard = guard
        self.scope = scope
        self.exchange = exchange
        self._receive = receive
        self._send = send
        self.deadline: asyncio.Timeout | None = None
        self.status: int | None = None
        self.taken = 0
        self.whole = False
        self.lingering = False
        self.body_by: float | None = None
        self.began = asyncio.get_running_loop().time()
        self.max_body: int = getattr(guard.settings, USUAL.body)
        self.length = self._announced()
        exchange.allow = self.allow

    def due(self, allowance: Allowance) -> float:
        """Time by which the answer must begin under `allowance`, by the event loop's clock in
        seconds."""
        return self.began + getattr(self.guard.settings, allowance.deadline)

    def allow(self, allowance: Allowance) -> None:
        """Apply the matched route's limits on time and body size to the rest of the request."""
        self.max_body = getattr(self.guard.settings, allowance.body)
        if self.deadline is not None and not self.deadline.expired():
            self.deadline.reschedule(self.due(allowance))

    def _announced(self) -> int | None:
        """The body's length by its Content-Length header; 0 without one; None if the body
        comes in chunks (Transfer-Encoding)."""
        length = 0
        for name, value in self.scope["headers"]:
            if name == b"content-length":
                length = int(value) if value.isdigit() else 0
            elif name == b"transfer-encoding":
                return None
        return length

    def _too_large(self) -> HTTPException:
        return HTTPException(413, f"The request body exceeds {self.max_body} bytes.")

    async def receive(self) -> Message:
        if self.length is not None and self.length > self.max_body and not self.lingering:
            raise self._too_large()
        if self.whole or self.length == 0 or self.status is not None:
            # The whole body has been read: the only message left to wait for is the disconnect.
            message = await self._receive()
        else:
            now = asyncio.get_running_loop().time()
            self.body_by = self.body_by or now + self.guard.body_timeout
            try:
                async with asyncio.timeout_at(self.body_by):
                    message = await self._receive()
            except TimeoutError:
                raise HTTPException(
                    408, "The request body took too long to arrive.", {"Connection": "close"}
                ) from None
        if message["type"] == "http.request":
            self.taken += len(message.get("body", b""))
            self.whole = not message.get("more_body", False)
            if self.taken > self.max_body and not self.lingering:
                raise self._too_large()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if self.deadline is not None and self.deadline.expired():
                await asyncio.sleep(0)  # the deadline's cancellation comes before the answer
            self._start(message)
        elif self.lingering and not message.get("more_body", False):
            # Closing while the caller is still sending would reset the connection before the
            # answer is read. So the whole answer is sent first, and then the upload is read and
            # discarded for a while.
            await self._send({**message, "more_body": True})
            await self._linger()
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)

    def _start(self, message: Message) -> None:
        self.status = message["status"]
        if self.deadline is not None and not self.deadline.expired():
            # The deadline is for the start of the answer; sending a long one may take longer.
            self.deadline.reschedule(None)
        exchange = self.exchange
        headers = list(message.get("headers", ()))
        headers.append((b"x-request-id", exchange.request_id.encode()))
        headers.append((b"x-content-type-options", b"nosniff"))
        for name, value in exchange.headers.items():
            headers.append((name.lower().encode("latin-1"), value.encode("latin-1")))
        unread = not self.whole and (self.length is None or self.length > self.max_body)
        if unread:
            self.lingering = True
            headers.append((b"connection", b"close"))
        message["headers"] = headers

    async def _linger(self) -> None:
        try:
            async with asyncio.timeout(LINGER_SECONDS):
                while not self.whole and self.taken < LINGER_BYTES:
                    if (await self.receive())["type"] == "http.disconnect":
                        return
        except TimeoutError:
            return

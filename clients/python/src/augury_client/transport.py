"""Sends calls over one pool of connections, and repeats those that failed where this is safe and
useful."""

from __future__ import annotations

import os
import random
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import anyio
import httpx2

from augury_client import frames
from augury_client.calls import Call, following, rows
from augury_client.errors import (
    ApiError,
    AuguryError,
    Conflict,
    ConnectionFailed,
    InvalidValue,
    RateLimited,
    ServerFailed,
    TimedOut,
    Unavailable,
    UnexpectedAnswer,
    refusal,
)

T = TypeVar("T")
P = TypeVar("P")

DEFAULT_URL = "http://127.0.0.1:8000"
_FIRST_WAIT = 0.25
_ADDRESS = "Write http://HOST:PORT."
_FAILURES = (httpx2.RequestError, httpx2.InvalidURL, TimeoutError)
_LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Reply:
    """A successful answer."""

    headers: httpx2.Headers
    body: bytes


@dataclass(frozen=True)
class Settings:
    """Address, key and limits of a client; times in seconds."""

    url: str
    api_key: str | None = field(repr=False)
    timeout: float
    retries: int
    patience: float

    @classmethod
    def of(
        cls, url: str | None, api_key: str | None, timeout: float, retries: int, patience: float
    ) -> Settings:
        """The given values; the address and the key default to AUGURY_URL and AUGURY_API_KEY."""
        url = (url or os.environ.get("AUGURY_URL") or DEFAULT_URL).strip().rstrip("/")
        try:
            parts = urlsplit(url)
            bad = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
        except ValueError:  # a port that is no number, half of an IPv6 address
            raise InvalidValue(f"{_shown(url)} is no address of a service.", _ADDRESS) from None
        if parts.username or parts.password:
            raise InvalidValue(
                "An address holds no user name and no password.", "Give the key as api_key=..."
            )
        if bad:
            raise InvalidValue(f"{_shown(url)} is no address of a service.", _ADDRESS)
        key = (api_key or os.environ.get("AUGURY_API_KEY") or "").strip()
        if not (key.isascii() and key.isprintable() and " " not in key):
            raise InvalidValue(  # without the key itself: an error's text is read by many
                "The API key holds characters that no key has.",
                "Give it as the service's operator wrote it: api_key=... or AUGURY_API_KEY.",
            )
        return cls(url, key or None, timeout, retries, patience)

    def client(self) -> dict[str, Any]:
        """Arguments for the clients of httpx2."""
        headers = {"User-Agent": "augury-client/0.1.0"}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        return {
            "base_url": self.url,
            "headers": headers,
            "timeout": httpx2.Timeout(self.timeout, connect=min(10.0, self.timeout)),
            "trust_env": urlsplit(self.url).hostname not in _LOCAL,
            "follow_redirects": False,
        }

    def failure(self, error: Exception) -> AuguryError:
        """The error of this client for an exception of httpx2."""
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
            return ConnectionFailed(f"No service answers at {self.url} ({_reason(error)}).")
        if isinstance(error, httpx2.InvalidURL):
            return InvalidValue(f"An address with these values is none ({error}).")
        if isinstance(error, httpx2.DecodingError):
            return UnexpectedAnswer(
                f"{self.url} sent a compressed answer that is damaged ({_reason(error)})."
            )
        if isinstance(error, httpx2.TimeoutException | TimeoutError):
            return TimedOut(f"No whole answer came in {self.timeout:g} s.")
        return ConnectionFailed(
            f"The connection to {self.url} broke off ({_reason(error)}).", sent=True
        )


def _shown(url: str) -> str:
    """An invalid address for an error text, without the password that it may hold."""
    return repr("...@" + url.rpartition("@")[2] if "@" in url else url)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


class Attempts:
    """Counts how often a call was sent again, and how long it waited."""

    def __init__(self, call: Call[Any], settings: Settings) -> None:
        self.count, self.waited = 0, 0.0
        self._again = call.repeat or call.keyed
        self._settings = settings
        self.headers = {"Content-Type": "application/json"} if call.body is not None else {}
        if call.keyed:
            self.headers["Idempotency-Key"] = str(uuid.uuid4())

    def wait(self, error: AuguryError) -> float:
        """Seconds to wait before the call is sent again. Raises `error` if it should not be."""
        if self.count >= self._settings.retries or not self._worth(error):
            raise error
        told = error.retry_after if isinstance(error, ApiError) else None
        seconds = _FIRST_WAIT * 2**self.count if told is None else told
        # Clients that were refused together should not come back together.
        seconds += random.uniform(0, 0.1 + seconds / 4)
        if self.waited + seconds > self._settings.patience:
            raise error
        self.count += 1
        self.waited += seconds
        return seconds

    def _worth(self, error: AuguryError) -> bool:
        match error:
            case RateLimited():
                return True  # refused before anything was done
            case ConnectionFailed():
                return self._again or not error.sent
            case Unavailable():
                return self._again
            case ServerFailed():
                return self._again and error.status in (502, 504)
            case Conflict():
                return self._again and error.retry_after is not None
            case _:
                return False


def _refuse_closed(http: httpx2.Client | httpx2.AsyncClient) -> None:
    if http.is_closed:
        raise ConnectionFailed("This client was closed.", "Make a new one: Augury(...).")


def _checked(status: int, headers: httpx2.Headers, body: bytes, url: str) -> Reply:
    if status >= 400:
        raise refusal(status, headers, body)
    if status >= 300:
        raise UnexpectedAnswer(f"{url} sends elsewhere (HTTP {status}). Give the final address.")
    return Reply(headers, body)


class Connection:
    """Sends calls, from one thread or several at a time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.http = httpx2.Client(**settings.client())

    def exchange(self, call: Call[Any]) -> Reply:
        """The answer to a call, which is sent again where that is safe and useful."""
        _refuse_closed(self.http)
        attempts = Attempts(call, self.settings)
        url, content = call.url(), call.content()
        while True:
            try:
                return self._once(call.method, url, content, attempts.headers)
            except AuguryError as error:
                seconds = attempts.wait(error)
            time.sleep(seconds)

    def _once(self, method: str, url: str, content: bytes | None, headers: dict[str, str]) -> Reply:
        until = time.monotonic() + self.settings.timeout
        try:
            with self.http.stream(method, url, content=content, headers=headers) as answer:
                parts: list[bytes] = []
                for part in answer.iter_bytes():  # a slow answer takes no longer than the timeout
                    parts.append(part)
                    if time.monotonic() > until:
                        raise TimeoutError
        except _FAILURES as error:
            raise self.settings.failure(error) from None
        return _checked(answer.status_code, answer.headers, b"".join(parts), self.settings.url)

    @contextmanager
    def stream(self, call: Call[Any]) -> Generator[Iterator[bytes]]:
        """The answer's bytes as they come."""
        _refuse_closed(self.http)
        attempts = Attempts(call, self.settings)
        while True:
            try:
                request = self.http.build_request(
                    call.method, call.url(), content=call.content(), headers=attempts.headers
                )
                try:
                    answer = self.http.send(request, stream=True)
                    if answer.status_code >= 300:
                        answer.read()
                except _FAILURES as error:
                    raise self.settings.failure(error) from None
                if answer.status_code >= 300:
                    _checked(answer.status_code, answer.headers, answer.content, self.settings.url)
                break
            except AuguryError as error:
                seconds = attempts.wait(error)
            time.sleep(seconds)
        try:
            yield answer.iter_bytes()
        finally:
            answer.close()


class AsyncConnection:
    """Sends calls, any number at a time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.http = httpx2.AsyncClient(**settings.client())

    async def exchange(self, call: Call[Any]) -> Reply:
        """The answer to a call, which is sent again where that is safe and useful."""
        _refuse_closed(self.http)
        attempts = Attempts(call, self.settings)
        url, content = call.url(), call.content()
        while True:
            try:
                return await self._once(call.method, url, content, attempts.headers)
            except AuguryError as error:
                seconds = attempts.wait(error)
            await anyio.sleep(seconds)

    async def _once(
        self, method: str, url: str, content: bytes | None, headers: dict[str, str]
    ) -> Reply:
        try:
            with anyio.fail_after(self.settings.timeout):
                answer = await self.http.request(method, url, content=content, headers=headers)
        except _FAILURES as error:
            raise self.settings.failure(error) from None
        return _checked(answer.status_code, answer.headers, answer.content, self.settings.url)

    @asynccontextmanager
    async def stream(self, call: Call[Any]) -> AsyncGenerator[AsyncIterator[bytes]]:
        """The answer's bytes as they come."""
        _refuse_closed(self.http)
        attempts = Attempts(call, self.settings)
        while True:
            try:
                request = self.http.build_request(
                    call.method, call.url(), content=call.content(), headers=attempts.headers
                )
                try:
                    answer = await self.http.send(request, stream=True)
                    if answer.status_code >= 300:
                        await answer.aread()
                except _FAILURES as error:
                    raise self.settings.failure(error) from None
                if answer.status_code >= 300:
                    _checked(answer.status_code, answer.headers, answer.content, self.settings.url)
                break
            except AuguryError as error:
                seconds = attempts.wait(error)
            await anyio.sleep(seconds)
        try:
            yield answer.aiter_bytes()
        finally:
            await answer.aclose()


class Caller:
    """A group of operations."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _send(self, call: Call[T]) -> T:
        return call.read(self._connection.exchange(call).body)

    def _pages(self, call: Call[P]) -> Pages[P, Any]:
        return Pages(self._connection, call)


class AsyncCaller:
    """A group of operations."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def _send(self, call: Call[T]) -> T:
        return call.read((await self._connection.exchange(call)).body)

    def _pages(self, call: Call[P]) -> AsyncPages[P, Any]:
        return AsyncPages(self._connection, call)


class Pages(Generic[P, T]):
    """A list of the service. Iterating over it yields all items; each page is
    requested when it is needed.

    `limit`, if the call has one, is the size of a page.
    """

    def __init__(self, connection: Connection, call: Call[P]) -> None:
        self._connection, self._call = connection, call

    def pages(self) -> Iterator[P]:
        """Page by page, as the service sends them."""
        call: Call[P] | None = self._call
        while call is not None:
            reply = self._connection.exchange(call)
            page = call.read(reply.body)
            yield page
            cursor = following(page, reply.headers)
            call = call.at(cursor) if cursor else None

    def first(self) -> P:
        """The first page, in one request."""
        return next(self.pages())

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from rows(page)

    def all(self, most: int | None = None) -> list[T]:
        """All items, or only the first `most`."""
        found: list[T] = []
        for page in self.pages():
            found += rows(page)
            if most is not None and len(found) >= most:
                return found[:most]
        return found

    def file(self, form: str = "csv") -> bytes:
        """The list as the service's own file, "csv" or "parquet", where it has one."""
        query = {**self._call.query, "format": form}
        call = Call("GET", self._call.address, bytes, self._call.path, query, repeat=True)
        return self._connection.exchange(call).body

    def to_polars(self, most: int | None = None) -> Any:
        """All items as a polars DataFrame."""
        return frames.polars()(frames.columns(self.all(most)))

    def to_pandas(self, most: int | None = None) -> Any:
        """All items as a pandas DataFrame."""
        return frames.pandas()(frames.columns(self.all(most)))

    def to_arrow(self, most: int | None = None) -> Any:
        """All items as an Arrow table."""
        return frames.arrow()(frames.columns(self.all(most)))


class AsyncPages(Generic[P, T]):
    """A list of the service. Iterating over it yields all items; each page is
    requested when it is needed.

    `limit`, if the call has one, is the size of a page.
    """

    def __init__(self, connection: AsyncConnection, call: Call[P]) -> None:
        self._connection, self._call = connection, call

    async def pages(self) -> AsyncIterator[P]:
        """Page by page, as the service sends them."""
        call: Call[P] | None = self._call
        while call is not None:
            reply = await self._connection.exchange(call)
            page = call.read(reply.body)
            yield page
            cursor = following(page, reply.headers)
            call = call.at(cursor) if cursor else None

    async def first(self) -> P:
        """The first page, in one request."""
        call = self._call
        return call.read((await self._connection.exchange(call)).body)

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for row in rows(page):
                yield row

    async def all(self, most: int | None = None) -> list[T]:
        """All items, or only the first `most`."""
        found: list[T] = []
        async for page in self.pages():
            found += rows(page)
            if most is not None and len(found) >= most:
                return found[:most]
        return found

    async def file(self, form: str = "csv") -> bytes:
        """The list as the service's own file, "csv" or "parquet", where it has one."""
        query = {**self._call.query, "format": form}
        call = Call("GET", self._call.address, bytes, self._call.path, query, repeat=True)
        return (await self._connection.exchange(call)).body

    async def to_polars(self, most: int | None = None) -> Any:
        """All items as a polars DataFrame."""
        return frames.polars()(frames.columns(await self.all(most)))

    async def to_pandas(self, most: int | None = None) -> Any:
        """All items as a pandas DataFrame."""
        return frames.pandas()(frames.columns(await self.all(most)))

    async def to_arrow(self, most: int | None = None) -> Any:
        """All items as an Arrow table."""
        return frames.arrow()(frames.columns(await self.all(most)))


Progress = Callable[[int, int], None]
"""Called with the number of questions that are done and the number of all questions."""

"""The HTTP client for the venues' APIs: connections, rate limits, retries, circuit breaker,
deadlines, size limits.

Every failure is raised as a `VenueError`, never as an exception of httpx2. Augury answers it with
the status 502. The statuses in this list are those that the venue sent:

VenueError              carries the venue and a plain text
├── Unreachable         refused, DNS, TLS, cut off, no answer in time
├── Throttled           429, or within the pause that a 429 asked for; `retry_after` seconds
├── VenueFailed         5xx
├── NoSuchRecord        404
├── RequestRejected     any other status that is not a success
├── BadAnswer           not JSON, another shape, too large, a redirect to another host
└── CircuitOpen         not sent: the breaker is open after 5 failures in a row
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar

import httpx2
import msgspec
import stamina
from prometheus_client import Counter, Gauge, Histogram

from augury import __version__
from augury.errors import UpstreamFailed
from augury.net import body
from augury.net.breaker import Breaker
from augury.net.cookies import no_cookies
from augury.net.flights import Flights, GivenUp
from augury.net.pause import retry_after

REQUESTS = Counter(
    "augury_venue_requests", "Requests sent to a venue, by how they ended.", ["venue", "outcome"]
)
SHARED = Counter(
    "augury_venue_shared_requests",
    "Requests that were not sent, because an identical one was already running.",
    ["venue"],
)
SECONDS = Histogram(
    "augury_venue_request_seconds", "Seconds that a venue took to answer in full.", ["venue"]
)
BREAKER = Gauge(
    "augury_venue_breaker_open",
    "1 while requests to a base URL of a venue are held back after failures.",
    ["venue", "base"],
)

# Every attempt is counted in REQUESTS. Logs of retries would mix with the output of a command.
stamina.instrumentation.set_on_retry_hooks([])

MAX_BYTES = 48 * 1024 * 1024
"""Maximum number of bytes of an answer, decompressed: four times the largest page seen from either
venue."""
MAX_REDIRECTS = 3
DEFAULT_PAUSE = 1.0
"""Seconds to wait after an answer with status 429 (too many requests) that states no wait."""

Params = Mapping[str, str | int | Sequence[str]]
Sleep = Callable[[float], Awaitable[None]]


class VenueError(UpstreamFailed):
    """A request to a venue failed. `detail` is plain text for the operator and the caller."""

    outcome: ClassVar[str] = "failed"
    unhealthy: ClassVar[bool] = False
    """Whether the circuit breaker counts this error as a failure of the venue."""
    retryable: ClassVar[bool] = False
    """Whether the same request may succeed if it is sent again soon."""

    def __init__(self, venue: str, problem: str, *, retry_after: float | None = None) -> None:
        """retry_after : seconds that the venue asked to wait; None if it did not say"""
        super().__init__(f"{venue.capitalize()} {problem}.", code="venue_failed")
        self.venue = venue
        self.problem = problem
        self.retry_after = retry_after


class Unreachable(VenueError):
    outcome, unhealthy, retryable = "unreachable", True, True


class Throttled(VenueError):
    outcome, retryable = "throttled", True


class VenueFailed(VenueError):
    outcome, unhealthy, retryable = "error", True, True


class NoSuchRecord(VenueError):
    outcome = "not_found"


class RequestRejected(VenueError):
    outcome = "rejected"


class BadAnswer(VenueError):
    outcome, unhealthy = "bad_answer", True


class CircuitOpen(VenueError):
    outcome = "not_asked"


@contextmanager
def parsing_answer_of(platform: str) -> Iterator[None]:
    """Context manager for code that parses an answer of the venue `platform`. A ValueError raised
    inside, which means that the answer has an unexpected shape, becomes a `BadAnswer`."""
    try:
        yield
    except ValueError as problem:
        raise BadAnswer(platform, f"answered in an unexpected shape: {problem}") from None


class TokenBucket:
    """Lets through at most `rate` requests per second in the long run, and `burst` at once.

    `acquire` never refuses a request. It reserves the next free time and sleeps until then, so that
    requests are sent in the order of the calls and, once the burst is used up, evenly spaced.
    """

    def __init__(
        self,
        rate: float,
        burst: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.rate, self.burst = rate, burst
        self._clock, self._sleep = clock, sleep
        self._level, self._at = burst, clock()

    async def acquire(self) -> None:
        """Wait until one more request may be sent."""
        now = self._clock()
        self._level = min(self.burst, self._level + (now - self._at) * self.rate) - 1
        self._at = now
        if self._level < 0:
            await self._sleep(-self._level / self.rate)


class VenueClient:
    """Gets JSON from one venue.

    Parameters
    ----------
    venue
        The venue's name in errors and metrics.
    bases
        Base URLs by a short name ("gamma": "https://..."). Each has its own circuit breaker.
    limits
        Maximum number of requests per second in the long run, by base ("gamma") or by base and
        first part of the path ("gamma/events"). Both limits apply to a request to gamma/events.
    deadline
        Maximum time of a whole call in seconds, including waits, retries and reading the body.
    attempts
        Maximum number of attempts of a call, within its deadline.
    """

    def __init__(
        self,
        venue: str,
        bases: Mapping[str, str],
        *,
        limits: Mapping[str, float],
        deadline: float = 10.0,
        attempts: int = 3,
        max_bytes: int = MAX_BYTES,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.venue = venue
        self.deadline = deadline
        self._bases = {name: url.rstrip("/") for name, url in bases.items()}
        self._attempts = attempts
        self._max_bytes = max_bytes
        self._clock, self._sleep = clock, sleep
        self._buckets = {
            name: TokenBucket(rate, max(1.0, rate), clock=clock, sleep=sleep)
            for name, rate in limits.items()
        }
        self._breakers = {name: Breaker(clock) for name in bases}
        self._problems = dict.fromkeys(bases, "failed repeatedly")
        self._paused_until = dict.fromkeys(bases, float("-inf"))
        self._flights = Flights[Any]()
        self._http = httpx2.AsyncClient(
            headers={
                "User-Agent": f"augury/{__version__}",
                "Accept": "application/json",
                # The only encoding that `body.read` can decompress with a size limit.
                "Accept-Encoding": "gzip",
            },
            timeout=httpx2.Timeout(deadline),
            limits=httpx2.Limits(max_connections=16, max_keepalive_connections=8),
            cookies=no_cookies(),
            transport=transport,
        )

    async def aclose(self) -> None:
        """Close the connections; calls in progress fail."""
        await self._flights.close()
        await self._http.aclose()

    async def get(
        self, base: str, path: str, params: Params | None = None, *, deadline: float | None = None
    ) -> Any:
        """The JSON answer to a GET of `path` below the base URL named `base`. Identical calls at
        the same time share one request.

        Raises
        ------
        VenueError
            On any failure, at the latest after `deadline` seconds.
        """
        url = self._url(base, path, params or {})
        seconds = deadline or self.deadline
        if url in self._flights:
            SHARED.labels(self.venue).inc()
        try:
            async with asyncio.timeout(seconds):
                return await self._flights.join(url, lambda: self._call(base, path, url, seconds))
        except TimeoutError:
            raise Unreachable(self.venue, "did not answer in time") from None
        except GivenUp:
            raise Unreachable(self.venue, "did not answer before Augury stopped") from None

    def _url(self, base: str, path: str, params: Params) -> str:
        pairs = [
            (key, str(one))
            for key, value in params.items()
            for one in ((value,) if isinstance(value, str | int) else value)
        ]
        url = httpx2.URL(f"{self._bases[base]}{path}")
        return str(url.copy_with(params=pairs) if pairs else url)

    async def _call(self, base: str, path: str, url: str, deadline: float) -> Any:
        ends_at = self._clock() + deadline
        try:
            async with asyncio.timeout(deadline):
                async for attempt in stamina.retry_context(
                    on=lambda exc: self._wait_before_retry(exc, ends_at),
                    attempts=self._attempts,
                    timeout=deadline,
                    wait_initial=0.2,
                    wait_max=5.0,
                    wait_jitter=0.2,
                ):
                    with attempt:
                        return await self._attempt(base, path, url)
        except TimeoutError:
            raise Unreachable(self.venue, "did not answer in time") from None
        raise AssertionError(
            "internal error: the retry loop ended without a result or an exception"
        )

    def _wait_before_retry(self, exc: Exception, ends_at: float) -> bool | float:
        """Function that the library stamina calls after a failed attempt. Returns the seconds that
        the venue asked to wait, True for the usual pause before a retry, or False for no retry."""
        if not isinstance(exc, VenueError) or not exc.retryable:
            return False
        if exc.retry_after is None:
            return True
        # No retry: a wait past the deadline would end in a timeout and hide what the venue said.
        return exc.retry_after if self._clock() + exc.retry_after < ends_at else False

    async def _attempt(self, base: str, path: str, url: str) -> Any:
        for name in (base, f"{base}/{path.strip('/').split('/', 1)[0]}"):
            if (bucket := self._buckets.get(name)) is not None:
                await bucket.acquire()
        with self._watched(base):
            pause = self._paused_until[base] - self._clock()
            if pause > 0:
                raise Throttled(self.venue, "asked for fewer requests", retry_after=pause)
            began = time.perf_counter()
            answer = await self._fetch(base, url)
            SECONDS.labels(self.venue).observe(time.perf_counter() - began)
            return answer

    @contextmanager
    def _watched(self, base: str) -> Iterator[None]:
        """Context manager for one attempt of a request. Raises CircuitOpen if the circuit breaker
        of `base` does not admit the attempt; counts its result in the breaker and the metrics."""
        breaker = self._breakers[base]
        if not breaker.admits():
            REQUESTS.labels(self.venue, CircuitOpen.outcome).inc()
            raise CircuitOpen(
                self.venue,
                f"{self._problems[base]}; requests to it are paused for "
                f"{max(1.0, breaker.retry_in()):.0f} s",
                retry_after=max(1.0, breaker.retry_in()),
            )
        healthy: bool | None = None
        outcome = "gave_up"
        try:
            yield
            healthy, outcome = True, "ok"
        except VenueError as exc:
            outcome = exc.outcome
            if isinstance(exc, Throttled) and exc.retry_after is not None:
                self._paused_until[base] = max(
                    self._paused_until[base], self._clock() + exc.retry_after
                )
            self._problems[base] = exc.problem
            # A 4xx shows that the venue answers. A 429 counts neither as success nor as failure.
            healthy = None if isinstance(exc, Throttled) else not exc.unhealthy
            raise
        except asyncio.CancelledError:
            # The deadline passed while the venue was answering.
            self._problems[base] = "did not answer in time"
            healthy = False
            outcome = Unreachable.outcome
            raise
        finally:
            breaker.record(healthy)
            BREAKER.labels(self.venue, base).set(breaker.is_open)
            REQUESTS.labels(self.venue, outcome).inc()

    async def _fetch(self, base: str, url: str) -> Any:
        try:
            target = httpx2.URL(url)
            for _ in range(MAX_REDIRECTS + 1):
                async with self._http.stream("GET", target) as response:
                    if response.is_redirect:
                        target = self._redirected(base, target, response)
                        continue
                    self._check_status(response)
                    self._check_type(response)
                    return self._decoded(await self._body(response))
        except httpx2.TimeoutException:
            raise Unreachable(self.venue, "did not answer in time") from None
        except httpx2.ConnectError as exc:
            raise Unreachable(self.venue, _connect_problem(exc)) from None
        except (httpx2.TransportError, httpx2.StreamError) as exc:
            raise Unreachable(self.venue, f"cut its answer short ({type(exc).__name__})") from None
        except (httpx2.InvalidURL, httpx2.HTTPError) as exc:
            raise BadAnswer(self.venue, f"gave an unusable answer ({exc})"[:200]) from None
        raise BadAnswer(self.venue, f"redirects more than {MAX_REDIRECTS} times")

    def _redirected(self, base: str, target: httpx2.URL, response: httpx2.Response) -> httpx2.URL:
        """The target of a redirect, which must have the same scheme, host and port as the base."""
        try:
            there = target.join(response.headers.get("location", ""))
        except httpx2.InvalidURL:
            raise BadAnswer(self.venue, "redirects to an invalid address") from None
        home = httpx2.URL(self._bases[base])
        if (there.scheme, there.host, there.port) != (home.scheme, home.host, home.port):
            raise BadAnswer(self.venue, f"redirects to another host ({there.host[:80]})")
        return there

    def _check_status(self, response: httpx2.Response) -> None:
        status = response.status_code
        if 200 <= status < 300:
            return
        wait = retry_after(response.headers.get("retry-after"), datetime.now(UTC))
        if status == 429:
            raise Throttled(
                self.venue,
                "asked for fewer requests",
                retry_after=DEFAULT_PAUSE if wait is None else wait,
            )
        if status == 404:
            raise NoSuchRecord(self.venue, "does not know that record")
        if status >= 500:
            raise VenueFailed(self.venue, f"answered with status {status}", retry_after=wait)
        raise RequestRejected(self.venue, f"refused the request with status {status}")

    def _check_type(self, response: httpx2.Response) -> None:
        kind = response.headers.get("content-type", "application/json").split(";")[0].strip()
        if "html" in kind.lower() or "xml" in kind.lower():
            raise BadAnswer(self.venue, f"answered with {kind[:60]} instead of JSON")

    async def _body(self, response: httpx2.Response) -> bytes:
        try:
            return await body.read(response, self._max_bytes)
        except body.Broken as error:
            raise Unreachable(self.venue, str(error)) from None
        except body.BodyError as error:
            raise BadAnswer(self.venue, str(error)) from None

    def _decoded(self, body: bytes) -> Any:
        try:
            return decode_json(body)
        except (ValueError, RecursionError):
            start = body[:40].lstrip().lower()
            kind = "HTML" if start.startswith((b"<!doctype", b"<html")) else "something"
            raise BadAnswer(self.venue, f"answered with {kind} that is not JSON") from None


def decode_json(body: bytes) -> Any:
    """The JSON value in `body`. A lone surrogate, which the fast decoder refuses, is tolerated.

    Raises
    ------
    ValueError
        When `body` is not JSON.
    RecursionError
        When `body` is nested too deeply.
    """
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return json.loads(body.decode("utf-8", "replace"), parse_constant=lambda _: None)


def _connect_problem(exc: Exception) -> str:
    """Why the connection failed, in plain words: "can't be reached (no connection)"."""
    seen: BaseException | None = exc
    while seen is not None:
        if isinstance(seen, ssl.SSLError):
            return "can't be reached (TLS failed, or its certificate is not valid)"
        if isinstance(seen, OSError) and not isinstance(seen, ConnectionError):
            break
        seen = seen.__cause__ or seen.__context__
    lowered = str(exc).lower()
    if "certificate" in lowered or "ssl" in lowered or "tls" in lowered:
        return "can't be reached (TLS failed, or its certificate is not valid)"
    if any(word in lowered for word in ("name", "getaddrinfo", "nodename", "resolution")):
        return "can't be reached (its host name does not resolve)"
    return "can't be reached (no connection)"

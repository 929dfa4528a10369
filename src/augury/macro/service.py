"""Forwards requests to the macro runtime, another HTTP service of the operator, e.g. one with
economic data. Identical GET requests that run at the same time share one call, answers are cached,
and every call has a deadline.

Of the caller's headers, only those in `SENT` are sent to the macro runtime (the upstream service).
Of the headers in its answer, only those in `PASSED` are returned, with Cache-Control and Age from
the cache. Augury's own credential is added to each request; an answer that contains it is
discarded.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import httpx2
import structlog
from prometheus_client import Counter, Gauge, Histogram

from augury import __version__
from augury.errors import AuguryError, Unavailable, UpstreamFailed
from augury.macro import caching, target
from augury.macro.caching import Stored
from augury.macro.credential import Credential
from augury.net import body
from augury.net.breaker import Breaker
from augury.net.cookies import no_cookies
from augury.net.flights import Flights, GivenUp
from augury.settings import Settings

log = structlog.get_logger(__name__)

REQUESTS = Counter(
    "augury_macro_requests",
    "Requests for the macro runtime, by route, method, status and use of the cache. hit: answered "
    "from the cache. miss: answered by the macro runtime. stale: answered from the cache because "
    "the macro runtime failed. none: Augury returned an error of its own.",
    ["route", "method", "cache", "status"],
)
UPSTREAM = Counter(
    "augury_macro_upstream_requests",
    "Requests sent to the macro runtime, the service to which Augury forwards requests.",
    ["route", "outcome"],
)
SECONDS = Histogram(
    "augury_macro_upstream_seconds", "Seconds the macro runtime took to answer in full.", ["route"]
)
BREAKER = Gauge(
    "augury_macro_breaker_open",
    "1 while requests to the macro runtime are paused because it failed repeatedly, else 0.",
)

MAX_BYTES = 5 * 1024 * 1024
"""Largest size of an answer that is accepted from the upstream service (the macro runtime), in
bytes after decompression."""
CACHE_BYTES = 64 * 1024 * 1024
"""Upper limit on the total size of the stored answers of the upstream service, in bytes. The least
recently used answers are dropped first."""
MAX_REDIRECTS = 3
MOST_ROUTES = 50
"""Largest number of routes that metrics count separately; all others are counted together as
`other`. A route is the first part of the path at the upstream service (the macro runtime)."""

SENT: Final = ("accept", "accept-language", "content-type", "traceparent", "tracestate")
"""Names of the caller's headers that are sent on to the upstream service (the macro runtime)."""
PASSED: Final = (
    "content-type", "content-language", "content-disposition", "etag", "last-modified", "expires",
    "retry-after", "vary",
)  # fmt: skip
"""Names of the headers in the upstream service's answer that are passed on to the caller."""
_KEPT = (*PASSED, "cache-control", "age", "date")
_ACTIVE = ("html", "xml", "javascript", "ecmascript")
"""The upstream service's answer is refused if its media type contains one of these words, because a
browser might run it as a page of Augury."""

Cache = Literal["hit", "miss", "stale"]


@dataclass(frozen=True)
class Call:
    """A caller's request to be passed on to the upstream service. Names in `headers` are in lower
    case; only those in `SENT` are passed on, and Cache-Control and Pragma control the cache."""

    method: str
    raw_path: bytes
    query: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    request_id: str = ""


@dataclass(frozen=True)
class ProxiedAnswer:
    """The answer for the caller. `cache` says where it comes from: the cache (`hit`), the upstream
    service (`miss`), or the cache because the upstream service failed (`stale`)."""

    status: int
    headers: dict[str, str]
    body: bytes
    cache: Cache


class NotConfigured(Unavailable):
    code = "not_configured"


class RuntimeFailed(UpstreamFailed):
    """Raised when the upstream service behind the proxy gave no usable answer."""

    code = "macro_runtime_failed"


class CredentialRefused(UpstreamFailed):
    """Raised when the upstream service rejects the credential that Augury sends. Only the operator
    can change the credential."""

    code = "macro_runtime_refused"


class NotStored(UpstreamFailed):
    """Raised when the caller accepts only a stored answer, but there is none that may be used (RFC
    9111, section 5.2.1.7)."""

    status, code = 504, "not_stored"


class _Trouble(Exception):
    """Raised for a failure of the upstream service, with the `error` for the caller. `healthy` is
    reported to the circuit breaker: False counts as a failure, None does not count."""

    def __init__(self, error: AuguryError, *, healthy: bool | None = False) -> None:
        super().__init__(str(error))
        self.error, self.healthy = error, healthy


_Key = tuple[str, str, str]
"""Key of a stored answer to a GET request: (URL, Accept header, Accept-Language header) of the
request. Requests that agree in all three get the same answer."""


class MacroRuntime:
    """The proxy to one upstream service, the macro runtime. The macro runtime is a service of the
    operator's own, e.g. with economic data. If the settings have no address for it, every request
    is refused with 503.

    Parameters
    ----------
    clock
        Seconds since 1970.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.time,
        breaker: Breaker | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        url, key = settings.macro_runtime_url, settings.macro_runtime_key
        self._base = target.base_of(url) if url else None
        self._credential = Credential(key.get_secret_value() if key else "")
        self._deadline = settings.macro_runtime_timeout
        self._window = settings.macro_runtime_stale
        self._clock = clock
        self._breaker = breaker or Breaker()
        self._kept: OrderedDict[_Key, Stored] = OrderedDict()
        self._bytes = 0
        self._flights = Flights[Stored]()
        self._routes: set[str] = set()
        self._transport = transport
        self._http: httpx2.AsyncClient | None = None

    async def aclose(self) -> None:
        """Close the connections to the upstream service; requests under way fail."""
        await self._flights.close()
        if self._http is not None:
            await self._http.aclose()

    async def forward(self, call: Call) -> ProxiedAnswer:
        """Pass a request on. Returns the upstream service's answer, or a stored one.

        Raises
        ------
        AuguryError
            422 for a path or query that is not allowed; 502 or 503 if the upstream service fails or
            does not answer within `macro_runtime_timeout` seconds; 503 if no upstream address is
            configured; 504 if the caller accepts only a stored answer, but there is none that
            may be used.
        """
        if self._base is None:
            raise NotConfigured(
                "The macro runtime is not configured. It is a data service of the operator, to "
                "which Augury passes requests on. The operator has to set "
                "AUGURY_MACRO_RUNTIME_URL.",
                retry_after=60,
            )
        url = target.below(self._base, call.raw_path, call.query)
        route = self._route(url)
        cache, status = "none", "502"
        try:
            answer = await (
                self._get(call, url) if call.method in ("GET", "HEAD") else self._write(call, url)
            )
            cache, status = answer.cache, str(answer.status)
            return answer
        except AuguryError as error:
            status = str(error.status)
            raise
        finally:
            REQUESTS.labels(route, call.method, cache, status).inc()

    # Reading

    async def _get(self, call: Call, url: str) -> ProxiedAnswer:
        asked = caching.directives(call.headers)
        key = (url, call.headers.get("accept", ""), call.headers.get("accept-language", ""))
        stored = self._kept.get(key)
        if stored is not None and caching.may_reuse(asked, stored, self._clock()):
            self._kept.move_to_end(key)
            return self._answer(stored, "hit")
        if "only-if-cached" in asked:
            raise NotStored(
                "No stored answer is recent enough, and the request forbids fetching a new "
                "one (Cache-Control: only-if-cached)."
            )
        try:
            found = await self._shared(key, call, stored, keep="no-store" not in asked)
        except _Trouble as trouble:
            now = self._clock()
            if stored is None or not caching.may_stand_in(asked, stored, now, self._window):
                raise trouble.error from None
            log.info("macro_data_source_failed_stored_answer_served", reason=str(trouble))
            return self._answer(stored, "stale")
        was_confirmed = stored is not None and found.body is stored.body
        return self._answer(found, "hit" if was_confirmed else "miss")

    async def _shared(self, key: _Key, call: Call, stored: Stored | None, *, keep: bool) -> Stored:
        """The upstream service's answer to a GET. Callers that ask for the same `key` at the same
        time share one request. `keep`: whether the answer may be stored."""
        try:
            return await self._flights.join(key, lambda: self._fetch(key, call, stored, keep=keep))
        except GivenUp:
            raise _Trouble(_late()) from None

    async def _fetch(self, key: _Key, call: Call, stored: Stored | None, *, keep: bool) -> Stored:
        conditional = caching.validators(stored) if stored else {}
        began = self._clock()
        answer = await self._send("GET", key[0], call, conditional)
        ended = self._clock()
        fresh = answer
        if answer.status == 304 and stored is not None:
            fresh = caching.freshened(stored, answer.headers, began, ended)
        if keep and caching.may_store({}, fresh):
            self._keep(key, fresh)
        else:
            self._drop(key)
        return fresh

    def _keep(self, key: _Key, stored: Stored) -> None:
        self._drop(key)
        self._kept[key] = stored
        self._bytes += _size(key, stored)
        while self._bytes > CACHE_BYTES:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: _Key) -> None:
        gone = self._kept.pop(key, None)
        if gone is not None:
            self._bytes -= _size(key, gone)

    # Writing

    async def _write(self, call: Call, url: str) -> ProxiedAnswer:
        try:
            answer = await self._send(call.method, url, call, {})
        except _Trouble as trouble:
            raise trouble.error from None
        if answer.status < 400 and call.method != "OPTIONS":
            for key in [key for key in self._kept if key[0] == url]:
                self._drop(key)  # RFC 9111, section 4.4
        return self._answer(answer, "miss")

    # The wire

    async def _send(self, method: str, url: str, call: Call, conditional: dict[str, str]) -> Stored:
        """Send one request to the upstream service, with the deadline, and count it in the metrics.
        Raises CredentialRefused or, for failures after which a stored answer may be returned,
        `_Trouble`. If the circuit breaker is open, the request is not sent, and `_Trouble` is
        raised."""
        route = self._route(url)
        if not self._breaker.admits():
            UPSTREAM.labels(route, "not_asked").inc()
            wait = max(1.0, self._breaker.retry_in())
            raise _Trouble(
                Unavailable(
                    "The macro runtime failed repeatedly. Requests to it are paused for 30 s.",
                    retry_after=wait,
                    code="macro_runtime_resting",
                ),
                healthy=None,
            )
        healthy: bool | None = None
        outcome = "gave_up"
        began = time.perf_counter()
        try:
            async with asyncio.timeout(self._deadline):
                answer = await self._exchange(method, url, call, conditional)
            healthy, outcome = True, "ok" if answer.status < 400 else "refused"
            self._learn(answer, url)
            return answer
        except (TimeoutError, httpx2.TimeoutException):
            healthy, outcome = False, "late"
            raise _Trouble(_late()) from None
        except body.BodyError as error:
            healthy, outcome = False, "bad_answer"
            raise _Trouble(RuntimeFailed(f"The macro runtime {error}.")) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            healthy, outcome = False, "unreachable"
            text = f"The macro runtime can't be reached ({type(error).__name__})."
            raise _Trouble(RuntimeFailed(text)) from None
        except CredentialRefused:
            healthy, outcome = True, "unauthorized"
            raise
        except _Trouble as trouble:
            healthy = trouble.healthy
            outcome = "throttled" if healthy is None else "failed"
            raise
        finally:
            self._breaker.record(healthy)
            BREAKER.set(self._breaker.is_open)
            UPSTREAM.labels(route, outcome).inc()
            SECONDS.labels(route).observe(time.perf_counter() - began)

    async def _exchange(
        self, method: str, url: str, call: Call, conditional: dict[str, str]
    ) -> Stored:
        headers = {name: call.headers[name] for name in SENT if name in call.headers} | conditional
        if self._credential.secret:
            headers["authorization"] = f"Bearer {self._credential.secret}"
        if call.request_id:
            headers["x-request-id"] = call.request_id
        goal = httpx2.URL(url)
        for _ in range(MAX_REDIRECTS + 1):
            asked_at = self._clock()
            async with self._client().stream(
                method, goal, headers=headers, content=call.body or None
            ) as response:
                if response.has_redirect_location:
                    goal = self._redirected(method, goal, response)
                    continue
                self._judge(response, asked_whether=bool(conditional))
                content = await body.read(response, MAX_BYTES)
                if await asyncio.to_thread(self._credential.is_in, content):
                    raise _Trouble(
                        RuntimeFailed(
                            "The macro runtime's answer contains Augury's credential, so it was "
                            "discarded."
                        )
                    )
                kept = {name: response.headers[name] for name in _KEPT if name in response.headers}
                return Stored(response.status_code, kept, content, asked_at, self._clock())
        raise _Trouble(
            RuntimeFailed(f"The macro runtime redirected more than {MAX_REDIRECTS} times.")
        )

    def _redirected(self, method: str, goal: httpx2.URL, response: httpx2.Response) -> httpx2.URL:
        """The URL that a redirect leads to. Raises `_Trouble` if the method is not GET, or if the
        URL is not below the upstream service's address."""
        elsewhere = _Trouble(
            RuntimeFailed(
                "The macro runtime redirects to an address outside its base URL, or redirects "
                "a request other than GET. Augury does not follow such redirects."
            )
        )
        if method != "GET":
            raise elsewhere
        try:
            there = goal.join(response.headers.get("location", ""))
        except httpx2.InvalidURL:
            raise elsewhere from None
        home = httpx2.URL(f"{self._base}/")
        same = (there.scheme, there.host, there.port) == (home.scheme, home.host, home.port)
        path, _, query = there.raw_path.partition(b"?")
        if not same or there.userinfo or not path.startswith(home.raw_path):
            raise elsewhere
        # Checked undecoded, like a caller's path: a server may read "%2e%2e" as "..".
        below = target.PREFIX.encode() + path.removeprefix(home.raw_path)
        try:
            return httpx2.URL(target.below(self._base or "", below, query))
        except AuguryError:
            raise elsewhere from None

    def _judge(self, response: httpx2.Response, *, asked_whether: bool) -> None:
        """Raise an error if the upstream service's answer may not be passed on to the caller.
        `asked_whether`: the request asked whether a stored answer is still valid, so a 304 is
        allowed."""
        status = response.status_code
        if status == 429:
            stated = response.headers.get("retry-after", "")
            wait = min(300.0, float(stated)) if stated.isascii() and stated.isdigit() else 1.0
            raise _Trouble(
                Unavailable(
                    "The macro runtime received too many requests (status 429). Try again later.",
                    retry_after=wait,
                    code="macro_runtime_throttled",
                ),
                healthy=None,
            )
        if status in (401, 403, 407):
            raise CredentialRefused(
                "The macro runtime rejects Augury's credential. The operator has to check "
                "AUGURY_MACRO_RUNTIME_KEY."
            )
        if status >= 500 or status < 200 or (status == 304 and not asked_whether):
            raise _Trouble(RuntimeFailed(f"The macro runtime answered with status {status}."))
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if any(word in kind for word in _ACTIVE):
            raise _Trouble(
                RuntimeFailed("The macro runtime answered with a web page instead of data.")
            )

    def _client(self) -> httpx2.AsyncClient:
        if self._http is None:  # on first use: most services have no macro runtime
            self._http = httpx2.AsyncClient(
                # Only encodings that `body.read` can decompress with a limit on the size.
                headers={"User-Agent": f"augury/{__version__}", "Accept-Encoding": "gzip"},
                timeout=self._deadline,
                limits=httpx2.Limits(max_connections=64, max_keepalive_connections=16),
                transport=self._transport,
                cookies=no_cookies(),
            )
        return self._http

    def _answer(self, stored: Stored, cache: Cache) -> ProxiedAnswer:
        headers = {name: stored.headers[name] for name in PASSED if name in stored.headers}
        if (control := caching.for_callers(stored.headers)) is not None:
            headers["cache-control"] = control
        if cache != "miss" or "age" in stored.headers:
            headers["age"] = str(int(stored.age(self._clock())))
        if self._credential.secret:
            headers = {n: v for n, v in headers.items() if not self._credential.is_in(v.encode())}
        return ProxiedAnswer(stored.status, headers, stored.body, cache)

    # Metrics

    def _learn(self, answer: Stored, url: str) -> None:
        """Remember the first part of a URL's path if the upstream service answered it without an
        error. Only such parts become labels of metrics, so that callers can't add labels at
        will."""
        if answer.status < 400 and len(self._routes) < MOST_ROUTES:
            self._routes.add(self._first_part(url))

    def _route(self, url: str) -> str:
        name = self._first_part(url)
        return name if name in self._routes else "other"

    def _first_part(self, url: str) -> str:
        return url.removeprefix(f"{self._base}/").partition("?")[0].partition("/")[0]


def _late() -> Unavailable:
    return Unavailable("The macro runtime did not answer in time.", code="macro_runtime_late")


def _size(key: _Key, stored: Stored) -> int:
    return len(stored.body) + sum(map(len, key)) + 1024

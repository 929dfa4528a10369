"""Limits for each caller: request rates, counted in PostgreSQL or Redis for all processes together,
and requests that run at the same time, counted in each process."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import structlog

from augury.errors import AuguryError, RateLimited, SetupProblem
from augury.http import metrics, store
from augury.http.exchange import Exchange
from augury.http.gcra import Decision, Rate

if TYPE_CHECKING:
    from augury.storage.database import Database

log = structlog.get_logger("augury.http")


@dataclass(frozen=True, slots=True)
class LimitPolicy:
    """The limits on the requests that one caller sends to a group of routes."""

    name: str
    """Name, in headers and errors, of the group of routes that share these limits, e.g.
    `search`."""
    rate: Rate
    in_flight: int | None = None
    """Maximum number of requests that one process answers at the same time; None: no limit."""
    fail_open: bool = False
    """Whether requests pass unlimited while the store of the counts (PostgreSQL, Redis) fails."""
    remedy: str = ""
    """Sentence in the error that tells the caller how to get a higher limit."""


class Limiter(Protocol):
    """Counts requests under keys, and decides whether one more is allowed. A key names a limit and
    a caller, e.g. "search:key_0123...". Raises an error when the store of the counts fails."""

    async def take(self, key: str, rate: Rate) -> Decision: ...

    async def close(self) -> None: ...


class PostgresLimiter:
    """Counts requests in an unlogged table of PostgreSQL, by one call of the SQL function
    `augury_take` for each request; exact over any number of processes."""

    SWEEP_EVERY = 60.0

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database
        self._next_sweep = 0.0
        self._sweeping: asyncio.Task[None] | None = None

    async def take(self, key: str, rate: Rate) -> Decision:
        async with self._database().reading() as conn:
            decision = await store.take(conn, key, rate)
        if time.monotonic() >= self._next_sweep:
            self._next_sweep = time.monotonic() + self.SWEEP_EVERY
            self._sweeping = asyncio.create_task(self._sweep())
        return decision

    async def _sweep(self) -> None:
        try:
            async with self._database().reading() as conn:
                await store.sweep(conn)
        except Exception as exc:
            log.warning("expired_rate_limits_not_deleted", error=type(exc).__name__)

    async def close(self) -> None:
        """Do nothing: the database belongs to the service."""


# The algorithm of gcra.py in one round trip, by the Redis server's clock, so that processes agree.
_REDIS_TAKE = """
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
local window = interval * burst
local tat = tonumber(redis.call('GET', KEYS[1]) or now)
local base = math.min(math.max(tat, now), now + window)
if base + interval - now > window then
  local free = math.floor((now + window - base) / interval)
  return {0, base + interval - window - now, free, base - now}
end
base = base + interval
redis.call('SET', KEYS[1], string.format('%.0f', base), 'PX', math.ceil((base - now) / 1000))
return {1, 0, math.floor((now + window - base) / interval), base - now}
"""


class RedisLimiter:
    """Counts requests in Redis, for installations with many machines and a high load."""

    def __init__(self, url: str) -> None:
        try:
            from redis.asyncio import Redis  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise SetupProblem(
                "AUGURY_REDIS_URL is set, but the Redis client is not installed: "
                "pip install 'augury[redis]'."
            ) from None
        try:
            self._redis = Redis.from_url(url, socket_timeout=1.0, socket_connect_timeout=1.0)
        except ValueError:
            raise SetupProblem(
                "AUGURY_REDIS_URL is not a Redis address such as redis://localhost:6379."
            ) from None
        self._script = self._redis.register_script(_REDIS_TAKE)

    async def take(self, key: str, rate: Rate) -> Decision:
        allowed, retry_after, remaining, reset = await self._script(
            keys=[f"augury:limit:{key}"], args=[rate.interval, rate.burst]
        )
        return Decision(bool(allowed), retry_after / 1e6, remaining, reset / 1e6)

    async def close(self) -> None:
        await self._redis.aclose()


class InFlight:
    """Counts the requests that this process is answering now, by a key such as
    "search:key_0123..."."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def enter(self, key: str, most: int) -> Callable[[], None] | None:
        """Count a request of `key`. Returns the function to call when the request ends; None if
        `most` requests of the key are in flight already."""
        if self._counts[key] >= most:
            return None
        self._counts[key] += 1

        def leave() -> None:
            self._counts[key] -= 1
            if self._counts[key] <= 0:
                del self._counts[key]

        return leave


async def enforce(
    policy: LimitPolicy, key: str, exchange: Exchange, limiter: Limiter, in_flight: InFlight
) -> None:
    """Let a request pass under the limit `policy`, or raise RateLimited. In both cases the answer
    gets headers about the rate limit, unless too many requests of the caller are in flight or the
    store of the counts fails.

    The headers follow draft-ietf-httpapi-ratelimit-headers-10: the quota `q` of the policy and its
    window `w` in seconds, the remaining requests `r`, and the seconds `t` until the whole quota is
    available again.
    """
    key = f"{policy.name}:{key}"
    if policy.in_flight is not None:
        leave = in_flight.enter(key, policy.in_flight)
        if leave is None:
            metrics.refused.labels(policy.name, "in_flight").inc()
            most = "1 request" if policy.in_flight == 1 else f"{policy.in_flight} requests"
            raise RateLimited(
                f"Limit reached: {policy.name}, at most {most} at the same time. "
                f"Wait for one to end. {policy.remedy}".strip(),
                code="too_many_in_flight",
            )
        exchange.at_end.append(leave)
    rate = policy.rate
    try:
        decision = await limiter.take(key, rate)
    except Exception as exc:
        if not policy.fail_open or (isinstance(exc, AuguryError) and exc.status < 500):
            raise
        # While the store fails, answering without a limit is better than refusing everybody.
        metrics.limiter_failures.labels(policy.name).inc()
        log.warning(
            "request_allowed_without_rate_limit",
            policy=policy.name,
            error=type(exc).__name__,
        )
        return
    window = math.ceil(rate.burst * rate.interval / 1e6)
    exchange.headers["RateLimit-Policy"] = f'"{policy.name}";q={rate.burst};w={window}'
    exchange.headers["RateLimit"] = (
        f'"{policy.name}";r={decision.remaining};t={math.ceil(decision.reset)}'
    )
    if not decision.allowed:
        metrics.refused.labels(policy.name, "rate").inc()
        wait = max(1, math.ceil(decision.retry_after))
        raise RateLimited(
            f"Limit reached: {policy.name}, {rate.text}. Retry in {wait} s. "
            f"{policy.remedy}".strip(),
            retry_after=decision.retry_after,
        )


class RefusalsKept:
    """Wraps a limiter and remembers which keys (a key names a limit and a caller) it refused, and
    until when. Until then, requests with this key are refused from memory, without asking the
    database or Redis, even in a flood. This changes no limit, because refused requests do not count
    against it."""

    MAX_REFUSED_KEYS: int = 100_000
    """Maximum number of refused keys that are kept in memory. Each key names a limit and a caller
    who exceeded it. If there are more, those refused longest ago are forgotten."""

    def __init__(self, limiter: Limiter, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.limiter = limiter
        self._monotonic = monotonic
        self._refused: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Key -> (time until which its requests are refused, time at which its whole burst is
        available again), by the monotonic clock in seconds."""

    async def take(self, key: str, rate: Rate) -> Decision:
        at = self._monotonic()
        if (known := self._refused.get(key)) is not None:
            until, whole = known
            if at < until:
                return Decision(False, until - at, 0, whole - at)
            del self._refused[key]
        decision = await self.limiter.take(key, rate)
        if not decision.allowed:
            # Counted from before the limiter was asked, so a refusal never
            # lasts longer than it said.
            self._refused[key] = (at + decision.retry_after, at + decision.reset)
            while len(self._refused) > self.MAX_REFUSED_KEYS:
                self._refused.popitem(last=False)
        return decision

    async def close(self) -> None:
        await self.limiter.close()


def make_limiter(redis_url: str | None, database: Callable[[], Any]) -> Limiter:
    """A limiter that counts in Redis if `redis_url` is given, else in the database."""
    return RefusalsKept(RedisLimiter(redis_url) if redis_url else PostgresLimiter(database))

"""The polite client: every failure typed and in time, breaker, pauses, sharing, caps."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest
from tests.pace import SLACK

from augury.venues.http import (
    BadAnswer,
    CircuitOpen,
    NoSuchRecord,
    RequestRejected,
    Throttled,
    TokenBucket,
    Unreachable,
    VenueClient,
    VenueError,
    VenueFailed,
    decode_json,
)

pytestmark = pytest.mark.anyio

Handler = Callable[[httpx2.Request], Any]


class VirtualTime:
    """A clock that moves only by sleeping."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Streaming(httpx2.MockTransport):
    """Bodies arrive as a stream, as they do from a network."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if response.is_stream_consumed:
            body = httpx2.ByteStream(response.content)
            response = httpx2.Response(response.status_code, headers=response.headers, stream=body)
        return response


def client(handler: Handler, **options: Any) -> VenueClient:
    options = {"limits": {}, "attempts": 1, **options}
    transport = Streaming(handler)
    return VenueClient("kalshi", {"api": "http://venue.test/v2"}, transport=transport, **options)


async def chunks(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), 4_096):
        yield body[start : start + 4_096]


def answering(status: int = 200, **kwargs: Any) -> Handler:
    return lambda request: httpx2.Response(status, **kwargs)


async def test_parameters_and_ids_reach_the_venue_as_meant() -> None:
    seen: list[str] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        seen.append(str(request.url))
        return httpx2.Response(200, json=[])

    await client(handler).get("api", "/markets/a%2Fb", {"id": ["1", "2"], "limit": 2})
    assert seen == ["http://venue.test/v2/markets/a%2Fb?id=1&id=2&limit=2"]


@pytest.mark.parametrize(
    ("handler", "kind", "words"),
    [
        (answering(404), NoSuchRecord, "does not know"),
        (answering(400), RequestRejected, "status 400"),
        (answering(500), VenueFailed, "status 500"),
        (answering(429, headers={"retry-after": "12"}), Throttled, "fewer requests"),
        (answering(200, html="<!doctype html>"), BadAnswer, "text/html"),
        (
            answering(200, text="<!DOCTYPE html>", headers={"content-type": "x/y"}),
            BadAnswer,
            "HTML",
        ),
        (answering(200, content=b"{", headers={"content-type": "x/y"}), BadAnswer, "not JSON"),
        (answering(200, content=b"[" * 200_000), BadAnswer, "not JSON"),
        (
            answering(302, headers={"location": "http://169.254.169.254/"}),
            BadAnswer,
            "another host",
        ),
        (answering(302, headers={"location": "https://venue.test/v2"}), BadAnswer, "another host"),
        (answering(302, headers={"location": "/v2/again"}), BadAnswer, "redirects more than"),
        (answering(200, content=b"x", headers={"content-encoding": "br"}), BadAnswer, "requested"),
    ],
)
async def test_failures_have_a_type_and_plain_words(
    handler: Handler, kind: type[VenueError], words: str
) -> None:
    with pytest.raises(kind, match=words) as caught:
        await client(handler).get("api", "/markets")
    assert str(caught.value).startswith("Kalshi ")
    assert caught.value.status == 502


async def test_a_redirect_within_the_venue_is_followed() -> None:
    def handler(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/v2/old":
            return httpx2.Response(301, headers={"location": "/v2/new"})
        return httpx2.Response(200, json={"path": request.url.path})

    assert await client(handler).get("api", "/old") == {"path": "/v2/new"}


async def test_a_gzip_bomb_is_cut_off_at_the_cap() -> None:
    bomb = gzip.compress(b" " * 20_000_000, 1)
    handler = answering(
        200,
        content=chunks(bomb),
        headers={"content-encoding": "gzip", "content-type": "application/json"},
    )
    with pytest.raises(BadAnswer, match="more than 1 MiB"):
        await client(handler, max_bytes=1_048_576).get("api", "/markets")


async def test_gzip_is_read() -> None:
    handler = answering(
        200, content=chunks(gzip.compress(b'{"a": 1}')), headers={"content-encoding": "gzip"}
    )
    assert await client(handler).get("api", "/markets") == {"a": 1}


async def test_a_trickling_body_ends_with_the_deadline() -> None:
    async def trickle() -> AsyncIterator[bytes]:
        while True:
            yield b" "
            await asyncio.sleep(0.01)

    handler = answering(200, content=trickle())
    began = time.monotonic()
    with pytest.raises(Unreachable, match="in time"):
        await client(handler, deadline=0.2).get("api", "/markets")
    assert time.monotonic() - began < 0.2 + SLACK


async def test_failures_are_retried_within_the_deadline() -> None:
    answers = iter([500, 503, 200])
    handler = lambda request: httpx2.Response(next(answers), json=[1])  # noqa: E731
    assert await client(handler, attempts=3).get("api", "/markets") == [1]


async def test_a_short_retry_after_is_obeyed() -> None:
    at: list[float] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        at.append(time.monotonic())
        if len(at) == 1:
            return httpx2.Response(429, headers={"retry-after": "1"})
        return httpx2.Response(200, json=[1])

    assert await client(handler, attempts=2, deadline=3).get("api", "/markets") == [1]
    assert at[1] - at[0] >= 1.0


async def test_a_long_retry_after_is_told_at_once_and_kept() -> None:
    virtual = VirtualTime()
    sent = 0

    def handler(request: httpx2.Request) -> httpx2.Response:
        nonlocal sent
        sent += 1
        return httpx2.Response(429, headers={"retry-after": "60"})

    venue = client(handler, attempts=3, clock=virtual)
    with pytest.raises(Throttled) as caught:
        await venue.get("api", "/markets")
    assert caught.value.retry_after == 60
    virtual.now += 30
    with pytest.raises(Throttled) as caught:
        await venue.get("api", "/other")
    assert caught.value.retry_after == pytest.approx(30)
    assert sent == 1, "no request while the venue asked for a pause"
    virtual.now += 31
    with pytest.raises(Throttled):
        await venue.get("api", "/markets")
    assert sent == 2


async def test_the_breaker_opens_at_five_failures_and_probes_at_thirty_seconds() -> None:
    virtual = VirtualTime()
    sent: list[int] = []
    status = 500

    def handler(request: httpx2.Request) -> httpx2.Response:
        sent.append(status)
        return httpx2.Response(status, json=[])

    venue = client(handler, clock=virtual)
    for n in range(5):
        with pytest.raises(VenueFailed):
            await venue.get("api", f"/{n}")
    with pytest.raises(CircuitOpen) as caught:
        await venue.get("api", "/markets")
    assert caught.value.retry_after == pytest.approx(30)
    assert len(sent) == 5

    virtual.now += 29.9
    with pytest.raises(CircuitOpen):
        await venue.get("api", "/markets")
    virtual.now += 0.2
    with pytest.raises(VenueFailed):  # the probe, which fails: closed for 30 s more
        await venue.get("api", "/markets")
    with pytest.raises(CircuitOpen):
        await venue.get("api", "/markets")
    assert len(sent) == 6

    virtual.now += 30.1
    status = 200
    assert await venue.get("api", "/markets") == []
    assert await venue.get("api", "/again") == []
    assert len(sent) == 8


async def test_one_probe_at_a_time() -> None:
    virtual = VirtualTime()
    sent = 0
    healthy = asyncio.Event()

    async def handler(request: httpx2.Request) -> httpx2.Response:
        nonlocal sent
        sent += 1
        if sent <= 5:
            return httpx2.Response(500)
        await healthy.wait()
        return httpx2.Response(200, json=[])

    venue = client(handler, clock=virtual)
    for n in range(5):
        with pytest.raises(VenueFailed):
            await venue.get("api", f"/{n}")
    virtual.now += 31
    probe = asyncio.create_task(venue.get("api", "/probe"))
    await asyncio.sleep(0.01)
    with pytest.raises(CircuitOpen):
        await venue.get("api", "/meanwhile")
    healthy.set()
    assert await probe == []


async def test_an_answer_about_the_request_does_not_open_the_breaker() -> None:
    venue = client(answering(404))
    for n in range(12):
        with pytest.raises(NoSuchRecord):
            await venue.get("api", f"/{n}")


@pytest.mark.parametrize("round_", range(20))
async def test_a_hundred_identical_calls_are_one_request(round_: int) -> None:
    sent = 0

    async def handler(request: httpx2.Request) -> httpx2.Response:
        nonlocal sent
        sent += 1
        await asyncio.sleep(0.002)
        return httpx2.Response(200, json=[round_])

    venue = client(handler)
    calls = [venue.get("api", "/markets", {"limit": 5}) for _ in range(100)]
    assert await asyncio.gather(*calls) == [[round_]] * 100
    assert sent == 1


async def test_a_caller_that_gives_up_does_not_spoil_the_others() -> None:
    async def handler(request: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(0.05)
        return httpx2.Response(200, json=[1])

    venue = client(handler)
    first = asyncio.create_task(venue.get("api", "/markets"))
    second = asyncio.create_task(venue.get("api", "/markets"))
    await asyncio.sleep(0.01)
    first.cancel()
    assert await second == [1]
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_closing_ends_calls_under_way() -> None:
    async def handler(request: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(30)
        return httpx2.Response(200, json=[1])

    venue = client(handler)
    call = asyncio.create_task(venue.get("api", "/markets"))
    await asyncio.sleep(0.01)
    await venue.aclose()
    with pytest.raises(Unreachable):
        await call


async def test_the_token_bucket_keeps_to_its_rate() -> None:
    virtual = VirtualTime()
    bucket = TokenBucket(10, 5, clock=virtual, sleep=virtual.sleep)
    for _ in range(105):
        await bucket.acquire()
    # Five at once, then one each tenth of a second.
    assert virtual.now - 1_000 == pytest.approx(10.0)


async def test_requests_pass_the_limits_of_base_and_path() -> None:
    virtual = VirtualTime()
    venue = client(
        answering(200, json=[]),
        limits={"api": 1_000, "api/events": 2},
        clock=virtual,
        sleep=virtual.sleep,
    )
    for n in range(12):
        await venue.get("api", f"/events/{n}")
    assert virtual.now - 1_000 == pytest.approx(5.0, abs=0.1)


def test_a_lone_surrogate_or_a_bad_byte_does_not_cost_the_page() -> None:
    assert decode_json(b'[{"q": "a\\ud800b"}]') == [{"q": "a\ud800b"}]
    assert decode_json(b'[{"q": "a\xffb"}]') == [{"q": "a\ufffdb"}]
    assert decode_json(b"[NaN]") == [None]
    with pytest.raises(ValueError, match="Expecting"):
        decode_json(b"{oops}")

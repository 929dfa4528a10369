"""Clients that take their time: slow heads, slow bodies, answers that nobody reads."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

from tests.siege.service import Found, Service, source

HEAD_SECONDS, BODY_SECONDS, DRAIN_SECONDS, IDLE_SECONDS = 10.0, 10.0, 20.0, 30.0
"""What the service promises: a whole head, a whole body, the least rate of reading, the end of a
connection without a request."""
LATE = 8.0
"""Seconds after these in which a busy machine may still be at it."""


async def _trickle(
    service: Service, address: str, head: bytes, drop: bytes, most: float
) -> tuple[str, float]:
    """Send `head`, then `drop` twice a second; what came of it, after how many seconds."""
    began = time.monotonic()
    try:
        reader, writer = await service.connect(address)
    except OSError:
        return "not connected", 0.0
    got = b""
    with suppress(OSError):
        writer.write(head)
        while time.monotonic() - began < most:
            try:
                more = await asyncio.wait_for(reader.read(4096), 0.5)
            except TimeoutError:
                writer.write(drop)
                await writer.drain()
                continue
            if not more:
                break
            got += more
    seconds = time.monotonic() - began
    writer.close()
    if seconds >= most:
        return f"kept {head.split(b' HTTP')[0].decode()} {got[9:12].decode()}".strip(), seconds
    return (got[9:12].decode() or "cut"), seconds


async def _trickles(tries: list[Awaitable[tuple[str, float]]]) -> Found:
    ends = await asyncio.gather(*tries)
    kinds = Counter(kind for kind, _ in ends)
    return {
        "tries": len(ends), "ended": dict(kinds), "longest_s": round(max(s for _, s in ends), 1),
        "held": not any(kind.startswith("kept") for kind in kinds),
    }  # fmt: skip


async def slow_heads(service: Service, scale: float) -> Found:
    """A header line twice a second, one byte twice a second, and nothing at all."""
    kinds = (
        (b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n", b"X: y\r\n"),
        (b"G", b"E"),
        (b"", b""),
        (b"\r\n", b"\r\n"),
        (b"\x16\x03\x01\x02\x00", b"\x01"),
    )
    count = round(400 * scale)
    return await _trickles(
        [_trickle(service, source(n), *kinds[n % 5], HEAD_SECONDS + LATE) for n in range(count)]
    )


async def slow_bodies(service: Service, scale: float) -> Found:
    """A byte of the body twice a second, announced and in chunks, with and without a key."""
    tries = []
    for n in range(round(320 * scale)):
        path = ("/v1/search", "/v1/forecast-runs", "/v1/watchlists", "/mcp")[n % 4]
        chunked = n % 16 < 8
        size: dict[str, Any] = (
            {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": "60000"}
        )
        size["Content-Type"] = "application/json"
        head = service.request("POST", path, keyed=n % 8 < 4, **size)
        head = head.replace(b"Connection: close\r\n", b"")
        drop = b"1\r\n \r\n" if chunked else b" "
        tries.append(_trickle(service, source(n), head, drop, 2 * BODY_SECONDS + LATE))
    return await _trickles(tries)


async def never_reading(service: Service, scale: float) -> Found:
    """Pipelined pages, whole exports and streams of forecasts that nobody reads."""
    ask = json.dumps({"question": "Will the Fed cut rates in December 2026?"}).encode()
    kinds = (
        service.request("GET", "/openapi.json").replace(b"Connection: close\r\n", b"") * 100,
        service.request("GET", "/v1/markets?limit=200", keyed=True).replace(
            b"Connection: close\r\n", b""
        )
        * 100,
        service.request("GET", "/v1/markets?format=csv", keyed=True),
        service.request("POST", "/v1/forecast/stream", ask, keyed=True),
    )  # fmt: skip
    before, began = service.descriptors(), time.monotonic()
    count = round(240 * scale)
    held: list[asyncio.StreamWriter] = []
    for n in range(count):
        reader, writer = await service.connect(source(n), receive=4096)
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(kinds[n % 4])
        held.append(writer)
    await asyncio.sleep(2)
    # What nobody reads keeps the kernel's side open; the service has let go of its own by then.
    # Nine may be left: the pool of the database grows by eight.
    highest = service.descriptors()
    most = DRAIN_SECONDS + IDLE_SECONDS + LATE
    while (left := service.descriptors() - before) > 9 and time.monotonic() - began < most:
        await asyncio.sleep(0.2)
    seconds = time.monotonic() - began
    for writer in held:
        writer.transport.abort()
    return {
        "tries": count, "at_once": highest - before, "left": max(0, left),
        "longest_s": round(seconds, 1), "held": left <= 9,
    }  # fmt: skip

"""Compressed bodies, and answers that become a gigabyte."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
import zlib
from collections import Counter
from contextlib import suppress

from tests.siege.service import Found, Service

BOMB = 1 << 30
"""Bytes of zeros that a bomb becomes."""


def _bomb(size: int) -> bytes:
    deflate = zlib.compressobj(9, wbits=31)
    block = bytes(1 << 20)
    return b"".join(deflate.compress(block) for _ in range(size >> 20)) + deflate.flush()


async def decompression(service: Service, scale: float) -> Found:
    """Compressed bodies of requests, and sources of series whose answers are bombs."""
    small, bomb = gzip.compress(b'{"query": "Fed"}'), _bomb(round(BOMB * scale))
    twice = gzip.compress(bomb)
    ends: Counter[str] = Counter()
    for encoding, body in (
        ("gzip", small), ("gzip", bomb[:60_000]), ("deflate", zlib.compress(b'{"query": "Fed"}')),
        ("br", b"\x1b\x0f\x00"), ("zstd", b"\x28\xb5\x2f\xfd"), ("gzip, gzip", twice), ("x", b"{"),
    ):  # fmt: skip
        for path in ("/v1/search", "/v1/forecast", "/mcp", "/v1/watchlists"):
            request = service.request("POST", path, body, keyed=True, Content_Encoding=encoding)
            status, _ = await service.ask("127.9.9.6", request)
            ends[f"request {status}"] += 1

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        body, encoding = {
            "/gzip": (bomb, "gzip"), "/twice": (twice, "gzip, gzip"),
            "/lie": (bomb, "identity"), "/cut": (bomb[: len(bomb) // 2], "gzip"),
        }[asked]  # fmt: skip
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Encoding: {encoding}\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode())
        writer.write(body)
        with suppress(OSError):
            await writer.drain()
        writer.close()

    there = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = there.sockets[0].getsockname()[1]
    highest = before = service.memory()

    async def watch() -> None:
        nonlocal highest
        while True:
            highest = max(highest, service.memory())
            await asyncio.sleep(0.05)

    watching = asyncio.create_task(watch())

    async def made(path: str, body: bytes) -> tuple[int, bytes]:
        until = time.monotonic() + 30
        while True:
            request = service.request("POST", path, body, keyed=True)
            status, got = await service.ask("127.9.9.6", request, 60)
            if status != 429 or time.monotonic() > until:
                return status, got
            await asyncio.sleep(1)

    async with there:
        for path in ("gzip", "twice", "lie", "cut"):
            url = f"http://127.0.0.1:{port}/{path}"
            spec = {"name": path, "kind": "macro_indicator",
                    "source": {"type": "csv", "url": url}}  # fmt: skip
            status, got = await made("/v1/external-series", json.dumps(spec).encode())
            if status == 201:
                its = json.loads(got.partition(b"\r\n\r\n")[2])["id"]
                status, got = await made(f"/v1/external-series/{its}/refresh", b"{}")
            ends[f"source {path} {status}"] += 1
    watching.cancel()
    most = round(highest - before)
    return {
        "tries": sum(ends.values()), "ended": dict(ends), "highest_growth_mb": most,
        "held": most < 400 and not any(name.split()[-1] in ("0", "200", "500") for name in ends
                                       if not name.startswith("request")),
    }  # fmt: skip

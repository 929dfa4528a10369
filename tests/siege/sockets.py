"""Connections by the thousand: idle ones, and ones left half open."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from collections import Counter
from contextlib import suppress

from tests.siege.service import Found, Service, source
from tests.siege.slow import BODY_SECONDS, LATE


async def idle(service: Service, scale: float) -> Found:
    """Ten thousand connections that say nothing, 400 of an address."""
    count = round(10_000 * scale)
    held: list[asyncio.StreamWriter] = []
    refused = 0
    for n in range(count):
        try:
            _, writer = await service.connect(f"127.0.{n // 400 + 1}.1")
            held.append(writer)
        except OSError:
            refused += 1
        if n % 100 == 99:
            await asyncio.sleep(0.01)
    await asyncio.sleep(2)
    descriptors = service.descriptors()
    for writer in held:
        writer.transport.abort()
    return {
        "tries": count, "opened": len(held), "refused": refused, "descriptors_then": descriptors,
        "held": descriptors < 5_000,
    }  # fmt: skip


async def half_open(service: Service, scale: float) -> Found:
    """Half of a request and a closed side; half of a request and a reset; streams left at once."""
    count = round(2_000 * scale)
    body = b'{"query": "Fed rate cut"}'
    whole = service.request("POST", "/v1/search", body)
    ask = json.dumps({"question": "Will the Fed cut rates in December 2026?"}).encode()
    stream = service.request("POST", "/v1/forecast/stream", ask, keyed=True)
    ends: Counter[str] = Counter()

    async def one(n: int) -> None:
        try:
            reader, writer = await service.connect(source(n % 5_000))
        except OSError:
            ends["not connected"] += 1
            return
        with suppress(OSError):
            if n % 3 == 0:
                writer.write(whole[:-9])
                writer.write_eof()
                try:
                    got = await asyncio.wait_for(reader.read(4096), BODY_SECONDS + LATE)
                    ends[got[9:12].decode() or "cut"] += 1
                except TimeoutError:
                    ends["kept"] += 1
            else:
                writer.write(whole[:-9] if n % 3 == 1 else stream)
                await asyncio.sleep(0.01)
                linger = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, linger
                )
                ends["reset by us"] += 1
        writer.transport.abort()

    for n in range(0, count, 100):
        await asyncio.gather(*(one(k) for k in range(n, min(n + 100, count))))
    until = time.monotonic() + 60  # those that were left count at the key's rate
    while (status := (await service.ask("127.9.9.8", stream))[0]) == 429:
        if time.monotonic() > until:
            break
        await asyncio.sleep(1)
    return {
        "tries": count, "ended": dict(ends), "stream_afterwards": status,
        "held": not ends["kept"] and status == 200,
    }  # fmt: skip

"""R10 for external series: whatever a source does, in time, and what is stored stays."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.net.conftest import Trap
from tests.pace import SLACK
from tests.series.creating import create
from tests.watchlists.conftest import World

from augury.net import fetch
from augury.net.addresses import Refused
from augury.series.service import SeriesService
from augury.series.sources import Source

pytestmark = pytest.mark.anyio

DEADLINE = 0.6
PATIENCE = 10.0
"""Seconds for healthy answers: the machine may be busy."""
LIMIT = {"seconds": PATIENCE}
GOOD = b"time,value\n2026-01-01,1\n2026-02-01,2\n"


def answer(status: int, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


FAULTS: dict[str, bytes] = {
    "429": answer(429, b""),
    "429 with Retry-After": answer(429, b"", "Retry-After: 3600"),
    "500": answer(500, GOOD),
    "503": answer(503, b""),
    "404": answer(404, b"gone"),
    "truncated": answer(200, GOOD + b" " * 400)[:-400],
    "a chunk without its end": b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\nff\r\ntime,",
    "not HTTP": b"\x00\x01\x02" * 200,
    "nothing": b"",
    "gzip bomb": answer(200, gzip.compress(bytes(64 << 20), 1), "Content-Encoding: gzip"),
    "damaged gzip": answer(200, gzip.compress(GOOD)[:-9] + b"123456789", "Content-Encoding: gzip"),
    "html": answer(200, b"<!doctype html><title>Log in</title>", "Content-Type: text/html"),
    "empty": answer(200, b""),
    "another column": answer(200, b"day\n2026-01-01\n"),
    "bad UTF-8": answer(200, b"time,value\n2026-01-01,\xff\xfe\n"),
    "NUL": answer(200, b"time,value\n2026-\x00-01,1\n"),
    "1e400": answer(200, b"time,value\n2026-01-01,1e400\n"),
    "a time of no calendar": answer(200, b"time,value\n2026-02-30,1\n"),
    "a year beyond all": answer(200, b"time,value\n99999-01-01,1\n"),
    "words for numbers": answer(200, b"time,value\n2026-01-01,one\n"),
    "a row too short": answer(200, b"time,value\n2026-01-01\n"),
    "304 unasked": answer(304, b""),
    "redirect in a circle": answer(302, b"", "Location: /"),
}
NOTHING = {
    "only a header": answer(200, b"time,value\n"),
    "NaN": answer(200, b"time,value\n2026-01-01,NaN\n"),
}
"""Answers that say nothing: no failure, and nothing changes."""
SLOW = ("silent", "a byte at a time")


@asynccontextmanager
async def source(behavior: dict[str, object]) -> AsyncIterator[int]:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.read(65_536)  # a request, or the beginning of a handshake
            fault = behavior.get("fault")
            if fault == "silent":
                await asyncio.sleep(5)
            elif fault == "a byte at a time":
                for byte in answer(200, GOOD):
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(0.2)
            else:
                writer.write(behavior["bytes"])  # type: ignore[arg-type]
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    tasks: set[asyncio.Task[None]] = set()

    def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(handle(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accepted, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


@pytest.fixture
async def series(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SeriesService]:
    monkeypatch.setattr(
        fetch, "get", lambda *a, real=fetch.get, **kw: real(*a, **kw, deadline=LIMIT["seconds"])
    )
    LIMIT["seconds"] = PATIENCE
    made = SeriesService(world.database, world.vault, world.policy, clock=world.clock)
    yield made
    await made.close()


@pytest.mark.parametrize("fault", [*FAULTS, *SLOW, "refused", "TLS", "redirect inward"])
async def test_no_fault_of_a_source_harms_what_is_stored(
    world: World, series: SeriesService, trap: Trap, fault: str
) -> None:
    behavior: dict[str, object] = {"bytes": answer(200, GOOD)}
    async with source(behavior) as port:
        where = f"http://127.0.0.1:{port}/x.csv?token=t0k3n"
        id_ = await create(world, series, Source("csv", where))
        await series.refresh(world.account, id_, None)
        if fault in ("refused", "TLS"):
            where = f"https://127.0.0.1:{port}/t0k3n" if fault == "TLS" else "http://127.0.0.1:9/"
            other = await create(world, series, Source("csv", where))
        else:
            other = id_
            behavior["fault"] = fault
            behavior["bytes"] = FAULTS.get(fault, b"")
            if fault == "redirect inward":
                inward = f"Location: http://[::ffff:10.0.0.1]:{trap.port}/"
                behavior["bytes"] = answer(302, b"", inward)
        LIMIT["seconds"] = DEADLINE
        began = time.monotonic()
        with pytest.raises((fetch.FetchFailed, Refused)) as told:
            await series.refresh(world.account, other, None)
        assert time.monotonic() - began < DEADLINE + SLACK
        assert told.value.status in (422, 502)
        assert "t0k3n" not in str(told.value)
        failed = await series.get(world.account, other)
        assert failed.failures == 1
        assert "t0k3n" not in (failed.failure or "")
        kept = await series.get(world.account, id_)
        assert (kept.points, kept.latest_value) == (2, 2.0)
        LIMIT["seconds"] = PATIENCE
        # And once the fault is over, all is well again.
        behavior.update({"fault": None, "bytes": answer(200, GOOD + b"2026-03-01,3\n")})
        refreshed = await series.refresh(world.account, id_, None)
        assert (refreshed.added, refreshed.changed) == (1, 0)
        assert (await series.get(world.account, id_)).failures == 0
    assert trap.caught == []


@pytest.mark.parametrize("said", NOTHING)
async def test_an_answer_that_says_nothing_changes_nothing(
    world: World, series: SeriesService, said: str
) -> None:
    behavior: dict[str, object] = {"bytes": answer(200, GOOD)}
    async with source(behavior) as port:
        id_ = await create(world, series, Source("csv", f"http://127.0.0.1:{port}/x.csv"))
        await series.refresh(world.account, id_, None)
        behavior["bytes"] = NOTHING[said]
        refreshed = await series.refresh(world.account, id_, None)
    assert (refreshed.added, refreshed.changed) == (0, 0)
    kept = await series.get(world.account, id_)
    assert (kept.points, kept.latest_value) == (2, 2.0)

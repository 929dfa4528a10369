"""Soak test: latencies, memory, file descriptors and shutdown of a service under long load.

Searches are due at a constant rate, however slow the answers are. Each latency is measured from the
time when the search was due. So if the service stalls, the latencies of all searches that become
due meanwhile include the waiting time. Then many forecast streams are opened at once, and at the
end the service is told to stop while it is busy. The result says which goals were met.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console

from augury.search.bench import import_generated, made_up_queries, memory, serving
from augury.search.load import percentiles, search_requests
from augury.services import running
from augury.settings import Settings

P95_MS, P99_MS, GROWTH, DRAIN_SECONDS = 50.0, 150.0, 0.05, 10.0
WARM_UP = 30.0
"""The load runs for at least this many seconds before memory is first measured, so that caches
fill."""
SETTLE_SECONDS = 3.0
"""Seconds to wait after a load of requests, so that its connections are closed."""
MAX_QUERIES = 5_000


async def run(n: int, *, rate: float, seconds: float, streams: int, quiet: bool) -> dict[str, Any]:
    """Load test of a service over `n` generated markets: send `rate` searches a second for
    `seconds`, then open `streams` forecast streams at once, and stop the service while it is
    answering them. Returns the figures and which goals were met."""
    console = Console(stderr=True, quiet=quiet, markup=False)
    with TemporaryDirectory(prefix="augury-soak-") as folder:
        # A database named in the environment is ignored: it must not get generated markets.
        settings = Settings(
            data_dir=Path(folder), database_url=None, database_direct_url=None, search_url=None,
            sync="off", sample="off",
        )  # fmt: skip
        async with running(settings) as services:
            console.print(f"Importing {n:,} markets ...")
            await import_generated(services, n)
            _, key = await services.access.create_key("soak", ["search:read", "forecast:read"])
        texts = made_up_queries(n, MAX_QUERIES)
        bodies = Path(folder) / "bodies.json"
        bodies.write_text(json.dumps([{"query": t, "dimensions": ["direct"]} for t in texts]))
        with serving(folder) as (url, process):
            return {
                "markets": n,
                "cpus": os.cpu_count(),
                "load_before": round(os.getloadavg()[0], 2),
                **await _load(url, process, bodies, key, texts, rate, seconds, streams, console),
            }


async def _load(
    url: str,
    process: subprocess.Popen[str],
    bodies: Path,
    key: str,
    texts: list[str],
    rate: float,
    seconds: float,
    streams: int,
    console: Console,
) -> dict[str, Any]:
    out: dict[str, Any] = {}
    warm_up = max(WARM_UP, seconds / 10)
    console.print(f"Warming up for {warm_up:.0f} s ...")
    await steady(url, bodies, key, rate, warm_up)
    # As many streams as are measured later, with other questions: caches of texts fill up to their
    # limits before memory is measured.
    await _streams(url, key, texts[streams:], streams)
    await asyncio.sleep(SETTLE_SECONDS)
    before = {"memory_mb": memory(process.pid), "descriptors": _descriptors(process.pid)}
    console.print(f"{rate:g} searches a second for {seconds:.0f} s ...")
    out["searches"] = await steady(url, bodies, key, rate, seconds)
    console.print(f"{streams} streams at once ...")
    beside, out["streams"] = await asyncio.gather(
        steady(url, bodies, key, rate / 10, 10), _streams(url, key, texts, streams)
    )
    out["searches_beside_streams"] = beside
    await asyncio.sleep(SETTLE_SECONDS)
    after = {"memory_mb": memory(process.pid), "descriptors": _descriptors(process.pid)}
    out |= {"before": before, "after": after}
    console.print("Stopping the service while it is busy ...")
    leaving = asyncio.create_task(steady(url, bodies, key, rate, 12))
    await asyncio.sleep(2)
    began = time.perf_counter()
    process.send_signal(signal.SIGTERM)
    code = await asyncio.to_thread(process.wait, 60)
    out["leaving"] = {"seconds": round(time.perf_counter() - began, 2), "code": code}
    out["leaving"]["statuses"] = (await leaving)["statuses"]
    out["holds"] = _judged(out)
    return out


def _judged(out: dict[str, Any]) -> dict[str, bool]:
    """Whether the measurements in `out` meet the goals, as a mapping: goal in words -> whether it
    is met. Adds `memory_growth` (0.1: by 10%) to `out`."""
    searches, streams = out["searches"], out["streams"]
    grown = out["after"]["memory_mb"]["held"] / out["before"]["memory_mb"]["held"] - 1
    out["memory_growth"] = round(grown, 4)
    return {
        f"p95 of searches <= {P95_MS:g} ms": searches["latency_ms"]["p95"] <= P95_MS,
        f"p99 of searches <= {P99_MS:g} ms": searches["latency_ms"]["p99"] <= P99_MS,
        "no search failed": set(searches["statuses"]) == {"200"},
        "every stream ended with its answer": streams["finished"] == streams["streams"],
        f"memory grew by less than {GROWTH:.0%}": grown < GROWTH,
        "descriptors as before": out["after"]["descriptors"] == out["before"]["descriptors"],
        f"left within {DRAIN_SECONDS:g} s": out["leaving"]["seconds"] <= DRAIN_SECONDS
        and out["leaving"]["code"] in (0, -signal.SIGTERM),
        "what it took on it answered": not set(out["leaving"]["statuses"])
        - {"200", "503", "ConnectionRefusedError", "ConnectionResetError", "ConnectionError"},
    }


async def steady(url: str, bodies: Path, key: str, rate: float, seconds: float) -> dict[str, Any]:
    """Send `rate` searches a second for `seconds`, from a separate process (`augury.search.load`).
    Returns its report: latencies in ms, requests a second and status codes."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "augury.search.load", url, str(bodies),
        "--rate", str(rate), "--seconds", str(seconds), "--key", key,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    report, _ = await process.communicate()
    return json.loads(report)


async def _streams(url: str, key: str, texts: list[str], count: int) -> dict[str, Any]:
    """Read `count` forecast streams at the same time; all connections are opened before the first
    request is sent. Returns how many streams ended with an answer, and the latencies of their first
    and last events in ms."""
    parts = urlsplit(url)
    bodies = [{"question": texts[n % len(texts)][:500]} for n in range(count)]
    requests = search_requests(url, bodies, key, "/v1/forecast/stream")
    began = time.perf_counter()
    opened = await asyncio.gather(
        *(asyncio.open_connection(parts.hostname, parts.port) for _ in requests)
    )
    first: list[float] = []
    ended: list[float] = []

    async def follow(number: int) -> bool:
        reader, writer = opened[number]
        try:
            writer.write(requests[number])
            content = b""
            while b"event: final" not in content and b"event: error" not in content:
                piece = await asyncio.wait_for(reader.read(65_536), 120)
                if not piece:
                    return False
                if not content:
                    first.append(time.perf_counter() - began)
                content += piece
            ended.append(time.perf_counter() - began)
            return b"event: final" in content
        except (OSError, TimeoutError):
            return False
        finally:
            writer.close()

    finished = await asyncio.gather(*(follow(number) for number in range(count)))
    return {
        "streams": count,
        "finished": sum(finished),
        "first_event_ms": percentiles(first or [0.0]),
        "last_event_ms": percentiles(ended or [0.0]),
    }


def _descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))

"""Benchmark: by how much searches slow down while the whole catalogue is being downloaded."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console

from augury.search.bench import import_generated, made_up_queries, memory, serving
from augury.search.soak import steady
from augury.services import running
from augury.settings import Settings

MAX_RATIO = 2.0
"""Goal of this benchmark: while whole catalogues are being downloaded, the 99th percentile of
search latency is at most this many times as long as without downloads."""
WARM_UP = 10.0
PIECE_BYTES = 65_536
ROUNDS = 3


async def run(n: int, *, rate: float, seconds: float, exports: int, quiet: bool) -> dict[str, Any]:
    """Measure search latency over `n` generated markets, at `rate` searches a second. Rounds
    without downloads alternate with rounds in which `exports` accounts download the catalogue; each
    of the two kinds takes `seconds` in all.

    Returns the figures. `holds` says whether the goal (`MAX_RATIO`) was met and every search
    during the downloads got status 200.
    """
    console = Console(stderr=True, quiet=quiet, markup=False)
    with TemporaryDirectory(prefix="augury-exports-") as folder:
        # A database named in the environment is ignored: it must not get generated markets.
        settings = Settings(
            data_dir=Path(folder), database_url=None, database_direct_url=None, search_url=None,
            sync="off", sample="off",
        )  # fmt: skip
        async with running(settings) as services:
            console.print(f"Importing {n:,} markets ...")
            await import_generated(services, n)
            _, key = await services.access.create_key("bench", ["search:read"])
            takers = [
                (await services.access.create_key(f"taker {k}", ["search:read"]))[1]
                for k in range(exports)
            ]
        bodies = Path(folder) / "bodies.json"
        texts = made_up_queries(n, round(rate * (seconds + WARM_UP)))
        bodies.write_text(json.dumps([{"query": t, "dimensions": ["direct"]} for t in texts]))
        with serving(folder) as (url, process):
            await steady(url, bodies, key, rate, WARM_UP)
            alone, beside, taken = [], [], []
            for n_round in range(1, ROUNDS + 1):
                # The two loads alternate, so that other work of the machine affects both.
                console.print(
                    f"{rate:g} searches a second, without downloads (round {n_round} of {ROUNDS})"
                    " ..."
                )
                alone.append(await steady(url, bodies, key, rate, seconds / ROUNDS))
                console.print(f"The same searches during {exports} downloads ...")
                until = time.monotonic() + seconds / ROUNDS
                found, files = await asyncio.gather(
                    steady(url, bodies, key, rate, seconds / ROUNDS),
                    asyncio.gather(*(_download_until(url, taker, until) for taker in takers)),
                )
                beside.append(found)
                taken += files
            times = _p99(beside) / _p99(alone)
            return {
                "markets": n,
                "cpus": os.cpu_count(),
                "load_before": round(os.getloadavg()[0], 2),
                "searches_alone": {f"round {k}": one for k, one in enumerate(alone, 1)},
                "searches_beside": {f"round {k}": one for k, one in enumerate(beside, 1)},
                "export_mb": round(sum(size for size, _ in taken) / 1e6, 1),
                "exports_answered": sum(answered for _, answered in taken),
                "memory_mb": memory(process.pid),
                "p99_beside_over_alone": round(times, 2),
                "holds": times <= MAX_RATIO
                and all(set(one["statuses"]) == {"200"} for one in beside),
            }


def _p99(rounds: list[dict[str, Any]]) -> float:
    return statistics.median(one["latency_ms"]["p99"] for one in rounds)


async def _download_until(url: str, key: str, until: float) -> tuple[int, int]:
    """Download the CSV file of all markets again and again, until the monotonic time `until`;
    returns the bytes read and the number of answers with status 200."""
    parts = urlsplit(url)
    request = (
        f"GET /v1/markets?format=csv HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        f"Authorization: Bearer {key}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
    ).encode()
    size = answered = 0
    while time.monotonic() < until:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            async with asyncio.timeout(until - time.monotonic()):
                writer.write(request)
                status = await reader.readline()
                answered += b" 200 " in status
                while piece := await reader.read(PIECE_BYTES):
                    size += len(piece)
                if b" 200 " not in status:
                    await asyncio.sleep(1)
        except (TimeoutError, OSError):
            pass
        finally:
            writer.close()
    return size, answered

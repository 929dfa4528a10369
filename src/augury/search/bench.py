"""Benchmark of search on this machine: indexing, memory, disk, latency, recall and updates. It can
also run the same searches with two other libraries (`augury.search.rival`).

All figures of a run come from one generated catalogue. Compare figures within one run only.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from augury.markets import store as markets
from augury.markets.generator import generate
from augury.markets.records import Market, Status
from augury.search import rival as rivals
from augury.search.embedding import Embedder
from augury.search.load import percentiles
from augury.search.text import document_text
from augury.services import Services, running
from augury.settings import Settings

CHUNK_MARKETS = 5_000
RECALL_QUERIES = 50
MAX_UPDATES = 2_000

T = TypeVar("T")


async def run(n: int, *, queries: int, requests: int, rival: bool, quiet: bool) -> dict[str, Any]:
    """Measure search over `n` generated markets: indexing, memory, disk, latency, recall and
    updates.

    queries : how many queries, at most, are made up for the searches in this process, i.e. for
        those without HTTP
    requests : number of requests of each load run over HTTP
    rival : whether to time the same searches with the libraries tantivy and usearch, too

    Returns the figures by topic; `table` turns them into text.
    """
    console = Console(stderr=True, quiet=quiet, markup=False)
    result: dict[str, Any] = {"markets": n, "queries": queries, "cpus": os.cpu_count()}
    with TemporaryDirectory(prefix="augury-bench-") as folder:
        # A database named in the environment is ignored: it must not get generated markets.
        settings = Settings(
            data_dir=Path(folder), database_url=None, database_direct_url=None, search_url=None,
            sync="off", sample="off",
        )  # fmt: skip
        async with running(settings) as services:
            console.print(f"Importing {n:,} markets ...")
            result["import"] = await import_generated(services, n)
            texts = made_up_queries(n, queries)
            different = made_up_queries(n, requests)
            console.print("Searching in process ...")
            result["in_process"] = await _in_process(services, texts)
            console.print("Recall against brute force ...")
            result["recall"] = await _recall(services, texts[:RECALL_QUERIES])
            console.print("Updates ...")
            result["updates"] = await _updates(services, n)
            _, key = await services.access.create_key("bench", ["search:read", "internal"])
            if rival:
                console.print("The same searches with tantivy and usearch ...")
                result["rival"] = await asyncio.to_thread(
                    rivals.measure, services.search, n, texts, Path(folder) / "rival"
                )
        result["disk_mb"] = round(_disk(Path(folder)) / 1e6, 1)
        console.print("Over HTTP ...")
        result["http"] = await asyncio.to_thread(_over_http, folder, key, different, requests)
    return result


def table(result: dict[str, Any]) -> str:
    """The figures that `run` returns, as indented text: one figure or group of figures per line."""
    return "\n".join(_lines(result))


def _lines(value: Any, name: str = "", depth: int = 0) -> Iterator[str]:
    pad = "  " * depth
    if (
        isinstance(value, dict)
        and value
        and not all(isinstance(v, int | float) for v in value.values())
    ):
        if name:
            yield f"{pad}{name}"
        for key, inner in value.items():
            yield from _lines(inner, key, depth + bool(name))
    elif isinstance(value, dict):
        yield f"{pad}{name}: " + ", ".join(f"{k} {v:,g}" for k, v in value.items())
    else:
        yield (
            f"{pad}{name}: {value:,g}"
            if isinstance(value, int | float)
            else f"{pad}{name}: {value}"
        )


async def import_generated(
    services: Services, n: int, *, now: datetime | None = None
) -> dict[str, Any]:
    """Import and index `n` generated markets, dated relative to `now` (None: 2026-11-01). Returns
    the seconds that storing, indexing and both took, and the memory then in use, in MB
    (`memory`)."""
    began = time.perf_counter()
    made = generate(n) if now is None else generate(n, now=now)
    generating = storing = 0.0
    while True:
        started = time.perf_counter()
        chunk = list(islice(made, CHUNK_MARKETS))
        generating += time.perf_counter() - started
        if not chunk:
            break
        started = time.perf_counter()
        async with services.database.transaction() as conn:
            await markets.upsert_markets(conn, chunk)
        storing += time.perf_counter() - started
    started = time.perf_counter()
    await services.search.catch_up()
    indexing = time.perf_counter() - started
    return {
        "store_seconds": round(storing, 1),
        "index_seconds": round(indexing, 1),
        "total_seconds": round(time.perf_counter() - began - generating, 1),
        "memory_mb": memory(os.getpid()),
    }


def made_up_queries(n: int, count: int) -> list[str]:
    """At most `count` search queries, made from the questions of `n` generated markets. A query is
    a whole question, a few words of a question, or a question with words left out."""
    rng = random.Random(7)
    step = max(1, n // count)
    picked = [m.question for k, m in enumerate(generate(n)) if k % step == 0][:count]
    texts = []
    for k, question in enumerate(picked):
        words = question.split()
        if k % 3 == 0:
            texts.append(question)
        elif k % 3 == 1:
            texts.append(" ".join(rng.sample(words, min(4, len(words)))))
        else:
            texts.append(" ".join(w for w in words if rng.random() < 0.7) or question)
    rng.shuffle(texts)
    return texts


async def _in_process(services: Services, texts: list[str]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    cases: tuple[tuple[str, Status | None], ...] = (("all", None), ("active", "active"))
    for name, status in cases:
        seconds = []
        for k, text in enumerate(texts):
            started = time.perf_counter()
            await services.search.search(text, status=status)
            if k >= 20:
                seconds.append(time.perf_counter() - started)
        out[f"latency_ms_{name}"] = percentiles(seconds)
    return out


async def _recall(services: Services, texts: list[str]) -> dict[str, float]:
    """Recall of dense (vector) search for the queries `texts`, 0 to 1: the share of the engine's
    ten hits that are among the ten nearest by exact cosine. A hit that ties with the tenth nearest
    counts."""
    embedder, engine = services.search.embedder, services.search.engine
    wanted = embedder.embed(texts)
    best = np.full((len(texts), 10), -1.0, np.float32)
    async for _, vectors in _all_vectors(services, embedder):
        scores = wanted @ vectors.T
        best = np.sort(np.concatenate([best, scores], axis=1), axis=1)[:, -10:]
    hits = total = 0
    for row, vector in enumerate(wanted):
        found = engine.search(None, vector, None, 10)
        floor = best[row, 0] - 2e-3  # the engine stores coordinates in two bytes
        hits += min(10, int((found.dense >= floor).sum()))
        total += 10
    return {"dense_at_10": round(hits / total, 4), "queries": len(texts)}


async def _all_vectors(
    services: Services, embedder: Embedder
) -> AsyncIterator[tuple[list[int], NDArray[np.float32]]]:
    after = 0
    while True:
        async with services.database.reading() as conn:
            rows = await markets.changes_since(conn, after, 4_000)
        if not rows:
            return
        after = rows[-1].change
        texts = [
            document_text(row.question, event_name=row.event_name, description=row.description)
            for row in rows
        ]
        yield [row.seq for row in rows], embedder.embed_documents(texts)


async def _updates(services: Services, n: int) -> dict[str, float]:
    """Two measurements on the index of `n` generated markets. The first: how many changed markets
    per second can be stored and added to the index. The second: after how many milliseconds a
    search finds a new market (the slowest of five trials)."""
    changed = [
        msgspec.structs.replace(m, question=f"{m.question} (amended)")
        for m in islice(generate(n), min(MAX_UPDATES, n))
    ]
    started = time.perf_counter()
    for k in range(0, len(changed), 500):
        async with services.database.transaction() as conn:
            await markets.upsert_markets(conn, changed[k : k + 500])
        await services.search.catch_up()
    per_second = len(changed) / (time.perf_counter() - started)
    stop = asyncio.Event()
    following = asyncio.create_task(services.search.follow(stop))
    delays = [await _visible_after(services, changed[0], k) for k in range(5)]
    stop.set()
    await following
    return {
        "per_second": round(per_second),
        "visible_after_ms_worst_of_5": round(max(delays) * 1000),
    }


async def _visible_after(services: Services, like: Market, k: int) -> float:
    name = f"Quorzatide{k}"
    market = msgspec.structs.replace(
        like,
        id=f"{like.platform}:new{k}",
        platform_id=f"new{k}",
        status="active",
        question=f"Will {name} be approved this year?",
        event_id=None,
        event_name=None,
    )
    async with services.database.transaction() as conn:
        await markets.upsert_markets(conn, [market])
    started = time.perf_counter()
    while time.perf_counter() - started < 10:
        found = await services.search.search(f"{name} approved", top_k=3)
        if any(result.id == market.id for result in found["direct"]):
            return time.perf_counter() - started
        await asyncio.sleep(0.01)
    return float("inf")


def _over_http(folder: str, key: str, texts: list[str], requests: int) -> dict[str, Any]:
    """Start a separate service on the data folder `folder`, and return measurements over HTTP:
    restart time, memory, and latency with one and with eight clients.

    The queries of a load run are all different, except in one run: there eight clients repeat the
    same 50 queries.
    """
    bodies, few, related, graphs = (
        Path(folder) / f"{name}.json" for name in ("bodies", "few", "related", "graphs")
    )
    asked = [{"query": text, "dimensions": ["direct"]} for text in texts]
    bodies.write_text(json.dumps(asked))
    few.write_text(json.dumps(asked[:50]))
    started = time.perf_counter()
    with serving(folder) as (url, process):
        run_load(url, bodies, key, clients=1, requests=1)
        out: dict[str, Any] = {
            "restart_to_first_answer_seconds": round(time.perf_counter() - started, 2)
        }
        run_load(url, few, key, clients=1, requests=50)
        out["one_client"] = run_load(url, bodies, key, clients=1, requests=requests)
        related.write_text(json.dumps([{"query": text} for text in texts]))
        out["one_client_all_relations"] = run_load(url, related, key, clients=1, requests=requests)
        graphs.write_text(json.dumps([{"question": text[:500]} for text in texts]))
        out["one_client_graphs"] = run_load(
            url, graphs, key, clients=1, requests=requests // 10, path="/internal/v1/graph/build"
        )
        out["eight_clients"] = run_load(url, bodies, key, clients=8, requests=requests)
        out["eight_clients_asking_the_same_50"] = run_load(
            url, few, key, clients=8, requests=requests
        )
        out["memory_mb"] = memory(process.pid)
    return out


@contextmanager
def serving(folder: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run a service (`augury serve`) on a data folder, with rate limits that no load reaches.
    Yields the service's URL and process; the process is stopped at the end of the block."""
    own = ("AUGURY_DATABASE_URL", "AUGURY_DATABASE_DIRECT_URL", "AUGURY_SEARCH_URL")
    environment = {name: value for name, value in os.environ.items() if name not in own} | {
        "AUGURY_DATA_DIR": folder,
        "AUGURY_PORT": "0",
        "AUGURY_SYNC": "off",
        "AUGURY_SAMPLE": "off",
        "AUGURY_SEARCH_RATE": "1000000/s",
        "AUGURY_SEARCH_IN_FLIGHT": "1000",
        "AUGURY_FORECAST_RATE": "1000000/s",
        "AUGURY_FORECAST_IN_FLIGHT": "1000",
        "AUGURY_LOG_LEVEL": "warning",
    }
    command = [sys.executable, "-m", "augury", "serve"]
    with subprocess.Popen(  # noqa: S603 - our own command line
        command, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            yield line.split()[3], process
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)


def run_load(
    url: str, bodies: Path, key: str, *, clients: int, requests: int, path: str = "/v1/search"
) -> dict[str, Any]:
    """Send `requests` POSTs to the service at `url`, with the bodies in the file `bodies` in turn,
    from a separate process (`augury.search.load`) with `clients` clients at the same time. Returns
    that process's report: latencies in ms, requests a second and status codes."""
    command = [
        sys.executable, "-m", "augury.search.load", url, str(bodies),
        "--clients", str(clients), "--requests", str(requests), "--key", key, "--path", path,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return json.loads(done.stdout)


def memory(pid: int) -> dict[str, float]:
    """Memory of a process in MB, as proportional set size. The result has three keys. `process`:
    memory of the process alone. `with_database`: memory of the process and its descendants, such as
    PostgreSQL. `held`: like `with_database`, but without file pages, because the kernel can reclaim
    these."""
    every = [_pss(one) for one in (pid, *_descendants(pid))]
    return {
        "process": round(sum(every[0].values())),
        "with_database": round(sum(sum(one.values()) for one in every)),
        "held": round(sum(sum(one.values()) - one.get("File", 0) for one in every)),
    }


def _pss(pid: int) -> dict[str, float]:
    """Proportional set size of a process in MB, by kind of memory (`Anon`, `File`, `Shmem` ...);
    empty if the process has ended."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return {}
    return {
        line[4 : line.index(":")]: int(line.split()[1]) / 1000
        for line in rollup.splitlines()
        if line.startswith("Pss_") and "Dirty" not in line
    }


def _descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def _disk(folder: Path) -> int:
    return sum(entry.stat().st_blocks * 512 for entry in folder.rglob("*") if entry.is_file())

"""Background tasks: which run in which process, and how they restart after a failure."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.util import find_spec
from time import monotonic

import structlog
from prometheus_client import Counter

from augury.forecast.reader import Reader
from augury.imports import service as imports
from augury.jobs.worker import Worker
from augury.relations.linking import Linker
from augury.relations.moving import MEASURE_SECONDS, CoMovements
from augury.rvol import jobs as rvol_jobs
from augury.rvol.collecting import Collector
from augury.rvol.service import RvolService
from augury.settings import Settings
from augury.storage import launch
from augury.storage.database import Database
from augury.storage.failures import as_unavailable
from augury.storage.scheduled import scheduled

log = structlog.get_logger(__name__)

DRAIN_SECONDS = 8.0
"""On shutdown, background work has this many seconds to end by itself before it is canceled."""

PAUSES = 1.0, 60.0
"""(first pause, longest pause), in seconds, before background work that failed starts again. The
pause doubles with each failure in a row."""

RESTARTS = Counter(
    "augury_background_restarts",
    "Number of times that a background task failed and was restarted.",
    ["work"],
)

Work = Callable[[asyncio.Event], Awaitable[None]]


def building(settings: Settings, database: Database) -> dict[str, Work]:
    """The heavy background work, by name, that needs only the database: linking equal events of the
    two venues, parsing markets for forecasts, finding prices that move together, realized
    volatility, imports, backups. Any process can do it, but only one at a time."""
    worker = Worker(database)
    worker.schedule("relations.co_movement", MEASURE_SECONDS, CoMovements(database).measure)
    if settings.backup_every is not None:
        worker.schedule("storage.backup", settings.backup_every, partial(scheduled, settings))
    imports.register(worker, database)
    collector = None
    if settings.sync == "on" and settings.rvol_coins:
        if find_spec("ccxt") is None:
            log.warning(
                "price_bars_not_fetched",
                reason="the package ccxt is not installed",
                fix="pip install 'augury[exchanges]'",
            )
        else:
            collector = Collector(database, settings)
    rvol_jobs.register(worker, database, RvolService(database, settings), collector)
    return {
        "links": Linker(database).follow,
        "words": Reader(database).follow,
        "building": worker.run,
    }


async def nothing(stop: asyncio.Event) -> None:
    """Background work that does nothing until `stop` is set. It is for a process whose background
    work is done by other processes."""
    await stop.wait()


@asynccontextmanager
async def running(work: dict[str, Work]) -> AsyncIterator[None]:
    """Run the tasks `work`, by their names, until the `with` block ends. A task that fails is
    restarted."""
    stop = asyncio.Event()
    tasks = [
        asyncio.create_task(_kept_up(name, run, stop), name=name) for name, run in work.items()
    ]
    try:
        yield
    finally:
        stop.set()
        _, late = await asyncio.wait(tasks, timeout=DRAIN_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _kept_up(name: str, run: Work, stop: asyncio.Event) -> None:
    pause = PAUSES[0]
    while not stop.is_set():
        began = monotonic()
        try:
            await run(stop)
        except Exception as error:
            if monotonic() - began > PAUSES[1]:
                pause = PAUSES[0]  # it ran for a while, so this is not a failure in a row
            RESTARTS.labels(name).inc()
            if (away := as_unavailable(error)) is not None:
                log.warning(
                    "background_work_interrupted",
                    work=name, reason=str(away), restart_in_s=pause,
                )  # fmt: skip
            else:
                log.exception("background_work_failed", work=name, restart_in_s=pause)
            try:
                await asyncio.wait_for(stop.wait(), pause)
            except TimeoutError:
                pause = min(PAUSES[1], pause * 2)


async def child(stop: asyncio.Event) -> None:
    """Do the heavy background work (`building`) in a separate process until `stop` is set, and
    restart the process when it ends.

    The process is killed when this one dies; all its work can be interrupted safely.
    """
    command = [sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), "same"]
    command += [str(int(signal.SIGKILL)), sys.executable, "-P", "-m", "augury", "worker"]
    pause = PAUSES[0]
    while not stop.is_set():
        began = monotonic()
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)
        try:
            if await _first(stop.wait(), process.wait()):
                return
        finally:
            await _end(process)
        if monotonic() - began > PAUSES[1]:
            pause = PAUSES[0]
        log.warning("worker_process_ended", status=process.returncode, restart_in_s=pause)
        await _first(stop.wait(), asyncio.sleep(pause))
        pause = min(PAUSES[1], pause * 2)


async def _first(one: Awaitable[object], other: Awaitable[object]) -> bool:
    """Wait until one of two awaitables is done, and cancel the other. Returns whether `one` is
    done."""
    tasks = [asyncio.ensure_future(one), asyncio.ensure_future(other)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return tasks[0].done()
    finally:
        for task in tasks:
            task.cancel()


async def _end(process: asyncio.subprocess.Process) -> None:
    for end in (process.terminate, process.kill):
        if process.returncode is None:
            end()
            await _first(process.wait(), asyncio.sleep(0.75 * DRAIN_SECONDS))

"""The refresh of the volatility forecasts, as a durable job that a schedule puts into the queue."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from augury.jobs import queue
from augury.jobs.worker import Job, Worker
from augury.rvol.collecting import Collector
from augury.rvol.service import RvolService
from augury.storage.database import Database

REFRESH = "rvol.refresh"
EVERY_SECONDS = 300.0
"""Seconds between two scheduled refreshes of the volatility forecasts; each looks for days that
have closed."""


def register(
    worker: Worker, database: Database, service: RvolService, collector: Collector | None
) -> None:
    """Have `worker` run the refresh of the volatility forecasts on a schedule. The refresh first
    fetches new price bars with `collector` (if there is one). Only one refresh runs at a time, over
    all processes."""
    worker.register(REFRESH, partial(_refresh, service, collector), attempts=5, at_once=1)
    worker.schedule(REFRESH, EVERY_SECONDS, partial(_ask, database))


async def _refresh(service: RvolService, collector: Collector | None, job: Job) -> dict[str, Any]:
    collected = None
    if collector is not None:
        await job.progress("fetching")
        collected = await collector.collect()
    await job.progress("issuing")
    outcome = await service.refresh()
    return msgspec.to_builtins({"collected": collected, "outcome": outcome})


async def _ask(database: Database) -> None:
    async with database.transaction() as conn:
        if not await queue.has_unfinished(conn, REFRESH):
            await queue.enqueue(conn, REFRESH)

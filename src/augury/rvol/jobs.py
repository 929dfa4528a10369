"""The refresh of realized volatility as a durable job, asked for by a schedule."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from augury.jobs import queue
from augury.jobs.worker import Job, Worker
from augury.rvol.service import RvolService
from augury.storage.database import Database

REFRESH = "rvol.refresh"
EVERY = 300.0
"""Seconds between looks for days that have closed."""


def register(worker: Worker, database: Database, service: RvolService) -> None:
    """Let `worker` refresh; one refresh runs at a time over all processes."""
    worker.register(REFRESH, partial(_refresh, service), attempts=5, at_once=1)
    worker.every(REFRESH, EVERY, partial(_ask, database))


async def _refresh(service: RvolService, job: Job) -> dict[str, Any]:
    outcome = await service.refresh()
    return msgspec.to_builtins(outcome)


async def _ask(database: Database) -> None:
    async with database.transaction() as conn:
        if not await queue.waiting(conn, REFRESH):
            await queue.enqueue(conn, REFRESH)

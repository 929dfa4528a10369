"""What a worker does for watchlists on a schedule: it evaluates rules, sends reminders of alerts,
looks up which markets belong to targets, and deletes old rows."""

from __future__ import annotations

from augury.deliveries import store as deliveries
from augury.jobs.worker import Worker
from augury.storage.database import Database
from augury.watchlists import store
from augury.watchlists.evaluation import Evaluator

EVALUATE_EVERY = 0.5
"""Seconds between two evaluations of the rules whose data have changed. Most of the delay from a
price change to its alert is this waiting time."""


def register(worker: Worker, evaluator: Evaluator, database: Database) -> None:
    """Have `worker` do the scheduled work of watchlists: evaluate rules, send reminders of alerts,
    look up which markets belong to targets, delete old rows. Only one process at a time does
    each."""

    async def evaluate() -> None:
        await evaluator.tick()

    async def remind() -> None:
        await evaluator.remind()

    async def prune() -> None:
        async with database.reading() as conn:
            await store.prune(conn)
            await deliveries.prune(conn)

    worker.schedule("watchlists.evaluate", EVALUATE_EVERY, evaluate)
    worker.schedule("watchlists.remind", 15, remind)
    worker.schedule("watchlists.members", 15, evaluator.look_up_members)
    worker.schedule("watchlists.prune", 3600, prune)

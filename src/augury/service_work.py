"""Background work that needs the services (search, forecasts ...). This module is separate from
`augury.background`, so that a worker that needs only the database imports no services."""

from __future__ import annotations

from functools import partial

from augury.background import Work
from augury.forecast.runs import RUN
from augury.forecast.service import MAKE
from augury.graph import jobs as graph_jobs
from augury.http import store as idempotency
from augury.jobs.worker import Worker
from augury.services import Services
from augury.storage.database import Database
from augury.venues.sync import Sync
from augury.watchlists import jobs as watchlist_jobs


async def forget_answers(database: Database) -> None:
    """Delete the stored answers to requests whose idempotency keys have expired."""
    async with database.transaction() as conn:
        await idempotency.forget_old(conn)


def following(services: Services) -> dict[str, Work]:
    """Background work, by name, that keeps this process's own copies of data up to date: the search
    index, quotes, pairs of markets whose prices move together, sports games, and the relations
    that a language model found between events. Each process does it for itself."""
    co_movements = services.relations.co_movements
    assert co_movements is not None
    work: dict[str, Work] = {
        "index": services.search.follow,
        "overdue": services.search.follow_overdue,
        "quotes": services.search.follow_quotes,
        "co-movement": co_movements.follow,
        "games": services.extension.follow,
    }
    if services.relations.labels is not None:
        work["labels"] = services.relations.labels.follow
    return work


def work_beside_search(services: Services) -> dict[str, Work]:
    """Background work, by name, for the processes that can search: all work that needs search, and
    work too light to slow searches down (jobs, watchlists, forecasts, webhooks, the sync with the
    venues)."""
    worker = Worker(services.database)
    graph_jobs.register(worker, services.graph)
    worker.schedule("series.refresh", 5, services.series.refresh_due)
    watchlist_jobs.register(worker, services.evaluator, services.database)
    worker.schedule("idempotency.prune", 3600, partial(forget_answers, services.database))
    worker.schedule("forecast.score", 600, services.forecast.score)
    if services.model is not None:
        worker.schedule("llm.prune", 6 * 3600, services.model.prune)
    worker.register(MAKE, services.forecast.perform)
    worker.register(RUN, services.forecast_runs.perform, attempts=20)
    work: dict[str, Work] = {"jobs": worker.run, "deliveries": services.sender.run}
    if services.settings.sync == "on":
        work["sync"] = Sync(services.database, services.settings).run
    return work

"""The ASGI application: its routes and background work, which use the services of
`augury.services`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from fastapi import FastAPI

from augury import __version__, api, background, gc_tuning, service_work
from augury.background import Work
from augury.errors import SetupProblem
from augury.http import setup
from augury.services import Services, running
from augury.settings import Settings
from augury.storage import scheduled
from augury.storage.failures import as_unavailable

log = structlog.get_logger(__name__)

START_PATIENCE = 20.0
"""Seconds for which a starting service tries again while the database is unavailable."""
INDEX_PATIENCE = 20.0
"""Seconds that a starting service waits for another process to release the search index, e.g. for
an import that is still running."""


async def _started(settings: Settings, stack: AsyncExitStack) -> Services:
    """The services, ready to answer requests; they are closed with `stack`.

    If the start fails because the database is unavailable, it is tried again for `START_PATIENCE`
    seconds: a command that is just ending may still own the embedded database.
    """
    until = time.monotonic() + START_PATIENCE
    while True:
        async with AsyncExitStack() as attempt:
            try:
                services = await attempt.enter_async_context(
                    running(settings, patience=INDEX_PATIENCE)
                )
                gc_tuning.freeze()
                if settings.sample == "on":
                    await services.markets.ensure_sample()
                    await services.rvol.ensure_sample()
                else:
                    # An earlier start on this folder may have added the sample.
                    await services.markets.drop_sample()
                    await services.rvol.drop_sample()
                await services.search.catch_up()
                stack.push_async_exit(attempt.pop_all())
                return services
            except Exception as error:
                if as_unavailable(error) is None or time.monotonic() > until:
                    raise
                log.warning("database_lost_during_start", reason=str(error), retry_in_s=0.5)
        await asyncio.sleep(0.5)


def create_app(settings: Settings, *, elsewhere: Work | None = None) -> FastAPI:
    """The ASGI application of the service. Its lifespan opens the services and runs the background
    work.

    `elsewhere`: where the heavy background work (`background.building`) is done. None: in this
    process. Otherwise: a function that this process runs instead, e.g. `background.child`, which
    starts another process that does the work.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        started = False
        try:
            async with AsyncExitStack() as stack:
                services = app.state.services = await _started(settings, stack)
                started = True
                async with background.running(_work(services, elsewhere)):
                    yield
        except SetupProblem as problem:
            app.state.problem = problem  # for the command that started the server
            raise
        except Exception as failure:
            if not started:
                app.state.problem = _unforeseen(failure)
            raise
        finally:
            await app.state.traffic.limiter.close()

    app = FastAPI(
        title="Augury",
        version=__version__,
        summary="Answers from prediction markets: search, forecasts, realized volatility, alerts.",
        description="Times are ISO 8601 in UTC. Prices are probabilities from 0 to 1. A field may "
        "be null, and new fields may be added.",
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    api.mount(app)  # first, so that routing meets the busy routes first
    scheduled.measure(settings)
    setup.install(app, settings, measure=lambda: app.state.services.health.measure())
    return app


def _unforeseen(failure: Exception) -> SetupProblem:
    """Turn an unexpected exception, which made the start fail, into an error for the operator.

    The exception is logged here with its traceback, because the log drops the traceback that the
    server (uvicorn) prints.
    """
    log.error("start_failed", exc_info=failure)
    reason = str(failure).strip().split("\n", 1)[0] or "it gave no reason"
    return SetupProblem(
        f"The service did not start: {type(failure).__name__}: {reason}. The log has the "
        "traceback. Start it again; if it fails again, `augury doctor` looks for the cause."
    )


def _work(services: Services, elsewhere: Work | None) -> dict[str, Work]:
    if elsewhere is not None:
        work = {"worker": elsewhere}
    else:
        work = background.building(services.settings, services.database)
    if services.settings.work != "elsewhere" or services.settings.search_url is None:
        work |= service_work.work_beside_search(services)
    return work | service_work.following(services)

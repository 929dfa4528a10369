"""Composition root: settings -> services -> ASGI application. Nothing else builds services."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

import structlog
from fastapi import FastAPI

from augury import __version__, api, background, gc_tuning
from augury.access.service import AccessService
from augury.access.sessions import SessionService
from augury.background import Work
from augury.console.assets import Assets
from augury.deliveries.sender import Sender
from augury.deliveries.service import DeliveryService
from augury.errors import SetupProblem
from augury.extension.service import ExtensionService
from augury.forecast.assistant import Assistant
from augury.forecast.runs import RUN, RunService
from augury.forecast.service import MAKE, ForecastService
from augury.graph import jobs as graph_jobs
from augury.graph.service import GraphService
from augury.handbook.pages import BUILT as HANDBOOK
from augury.health.service import HealthService
from augury.http import setup
from augury.http import store as idempotency
from augury.imports.service import ImportService
from augury.jobs.worker import Worker
from augury.language import vocabulary
from augury.llm.service import LanguageModel
from augury.macro.service import MacroRuntime
from augury.markets.freshness import AgeRule
from augury.markets.service import MarketService
from augury.mcp.endpoint import ToolEndpoint
from augury.net.addresses import AddressPolicy
from augury.relations import store as relation_store
from augury.relations.causal import compiled, own_verdicts
from augury.relations.causal.knowledge import Base
from augury.relations.labelling import Labels
from augury.relations.moving import Moving
from augury.relations.service import RelationService
from augury.rvol import store as rvol_store
from augury.rvol.service import RvolService
from augury.search.engine import IndexInUse
from augury.search.service import SearchService, index_folder, shared_embedder
from augury.series.service import SeriesService
from augury.settings import Settings
from augury.storage import scheduled
from augury.storage.agreement import check_key
from augury.storage.database import Database
from augury.storage.failures import as_unavailable
from augury.storage.vault import Vault
from augury.venues.sync import Sync
from augury.watchlists import jobs as watchlist_jobs
from augury.watchlists.evaluation import Evaluator
from augury.watchlists.observe import Observer
from augury.watchlists.service import WatchlistService

log = structlog.get_logger(__name__)

START_PATIENCE = 20.0
"""Seconds for which a starting service tries again while the database is unavailable."""
INDEX_PATIENCE = 20.0
"""Seconds that a starting service waits for another process to release the search index, e.g. for
an import that is still running."""


@dataclass(frozen=True, slots=True)
class Services:
    """The services that routes and commands work with, one for each area."""

    settings: Settings
    database: Database
    access: AccessService
    sessions: SessionService
    markets: MarketService
    search: SearchService
    relations: RelationService
    graph: GraphService
    deliveries: DeliveryService
    sender: Sender
    evaluator: Evaluator
    watchlists: WatchlistService
    macro: MacroRuntime
    extension: ExtensionService
    forecast: ForecastService
    forecast_runs: RunService
    rvol: RvolService
    series: SeriesService
    health: HealthService
    imports: ImportService
    console: Assets
    handbook: Assets
    mcp: ToolEndpoint
    model: LanguageModel | None = None
    """The configured language model; None if the settings name none."""


@asynccontextmanager
async def running(settings: Settings, *, patience: float = 0.0) -> AsyncIterator[Services]:
    """Open the database, the search index and all services for the length of a `with` block, and
    close them in reverse order.

    `patience`: seconds to wait for a search index that another process is using.
    """
    async with AsyncExitStack() as stack:
        # The factor base is loaded while the database starts, because a start is mostly waiting.
        base = asyncio.create_task(asyncio.to_thread(_base, settings))
        database = await Database.open(settings)
        stack.push_async_callback(database.close)
        relations = RelationService(await base, Moving(database))
        if settings.relation_labels == "on":
            relations.labels = Labels(database, relations.tags)
        search = await _searching(settings, database, relations, patience)
        stack.push_async_callback(search.close)
        vault = Vault(settings)
        await check_key(database, vault)
        policy = AddressPolicy.of(settings.outbound_allow, http=settings.outbound_http == "on")
        deliveries = DeliveryService(
            database, vault, policy, notify_schemes=settings.notify_schemes
        )
        sender = Sender(database, vault, policy, host_rate=settings.webhook_rate)
        if (model := LanguageModel.of(settings, database)) is not None:
            stack.push_async_callback(model.aclose)
        age = AgeRule(timedelta(seconds=settings.price_max_age))
        macro = MacroRuntime(settings)
        stack.push_async_callback(macro.aclose)
        graphs = GraphService(database, search, relations, age=age)
        pages = policy if settings.extension_fetch == "on" else None
        extension = ExtensionService(database, search, relations, graphs, policy=pages, age=age)
        stack.push_async_callback(extension.close)
        series = SeriesService(database, vault, policy, host_rate=settings.series_rate)
        stack.push_async_callback(series.close)
        observer = Observer(linked=relation_store.linked, volatility=rvol_store.volatility, age=age)
        evaluator = Evaluator(database, observer, partial(_best, search), wake=sender.wake)
        access = AccessService(database)
        # The first question needs the vocabulary, but the start does not wait for it.
        asyncio.get_running_loop().run_in_executor(None, vocabulary.default)
        mcp = ToolEndpoint()
        stack.push_async_callback(mcp.close)
        markets = MarketService(database, age=age)
        stack.push_async_callback(markets.close)
        forecasts = ForecastService(
            database,
            search,
            graphs,
            assistant=Assistant(
                model, deadline=min(settings.llm_deadline, settings.forecast_deadline / 2)
            )
            if model
            else None,
            age=age,
        )
        yield Services(
            settings=settings,
            database=database,
            access=access,
            sessions=SessionService(database, access),
            markets=markets,
            search=search,
            relations=relations,
            deliveries=deliveries,
            sender=sender,
            evaluator=evaluator,
            watchlists=WatchlistService(database, evaluator, deliveries),
            macro=macro,
            extension=extension,
            graph=graphs,
            forecast=forecasts,
            forecast_runs=RunService(database, forecasts),
            rvol=RvolService(database, settings),
            series=series,
            health=HealthService(
                database,
                search,
                stale_after=settings.stale_after,
                syncing=settings.sync == "on",
                age=age,
                index_folder=None if settings.search_url else index_folder(settings),
            ),
            imports=ImportService(database, settings),
            console=Assets(),
            handbook=Assets(HANDBOOK),
            mcp=mcp,
            model=model,
        )


def _base(settings: Settings) -> Base:
    data_dir = Path(settings.data_dir)
    base = own_verdicts.join(compiled.load(data_dir / "cache"), data_dir)
    # These parts are made when first used: here, so that the first answer does not wait for them.
    relations = RelationService(base)
    _ = relations.matcher, relations.graph, relations.judged, relations.phrasing
    _ = relations.ranker, relations.direct_ranker, shared_embedder()
    return base


async def _searching(
    settings: Settings, database: Database, relations: RelationService, patience: float
) -> SearchService:
    until = time.monotonic() + patience
    while True:
        try:
            return await SearchService.open(settings, database, relations)
        except IndexInUse:
            if time.monotonic() > until:
                raise
        log.warning("search_index_in_use_by_another_process", retry_in_s=1)
        await asyncio.sleep(1)


async def _best(search: SearchService, query: str, most: int) -> list[str]:
    """Ids of at most `most` active markets, best first, that a search for `query` finds as direct
    answers."""
    found = await search.search(query, dimensions=("direct",), top_k=most, status="active")
    return [result.id for result in found["direct"]]


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

    `elsewhere`: None: this process does the heavy background work (`background.building`) itself.
    Otherwise another process does it, and this function runs in its place, e.g.
    `background.child`, which starts that process.
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
        summary="Prediction markets as answers: search, forecasts, realized volatility, alerts.",
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


async def forget_answers(database: Database) -> None:
    """Delete the stored answers to requests whose idempotency keys have expired."""
    async with database.transaction() as conn:
        await idempotency.forget_old(conn)


def following(services: Services) -> dict[str, Work]:
    """Background work, by name, that keeps this process's own copies of data up to date: the search
    index, quotes, pairs of markets whose prices move together, sports games, and the relations
    that a language model found between events. Each process does it for itself."""
    moving = services.relations.moving
    assert moving is not None
    work: dict[str, Work] = {
        "index": services.search.follow,
        "overdue": services.search.follow_overdue,
        "quotes": services.search.follow_quotes,
        "co-movement": moving.follow,
        "games": services.extension.follow,
    }
    if services.relations.labels is not None:
        work["labels"] = services.relations.labels.follow
    return work


def attending(services: Services) -> dict[str, Work]:
    """Background work, by name, that is light or needs search: jobs, watchlists, forecasts,
    webhooks, the sync with the venues. It runs in processes that can search."""
    worker = Worker(services.database)
    graph_jobs.register(worker, services.graph)
    worker.every("series.refresh", 5, services.series.refresh_due)
    watchlist_jobs.register(worker, services.evaluator, services.database)
    worker.every("idempotency.prune", 3600, partial(forget_answers, services.database))
    worker.every("forecast.score", 600, services.forecast.score)
    if services.model is not None:
        worker.every("llm.prune", 6 * 3600, services.model.prune)
    worker.register(MAKE, services.forecast.perform)
    worker.register(RUN, services.forecast_runs.perform, attempts=20)
    work: dict[str, Work] = {"jobs": worker.run, "deliveries": services.sender.run}
    if services.settings.sync == "on":
        work["sync"] = Sync(services.database, services.settings).run
    return work


def _work(services: Services, elsewhere: Work | None) -> dict[str, Work]:
    if elsewhere is not None:
        work = {"worker": elsewhere}
    else:
        work = background.building(services.settings, services.database)
    if services.settings.work != "elsewhere" or services.settings.search_url is None:
        work |= attending(services)
    return work | following(services)

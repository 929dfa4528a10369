"""Builds the services that commands and routes use, from the settings. Nothing else builds
services; `augury.app` puts routes in front of them."""

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

from augury.access.service import AccessService
from augury.access.sessions import SessionService
from augury.console.assets import Assets
from augury.deliveries.sender import Sender
from augury.deliveries.service import DeliveryService
from augury.extension.service import ExtensionService
from augury.forecast import described
from augury.forecast.assistant import Assistant
from augury.forecast.runs import RunService
from augury.forecast.service import ForecastService
from augury.graph.service import GraphService
from augury.handbook.pages import BUILT as HANDBOOK
from augury.health.service import HealthService
from augury.imports.service import ImportService
from augury.llm.service import LanguageModel
from augury.macro.service import MacroRuntime
from augury.markets.freshness import AgeRule
from augury.markets.service import MarketService
from augury.mcp.endpoint import ToolEndpoint
from augury.net.addresses import AddressPolicy
from augury.relations import store as relation_store
from augury.relations.causal import knowledge, own_verdicts
from augury.relations.causal.knowledge import Base
from augury.relations.labelling import Labels
from augury.relations.moving import CoMovements
from augury.relations.service import RelationService
from augury.rvol import store as rvol_store
from augury.rvol.service import RvolService
from augury.search.engine import IndexInUse
from augury.search.service import SearchService, index_folder, shared_embedder
from augury.series.service import SeriesService
from augury.settings import Settings
from augury.storage.agreement import check_key
from augury.storage.database import Database
from augury.storage.vault import Vault
from augury.watchlists.evaluation import Evaluator
from augury.watchlists.observe import Observer
from augury.watchlists.service import WatchlistService

log = structlog.get_logger(__name__)


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
        relations = RelationService(await base, CoMovements(database))
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
        observer = Observer(
            find_twins=relation_store.linked, volatility=rvol_store.volatility, age=age
        )
        evaluator = Evaluator(database, observer, partial(_best, search), wake=sender.wake)
        access = AccessService(database)
        # The first question needs the vocabulary and its descriptions; the start does not wait.
        asyncio.get_running_loop().run_in_executor(
            None, described.default, search.embedder.embed, _cache(settings)
        )
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


def _cache(settings: Settings) -> Path:
    return Path(settings.data_dir) / "cache"


def _base(settings: Settings) -> Base:
    data_dir = Path(settings.data_dir)
    base = own_verdicts.with_accepted(knowledge.load(_cache(settings)), data_dir)
    # These parts are made when first used: here, so that the first answer does not wait for them.
    relations = RelationService(base)
    _ = relations.matcher, relations.graph, relations.judged
    _ = relations.ranker, relations.direct_ranker, shared_embedder()
    relations.networks.warm()
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

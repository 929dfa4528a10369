"""A small app with everything of http/ on it, over a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI, Request

from augury.access.service import AccessService
from augury.errors import Unavailable
from augury.forecast import routes as forecast
from augury.http import openapi, routing, setup
from augury.http.callers import (
    InternalCaller,
    MacroCaller,
    MarketsCaller,
    SearchCaller,
    WatchCaller,
)
from augury.http.gcra import Decision, Rate, take
from augury.rvol import routes as rvol
from augury.rvol.service import RvolService
from augury.search.schemas import SearchRequest
from augury.settings import Settings
from augury.storage.database import Database


class VirtualLimiter:
    """The twin of the real ones: the same algorithm over a dict and a clock set by hand."""

    def __init__(self) -> None:
        self.now = 0
        self.tats: dict[str, int] = {}

    async def take(self, key: str, rate: Rate) -> Decision:
        self.tats[key], decision = take(self.tats.get(key), self.now, rate)
        return decision


class OpenLimiter:
    """Lets everything through."""

    async def take(self, key: str, rate: Rate) -> Decision:
        return Decision(True, 0.0, rate.burst - 1, 1.0)

    async def close(self) -> None:
        pass


class NoForecasts:
    """Stands where the forecasts are made; what is tested here is what stands before them."""

    async def forecast(self, *_: object, **__: object) -> None:
        raise Unavailable("Forecasts are tested elsewhere.", code="not_here")

    start = fetch = forecast

    async def stages(self, *_: object) -> AsyncIterator[None]:
        raise Unavailable("Forecasts are tested elsewhere.", code="not_here")
        yield

    async def scorecard(self) -> dict[str, Any]:
        return {}


def make_app(settings: Settings, **services: Any) -> FastAPI:
    """An app as the composition root makes it, with stand-ins for the routes of other nouns."""
    app = FastAPI(title="Test", openapi_url=None, docs_url=None, redoc_url=None)
    setup.install(app, settings)
    router = routing.router(tags=["test"])

    @router.post("/v1/search", responses=openapi.SEARCH_ERRORS)
    async def search(query: SearchRequest, caller: SearchCaller) -> dict[str, Any]:
        return {"tier": caller.tier, "kind": caller.kind, "query": query.query}

    @router.get("/v1/markets/{market_id}")
    async def market(market_id: str, caller: MarketsCaller) -> dict[str, Any]:
        return {"id": market_id}

    @router.get("/v1/macro-runtime/x")
    async def macro(caller: MacroCaller) -> dict[str, Any]:
        return {}

    @router.get("/v1/watchlists")
    async def watchlists(caller: WatchCaller) -> dict[str, Any]:
        return {}

    @router.get("/internal/v1/x")
    async def internal(caller: InternalCaller) -> dict[str, Any]:
        return {}

    @router.get("/v1/health")
    async def health(request: Request) -> dict[str, Any]:
        return {"status": "ok"}

    app.include_router(router)
    app.include_router(forecast.router)
    app.include_router(rvol.router)
    stand_ins = {"forecast": NoForecasts(), "forecast_runs": NoForecasts(), "settings": settings}
    app.state.services = SimpleNamespace(**{**stand_ins, **services})
    return app


@pytest.fixture
def app(database: Database, settings: Settings) -> FastAPI:
    app = make_app(
        settings,
        database=database,
        access=AccessService(database, remember=0),
        rvol=RvolService(database, settings),
    )
    app.state.traffic.limiter = OpenLimiter()
    return app


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(app) as client:
        yield client


def client_of(app: FastAPI, address: str = "203.0.113.9") -> httpx2.AsyncClient:
    """A client in the same process, calling from `address`."""
    transport = httpx2.ASGITransport(app, client=(address, 40000))
    return httpx2.AsyncClient(transport=transport, base_url="http://augury.test")

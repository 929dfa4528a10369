"""The market routes on a small app of their own, over the real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace

import httpx2
import pytest
from fastapi import FastAPI

from augury.http import setup
from augury.markets.routes import router
from augury.markets.service import MarketService
from augury.settings import Settings
from augury.storage.database import Database


@pytest.fixture
def service(database: Database) -> MarketService:
    return MarketService(database)


@pytest.fixture
async def client(
    database: Database, service: MarketService, settings: Settings
) -> AsyncIterator[httpx2.AsyncClient]:
    """A caller whom no limit stops."""
    app = FastAPI()
    setup.install(app, settings.model_copy(update={"anonymous_search_rate": "100000/s"}))
    app.include_router(router)
    app.state.services = SimpleNamespace(database=database, markets=service)
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client

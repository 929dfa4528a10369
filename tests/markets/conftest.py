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


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    """The routes without their services, and with no limit that would stop a caller."""
    folder = tmp_path_factory.mktemp("data")
    settings = Settings(data_dir=folder, anonymous_search_rate="100000/s")
    app = FastAPI()
    setup.install(app, settings)
    app.include_router(router)
    return app


@pytest.fixture
async def client(
    app: FastAPI, database: Database, service: MarketService
) -> AsyncIterator[httpx2.AsyncClient]:
    app.state.services = SimpleNamespace(database=database, markets=service)
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client

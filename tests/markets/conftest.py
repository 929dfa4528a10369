"""The market routes on a small app of their own, over the real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace

import httpx2
import pytest
from fastapi import FastAPI

from augury.access.service import AccessService
from augury.http import setup
from augury.markets.routes import router
from augury.markets.service import MarketService
from augury.settings import Settings
from augury.storage.database import Database


@pytest.fixture
async def service(database: Database) -> AsyncIterator[MarketService]:
    service = MarketService(database)
    yield service
    await service.close()


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    """The routes without their services, and with no limit that would stop a caller."""
    folder = tmp_path_factory.mktemp("data")
    settings = Settings(
        data_dir=folder,
        anonymous_search_rate="100000/s",
        search_rate="100000/s",
        request_deadline=300,
    )
    app = FastAPI()
    setup.install(app, settings)
    app.include_router(router)
    return app


@pytest.fixture
async def client(
    app: FastAPI, database: Database, service: MarketService
) -> AsyncIterator[httpx2.AsyncClient]:
    access = AccessService(database)
    app.state.services = SimpleNamespace(database=database, markets=service, access=access)
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


@pytest.fixture
async def keyed(client: httpx2.AsyncClient, app: FastAPI) -> httpx2.AsyncClient:
    """The same client, with a key that may search."""
    _, key = await app.state.services.access.create_key("reader", ["search:read"])
    client.headers["Authorization"] = f"Bearer {key}"
    return client

"""A small app with the console and the sessions on it, over a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from tests.http.conftest import OpenLimiter

from augury.access import routes as access
from augury.access.service import AccessService
from augury.access.sessions import SessionService
from augury.console import routes as console
from augury.console.assets import Assets
from augury.http import routing, setup
from augury.http.callers import WatchCaller
from augury.settings import Settings
from augury.storage.database import Database


@pytest.fixture
def choices() -> dict[str, Any]:
    """Settings that a test wants otherwise."""
    return {}


@pytest.fixture
def folder(settings: Settings) -> Path:
    """Where a build would be."""
    return Path(settings.data_dir) / "dist"


@pytest.fixture
async def app(
    database: Database, settings: Settings, choices: dict[str, Any], folder: Path
) -> FastAPI:
    chosen = settings.model_copy(update=choices)
    app = FastAPI(title="Test", openapi_url=None, docs_url=None, redoc_url=None)
    app.include_router(access.router)
    app.include_router(console.router)
    router = routing.router()

    @router.get("/v1/mine")
    async def read(caller: WatchCaller) -> dict[str, Any]:
        return {"kind": caller.kind, "account_id": caller.account_id}

    @router.post("/v1/mine", status_code=201)
    async def write(caller: WatchCaller) -> dict[str, Any]:
        return {"kind": caller.kind, "account_id": caller.account_id}

    app.include_router(router)
    setup.install(app, chosen)
    keys = AccessService(database, remember=0)
    app.state.services = SimpleNamespace(
        settings=chosen,
        database=database,
        access=keys,
        sessions=SessionService(database, keys, remember=0),
        console=Assets(folder),
    )
    return app


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://augury.test") as client:
        yield client


@pytest.fixture
def unlimited(app: FastAPI) -> None:
    """No limit on anything."""
    app.state.traffic.limiter = OpenLimiter()

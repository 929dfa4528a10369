"""The rvol service over a real database, and its routes on an app of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from fastapi import FastAPI

from augury.access.service import AccessService
from augury.http import setup
from augury.rvol.routes import router
from augury.rvol.service import RvolService
from augury.settings import Settings
from augury.storage.database import Database

NOW = datetime(2026, 11, 20, 3, tzinfo=UTC)


class Clock:
    """A clock set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rvol_settings(tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path / "data", sync="off", sample="off", rvol_horizons=(1, 7),
        rvol_replay_days=3, rvol_rate="100000/s",
    )  # fmt: skip


@pytest.fixture
def service(database: Database, rvol_settings: Settings, clock: Clock) -> RvolService:
    return RvolService(database, rvol_settings, clock=clock)


@pytest.fixture
async def client(
    database: Database, rvol_settings: Settings, service: RvolService
) -> AsyncIterator[httpx2.AsyncClient]:
    """A caller with an approved key."""
    access = AccessService(database)
    app = FastAPI()
    setup.install(app, rvol_settings)
    app.include_router(router)
    app.state.services = SimpleNamespace(database=database, access=access, rvol=service)
    _, key = await access.create_key("quant", ["rvol:read"])
    await access.set_rvol_approved("quant", True)
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(
        transport=transport,
        base_url="http://test",
        headers={"Authorization": f"Bearer {key}"},
    ) as client:
        yield client

"""The proxy over a fake upstream on real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from tests.macro.upstream import KEY, Upstream
from tests.serving import served

from augury.access.service import AccessService
from augury.http import setup
from augury.macro import routes
from augury.macro.service import MacroRuntime
from augury.net.breaker import Breaker
from augury.settings import Settings
from augury.storage.database import Database

DEADLINE = 1.5


class Time:
    """Set by hand."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def upstream() -> Upstream:
    return Upstream()


@pytest.fixture
def port(upstream: Upstream) -> Iterator[int]:
    with served(upstream) as port:
        yield port


@pytest.fixture
async def runtime(
    anyio_backend: str, port: int, settings: Settings, time: Time
) -> AsyncIterator[MacroRuntime]:
    runtime = proxy(settings, f"http://127.0.0.1:{port}/api", time)
    yield runtime
    await runtime.aclose()


def proxy(settings: Settings, url: str | None, time: Callable[[], float]) -> MacroRuntime:
    own = settings.model_copy(
        update={
            "macro_runtime_url": url,
            "macro_runtime_key": SecretStr(KEY),
            "macro_runtime_timeout": DEADLINE,
        }
    )
    return MacroRuntime(own, clock=time, breaker=Breaker(time))


def app_over(runtime: MacroRuntime, database: Database, settings: Settings) -> FastAPI:
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.include_router(routes.router)
    setup.install(app, settings)
    services: dict[str, Any] = {"macro": runtime, "database": database}
    app.state.services = SimpleNamespace(access=AccessService(database), **services)
    return app


@pytest.fixture
async def client(
    runtime: MacroRuntime, database: Database, settings: Settings
) -> AsyncIterator[httpx2.AsyncClient]:
    app = app_over(runtime, database, settings)
    _, key = await app.state.services.access.create_key("macro", ["macro:read"])
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app),
        base_url="http://test/v1/macro-runtime",
        headers={"Authorization": f"Bearer {key}"},
    ) as client:
        yield client

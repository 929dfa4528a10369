"""A whole service on the sample over real HTTP, in a thread with a loop of its own, and keys."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from pydantic import SecretStr
from tests.conftest import PostgresServer
from tests.pace import PATIENCE, wait_until

from augury import background
from augury.app import create_app
from augury.settings import Settings

SCOPES = ("search:read", "forecast:read", "rvol:read", "watch:write")


@dataclass
class Running:
    """A service that answers at `url`; `keys` by scope, and `all` with every scope."""

    url: str
    app: FastAPI
    loop: asyncio.AbstractEventLoop
    keys: dict[str, str]

    def run(self, coroutine: Any) -> Any:
        """What a coroutine gives on the service's own loop."""
        found: Future[Any] = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        return found.result(30)


@pytest.fixture(scope="module")
def service(
    postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    name = postgres.create()
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("mcp") / "data",
        database_url=SecretStr(postgres.url(name)),
        sync="off",
        host="127.0.0.1",
        port=0,
    )
    app = create_app(settings, elsewhere=background.nothing)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="on"))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=lambda: loop.run_until_complete(server.serve()), daemon=True)
    thread.start()
    wait_until(lambda: server.started or not thread.is_alive(), "the service has started", 240)
    assert server.started, "the service did not start"
    port = server.servers[0].sockets[0].getsockname()[1]
    running = Running(f"http://127.0.0.1:{port}", app, loop, {})
    access = app.state.services.access
    for key, scopes in {**{scope: (scope,) for scope in SCOPES}, "all": SCOPES}.items():
        running.keys[key] = running.run(access.create_key("tester", scopes))[1]
    running.run(access.set_rvol_approved("tester", True))
    try:
        yield running
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        loop.run_until_complete(_end_what_is_left())
        loop.close()
        postgres.used.append(name)


async def _end_what_is_left() -> None:
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)

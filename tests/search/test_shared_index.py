"""The distributed shape: several services, one search server, one of them writing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from tests.pace import until
from tests.search.qdrant import QdrantServer, running

from augury.errors import Unavailable
from augury.markets import store as markets
from augury.markets.generator import generate
from augury.search.service import SearchService
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio

CATALOGUE = list(generate(600))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantServer]:
    with running(tmp_path_factory.mktemp("qdrant")) as server:
        yield server


@pytest.fixture
async def shared(
    database: Database, settings: Settings, server: QdrantServer, tmp_path: Path
) -> AsyncIterator[list[SearchService]]:
    """Two services on one search server, the catalogue in the database."""
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, CATALOGUE)
    services = [
        await SearchService.open(
            settings.model_copy(update={"search_url": server.url, "data_dir": tmp_path / name}),
            database,
        )
        for name in ("one", "two")
    ]
    yield services
    for service in services:
        service.engine.clear()
        await service.close()


async def top(service: SearchService, query: str) -> list[str]:
    found = await service.search(query, dimensions=("direct",), top_k=10)
    return [result.id for result in found["direct"]]


async def until_found(service: SearchService, query: str, market: str) -> None:
    async def found() -> bool:
        with suppress(Unavailable):  # while the writer sets the index up
            return market in await top(service, query)
        return False

    await until(found, f"{market} is found")


async def test_the_same_queries_find_the_same_in_process_and_on_a_server(
    shared: list[SearchService], database: Database, settings: Settings
) -> None:
    own = await SearchService.open(settings, database)
    try:
        await own.catch_up()
        assert await shared[0].catch_up() == len(CATALOGUE)
        for market in CATALOGUE[::50]:
            near, far = await top(own, market.question), await top(shared[0], market.question)
            assert near[0] == far[0]
            assert len(set(near) & set(far)) >= 0.8 * max(len(near), len(far))
    finally:
        await own.close()


async def test_one_writes_and_the_others_follow(
    shared: list[SearchService], database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("augury.search.indexer.LEAD_EVERY", 0.2)
    monkeypatch.setattr("augury.search.indexer.CHECKPOINT_SECONDS", 0.2)
    stops = [asyncio.Event() for _ in shared]
    following = [
        asyncio.create_task(service.follow(stop))
        for service, stop in zip(shared, stops, strict=True)
    ]
    new = msgspec.structs.replace(
        CATALOGUE[0], id="kalshi:KXQUORZ", platform_id="KXQUORZ", platform="kalshi",
        question="Will Quorzatide be approved?", event_id=None, event_name=None,
    )  # fmt: skip
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, [new])
    for service in shared:
        await until_found(service, "Quorzatide approved", new.id)
    # The writer goes; another takes over.
    stops[0].set()
    await following[0]
    late = msgspec.structs.replace(
        new, id="kalshi:KXLATE", platform_id="KXLATE", question="Will Vexpramol be approved?"
    )
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, [late])
    await until_found(shared[1], "Vexpramol approved", late.id)
    stops[1].set()
    await following[1]


async def test_a_server_that_is_gone_is_a_503_and_comes_back(
    shared: list[SearchService], server: QdrantServer
) -> None:
    await shared[0].catch_up()
    question = CATALOGUE[5].question
    before = await top(shared[0], question)
    server.stop()
    try:
        with pytest.raises(Unavailable):
            await top(shared[0], question + " now")
    finally:
        old = server.url
        server.start(port=int(old.rpartition(":")[2]))
    assert await top(shared[0], question + " ") == before

"""Health says what is there, how old it is and what is amiss, even without a database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import msgspec
import pytest

from augury import clock
from augury.health.service import HealthService
from augury.markets import store as markets
from augury.markets.generator import generate
from augury.markets.service import MarketService
from augury.search.service import SearchService
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


@pytest.fixture
async def search(database: Database, settings: Settings) -> AsyncIterator[SearchService]:
    service = await SearchService.open(settings, database)
    yield service
    await service.close()


def health(database: Database, search: SearchService, *, syncing: bool = False) -> HealthService:
    return HealthService(database, search, stale_after=900, syncing=syncing)


async def put(database: Database, count: int, *, age: timedelta = timedelta()) -> None:
    seen = clock.now() - age
    async with database.transaction() as conn:
        made = [msgspec.structs.replace(m, observed_at=seen) for m in generate(count)]
        await markets.upsert_markets(conn, made)


async def test_an_empty_catalogue_is_called_empty(
    database: Database, search: SearchService
) -> None:
    report = await health(database, search).report()
    assert report["data"] == "empty"
    assert report["catalogue"]["markets"] == 0


async def test_a_sample_is_called_a_sample(database: Database, search: SearchService) -> None:
    await MarketService(database).ensure_sample()
    await search.catch_up()
    report = await health(database, search).report()
    assert (report["status"], report["data"]) == ("degraded", "sample")
    assert "sample" in report["problems"][0]


async def test_counts_ages_and_the_index_are_told(
    database: Database, search: SearchService
) -> None:
    await put(database, 200, age=timedelta(minutes=2))
    behind = await health(database, search).report()
    assert behind["index"]["lag"] > 0
    assert "behind" in behind["problems"][0]
    await search.catch_up()
    report = await health(database, search, syncing=True).report()
    assert report["status"] == "ok"
    assert report["index"] == {
        "documents": 200,
        "position": behind["index"]["lag"],
        "lag": 0,
    }
    for venue in ("kalshi", "polymarket"):
        told = report["catalogue"][venue]
        assert sum(told["by_status"].values()) == told["markets"] > 0
        assert 120 <= told["age_seconds"] < 180


async def test_old_data_is_amiss_while_syncing(database: Database, search: SearchService) -> None:
    await put(database, 50, age=timedelta(hours=1))
    await search.catch_up()
    report = await health(database, search, syncing=True).report()
    assert report["status"] == "degraded"
    assert any("older than 900 s" in problem for problem in report["problems"])


async def test_without_a_database_it_says_so(database: Database, search: SearchService) -> None:
    service = health(database, search)
    await database.close()
    report = await service.report()
    assert report["status"] == "down"
    assert report["database"] == {"status": "down"}


async def test_one_report_serves_all_who_ask_at_once(
    database: Database, search: SearchService
) -> None:
    service = health(database, search)
    first = await service.report()
    await put(database, 10)
    assert await service.report() is first

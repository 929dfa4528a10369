"""Health says what is there, how old it is and what is amiss, even without a database."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from prometheus_client import REGISTRY

from augury import clock
from augury.health import gauges
from augury.health.service import HealthService
from augury.markets import store as markets
from augury.markets.freshness import in_words
from augury.markets.generator import generate
from augury.markets.service import MarketService
from augury.rvol.service import RvolService
from augury.rvol.store import CoveredAsset, DayRow
from augury.search.service import SearchService
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


def health(database: Database, search: SearchService, *, syncing: bool = False) -> HealthService:
    return HealthService(database, search, stale_after=900, syncing=syncing)


async def put(database: Database, count: int, *, age: timedelta = timedelta()) -> None:
    seen = clock.now() - age
    async with database.transaction() as conn:
        made = [
            msgspec.structs.replace(m, observed_at=seen, price_as_of=seen) for m in generate(count)
        ]
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
    assert report["problems"] == [
        f"{venue}: the newest price is {in_words(timedelta(hours=1))} old (allowed: 15 minutes)."
        for venue in ("Kalshi", "Polymarket")
    ]


async def test_old_data_that_nothing_updates_is_amiss(
    database: Database, search: SearchService
) -> None:
    await put(database, 400, age=timedelta(days=108))
    await search.catch_up()
    report = await health(database, search).report()
    assert report["status"] == "degraded"
    assert report["problems"] == [
        f"{venue}: the newest price is 108 days old, and no sync is configured. "
        "Set AUGURY_SYNC=on, or import newer data."
        for venue in ("Kalshi", "Polymarket")
    ]
    assert report["catalogue"]["stale"] > 0
    for part in ("catalogue", "prices"):
        told = report["parts"][part]
        assert (told["origin"], told["origins"]) == ("live", ["live"])
        assert told["age_seconds"] == pytest.approx(108 * 86_400, abs=60)


async def test_each_part_names_its_origin_and_age(
    database: Database, search: SearchService, settings: Settings
) -> None:
    await MarketService(database).ensure_sample()
    report = await health(database, search).report()
    assert report["parts"]["catalogue"]["origin"] == "sample"
    assert report["parts"]["volatility"]["origin"] is None
    assert report["parts"]["series"] == {
        "origin": None, "origins": [], "as_of": None, "age_seconds": None, "series": 0, "late": 0,
    }  # fmt: skip
    long_ago = clock.now() - timedelta(days=168)
    asset = CoveredAsset(
        asset="X", display_name="X", target_family="crypto", calendar="24/7", minutes=5
    )
    day = [long_ago.date(), True, 0.1, *[None] * 10, *[None] * 4, False]
    await RvolService(database, settings).put_measures([asset], [DayRow("X", *day)])
    report = await health(database, search).report()
    told = report["parts"]["volatility"]
    assert (told["origin"], told["age_seconds"] // 86_400) == ("import", 167)
    assert any("Volatility: the newest day of import data ended 167 days ago" in problem
               for problem in report["problems"])  # fmt: skip


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


async def test_what_is_held_is_counted(database: Database, search: SearchService) -> None:
    assert (await health(database, search).report())["quarantine"]["held"] == 0
    [market, *_] = generate(1)
    quote = {
        "prices": (0.9, 0.1),
        "best_bid": 0.1,
        "best_ask": 0.2,
        "status": "active",
        "origin": "dump",
    }
    made = msgspec.structs.replace(market, **quote)
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, [made])
    report = await health(database, search).report()
    assert report["quarantine"] == {"held": 1, "by_venue": {made.platform: {"book": 1}}}
    gauges.follow(report)
    labels = {"venue": made.platform, "reason": "book"}
    assert REGISTRY.get_sample_value("augury_quarantined", labels) == 1

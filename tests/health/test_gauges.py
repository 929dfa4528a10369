"""What Prometheus reads of the data follows what health says."""

from __future__ import annotations

import math
from datetime import timedelta

import msgspec
import pytest
from prometheus_client import REGISTRY

from augury import clock
from augury.health import gauges
from augury.health.service import HealthService
from augury.markets import store as markets
from augury.markets.generator import generate
from augury.search.service import SearchService, index_folder
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


def value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


async def test_gauges_follow_the_catalogue_and_the_index(
    database: Database, search: SearchService, settings: Settings
) -> None:
    seen = clock.now() - timedelta(hours=2)
    made = [
        msgspec.structs.replace(m, observed_at=clock.now(), price_as_of=seen) for m in generate(150)
    ]
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, made)

    def service() -> HealthService:
        return HealthService(
            database, search, stale_after=900, syncing=False, index_folder=index_folder(settings)
        )

    await service().measure()
    assert (value("augury_index_lag"), value("augury_index_documents")) == (150, 0)
    before = value("augury_index_bytes")
    await search.catch_up()
    await service().measure()
    assert (value("augury_index_lag"), value("augury_index_documents")) == (0, 150)
    assert before is not None
    assert (value("augury_index_bytes") or 0) > before
    assert (value("augury_database_bytes") or 0) > 1_000_000
    assert value("augury_database_up") == 1
    for venue in ("kalshi", "polymarket"):
        counted = [
            value("augury_markets", venue=venue, status=s) or 0
            for s in ("active", "closed", "resolved")
        ]
        assert sum(counted) == sum(m.platform == venue for m in made)
        age = value("augury_data_age_seconds", venue=venue, part="prices")
        assert age is not None
        assert 7200 <= age < 7260
        assert (value("augury_data_age_seconds", venue=venue, part="catalogue") or 0) < 60
    # Nothing is known of them: no value, rather than 0.
    assert value("augury_data_age_seconds", venue="", part="volatility") is None


async def test_a_database_that_is_away_leaves_no_old_figures(
    database: Database, search: SearchService
) -> None:
    gauges.MARKETS.labels("kalshi", "active").set(7)
    service = HealthService(database, search, stale_after=900, syncing=False)
    await database.close()
    await service.measure()
    assert value("augury_database_up") == 0
    assert value("augury_markets", venue="kalshi", status="active") is None
    assert math.isnan(value("augury_database_bytes") or 0)
    assert math.isnan(value("augury_index_lag") or 0)

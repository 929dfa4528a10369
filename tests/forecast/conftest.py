"""A small catalogue on many subjects, and the service over it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from augury.forecast.service import ForecastService
from augury.markets import store as markets
from augury.markets.records import Market, PricePoint
from augury.search.service import SearchService
from augury.settings import Settings
from augury.storage.database import Database

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def market(number: int, question: str, price: float, closes: str, **more: object) -> Market:
    """A Yes/No market that was quoted an hour ago."""
    base = Market(
        id=f"polymarket:{number}",
        platform="polymarket",
        platform_id=str(number),
        question=question,
        title=question,
        prices=(price, round(1 - price, 6)),
        price_as_of=NOW - timedelta(hours=1),
        created_at=NOW - timedelta(days=60),
        closes_at=datetime.fromisoformat(closes).replace(tzinfo=UTC),
        url=f"https://polymarket.com/event/{number}",
        category="test",
        observed_at=NOW - timedelta(hours=1),
    )
    return msgspec.structs.replace(base, **more)


CATALOGUE = [
    market(1, "Will Bitcoin reach $150,000 by December 31, 2026?", 0.30, "2026-12-31T23:59"),
    market(2, "Will Bitcoin reach $200,000 by December 31, 2026?", 0.08, "2026-12-31T23:59"),
    market(3, "Will the Democrats win the Iowa Senate race in 2026?", 0.22, "2026-12-03T00:00"),
    market(4, "Will Rob Sand win the 2026 Iowa governor election?", 0.55, "2026-12-03T00:00"),
    market(5, "Will Russia capture Kupiansk by March 31, 2027?", 0.40, "2027-03-31T23:59"),
    market(6, "Will Russia capture Kupiansk by January 31, 2027?", 0.18, "2027-01-31T23:59"),
    market(7, "Will Keir Starmer be out as Prime Minister by June 30, 2027?", 0.62,
           "2027-06-30T23:59"),
    market(8, "Will Arsenal win the 2026–27 English Premier League?", 0.35, "2027-05-30T00:00"),
    market(9, "Will Liverpool win the 2026–27 English Premier League?", 0.15, "2027-05-30T00:00"),
    market(10, "Will OpenAI release GPT-6 before 2027?", 0.12, "2026-12-31T23:59"),
    market(11, "Will it rain more than 5 inches in Seattle in December 2026?", 0.48,
           "2026-12-31T23:59"),
    market(12, "Will Bitcoin reach $150,000 by June 30, 2026?", 0.05, "2026-06-30T23:59",
           status="resolved", resolution="No"),
]  # fmt: skip


async def put(database: Database, *records: Market) -> None:
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, records)
        await markets.append_prices(
            conn,
            [
                PricePoint(market_id=m.id, outcome=0, at=at, price=price)
                for m in records
                if (price := m.prices[0]) is not None
                and m.status == "active"
                and (at := m.price_as_of) is not None
            ],
        )


@pytest.fixture
async def search(database: Database, settings: Settings) -> AsyncIterator[SearchService]:
    await put(database, *CATALOGUE)
    search = await SearchService.open(settings, database)
    await search.catch_up()
    yield search
    await search.close()


@pytest.fixture
def service(database: Database, search: SearchService) -> ForecastService:
    return ForecastService(database, search, clock=lambda: NOW)

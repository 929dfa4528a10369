"""Markets as the catalogue of a test holds them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from augury.markets import store as markets
from augury.markets.records import Market
from augury.storage.database import Database

NOW = datetime.now(UTC).replace(microsecond=0)


def market(number: int, question: str, **more: object) -> Market:
    base = Market(
        id=f"polymarket:{number}",
        platform="polymarket",
        platform_id=str(number),
        question=question,
        title=question,
        prices=(0.4, 0.6),
        price_as_of=NOW,
        closes_at=NOW + timedelta(days=90),
        url=f"https://example.com/{number}",
        observed_at=NOW,
    )
    return msgspec.structs.replace(base, **more)


async def put(database: Database, *records: Market) -> None:
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, records)

"""Markets as the catalogue of a test holds them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from augury.markets import store as markets
from augury.markets.records import Market
from augury.storage.database import Database

SEEN = datetime(2026, 11, 21, tzinfo=UTC)


def market(platform: Any, number: str, question: str, **more: Any) -> Market:
    fields: dict[str, Any] = {
        "id": f"{platform}:{number}", "platform": platform, "platform_id": number,
        "question": question, "title": question, "observed_at": SEEN,
        "closes_at": datetime(2028, 1, 1, tzinfo=UTC),
    }  # fmt: skip
    return Market(**(fields | more))


async def put(database: Database, *given: Market) -> None:
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, given)

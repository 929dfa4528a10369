"""What following a venue has stored."""

from __future__ import annotations

from typing import Any

from tests.venues.conftest import NOW

from augury.markets import store as markets
from augury.markets.records import Market
from augury.storage.database import Database


async def stored(database: Database) -> dict[str, markets.StoredMarket]:
    async with database.reading() as conn:
        rows = await markets.list_page(
            conn, markets.Filters(), sort="volume", limit=10_000, now=NOW, oldest=NOW
        )
    return {row.id: row for row in rows}


async def scalar(database: Database, query: Any, *params: Any) -> Any:
    async with database.reading() as conn:
        row = await (await conn.execute(query, params)).fetchone()
    return row and row[0]


def with_tokens(market: Market) -> Market:
    import msgspec

    if market.platform == "kalshi":
        return market
    tokens = tuple(f"{market.platform_id}{i}".rjust(77, "1") for i in range(2))
    return msgspec.structs.replace(market, token_ids=tokens)

"""The extension's SQL: markets as they are shown beside a page, and markets of two sides."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple

from psycopg import AsyncConnection

from augury.markets.records import Platform, Status


class Row(NamedTuple):
    """What of a market is shown, filtered or read. Fields as in `markets.records.Market`."""

    id: str
    platform: Platform
    question: str
    outcomes: list[str]
    prices: list[float | None]
    price_as_of: datetime | None
    status: Status
    url: str | None
    slug: str | None
    event_name: str | None
    description: str | None
    """Its first 300 characters."""
    tags: list[str]
    closes_at: datetime | None
    volume: float | None
    volume_24h: float | None
    liquidity: float | None
    best_bid: float | None
    best_ask: float | None


_COLUMNS: LiteralString = (
    "id, platform, question, outcomes, prices, price_as_of, status, url, slug, event_name,"
    " left(description, 300), tags, closes_at, volume, volume_24h, liquidity, best_bid, best_ask"
)


async def rows(conn: AsyncConnection[Any], ids: Sequence[str]) -> dict[str, Row]:
    """The known ones among `ids`."""
    cursor = await conn.execute(
        f"select {_COLUMNS} from markets where id = any(%s)",  # noqa: S608
        (list(ids),),
        binary=True,
    )
    return {row[0]: Row(*row) for row in await cursor.fetchall()}


async def games(
    conn: AsyncConnection[Any],
    one: Sequence[str],
    other: Sequence[str],
    near: datetime,
) -> dict[str, Row]:
    """Markets of games whose question holds a name of either side, any case; at most 400, those
    that close nearest to `near`. `one` and `other`: one to three names each."""
    three = [*_patterns(one), *_patterns(other)]
    cursor = await conn.execute(
        f"""
        select {_COLUMNS} from markets
        where (question ilike %s or question ilike %s or question ilike %s)
          and (question ilike %s or question ilike %s or question ilike %s)
          and (question ilike '%% vs%%' or question ilike '%% at %%')
        order by abs(extract(epoch from closes_at - %s)) nulls last
        limit 400
        """,  # noqa: S608
        [*three, near],
        binary=True,
    )
    return {row[0]: Row(*row) for row in await cursor.fetchall()}


def _patterns(names: Sequence[str]) -> list[str]:
    plain = [n.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_") for n in names]
    patterns = [f"%{name}%" for name in plain]
    return (patterns * 3)[:3]

"""SQL queries of the browser extension: the markets that it shows beside a web page, and the
markets on games."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple

from psycopg import AsyncConnection

from augury.markets.records import Origin, Platform, Status


class PageMarketRow(NamedTuple):
    """The fields of a market that an answer shows or that decide whether the market is shown, as in
    `markets.records.Market`."""

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
    """First 300 characters of the resolution rules."""
    category: str | None
    tags: list[str]
    closes_at: datetime | None
    volume: float | None
    volume_24h: float | None
    liquidity: float | None
    best_bid: float | None
    best_ask: float | None
    observed_at: datetime | None
    event_id: str | None
    origin: Origin
    linked_market_ids: list[str]
    stale: bool = False
    """Whether the market's price or status is too old to rely on. Always False as read from the
    database. `ExtensionService` sets this field and `status` later, by the age of the data."""


_COLUMNS: LiteralString = (
    "id, platform, question, outcomes, prices, price_as_of, status, url, slug, event_name,"
    " left(description, 300), category, tags, closes_at, volume, volume_24h, liquidity,"
    " best_bid, best_ask, observed_at, event_id, origin, linked_market_ids"
)


async def rows(conn: AsyncConnection[Any], ids: Sequence[str]) -> dict[str, PageMarketRow]:
    """The markets with these ids that exist, by id."""
    cursor = await conn.execute(
        f"select {_COLUMNS} from markets where id = any(%s)",  # noqa: S608
        (list(ids),),
        binary=True,
    )
    return {row[0]: PageMarketRow(*row) for row in await cursor.fetchall()}


class GameRow(NamedTuple):
    """The fields of a market that say which game it is about."""

    change: int
    """Sequence number of the last change to the market."""
    id: str
    question: str
    event_name: str | None
    slug: str | None
    description: str | None
    closes_at: datetime | None
    volume: float | None


async def games_since(conn: AsyncConnection[Any], change: int, limit: int) -> list[GameRow]:
    """Of the next `limit` markets that changed after the change with the number `change`, those
    that may be about a game, in the order of their changes. The last of the `limit` markets is
    always included, because the number of its change tells where to continue."""
    cursor = await conn.execute(
        r"""
        with next as (
          select change, id, question, event_name, slug, left(description, 300) as description,
            closes_at, volume
          from markets where change > %s order by change limit %s
        )
        select * from next
        where concat_ws(' ', question, event_name) ~* '\m(vs?|at|@)\M| @ '
          or change = (select max(change) from next)
        order by change
        """,
        (change, limit),
        binary=True,
    )
    return [GameRow(*row) for row in await cursor.fetchall()]

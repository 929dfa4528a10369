"""A page of the catalogue as it is shown: by the service, and by the process that makes files."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import msgspec

from augury.markets import store
from augury.markets.freshness import AgeRule
from augury.markets.store import Filters, Position, Sort, StoredMarket


class MarketPage(NamedTuple):
    """Some markets, and the position after which more follow; None: these were the last."""

    markets: list[StoredMarket]
    next: Position | None


async def read_page(
    conn: store.Connection,
    filters: Filters,
    sort: Sort,
    *,
    limit: int,
    after: Position | None,
    age: AgeRule,
    at: datetime,
) -> MarketPage:
    """At most `limit` markets after a position of the same list, as shown at a moment."""
    markets = await store.list_page(
        conn, filters, sort=sort, limit=limit + 1, now=at, oldest=age.oldest(at), after=after
    )
    more = len(markets) > limit
    markets = markets[:limit]
    return MarketPage(shown(markets, age, at), store.position(markets[-1], sort) if more else None)


def shown(markets: Iterable[StoredMarket], age: AgeRule, at: datetime) -> list[StoredMarket]:
    """Markets with the status and staleness they have at a moment."""
    found = []
    for market in markets:
        standing = age.judge(market, at)
        if standing.stale:
            market = msgspec.structs.replace(market, status=standing.status, stale=True)
        found.append(market)
    return found

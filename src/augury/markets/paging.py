"""Reads pages of the list of markets, for the HTTP service and for the separate process that makes
files of the list (`files`)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import msgspec

from augury.markets import store
from augury.markets.freshness import AgeRule
from augury.markets.store import Filters, Position, Sort, StoredMarket


class MarketPage(NamedTuple):
    """A page of the list of markets, and the position after which the next page starts; None after
    the last page."""

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
    """At most `limit` markets after a position in the list, with their status and staleness at
    the time `at`. The position must come from a list with the same filters and sort order."""
    markets = await store.list_page(
        conn, filters, sort=sort, limit=limit + 1, now=at, oldest=age.oldest(at), after=after
    )
    more = len(markets) > limit
    markets = markets[:limit]
    return MarketPage(shown(markets, age, at), store.position(markets[-1], sort) if more else None)


def shown(markets: Iterable[StoredMarket], age: AgeRule, at: datetime) -> list[StoredMarket]:
    """Markets with the status and staleness that they have at the time `at`."""
    found = []
    for market in markets:
        standing = age.standing(market, at)
        if standing.stale:
            market = msgspec.structs.replace(market, status=standing.status, stale=True)
        found.append(market)
    return found

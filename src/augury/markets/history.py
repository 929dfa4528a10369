"""A market with its details, and a market's price history, as the routes return them."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, TypeVar

from augury.markets.store import PriceRow, StoredMarket
from augury.markets.volume import VolumeBar

_T = TypeVar("_T", float, float | None)


class Detail(NamedTuple):
    """A market with its latest recorded prices, and related markets: those of the same event and of
    events with the same name, e.g. of a weekly series."""

    market: StoredMarket
    prices: list[PriceRow]
    related: list[StoredMarket]


class History(NamedTuple):
    """A market's prices and traded volume from `start` up to but not including `end`.

    `series` has one list of pairs per outcome. A pair is the start of an interval, and the last
    price in that interval (None: no price).
    """

    market: StoredMarket
    start: datetime
    end: datetime
    interval_minutes: int
    series: list[list[tuple[datetime, float | None]]]
    volume: list[VolumeBar]


def complement(prices: dict[int, _T], outcomes: int) -> dict[int, _T | float]:
    """Complete `prices` (outcome index -> price): if one of exactly two outcomes has no price, it
    gets 1 minus the price of the other.

    outcomes : number of outcomes of the market
    """
    if outcomes != 2 or len(prices) != 1:
        return dict(prices)
    [(known, price)] = prices.items()
    return dict(prices) if price is None else {known: price, 1 - known: round(1 - price, 12)}

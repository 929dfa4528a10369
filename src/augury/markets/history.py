"""A market with what is known of it, and its prices over time as answers show them."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, TypeVar

from augury.markets.store import PriceRow, StoredMarket
from augury.markets.volume import VolumeBar

_T = TypeVar("_T", float, float | None)


class Detail(NamedTuple):
    """A market with its latest recorded prices and its kin."""

    market: StoredMarket
    prices: list[PriceRow]
    related: list[StoredMarket]


class History(NamedTuple):
    """A market over [start, end): per outcome (start of interval, price), and what was traded."""

    market: StoredMarket
    start: datetime
    end: datetime
    interval_minutes: int
    series: list[list[tuple[datetime, float | None]]]
    volume: list[VolumeBar]


def complement(prices: dict[int, _T], outcomes: int) -> dict[int, _T | float]:
    """`prices` by outcome, and of two outcomes the one not recorded as 1 minus the other."""
    if outcomes != 2 or len(prices) != 1:
        return dict(prices)
    [(known, price)] = prices.items()
    return dict(prices) if price is None else {known: price, 1 - known: round(1 - price, 12)}

"""Current quotes of all markets, in memory: prices, their time, volume, closing time, category.

The index stores those parts of a result that seldom change. Prices change every second, and a
database query for each search would cost a third of the search's time. So each process that
searches keeps a record of 74 bytes per market. It reads all markets once, and then those whose
quotes changed. Markets that are not yet in memory are read from the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.clock import now, pause
from augury.markets import store as markets
from augury.markets.freshness import AgeRule
from augury.markets.records import ShownOrigin
from augury.markets.store import MOVING, NEVER, MovingRow
from augury.search.members import CurrentPrices
from augury.storage.database import Database

LOOK_EVERY = 1.0
"""Seconds between two queries to the database for markets whose quotes changed. After a query that
returned `MOVED_AT_ONCE` markets, the next one follows at once."""
MOVED_AT_ONCE = 1_000
"""One query reads at most this many markets whose quotes changed, so that other work does not wait
long."""

_EPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc)  # noqa: UP017  (PostgreSQL counts from here)
_MICROSECOND = timedelta(microseconds=1)
_ORIGINS: tuple[ShownOrigin, ...] = ("live", "import", "sample")


class Quoted(NamedTuple):
    """A market's current data, as a search result shows them; times in UTC."""

    prices: list[float | None]
    price_as_of: datetime | None
    closes_at: datetime | None
    volume: float | None
    origin: ShownOrigin
    old: bool
    """True if the price was last updated longer ago than `AgeRule.max_age`. Without a quote, the
    last update of the market counts instead."""
    twins: list[str]
    category: str | None


class Quotes:
    """The current quotes of all markets of a catalogue, by market number."""

    def __init__(self, database: Database, age: AgeRule) -> None:
        self._database = database
        self._max_age = round(age.max_age / _MICROSECOND)
        self._rows: NDArray[np.void] = np.zeros(0, MOVING)
        self._more: dict[int, list[float | None]] = {}
        """Prices of the markets that do not have exactly two outcomes, by market number."""
        self._twins: dict[int, list[str]] = {}
        self._categories: dict[int, str] = {}
        """`MovingRow.category_number` -> name of the category. Names are kept once here, because
        thousands of markets share a few dozen of them."""
        self._moved = 0

    async def of(self, seqs: Sequence[int]) -> dict[int, Quoted]:
        """The quotes of the markets with the numbers `seqs`, by number; markets that no longer
        exist are left out."""
        asked = np.asarray(seqs, np.int64)
        await self.read_missing(asked)
        there = asked[self._is_known(asked)]
        at = (now() - _EPOCH) // _MICROSECOND
        return {row[0]: self._quoted(row, at) for row in self._rows[there].tolist()}

    async def read_missing(self, seqs: NDArray[np.int64]) -> None:
        """Read the quotes of those markets with the numbers `seqs` that are not in memory yet."""
        if len(missing := seqs[~self._is_known(seqs)]):
            async with self._database.reading() as conn:
                self._put(await markets.moving(conn, missing.tolist()))

    def _is_known(self, seqs: NDArray[np.int64]) -> NDArray[np.bool_]:
        known = seqs < len(self._rows)
        known[known] = self._rows["moved"][seqs[known]] > 0
        return known

    def current_prices(self, seqs: NDArray[np.int64]) -> CurrentPrices:
        """The prices of the markets with the numbers `seqs`, and which of them are current. Markets
        that are not in memory count as not quoted (`read_missing` loads them)."""
        known = self._is_known(seqs)
        prices, current = np.full(len(seqs), np.nan), np.zeros(len(seqs), np.bool_)
        rows = self._rows[seqs[known]]
        prices[known] = rows["first"]
        two = (rows["kinds"] & markets.TWO_OUTCOMES) > 0
        priced_at = rows["price_as_of"]
        updated_at = np.where(priced_at != NEVER, priced_at, rows["observed_at"])
        age = (now() - _EPOCH) // _MICROSECOND - updated_at
        quoted = np.where(two, ~np.isnan(rows["first"]), priced_at != NEVER)
        current[known] = quoted & (age <= self._max_age)
        return CurrentPrices(prices, current)

    def _quoted(self, row: tuple[Any, ...], at: int) -> Quoted:
        seq, _, first, second, price_as_of, observed_at, closes_at, volume, origin, kinds, named = (
            row
        )
        if kinds & markets.TWO_OUTCOMES:
            prices = [first if first == first else None, second if second == second else None]
        else:
            prices = self._more.get(seq, [])
        updated_at = price_as_of if price_as_of != NEVER else observed_at
        return Quoted(
            prices,
            None if price_as_of == NEVER else _EPOCH + timedelta(0, 0, price_as_of),
            None if closes_at == NEVER else _EPOCH + timedelta(0, 0, closes_at),
            volume if volume == volume else None,
            _ORIGINS[origin],
            at - updated_at > self._max_age,
            self._twins.get(seq, []) if kinds & markets.HAS_TWINS else [],
            self._categories.get(named),
        )

    async def follow(self, stop: asyncio.Event) -> None:
        """Read the quotes of all markets once, then those that change, until `stop` is set."""
        await self._read_all()
        while not stop.is_set():
            async with self._database.reading() as conn:
                rows = await markets.moving_since(conn, self._moved, MOVED_AT_ONCE)
            if rows:
                self._put(rows)
                self._moved = rows[-1].moved
            if len(rows) < MOVED_AT_ONCE:
                await pause(stop, LOOK_EVERY)

    async def _read_all(self) -> None:
        async with self._database.reading() as conn:
            # Quotes that change from here on are read again by `follow`.
            reached = await markets.last_moved(conn)
            found = await markets.all_moving(conn)
            odd = await markets.moving_irregular(conn)
            self._categories |= await markets.categories(conn)
        if len(found):
            self._reserve(int(found["seq"].max()))
            self._rows[found["seq"]] = found
        self._put(odd)
        self._moved = reached

    def _put(self, rows: Sequence[MovingRow]) -> None:
        if not rows:
            return
        self._reserve(max(row.seq for row in rows))
        for row in rows:
            self._rows[row.seq] = row.record()
            if len(row.prices) != 2:
                self._more[row.seq] = row.prices
            if row.twins:
                self._twins[row.seq] = row.twins
            if row.category is not None:
                self._categories[row.category_number] = row.category

    def _reserve(self, seq: int) -> None:
        if seq >= len(self._rows):
            grown = np.zeros(seq + 1 + seq // 8, MOVING)
            grown[: len(self._rows)] = self._rows
            self._rows = grown

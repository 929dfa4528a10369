"""Reads the fields of markets that change often (price, volume, times), for code that keeps them in
memory.

They are read once for all markets, and then again only for markets of which one of these fields has
changed since (`moving_since`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.markets.records import Origin
from augury.markets.store.sql import Connection, scalar, sql

TWO_OUTCOMES: Final = 1
HAS_TWINS: Final = 2
"""Bits of the field `kinds` in a record of type `MOVING` (a market's data that change often).
`TWO_OUTCOMES` is set if the market has exactly two outcomes, `HAS_TWINS` if other markets of the
same contract are listed on another venue."""

NEVER: Final = np.iinfo(np.int64).min
"""Value of a time in a record of type `MOVING` (a market's data that change often) if the time is
not known."""

MOVING = np.dtype(
    [
        ("seq", "<i8"),
        ("moved", "<i8"),
        ("first", "<f8"),  # price of the first outcome of two; NaN: no quote
        ("second", "<f8"),
        ("price_as_of", "<i8"),  # microseconds since 2000-01-01 UTC
        ("observed_at", "<i8"),
        ("closes_at", "<i8"),
        ("volume", "<f8"),
        ("origin", "u1"),  # index into `_ORIGINS`
        ("kinds", "u1"),
        ("category", "<i8"),  # hash of the category's name, see `categories`; 0: no category
    ]
)
"""Type of a record with those data of one market that change often (price, volume, times). An array
of such records is kept in memory. The record of a market is at the index that is the market's
serial number (`seq`). For a number without a market, the record is all zeros."""

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_ORIGINS: tuple[Origin, ...] = ("venue", "dump", "sample")


class MovingRow(NamedTuple):
    """The data of a market that change often (price, volume, times), as read from the database.
    Meaning as in `records.Market`."""

    seq: int
    moved: int
    prices: list[float | None]
    price_as_of: datetime | None
    observed_at: datetime | None
    closes_at: datetime | None
    volume: float | None
    origin: Origin
    twins: list[str]
    category: str | None
    category_number: int

    def record(self) -> tuple[Any, ...]:
        """This row as a tuple of the values that one record of type `MOVING` has, in the order of
        its fields."""
        two = len(self.prices) == 2
        first, second = self.prices if two else (None, None)
        return (
            self.seq, self.moved, _number(first), _number(second), _micros(self.price_as_of),
            _micros(self.observed_at), _micros(self.closes_at), _number(self.volume),
            _ORIGINS.index(self.origin), TWO_OUTCOMES * two + HAS_TWINS * bool(self.twins),
            self.category_number,
        )  # fmt: skip


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _micros(moment: datetime | None) -> int:
    return NEVER if moment is None else (moment - _EPOCH) // timedelta(microseconds=1)


_CATEGORY = "coalesce(hashtextextended(category, 0), 0)"
"""SQL for a category's number: a 64-bit hash of its name. The chance that two of a thousand names
get the same number is below 1 in 10^13."""
_COLUMNS = (
    "seq, moved, prices, price_as_of, observed_at, closes_at, volume, origin, linked_market_ids, "
    f"category, {_CATEGORY}"
)


async def moving(conn: Connection, seqs: Sequence[int]) -> list[MovingRow]:
    """The often changing data (price, volume, times) of the markets with these serial numbers
    (`seq`); unknown numbers are left out."""
    return await _rows(conn, "where seq = any(%s)", (list(seqs),))


async def moving_since(conn: Connection, moved: int, limit: int) -> list[MovingRow]:
    """The data that change often (price, volume, times), for the markets that changed after the
    change numbered `moved`. A change is e.g. a new price, volume or status, or a new link to the
    same contract on another venue. The confirmation that a price is unchanged counts as a change,
    too, but only once an hour for each market. At most `limit` markets are returned, in the order
    of their changes."""
    return await _rows(conn, "where moved > %s order by moved limit %s", (moved, limit))


async def moving_irregular(conn: Connection) -> list[MovingRow]:
    """The often changing data of the markets that do not fit a record of type `MOVING`: markets
    whose number of outcomes is not two (the record holds two prices), and markets whose contract is
    also listed on another venue (the record can't name the other listings)."""
    return await _rows(conn, "where cardinality(prices) <> 2 or linked_market_ids <> '{}'", ())


async def _rows(conn: Connection, rest: str, params: Sequence[Any]) -> list[MovingRow]:
    query = sql(f"select {_COLUMNS} from markets {rest}")  # noqa: S608
    rows = await conn.execute(query, params, binary=True)
    return [MovingRow(*row) for row in await rows.fetchall()]


async def last_moved(conn: Connection) -> int:
    """The number (`moved`) of the latest change of a market that this connection can see; 0 in an
    empty catalogue. A change is e.g. a new price, volume or status, or a new link to the same
    contract on another venue."""
    return await scalar(conn, "select coalesce(max(moved), 0) from markets")


# All columns have a fixed width and no nulls, so the binary copy is an array of equal records.
_COPY = f"""
copy (
  select seq, moved, coalesce(prices[1], 'NaN'), coalesce(prices[2], 'NaN'),
         coalesce(price_as_of, '-infinity'), coalesce(observed_at, '-infinity'),
         coalesce(closes_at, '-infinity'), coalesce(volume, 'NaN'),
         (case origin when 'venue' then 0 when 'dump' then 1 else 2 end)::int2,
         ((cardinality(prices) = 2)::int + 2 * (linked_market_ids <> '{{}}')::int)::int2,
         {_CATEGORY}
  from markets
) to stdout (format binary)
"""  # noqa: S608  (columns of this module, no input)
_WIRE = np.dtype(
    [("fields", ">i2")]
    + [
        pair
        for name in MOVING.names or ()
        for pair in (
            (f"{name}_size", ">i4"),
            (name, {"f": ">f8", "i": ">i8", "u": ">i2"}[MOVING[name].kind]),
        )
    ]
)
_HEAD, _TAIL = 19, 2
"""Number of bytes before the first row and after the last row of PostgreSQL's binary COPY
format."""


async def categories(conn: Connection) -> dict[int, str]:
    """Number of a category, as in the field `category` of `MOVING` -> name of the category; for all
    categories."""
    found = await conn.execute(
        sql(f"select distinct {_CATEGORY}, category from markets where category is not null")  # noqa: S608
    )
    return dict(await found.fetchall())


async def all_moving(conn: Connection) -> NDArray[np.void]:
    """The often changing data (price, volume, times) of all markets, as an array of type `MOVING`
    in no particular order."""
    async with conn.cursor() as cursor, cursor.copy(sql(_COPY)) as copy:
        data = b"".join([bytes(part) async for part in copy])
    wire = np.frombuffer(data[_HEAD : len(data) - _TAIL], _WIRE)
    found = np.empty(len(wire), MOVING)
    for name in MOVING.names or ():
        found[name] = wire[name]
    return found

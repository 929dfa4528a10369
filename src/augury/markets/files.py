"""Files of the whole list of markets, made in slices by a process of their own.

Whoever searches meanwhile shall not notice: the process reads the database by itself, one slice for
whoever comes first, and rests between two slices for as long as the one before took.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from augury.apart import Apart
from augury.clock import Clock
from augury.errors import Unavailable
from augury.markets.freshness import AgeRule
from augury.markets.paging import MarketPage, read_page
from augury.markets.store import Filters, Position, Sort
from augury.storage.database import once

MAX_PARQUET = 20_000
"""Most markets one Parquet file holds; the next part starts at its cursor."""
SLICE = 1_000
_PATIENCE = 120.0
"""Seconds a slice may take."""


class FilePart(NamedTuple):
    """A slice of a file, and the position after which the next starts; None: it was the last."""

    body: bytes
    next: Position | None


class Files:
    """The files of one process's callers."""

    def __init__(self, url: str, age: AgeRule, clock: Clock) -> None:
        self._url = url
        self._age = age
        self._clock = clock
        self._apart = Apart()
        self._turn = asyncio.Lock()
        self._rested = 0.0

    async def close(self) -> None:
        """End what is being made."""
        await self._apart.close()

    async def csv(
        self, filters: Filters, sort: Sort, after: Position | None
    ) -> AsyncIterator[bytes]:
        """The list after a position as CSV, a slice at a time. The first has the header."""
        header = True
        while True:
            made = await self._slice(filters, sort, after, SLICE, "csv", header=header)
            yield made.body
            after, header = made.next, False
            if after is None:
                return

    async def parquet(
        self, filters: Filters, sort: Sort, after: Position | None
    ) -> tuple[bytes, Position | None]:
        """At most `MAX_PARQUET` markets of the list, and the position of the rest."""
        slices: list[bytes] = []
        for done in range(0, MAX_PARQUET, SLICE):
            size = min(SLICE, MAX_PARQUET - done)
            made = await self._slice(filters, sort, after, size, "arrow")
            slices.append(made.body)
            after = made.next
            if after is None:
                break
        return await self._apart.run(_PATIENCE, _joined, slices), after

    async def _slice(
        self,
        filters: Filters,
        sort: Sort,
        after: Position | None,
        limit: int,
        form: Literal["csv", "arrow"],
        *,
        header: bool = True,
    ) -> FilePart:
        async with self._turn:
            await asyncio.sleep(self._rested - time.monotonic())
            began = time.monotonic()
            try:
                return await self._apart.run(
                    _PATIENCE, _made, self._url, filters, sort,
                    limit=limit, after=after, age=self._age, at=self._clock(),
                    form=form, header=header,
                )  # fmt: skip
            except TimeoutError:
                raise Unavailable(
                    "Writing the file took too long. Ask for a smaller part with filters.",
                    code="deadline",
                ) from None
            finally:
                now = time.monotonic()
                self._rested = now + (now - began)


# What the other process does. Polars is not loaded here for it.


def _made(
    url: str,
    filters: Filters,
    sort: Sort,
    *,
    limit: int,
    after: Position | None,
    age: AgeRule,
    at: datetime,
    form: Literal["csv", "arrow"],
    header: bool,
) -> FilePart:
    from augury.markets import exports

    async def read() -> MarketPage:
        async with once(url) as conn:
            return await read_page(conn, filters, sort, limit=limit, after=after, age=age, at=at)

    page = asyncio.run(read())
    frame = exports.export_frame(page.markets)
    body = exports.as_csv(frame, header=header) if form == "csv" else exports.as_slice(frame)
    return FilePart(body, page.next)


def _joined(slices: Sequence[bytes]) -> bytes:
    from augury.markets import exports

    return exports.joined(slices)

"""Makes files (CSV, Parquet) of the whole list of markets, in slices, by a separate process.

So that searches are not slowed down, the process reads the database over its own connection and
makes one slice at a time. Several requests take turns, slice by slice. After each slice the process
pauses for as long as the slice took.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from augury.clock import Clock
from augury.errors import Unavailable
from augury.markets.freshness import AgeRule
from augury.markets.paging import MarketPage, read_page
from augury.markets.store import Filters, Position, Sort
from augury.separate_process import SeparateProcess
from augury.storage.database import once

MAX_PARQUET = 20_000
"""Largest number of markets in one Parquet file. A longer list continues in a further file, which
is requested with the cursor in the answer that contains the first file."""
SLICE_MARKETS = 1_000
"""Number of markets that are read and written at a time while a file of markets is made."""
_PATIENCE = 120.0
"""Time limit, in seconds, for making one slice (`SLICE_MARKETS` markets) of a file of markets. The
same limit holds for joining the slices."""


class FilePart(NamedTuple):
    """One of the parts in which a file of markets is made."""

    body: bytes
    next: Position | None
    """Where this part ends: the position of its last market in the list of markets. The next part
    begins with the market after it. None if this is the last part."""


class Files:
    """Writes the whole list of markets to files that callers can download. A separate process does
    the work."""

    def __init__(self, url: str, age: AgeRule, clock: Clock) -> None:
        self._url = url
        self._age = age
        self._clock = clock
        self._process = SeparateProcess()
        self._turn = asyncio.Lock()
        self._rested = 0.0

    async def close(self) -> None:
        """End the process that makes files of markets; files in progress are not finished."""
        await self._process.close()

    async def csv(
        self, filters: Filters, sort: Sort, after: Position | None
    ) -> AsyncIterator[bytes]:
        """Yield the list of markets as CSV, in parts of at most `SLICE_MARKETS` markets. The first
        market is the one after the position `after` (None: the first of the list).

        Only the first part has the header row.
        """
        header = True
        while True:
            made = await self._slice(filters, sort, after, SLICE_MARKETS, "csv", header=header)
            yield made.body
            after, header = made.next, False
            if after is None:
                return

    async def parquet(
        self, filters: Filters, sort: Sort, after: Position | None
    ) -> tuple[bytes, Position | None]:
        """The next markets of the list, at most `MAX_PARQUET`, as a Parquet file: those after the
        position `after` (None: from the beginning). Also returns the position after which the rest
        starts; None if nothing is left."""
        slices: list[bytes] = []
        for done in range(0, MAX_PARQUET, SLICE_MARKETS):
            size = min(SLICE_MARKETS, MAX_PARQUET - done)
            made = await self._slice(filters, sort, after, size, "arrow")
            slices.append(made.body)
            after = made.next
            if after is None:
                break
        return await self._process.run(_PATIENCE, _joined, slices), after

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
                return await self._process.run(
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


# These functions run in the separate process, so that this one does not load polars for them.


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

"""Imports dump files into the catalogue (`augury import`), a few thousand rows per transaction."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable

import msgspec
import polars as pl

from augury.markets import store as markets
from augury.markets.quote_checks import HoldReason
from augury.markets.records import Market
from augury.storage.database import Database
from augury.venues import dump_prices, store
from augury.venues.dump import DumpFile
from augury.venues.dump_markets import read_markets
from augury.venues.records import Refusal

MAX_EXAMPLES = 3
"""Maximum number of examples of refused rows kept for each reason."""
POINTS_AT_ONCE = 100_000
"""Maximum number of price points written in one transaction."""

Progress = Callable[[int], None]


class FileSummary(msgspec.Struct):
    """What became of the rows of one file.

    In a file of markets, `read` is the sum of `added`, `updated`, `unchanged` and `refused`. In a
    file of prices, `quarantined` is a part of the sum, too.
    """

    file: str
    kind: str
    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    quarantined: Counter[str] = msgspec.field(default_factory=Counter)
    """Numbers of quotes and price points that cannot be right and are held in quarantine, by
    reason. A market whose quote is in quarantine is also counted in `added`, `updated` or
    `unchanged`; a price point in quarantine is counted only here."""
    examples: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Examples of refused rows, by reason."""
    seconds: float = 0.0

    def refuse(self, reason: str, example: str | None, count: int = 1) -> None:
        """Count `count` refused rows for a reason, and keep the first `MAX_EXAMPLES` examples of
        it."""
        self.refused[reason] += count
        kept = self.examples.setdefault(reason, [])
        if example and len(kept) < MAX_EXAMPLES:
            kept.append(example)


async def import_file(
    database: Database, file: DumpFile, progress: Progress = lambda _: None
) -> FileSummary:
    """Import one dump file into the catalogue, and return how many rows were added, updated,
    refused and so on. Older states of a market never replace newer ones."""
    began = time.perf_counter()
    summary = FileSummary(file.path.name, file.kind, read=len(file) + file.unreadable)
    if file.unreadable:
        summary.refuse("not a JSON object", None, file.unreadable)
    await (_markets if file.kind == "markets" else _prices)(database, file, summary, progress)
    summary.seconds = round(time.perf_counter() - began, 2)
    return summary


async def _markets(
    database: Database, file: DumpFile, summary: FileSummary, progress: Progress
) -> None:
    parts = read_markets(file)
    # Parsing is done in threads, because a worker process has to do other work meanwhile and renew
    # its heartbeat.
    while (part := await asyncio.to_thread(next, parts, None)) is not None:
        good: list[Market] = []
        for found in part:
            if isinstance(found, Refusal):
                summary.refuse(found.reason, f"{found.id}: {found.detail or ''}".rstrip(": "))
            else:
                good.append(found)
        async with database.transaction() as conn:
            upserted = await markets.upsert_markets(conn, good)
        summary.added += upserted.inserted
        summary.updated += upserted.updated
        summary.unchanged += upserted.unchanged
        summary.quarantined += upserted.held
        progress(len(part))


async def _prices(
    database: Database, file: DumpFile, summary: FileSummary, progress: Progress
) -> None:
    series = _named(file.frame["market_id"].cast(pl.String).unique().drop_nulls())
    async with database.reading() as conn:
        known = await store.known_series(conn, *series)
    rows = await asyncio.to_thread(dump_prices.match_prices, file, known)
    refused = rows.filter(pl.col("reason").is_not_null())
    for reason, count in refused["reason"].value_counts().iter_rows():
        shown = (
            refused.filter(pl.col("reason") == reason)
            .unique("given", keep="first")
            .head(MAX_EXAMPLES)
        )
        summary.refuse(reason, None, count)
        for given, label, price in shown.select("given", "label", "price").iter_rows():
            summary.refuse(reason, f"{given} {label}: {price}", 0)
    progress(refused.height)
    # Sorted by market, so that the points of each market are stored next to each other.
    good = rows.filter(pl.col("reason").is_null()).sort("market_id", "outcome", "at")
    wrong = await asyncio.to_thread(dump_prices.in_another_unit, good, known)
    if wrong.height:
        why = "All prices of its venue in the file at this time are at most one cent."
        async with database.transaction() as conn:
            new = await markets.hold_points(
                conn, dump_prices.points(wrong), HoldReason("unit", why)
            )
        summary.quarantined["unit"] += new
        summary.unchanged += wrong.height - new
        good = good.join(wrong, on=["market_id", "outcome", "at"], how="anti")
        progress(wrong.height)
    for part in good.iter_slices(POINTS_AT_ONCE):
        async with database.transaction() as conn:
            appended = await markets.append_prices(conn, dump_prices.points(part))
        summary.added += appended.added
        summary.unchanged += appended.duplicate
        if appended.unknown_market:
            summary.refuse("unknown market", None, appended.unknown_market)
        progress(part.height)


def _named(series: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
    """The ids in a price file by kind: market ids, Kalshi events (`kalshi:event:KXCPI-25JUL`) and
    Polymarket tokens (`polymarket:token:123`). The prefixes of events and tokens are removed."""
    ids: list[str] = []
    events: list[str] = []
    tokens: list[str] = []
    for name in series:
        if name.startswith("kalshi:event:"):
            events.append(name.removeprefix("kalshi:event:"))
        elif name.startswith("polymarket:token:"):
            tokens.append(name.removeprefix("polymarket:token:"))
        else:
            ids.append(name)
    return ids, events, tokens

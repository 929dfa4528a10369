"""`augury import` and `augury sync`: both work with or without a running service."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from augury.errors import AuguryError, NotFound
from augury.markets import store as markets
from augury.markets.records import PLATFORMS, Platform
from augury.options import AsJson
from augury.relations.linking import Linker
from augury.search.commands import make_searchable
from augury.settings import Settings
from augury.storage.database import Database
from augury.tables import Console
from augury.venues.http import VenueError
from augury.venues.records import Refusal
from augury.venues.sync import FlowOutcome, Sync

if TYPE_CHECKING:
    from augury.venues.importing import FileSummary

T = TypeVar("T")


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Files with markets or with prices, as .parquet, .jsonl or .csv.",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Import files of markets and prices into the catalogue.

    Example: augury import markets.parquet prices.parquet
    """
    _exit_on_failure(lambda: _import(files, as_json=as_json))


def sync(
    venue: Annotated[
        list[str] | None,
        typer.Option(help="Venue to sync: polymarket or kalshi. Repeatable. Default: both."),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Fetch all markets, not only what changed since the last sync."
        ),
    ] = False,
    market: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Sync only this market. Repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Update the catalogue from the venues once.

    Example: augury sync --market polymarket:512345 --market kalshi:KXFED-27JAN-T3.50
    """
    if market:
        if venue or full:
            raise typer.BadParameter("--market can't be combined with other options.")
        if _exit_on_failure(lambda: _sync_markets(market, as_json=as_json)):
            raise typer.Exit(1)
        return
    unknown = [name for name in venue or () if name not in PLATFORMS]
    if unknown:
        raise typer.BadParameter(f"{unknown[0]} is not a venue. Use {' or '.join(PLATFORMS)}.")
    wanted: list[Platform] = [p for p in PLATFORMS if venue is None or p in venue]
    outcomes = _exit_on_failure(lambda: _sync(wanted, full=full, as_json=as_json))
    if any(outcome.failure for outcome in outcomes):
        raise typer.Exit(1)


async def _import(paths: list[Path], *, as_json: bool) -> None:
    # Imported only here, because reading tables takes 0.4 s to import.
    from augury.venues.dump import DumpFile
    from augury.venues.importing import import_file

    began = time.perf_counter()
    # Markets first, whatever the order given: prices refer to them.
    files = sorted((DumpFile(path) for path in paths), key=lambda f: f.kind != "markets")
    settings = Settings()
    database = await Database.open(settings)
    summaries: list[FileSummary] = []
    try:
        replaced = 0
        if any(file.kind == "markets" and len(file) for file in files):
            async with database.reading() as conn:
                replaced = await markets.sample_size(conn)
        if replaced:
            typer.echo(
                f"This import replaces the sample: its {replaced:,} invented markets and their "
                f"prices are deleted when the first real market is imported.",
                err=True,
            )
        with _progress(shown=not as_json) as bars:
            for file in files:
                bar = bars.add_task(f"{file.path.name} ({file.kind})", total=len(file))
                summary = await import_file(database, file, lambda n, b=bar: bars.advance(b, n))
                summaries.append(summary)
            bar = bars.add_task(
                "search index",
                total=sum(s.added + s.updated for s in summaries if s.kind == "markets") or None,
            )
            await make_searchable(settings, database, lambda n: bars.advance(bar, n))
            bar = bars.add_task("events and links", total=None)
            await Linker(database).catch_up(lambda n: bars.advance(bar, n))
    finally:
        await database.close()
    total: Counter[str] = sum((s.refused for s in summaries), Counter())
    held: Counter[str] = sum((s.quarantined for s in summaries), Counter())
    seconds = round(time.perf_counter() - began, 2)
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "read": sum(s.read for s in summaries),
                    "added": sum(s.added for s in summaries),
                    "updated": sum(s.updated for s in summaries),
                    "unchanged": sum(s.unchanged for s in summaries),
                    "refused": dict(total.most_common()),
                    "quarantined": dict(held.most_common()),
                    "replaced_sample": replaced,
                    "seconds": seconds,
                    "files": msgspec.to_builtins(summaries),
                }
            )
        )
        return
    for summary in summaries:
        _show_import(summary)
    if held:
        typer.echo("'augury markets quarantine' lists the quotes in quarantine.")


def _show_import(summary: FileSummary) -> None:
    typer.echo(
        f"{summary.file}: {summary.read:,} {summary.kind} read, {summary.added:,} added,"
        f" {summary.updated:,} updated, {summary.unchanged:,} unchanged,"
        f" {sum(summary.refused.values()):,} refused, {summary.seconds:.1f} s"
    )
    for reason, count in summary.refused.most_common():
        typer.echo(f"  refused {count:,}: {reason}")
        for example in summary.examples.get(reason, ()):
            typer.echo(f"    e.g. {example[:120]}")
    for reason, count in summary.quarantined.most_common():
        typer.echo(f"  in quarantine {count:,}: {reason}")


async def _sync(platforms: list[Platform], *, full: bool, as_json: bool) -> list[FlowOutcome]:
    settings = Settings()
    database = await Database.open(settings)
    syncing = Sync(database, settings)
    outcomes: list[FlowOutcome] = []
    try:
        with _progress(shown=not as_json) as bars:
            for platform in platforms:
                outcomes += await _sync_venue(syncing, platform, bars, full=full)
            bar = bars.add_task("search index", total=None)
            await make_searchable(settings, database, lambda n: bars.advance(bar, n))
            bar = bars.add_task("events and links", total=None)
            await Linker(database).catch_up(lambda n: bars.advance(bar, n))
    finally:
        await syncing.aclose()
        await database.close()
    if as_json:
        typer.echo(json.dumps({"flows": msgspec.to_builtins(outcomes)}))
        return outcomes
    for outcome in outcomes:
        _show_sync(outcome)
    return outcomes


async def _sync_markets(ids: list[str], *, as_json: bool) -> int:
    """Sync these markets one by one. Returns the number that could not be stored."""
    settings = Settings()
    database = await Database.open(settings)
    syncing = Sync(database, settings)
    found: list[dict[str, str | None]] = []
    try:
        async with database.reading() as conn:
            known = await markets.native_ids(conn, ids)
        for id_ in ids:
            try:
                given = await syncing.look_up(known.get(id_, id_))
            except (NotFound, VenueError) as problem:
                found.append({"id": id_, "status": None, "problem": str(problem)})
                continue
            if isinstance(given, Refusal):
                found.append({"id": id_, "status": None, "problem": f"Refused: {given.reason}."})
            else:
                found.append({"id": id_, "status": given.status, "problem": None})
        await make_searchable(settings, database, lambda _: None)
        await Linker(database).catch_up()
    finally:
        await syncing.aclose()
        await database.close()
    if as_json:
        typer.echo(json.dumps({"markets": found}))
    else:
        for one in found:
            typer.echo(f"{one['id']}: {one['problem'] or one['status']}", err=bool(one["problem"]))
    return sum(one["problem"] is not None for one in found)


async def _sync_venue(
    syncing: Sync, platform: Platform, bars: Progress, *, full: bool
) -> list[FlowOutcome]:
    """Sync one venue, and return what each run did. A full sync is run if `full` is set, if no full
    sync has succeeded yet, or if one was interrupted. Otherwise an incremental sync is run and,
    unless it fails, a price refresh."""
    if not full and await syncing.has_full(platform):
        flows = [syncing.incremental, syncing.refresh_prices]
    else:
        flows = [syncing.full]
    outcomes: list[FlowOutcome] = []
    for flow in flows:
        bar = bars.add_task(f"{platform}", total=None)

        def report(outcome: FlowOutcome, bar: Any = bar) -> None:
            bars.update(
                bar,
                description=f"{outcome.platform} {outcome.flow}: {outcome.pages} pages,"
                f" {outcome.records:,} records, {outcome.inserted:,} new",
            )

        outcomes.append(await flow(platform, report))
        bars.update(bar, total=1, completed=1)
        if outcomes[-1].failure:
            break
    return outcomes


def _show_sync(outcome: FlowOutcome) -> None:
    if outcome.skipped:
        typer.echo(f"{outcome.platform} {outcome.flow}: another process is already doing this.")
        return
    typer.echo(
        f"{outcome.platform} {outcome.flow}: {outcome.records:,} records on {outcome.pages} pages,"
        f" {outcome.inserted:,} new, {outcome.updated:,} updated, {outcome.unchanged:,} unchanged,"
        f" {sum(outcome.refused.values()):,} refused, {outcome.seconds:.1f} s"
    )
    for reason, count in outcome.refused.most_common():
        typer.echo(f"  refused {count:,}: {reason}")
    if outcome.failure:
        typer.echo(f"  ended early: {outcome.failure}", err=True)
        typer.echo("  The data fetched so far is stored. The next sync continues here.", err=True)


def _progress(*, shown: bool) -> Progress:
    """Progress bars on stderr, shown only if it is a terminal. Stdout is for the result."""
    console = Console(stderr=True, markup=False)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not (shown and console.is_terminal),
    )


def _exit_on_failure(work: Callable[[], Awaitable[T]]) -> T:
    async def run() -> T:
        return await work()

    try:
        return asyncio.run(run())
    except AuguryError as exc:
        typer.echo(str(exc), err=True)
        raise typer.Exit(1) from None

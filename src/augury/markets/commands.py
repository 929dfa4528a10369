"""`augury markets`: lists the quotes that are held in quarantine because they can't be right, and
releases them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

import typer

from augury.clock import isoformat
from augury.markets.quote_checks import REASONS, Reason
from augury.markets.service import MarketService
from augury.markets.store import WHOLE_QUOTE, Held
from augury.options import AsJson
from augury.settings import Settings
from augury.storage.database import Database

app = typer.Typer(
    help="Quotes that can't be right and are held in quarantine: list and release them.",
    no_args_is_help=True,
)

T = TypeVar("T")

Why = Annotated[
    str | None,
    typer.Option(
        "--reason",
        help="Only quotes held back for this reason. unit: a hundred times too small; book: far "
        "outside their order book; event_sum: the prices of an event do not add up; twin: far from "
        "the same contract on the other venue.",
    ),
]


@app.command()
def quarantine(
    market: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MARKET]...", help="Only these markets, by id, UUID, slug, ticker or address."
        ),
    ] = None,
    reason: Why = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of quotes to list.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List quotes and recorded prices in quarantine, with the reason why they can't be right.

    Example: augury markets quarantine --reason unit
    """
    why = _reason(reason)
    found = _run(lambda service: service.quarantined(market or None, reason=why, limit=limit))
    if as_json:
        typer.echo(json.dumps({"items": [_plain(one) for one in found]}))
        return
    if not found:
        typer.echo("No quotes are held.")
    for one in found:
        what = "quote" if one.outcome == WHOLE_QUOTE else f"price of outcome {one.outcome + 1}"
        shown = ", ".join("none" if price is None else f"{price:g}" for price in one.prices)
        book = ""
        if one.best_bid is not None or one.best_ask is not None:
            book = f", book {_shown(one.best_bid)} to {_shown(one.best_ask)}"
        typer.echo(f"{one.market_id}  {one.question}")
        typer.echo(f"  {what} {shown}{book}, {one.at:%Y-%m-%d %H:%M} UTC, {one.source}")
        typer.echo(f"  {one.reason}: {one.detail}")
    if len(found) == limit:
        typer.echo("There may be more. Raise --limit to see them.", err=True)


@app.command()
def release(
    market: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MARKET]...", help="Markets by id, UUID, slug, ticker or address."),
    ] = None,
    reason: Why = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Release all quotes in quarantine.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Give quotes in quarantine back to their markets. The same quotes are accepted from then on.

    Example: augury markets release kalshi:KXFED-27JAN-T3.50
    """
    if not market and reason is None and not everything:
        raise typer.BadParameter("Give market ids, a --reason, or --all.")
    why = _reason(reason)
    quotes, prices = _run(lambda service: service.release(market or None, reason=why))
    if as_json:
        typer.echo(json.dumps({"quotes": quotes, "prices": prices}))
    else:
        typer.echo(f"Released: {quotes:,} quotes, {prices:,} recorded prices.")


def _reason(given: str | None) -> Reason | None:
    if given is None or given in REASONS:
        return given  # type: ignore[return-value]
    raise typer.BadParameter(
        f"{given!r} is not a reason for which quotes are put into quarantine. "
        f"Use one of: {', '.join(REASONS)}."
    )


def _shown(price: float | None) -> str:
    return "none" if price is None else f"{price:g}"


def _plain(one: Held) -> dict[str, Any]:
    return one._asdict() | {
        "outcome": None if one.outcome == WHOLE_QUOTE else one.outcome,
        "at": isoformat(one.at),
        "held_at": isoformat(one.held_at),
    }


def _run(work: Callable[[MarketService], Awaitable[T]]) -> T:
    async def run() -> T:
        database = await Database.open(Settings())
        try:
            return await work(MarketService(database))
        finally:
            await database.close()

    return asyncio.run(run())

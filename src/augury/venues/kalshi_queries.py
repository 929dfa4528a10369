"""Makes the paths and parameters of requests to Kalshi, and reads the pages of its answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote as quote_path

from augury.venues.wire import Wire, identifier

EVENTS_PAGE = 200
MARKETS_PAGE = 1_000
BATCH_TICKERS = 100
"""Maximum number of tickers in one request for markets by ticker; 100 make a URL of about 3 KB."""

Params = Mapping[str, str | int | Sequence[str]]


def events_query(*, status: str, cursor: str | None) -> tuple[str, Params]:
    """Path and parameters of the request for a page of events with their markets. This listing
    never contains parlays."""
    return _paged(
        "/events", {"status": status, "with_nested_markets": "true", "limit": EVENTS_PAGE}, cursor
    )


def markets_query(*, cursor: str | None, **filters: str | int) -> tuple[str, Params]:
    """Path and parameters of the request for a page of markets without parlays; `filters` are named
    as in Kalshi's OpenAPI document."""
    return _paged("/markets", {"mve_filter": "exclude", "limit": MARKETS_PAGE, **filters}, cursor)


def batch_query(tickers: Sequence[str]) -> tuple[str, Params]:
    """Path and parameters of the request for markets by ticker, whatever their status."""
    return "/markets", {"tickers": ",".join(tickers), "limit": max(len(tickers), 1)}


def market_query(ticker: str, *, historical: bool = False) -> tuple[str, Params]:
    """Path and parameters of the request for one market. Markets settled before Kalshi's cutoff are
    only in the historical API."""
    return f"{'/historical' if historical else ''}/markets/{_segment(ticker)}", {}


def event_query(event: str) -> tuple[str, Params]:
    """Path and parameters of the request for one event with its markets."""
    return f"/events/{_segment(event)}", {"with_nested_markets": "true"}


def series_query() -> tuple[str, Params]:
    """Path and parameters of the request for all series (groups of events). Categories and tags are
    read from the series, because newer events and markets come without them."""
    return "/series", {}


def candles_query(
    ticker: str,
    series: str | None,
    *,
    start: datetime,
    end: datetime,
    minutes: int,
    historical: bool = False,
) -> tuple[str, Params]:
    """Path and parameters of the request for a market's candlesticks from `start` to `end`.

    `minutes`: length of a candlestick: 1, 60 or 1440. `historical`: use the historical API.
    Markets settled before Kalshi's cutoff are only there.
    """
    path = (
        f"/historical/markets/{_segment(ticker)}/candlesticks"
        if historical
        else f"/series/{_segment(series or series_of(ticker))}"
        f"/markets/{_segment(ticker)}/candlesticks"
    )
    return path, {
        "start_ts": int(start.timestamp()),
        "end_ts": int(end.timestamp()),
        "period_interval": minutes,
    }


def _segment(value: str) -> str:
    """An id, escaped so that it stays one segment of a URL's path."""
    return quote_path(value, safe="")


def _paged(path: str, params: dict[str, str | int], cursor: str | None) -> tuple[str, Params]:
    return path, params if not cursor else {**params, "cursor": cursor}


def read_page(answer: object, kind: str) -> tuple[list[Any], str | None]:
    """The records under `kind` ("events", "markets", "series") in a page of Kalshi's answer, and
    the cursor of the next page; None after the last page.

    Raises
    ------
    ValueError
        When the answer has another shape.
    """
    if not isinstance(answer, dict) or not isinstance(answer.get(kind), list):
        raise ValueError(f'expected an object with a list "{kind}"')
    return answer[kind], identifier(answer.get("cursor"), 4_000)


def read_one(answer: object, kind: str) -> dict[str, Any]:
    """The record in an answer `{kind: {...}}`, e.g. `{"event": {...}}`. An event's markets may be
    in the record or next to it.

    Raises
    ------
    ValueError
        When the answer has another shape.
    """
    if not isinstance(answer, dict) or not isinstance(answer.get(kind), dict):
        raise ValueError(f'expected an object with a record "{kind}"')
    beside = answer.get("markets")
    record = answer[kind]
    return {**record, "markets": beside} if beside and "markets" not in record else record


def event_markets(event: Wire) -> Iterable[dict[str, Any]]:
    """The markets nested in one event of Kalshi's JSON."""
    nested = event.get("markets")
    if isinstance(nested, list):
        yield from (wire for wire in nested if isinstance(wire, dict))


def series_of(ticker: str) -> str:
    """The series ticker that a ticker begins with: `KXCPI` for `KXCPI-25JUL-T0.3`."""
    return ticker.split("-", 1)[0]

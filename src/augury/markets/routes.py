"""GET /v1/markets, /v1/markets/{id}, /v1/markets/{id}/history."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from fastapi import Depends, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import AfterValidator, BeforeValidator, StringConstraints

from augury.errors import InvalidInput
from augury.http import openapi, pages, routing
from augury.http.callers import MarketsCaller, admit_export
from augury.http.conditional import tagged
from augury.http.fields import Moment
from augury.http.forms import (
    CACHING,
    FILES,
    MEDIA,
    NOT_MODIFIED,
    Wanted,
    attached,
    download,
)
from augury.markets import schemas
from augury.markets.records import Platform, Status
from augury.markets.service import MarketService
from augury.markets.store import Filters, Position, Sort

router = routing.router(tags=["markets"])


async def _service(request: Request) -> MarketService:
    return request.app.state.services.markets


Service = Annotated[MarketService, Depends(_service)]


def _few_words(text: str) -> str:
    if len(text.split()) > 16:
        raise ValueError("should have at most 16 words")
    return text


def _number(text: object) -> object:
    return int(text) if isinstance(text, str) and text.isascii() and text.isdigit() else text


Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]
# PostgreSQL cannot store NUL in text, and refuses queries that contain it.
MarketId = Annotated[str, StringConstraints(max_length=300, pattern=r"^[^\x00]+$")]


@router.get(
    "/v1/markets",
    summary="List markets",
    response_model=schemas.MarketList,
    responses={200: {"content": FILES}, **NOT_MODIFIED, **openapi.errors(431)},
)
async def list_markets(
    request: Request,
    caller: MarketsCaller,
    service: Service,
    wanted: Wanted,
    market_id: Annotated[
        list[MarketId],
        Query(
            default_factory=list,
            max_length=100,
            description="Only these markets. Repeat the parameter for each id, at most 100.",
        ),
    ],
    platform: Annotated[Platform | None, Query(description="Only markets of this venue.")] = None,
    status: Annotated[
        Status | None,
        Query(
            description="Only markets with this status. If a market's close has passed and its "
            "venue has sent nothing since, the market counts as `closed` and `stale`."
        ),
    ] = None,
    stale: Annotated[
        bool | None,
        Query(
            description="true: only stale markets, i.e. those whose price or status is too old to "
            "rely on. false: only the others."
        ),
    ] = None,
    category: Annotated[
        Text | None,
        Query(description="Only markets of this category of the venue; case does not matter."),
    ] = None,
    event_id: Annotated[
        Text | None, Query(description="Only markets of the event that has this id at its venue.")
    ] = None,
    q: Annotated[
        Annotated[Text, AfterValidator(_few_words)] | None,
        Query(description="Words that must all occur in the question; case does not matter."),
    ] = None,
    closes_before: Annotated[
        Moment | None,
        Query(description="Only markets that close before this time (UTC if without a zone)."),
    ] = None,
    closes_after: Annotated[
        Moment | None,
        Query(description="Only markets that close after this time (UTC if without a zone)."),
    ] = None,
    min_volume: Annotated[
        float | None,
        Query(
            ge=0,
            allow_inf_nan=False,
            description="Only markets with at least this volume: US dollars on Polymarket, "
            "contracts on Kalshi.",
        ),
    ] = None,
    sort: Annotated[
        Sort,
        Query(
            description="Order of the list. volume: largest first. updated_at: latest first. "
            "closes_at: earliest first. Markets without a value come last."
        ),
    ] = "volume",
    limit: Annotated[
        int | None,
        Query(
            ge=1,
            le=200,
            description="Markets per page. Default: 50; for a file (csv, parquet) all markets, "
            "which needs a key.",
        ),
    ] = None,
    cursor: pages.Cursor = None,
) -> Response:
    """Markets of the catalogue, filtered and sorted, a page at a time.

    Paging is stable: no market is repeated or skipped while others are added or removed. With
    `format=csv` or `format=parquet` (or the same choice in the header `Accept`) the answer is a
    file. With `limit` the file holds one page. Without `limit` it holds all markets; a Parquet file
    holds at most 20,000, with a `Link: rel="next"` to the next file. A file without `limit` needs a
    key with `search:read`, and an account can download only one such file at a time.
    """
    filters = Filters(
        ids=await service.native_ids(market_id) if market_id else None,
        platform=platform, status=status,
        stale=stale, category=category, event_id=event_id, q=q, closes_before=closes_before,
        closes_after=closes_after, min_volume=min_volume,
    )  # fmt: skip
    after = _read_cursor(cursor, filters, sort) if cursor else None
    if wanted == "json":
        size = limit or pages.DEFAULT_LIMIT
        page = await service.page(filters, sort=sort, limit=size, after=after)
        items = [schemas.record(m) for m in page.markets]
        following = _write_cursor(page.next, filters, sort)
        return _answer(request, {"items": items, "next_cursor": following})
    if limit is not None:
        from augury.markets import exports

        page = await service.page(filters, sort=sort, limit=limit, after=after)
        body = await asyncio.to_thread(exports.as_file, exports.export_frame(page.markets), wanted)
        following = _write_cursor(page.next, filters, sort)
        return download(request, body, wanted, "markets", following)
    await admit_export(request, caller)
    if wanted == "csv":
        return await _csv_stream(service.files.csv(filters, sort, after))
    whole, after = await service.files.parquet(filters, sort, after)
    headers = attached(request, wanted, "markets", _write_cursor(after, filters, sort))
    return StreamingResponse(_pieces(whole), media_type=MEDIA["parquet"], headers=headers)


@router.get(
    "/v1/sparklines",
    summary="Read a month of daily prices of many markets",
    response_model=schemas.Sparklines,
    responses={**NOT_MODIFIED, **openapi.errors(431)},
)
async def sparklines(
    request: Request,
    caller: MarketsCaller,
    service: Service,
    market_id: Annotated[
        list[MarketId],
        Query(
            min_length=1,
            max_length=100,
            description="Id of a market. Repeat the parameter for each market, at most 100.",
        ),
    ],
) -> Response:
    """Thirty daily prices per market, to draw as a small line in a list.

    They end with the market's latest price, at the time `price_as_of`, so that a closed or stale
    market still shows its last month of prices.
    """
    items = [spark._asdict() for spark in await service.sparklines(market_id)]
    return _answer(request, {"items": items})


@router.get(
    "/v1/markets/{market_id:path}/history",
    summary="Read a market's price history",
    response_model=schemas.MarketHistory,
    responses={200: {"content": FILES}, 404: {}, **NOT_MODIFIED},
)
async def market_history(
    request: Request,
    caller: MarketsCaller,
    service: Service,
    wanted: Wanted,
    market_id: str,
    start: Annotated[
        Moment | None,
        Query(
            description="Start of the window, inclusive (UTC if without a zone). The default "
            "depends on the interval: 1 day before the end for 1 minute, 7 days for 5 minutes, 30 "
            "days for 60 minutes, 365 days for 1440 minutes."
        ),
    ] = None,
    end: Annotated[
        Moment | None,
        Query(
            description="End of the window, exclusive (UTC if without a zone). Default: now; but "
            "if the market is closed or resolved and `start` is not given, just after its last "
            "price."
        ),
    ] = None,
    interval_minutes: Annotated[
        Literal[1, 5, 60, 1440],
        BeforeValidator(_number),
        Query(
            description="Length of an interval in minutes. Intervals are aligned to midnight UTC."
        ),
    ] = 60,
) -> Response:
    """The last price of each outcome in each interval of the window.

    A point with `probability: null` is an interval without data between intervals with data. An
    outcome without data in the window has no points. A window has at most 10,000 intervals.
    """
    found = await service.history(
        market_id, start=start, end=end, interval_minutes=interval_minutes
    )
    if wanted == "json":
        return _answer(request, schemas.history(found))
    from augury.markets import exports

    body = await asyncio.to_thread(exports.as_file, exports.history_frame(found), wanted)
    return download(request, body, wanted, "history", None)


@router.get(
    "/v1/markets/{market_id:path}",
    summary="Read a market",
    response_model=schemas.MarketDetail,
    responses={404: {}, **NOT_MODIFIED},
)
async def market_detail(
    request: Request, caller: MarketsCaller, service: Service, market_id: str
) -> Response:
    """A market with its latest recorded prices and the other markets of its event and family.

    Instead of the id, `market_id` may also be the market's UUID, the address of its page at its
    venue, its slug at Polymarket or its ticker at Kalshi.
    """
    return _answer(request, schemas.detail(await service.detail(market_id)))


def _fingerprint(filters: Filters, sort: Sort) -> str:
    return hashlib.blake2b(msgspec.json.encode((filters, sort)), digest_size=6).hexdigest()


def _write_cursor(after: Position | None, filters: Filters, sort: Sort) -> str | None:
    if after is None:
        return None
    return pages.encode((after.value, after.seq, _fingerprint(filters, sort)))


def _read_cursor(cursor: str, filters: Filters, sort: Sort) -> Position:
    value, seq, fingerprint = pages.decode(cursor, tuple[float | str | None, int, str])
    if fingerprint != _fingerprint(filters, sort) or not 0 <= seq < 2**63:
        raise InvalidInput.at(
            "query",
            "cursor",
            msg=(
                "This cursor belongs to a list with other filters or another order. Start "
                "again without a cursor."
            ),
            type="cursor_invalid",
        )
    if not _fits(value, sort):
        raise InvalidInput.at(
            "query",
            "cursor",
            msg="This cursor does not belong to this list. Start again without a cursor.",
            type="cursor_invalid",
        )
    return Position(value, seq)


def _fits(value: float | str | None, sort: Sort) -> bool:
    if value is None:
        return True
    if sort == "volume" or not isinstance(value, str):
        return sort == "volume" and not isinstance(value, str)
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _answer(request: Request, content: dict[str, Any]) -> Response:
    # Encoded here: the records come from our own store and need no second validation.
    return tagged(request, msgspec.json.encode(content), headers=CACHING)


async def _csv_stream(parts: AsyncIterator[bytes]) -> Response:
    """Streams the CSV while it is being made. The first part is made before the response starts,
    so that an error in the request can still set the response's status."""
    first = await anext(parts)

    async def lines() -> AsyncIterator[bytes]:
        async for piece in _pieces(first):
            yield piece
        async for part in parts:
            async for piece in _pieces(part):
                yield piece

    headers = {**CACHING, "Content-Disposition": 'attachment; filename="markets.csv"'}
    return StreamingResponse(lines(), media_type=MEDIA["csv"], headers=headers)


_PIECE = 65_536
"""Largest number of bytes of a response body that are compressed and sent at a time."""


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    """Splits a long body into parts of at most `_PIECE` bytes, at line ends where possible.

    Each part is compressed on the event loop, so other tasks get a turn between two parts.
    """
    start = 0
    while start < len(body):
        end = start + _PIECE
        if end < len(body) and (line := body.rfind(b"\n", start, end)) > start:
            end = line + 1
        yield body[start:end]
        await asyncio.sleep(0)
        start = end

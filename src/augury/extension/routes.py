"""/extension/v1/*: markets on the subject of the web page that a reader is on."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec
from fastapi import Depends, Request, Response

from augury.errors import InvalidInput
from augury.extension import schemas
from augury.extension.service import ExtensionService, PageAnswer
from augury.http import openapi, routing
from augury.http.allowance import SEARCH, allowed
from augury.http.caller import Caller
from augury.http.callers import ExtensionCaller
from augury.http.exchange import exchange_of
from augury.settings import Settings

router = routing.router(tags=["extension"], prefix="/extension/v1")

_ERRORS = openapi.errors(413, 422, 431)


async def _service(request: Request) -> ExtensionService:
    return request.app.state.services.extension


async def _settings(request: Request) -> Settings:
    return request.app.state.services.settings


Service = Annotated[ExtensionService, Depends(_service)]
Limits = Annotated[Settings, Depends(_settings)]


@router.post(
    "/search",
    summary="Find markets for a page",
    response_model=schemas.PageResponse,
    responses=_ERRORS,
)
@allowed(SEARCH)
async def search(
    body: schemas.SearchPageRequest,
    caller: ExtensionCaller,
    request: Request,
    service: Service,
    settings: Limits,
) -> Response:
    """Markets for a web page, given its address, title or text, or for a query. For a page on
    sports, the markets are chosen as in the sports search."""
    _within_tier(body.limit, caller, settings)
    found = await service.search(
        body.page(),
        mode=body.mode,
        ads_mode=body.ads_mode,
        sports_mode=body.sports_mode,
        limit=body.limit,
        may_fetch=caller.kind == "key",
    )
    return _answer(request, found)


@router.post(
    "/sports-search",
    summary="Find markets for a sports page",
    response_model=schemas.PageResponse,
    responses=_ERRORS,
)
@allowed(SEARCH)
async def sports_search(
    body: schemas.SportsPageRequest,
    caller: ExtensionCaller,
    request: Request,
    service: Service,
    settings: Limits,
) -> Response:
    """Markets on the game that the page or the request names, or on the page's subject."""
    _within_tier(body.limit, caller, settings)
    found = await service.sports(
        body.page(),
        mode=body.mode,
        fixture=body.fixture.fixture() if body.fixture else None,
        limit=body.limit,
        may_fetch=caller.kind == "key",
    )
    return _answer(request, found)


@router.post(
    "/graph",
    summary="Draw the causal graph of a page's subject",
    response_model=schemas.PageGraph,
    responses=_ERRORS,
)
async def graph(
    body: schemas.PageRequest, caller: ExtensionCaller, service: Service
) -> schemas.PageGraph:
    """A graph of what drives the page's subject and what follows from it, with markets on each."""
    return schemas.page_graph(await service.graph(body.page(), may_fetch=caller.kind == "key"))


@router.post(
    "/prices",
    summary="Look up prices by market id",
    response_model=schemas.PricesResponse,
    responses=_ERRORS,
)
async def prices(
    body: schemas.PricesRequest, caller: ExtensionCaller, service: Service
) -> Response:
    """Prices of up to 100 markets. Unknown ids are left out."""
    quotes = await service.prices(body.ids)
    content = {"prices": {id: schemas.price(*found) for id, found in quotes.items()}}
    return Response(msgspec.json.encode(content), media_type="application/json")


def _answer(request: Request, found: PageAnswer) -> Response:
    exchange = exchange_of(request.scope)
    latency = round((time.perf_counter() - exchange.started) * 1000)
    content = schemas.answer(exchange.request_id, found, latency)
    return Response(msgspec.json.encode(content), media_type="application/json")


def _within_tier(limit: int, caller: Caller, settings: Settings) -> None:
    most = settings.anonymous_top_k if caller.tier == "anonymous" else settings.search_top_k
    if limit > most:
        raise InvalidInput.at(
            "body", "limit", msg=f"Input should be at most {most}.", type="less_than_equal"
        )

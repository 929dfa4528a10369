"""The endpoint POST /v1/search."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec
from fastapi import Depends, Request, Response

from augury.errors import InvalidInput
from augury.http import openapi, routing
from augury.http.allowance import SEARCH, allowed
from augury.http.callers import SearchCaller
from augury.http.exchange import exchange_of
from augury.search.presenting import Found
from augury.search.schemas import DIMENSIONS, SearchRequest, SearchResponse
from augury.search.service import SearchService
from augury.settings import Settings

router = routing.router(tags=["search"])

_encoder = msgspec.json.Encoder()


class _SearchAnswer(msgspec.Struct, frozen=True):
    request_id: str
    query: str
    results: Found
    total_markets: int
    latency_ms: int


async def _service(request: Request) -> SearchService:
    return request.app.state.services.search


async def _settings(request: Request) -> Settings:
    return request.app.state.services.settings


@router.post(
    "/v1/search",
    summary="Find markets by their relation to a query",
    response_model=SearchResponse,
    responses=openapi.SEARCH_ERRORS,
)
@allowed(SEARCH)
async def search(
    body: SearchRequest,
    caller: SearchCaller,
    request: Request,
    service: Annotated[SearchService, Depends(_service)],
    settings: Annotated[Settings, Depends(_settings)],
) -> Response:
    """Find markets on the question itself, on what drives it, on what follows from it, and on what
    moves with it.

    Works without an API key, with at most one search a second and 20 results per relation, unless
    the operator has set other limits.
    """
    dimensions = tuple(dict.fromkeys(body.dimensions))
    _within_tier(body, caller.tier == "anonymous", settings)
    exchange = exchange_of(request.scope)
    found = await service.search(
        body.query,
        dimensions=dimensions,
        top_k=body.top_k_per_dimension,
        status=body.filters.status if body.filters else None,
        fold=body.fold,
    )
    answer = _SearchAnswer(
        exchange.request_id,
        body.query,
        found,
        sum(map(len, found.values())),
        round((time.perf_counter() - exchange.started) * 1000),
    )
    return Response(_encoder.encode(answer), media_type="application/json")


def _within_tier(body: SearchRequest, anonymous: bool, settings: Settings) -> None:
    most = settings.anonymous_top_k if anonymous else settings.search_top_k
    if body.top_k_per_dimension > most:
        more = f" An API key raises this limit to {settings.search_top_k}." if anonymous else ""
        raise InvalidInput.at(
            "body",
            "top_k_per_dimension",
            msg=f"Input should be at most {most}.{more}",
            type="less_than_equal",
        )
    if anonymous and len(body.dimensions) > len(DIMENSIONS):
        raise InvalidInput.at(
            "body",
            "dimensions",
            msg=f"Without an API key, at most {len(DIMENSIONS)} dimensions can be searched.",
            type="too_long",
        )

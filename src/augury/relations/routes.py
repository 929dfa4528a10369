"""`/v1/factors` lists factors (things in the world that markets are about) with their causes and
effects, in pages; `/docs/factors` redirects to the console's page of them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import Query, Request, Response
from fastapi.responses import RedirectResponse

from augury.http import conditional, openapi, pages, routing
from augury.http.callers import MarketsCaller
from augury.relations.causal import browse
from augury.relations.schemas import FactorList
from augury.relations.service import RelationService

router = routing.router(tags=["relations"])


@router.get(
    "/v1/factors",
    summary="List factors (things in the world that markets are about) and what drives what",
    response_model=FactorList,
    responses=openapi.errors(422),
)
async def list_factors(
    request: Request,
    caller: MarketsCaller,
    q: Annotated[
        str,
        Query(
            max_length=200,
            description="Words to look for in the name, key, domain and `up` (what a rise of the "
            "factor means) of a factor. Each word must occur in at least one of these.",
        ),
    ] = "",
    domain: Annotated[
        str | None,
        Query(
            max_length=100, description="Only factors of this domain (subject area), e.g. macro."
        ),
    ] = None,
    limit: pages.Limit = pages.DEFAULT_LIMIT,
    cursor: pages.Cursor = None,
) -> Response:
    """Factors by name, each with its causes, its effects, the factors that move with it, and the
    reason for each of these relations.

    `judged` is the verdict on two factors by readers who did not see how this list relates them. Of
    the factors of one kind (e.g. one for each team or country), only the first is listed.
    """
    relations: RelationService = request.app.state.services.relations
    after = pages.decode(cursor, tuple[str, str]) if cursor else None
    held = browse.listing(relations.base, relations.judged)
    items, total, following = browse.find(held, q, domain, after, limit)
    body = {
        "items": items,
        "next_cursor": pages.encode(following) if following else None,
        "total": total,
        "domains": held.domains,
        "version": relations.base.version,
    }
    return conditional.tagged(request, msgspec.json.encode(body))


@router.get("/docs/factors", include_in_schema=False)
async def factors(request: Request) -> Response:
    """Redirect to the console's page of causes or, without a console, to the factors as JSON."""
    console = request.app.state.services.settings.console == "on"
    return RedirectResponse("../causes" if console else "../v1/factors")

"""`/docs/factors`: the factor base, for people to read and review."""

from __future__ import annotations

from fastapi import Request, Response

from augury.http import conditional, docs, routing
from augury.http.callers import MarketsCaller
from augury.relations.page import page
from augury.relations.service import RelationService

router = routing.router(tags=["relations"])


@router.get("/docs/factors", include_in_schema=False)
async def factors(request: Request, caller: MarketsCaller) -> Response:
    """The whole base as one page."""
    relations: RelationService = request.app.state.services.relations
    return conditional.tagged(
        request,
        page(relations.base).encode(),
        media_type="text/html; charset=utf-8",
        headers={"Content-Security-Policy": docs.POLICY, "Referrer-Policy": "no-referrer"},
    )

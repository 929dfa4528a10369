"""GET /v1/health."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from augury.health.service import HealthService

router = APIRouter(tags=["health"])


async def _service(request: Request) -> HealthService:
    return request.app.state.services.health


@router.get("/v1/health", summary="Is the service well, and what does it hold")
async def health(
    service: Annotated[HealthService, Depends(_service)], response: Response
) -> dict[str, Any]:
    """Version, catalogue size and age by venue, index lag, sample or real, and what is amiss.

    200 as long as the service can answer at all; read `status`: ok, degraded or down.
    """
    response.headers["Cache-Control"] = "no-store"
    return await service.report()

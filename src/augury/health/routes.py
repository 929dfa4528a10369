"""GET /v1/health."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request, Response

from augury.health.service import HealthService
from augury.http import routing
from augury.http.callers import AdminCaller

router = routing.router(tags=["health"])


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


admin = routing.router(tags=["health"])


@admin.get("/internal/v1/admin/overview", summary="Settings in force, jobs, storage")
async def overview(caller: AdminCaller, request: Request) -> dict[str, Any]:
    """What the operator sees: every setting and whether it was set (secrets are not shown), jobs
    that are open or ended within a day, and the size of what is kept."""
    services = request.app.state.services
    return await services.health.overview(services.settings)

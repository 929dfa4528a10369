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


@router.get("/v1/health", summary="Check the service's health")
async def health(
    service: Annotated[HealthService, Depends(_service)], response: Response
) -> dict[str, Any]:
    """Version, size and age of the catalogue by venue, delay of the search index, whether the data
    are real, and any problems.

    The HTTP status is 200 whenever the service can answer at all, so read `status`: ok, degraded
    or down.
    """
    response.headers["Cache-Control"] = "no-store"
    return await service.report()


admin = routing.router(tags=["health"])


@admin.get("/internal/v1/admin/overview", summary="Show settings, jobs and storage")
async def overview(caller: AdminCaller, request: Request) -> dict[str, Any]:
    """For operators: every setting with its value and source (secrets are not shown), jobs that are
    open or ended within the last day, and the size of the stored data."""
    services = request.app.state.services
    return await services.health.overview(services.settings)

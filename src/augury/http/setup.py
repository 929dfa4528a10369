"""Puts everything that all routes share on an application."""

from __future__ import annotations

from fastapi import FastAPI, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from augury.http import docs, errors, openapi
from augury.http.callers import Traffic
from augury.http.guard import Guard
from augury.http.limits import make_limiter
from augury.settings import Settings
from augury.storage.vault import Vault


def install(app: FastAPI, settings: Settings) -> None:
    """Guard, compression, error handlers, limits, `/metrics`, the OpenAPI documents, `/docs`.

    Routes find their services at `app.state.services`, which the lifespan puts there.
    """
    redis_url = settings.redis_url.get_secret_value() if settings.redis_url else None
    limiter = make_limiter(redis_url, lambda: app.state.services.database)
    app.state.traffic = Traffic(settings, limiter)
    app.state.vault = Vault(settings)
    # A redirect to the path with a slash more or less would be built from the caller's Host.
    app.router.redirect_slashes = False
    errors.install(app)
    app.add_middleware(
        GZipMiddleware,
        minimum_size=1024,
        compresslevel=5,
        exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/vnd.apache.parquet"),
    )
    app.add_middleware(Guard, settings=settings)
    app.add_api_route("/metrics", metrics, include_in_schema=False)
    openapi.install(app)
    docs.install(app)


async def metrics() -> Response:
    """Counters and histograms for Prometheus."""
    return Response(generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})

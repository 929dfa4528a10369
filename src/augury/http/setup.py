"""Installs on an application everything that all routes share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import FastAPI, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from augury.http import errors, openapi
from augury.http.callers import MetricsCaller, Traffic
from augury.http.guard import Guard
from augury.http.limits import make_limiter
from augury.http.market_ids import MarketUuids
from augury.settings import Settings
from augury.storage.vault import Vault


async def _nothing() -> None:
    pass


def install(
    app: FastAPI, settings: Settings, *, measure: Callable[[], Awaitable[None]] = _nothing
) -> None:
    """Install on `app` the guard (limits, deadlines, log), compression, error handlers, `/metrics`
    and the OpenAPI documents.

    `measure` is called before `/metrics` is answered, to bring gauges up to date. Routes find their
    services at `app.state.services`, which is set when the app starts.
    """
    redis_url = settings.redis_url.get_secret_value() if settings.redis_url else None
    limiter = make_limiter(redis_url, lambda: app.state.services.database)
    app.state.traffic = Traffic(settings, limiter)
    app.state.vault = Vault(settings)
    # No redirects to the path with or without a trailing slash: Starlette would build their URL
    # from the Host header, which the caller chooses.
    app.router.redirect_slashes = False
    errors.install(app)
    if settings.market_ids == "uuid":
        app.add_middleware(MarketUuids)
    app.add_middleware(
        GZipMiddleware,
        minimum_size=1024,
        compresslevel=5,
        exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/vnd.apache.parquet"),
    )
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match"],
            expose_headers=[
                *("X-Request-Id", "X-Error-Code", "Retry-After", "RateLimit", "RateLimit-Policy"),
                *("ETag", "Idempotency-Replayed"),
            ],
            max_age=600,
        )
    app.add_middleware(Guard, settings=settings)
    if settings.metrics != "off":
        app.add_api_route("/metrics", _metrics(settings, measure), include_in_schema=False)
    openapi.install(app)


def _metrics(
    settings: Settings, measure: Callable[[], Awaitable[None]]
) -> Callable[..., Awaitable[Response]]:
    async def metrics() -> Response:
        """Counters, gauges and histograms for Prometheus."""
        await measure()
        return Response(generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def keyed_metrics(caller: MetricsCaller) -> Response:
        """Metrics for Prometheus, for callers whose key has the scope metrics:read."""
        return await metrics()

    return metrics if settings.metrics == "open" else keyed_metrics

"""All routes of the service, one group per line. A number in a line's comment is the section of the
specification that describes the group."""

from __future__ import annotations

from fastapi import FastAPI

from augury.access import routes as access
from augury.console import routes as console
from augury.deliveries import routes as deliveries
from augury.extension import routes as extension
from augury.forecast import full_routes as forecast_in_full
from augury.forecast import routes as forecast
from augury.graph import routes as graph
from augury.handbook import routes as handbook
from augury.health import routes as health
from augury.imports import routes as imports
from augury.macro import routes as macro
from augury.markets import routes as markets
from augury.mcp import routes as mcp
from augury.relations import routes as relations
from augury.rvol import routes as rvol
from augury.search import routes as search
from augury.series import routes as series
from augury.watchlists import routes as watchlists

ROUTERS = (
    health.router,  # 4.1  /v1/health
    search.router,  # 4.2  /v1/search
    forecast.router,  # 4.2  /v1/forecast
    forecast_in_full.router,  # /v1/forecasts, /v1/forecast-runs
    rvol.router,  # 4.3  /v1/rvol/*
    markets.router,  # 4.4  /v1/markets
    relations.router,  # /v1/factors: the causal factor base
    extension.router,  # 4.4  /extension/v1/*
    watchlists.router,  # 4.4  /v1/watchlists
    series.router,  # 4.4  /v1/external-series
    deliveries.router,  # 4.4  /v1/watchlists/{watchlist_id}/deliveries
    macro.router,  # 4.4  /v1/macro-runtime/*
    graph.router,  # 4.4  /internal/v1/graph/*
    mcp.router,  # /mcp: tools for language models
    health.admin,  # /internal/v1/admin/overview
    imports.router,  # /internal/v1/admin/imports
    access.router,  # /v1/session, /internal/v1/admin/*: sessions of the console, keys, accounts
    console.router,  # /: the console
    handbook.router,  # /docs, /llms.txt: the documentation
)


def mount(app: FastAPI) -> None:
    """Add the routes of the whole service to the application."""
    for router in ROUTERS:
        app.include_router(router)

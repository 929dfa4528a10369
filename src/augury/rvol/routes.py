"""GET /v1/rvol/*: spec section 4.3."""

from __future__ import annotations

from typing import Any, NoReturn

from augury.errors import Unavailable
from augury.http import openapi, routing
from augury.http.callers import RvolCaller
from augury.rvol import schemas as s

router = routing.router(tags=["rvol"], prefix="/v1/rvol")

_OPTIONS: dict[str, Any] = {"responses": openapi.RVOL_ERRORS}


def _not_yet() -> NoReturn:
    raise Unavailable(
        "Realized volatility is not served by this version yet.",
        retry_after=3600,
        code="not_built_yet",
    )


@router.get("/models", summary="Models", response_model=list[s.RvolModelRow], **_OPTIONS)
async def models(
    caller: RvolCaller,
    model_id: s.ModelId = None,
    limit: s.FewRows = 100,
    format: s.Format = "json",
) -> Any:
    """Public model identifiers, versions and aliases."""
    _not_yet()


@router.get("/assets", summary="Assets", response_model=list[s.RvolAssetRow], **_OPTIONS)
async def assets(
    caller: RvolCaller,
    include_inactive: s.IncludeInactive = False,
    limit: s.FewRows = 500,
    format: s.Format = "json",
) -> Any:
    """Covered assets and their default horizons."""
    _not_yet()


@router.get(
    "/latest", summary="Latest forecasts", response_model=list[s.RvolForecastRow], **_OPTIONS
)
async def latest(
    caller: RvolCaller,
    model: s.Model = None,
    model_version: s.ModelVersion = None,
    asset: s.Asset = None,
    horizon: s.Horizon = None,
    limit: s.FewRows = 100,
    format: s.Format = "json",
) -> Any:
    """The latest forecasts, by asset, horizon, model or version."""
    _not_yet()


@router.get(
    "/history", summary="Past forecasts", response_model=list[s.RvolForecastRow], **_OPTIONS
)
async def history(
    caller: RvolCaller,
    model: s.Model = None,
    model_version: s.ModelVersion = None,
    asset: s.Asset = None,
    horizon: s.Horizon = None,
    start: s.Start = None,
    end: s.End = None,
    limit: s.ManyRows = 1000,
    format: s.Format = "json",
) -> Any:
    """Forecasts as they were issued, over a window of time."""
    _not_yet()


@router.get(
    "/actuals", summary="Realized volatility", response_model=list[s.RvolActualRow], **_OPTIONS
)
async def actuals(
    caller: RvolCaller,
    asset: s.Asset = None,
    horizon: s.Horizon = None,
    start: s.Start = None,
    end: s.End = None,
    limit: s.ManyRows = 1000,
    format: s.Format = "json",
) -> Any:
    """What was realized over windows that have closed."""
    _not_yet()


@router.get(
    "/features/latest",
    summary="Latest feature families",
    response_model=list[s.RvolFeatureRow],
    **_OPTIONS,
)
async def features(
    caller: RvolCaller,
    asset: s.Asset = None,
    horizon: s.Horizon = None,
    feature_set_id: s.FeatureSet = None,
    limit: s.FewRows = 100,
    format: s.Format = "json",
) -> Any:
    """The latest feature-family summaries."""
    _not_yet()

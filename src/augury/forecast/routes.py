"""POST /v1/forecast: spec section 4.2."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header
from pydantic import BaseModel, ConfigDict, Field

from augury.errors import Unavailable
from augury.forecast.schemas import PublicForecastRequest, PublicForecastResponse
from augury.http import openapi, routing
from augury.http.callers import ForecastCaller

router = routing.router(tags=["forecast"])


class _Hints(BaseModel):
    """Headers by which integrations may name themselves. They are not kept."""

    model_config = ConfigDict(extra="ignore")

    attribution_code: str | None = Field(None, alias="X-Service-Attribution-Code")
    referrer: str | None = Field(None, alias="X-Service-Referrer")
    channel: str | None = Field(None, alias="X-Service-Channel")
    tool: str | None = Field(None, alias="X-Service-Tool")
    client: str | None = Field(None, alias="X-Service-Client")
    client_version: str | None = Field(None, alias="X-Service-Client-Version")


@router.post(
    "/v1/forecast",
    summary="Forecast a question",
    response_model=PublicForecastResponse,
    responses=openapi.FORECAST_ERRORS,
)
async def forecast(
    request: PublicForecastRequest,
    caller: ForecastCaller,
    hints: Annotated[_Hints, Header()],
) -> PublicForecastResponse:
    """A probability with its interval, the markets it rests on, the reason, and a causal graph.

    Needs a key with the scope `forecast:read`.
    """
    raise Unavailable(
        "Forecasts are not served by this version yet.", retry_after=3600, code="not_built_yet"
    )

"""Routes of the API on realized volatility: GET /v1/rvol/*. They are those of section 4.3 of the
spec, and one for the scorecard (how good past forecasts were)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from fastapi import Depends, Request, Response

from augury.errors import InvalidInput
from augury.http import openapi, pages, routing
from augury.http.callers import RvolCaller
from augury.http.conditional import tagged
from augury.http.forms import CACHING, FILES, Format, Wanted, download, link
from augury.rvol import rows
from augury.rvol import schemas as s
from augury.rvol.service import RvolService
from augury.rvol.store import Page, RowPosition

router = routing.router(tags=["rvol"], prefix="/v1/rvol")

_OPTIONS: dict[str, Any] = {"responses": {200: {"content": FILES}, **openapi.RVOL_ERRORS}}


class Subject(NamedTuple):
    """Asset and horizon (e.g. "7d") of the rows that a caller asks for; None: all."""

    asset: str | None
    horizon: str | None


class ModelChoice(NamedTuple):
    """Model and version whose rows a caller asks for; None: the route's default."""

    model: str | None
    model_version: str | None


class AsOfWindow(NamedTuple):
    """First and last `as_of` of the rows that a caller asks for, both inclusive; None: no bound."""

    start: datetime | None
    end: datetime | None


async def _service(request: Request) -> RvolService:
    return request.app.state.services.rvol


async def _subject(asset: s.Asset = None, horizon: s.Horizon = None) -> Subject:
    return Subject(asset, horizon)


async def _model(model: s.Model = None, model_version: s.ModelVersion = None) -> ModelChoice:
    return ModelChoice(model, model_version)


async def _window(start: s.Start = None, end: s.End = None) -> AsOfWindow:
    if start is not None and end is not None and start > end:
        raise InvalidInput.at("query", "start", msg="start must not be after end")
    return AsOfWindow(start, end)


async def _after(cursor: pages.Cursor = None) -> RowPosition | None:
    if cursor is None:
        return None
    found = pages.decode(cursor, RowPosition)
    texts = (found.asset, found.model_id, found.model_version)
    if found.as_of.tzinfo is None or any("\0" in t for t in texts) or abs(found.horizon) > 10_000:
        raise InvalidInput.at(
            "query",
            "cursor",
            msg="This cursor does not belong to this list. Start again without a cursor.",
            type="cursor_invalid",
        )
    return found


Service = Annotated[RvolService, Depends(_service)]
OfSubject = Annotated[Subject, Depends(_subject)]
OfModel = Annotated[ModelChoice, Depends(_model)]
Within = Annotated[AsOfWindow, Depends(_window)]
After = Annotated[RowPosition | None, Depends(_after)]


@router.get("/models", summary="Models", response_model=list[s.RvolModelRow], **_OPTIONS)
async def models(
    request: Request,
    caller: RvolCaller,
    service: Service,
    wanted: Wanted,
    model_id: s.ModelId = None,
    limit: s.FewRows = 100,
) -> Response:
    """List public models with their versions and aliases, newest version first.

    A version never changes: it fixes the code, the feature families (groups of inputs), the members
    (regressions that a model averages) and the training rule. The alias `champion` points to the
    model that is served by default, `latest` to the newest version of that model, and `stable` to
    its newest version with scored forecasts for at least 250 days.
    """

    async def made() -> list[dict[str, Any]]:
        found = await service.models(model_id)
        return [rows.model(model, aliases) for model, aliases in found[:limit]]

    return await _answer(request, service, wanted, "models", (model_id, limit), made)


@router.get("/assets", summary="Assets", response_model=list[s.RvolAssetRow], **_OPTIONS)
async def assets(
    request: Request,
    caller: RvolCaller,
    service: Service,
    wanted: Wanted,
    include_inactive: s.IncludeInactive = False,
    limit: s.FewRows = 500,
) -> Response:
    """List the assets whose volatility is forecast, with their horizons."""

    async def made() -> list[dict[str, Any]]:
        found = await service.assets(inactive=include_inactive)
        shown = found[:limit]
        return await asyncio.to_thread(
            lambda: [rows.asset(a, service.horizons) for a in shown]  # may load calendars
        )

    return await _answer(request, service, wanted, "assets", (include_inactive, limit), made)


@router.get(
    "/latest", summary="Latest forecasts", response_model=list[s.RvolForecastRow], **_OPTIONS
)
async def latest(
    request: Request,
    caller: RvolCaller,
    service: Service,
    wanted: Wanted,
    of: OfSubject,
    by: OfModel,
    after: After,
    limit: s.FewRows = 100,
) -> Response:
    """The newest forecast of each asset and horizon, by the champion (the model that is served by
    default) unless a model is named.

    `issued` is `live`, `replay` (made afterwards, from only the data up to its `as_of`) or `sample`
    (made from invented data). `origin` says where the data come from; for a replay it is `replay`.
    """

    async def page(by_column: bool) -> Page:
        return await service.forecasts(
            **by._asdict(), **of._asdict(), limit=limit + 1, after=after, latest=True,
            by_column=by_column,
        )  # fmt: skip

    return await _page(request, service, wanted, "latest", (*by, *of, limit, after), page, limit)


@router.get(
    "/history", summary="Past forecasts", response_model=list[s.RvolForecastRow], **_OPTIONS
)
async def history(
    request: Request,
    caller: RvolCaller,
    service: Service,
    wanted: Wanted,
    of: OfSubject,
    by: OfModel,
    within: Within,
    after: After,
    limit: s.ManyRows = 1000,
) -> Response:
    """Forecasts as they were issued, newest first. A forecast is never changed afterwards.

    The header `Link: rel="next"` leads to older forecasts.
    """

    async def page(by_column: bool) -> Page:
        return await service.forecasts(
            **by._asdict(), **of._asdict(), **within._asdict(), limit=limit + 1, after=after,
            by_column=by_column,
        )  # fmt: skip

    key = (*by, *of, *within, limit, after)
    return await _page(request, service, wanted, "history", key, page, limit)


@router.get(
    "/actuals", summary="Realized volatility", response_model=list[s.RvolActualRow], **_OPTIONS
)
async def actuals(
    request: Request,
    caller: RvolCaller,
    service: Service,
    wanted: Wanted,
    of: OfSubject,
    within: Within,
    after: After,
    limit: s.ManyRows = 1000,
) -> Response:
    """Realized volatility over completed windows, newest first.

    `status` is `preliminary` for three days, then `final`; a correction increases `revision`. An
    `incomplete` window lacks a day that can't be recovered, so its values are null.
    """

    async def page(by_column: bool) -> Page:
        return await service.actuals(
            **of._asdict(), **within._asdict(), limit=limit + 1, after=after, by_column=by_column
        )

    key = (*of, *within, limit, after)
    return await _page(request, service, wanted, "actuals", key, page, limit)


@router.get(
    "/features/latest",
    summary="Latest feature families",
    response_model=list[s.RvolFeatureRow],
    **_OPTIONS,
)
async def features(
    request: Request,
    caller: RvolCaller,
    service: Service,
    wanted: Wanted,
    of: OfSubject,
    after: After,
    feature_set_id: s.FeatureSet = None,
    limit: s.FewRows = 100,
) -> Response:
    """What moves the newest forecast of each asset and horizon, and how much, by feature family (a
    group of the model's inputs, e.g. jumps).

    `contribution` is what the family adds to the natural log of the forecast variance, compared
    with a typical day: 0.1 means about 10% more variance. `value` is the family's first input on
    the day of the forecast, without unit.
    """

    async def page(by_column: bool) -> Page:
        return await service.features(
            **of._asdict(), feature_set_id=feature_set_id, limit=limit + 1, after=after
        )

    key = (*of, feature_set_id, limit, after)
    return await _page(request, service, wanted, "features", key, page, limit)


@router.get("/scorecard", summary="Scorecard", response_model=list[s.RvolScoreRow], **_OPTIONS)
async def scorecard(
    request: Request,
    caller: RvolCaller,
    service: Service,
    wanted: Wanted,
    of: OfSubject,
    within: Within,
    model: s.Model = None,
) -> Response:
    """How good past forecasts were, by asset, horizon and model.

    A forecast is scored when its target window (the days that it covers) is over. Rows with the
    asset `all` are over all assets. Every score can be recomputed from `history` and
    `actuals`.
    """

    async def made() -> list[dict[str, Any]]:
        return await service.scorecard(**of._asdict(), **within._asdict(), model=model)

    key = (*of, *within, model)
    return await _answer(request, service, wanted, "scorecard", key, made)


async def _answer(
    request: Request,
    service: RvolService,
    wanted: Format,
    name: str,
    key: tuple[Any, ...],
    make: Callable[[], Awaitable[list[dict[str, Any]]]],
) -> Response:
    """The response of a route that has no pages: all rows that `make` returns, cached under `key`,
    in the `wanted` format."""

    async def made() -> bytes:
        found = await make()
        if wanted == "json":
            return msgspec.json.encode(found)
        return await asyncio.to_thread(rows.table_file, found, wanted)

    body = await service.answer((name, wanted, *key), made)
    if wanted == "json":
        return tagged(request, body, headers=CACHING)
    return download(request, body, wanted, name)


_FILE_COLUMNS = {
    "latest": (rows.FLAT_FORECAST, "forecast_variance", "forecast_volatility"),
    "history": (rows.FLAT_FORECAST, "forecast_variance", "forecast_volatility"),
    "actuals": (rows.FLAT_ACTUAL, "realized_variance", "realized_volatility"),
}
_ROW = {
    "latest": rows.forecast,
    "history": rows.forecast,
    "actuals": rows.actual,
    "features": rows.features,
}


async def _page(
    request: Request,
    service: RvolService,
    wanted: Format,
    name: str,
    key: tuple[Any, ...],
    read: Callable[[bool], Awaitable[Page]],
    limit: int,
) -> Response:
    """The response of a route with one page of rows, cached under `key`. `read` returns the page's
    rows or, given True, its columns (for files). If there is a next page, it returns one row more
    than `limit`."""

    async def made() -> tuple[bytes, str | None]:
        if wanted != "json" and name in _FILE_COLUMNS:
            columns = await read(True)
            more = bool(columns) and len(columns[0]) > limit
            following = _cursor(name, [c[limit - 1] for c in columns]) if more else None
            shown = [c[:limit] for c in columns]
            return await asyncio.to_thread(_file, name, shown, wanted), following
        found = await read(False)
        following = _cursor(name, found[limit - 1]) if len(found) > limit else None
        return await asyncio.to_thread(_encoded, name, found[:limit], wanted), following

    body, following = await service.answer((name, wanted, *key), made)
    if wanted == "json":
        return tagged(request, body, headers={**CACHING, **link(request, following)})
    return download(request, body, wanted, name, following)


def _file(name: str, columns: Page, wanted: Literal["csv", "parquet"]) -> bytes:
    names, variance, volatility = _FILE_COLUMNS[name]
    return rows.flat_file(columns, names, variance, volatility, wanted)


def _encoded(name: str, shown: Page, wanted: Format) -> bytes:
    made = [_ROW[name](row) for row in shown]
    return msgspec.json.encode(made) if wanted == "json" else rows.table_file(made, wanted)


def _cursor(name: str, row: Sequence[Any]) -> str:
    if name in ("latest", "history"):
        model_id, version, asset, horizon, as_of = row[:5]
        return pages.encode((as_of, asset, horizon, model_id, version))
    asset, horizon, as_of = row[:3]
    return pages.encode((as_of, asset, horizon, "blend", ""))

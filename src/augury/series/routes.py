"""Routes /v1/external-series: create, list, read, refresh and delete external series. An external
series is numbers over time that an account provides."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import msgspec
from fastapi import Body, Depends, Query, Request, Response

from augury.errors import InvalidInput
from augury.http import openapi, pages, routing
from augury.http.callers import WatchCaller
from augury.http.conditional import answer
from augury.http.fields import Moment, own_id
from augury.http.idempotency import idempotent
from augury.series import schemas
from augury.series.service import SeriesService

router = routing.router(tags=["external series"], prefix="/v1/external-series")


async def _service(request: Request) -> SeriesService:
    return request.app.state.services.series


Service = Annotated[SeriesService, Depends(_service)]
SeriesId = Annotated[str, own_id("ser", "series_id", "No series of yours has this id.")]
_ERRORS = openapi.errors(404, 422)
_NOTHING_USABLE = {
    502: {
        **openapi.errors(502)[502],
        "description": "The series' source did not answer, or its answer can't be read.",
    }
}


@router.post(
    "",
    status_code=201,
    summary="Create a series",
    response_model=schemas.SeriesRecord,
    responses=openapi.errors(409, 422),
)
@idempotent
async def create(
    caller: WatchCaller, service: Service, new: schemas.SeriesRequest
) -> dict[str, object]:
    """Create a series for the key's account. Its points are fetched from a URL (as CSV, JSON or
    FRED's JSON), or the account sends them.

    A series with `refresh_every` is fetched within seconds, then at that interval. Watchlist rules
    can watch it through a target of kind `series`.
    """
    made = await service.create(
        caller.account,
        new.name,
        new.kind,
        new.wanted(),
        unit=new.unit,
        frequency=new.frequency,
        refresh_every=new.refresh_every,
    )
    return schemas.record(made)


@router.get(
    "",
    summary="List series",
    response_model=schemas.SeriesList,
    responses=openapi.errors(422),
)
async def list_(
    request: Request,
    caller: WatchCaller,
    service: Service,
    limit: pages.Limit = pages.DEFAULT_LIMIT,
    cursor: pages.Cursor = None,
) -> Response:
    """The account's series, oldest first."""
    after = pages.decode_id(cursor) if cursor else None
    found = await service.page(caller.account, limit=limit + 1, after=after)
    return answer(request, pages.page(found, limit, schemas.record))


@router.get(
    "/{series_id}",
    summary="Read a series",
    response_model=schemas.SeriesRecord,
    responses=openapi.errors(404),
)
async def get(
    request: Request, caller: WatchCaller, service: Service, series_id: SeriesId
) -> Response:
    """A series, its latest point, and how its last refresh ended."""
    return answer(request, schemas.record(await service.get(caller.account, series_id)))


@router.delete(
    "/{series_id}", status_code=204, summary="Delete a series", responses=openapi.errors(404)
)
async def delete(caller: WatchCaller, service: Service, series_id: SeriesId) -> Response:
    """Delete a series and its points. Rules that watch it have no data from then on."""
    await service.delete(caller.account, series_id)
    return Response(status_code=204)


@router.post(
    "/{series_id}/refresh",
    summary="Refresh a series",
    response_model=schemas.RefreshResult,
    responses={**_ERRORS, **openapi.errors(409), **_NOTHING_USABLE},
)
@idempotent
async def refresh(
    caller: WatchCaller,
    service: Service,
    series_id: SeriesId,
    given: Annotated[schemas.RefreshRequest | None, Body()] = None,
) -> dict[str, object]:
    """Fetch the source now or, for a series of type push, store the points of the request.
    Watchlist rules see the new points immediately.

    The old value of a point that changed is kept as a revision. The answer is 502 if the source did
    not answer or its answer can't be read; the series then keeps its points.
    """
    pushed = (
        [(point.time, point.value) for point in given.points]
        if given is not None and given.points is not None
        else None
    )
    return schemas.refreshed(await service.refresh(caller.account, series_id, pushed))


@router.get(
    "/{series_id}/points",
    summary="Read a series' points",
    response_model=schemas.PointList,
    responses=_ERRORS,
)
async def points(
    request: Request,
    caller: WatchCaller,
    service: Service,
    series_id: SeriesId,
    start: Annotated[
        Moment | None, Query(description="Start of the window, inclusive. Default: all points.")
    ] = None,
    end: Annotated[Moment | None, Query(description="End of the window, exclusive.")] = None,
    limit: pages.Limit = pages.DEFAULT_LIMIT,
    cursor: pages.Cursor = None,
) -> Response:
    """Points in order of time, each with its earlier values if its source has changed it."""
    found, earlier = await service.points(
        caller.account,
        series_id,
        start=start,
        end=end,
        limit=limit + 1,
        after=_decode_time(cursor) if cursor else None,
    )
    shown = pages.page(
        found,
        limit,
        lambda point: schemas.point(point, earlier.get(point.time, [])),
        lambda point: point.time.isoformat(),
    )
    return answer(request, shown)


def _decode_time(cursor: str) -> datetime:
    (moment,) = pages.decode(cursor, tuple[Annotated[datetime, msgspec.Meta(tz=True)]])
    if not 1800 <= moment.year <= 2200:
        raise InvalidInput.at(
            "query",
            "cursor",
            msg="This cursor does not belong to this list. Start again without a cursor.",
        )
    return moment.astimezone(UTC)

"""Routes of `POST /v1/forecast` (section 4.2 of the API specification), of the stream of a
forecast, of runs (many questions answered in the background), and of the scorecard."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import datetime
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from augury.errors import AuguryError, InvalidInput, UpstreamFailed
from augury.forecast import schemas
from augury.forecast.channels import ChannelLabels, label
from augury.forecast.made import Forecast
from augury.forecast.runs import RunService
from augury.forecast.schemas import (
    DecidedForecasts,
    PublicForecastRequest,
    PublicForecastResponse,
    RunRequest,
    RunStarted,
    RunState,
    StreamRequest,
)
from augury.forecast.service import ForecastService, Stage, failure
from augury.graph.schemas import PublicCausalGraph
from augury.http import openapi, pages, routing
from augury.http.allowance import FORECAST, UPLOAD, allowed
from augury.http.callers import AnswersCaller, ForecastCaller, InternalCaller
from augury.http.exchange import exchange_of
from augury.http.idempotency import idempotent
from augury.settings import Settings

router = routing.router(tags=["forecast"])

PING_SECONDS = 15.0
"""A stream of server-sent events sends a ping after this many seconds without an event."""
RUN_PAGE = 100


class _Headers(BaseModel):
    """Optional headers by which an integration (e.g. a plug-in) describes itself. They are only
    used to count the forecasts that each integration asks for, and do not change the answer."""

    model_config = ConfigDict(extra="ignore")

    attribution_code: str | None = Field(None, alias="X-Service-Attribution-Code")
    referrer: str | None = Field(None, alias="X-Service-Referrer")
    channel: str | None = Field(None, alias="X-Service-Channel")
    tool: str | None = Field(None, alias="X-Service-Tool")
    client: str | None = Field(None, alias="X-Service-Client")
    client_version: str | None = Field(None, alias="X-Service-Client-Version")

    def labels(self) -> ChannelLabels:
        return ChannelLabels(*(label(getattr(self, name)) for name in ChannelLabels._fields))


async def _service(request: Request) -> ForecastService:
    return request.app.state.services.forecast


async def _settings(request: Request) -> Settings:
    return request.app.state.services.settings


async def _runs(request: Request) -> RunService:
    return request.app.state.services.forecast_runs


Service = Annotated[ForecastService, Depends(_service)]
Runs = Annotated[RunService, Depends(_runs)]


@router.post(
    "/v1/forecast",
    summary="Forecast a question",
    response_model=PublicForecastResponse,
    responses=openapi.FORECAST_ERRORS,
)
@allowed(FORECAST)
async def forecast(
    body: PublicForecastRequest,
    caller: ForecastCaller,
    headers: Annotated[_Headers, Header()],
    request: Request,
    service: Service,
) -> Response:
    """Returns a probability with its interval, the markets it rests on, the reason, and a
    causal graph.

    Needs a key with the scope `forecast:read`. If the open markets give no answer, `probability` is
    null and `error` says why.
    """
    exchange = exchange_of(request.scope)
    made = await service.forecast(body.question, labels=headers.labels())
    graph = await service.draw(made) if body.include_graph else None
    return _json(_answer(made, body, graph, exchange.request_id, exchange.started))


def _answer(
    made: Forecast,
    body: PublicForecastRequest,
    graph: PublicCausalGraph | None,
    request_id: str,
    started: float,
) -> PublicForecastResponse:
    return schemas.response(
        made, body.question, request_id, graph=graph,
        seconds=time.perf_counter() - started,
    )  # fmt: skip


def _json(answer: BaseModel) -> Response:
    return Response(answer.model_dump_json(), media_type="application/json")


# --- stream --------------------------------------------------------------------------------

_EVENT = {
    "type": "object",
    "description": "One event of the stream.",
    "properties": {
        "id": {"type": "string", "description": "Number of the event, from 1."},
        "event": {"type": "string", "description": "Type of the event."},
        "data": {"type": "string", "description": "JSON: {event_type, data}."},
    },
}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events in this order: started, normalized, search, evidence (one per"
        " market), estimate, graph, then final or error. A ping follows every 15 s of silence.",
        "content": {"text/event-stream": {"schema": _EVENT}},
    },
    **openapi.FORECAST_ERRORS,
}


@router.post(
    "/v1/forecast/stream",
    summary="Forecast a question and stream each finished stage",
    response_class=StreamingResponse,
    responses=_STREAM,
)
@allowed(FORECAST)
async def stream(
    body: StreamRequest,
    caller: ForecastCaller,
    headers: Annotated[_Headers, Header()],
    request: Request,
    service: Service,
    settings: Annotated[Settings, Depends(_settings)],
) -> StreamingResponse:
    """The forecast of `POST /v1/forecast` as server-sent events, one for each finished stage.

    The last event is either `final`, with the whole answer of `POST /v1/forecast`, or `error`.
    Closing the connection cancels the forecast. With `as_of`, only information known at that time
    is used.
    """
    exchange = exchange_of(request.scope)
    stages = service.stages(body.question, as_of=body.as_of)
    try:
        # A failure before the first event gets an ordinary error response.
        first = await anext(stages)
    except Exception as error:
        raise failure(error) from error
    events = _events(
        stages, first, body, exchange.request_id, exchange.started, service, headers.labels(),
        settings.forecast_deadline,
    )  # fmt: skip
    return StreamingResponse(
        _with_pings(events),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _events(
    stages: AsyncIterator[Stage | Forecast],
    first: Stage | Forecast,
    body: PublicForecastRequest,
    request_id: str,
    started: float,
    service: ForecastService,
    labels: ChannelLabels,
    deadline: float,
) -> AsyncIterator[tuple[str, Any]]:
    yield "started", {"request_id": request_id, "question": body.question}
    try:
        async with asyncio.timeout(deadline), aclosing(_after(first, stages)) as all_stages:
            async for stage in all_stages:
                if isinstance(stage, Stage):
                    yield stage.name, stage.data
                    continue
                graph = await service.draw(stage) if body.include_graph else None
                yield "graph", graph.model_dump(mode="json") if graph else None
                await service.issue(stage, labels)
                answer = _answer(stage, body, graph, request_id, started)
                yield "final", answer.model_dump(mode="json")
    except TimeoutError:
        yield (
            "error",
            {
                "detail": "The request took too long and was stopped. Try again, or ask for less.",
                "code": "deadline",
            },
        )
    except Exception as error:
        failed = failure(error)
        known = (
            failed if isinstance(failed, AuguryError) else UpstreamFailed("The forecast failed.")
        )
        yield "error", {"detail": str(known), "code": known.error_code}


async def _after(
    first: Stage | Forecast, rest: AsyncIterator[Stage | Forecast]
) -> AsyncGenerator[Stage | Forecast]:
    yield first
    async for stage in rest:
        yield stage


async def _with_pings(
    events: AsyncIterator[tuple[str, Any]], every: float | None = None
) -> AsyncIterator[bytes]:
    """The events in wire format, with a ping after every `every` seconds of silence."""
    every = PING_SECONDS if every is None else every
    number = 0
    coming = asyncio.ensure_future(anext(events))
    try:
        while True:
            done, _ = await asyncio.wait({coming}, timeout=every)
            number += 1
            if not done:
                yield _wire(number, "ping", {})
                continue
            try:
                name, data = coming.result()
            except StopAsyncIteration:
                return
            coming = asyncio.ensure_future(anext(events))
            yield _wire(number, name, data)
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)


def _wire(number: int, name: str, data: Any) -> bytes:
    payload = msgspec.json.encode({"event_type": name, "data": data})
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), payload)


# --- scorecard -----------------------------------------------------------------------------


@router.get("/v1/forecast/scorecard", summary="Show how good past forecasts were")
@allowed(FORECAST)
async def scorecard(service: Service) -> dict[str, Any]:
    """Brier score, log score and calibration of decided forecasts, by domain and horizon, compared
    with the market's own prices on the same questions. Needs no key."""
    return await service.scorecard()


_Place = tuple[
    Annotated[datetime, msgspec.Meta(tz=True)],
    Annotated[str, msgspec.Meta(pattern="^fc_[0-9a-f]+$")],
]
"""Content of a cursor for the next page of decided forecasts: the time when the question of the
last forecast on this page was resolved, and the id of that forecast."""


@router.get(
    "/v1/forecast/decided",
    summary="List the forecasts behind the scorecard",
    response_model=DecidedForecasts,
    responses=openapi.errors(401, 403, 422, 429, 503),
)
@allowed(FORECAST)
async def decided(
    caller: AnswersCaller,
    service: Service,
    limit: pages.Limit = pages.DEFAULT_LIMIT,
    cursor: pages.Cursor = None,
) -> DecidedForecasts:
    """Forecasts whose question has been decided, the latest decided first, each with its
    probability, the market's price at the time, and the result. Each forecast is listed with the
    market whose result shows whether it was right. The question in the caller's own words is not
    listed.
    """
    after = pages.decode(cursor, _Place) if cursor else None
    rows = await service.decided(limit=limit + 1, after=after)
    last = rows[limit - 1] if len(rows) > limit else None
    return DecidedForecasts(
        items=[schemas.decided(row) for row in rows[:limit]],
        next_cursor=pages.encode((last.decided_at, last.id)) if last else None,
    )


# --- runs ----------------------------------------------------------------------------------


@router.post(
    "/internal/v1/forecast/runs",
    status_code=202,
    summary="Forecast many questions in the background",
    response_model=RunStarted,
    responses=openapi.errors(401, 403, 409, 413, 422, 429, 503),
)
@allowed(UPLOAD)
@idempotent
async def start_run(
    body: RunRequest, caller: InternalCaller, service: Service, runs: Runs
) -> RunStarted:
    """Forecast 1 to 1,000 questions, each as of now or as of its own time in the past."""
    for asked in body.questions:
        service.refuse_future(asked.as_of)
    questions = [
        {"question": asked.question, "as_of": asked.as_of and asked.as_of.isoformat()}
        for asked in body.questions
    ]
    run_id = await runs.start(
        questions, include_graph=body.include_graph, account_id=caller.account_id
    )
    return RunStarted(run_id=run_id, status="queued")


@router.get(
    "/internal/v1/forecast/runs/{run_id}",
    summary="Read a run's progress and answers",
    response_model=RunState,
    responses=openapi.errors(401, 403, 404, 422, 429, 503),
)
async def run_state(
    run_id: str,
    caller: InternalCaller,
    runs: Runs,
    limit: Annotated[int, Query(ge=1, le=1000, description="Results per page.")] = RUN_PAGE,
    cursor: pages.Cursor = None,
) -> RunState:
    """The run's progress and its answers so far, one page at a time."""
    run = await runs.fetch(run_id, caller.account_id)
    (after,) = pages.decode(cursor, tuple[int]) if cursor else (-1,)
    if not -1 <= after < 2**31:
        raise InvalidInput.at(
            "query",
            "cursor",
            msg="This cursor does not belong to this list. Start again without a cursor.",
        )
    found = await runs.answers(run_id, after, limit + 1)
    results = [
        {"place": place, "as_of": run.questions[place].get("as_of"), **answer}
        for place, answer in found[:limit]
    ]
    following = pages.encode((found[limit - 1][0],)) if len(found) > limit else None
    return RunState(
        run_id=run.id,
        status=run.status,  # type: ignore[arg-type]
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        error_message=run.error_message,
        questions=len(run.questions),
        answered=run.answered,
        results=results,
        next_cursor=following,
    )

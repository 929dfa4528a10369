"""Routes for forecasts in full (with all their evidence), and for runs (many questions answered in
the background). An account sees only its own."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Query, Request, Response
from pydantic import BaseModel, TypeAdapter, ValidationError

from augury.errors import InvalidInput, NotFound
from augury.forecast.full_schemas import (
    ForecastRequest,
    ForecastRun,
    ForecastRunRequest,
    FullForecast,
    RunAnswer,
)
from augury.forecast.runs import RunService
from augury.forecast.schemas import MAX_QUESTIONS, RunQuestion, RunStarted
from augury.forecast.service import MAKE, ForecastService
from augury.http import openapi, pages, routing, strictjson
from augury.http.allowance import FORECAST, FORECAST_UPLOAD, allowed
from augury.http.callers import AnswersCaller, ForecastCaller, LegacyAnswersCaller
from augury.http.fields import is_id
from augury.http.forms import FILES, NOT_MODIFIED, Wanted, download
from augury.http.idempotency import idempotent
from augury.jobs.queue import JobRecord
from augury.spreadsheet import cell

router = routing.router(tags=["forecast"])

RUN_PAGE = 100
"""Number of answers on one page of a run (many questions answered in the background), unless the
request sets `limit`."""


async def _service(request: Request) -> ForecastService:
    return request.app.state.services.forecast


async def _runs(request: Request) -> RunService:
    return request.app.state.services.forecast_runs


Service = Annotated[ForecastService, Depends(_service)]
Runs = Annotated[RunService, Depends(_runs)]


@router.post(
    "/v1/forecasts",
    status_code=201,
    summary="Forecast a question, with all evidence and the reasoning",
    response_model=FullForecast,
    responses={
        202: {"model": FullForecast, "description": "Accepted; the work continues."},
        **openapi.errors(401, 403, 409, 413, 422, 429, 431, 502, 503),
    },
)
@allowed(FORECAST)
@idempotent
async def make(body: ForecastRequest, caller: ForecastCaller, service: Service) -> Response:
    """Returns a probability with its grade, the markets that count (each with role, side, weight
    and reason), and the nearest markets that were rejected.

    With `as_of`, only information known at that time is used. With `background`, the response is
    202 without waiting for the forecast; read it with `GET /v1/forecasts/{id}`. Forecasts are kept
    for 30 days.
    """
    service.refuse_future(body.as_of)
    if body.background:
        record = await service.start(
            body.question, as_of=body.as_of, include_graph=body.include_graph,
            account_id=caller.account_id,
        )  # fmt: skip
        return _json(_pending(record), 202)
    answer = await service.make(
        body.question, as_of=body.as_of, include_graph=body.include_graph,
        account_id=caller.account_id,
    )  # fmt: skip
    return _json(answer, 201)


@router.get(
    "/v1/forecasts/{answer_id}",
    summary="Read a forecast, with all evidence and the reasoning",
    response_model=FullForecast,
    responses=openapi.errors(401, 403, 404, 422, 429, 503),
)
@allowed(FORECAST)
async def made(answer_id: str, caller: AnswersCaller, service: Service) -> Response:
    """Returns a forecast that this account requested. If the forecast is not finished yet or has
    failed, its status is returned instead."""
    record = await service.fetch(answer_id) if is_id("fc", answer_id) else None
    if record is None or record.kind != MAKE or record.account_id != caller.account_id:
        raise NotFound("No forecast of yours has this id.")
    if record.status == "succeeded":
        return _json(FullForecast.model_validate(record.result), 200)
    return _json(_pending(record), 200)


def _pending(record: JobRecord) -> FullForecast:
    asked = record.request
    return FullForecast(
        id=record.id,
        status=record.status,  # type: ignore[arg-type]
        created_at=record.created_at,
        question=asked["question"],
        as_of=datetime.fromisoformat(asked["as_of"]) if asked["as_of"] else None,
        origin="replay" if asked["as_of"] else "live",
        error=record.error_message,
    )


def _json(answer: BaseModel, status: int) -> Response:
    return Response(answer.model_dump_json(), status, media_type="application/json")


# --- runs ----------------------------------------------------------------------------------

_CSV_BODY: dict[str, Any] = {
    "schema": {"type": "string"},
    "example": "question,as_of\nWill the Fed cut rates in December?,\n",
}
_JSON_BODY: dict[str, Any] = {
    "schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["questions"],
        "properties": {
            "questions": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_QUESTIONS,
                "items": RunQuestion.model_json_schema(),
            },
            "include_graph": {"type": "boolean", "default": False},
        },
    },
    "example": {"questions": [{"question": "Will the Fed cut rates in December?"}]},
}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": _JSON_BODY, "text/csv": _CSV_BODY},
    }
}


@router.post(
    "/v1/forecast-runs",
    status_code=202,
    summary="Forecast many questions in the background",
    response_model=RunStarted,
    responses=openapi.errors(401, 403, 409, 413, 422, 429, 503),
    openapi_extra=_BODY,
)
@allowed(FORECAST_UPLOAD)
@idempotent
async def start_run(
    request: Request, caller: ForecastCaller, service: Service, runs: Runs
) -> RunStarted:
    """Forecast 1 to 1,000 questions, each as of now or as of its own time in the past.

    The body is JSON, or `text/csv` with the columns `question` and, if needed, `as_of`. Follow the
    run with `GET /v1/forecast-runs/{run_id}`.
    """
    body = await _asked(request)
    for asked in body.questions:
        service.refuse_future(asked.as_of)
    questions = [
        {"question": asked.question, "as_of": asked.as_of and asked.as_of.isoformat()}
        for asked in body.questions
    ]
    run_id = await runs.start(
        questions, include_graph=body.include_graph, account_id=caller.account_id, full=True
    )
    return RunStarted(run_id=run_id, status="queued")


async def _asked(request: Request) -> ForecastRunRequest:
    body = await request.body()
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media == "text/csv":
        given: Any = {"questions": _rows(body)}
    elif media in ("application/json", ""):
        given = strictjson.loads(body)
    else:
        raise InvalidInput.at(
            "header", "content-type", type="content_type_invalid",
            msg="The body should be sent as application/json or text/csv.",
        )  # fmt: skip
    try:
        return _REQUEST.validate_python(given)
    except ValidationError as error:
        raise InvalidInput(
            [
                {"loc": ["body", *issue["loc"]], "msg": issue["msg"], "type": issue["type"]}
                for issue in error.errors(
                    include_url=False, include_input=False, include_context=False
                )
            ]
        ) from None


_REQUEST = TypeAdapter(ForecastRunRequest)
_COLUMNS = {"question", "as_of"}


def _rows(body: bytes) -> list[dict[str, str | None]]:
    """The questions of a CSV file: for each line, a dict with `question` and `as_of`. `as_of` is
    None, which means now, if the cell is blank or there is no such column. Blank lines are skipped.
    A file that cannot be read raises `InvalidInput`."""
    try:
        lines = csv.DictReader(io.StringIO(body.decode("utf-8-sig")), strict=True)
        names = [name.strip() for name in lines.fieldnames or ()]
        lines.fieldnames = names
        if "question" not in names or set(names) - _COLUMNS:
            raise InvalidInput.at(
                "body", 1, type="csv_invalid",
                msg="The first line should name the columns: question, and as_of if needed.",
            )  # fmt: skip
        found: list[dict[str, str | None]] = []
        for row in lines:
            if None in row:
                raise InvalidInput.at(
                    "body", lines.line_num, type="csv_invalid",
                    msg="This line has more values than the header has columns. Put questions "
                        "that contain a comma in double quotes.",
                )  # fmt: skip
            if any((value or "").strip() for value in row.values()):
                as_of = (row.get("as_of") or "").strip()
                found.append({"question": row["question"], "as_of": as_of or None})
            if len(found) > MAX_QUESTIONS:
                break
        return found
    except UnicodeDecodeError:
        raise InvalidInput.at("body", msg="The file is not UTF-8.", type="csv_invalid") from None
    except csv.Error as error:
        raise InvalidInput.at(
            "body", msg=f"The file is not valid CSV: {error}.", type="csv_invalid"
        ) from None


@router.get(
    "/v1/forecast-runs/{run_id}",
    summary="Read a run's progress and answers",
    response_model=ForecastRun,
    responses={
        200: {"content": {"text/csv": FILES["text/csv"]}},
        **NOT_MODIFIED,
        **openapi.errors(401, 403, 404, 422, 429, 503),
    },
)
@allowed(FORECAST)
async def run(
    run_id: str,
    caller: LegacyAnswersCaller,
    request: Request,
    runs: Runs,
    wanted: Wanted,
    limit: Annotated[int, Query(ge=1, le=1000, description="Results per page.")] = RUN_PAGE,
    cursor: pages.Cursor = None,
) -> Response:
    """The run's progress and its answers so far, one page at a time. As CSV (by `format=csv` or
    the `Accept` header): all answers so far, one per line."""
    found = await runs.fetch(run_id, caller.account_id)
    if not found.full:
        raise NotFound("No run of yours has this id.")
    if wanted != "json":
        if wanted != "csv":
            raise InvalidInput.at("query", "format", msg="A run is available as json or csv.")
        answers = await runs.answers(run_id, -1, MAX_QUESTIONS)
        return download(request, _as_csv(answers), "csv", run_id)
    after = pages.decode(cursor, tuple[int])[0] if cursor else -1
    if not -1 <= after < 2**31:
        raise InvalidInput.at(
            "query",
            "cursor",
            msg="This cursor does not belong to this list. Start again without a cursor.",
        )
    answers = await runs.answers(run_id, after, limit + 1)
    state = ForecastRun(
        id=found.id,
        status=found.status,  # type: ignore[arg-type]
        created_at=found.created_at,
        started_at=found.started_at,
        finished_at=found.finished_at,
        error=found.error_message,
        questions=len(found.questions),
        answered=found.answered,
        results=[RunAnswer(place=place, **answer) for place, answer in answers[:limit]],
        next_cursor=pages.encode((answers[limit - 1][0],)) if len(answers) > limit else None,
    )
    return _json(state, 200)


_CSV_COLUMNS = (
    "place", "id", "question", "as_of", "probability", "grade", "confidence", "lower", "upper",
    "origin", "data_as_of", "markets", "warnings", "error_code", "error", "reasoning",
)  # fmt: skip


def _as_csv(answers: list[tuple[int, Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_CSV_COLUMNS)
    for place, answer in answers:
        interval = answer.get("confidence_interval") or {}
        row = {
            **answer,
            "place": place,
            "lower": interval.get("lower"),
            "upper": interval.get("upper"),
            "markets": " ".join(
                one["market"]["id"] for one in answer.get("evidence", ()) if one["weight"] != 0
            ),
            "warnings": " ".join(answer.get("warnings", ())),
        }
        writer.writerow([cell(row.get(name)) for name in _CSV_COLUMNS])
    return out.getvalue().encode()

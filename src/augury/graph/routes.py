"""Routes that draw causal graphs: `/v1/graphs` for accounts, `/internal/v1/graph` for operators
(spec section 4.4)."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Response

from augury.clock import now
from augury.errors import Conflict, NotFound
from augury.graph import jobs
from augury.graph.schemas import (
    FullGraph,
    FullGraphRequest,
    GraphAnswer,
    GraphRequest,
    JobStarted,
    JobState,
    answer,
    full,
)
from augury.graph.service import GraphService
from augury.http import openapi, routing
from augury.http.callers import ForecastCaller, InternalCaller, LegacyAnswersCaller
from augury.http.fields import is_id
from augury.http.idempotency import idempotent
from augury.ids import new_id
from augury.jobs import queue
from augury.jobs.queue import JobRecord
from augury.storage.database import Database

router = routing.router(tags=["graph"])


async def _service(request: Request) -> GraphService:
    return request.app.state.services.graph


async def _database(request: Request) -> Database:
    return request.app.state.services.database


Service = Annotated[GraphService, Depends(_service)]
State = Annotated[Database, Depends(_database)]


@router.post(
    "/v1/graphs",
    status_code=201,
    summary="Draw the causal graph of a question",
    response_model=FullGraph,
    responses={
        202: {
            "model": FullGraph,
            "description": "Accepted; the graph is being drawn in the background.",
        },
        **openapi.errors(401, 403, 409, 413, 422, 429, 431, 503),
    },
)
@idempotent
async def draw(
    body: FullGraphRequest, caller: ForecastCaller, service: Service, database: State
) -> Response:
    """A graph of a question, of what drives it and of what follows from it, with markets and
    probabilities.

    With `background`, the answer is 202 immediately; read the graph later with
    `GET /v1/graphs/{id}`. Graphs are kept for 30 days.
    """
    request = {"question": body.question}
    if body.background:
        async with database.transaction() as conn:
            made = await queue.enqueue(
                conn, jobs.FULL, request, account_id=caller.account_id, prefix="graph"
            )
            record = await queue.fetch(conn, made)
        assert record is not None
        return _json(_pending(record), 202)
    graph = full(await service.build(body.question), new_id("graph"), now())
    async with database.transaction() as conn:
        await queue.add_finished(
            conn, jobs.FULL, request, graph.model_dump(mode="json"), job_id=graph.id,
            account_id=caller.account_id,
        )  # fmt: skip
    return _json(graph, 201)


@router.get(
    "/v1/graphs/{graph_id}",
    summary="Read a graph",
    response_model=FullGraph,
    responses=openapi.errors(401, 403, 404, 422, 429, 503),
)
async def drawn(graph_id: str, caller: LegacyAnswersCaller, database: State) -> Response:
    """A graph that this account asked for or, before it is drawn, its status."""
    record = None
    if is_id("graph", graph_id):
        async with database.reading() as conn:
            record = await queue.fetch(conn, graph_id)
    if record is None or record.kind != jobs.FULL or record.account_id != caller.account_id:
        raise NotFound("This account has no graph with this id. Graphs are kept for 30 days.")
    if record.status == "succeeded":
        return _json(FullGraph.model_validate(record.result), 200)
    return _json(_pending(record), 200)


def _pending(record: JobRecord) -> FullGraph:
    return FullGraph(
        id=record.id,
        status=record.status,  # type: ignore[arg-type]
        created_at=record.created_at,
        question=record.request["question"],
        error=record.error_message,
    )


def _json(graph: FullGraph, status: int) -> Response:
    return Response(graph.model_dump_json(), status, media_type="application/json")


@router.post(
    "/internal/v1/graph/build",
    summary="Draw the causal graph of a question and wait for the result",
    response_model=GraphAnswer,
    responses=openapi.errors(401, 403, 413, 422, 429, 431, 503),
)
async def build(body: GraphRequest, caller: InternalCaller, service: Service) -> GraphAnswer:
    """The causal graph of a question, with a trace of how it was built."""
    return answer(await service.build(body.question, only=_only(body)))


@router.post(
    "/internal/v1/graph/jobs",
    status_code=202,
    summary="Draw the causal graph of a question in the background",
    response_model=JobStarted,
    responses=openapi.errors(401, 403, 409, 413, 422, 429, 431, 503),
)
@idempotent
async def start(body: GraphRequest, caller: InternalCaller, database: State) -> JobStarted:
    """Start a job that draws the graph. Read its progress and its result with
    `GET /internal/v1/graph/jobs/{job_id}`."""
    async with database.transaction() as conn:
        request = {"question": body.question, "only": _only(body)}
        job_id = await queue.enqueue(conn, jobs.KIND, request, account_id=caller.account_id)
        record = await queue.fetch(conn, job_id)
    assert record is not None
    return JobStarted(job_id=job_id, status=record.status, created_at=record.created_at)


@router.get(
    "/internal/v1/graph/jobs/{job_id}",
    summary="Read the progress of a graph job",
    response_model=JobState,
    responses=openapi.errors(401, 403, 404, 422, 429, 431, 503),
)
async def state(job_id: str, caller: InternalCaller, database: State) -> JobState:
    """How far a job that draws a graph has come; once it has succeeded, the graph and a trace of
    how it was built."""
    async with database.reading() as conn:
        record = _own(await queue.fetch(conn, job_id), caller.account_id)
    result = record.result or {}
    return JobState(
        job_id=record.id,
        status=record.status,  # type: ignore[arg-type]
        progress_stage=record.progress_stage,
        progress_detail=record.progress_detail,
        created_at=record.created_at,
        started_at=record.started_at,
        finished_at=record.finished_at,
        error_message=record.error_message,
        graph=result.get("graph"),
        trace=result.get("trace"),
    )


@router.post(
    "/internal/v1/graph/jobs/{job_id}/cancel",
    summary="Cancel a graph job",
    response_model=JobState,
    responses=openapi.errors(401, 403, 404, 409, 422, 429, 431, 503),
)
async def cancel(job_id: str, caller: InternalCaller, database: State) -> JobState:
    """Cancel a job that draws a graph. Answers 409 if it has already ended."""
    async with database.transaction() as conn:
        _own(await queue.fetch(conn, job_id), caller.account_id)
        if not await queue.cancel(conn, job_id):
            raise Conflict("This job has already ended, so it can't be canceled.")
    return await state(job_id, caller, database)


@router.post(
    "/internal/v1/graph/jobs/{job_id}/retry",
    summary="Run a failed or canceled graph job again",
    response_model=JobState,
    responses=openapi.errors(401, 403, 404, 409, 422, 429, 431, 503),
)
async def retry(job_id: str, caller: InternalCaller, database: State) -> JobState:
    """Run a failed or canceled graph job again. Answers 409 if the job is in any other state."""
    async with database.transaction() as conn:
        _own(await queue.fetch(conn, job_id), caller.account_id)
        if not await queue.retry(conn, job_id):
            raise Conflict("Only a failed or canceled job can be run again.")
    return await state(job_id, caller, database)


def _only(body: GraphRequest) -> dict[str, list[str]] | None:
    """Relation to the question -> ids of the markets in the request's search results; None if the
    request has no search results."""
    if body.search_results is None:
        return None
    return {
        relation: [str(result["id"]) for result in results if "id" in result]
        for relation, results in body.search_results.items()
    }


def _own(record: JobRecord | None, account_id: str | None) -> JobRecord:
    """The job in `record`, if it draws a graph for this account.

    Raises
    ------
    NotFound
        There is no such job, or it belongs to another account.
    """
    if record is None or record.kind != jobs.KIND or record.account_id != account_id:
        raise NotFound("This account has no graph job with this id.")
    return record

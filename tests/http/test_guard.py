"""Deadlines, ids, errors nobody expected, compression, metrics, logs."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import psycopg
import pytest
from fastapi import FastAPI, HTTPException, Query, Request, Response
from fastapi.responses import StreamingResponse
from prometheus_client import REGISTRY
from pydantic import BaseModel, ConfigDict
from structlog.testing import capture_logs
from tests.http.conftest import OpenLimiter, client_of, make_app
from tests.http.open_access import OpenAccess, call

from augury.errors import Conflict, NotFound, UpstreamFailed
from augury.http import routing
from augury.http.allowance import FORECAST, UPLOAD, allowed
from augury.settings import Settings

pytestmark = pytest.mark.anyio


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    size: int = 1


@pytest.fixture
def app(settings: Settings) -> FastAPI:
    settings = settings.model_copy(
        update={
            "search_deadline": 1,
            "forecast_deadline": 0.05,
            "request_deadline": 4,
            "max_body_bytes": 2000,
            "max_run_body_bytes": 9000,
        }
    )
    app = make_app(settings, access=OpenAccess())
    app.state.traffic.limiter = OpenLimiter()
    router = routing.router()

    @router.get("/fails")
    async def fails() -> None:
        raise RuntimeError("the password is hunter2")

    @router.get("/fails/{kind}")
    async def fails_so(kind: str) -> None:
        raise {
            "full": psycopg.errors.DiskFull("hunter2"),
            "readonly": psycopg.errors.ReadOnlySqlTransaction(),
            "refused": psycopg.OperationalError("connection refused, password=hunter2"),
            "bug": psycopg.errors.UndefinedTable("hunter2"),
            "missing": NotFound("There is no such thing."),
            "conflict": Conflict("Twice."),
            "upstream": UpstreamFailed("The venue failed."),
            "http": HTTPException(418, "teapot"),
            "timeout": TimeoutError("hunter2"),
        }[kind]

    @router.get("/sleeps")
    async def sleeps() -> None:
        await asyncio.sleep(60)

    @router.post("/forecast/sleeps")
    @allowed(FORECAST)
    async def forecast_sleeps() -> None:
        await asyncio.sleep(60)

    @router.get("/long")
    async def long() -> dict[str, str]:
        return {"text": "a" * 5000}

    @router.get("/short")
    async def short() -> dict[str, str]:
        return {"text": "a"}

    @router.get("/events")
    async def events() -> StreamingResponse:
        async def parts() -> AsyncIterator[str]:
            for _ in range(5):
                yield "data: " + "a" * 1000 + "\n\n"
                await asyncio.sleep(1)

        return StreamingResponse(parts(), media_type="text/event-stream")

    @router.get("/breaks")
    async def breaks() -> StreamingResponse:
        async def parts() -> AsyncIterator[str]:
            yield "one"
            raise RuntimeError("hunter2")

        return StreamingResponse(parts())

    @router.post("/body")
    async def body(body: Body, times: int = Query(1, ge=1)) -> Body:
        return body

    @router.get("/both/{id}")
    async def one(id: int) -> int:
        return id

    @router.put("/upload")
    @allowed(UPLOAD)
    async def upload(request: Request) -> int:
        return len(await request.body())

    @router.delete("/both/{id}")
    async def delete(id: int) -> Response:
        return Response(status_code=204)

    app.include_router(router)
    return app


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/fails", 500, "internal_error"),
        ("/fails/full", 503, "unavailable"),
        ("/fails/readonly", 503, "unavailable"),
        ("/fails/refused", 503, "unavailable"),
        ("/fails/bug", 500, "internal_error"),
        ("/fails/missing", 404, "not_found"),
        ("/fails/conflict", 409, "conflict"),
        ("/fails/upstream", 502, "upstream_failed"),
        ("/fails/http", 418, "internal_error"),
        ("/fails/timeout", 503, "timeout"),
        ("/nowhere", 404, "not_found"),
        ("/v1/health/", 404, "not_found"),
        ("/v1/health%00", 404, "not_found"),
        pytest.param("/sleeps", 503, "deadline", marks=pytest.mark.heavy),
        ("/both/x", 422, "invalid_input"),
        ("/long?x=%00", 422, "invalid_input"),
    ],
)
async def test_every_failure_is_a_detail(
    client: httpx2.AsyncClient, path: str, status: int, code: str
) -> None:
    answer = await client.get(path)
    assert answer.status_code == status
    assert list(answer.json()) == ["detail"]
    assert answer.headers["x-error-code"] == code
    assert answer.headers["x-request-id"].startswith("req_")
    assert ("retry-after" in answer.headers) == (status == 503)
    assert "hunter2" not in answer.text


async def test_other_methods_are_405_and_told_which(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/both/1")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "DELETE, GET, HEAD"
    assert "does not support this method" in answer.json()["detail"]


async def test_issues_have_three_members_and_repeat_nothing(client: httpx2.AsyncClient) -> None:
    sent = {"name": ["hunter2"], "size": "hunter2", "h" * 200: 1, "two\nlines": 1, "extra": 1}
    answer = await client.post("/body?times=hunter2", json=sent)
    assert answer.status_code == 422
    issues = answer.json()["detail"]
    assert [set(issue) for issue in issues] == [{"loc", "msg", "type"}] * 6
    assert "hunter2" not in answer.text
    assert sorted(str(issue["loc"][-1]) for issue in issues) == [
        "extra", "name", "size", "times", "…", "…",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "media", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"]
)
async def test_a_body_of_another_type_is_told_so(
    client: httpx2.AsyncClient, media: str | None
) -> None:
    headers = {"content-type": media} if media else {}
    answer = await client.post("/body", content=b'{"name":"x"}', headers=headers)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["header", "content-type"]


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "application/vnd.x+json"])
async def test_json_by_other_names(client: httpx2.AsyncClient, media: str) -> None:
    headers = {"content-type": media}
    answer = await client.post("/body", content=b'{"name":"x"}', headers=headers)
    assert answer.status_code == 200


@pytest.mark.heavy
async def test_deadlines_by_route(client: httpx2.AsyncClient) -> None:
    ended = []

    async def ask(method: str, path: str) -> None:
        answer = await client.request(method, path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        ended.append(path)

    await asyncio.gather(ask("GET", "/sleeps"), ask("POST", "/forecast/sleeps"))
    assert ended == ["/forecast/sleeps", "/sleeps"]


async def test_bodies_by_route(client: httpx2.AsyncClient) -> None:
    assert (await client.put("/upload", content=b"a" * 9000)).json() == 9000
    for method, path, most in (("PUT", "/upload", 9000), ("POST", "/body", 2000)):
        answer = await client.request(method, path, content=b"a" * (most + 1))
        assert answer.status_code == 413
        assert answer.json()["detail"] == f"The request body exceeds {most} bytes."


@pytest.mark.heavy
async def test_a_stream_may_outlast_the_deadline_once_it_began(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/events", headers={"accept-encoding": "gzip"})
    assert answer.text.count("data:") == 5
    assert "content-encoding" not in answer.headers


async def test_what_begins_after_its_deadline_is_503_and_not_an_answer_cut_short(
    app: FastAPI, settings: Settings
) -> None:
    @app.get("/late")
    async def late() -> StreamingResponse:
        time.sleep(0.06)
        await asyncio.sleep(0)
        return StreamingResponse(iter(["data: late\n\n"]), media_type="text/event-stream")

    for middleware in app.user_middleware:
        if "settings" in middleware.kwargs:
            brief = settings.model_copy(update={"request_deadline": 0.05})
            middleware.kwargs["settings"] = brief
    async with client_of(app) as client:
        answer = await client.get("/late")
    assert (answer.status_code, answer.headers["x-error-code"]) == (503, "deadline")


async def test_a_stream_that_breaks_is_left_unfinished(app: FastAPI) -> None:
    with capture_logs() as logs:
        status, body = await call(app, "/breaks", [], b"", pieces=1, method="GET")
    assert (status, body) == (200, b"one")
    assert [entry for entry in logs if entry["event"] == "answer_cut_short"]
    assert "hunter2" not in json.dumps(logs, default=str)


async def test_every_answer_has_its_own_id_whatever_was_sent(client: httpx2.AsyncClient) -> None:
    headers = {"x-request-id": "mine"}
    ids = {(await client.get("/short", headers=headers)).headers["x-request-id"] for _ in range(9)}
    assert len(ids) == 9
    assert not any("mine" in id for id in ids)


async def test_long_answers_are_compressed(app: FastAPI) -> None:
    async with client_of(app) as client:
        long = await client.get("/long", headers={"accept-encoding": "gzip"})
        short = await client.get("/short", headers={"accept-encoding": "gzip"})
        plain = await client.get("/long", headers={"accept-encoding": "identity"})
    assert long.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in short.headers
    assert "content-encoding" not in plain.headers
    assert long.json() == plain.json()
    assert gzip.compress(plain.content) != plain.content


async def test_a_body_that_does_not_arrive_is_408(settings: Settings) -> None:
    app = make_app(settings, access=OpenAccess())
    app.state.traffic.limiter = OpenLimiter()
    for middleware in app.user_middleware:
        if "settings" in middleware.kwargs:
            middleware.kwargs["body_timeout"] = 0.05
    headers = [(b"content-type", b"application/json"), (b"content-length", b"10")]
    status, body = await call(app, "/v1/search", headers, b"", pieces=1, stalls=True)
    assert status == 408
    assert json.loads(body) == {"detail": "The request body took too long to arrive."}


async def test_metrics_count_by_template(client: httpx2.AsyncClient) -> None:
    def count(route: str, status: str) -> float:
        labels = {"route": route, "method": "GET", "status": status}
        return REGISTRY.get_sample_value("augury_http_requests_total", labels) or 0

    before = count("/both/{id}", "200"), count("unmatched", "404")
    for n in range(3):
        await client.get(f"/both/{n}")
        await client.get(f"/nowhere/{n}")
    assert (count("/both/{id}", "200"), count("unmatched", "404")) == (before[0] + 3, before[1] + 3)
    text = (await client.get("/metrics")).text
    assert 'augury_http_requests_total{method="GET",route="/both/{id}",status="200"}' in text
    assert "augury_http_request_seconds_bucket" in text
    assert "augury_http_requests_in_flight" in text


async def test_nothing_secret_is_logged_or_answered(app: FastAPI) -> None:
    """Canaries through every input: none comes out in a log line or an error (R22)."""
    canary = "canary7f3a"
    inputs: list[dict[str, Any]] = [
        {"headers": {"authorization": f"Bearer {canary}"}},
        {"headers": {"authorization": f"Basic {canary}"}},
        {"headers": {"cookie": canary, "x-api-key": canary, "user-agent": canary}},
        {"params": {"token": canary, "times": canary}},
        {"content": canary.encode(), "headers": {"content-type": "application/json"}},
        {"json": {"name": 1, "size": canary}},
        {"json": [canary]},
    ]
    paths = ["/v1/search", "/v1/forecast", "/body", "/fails", f"/{canary}", f"/both/{canary}"]
    with capture_logs() as logs:
        async with client_of(app) as client:
            for sent in inputs:
                for path in paths:
                    for method in ("GET", "POST"):
                        answer = await client.request(method, path, **sent)
                        if answer.status_code >= 400:
                            assert canary not in answer.text, (path, sent)
                        assert canary not in str(answer.headers)
    assert len(logs) >= len(inputs) * len(paths) * 2
    assert canary not in json.dumps(logs, default=str)

"""The route: who may call, what is sent on, what is shown."""

from __future__ import annotations

import httpx2
import pytest
from fastapi import FastAPI
from tests.macro.conftest import Time, app_over, proxy
from tests.macro.upstream import KEY, Upstream

from augury.http import openapi
from augury.macro.service import MacroRuntime
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


async def test_a_read_and_its_headers(client: httpx2.AsyncClient, upstream: Upstream) -> None:
    upstream.headers = {"cache-control": "public, max-age=60", "etag": '"one"', "server": "inner"}
    first = await client.get("/series/GDP?start=2020-01-01")
    second = await client.get("/series/GDP?start=2020-01-01")
    assert (first.status_code, first.headers["x-cache"]) == (200, "miss")
    assert (second.status_code, second.headers["x-cache"]) == (200, "hit")
    assert second.json() == first.json()
    assert second.headers["cache-control"] == "private, max-age=60"
    assert "server" not in second.headers
    assert upstream.heard[0][":target"] == "/api/series/GDP?start=2020-01-01"
    assert len(upstream.heard) == 1
    known = await client.get("/series/GDP?start=2020-01-01", headers={"If-None-Match": '"one"'})
    assert (known.status_code, known.content, known.headers["x-cache"]) == (304, b"", "hit")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
async def test_any_method(client: httpx2.AsyncClient, upstream: Upstream, method: str) -> None:
    answer = await client.request(
        method, "/runs", content=b'{"x": NaN}', headers={"content-type": "application/json"}
    )
    assert answer.json() == {"path": "/api/runs", "revision": 1, "got": 10}
    assert upstream.heard[-1][":method"] == method
    assert answer.headers["x-cache"] == "miss"


async def test_trace_would_show_the_credential(client: httpx2.AsyncClient) -> None:
    assert (await client.request("TRACE", "/runs")).status_code == 405


async def test_who_may_call(client: httpx2.AsyncClient, upstream: Upstream) -> None:
    no_key = await client.get("/a", headers={"Authorization": ""})
    assert no_key.status_code == 401
    assert upstream.heard == []


async def test_a_path_that_leads_up(client: httpx2.AsyncClient, upstream: Upstream) -> None:
    for path in ("%2e%2e/secrets", "a%2f..%2fb", "/evil.example/x", "a/%2e%2e/%2e%2e/x"):
        answer = await client.get(f"http://test/v1/macro-runtime/{path}")
        assert answer.status_code == 422
        assert answer.headers["x-error-code"] == "path_refused"
    assert upstream.heard == []


async def test_an_upload_beyond_the_limit(client: httpx2.AsyncClient, upstream: Upstream) -> None:
    answer = await client.post("/runs", content=bytes(100_000))
    assert answer.status_code == 413
    assert upstream.heard == []


async def test_errors_of_the_upstream_pass_and_its_failures_do_not(
    client: httpx2.AsyncClient, upstream: Upstream
) -> None:
    unknown = await client.get("/unknown")
    assert (unknown.status_code, unknown.json()) == (404, {"detail": "no such series"})
    upstream.fault = "500"
    failed = await client.get("/series")
    assert failed.status_code == 502
    assert failed.json() == {"detail": "The macro runtime answered with status 500."}


async def test_the_credential_stays_inside(
    client: httpx2.AsyncClient, upstream: Upstream, capfd: pytest.CaptureFixture[str]
) -> None:
    """R22: in no answer, no log line, no metric."""
    shown = ""
    for fault in (None, "repeats_credential", "500", "html", "redirect_inward"):
        upstream.fault = fault
        answer = await client.get(f"/series/{fault}")
        shown += answer.text + str(answer.headers)
    shown += (await client.get("http://test/metrics")).text
    logged = capfd.readouterr()
    assert KEY not in shown + logged.out + logged.err
    assert client.headers["authorization"].removeprefix("Bearer ") not in logged.out + logged.err


async def test_metrics_tell_routes_apart_but_not_inventions(
    client: httpx2.AsyncClient, upstream: Upstream
) -> None:
    for _ in range(2):
        await client.get("/observations/GDP")
    upstream.fault = "500"
    await client.get("/made-up-by-a-stranger")
    text = (await client.get("http://test/metrics")).text
    assert 'augury_macro_requests_total{cache="miss",method="GET",route="observations"' in text
    assert "made-up" not in text


async def test_not_configured(database: Database, settings: Settings, time: Time) -> None:
    app = app_over(proxy(settings, None, time), database, settings)
    _, key = await app.state.services.access.create_key("macro", ["macro:read"])
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app), base_url="http://test"
    ) as client:
        answer = await client.get("/v1/macro-runtime/x", headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == 503
    assert "not configured" in answer.json()["detail"]
    assert answer.headers["retry-after"]


async def test_the_document_shows_every_method(
    runtime: MacroRuntime, database: Database, settings: Settings
) -> None:
    app: FastAPI = app_over(runtime, database, settings)
    path = openapi.document(app, "all")["paths"]["/v1/macro-runtime/{path}"]
    assert set(path) == {"get", "head", "post", "put", "patch", "delete", "options"}
    assert len({operation["operationId"] for operation in path.values()}) == 7

"""Graphs over the application's own routes, real index and database behind them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from augury import background
from augury.app import create_app
from augury.settings import Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(sample_database_url: str, settings: Settings) -> AsyncIterator[httpx2.AsyncClient]:
    own = Settings(
        data_dir=settings.data_dir,
        sync="off",
        sample="on",
        database_url=SecretStr(sample_database_url),
    )
    app = create_app(own, elsewhere=background.nothing)
    async with app.router.lifespan_context(app):
        access = app.state.services.access
        _, key = await access.create_key("operator", ["internal"])
        _, other = await access.create_key("another", ["internal"])
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(
            transport=transport,
            base_url="http://test",
            headers={"authorization": f"Bearer {key}"},
        ) as client:
            client.headers["x-other"] = other
            yield client


QUESTION = {"question": "Will the US fall into recession before 2028?"}


async def test_a_graph_at_once(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/internal/v1/graph/build", json=QUESTION)
    assert answer.status_code == 200, answer.text
    graph, trace = answer.json()["graph"], answer.json()["trace"]
    ids = [node["id"] for node in graph["nodes"]]
    assert ids[0] == "question"
    assert ids == trace["events"]
    assert len(set(ids)) == len(ids)
    assert all({edge["source"], edge["target"]} <= set(ids) for edge in graph["edges"])
    assert trace["target_selection"]["factors"][0]["factor"] == "us-recession"
    assert trace["edge_count"] == len(graph["edges"]) > 0


async def test_only_the_results_given_are_drawn(client: httpx2.AsyncClient) -> None:
    nothing = {**QUESTION, "search_results": {"upstream": []}}
    answer = await client.post("/internal/v1/graph/build", json=nothing)
    assert [node["id"] for node in answer.json()["graph"]["nodes"]] == ["question"]


async def test_a_graph_in_the_background(client: httpx2.AsyncClient) -> None:
    started = await client.post("/internal/v1/graph/jobs", json=QUESTION)
    assert started.status_code == 202
    path = f"/internal/v1/graph/jobs/{started.json()['job_id']}"
    state: dict[str, Any] = {}
    for _ in range(100):
        state = (await client.get(path)).json()
        if state["status"] not in ("queued", "running"):
            break
        await asyncio.sleep(0.1)
    assert state["status"] == "succeeded"
    at_once = (await client.post("/internal/v1/graph/build", json=QUESTION)).json()
    assert state["graph"] == at_once["graph"]
    assert (await client.post(f"{path}/cancel")).status_code == 409
    assert (await client.post(f"{path}/retry")).status_code == 409


async def test_another_account_finds_no_such_job(client: httpx2.AsyncClient) -> None:
    started = await client.post("/internal/v1/graph/jobs", json=QUESTION)
    path = f"/internal/v1/graph/jobs/{started.json()['job_id']}"
    theirs = {"authorization": f"Bearer {client.headers['x-other']}"}
    foreign = await client.get(path, headers=theirs)
    unknown = await client.get("/internal/v1/graph/jobs/job_0", headers=theirs)
    assert (foreign.status_code, foreign.json()) == (unknown.status_code, unknown.json())
    assert foreign.status_code == 404

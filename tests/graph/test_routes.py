"""Graphs over the application's own routes, real index and database behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr
from tests.pace import until

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


QUESTION = {"question": "Will the US enter a recession before 2028?"}


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


async def test_a_market_found_in_two_lists_is_at_one_node(
    client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = client._transport.app.state.services.search  # type: ignore[attr-defined]
    once = search.explore

    async def twice(question: str, **more: Any) -> Any:
        explored = await once(question, **more)
        results = dict(explored.results)
        results["direct"] = [*results["upstream"][:2], *results["direct"]]
        return explored._replace(results=results)

    monkeypatch.setattr(search, "explore", twice)
    answer = await client.post("/internal/v1/graph/build", json=QUESTION)
    nodes = answer.json()["graph"]["nodes"]
    shown = [market["id"] for node in nodes for market in node["markets"]]
    assert len(shown) > 4
    assert len(set(shown)) == len(shown)


async def test_only_the_results_given_are_drawn(client: httpx2.AsyncClient) -> None:
    nothing = {**QUESTION, "search_results": {"upstream": []}}
    answer = await client.post("/internal/v1/graph/build", json=nothing)
    assert [node["id"] for node in answer.json()["graph"]["nodes"]] == ["question"]


async def ended(
    client: httpx2.AsyncClient, path: str, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """The state of a job, or of a graph in the background, once nothing works on it."""

    async def state() -> Any:
        found = (await client.get(path, headers=headers)).json()
        return found["status"] not in ("queued", "running") and found

    return await until(state, "the graph is built")


async def test_a_graph_in_the_background(client: httpx2.AsyncClient) -> None:
    started = await client.post("/internal/v1/graph/jobs", json=QUESTION)
    assert started.status_code == 202
    path = f"/internal/v1/graph/jobs/{started.json()['job_id']}"
    state = await ended(client, path)
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


@pytest.fixture
async def readers(client: httpx2.AsyncClient) -> dict[str, dict[str, str]]:
    access = client._transport.app.state.services.access  # type: ignore[attr-defined]
    found = {}
    for name, account, scope in (
        ("own", "reader", "forecast:read"), ("legacy", "reader", "*"),
        ("other", "stranger", "forecast:read"), ("search", "reader", "search:read"),
    ):  # fmt: skip
        _, key = await access.create_key(account, [scope])
        found[name] = {"authorization": f"Bearer {key}"}
    return found


async def test_a_graph_in_full_says_what_of_when(
    client: httpx2.AsyncClient, readers: dict[str, dict[str, str]]
) -> None:
    answer = await client.post("/v1/graphs", json=QUESTION, headers=readers["own"])
    assert answer.status_code == 201, answer.text
    body = answer.json()
    assert (body["status"], body["origin"], body["question"]) == (
        "succeeded", "sample", QUESTION["question"],
    )  # fmt: skip
    middle, *others = body["graph"]["nodes"]
    forecast = await client.post("/v1/forecasts", json=QUESTION, headers=readers["own"])
    assert middle["id"] == "question"
    assert middle["current_probability"] == forecast.json()["probability"] is not None
    assert others
    for node in (middle, *others):
        assert node["price_as_of"]
        assert node["origin"] == "sample"
        assert all(market["price_as_of"] and not market["stale"] for market in node["markets"])
    assert any("sample" in warning for warning in body["warnings"])
    for name, status in {"own": 200, "legacy": 200, "other": 404, "search": 403}.items():
        again = await client.get(f"/v1/graphs/{body['id']}", headers=readers[name])
        assert again.status_code == status, name
        if status == 200:
            assert again.json() == body


async def test_a_graph_in_full_in_the_background(
    client: httpx2.AsyncClient, readers: dict[str, dict[str, str]]
) -> None:
    started = await client.post(
        "/v1/graphs", json={**QUESTION, "background": True}, headers=readers["own"]
    )
    assert (started.status_code, started.json()["status"]) == (202, "queued")
    state = await ended(client, f"/v1/graphs/{started.json()['id']}", readers["own"])
    assert state["status"] == "succeeded"
    assert state["graph"]["nodes"][0]["id"] == "question"

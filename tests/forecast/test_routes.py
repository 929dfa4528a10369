"""The forecast routes as callers meet them: statuses, shapes, stream, runs, memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, ClassVar
from unittest.mock import patch

import httpx2
import pytest
from pydantic import SecretStr
from tests.pace import until

from augury import background
from augury.app import create_app
from augury.forecast import routes, store
from augury.settings import Settings

pytestmark = pytest.mark.anyio

QUESTION = "Will the US enter a recession before 2028?"


@pytest.fixture
async def client(sample_database_url: str, settings: Settings) -> AsyncIterator[httpx2.AsyncClient]:
    own = Settings(
        data_dir=settings.data_dir, sync="off", sample="on", forecast_rate="1000/s",
        database_url=SecretStr(sample_database_url),
    )  # fmt: skip
    app = create_app(own, elsewhere=background.nothing)
    async with app.router.lifespan_context(app):
        access = app.state.services.access
        keys = {}
        for name, scopes in {
            "forecast": ["forecast:read"], "search": ["search:read"], "legacy": ["*"],
            "internal": ["internal"], "another": ["internal"],
        }.items():  # fmt: skip
            _, keys[name] = await access.create_key(name, scopes)
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
            client.keys = {n: {"authorization": f"Bearer {k}"} for n, k in keys.items()}  # type: ignore[attr-defined]
            client.services = app.state.services  # type: ignore[attr-defined]
            yield client


def keys(client: httpx2.AsyncClient, name: str = "forecast") -> dict[str, str]:
    return client.keys[name]  # type: ignore[attr-defined]


async def ask(client: httpx2.AsyncClient, body: Any, name: str = "forecast", **headers: str) -> Any:
    return await client.post("/v1/forecast", json=body, headers={**keys(client, name), **headers})


async def test_an_answer_has_all_that_the_contract_names(client: httpx2.AsyncClient) -> None:
    answer = await ask(client, {"question": QUESTION})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == {
        "request_id", "question", "probability", "confidence", "confidence_interval", "reasoning",
        "engine_type", "causal_graph", "markets_used", "distribution", "latency_ms", "error",
        "metadata",
    }  # fmt: skip
    assert body["request_id"] == answer.headers["x-request-id"]
    assert body["question"] == QUESTION
    assert body["engine_type"] == "oracle_port"
    interval = body["confidence_interval"]
    assert 0 <= interval["lower"] <= body["probability"] <= interval["upper"] <= 1
    assert body["error"] is None
    assert body["markets_used"][0]["question"] in body["reasoning"]
    summary = body["metadata"]["oracle_port"]["relevance_filter_summary"]
    assert summary["selected_direct_count"] >= 1
    graph = body["causal_graph"]
    ids = {node["id"] for node in graph["nodes"]}
    assert "question" in ids
    assert all({edge["source"], edge["target"]} <= ids for edge in graph["edges"])


async def test_no_evidence_is_no_number(client: httpx2.AsyncClient) -> None:
    body = (await ask(client, {"question": "Will my aunt knit a scarf by 2028?"})).json()
    assert body["probability"] is None
    assert body["confidence_interval"] is None
    assert body["error"]
    assert body["causal_graph"] is None
    assert body["metadata"]["oracle_port"]["insufficient_data"] is True
    assert body["markets_used"] == []


async def test_no_graph_unless_wanted(client: httpx2.AsyncClient) -> None:
    body = (await ask(client, {"question": QUESTION, "include_graph": False})).json()
    assert body["causal_graph"] is None


@pytest.mark.parametrize(
    ("name", "status"), [("search", 403), ("legacy", 403), ("internal", 403), ("forecast", 200)]
)
async def test_who_may_ask(client: httpx2.AsyncClient, name: str, status: int) -> None:
    assert (await ask(client, {"question": QUESTION}, name)).status_code == status


async def test_refusals(client: httpx2.AsyncClient) -> None:
    assert (await client.post("/v1/forecast", json={"question": QUESTION})).status_code == 401
    for body in ({}, {"question": " "}, {"question": "x" * 501}, {"question": "?", "more": 1}):
        assert (await ask(client, body)).status_code == 422
    assert (await ask(client, {"question": "x" * 70_000})).status_code == 413
    assert (await ask(client, {"question": "x"}, **{"x-fill": "x" * 20_000})).status_code == 431


async def test_channels_are_counted_without_anything_private(client: httpx2.AsyncClient) -> None:
    sent = {
        "X-Service-Channel": "Slack",
        "X-Service-Tool": "aug_0123456789abcdef0123456789",
        "X-Service-Client": "ann@example.org",
        "X-Service-Client-Version": "1.4.2",
    }
    for _ in range(2):
        assert (await ask(client, {"question": QUESTION}, **sent)).status_code == 200
    database = client.services.database  # type: ignore[attr-defined]
    async with database.reading() as conn:
        rows = await (await conn.execute("select * from forecast_channels")).fetchall()
    assert [row[1:] for row in rows] == [("", "", "slack", "", "", "1.4.2", 2)]


async def events(client: httpx2.AsyncClient, question: str) -> list[tuple[int, str, Any]]:
    found = []
    async with client.stream(
        "POST", "/v1/forecast/stream", json={"question": question}, headers=keys(client)
    ) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        text = (await answer.aread()).decode()
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        data = json.loads(fields["data"])
        assert data["event_type"] == fields["event"]
        found.append((int(fields["id"]), fields["event"], data["data"]))
    return found


async def test_a_stream_shows_each_stage_and_ends_with_the_answer(
    client: httpx2.AsyncClient,
) -> None:
    found = await events(client, QUESTION)
    names = [name for _, name, _ in found]
    assert [number for number, _, _ in found] == list(range(1, len(found) + 1))
    order = ["started", "normalized", "search", "evidence", "estimate", "graph", "final"]
    assert list(dict.fromkeys(names)) == order
    whole = (await ask(client, {"question": QUESTION})).json()
    final = found[-1][2]
    for name in set(final) - {"request_id", "latency_ms"}:
        assert final[name] == whole[name], name


async def test_a_stream_without_evidence_ends_with_an_answer_too(
    client: httpx2.AsyncClient,
) -> None:
    found = await events(client, "Will my aunt knit a scarf by 2028?")
    assert found[-1][1] == "final"
    assert found[-1][2]["probability"] is None


async def test_what_fails_first_is_an_ordinary_error(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/v1/forecast/stream", json={"question": ""}, headers=keys(client))
    assert answer.status_code == 422
    with patch("augury.forecast.service.normalize", side_effect=RuntimeError):
        answer = await client.post(
            "/v1/forecast/stream", json={"question": "?"}, headers=keys(client)
        )
    assert answer.status_code == 502


async def test_what_fails_later_is_the_last_event(client: httpx2.AsyncClient) -> None:
    forecast = client.services.forecast  # type: ignore[attr-defined]
    with patch.object(forecast._engine, "compare", side_effect=RuntimeError("secret")):
        found = await events(client, QUESTION)
    assert found[-1][1] == "error"
    assert found[-1][2]["code"] == "forecast_failed"
    assert "secret" not in json.dumps(found)


async def test_silence_is_filled_with_pings() -> None:
    async def slow() -> AsyncIterator[tuple[str, Any]]:
        await asyncio.sleep(0.05)
        yield "final", {}

    sent = [chunk async for chunk in routes._with_pings(slow(), every=0.02)]
    assert b"event: ping" in sent[0]
    assert b"event: final" in sent[-1]


async def test_closing_a_stream_ends_the_work() -> None:
    ended = asyncio.Event()

    async def endless() -> AsyncIterator[tuple[str, Any]]:
        try:
            yield "started", {}
            await asyncio.sleep(60)
        finally:
            ended.set()

    stream = routes._with_pings(endless())
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert ended.is_set()


async def run(client: httpx2.AsyncClient, questions: list[dict[str, Any]]) -> str:
    started = await client.post(
        "/internal/v1/forecast/runs", json={"questions": questions},
        headers=keys(client, "internal"),
    )  # fmt: skip
    assert started.status_code == 202, started.text
    return started.json()["run_id"]


async def state(client: httpx2.AsyncClient, run_id: str, **more: Any) -> dict[str, Any]:
    async def ended() -> Any:
        answer = await client.get(
            f"/internal/v1/forecast/runs/{run_id}", headers=keys(client, "internal"), params=more
        )
        found = answer.json()
        return found["status"] not in ("queued", "running") and found

    return await until(ended, "the run has ended")


async def test_a_run_answers_every_question_in_its_order(client: httpx2.AsyncClient) -> None:
    questions = [
        {"question": QUESTION},
        {"question": "Will my aunt knit a scarf by 2028?"},
        {"question": QUESTION, "as_of": "2020-01-01T00:00:00Z"},
    ]
    run_id = await run(client, questions)
    found = await state(client, run_id)
    assert (found["status"], found["answered"], found["questions"]) == ("succeeded", 3, 3)
    assert [r["place"] for r in found["results"]] == [0, 1, 2]
    assert found["results"][0]["probability"] is not None
    assert found["results"][1]["probability"] is None
    assert found["results"][2]["probability"] is None  # nothing was known then
    page = await state(client, run_id, limit=2)
    rest = await state(client, run_id, limit=2, cursor=page["next_cursor"])
    assert [r["place"] for r in (*page["results"], *rest["results"])] == [0, 1, 2]
    assert rest["next_cursor"] is None
    card = (await client.get("/v1/forecast/scorecard")).json()
    assert card["forecasts"] == 2  # the replay is not remembered


class Killed(BaseException):
    """No handler of ours catches it: as good as a kill."""


async def test_a_killed_run_answers_each_question_once(client: httpx2.AsyncClient) -> None:
    """What was answered before the crash stays; the rest follows; nothing is remembered twice."""
    services = client.services  # type: ignore[attr-defined]
    service, runs, database = services.forecast, services.forecast_runs, services.database
    questions = [{"question": f"Will the US fall into recession before {y}?", "as_of": None}
                 for y in range(2028, 2036)]  # fmt: skip
    finish, calls = service.forecast_unstored, 0

    async def dies(question: str, as_of: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise Killed
        return await finish(question, as_of)

    async with database.transaction() as conn:
        await store.add_run(conn, "run_test", None, "job_test", questions, False)

    class Job:
        request: ClassVar = {"run_id": "run_test"}

        async def progress(self, *_: object) -> None: ...

    with patch.object(service, "forecast_unstored", dies), pytest.raises(Killed):
        await runs.perform(Job())
    async with database.reading() as conn:
        answered = await store.answered_places(conn, "run_test")
    assert {0} <= answered <= {0, 1, 2}
    assert await runs.perform(Job()) == {"answered": 8}
    async with database.reading() as conn:
        assert len(await store.answers(conn, "run_test", -1, 100)) == 8
        assert (await store.counts(conn))[0] == 8


async def test_a_run_of_another_account_is_not_there(client: httpx2.AsyncClient) -> None:
    run_id = await run(client, [{"question": QUESTION}])
    for path in (run_id, "run_0"):
        answer = await client.get(
            f"/internal/v1/forecast/runs/{path}", headers=keys(client, "another")
        )
        assert answer.status_code == 404
    assert (
        await client.get(f"/internal/v1/forecast/runs/{run_id}", headers=keys(client))
    ).status_code == 403


async def test_runs_that_are_refused(client: httpx2.AsyncClient) -> None:
    for questions in ([], [{"question": ""}], [{"question": "?", "as_of": 5}], [{}] * 1001):
        answer = await client.post(
            "/internal/v1/forecast/runs", json={"questions": questions},
            headers=keys(client, "internal"),
        )  # fmt: skip
        assert answer.status_code == 422


async def test_the_scorecard_is_public(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/v1/forecast/scorecard")
    assert answer.status_code == 200
    assert {
        "n",
        "brier",
        "log_score",
        "calibration",
        "crowd_brier",
        "by_domain",
        "by_horizon",
    } <= set(answer.json())


async def test_a_run_has_room_for_all_its_questions(client: httpx2.AsyncClient) -> None:
    asked = [{"question": f"Will it be so, number {k}? {'x' * 450}"} for k in range(1_001)]
    answers = [
        await client.post(path, json={"questions": questions}, headers=keys(client, scope))
        for path, questions, scope in (
            ("/internal/v1/forecast/runs", asked, "internal"),  # one too many, not too large
            ("/internal/v1/forecast/runs", asked * 10, "internal"),
            ("/v1/forecast", asked, "forecast"),
        )
    ]
    assert [answer.status_code for answer in answers] == [422, 413, 413]

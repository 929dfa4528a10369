"""Forecasts in full as an account meets them: evidence, grades, replays, runs, who reads what."""

from __future__ import annotations

import csv
import io
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

QUESTION = "Will the US enter a recession before 2028?"
UNKNOWN = "Will my aunt knit a scarf by 2028?"
FUTURE = "2150-01-01T00:00:00Z"


@pytest.fixture
async def client(sample_database_url: str, settings: Settings) -> AsyncIterator[httpx2.AsyncClient]:
    own = Settings(
        data_dir=settings.data_dir, sync="off", sample="on", forecast_rate="1000/s",
        search_rate="1000/s", database_url=SecretStr(sample_database_url),
    )  # fmt: skip
    app = create_app(own, elsewhere=background.nothing)
    async with app.router.lifespan_context(app):
        access = app.state.services.access
        keys = {}
        for name, account, scope in (
            ("forecast", "own", "forecast:read"), ("legacy", "own", "*"),
            ("search", "own", "search:read"), ("internal", "own", "internal"),
            ("other", "other", "forecast:read"), ("other legacy", "other", "*"),
        ):  # fmt: skip
            _, key = await access.create_key(account, [scope])
            keys[name] = {"authorization": f"Bearer {key}"}
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
            client.keys = keys  # type: ignore[attr-defined]
            yield client


async def post(
    client: httpx2.AsyncClient, path: str, body: Any, name: str = "forecast"
) -> httpx2.Response:
    return await client.post(path, json=body, headers=client.keys[name])  # type: ignore[attr-defined]


async def get(
    client: httpx2.AsyncClient, path: str, name: str = "forecast", **params: Any
) -> httpx2.Response:
    return await client.get(path, params=params, headers=client.keys[name])  # type: ignore[attr-defined]


async def finished(client: httpx2.AsyncClient, path: str) -> dict[str, Any]:
    async def state() -> Any:
        found = (await get(client, path)).json()
        return found["status"] not in ("queued", "running") and found

    return await until(state, "it has ended")


async def test_an_answer_says_what_it_rests_on(client: httpx2.AsyncClient) -> None:
    answer = await post(client, "/v1/forecasts", {"question": QUESTION, "include_graph": True})
    assert answer.status_code == 201, answer.text
    body = answer.json()
    assert (body["grade"], body["origin"], body["error"]) == ("asked", "sample", None)
    assert any("sample" in warning for warning in body["warnings"])
    first = body["evidence"][0]
    assert (first["role"], first["origin"]) == ("direct", "sample")
    sign = first["price"] if first["side"] == "same" else 1 - first["price"]
    assert body["probability"] == pytest.approx(sign, abs=0.02)
    assert first["price_as_of"] == first["market"]["price_as_of"] == body["data_as_of"]
    assert first["market"]["stale"] is False
    assert sum(one["weight"] for one in body["evidence"]) == pytest.approx(1, abs=1e-3)
    assert (first["lower"], first["upper"]) == (0, 1)
    used = {one["market"]["id"] for one in body["evidence"]}
    assert body["rejected"]
    assert all(one["why"] and one["market"]["id"] not in used for one in body["rejected"])
    middle = body["graph"]["nodes"][0]
    assert middle["current_probability"] == body["probability"]
    again = await get(client, f"/v1/forecasts/{body['id']}")
    assert again.json() == body


async def test_without_an_answer_the_reason_is_coded(client: httpx2.AsyncClient) -> None:
    body = (await post(client, "/v1/forecasts", {"question": UNKNOWN})).json()
    assert (body["probability"], body["grade"], body["error_code"]) == (None, "none", "no_market")
    assert body["error"]
    assert body["evidence"] == []
    assert body["data_as_of"] is None


async def test_work_in_the_background_ends_as_the_same_answer(client: httpx2.AsyncClient) -> None:
    started = await post(client, "/v1/forecasts", {"question": QUESTION, "background": True})
    assert started.status_code == 202, started.text
    body = started.json()
    assert (body["status"], body["probability"]) == ("queued", None)
    made = await finished(client, f"/v1/forecasts/{body['id']}")
    assert (made["status"], made["grade"]) == ("succeeded", "asked")
    assert made["id"] == body["id"]


async def test_a_replay_knows_only_what_was_known(client: httpx2.AsyncClient) -> None:
    asked = {"question": QUESTION, "as_of": "2020-01-01T00:00:00Z"}
    body = (await post(client, "/v1/forecasts", asked)).json()
    assert (body["origin"], body["probability"]) == ("replay", None)
    assert body["as_of"] == "2020-01-01T00:00:00Z"
    card = (await client.get("/v1/forecast/scorecard")).json()
    assert card["forecasts"] == 0  # a replay is not remembered


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/forecasts", {"question": QUESTION, "as_of": FUTURE}),
        ("/v1/forecasts", {"question": QUESTION, "as_of": FUTURE, "background": True}),
        ("/v1/forecast/stream", {"question": QUESTION, "as_of": FUTURE}),
        ("/v1/forecast-runs", {"questions": [{"question": QUESTION, "as_of": FUTURE}]}),
    ],
)
async def test_the_future_is_refused(client: httpx2.AsyncClient, path: str, body: Any) -> None:
    answer = await post(client, path, body)
    assert answer.status_code == 422
    (issue,) = answer.json()["detail"]
    assert issue["type"] == "as_of_in_future"
    assert "2150-01-01" in issue["msg"]


async def test_a_stream_as_of_the_past_is_a_replay(client: httpx2.AsyncClient) -> None:
    asked = {"question": QUESTION, "as_of": "2020-01-01"}
    answer = await post(client, "/v1/forecast/stream", asked)
    assert answer.status_code == 200
    assert '"probability":null' in answer.text.rsplit("event: final", 1)[1]


async def test_a_run_in_json_and_as_a_file(client: httpx2.AsyncClient) -> None:
    questions = [{"question": QUESTION}, {"question": UNKNOWN}]
    started = await post(client, "/v1/forecast-runs", {"questions": questions})
    assert started.status_code == 202, started.text
    path = f"/v1/forecast-runs/{started.json()['run_id']}"
    state = await finished(client, path)
    assert (state["questions"], state["answered"]) == (2, 2)
    assert [one["grade"] for one in state["results"]] == ["asked", "none"]
    page = (await get(client, path, limit=1)).json()
    rest = (await get(client, path, limit=1, cursor=page["next_cursor"])).json()
    assert [one["place"] for one in (*page["results"], *rest["results"])] == [0, 1]
    file = await get(client, path, format="csv")
    assert file.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert [row["grade"] for row in rows] == ["asked", "none"]
    assert float(rows[0]["probability"]) == state["results"][0]["probability"]


async def test_a_run_of_a_file(client: httpx2.AsyncClient) -> None:
    headers = client.keys["forecast"] | {"content-type": "text/csv"}  # type: ignore[attr-defined]
    text = f'question,as_of\n"{QUESTION}",\n\n=1+1 will rain?,2020-01-01\n'
    started = await client.post("/v1/forecast-runs", content=text, headers=headers)
    assert started.status_code == 202, started.text
    path = f"/v1/forecast-runs/{started.json()['run_id']}"
    state = await finished(client, path)
    assert [one["origin"] for one in state["results"]] == ["sample", "replay"]
    file = (await get(client, path, format="csv")).text
    assert "'=1+1 will rain?" in file  # no formula for a spreadsheet
    for wrong in (
        "", "a,b\n1,2\n", "question\n", f"question\n{QUESTION}, really\n", 'question\n"x',
        "question,as_of\nx?,soon\n", "question\n" + "Will it rain?\n" * 1001,
    ):  # fmt: skip
        refused = await client.post("/v1/forecast-runs", content=wrong, headers=headers)
        assert refused.status_code == 422, wrong[:40]


async def test_who_reads_what(client: httpx2.AsyncClient) -> None:
    made = (await post(client, "/v1/forecasts", {"question": UNKNOWN})).json()["id"]
    run = (await post(client, "/v1/forecast-runs", {"questions": [{"question": UNKNOWN}]})).json()
    for path, statuses in (
        (f"/v1/forecasts/{made}",
         {"forecast": 200, "legacy": 403, "search": 403, "internal": 403, "other": 404}),
        (f"/v1/forecast-runs/{run['run_id']}",
         {"forecast": 200, "legacy": 200, "search": 403, "internal": 403, "other": 404,
          "other legacy": 404}),
    ):  # fmt: skip
        for name, status in statuses.items():
            assert (await get(client, path, name)).status_code == status, (path, name)
    for name in ("legacy", "search", "internal"):
        asked = {"question": UNKNOWN}
        assert (await post(client, "/v1/forecasts", asked, name)).status_code == 403
        asked = {"questions": [asked]}
        assert (await post(client, "/v1/forecast-runs", asked, name)).status_code == 403


async def test_unknown_fields_are_refused(client: httpx2.AsyncClient) -> None:
    asked = {"question": UNKNOWN, "when": "now"}
    assert (await post(client, "/v1/forecasts", asked)).status_code == 422
    assert (await post(client, "/v1/forecast-runs", {"questions": [asked]})).status_code == 422

"""The routes of external series, as callers use them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from tests.watchlists.conftest import World

from augury.http import setup
from augury.series import routes
from augury.series.service import SeriesService
from augury.settings import Settings

pytestmark = pytest.mark.anyio
PATH = "/v1/external-series"
PUSH = {"name": "Ours", "kind": "partner_feed", "source": {"type": "push"}}


@pytest.fixture
def app(settings: Settings, world: World) -> FastAPI:
    app = FastAPI()
    app.include_router(routes.router)
    setup.install(app, settings.model_copy(update={"search_rate": "100000/s"}))
    series = SeriesService(world.database, world.vault, world.policy)
    app.state.services = SimpleNamespace(
        database=world.database, access=world.access, series=series
    )
    return app


async def client_of(app: FastAPI, world: World, account: str) -> httpx2.AsyncClient:
    _, key = await world.access.create_key(account, ["watch:write"])
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app),
        base_url="http://test",
        headers={"Authorization": f"Bearer {key}"},
    )


@pytest.fixture
async def client(app: FastAPI, world: World) -> AsyncIterator[httpx2.AsyncClient]:
    async with await client_of(app, world, "owner") as client:
        yield client


async def test_a_pushed_series(client: httpx2.AsyncClient) -> None:
    made = (await client.post(PATH, json=PUSH)).json()
    assert (made["points"], made["latest"], made["source"]["host"]) == (0, None, None)
    root = f"{PATH}/{made['id']}"
    points = [{"time": f"2026-0{n}-01", "value": n} for n in range(1, 6)]
    done = await client.post(f"{root}/refresh", json={"points": points})
    assert done.status_code == 200, done.text
    assert done.json()["points_added"] == 5
    last = "2026-05-01T00:00:00Z"
    assert done.json()["latest"] == {"time": last, "value": 5.0, "as_of": last, "origin": "live"}
    changed = {"points": [{"time": "2026-02-01", "value": 2.5}]}
    assert (await client.post(f"{root}/refresh", json=changed)).json()["points_changed"] == 1
    seen: list[Any] = []
    cursor = None
    while True:
        params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = (await client.get(f"{root}/points", params=params)).json()
        seen += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert [p["value"] for p in seen] == [1.0, 2.5, 3.0, 4.0, 5.0]
    assert [r["value"] for r in seen[1]["revisions"]] == [2.0]
    window = {"start": "2026-03-01", "end": "2026-05-01"}
    found = (await client.get(f"{root}/points", params=window)).json()["items"]
    assert [p["value"] for p in found] == [3.0, 4.0]
    assert (await client.get(root)).json()["points"] == 5
    assert (await client.post(f"{root}/refresh")).status_code == 422
    assert (await client.delete(root)).status_code == 204
    assert (await client.get(root)).status_code == 404


async def test_a_source_out_of_reach_is_502(client: httpx2.AsyncClient) -> None:
    source = {
        "type": "csv",
        "url": "http://127.0.0.1:1/x?key=t0k3n",
        "headers": {"X-Key": "s3cr3t"},
    }
    made = await client.post(PATH, json={**PUSH, "source": source, "refresh_every": "1h"})
    assert made.status_code == 201, made.text
    assert "t0k3n" not in made.text
    assert "s3cr3t" not in made.text
    assert made.json()["source"]["header_names"] == ["X-Key"]
    root = f"{PATH}/{made.json()['id']}"
    failed = await client.post(f"{root}/refresh")
    assert (failed.status_code, failed.headers["x-error-code"]) == (502, "fetch_failed")
    assert "can't be reached" in (await client.get(root)).json()["failure"]


async def test_a_repeated_request_makes_one(client: httpx2.AsyncClient) -> None:
    headers = {"Idempotency-Key": "k"}
    first = await client.post(PATH, json=PUSH, headers=headers)
    assert (await client.post(PATH, json=PUSH, headers=headers)).content == first.content
    assert len((await client.get(PATH)).json()["items"]) == 1


async def test_another_account_sees_nothing(
    app: FastAPI, client: httpx2.AsyncClient, world: World
) -> None:
    """R6: the same 404, to the letter, as for an id that never was."""
    root = f"{PATH}/{(await client.post(PATH, json=PUSH)).json()['id']}"
    push = {"points": [{"time": "2026-01-01", "value": 1}]}
    async with await client_of(app, world, "other") as other:
        for method, tail, body in (
            ("GET", "", None), ("DELETE", "", None), ("POST", "/refresh", push),
            ("GET", "/points", None),
        ):  # fmt: skip
            theirs = await other.request(method, root + tail, json=body)
            never = await other.request(method, f"{PATH}/ser_{'0' * 32}{tail}", json=body)
            odd = await other.request(method, f"{PATH}/x{tail}", json=body)
            assert theirs.status_code == never.status_code == odd.status_code == 404
            assert theirs.content == never.content == odd.content
        assert (await other.get(PATH)).json()["items"] == []
    assert (await client.get(root)).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "other"}, {"source": {"type": "xml"}}, {"source": {"type": "push", "url": "https://example.org"}},
        {"source": {"type": "csv"}}, {"source": {"type": "csv", "url": "file:///etc/passwd"}},
        {"source": {"type": "csv", "url": "http://127.0.0.1", "headers": {"Host": "x"}}},
        {"source": {"type": "csv", "url": "http://127.0.0.1", "headers": {"a\nb": "x"}}},
        {"source": {"type": "csv", "url": "http://10.0.0.1"}}, {"refresh_every": "1h"},
        {"refresh_every": "5"}, {"name": " "}, {"extra": 1},
    ],
)  # fmt: skip
async def test_series_that_are_refused(client: httpx2.AsyncClient, change: dict[str, Any]) -> None:
    answer = await client.post(PATH, json={**PUSH, **change})
    assert answer.status_code == 422, answer.text
    assert set(answer.json()["detail"][0]) == {"loc", "msg", "type"}


@pytest.mark.parametrize(
    "points",
    [[], [{"time": "x", "value": 1}], [{"time": "2026-01-01", "value": "1"}],
     [{"time": True, "value": 1}], [{"time": "2026-01-01", "value": 1e300}],
     [{"time": "2026-01-01"}], [{"time": "2026-01-01", "value": None}]],
)  # fmt: skip
async def test_points_that_are_refused(client: httpx2.AsyncClient, points: list[Any]) -> None:
    root = f"{PATH}/{(await client.post(PATH, json=PUSH)).json()['id']}"
    assert (await client.post(f"{root}/refresh", json={"points": points})).status_code == 422

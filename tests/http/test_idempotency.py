"""`Idempotency-Key`: replay, 422, 409, after 24 hours, across a restart (R21)."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import BaseModel
from tests.http.conftest import OpenLimiter, client_of, make_app

from augury.access.service import AccessService
from augury.errors import Unavailable
from augury.http import routing, store
from augury.http.callers import WatchCaller
from augury.http.idempotency import idempotent
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


class New(BaseModel):
    name: str


def service(database: Database, settings: Settings) -> tuple[FastAPI, dict[str, Any]]:
    """A process: an app, and what its one route has made."""
    app = make_app(settings, database=database, access=AccessService(database, remember=0))
    app.state.traffic.limiter = OpenLimiter()
    world: dict[str, Any] = {"made": 0, "go": asyncio.Event(), "fail": None}
    world["go"].set()
    router = routing.router()

    @router.post("/v1/things", status_code=201)
    @idempotent
    async def make(new: New, caller: WatchCaller) -> dict[str, Any]:
        await world["go"].wait()
        if world["fail"]:
            raise world["fail"]
        world["made"] += 1
        return {"id": world["made"], "name": new.name}

    app.include_router(router)
    return app, world


async def keys(app: FastAPI, *accounts: str) -> list[dict[str, str]]:
    access: AccessService = app.state.services.access
    made = [await access.create_key(account, ["watch:write"]) for account in accounts]
    return [{"authorization": f"Bearer {text}"} for _, text in made]


async def post(
    client: httpx2.AsyncClient, headers: dict[str, str], key: str | None, name: str = "a"
) -> httpx2.Response:
    sent = headers if key is None else {**headers, "idempotency-key": key}
    return await client.post("/v1/things", json={"name": name}, headers=sent)


async def test_the_same_key_and_body_replays(database: Database, settings: Settings) -> None:
    app, world = service(database, settings)
    a, b = await keys(app, "a", "b")
    async with client_of(app) as client:
        first = await post(client, a, "k1")
        again = await post(client, a, "k1")
        assert (first.status_code, first.json()) == (201, {"id": 1, "name": "a"})
        assert (again.status_code, again.content) == (201, first.content)
        assert again.headers["idempotency-replayed"] == "true"
        assert again.headers["content-type"] == "application/json"
        assert again.headers["x-request-id"] != first.headers["x-request-id"]
        assert (await post(client, a, '"k1"')).content == first.content
        assert (await post(client, b, "k1")).json()["id"] == 2  # another account's key
        assert (await post(client, a, "k2")).json()["id"] == 3
        assert (await post(client, a, None)).json()["id"] == 4
        assert (await post(client, a, None)).json()["id"] == 5
    assert world["made"] == 5


async def test_another_body_is_422(database: Database, settings: Settings) -> None:
    app, world = service(database, settings)
    (a,) = await keys(app, "a")
    async with client_of(app) as client:
        await post(client, a, "k")
        answer = await post(client, a, "k", name="b")
    assert answer.status_code == 422
    assert answer.headers["x-error-code"] == "idempotency_key_reused"
    assert world["made"] == 1


async def test_in_flight_is_409_and_hundreds_at_once_make_one(
    database: Database, settings: Settings
) -> None:
    app, world = service(database, settings)
    (a,) = await keys(app, "a")
    app.state.traffic.in_flight.enter = lambda key, most: lambda: None
    world["go"].clear()
    async with client_of(app) as client:
        tries = [asyncio.create_task(post(client, a, "k")) for _ in range(30)]
        done, _ = await asyncio.wait(tries, timeout=1.0)
        assert {task.result().status_code for task in done} == {409}
        assert {task.result().headers["retry-after"] for task in done} == {"1"}
        world["go"].set()
        statuses = [(await task).status_code for task in tries]
    assert statuses.count(201) == 1
    assert world["made"] == 1


async def test_a_failure_leaves_the_key_free(database: Database, settings: Settings) -> None:
    app, world = service(database, settings)
    (a,) = await keys(app, "a")
    async with client_of(app) as client:
        for failure in (Unavailable("later"), RuntimeError("bug")):
            world["fail"] = failure
            assert (await post(client, a, "k")).status_code in (500, 503)
        assert (await post(client, a, "k", name=7)).status_code == 422  # type: ignore[arg-type]
        world["fail"] = None
        assert (await post(client, a, "k")).json() == {"id": 1, "name": "a"}


async def test_kept_across_a_restart_and_forgotten_after_a_day(
    database: Database, settings: Settings
) -> None:
    app, _ = service(database, settings)
    (a,) = await keys(app, "a")
    async with client_of(app) as client:
        first = await post(client, a, "k")
    restarted, world = service(database, settings)
    async with client_of(restarted) as client:
        assert (await post(client, a, "k")).content == first.content
        await age(database, "23 hours 59 minutes")
        assert (await post(client, a, "k")).content == first.content
        assert world["made"] == 0
        await age(database, "2 minutes")
        assert (await post(client, a, "k", name="new")).json() == {"id": 1, "name": "new"}
    await age(database, "25 hours")
    async with database.transaction() as conn:
        assert await store.forget_old(conn) == 1


async def test_a_claim_of_a_dead_process_is_taken_over(
    database: Database, settings: Settings
) -> None:
    app, world = service(database, settings)
    (a,) = await keys(app, "a")
    async with client_of(app) as client:
        await post(client, a, "k")
        async with database.transaction() as conn:
            await conn.execute("update idempotency_keys set status = null")
        assert (await post(client, a, "k")).status_code == 409
        await age(database, "3 minutes")
        assert (await post(client, a, "k")).status_code == 201
    assert world["made"] == 2


@pytest.mark.parametrize("key", ["", " ", "a b", "a" * 256, '"', "a\tb"])
async def test_keys_that_are_none(database: Database, settings: Settings, key: str) -> None:
    app, world = service(database, settings)
    (a,) = await keys(app, "a")
    async with client_of(app) as client:
        answer = await post(client, a, key)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["header", "Idempotency-Key"]
    assert world["made"] == 0


async def age(database: Database, by: str) -> None:
    async with database.transaction() as conn:
        await conn.execute(
            "update idempotency_keys set created_at = created_at - %s::interval", (by,)
        )

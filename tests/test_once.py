"""Every route that takes an `Idempotency-Key` does its work once, wherever the service dies (R21).

What a route writes and the answer kept under its key are one transaction: lost together with the
database's session, or there together.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from psycopg import OperationalError
from psycopg.sql import SQL, Identifier
from pydantic import SecretStr
from tests.http.conftest import OpenLimiter, client_of

from augury import background
from augury.app import create_app
from augury.deliveries import store as deliveries
from augury.deliveries.store import Outgoing
from augury.http import idempotency, store
from augury.settings import Settings

pytestmark = pytest.mark.anyio

HOOK = {"type": "webhook", "url": "https://hooks.example.org/augury"}
RULE = {"name": "High", "metric": "series_value", "op": "gt", "value": 5, "severity": "info"}
TARGET = {"kind": "search", "ref": "rain in Lisbon"}
SERIES = {"name": "Prices", "kind": "macro_indicator", "source": {"type": "push"}}
BODIES: dict[str, Any] = {
    "/v1/watchlists": {"name": "Mine", "delivery": [HOOK]},
    "/v1/watchlists/{watchlist_id}/targets": TARGET,
    "/v1/watchlists/{watchlist_id}/targets/bulk": {"targets": [TARGET]},
    "/v1/watchlists/{watchlist_id}/rules": RULE,
    "/v1/watchlists/{watchlist_id}/rules/bulk": {"rules": [RULE]},
    "/v1/watchlists/{watchlist_id}/deliveries": HOOK,
    "/v1/watchlists/{watchlist_id}/deliveries/{delivery_id}/ping": None,
    "/v1/watchlists/{watchlist_id}/deliveries/{delivery_id}/replay": {"message_id": "msg_lost"},
    "/v1/external-series": SERIES,
    "/v1/external-series/{series_id}/refresh": {"points": [{"time": "2026-01", "value": 1}]},
    "/v1/forecasts": {"question": "Will it rain in Lisbon tomorrow?"},
    "/v1/forecast-runs": {"questions": [{"question": "Will it rain in Lisbon?"}]},
    "/v1/graphs": {"question": "Will it rain in Lisbon tomorrow?"},
    "/internal/v1/graph/jobs": {"question": "Will it rain in Lisbon tomorrow?"},
    "/internal/v1/forecast/runs": {"questions": [{"question": "Will it rain in Lisbon?"}]},
}
"""What each of these routes is sent."""


class World:
    """A running service, one caller, and things to write to."""

    def __init__(self, app: FastAPI, client: httpx2.AsyncClient) -> None:
        self.app = app
        self.client = client
        self.database = app.state.services.database
        self.ids: dict[str, str] = {}
        self.headers: dict[str, str] = {}

    async def begin(self) -> None:
        access = self.app.state.services.access
        _, text = await access.create_key("owner", ["forecast:read", "watch:write", "internal"])
        self.headers = {"authorization": f"Bearer {text}"}
        made = (await self.post("/v1/watchlists", {"name": "First", "delivery": [HOOK]})).json()
        self.ids = {"watchlist_id": made["id"], "delivery_id": made["delivery"][0]["id"]}
        self.ids["series_id"] = (await self.post("/v1/external-series", SERIES)).json()["id"]
        lost = Outgoing("msg_lost", self.ids["delivery_id"], None, "ping", "{}")
        async with self.database.transaction() as conn:
            await deliveries.enqueue(conn, [lost])

    async def post(self, path: str, body: Any, key: str | None = None) -> httpx2.Response:
        headers = self.headers if key is None else {**self.headers, "idempotency-key": key}
        return await self.client.post(path.format(**self.ids), json=body, headers=headers)

    async def rows(self) -> dict[str, int]:
        """How many rows each table has, keys apart."""
        async with self.database.reading() as conn:
            found = await conn.execute(
                "select relname from pg_class where relkind = 'r' and relnamespace ="
                " 'public'::regnamespace and relname <> 'idempotency_keys'"
            )
            counts = {}
            for (name,) in await found.fetchall():
                counting = SQL("select count(*) from {}").format(Identifier(name))
                row = await (await conn.execute(counting)).fetchone()
                assert row is not None
                counts[name] = row[0]
        return counts


@pytest.fixture
async def world(
    database_url: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    # Nobody takes up what is written: it stays to be counted.
    monkeypatch.setattr("augury.app._work", lambda *_: {"nothing": background.nothing})
    own = settings.model_copy(update={"database_url": SecretStr(database_url)})
    app = create_app(own, elsewhere=background.nothing)
    app.state.traffic.limiter = OpenLimiter()
    async with app.router.lifespan_context(app), client_of(app) as client:
        made = World(app, client)
        await made.begin()
        yield made


def test_every_such_route_is_here(settings: Settings) -> None:
    app = create_app(settings, elsewhere=background.nothing)
    marked = {
        context.path
        for context in iter_route_contexts(app.routes)
        if idempotency.is_marked(context.route.endpoint)  # type: ignore[union-attr]
    }
    assert marked == set(BODIES)


@pytest.mark.parametrize("path", BODIES)
async def test_the_work_and_its_answer_are_lost_or_kept_together(
    world: World, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = store.store_answer
    before = await world.rows()

    async def dies_before(conn: store.Connection, *_: Any) -> bool:
        await conn.execute("select pg_terminate_backend(pg_backend_pid())")
        raise AssertionError("unreachable")

    async def dies_after(conn: store.Connection, *args: Any) -> bool:
        await keep(conn, *args)
        return await dies_before(conn)

    async def is_dead(*_: Any) -> None:
        raise OperationalError("a dead process frees nothing")

    for death in (dies_before, dies_after):
        with monkeypatch.context() as patch:
            patch.setattr(store, "store_answer", death)
            patch.setattr(store, "release", is_dead)
            assert (await world.post(path, BODIES[path], "k")).status_code == 503
        assert await world.rows() == before
        assert (await world.post(path, BODIES[path], "k")).status_code == 409
        async with world.database.transaction() as conn:
            await conn.execute(
                "update idempotency_keys set created_at = created_at - interval '3 minutes'"
            )

    first = await world.post(path, BODIES[path], "k")
    assert first.status_code < 300
    done = await world.rows()
    assert done != before
    again = await world.post(path, BODIES[path], "k")
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["idempotency-replayed"] == "true"
    assert await world.rows() == done


async def test_an_answer_that_can_t_be_made_undoes_the_work(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await world.rows()
    with monkeypatch.context() as patch:
        patch.setattr("augury.watchlists.schemas.made", lambda made: {"id": object()})
        assert (await world.post("/v1/watchlists", {"name": "A"}, "k")).status_code == 500
    assert await world.rows() == before
    assert (await world.post("/v1/watchlists", {"name": "A"}, "k")).status_code == 201


async def test_who_has_lost_the_claim_writes_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slower than any deadline: another try has taken the key over meanwhile."""
    before = await world.rows()
    keep = store.store_answer

    async def late(conn: store.Connection, *args: Any) -> bool:
        await conn.execute("update idempotency_keys set created_at = now() + interval '1 second'")
        return await keep(conn, *args)

    with monkeypatch.context() as patch:
        patch.setattr(store, "store_answer", late)
        answer = await world.post("/v1/watchlists", {"name": "A"}, "k")
    assert answer.status_code == 409
    assert answer.headers["x-error-code"] == "idempotency_in_flight"
    assert await world.rows() == before


async def test_a_refresh_that_fails_is_remembered(world: World) -> None:
    """Its failure is told though the request's own work is undone."""
    fetched = {**SERIES, "source": {"type": "csv", "url": "https://hooks.example.org/x.csv"}}
    series = (await world.post("/v1/external-series", fetched)).json()["id"]
    answer = await world.post(f"/v1/external-series/{series}/refresh", None, "k")
    assert answer.status_code == 422
    state = await world.client.get(f"/v1/external-series/{series}", headers=world.headers)
    assert state.json()["failure"]

"""Files that arrive over HTTP: in parts, read by a worker, told of in words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from tests.http.conftest import OpenLimiter
from tests.pace import until

from augury import background
from augury.app import create_app
from augury.imports import service as imports
from augury.imports import store
from augury.jobs.worker import Worker
from augury.settings import Settings

pytestmark = pytest.mark.anyio

AT = "/internal/v1/admin/imports"
MARKETS = [
    {"id": f"kalshi:M{n}", "platform": "kalshi", "question": f"Will {n} happen?",
     "status": "active", "outcomes": '["Yes", "No"]', "category": "World"}
    for n in range(3)
]  # fmt: skip
BAD = {"id": "kalshi:M9", "platform": "kalshi", "question": "Will it?", "status": "sideways"}


@pytest.fixture
def most() -> int:
    return 1_000_000


@pytest.fixture
async def app(database_url: str, settings: Settings, most: int) -> AsyncIterator[FastAPI]:
    update = {"database_url": SecretStr(database_url), "import_max_bytes": most}
    app = create_app(settings.model_copy(update=update), elsewhere=background.nothing)
    app.state.traffic.limiter = OpenLimiter()
    async with app.router.lifespan_context(app):
        yield app


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    _, key = await app.state.services.access.create_key("operator", ["admin"])
    headers = {"authorization": f"Bearer {key}"}
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://augury.test", headers=headers
    ) as client:
        yield client


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


async def send(client: httpx2.AsyncClient, name: str, body: bytes, part: int) -> str:
    """The id of an import all of whose bytes are there, the last part first."""
    made = await client.post(AT, json={"name": name, "bytes": len(body)})
    assert made.status_code == 201, made.text
    at = f"{AT}/{made.json()['id']}"
    for n in reversed(range(-(-len(body) // part))):
        answer = await client.put(f"{at}/parts/{n}", content=body[n * part : (n + 1) * part])
        assert answer.status_code == 200, answer.text
    return at


async def ended(app: FastAPI, client: httpx2.AsyncClient, at: str) -> dict[str, Any]:
    """The import once a worker is through with it."""

    async def through() -> Any:
        found = (await client.get(at)).json()
        return found["state"] in ("done", "failed") and found

    worker, stop = Worker(app.state.services.database), asyncio.Event()
    imports.register(worker, app.state.services.database)
    work = asyncio.create_task(worker.run(stop))
    try:
        return await until(through, "the import is done or failed")
    finally:
        stop.set()
        await work


async def test_a_file_in_parts_is_brought_in_and_its_refusals_told(
    app: FastAPI, client: httpx2.AsyncClient
) -> None:
    at = await send(client, "markets.jsonl", lines(*MARKETS, BAD), 100)
    assert (await client.get(at)).json()["state"] == "receiving"
    started = await client.post(f"{at}/start")
    assert (started.status_code, started.json()["state"]) == (202, "waiting")
    assert (await client.post(f"{at}/start")).status_code == 202
    assert (await client.put(f"{at}/parts/0", content=b"x")).status_code == 409
    found = await ended(app, client, at)
    assert found["state"] == "done", found["error"]
    summary = found["summary"]
    assert (summary["kind"], summary["read"], summary["added"]) == ("markets", 4, 3)
    assert summary["refused"] == {"unknown status": 1}
    assert "sideways" in summary["examples"]["unknown status"][0]
    assert found["received"] == 0  # its bytes are gone
    listed = (await client.get("/v1/markets?q=happen")).json()["items"]
    assert {one["id"] for one in listed} == {one["id"] for one in MARKETS}
    assert (await client.get(AT)).json()["items"] == [found]
    assert (await client.delete(at)).status_code == 204
    assert (await client.get(at)).status_code == 404


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("notes.csv", b"a,b\n1,2\n", "notes.csv has neither a market's columns"),
        ("bad.parquet", b"PAR1 and no more", "bad.parquet can't be read"),
    ],
)
async def test_what_is_no_dump_is_told_by_its_own_name(
    app: FastAPI, client: httpx2.AsyncClient, name: str, body: bytes, said: str
) -> None:
    at = await send(client, name, body, 1000)
    await client.post(f"{at}/start")
    found = await ended(app, client, at)
    assert found["state"] == "failed"
    assert found["error"].startswith(said)
    assert "/tmp" not in found["error"]
    assert found["received"] == 0


async def test_what_does_not_fit_is_refused(client: httpx2.AsyncClient) -> None:
    for name in ("../up.csv", "a\\b.csv", "x\u0000.csv", "", "n" * 300 + ".csv", "run.exe"):
        answer = await client.post(AT, json={"name": name, "bytes": 1})
        assert answer.status_code == 422, name
    assert (await client.post(AT, json={"name": "a.csv", "bytes": 0})).status_code == 422
    large = await client.post(AT, json={"name": "a.csv", "bytes": 1_000_001})
    assert large.status_code == 413
    assert "AUGURY_IMPORT_MAX_BYTES" in large.json()["detail"]
    at = await send(client, "a.csv", b"12345678", 4)
    assert (await client.put(f"{at}/parts/2", content=b"9")).status_code == 422
    assert (await client.put(f"{at}/parts/0", content=b"")).status_code == 422
    assert (await client.put(f"{at}/parts/1", content=b"5678")).json()["received"] == 8
    await client.put(f"{at}/parts/1", content=b"56")
    early = await client.post(f"{at}/start")
    assert early.status_code == 409
    assert "6 of 8 bytes" in early.json()["detail"]
    assert (await client.put(f"{AT}/imp_none/parts/0", content=b"x")).status_code == 404


@pytest.mark.parametrize("most", [0])
async def test_it_can_be_switched_off(client: httpx2.AsyncClient) -> None:
    answer = await client.post(AT, json={"name": "a.csv", "bytes": 1})
    assert (answer.status_code, answer.headers["x-error-code"]) == (403, "imports_off")


async def test_a_file_that_ends_its_worker_is_given_up(
    app: FastAPI, client: httpx2.AsyncClient
) -> None:
    at = await send(client, "markets.jsonl", lines(*MARKETS), 1000)
    await client.post(f"{at}/start")
    async with app.state.services.database.transaction() as conn:
        await conn.execute("update jobs set attempts = 3 where kind = %s", (imports.KIND,))
    found = await ended(app, client, at)
    assert found["state"] == "failed"
    assert "smaller ones" in found["error"]


async def test_files_that_never_arrived_are_forgotten(
    app: FastAPI, client: httpx2.AsyncClient
) -> None:
    late = await send(client, "late.csv", b"1234", 4)
    await send(client, "new.csv", b"1234", 4)
    async with app.state.services.database.transaction() as conn:
        await conn.execute(
            "update import_files set created_at = now() - interval '2 days' where id = %s",
            (late.rpartition("/")[2],),
        )
        await store.prune(conn)
    assert [one["name"] for one in (await client.get(AT)).json()["items"]] == ["new.csv"]

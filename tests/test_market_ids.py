"""A client that types market ids as UUID, unchanged; and every name of a market, everywhere."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, Literal
from urllib.parse import quote
from uuid import UUID

import httpx2
import pytest
from pydantic import BaseModel, ConfigDict, SecretStr
from tests.pace import PATIENCE

from augury import background
from augury.app import create_app
from augury.ids import market_uuid
from augury.settings import Settings

pytestmark = pytest.mark.anyio

QUESTION = "Will the US enter a recession before 2028?"
Client = httpx2.AsyncClient


class Summary(BaseModel):
    """A market as the public client of this contract reads it."""

    model_config = ConfigDict(extra="forbid")
    id: UUID
    question: str
    platform: Literal["polymarket", "kalshi"]
    current_prices: dict[str, float] | None = None
    platform_url: str | None = None


class Node(BaseModel):
    """A node of its graph."""

    id: str
    label: str
    markets: list[Summary]
    current_probability: float | None = None


class Edge(BaseModel):
    """An edge of its graph."""

    source: str
    target: str
    relationship: str
    strength: float | None = None


class Graph(BaseModel):
    """Its graph."""

    nodes: list[Node]
    edges: list[Edge]


class Forecast(BaseModel):
    """Its forecast, as far as markets stand in it."""

    probability: float | None
    markets_used: list[Summary]
    causal_graph: Graph | None


async def opened(url: str, settings: Settings, market_ids: str) -> AsyncIterator[Client]:
    own = Settings(
        data_dir=settings.data_dir, sync="off", sample="on", forecast_rate="1000/s",
        search_rate="1000/s", database_url=SecretStr(url),
        market_ids=market_ids,  # type: ignore[arg-type]
        request_deadline=300,
    )  # fmt: skip
    app = create_app(own, elsewhere=background.nothing)
    async with app.router.lifespan_context(app):
        scopes = ["search:read", "forecast:read", "watch:write", "internal"]
        _, key = await app.state.services.access.create_key("own", scopes)
        transport = httpx2.ASGITransport(app)
        async with Client(
            transport=transport, base_url="http://test", timeout=PATIENCE,
            headers={"authorization": f"Bearer {key}"},
        ) as client:  # fmt: skip
            yield client


@pytest.fixture
async def client(sample_database_url: str, settings: Settings) -> AsyncIterator[Client]:
    async for one in opened(sample_database_url, settings, "uuid"):
        yield one


@pytest.fixture
async def native(sample_database_url: str, settings: Settings) -> AsyncIterator[Client]:
    async for one in opened(sample_database_url, settings, "native"):
        yield one


async def test_a_client_of_uuids_reads_forecasts_graphs_and_streams(client: Client) -> None:
    answer = await client.post("/v1/forecast", json={"question": QUESTION})
    read = Forecast.model_validate_json(answer.content)
    assert read.probability is not None
    assert read.markets_used
    assert read.causal_graph is not None
    assert any(node.markets for node in read.causal_graph.nodes)
    ids = {node.id for node in read.causal_graph.nodes}
    assert {end for e in read.causal_graph.edges for end in (e.source, e.target)} <= ids

    answer = await client.post("/internal/v1/graph/build", json={"question": QUESTION})
    drawn = Graph.model_validate(answer.json()["graph"])
    assert any(node.markets for node in drawn.nodes)

    answer = await client.post("/v1/forecast/stream", json={"question": QUESTION})
    final = answer.text.split("event: final\ndata: ")[1].splitlines()[0]
    streamed = Forecast.model_validate(json.loads(final)["data"])
    assert [m.id for m in streamed.markets_used] == [m.id for m in read.markets_used]
    for said in (answer.text, json.dumps(drawn.model_dump(mode="json"))):
        assert '"kalshi:' not in said
        assert '"polymarket:' not in said


async def test_what_a_uuid_client_was_told_it_may_ask_for(client: Client) -> None:
    found = (await client.post("/v1/search", json={"query": QUESTION})).json()
    [first, *_] = found["results"]["direct"]
    UUID(first["id"])
    detail = (await client.get(f"/v1/markets/{first['id']}")).json()
    assert detail["market"]["question"] == first["question"]
    own = f"{detail['market']['platform']}:{detail['market']['platform_id']}"
    assert detail["market"]["id"] == first["id"] == str(market_uuid(own))
    again = (await client.post("/v1/search", json={"query": first["id"]})).json()
    assert [r["id"] for r in again["results"]["direct"]][:1] == [first["id"]]
    assert again["query"] == first["id"]
    graph = await client.post(
        "/internal/v1/graph/build",
        json={"question": QUESTION, "search_results": {"direct": [first]}},
    )
    assert graph.json()["trace"]["unique_market_count"] == 1
    listed = await client.get("/v1/markets", params={"limit": 2, "format": "csv"})
    head, row, *_ = listed.text.splitlines()
    UUID(row.split(",")[head.split(",").index("id")])
    whole = await client.get("/v1/markets", params={"format": "csv"}, timeout=300)
    assert whole.text.count("\n") > 200
    assert "\npolymarket:" not in whole.text
    assert "\nkalshi:" not in whole.text


async def test_every_name_of_a_market_is_taken_where_answers_have_uuids(client: Client) -> None:
    await every_name(client, "uuid")


async def test_every_name_of_a_market_is_taken_where_answers_have_own_ids(native: Client) -> None:
    await every_name(native, "native")


async def every_name(client: Client, way: str) -> None:
    """Ask for one market by each of its names, where a market id is taken."""
    items = (await client.get("/v1/markets", params={"limit": 200})).json()["items"]
    market = next(m for m in items if m["platform"] == "kalshi")
    own = f"kalshi:{market['platform_id']}"
    uuid = str(market_uuid(own))
    assert market["id"] == (uuid if way == "uuid" else own)
    ticker = market["platform_id"]
    series = ticker.split("-")[0].lower()
    names = [
        own, f"kalshi:{ticker.lower()}", uuid, uuid.upper(), uuid.replace("-", ""), ticker,
        f"https://kalshi.com/markets/{series}/some-words/{ticker.lower()}",
    ]  # fmt: skip
    for name in names:
        path = f"/v1/markets/{quote(name, safe='')}"
        answer = await client.get(path)
        assert answer.status_code == 200, (name, answer.text)
        assert answer.json()["market"]["id"] == market["id"]
        assert (await client.get(f"{path}/history")).status_code == 200
    asked = [*names, str(market_uuid("kalshi:NONE")), "kalshi:NONE", "no-such-slug", "a\0b", ""]
    answer = await client.post("/extension/v1/prices", json={"ids": asked[:-2]})
    assert list(answer.json()["prices"]) == names

    made = await client.post("/v1/watchlists", json={"name": way})
    targets = f"/v1/watchlists/{made.json()['id']}/targets"
    target: dict[str, Any] = (
        await client.post(targets, json={"kind": "market", "ref": uuid})
    ).json()
    assert target["ref"] == own  # however it was named
    twice = await client.post(targets, json={"kind": "market", "ref": names[-1]})
    assert twice.status_code == 409


async def test_a_page_of_several_markets_names_them(native: Client) -> None:
    items = (await native.get("/v1/markets", params={"limit": 200})).json()["items"]
    events: dict[str, list[str]] = {}
    for one in items:
        if one["platform"] == "kalshi" and one["platform_event_id"]:
            events.setdefault(one["platform_event_id"], []).append(one["id"])
    event, ids = max(events.items(), key=lambda found: len(found[1]))
    assert len(ids) > 1
    page = f"https://kalshi.com/markets/{event.split('-')[0].lower()}/x/{event.lower()}"
    answer = await native.get(f"/v1/markets/{quote(page, safe='')}")
    assert answer.status_code == 404
    assert "several markets" in answer.json()["detail"]
    assert "kalshi:" in answer.json()["detail"]

"""Every tool, resource and prompt by the official client, over both transports, on the sample."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent
from tests.mcp.conftest import Running

from augury.http import metrics
from mcp import StdioServerParameters

pytestmark = pytest.mark.anyio

QUESTION = "Will the Fed cut rates in December 2026?"
NONSENSE = "Will my cat learn Latin by 2027?"


@asynccontextmanager
async def stdio(service: Running, key: str | None) -> AsyncIterator[Client]:
    """The official client of `augury mcp` in a process of its own."""
    env = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "AUGURY_URL": service.url}
    if key is not None:
        env["AUGURY_API_KEY"] = service.keys[key]
    started = StdioServerParameters(command=sys.executable, args=["-m", "augury", "mcp"], env=env)
    async with Client(stdio_client(started)) as client:
        yield client


@asynccontextmanager
async def http(
    service: Running, key: str | None, mode: str = "auto", **headers: str
) -> AsyncIterator[Client]:
    """The official client of `/mcp`."""
    if key is not None:
        headers["Authorization"] = f"Bearer {service.keys[key]}"
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as plain,
        Client(
            streamable_http_client(f"{service.url}/mcp", http_client=plain), mode=mode
        ) as client,
    ):
        yield client


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool's structured answer, which the client has checked against the tool's schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return text_of(result)


async def use_everything(client: Client) -> None:
    """Each tool once at least, with what a model would check."""
    listed = (await client.list_tools()).tools
    writing = {
        tool.name for tool in listed if not (tool.annotations and tool.annotations.read_only_hint)
    }
    assert writing == {"watch", "silence"}
    assert {tool.name for tool in listed} - writing == {
        "search_markets", "get_market", "price_history", "forecast", "forecast_many",
        "explain_forecast", "causal_graph", "volatility", "track_record", "list_alerts",
    }  # fmt: skip
    for tool in listed:
        assert tool.output_schema is not None
        assert tool.description
        assert "Use it" in tool.description
        assert "Do not use it" in tool.description

    found = await call(client, "search_markets", query="Fed rate cut")
    assert "sample" in found["warnings"][0]
    assert 0 < len(found["results"]) <= 5
    first = found["results"][0]
    assert "Fed" in first["question"]
    assert first["price_as_of"].endswith("Z")
    assert sum(first["current_prices"].values()) == pytest.approx(1)
    causes = await call(client, "search_markets", query="Fed rate cut", relations=["upstream"])
    assert {row["dimension"] for row in causes["results"]} == {"upstream"}
    assert all(row["reason"] for row in causes["results"])

    market = await call(client, "get_market", market_id=first["id"])
    assert market["market"]["id"] == first["id"]
    assert market["related"]
    history = await call(client, "price_history", market_id=first["id"], max_points=10)
    (line,) = history["series"]
    assert len(line["points"]) == 10
    assert len(history["warnings"]) == 1
    long_ago = await call(client, "price_history", market_id=first["id"], start="2020-01-01")
    assert "The first price is of 20" in long_ago["warnings"][1]
    assert line["low"] <= line["last"] <= line["high"]

    made = await call(client, "forecast", question=QUESTION)
    assert 0 < made["probability"] < 1
    assert made["evidence"][0]["role"] in ("direct", "bound")
    nothing = await call(client, "forecast", question=NONSENSE)
    assert "probability" not in nothing
    assert nothing["error_code"] == "no_market"
    why = await call(client, "explain_forecast", forecast_id=made["id"])
    assert why["probability"] == made["probability"]
    assert len(why["rejected"]) >= len(made["rejected"])
    whole = await call(client, "explain_forecast", forecast_id=made["id"], detail="full")
    assert whole["full"]["id"] == made["id"]
    graph = await call(client, "causal_graph", question=QUESTION)
    known = {node["id"] for node in graph["nodes"]}
    assert all({edge["source"], edge["target"]} <= known for edge in graph["edges"])

    covered = [row["asset"] for row in (await call(client, "volatility"))["assets"]]
    assert "BTC" in covered
    (row,) = (await call(client, "volatility", assets=["BTC"], horizon="7d"))["forecasts"]
    assert row["band_80"][0] < row["annualized_volatility"] < row["band_80"][1]
    assert "Valid: BNB" in await refused(client, "volatility", assets=["NOPE"])
    record = await call(client, "track_record")
    assert record["forecasts"]["forecasts"] >= 1
    scores = await call(client, "track_record", of="volatility", asset="BTC", horizon="7d")
    assert scores.get("volatility") or "No volatility forecast" in scores["warnings"][0]


async def use_the_rest(client: Client) -> None:
    """What writes, resources and prompts."""
    first = (await call(client, "search_markets", query="Fed rate cut"))["results"][0]
    watched = await call(
        client, "watch", kind="market", ref=first["id"], metric="probability", op="gt", value=0.001
    )
    assert watched["current_prices"] == first["current_prices"]
    assert "sample" in watched["warnings"][0]
    at, rule = watched["watchlist"]["id"], watched["rule"]["id"]
    quiet = await call(client, "silence", watchlist_id=at, rule_id=rule, length="4h")
    assert quiet["rule"]["silenced_until"]
    lists = await call(client, "list_alerts", state="firing")
    assert at in {row["id"] for row in lists["watchlists"]}

    glossary = await client.read_resource("augury://glossary")
    assert "Brier" in glossary.contents[0].text  # type: ignore[union-attr]
    resource = await client.read_resource(f"augury://market/{first['id']}")
    assert first["question"] in resource.contents[0].text  # type: ignore[union-attr]
    with pytest.raises(MCPError, match="No market"):
        await client.read_resource("augury://market/kalshi:NOPE")
    assert {prompt.name for prompt in (await client.list_prompts()).prompts} == {
        "research_question", "morning_brief",
    }  # fmt: skip
    prompt = await client.get_prompt("research_question", {"question": QUESTION})
    assert QUESTION in str(prompt.messages[0].content)


async def test_every_tool_over_stdio(service: Running) -> None:
    async with stdio(service, "all") as client:
        await use_everything(client)
        await use_the_rest(client)
        seen: list[float] = []

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        questions = [
            QUESTION,
            "US recession in 2027?",
            "Will Bitcoin reach $110,000 by January 31, 2027?",
        ]
        result = await client.call_tool(
            "forecast_many", {"questions": questions}, progress_callback=tell
        )
        run = result.structured_content or {}
        assert [row["question"] for row in run["results"]] == questions
        assert seen[-1] == 3
        again = await call(client, "forecast_many", run_id=run["id"])
        assert again["results"] == run["results"]


async def test_every_tool_over_http(service: Running) -> None:
    async with http(service, "all") as client:
        await use_everything(client)
        await use_the_rest(client)


async def test_a_client_of_an_older_protocol(service: Running) -> None:
    async with http(service, "all", mode="legacy") as client:
        assert (await call(client, "search_markets", query="gold"))["results"]
        assert "probability" in await call(client, "forecast", question=QUESTION)


async def test_over_http_the_key_of_the_call_counts(service: Running) -> None:
    async with http(service, "search:read") as client:
        await call(client, "search_markets", query="gold", limit=20)
        assert "forecast:read" in await refused(client, "forecast", question=QUESTION)
    async with http(service, None) as client:
        await call(client, "search_markets", query="gold")
        assert "API key" in await refused(client, "forecast", question=QUESTION)
        # As the API does: without a key at most 20 a relation, and one a second.
        said = await refused(client, "search_markets", query="gold", limit=21)
        assert "limit:" in said or "Limit reached: anonymous-search" in said
    ping = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    wrong = {
        "Authorization": "Bearer aug_nonsense",
        "Accept": "application/json, text/event-stream",
    }
    async with httpx2.AsyncClient() as plain:
        answer = await plain.post(f"{service.url}/mcp", json=ping, headers=wrong)
        assert answer.status_code == 401
        page = {"Origin": "https://evil.example", "Accept": wrong["Accept"]}
        answer = await plain.post(f"{service.url}/mcp", json=ping, headers=page)
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (403, "origin_unknown")
        assert (await plain.get(f"{service.url}/mcp")).status_code == 405


async def test_a_cancelled_call_is_given_up(service: Running) -> None:
    """Progress comes each second; closing the call ends the wait for the run."""
    many = [f"Will gold be above ${n} an ounce on December 31, 2026?" for n in range(3000, 3040)]
    async with http(service, "all") as client:
        told = asyncio.Event()

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            told.set()

        asked = asyncio.create_task(
            client.call_tool("forecast_many", {"questions": many}, progress_callback=tell)
        )
        await asyncio.wait_for(told.wait(), 30)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        # The connection is whole, and nothing asks after the run any more.
        assert (await call(client, "search_markets", query="gold"))["results"]
        polls = metrics.requests.labels("/v1/forecast-runs/{run_id}", "GET", "200")
        before = polls._value.get()
        assert before > 0
        await asyncio.sleep(2.5)
        assert polls._value.get() <= before


async def test_errors_say_what_to_change(service: Running) -> None:
    async with stdio(service, "all") as client:
        assert "search_markets" in await refused(client, "get_market", market_id="kalshi:NOPE")
        assert "is not an id" in await refused(client, "get_market", market_id="..")
        assert "limit" in await refused(client, "search_markets", query="x", limit=500)
        # No id leads to another route: not to a history, a list, or another noun.
        (market, *_) = (await call(client, "search_markets", query="gold"))["results"]
        for elsewhere in (
            f"{market['id']}/history",
            "x/../y",
            "https://kalshi.com/markets/x/history",
        ):
            for tool in ("get_market", "price_history"):
                assert "No market" in await refused(client, tool, market_id=elsewhere)
        for tool, argument in (("explain_forecast", "forecast_id"), ("forecast_many", "run_id"),
                               ("list_alerts", "watchlist_id")):  # fmt: skip
            assert "is not an id" in await refused(client, tool, **{argument: "x/../y"})
        assert "as_of" in await refused(
            client, "forecast", question=QUESTION, as_of="2100-01-01T00:00:00Z"
        )
        assert "either" in await refused(client, "forecast_many")
        assert "either" in await refused(client, "silence", watchlist_id="wl_x")


async def test_a_tool_needs_the_scope_of_its_route(service: Running) -> None:
    async with stdio(service, "search:read") as client:
        await call(client, "search_markets", query="gold")
        for tool, arguments, scope in (
            ("forecast", {"question": QUESTION}, "forecast:read"),
            ("volatility", {}, "rvol:read"),
            ("list_alerts", {}, "watch:write"),
        ):
            assert scope in await refused(client, tool, **arguments)
    async with stdio(service, None) as client:
        assert len((await call(client, "search_markets", query="gold"))["results"]) > 0
        assert "API key" in await refused(client, "forecast", question=QUESTION)


async def test_a_service_that_is_away_is_named(service: Running) -> None:
    gone = Running("http://127.0.0.1:9", service.app, service.loop, service.keys)
    async with stdio(gone, "all") as client:
        assert "augury serve" in await refused(client, "search_markets", query="gold")

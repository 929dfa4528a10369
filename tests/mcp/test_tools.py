"""Every tool, resource and prompt by the official client, over both transports, on the sample."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from tests.mcp.calling import (
    QUESTION,
    call,
    refused,
    use_everything,
    use_the_rest,
)
from tests.mcp.conftest import Running
from tests.pace import PATIENCE

from augury.http import metrics
from mcp import StdioServerParameters

pytestmark = pytest.mark.anyio


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
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as plain,
        Client(
            streamable_http_client(f"{service.url}/mcp", http_client=plain), mode=mode
        ) as client,
    ):
        yield client


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
        await asyncio.wait_for(told.wait(), PATIENCE)
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
                assert "fits no market" in await refused(client, tool, market_id=elsewhere)
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

"""Calls of the MCP server's tools."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from augury.markets.samples import dated

TODAY = datetime.now(UTC)
QUESTION = dated("Will the Fed cut rates in {month:1}?", TODAY)
"""The sample has a market on the Fed's meeting of the next month."""
NONSENSE = dated("Will my cat learn Latin by {year:2}?", TODAY)


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
    assert "The first known price is from 20" in long_ago["warnings"][1]
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

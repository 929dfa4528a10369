"""How long a search takes through the tools, warm: over HTTP, over stdio, and without them.

    pace.py [TIMES]

The service is at AUGURY_URL, its key in AUGURY_API_KEY (with rates that allow it). Official client,
one call at a time; prints JSON: milliseconds, the median and the 95th percentile.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from mcp import StdioServerParameters

QUERIES = ("Fed rate cut", "US recession", "Bitcoin above $110,000", "gold price", "shutdown")


async def timed(call: Callable[[str], Awaitable[object]], times: int) -> dict[str, float]:
    """The times of that many calls, after a few that are not counted."""
    found: list[float] = []
    for n in range(times + 10):
        started = time.perf_counter()
        await call(QUERIES[n % len(QUERIES)])
        found.append((time.perf_counter() - started) * 1000)
    found = sorted(found[10:])
    return {
        "p50": round(statistics.median(found), 1),
        "p95": round(found[int(len(found) * 0.95)], 1),
    }


async def main(times: int) -> None:
    """Measure, and print."""
    url, key = os.environ["AUGURY_URL"].rstrip("/"), os.environ["AUGURY_API_KEY"]
    env = {name: os.environ[name] for name in ("AUGURY_URL", "AUGURY_API_KEY", "PYTHONPATH")}
    started = StdioServerParameters(command=sys.executable, args=["-m", "augury", "mcp"], env=env)
    told = {}
    async with httpx2.AsyncClient(
        headers={"Authorization": f"Bearer {key}"}, timeout=60, trust_env=False
    ) as plain:

        async def bare(query: str) -> None:
            body = {"query": query, "dimensions": ["direct"], "top_k_per_dimension": 5}
            (await plain.post(f"{url}/v1/search", json=body)).raise_for_status()

        told["api"] = await timed(bare, times)
        over_http = streamable_http_client(f"{url}/mcp", http_client=plain)
        for name, transport in (("http", over_http), ("stdio", stdio_client(started))):
            async with Client(transport) as client:

                async def search(query: str, client: Client = client) -> None:
                    result = await client.call_tool("search_markets", {"query": query})
                    if result.is_error:
                        raise SystemExit(str(result.content))

                await client.list_tools()
                told[name] = await timed(search, times)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))

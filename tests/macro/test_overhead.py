"""What the proxy adds to a hit, measured beside a route that does nothing."""

from __future__ import annotations

from statistics import median
from time import perf_counter

import httpx2
import pytest
from fastapi import FastAPI
from tests.macro.upstream import Upstream

from augury.http import routing
from augury.http.callers import MacroCaller

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


async def test_a_hit_costs_at_most_3_ms_more_than_a_trivial_route(
    client: httpx2.AsyncClient, upstream: Upstream
) -> None:
    """Same gate, same limiter, same middleware; the two are asked in turns."""
    app: FastAPI = client._transport.app  # type: ignore[attr-defined]
    router = routing.router()

    @router.get("/v1/trivial")
    async def trivial(caller: MacroCaller) -> dict[str, str]:
        return {"path": "/api/series", "revision": "1"}

    app.include_router(router)
    app.state.traffic.policies.clear()
    upstream.headers = {"cache-control": "max-age=600", "etag": '"one"'}
    addresses = {"hit": "/series", "trivial": "http://test/v1/trivial"}
    taken: dict[str, list[float]] = {name: [] for name in addresses}
    for n in range(1100):
        for name, address in addresses.items():
            began = perf_counter()
            answer = await client.get(address)
            if n >= 100:
                taken[name].append(1000 * (perf_counter() - began))
            assert answer.status_code == 200
    assert upstream.requests["/api/series"] == 1
    hit, trivial_ms = median(taken["hit"]), median(taken["trivial"])
    print(f"hit {hit:.2f} ms, trivial {trivial_ms:.2f} ms, ratio {hit / trivial_ms:.2f}")
    assert hit - trivial_ms <= 3

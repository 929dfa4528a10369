"""Limits as callers meet them: headers, tiers, budgets, trouble with the store (R7)."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import FastAPI
from prometheus_client import REGISTRY
from tests.http.conftest import VirtualLimiter, client_of, make_app
from tests.pace import PATIENCE

from augury.access.service import AccessService
from augury.errors import SetupProblem, Unavailable
from augury.http.callers import ForecastCaller
from augury.http.gcra import Decision, Rate
from augury.http.limits import PostgresLimiter, RedisLimiter, RefusalsKept, make_limiter
from augury.http.routing import router
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio

QUERY = {"query": "rain"}


class BrokenLimiter:
    async def take(self, key: str, rate: Rate) -> Decision:
        raise Unavailable("The database can't be reached.", retry_after=2)


@pytest.fixture
def limiter(app: FastAPI) -> VirtualLimiter:
    limiter = app.state.traffic.limiter = VirtualLimiter()
    return limiter


async def key_of(app: FastAPI, *scopes: str) -> dict[str, str]:
    access: AccessService = app.state.services.access
    _, text = await access.create_key("somebody", scopes)
    return {"authorization": f"Bearer {text}"}


async def test_anonymous_search_is_one_a_second_per_address(
    app: FastAPI, limiter: VirtualLimiter
) -> None:
    async with client_of(app) as client, client_of(app, "203.0.113.10") as other:
        first = await client.post("/v1/search", json=QUERY)
        assert first.status_code == 200
        assert first.headers["ratelimit-policy"] == '"anonymous-search";q=1;w=1'
        assert first.headers["ratelimit"] == '"anonymous-search";r=0;t=1'
        refused = await client.post("/v1/search", json=QUERY)
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == "1"
        assert refused.headers["ratelimit"] == '"anonymous-search";r=0;t=1'
        assert refused.headers["x-error-code"] == "rate_limited"
        assert (await other.post("/v1/search", json=QUERY)).status_code == 200
        limiter.now += 1_000_000
        assert (await client.post("/v1/search", json=QUERY)).status_code == 200


async def test_one_slash_64_and_one_mapped_address_are_one_caller(
    app: FastAPI, limiter: VirtualLimiter
) -> None:
    for addresses in (["2001:db8::1", "2001:db8::ffff:2"], ["::ffff:198.51.100.1", "198.51.100.1"]):
        answers = []
        for address in addresses:
            async with client_of(app, address) as client:
                answers.append((await client.post("/v1/search", json=QUERY)).status_code)
        assert answers == [200, 429]


async def test_a_forwarded_address_of_a_stranger_changes_nothing(
    app: FastAPI, limiter: VirtualLimiter
) -> None:
    async with client_of(app) as client:
        statuses = [
            (
                await client.post(
                    "/v1/search", json=QUERY, headers={"x-forwarded-for": f"198.51.100.{n}"}
                )
            ).status_code
            for n in range(5)
        ]
    assert statuses == [200, 429, 429, 429, 429]


@pytest.mark.parametrize(
    ("method", "path", "scope", "burst", "wait", "policy"),
    [
        ("POST", "/v1/search", "search:read", 10, 1, '"search";q=10;w=1'),
        ("POST", "/v1/forecast", "forecast:read", 10, 6, '"forecast";q=10;w=60'),
        # A page of the console asks for its parts at once.
        ("GET", "/v1/watchlists", "watch:write", 40, 1, '"watch";q=40;w=4'),
        ("GET", "/v1/markets/x", "search:read", 40, 1, '"markets";q=40;w=4'),
    ],
)
async def test_keyed_limits_and_obeying_them(
    app: FastAPI,
    limiter: VirtualLimiter,
    client: httpx2.AsyncClient,
    method: str,
    path: str,
    scope: str,
    burst: int,
    wait: int,
    policy: str,
) -> None:
    headers = await key_of(app, scope)
    body = {"question": "rain?"} if "forecast" in path else QUERY if method == "POST" else None

    async def ask() -> httpx2.Response:
        return await client.request(method, path, json=body, headers=headers)

    answers = [await ask() for _ in range(burst + 1)]
    assert [a.status_code == 429 for a in answers] == [False] * burst + [True]
    assert {a.headers["ratelimit-policy"] for a in answers} == {policy}
    left = [re.search(r"r=(\d+)", a.headers["ratelimit"]) for a in answers]
    assert [int(m[1]) for m in left if m] == [*range(burst - 1, -1, -1), 0]
    assert answers[-1].headers["retry-after"] == str(wait)
    for _ in range(20):
        limiter.now += int(answers[-1].headers["retry-after"]) * 1_000_000
        assert (await ask()).status_code != 429


async def test_a_refused_request_counts_before_its_body(
    app: FastAPI, limiter: VirtualLimiter, client: httpx2.AsyncClient
) -> None:
    assert (await client.post("/v1/search", json={})).status_code == 422
    assert (await client.post("/v1/search", json={})).status_code == 429


async def test_what_is_not_allowed_costs_nothing(
    app: FastAPI, limiter: VirtualLimiter, client: httpx2.AsyncClient
) -> None:
    headers = await key_of(app, "search:read")
    for _ in range(30):
        answer = await client.post("/v1/forecast", json={"question": "?"}, headers=headers)
        assert answer.status_code == 403
    assert limiter.tats == {}


async def test_work_in_flight_has_a_budget(app: FastAPI) -> None:
    release, let_in = asyncio.Event(), asyncio.Semaphore(0)
    extra = router()

    @extra.get("/v1/forecast/waits")
    async def waits(caller: ForecastCaller) -> None:
        let_in.release()
        await release.wait()

    app.include_router(extra)
    headers = await key_of(app, "forecast:read")
    async with client_of(app) as client:
        running = [
            asyncio.create_task(client.get("/v1/forecast/waits", headers=headers)) for _ in range(2)
        ]
        for _ in running:
            await let_in.acquire()
        refused = await client.get("/v1/forecast/waits", headers=headers)
        assert refused.status_code == 429
        assert refused.headers["x-error-code"] == "too_many_in_flight"
        assert refused.headers["retry-after"] == "1"
        release.set()
        assert [(await task).status_code for task in running] == [200, 200]
        assert (await client.get("/v1/forecast/waits", headers=headers)).status_code == 200


async def test_search_goes_on_without_its_counter_and_that_is_counted(
    app: FastAPI, client: httpx2.AsyncClient
) -> None:
    def failures() -> float:
        labels = {"policy": "anonymous-search"}
        return REGISTRY.get_sample_value("augury_rate_limit_failures_total", labels) or 0

    app.state.traffic.limiter = BrokenLimiter()
    before = failures()
    answer = await client.post("/v1/search", json=QUERY)
    assert answer.status_code == 200
    assert "ratelimit" not in answer.headers
    assert failures() == before + 1


async def test_a_forecast_does_not_go_on_without_its_counter(
    app: FastAPI, client: httpx2.AsyncClient
) -> None:
    headers = await key_of(app, "forecast:read")
    app.state.traffic.limiter = BrokenLimiter()
    answer = await client.post("/v1/forecast", json={"question": "rain?"}, headers=headers)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


async def test_the_database_counts_over_processes_and_forgets(
    database: Database, settings: Settings
) -> None:
    limiters = [PostgresLimiter(lambda: database) for _ in range(3)]
    rate = Rate.parse("20/h")
    decisions = await asyncio.gather(
        *(limiters[n % 3].take("k", rate) for n in range(60)),
    )
    assert sum(d.allowed for d in decisions) == 20
    await limiters[0].take("gone", Rate(1, 1))
    await limiters[0]._sweep()
    async with database.reading() as conn:
        rows = await (await conn.execute("select key from rate_limits")).fetchall()
    assert rows == [("k",)]


async def test_who_is_refused_is_not_looked_up_again_before_the_time() -> None:
    inner, clock, asked = VirtualLimiter(), [0.0], []

    class Counting:
        async def take(self, key: str, rate: Rate) -> Decision:
            asked.append(key)
            inner.now = round(clock[0] * 1e6)
            return await inner.take(key, rate)

        async def close(self) -> None:
            pass

    limiter, plain = RefusalsKept(Counting(), lambda: clock[0]), VirtualLimiter()
    rate = Rate.parse("2/s", burst=3)
    steps = [0.0] * 5 + [0.1] * 6 + [0.25, 0.05, 0.05, 2.0, 0.0, 0.0, 0.0, 0.0]
    for step in steps:
        clock[0] = round(clock[0] + step, 6)
        plain.now = round(clock[0] * 1e6)
        for key in "ab":
            expected = await plain.take(key, rate)
            decision = await limiter.take(key, rate)
            assert decision[::2] == expected[::2]
            assert decision[1::2] == pytest.approx(expected[1::2], abs=1e-6)
    refused = len(steps) * 2 - 2 * 8
    assert len(asked) < len(steps) * 2 - refused // 2
    limiter.MAX_REFUSED_KEYS = 2
    for key in "cde":
        for _ in range(4):
            await limiter.take(key, rate)
    assert list(limiter._refused) == ["d", "e"]


@pytest.fixture
async def redis_url() -> AsyncIterator[str]:
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    pytest.importorskip("redis", reason="the redis extra is not installed")
    if binary is None:
        pytest.skip("no redis-server here")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = [binary, "--port", str(port), "--save", "", "--bind", "127.0.0.1"]
    server = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    try:
        for _ in range(int(PATIENCE / 0.02)):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            await asyncio.sleep(0.02)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait()


async def test_redis_counts_the_same(redis_url: str) -> None:
    limiter = make_limiter(redis_url, lambda: None)
    assert isinstance(limiter, RefusalsKept)
    assert isinstance(limiter.limiter, RedisLimiter)
    try:
        rate = Rate.parse("20/h")
        decisions = await asyncio.gather(*(limiter.take("k", rate) for _ in range(60)))
        allowed = [d for d in decisions if d.allowed]
        assert sorted(d.remaining for d in allowed) == list(range(20))
        refused = [d for d in decisions if not d.allowed]
        assert all(179 < d.retry_after <= 180 and d.remaining == 0 for d in refused)
        quick = Rate(50_000, 1)
        assert (await limiter.take("q", quick)).allowed
        told = await limiter.take("q", quick)
        assert not told.allowed
        await asyncio.sleep(told.retry_after)
        assert (await limiter.take("q", quick)).allowed
    finally:
        await limiter.close()


async def test_redis_without_its_client_is_a_setup_problem(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "redis.asyncio", None)
    with pytest.raises(SetupProblem, match="augury\\[redis\\]"):
        RedisLimiter("redis://127.0.0.1")


def test_a_wrong_rate_in_the_settings_stops_the_start(settings: Settings) -> None:
    wrong = settings.model_copy(update={"search_rate": "many"})
    with pytest.raises(SetupProblem, match="'many' is not a rate"):
        make_app(wrong)

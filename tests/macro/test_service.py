"""The proxy against an upstream that works, and one that fails in every way of R10."""

from __future__ import annotations

import asyncio
import socket
from time import perf_counter

import pytest
from tests.macro.conftest import DEADLINE, Time, proxy
from tests.macro.upstream import HTTP_FAULTS, KEY, TRANSPORT_FAULTS, Upstream, bomb
from tests.pace import SLACK

from augury.errors import AuguryError
from augury.macro.service import CACHE_BYTES, Call, MacroRuntime
from augury.macro.target import PREFIX
from augury.settings import Settings

pytestmark = pytest.mark.anyio


def get(path: str = "series", **headers: str) -> Call:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Call("GET", (PREFIX + path).encode(), headers=named)


async def failed(runtime: MacroRuntime, call: Call) -> AuguryError:
    with pytest.raises(AuguryError) as caught:
        await runtime.forward(call)
    return caught.value


async def test_a_read_is_asked_once_while_it_is_fresh(
    runtime: MacroRuntime, upstream: Upstream, time: Time
) -> None:
    upstream.headers = {"cache-control": "max-age=60"}
    first = await runtime.forward(get())
    time.now += 59
    second = await runtime.forward(get())
    assert (first.cache, second.cache) == ("miss", "hit")
    assert second.body == first.body
    assert second.headers["age"] == "59"
    assert upstream.requests["/api/series"] == 1
    time.now += 1
    assert (await runtime.forward(get())).cache == "miss"
    assert upstream.requests["/api/series"] == 2


async def test_what_is_told_apart(runtime: MacroRuntime, upstream: Upstream) -> None:
    upstream.headers = {"cache-control": "max-age=60"}
    await runtime.forward(get())
    for other in (
        get("series?x=1".partition("?")[0] + "/x"),
        get(accept="text/csv"),
        get(accept_language="de"),
        Call("GET", (PREFIX + "series").encode(), b"start=2020"),
    ):
        assert (await runtime.forward(other)).cache == "miss"
    head = Call("HEAD", (PREFIX + "series").encode())
    assert (await runtime.forward(head)).cache == "hit"


async def test_a_stale_answer_is_confirmed(
    runtime: MacroRuntime, upstream: Upstream, time: Time
) -> None:
    upstream.headers = {"cache-control": "max-age=1", "etag": '"one"'}
    first = await runtime.forward(get())
    time.now += 5
    again = await runtime.forward(get())
    assert (again.cache, again.body, again.headers["age"]) == ("hit", first.body, "0")
    assert upstream.heard[-1]["if-none-match"] == '"one"'
    upstream.headers["etag"], upstream.revision = '"two"', 2
    time.now += 5
    changed = await runtime.forward(get())
    assert (changed.cache, b'"revision": 2' in changed.body) == ("miss", True)


async def test_directives_of_the_request(runtime: MacroRuntime, upstream: Upstream) -> None:
    upstream.headers = {"cache-control": "max-age=60"}
    assert (await failed(runtime, get(cache_control="only-if-cached"))).status == 504
    await runtime.forward(get(cache_control="no-store"))
    assert (await runtime.forward(get())).cache == "miss"
    assert (await runtime.forward(get(cache_control="no-cache"))).cache == "miss"
    assert (await runtime.forward(get(cache_control="only-if-cached"))).cache == "hit"


@pytest.mark.parametrize("said", ["no-store", "private", "private, max-age=60"])
async def test_what_may_not_be_kept(runtime: MacroRuntime, upstream: Upstream, said: str) -> None:
    upstream.headers = {"cache-control": said}
    for _ in range(2):
        assert (await runtime.forward(get())).cache == "miss"


async def test_a_write_drops_what_it_may_have_changed(
    runtime: MacroRuntime, upstream: Upstream
) -> None:
    upstream.headers = {"cache-control": "max-age=60"}
    await runtime.forward(get())
    await runtime.forward(get(accept="text/csv"))
    upstream.fault = "500"
    write = Call("PUT", (PREFIX + "series").encode(), body=b"{}")
    await failed(runtime, write)
    assert (await runtime.forward(get())).cache == "hit"
    upstream.fault = None
    answer = await runtime.forward(write)
    assert b'"got": 2' in answer.body
    assert (await runtime.forward(get())).cache == "miss"
    assert (await runtime.forward(get(accept="text/csv"))).cache == "miss"


async def test_a_hundred_equal_reads_are_one(runtime: MacroRuntime, upstream: Upstream) -> None:
    """R11. Also where the answer may not be kept."""
    upstream.delay = 0.05
    for n in range(20):
        upstream.headers = {"cache-control": "no-store" if n % 2 else "max-age=60"}
        path = f"series/{n}"
        answers = await asyncio.gather(*(runtime.forward(get(path)) for _ in range(100)))
        assert upstream.requests[f"/api/{path}"] == 1
        assert {answer.body for answer in answers} == {answers[0].body}


async def test_a_caller_that_leaves_takes_nothing_from_the_others(
    runtime: MacroRuntime, upstream: Upstream
) -> None:
    upstream.delay = 0.1
    first = asyncio.create_task(runtime.forward(get()))
    second = asyncio.create_task(runtime.forward(get()))
    await asyncio.sleep(0.03)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert (await second).status == 200
    assert upstream.requests["/api/series"] == 1


async def test_nothing_of_the_caller_goes_upstream(
    runtime: MacroRuntime, upstream: Upstream
) -> None:
    secret = "canary-0123456789"
    names = (
        "authorization", "cookie", "proxy-authorization", "x-api-key", "x-forwarded-for",
        "forwarded", "referer", "origin", "idempotency-key", "connection", "te", "upgrade",
        "transfer-encoding", "x-http-method-override", "range", "user-agent", "via",
    )  # fmt: skip
    await runtime.forward(
        Call(
            "GET", (PREFIX + "a").encode(), headers=dict.fromkeys(names, secret), request_id="req_1"
        )
    )
    heard = upstream.heard[-1]
    assert secret not in str(heard)
    assert heard["authorization"] == f"Bearer {KEY}"
    assert heard["x-request-id"] == "req_1"
    await runtime.forward(get("b", accept="text/csv", traceparent="00-1-2-01"))
    heard = upstream.heard[-1]
    assert (heard["accept"], heard["traceparent"]) == ("text/csv", "00-1-2-01")


async def test_nothing_of_the_service_comes_back(runtime: MacroRuntime, upstream: Upstream) -> None:
    upstream.headers = {
        "set-cookie": "session=1", "server": "inner/1.0", "x-powered-by": "inner",
        "connection": "keep-alive, x-hop", "x-hop": "1", "keep-alive": "timeout=5",
        "strict-transport-security": "max-age=1", "access-control-allow-origin": "*",
        "content-security-policy": "x", "alt-svc": "x", "www-authenticate": "Basic",
        "link": "<http://inner/>", "x-inner": KEY, "etag": f'"{KEY}"', "content-language": "en",
    }  # fmt: skip
    answer = await runtime.forward(get())
    assert set(answer.headers) == {"content-type", "content-language"}
    # and a cookie set for one caller is not sent for the next
    await runtime.forward(get("b"))
    assert "cookie" not in upstream.heard[-1]


@pytest.mark.parametrize("fault", HTTP_FAULTS)
async def test_faults_end_in_time_and_say_nothing_of_the_inside(
    runtime: MacroRuntime, upstream: Upstream, fault: str
) -> None:
    bomb()
    upstream.fault = fault
    for call in (get(), Call("POST", (PREFIX + "series").encode(), body=b"{}")):
        began = perf_counter()
        error = await failed(runtime, call)
        assert perf_counter() - began < DEADLINE + SLACK
        assert error.status in (502, 503)
        assert error.status != 503 or "Retry-After" in error.headers
        assert "127.0.0.1" not in str(error.detail)
        assert "inner" not in str(error.detail)
        assert KEY not in str(error.detail)
    assert upstream.trapped == []
    if fault == "429_retry_after":
        assert error.headers["Retry-After"] == "7"


@pytest.mark.parametrize("fault", TRANSPORT_FAULTS)
async def test_faults_below_http(settings: Settings, port: int, time: Time, fault: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = closed.getsockname()[1]
    url = {
        "refused": f"http://127.0.0.1:{nobody}",
        "dns": "http://no-such-host.invalid",
        "tls": f"https://127.0.0.1:{port}",
    }[fault]
    runtime = proxy(settings, url, time)
    began = perf_counter()
    error = await failed(runtime, get())
    assert perf_counter() - began < DEADLINE + SLACK
    assert error.status in (502, 503)
    await runtime.aclose()


@pytest.mark.parametrize("fault", [f for f in HTTP_FAULTS if f != "unasked_304"])
async def test_a_stale_answer_stands_in_for_a_failing_upstream(
    runtime: MacroRuntime, upstream: Upstream, time: Time, fault: str
) -> None:
    upstream.headers = {"cache-control": "max-age=10, stale-if-error=100"}
    first = await runtime.forward(get())
    time.now += 50
    upstream.fault = fault
    stale = await runtime.forward(get())
    assert (stale.cache, stale.body, stale.headers["age"]) == ("stale", first.body, "50")
    time.now += 61
    assert (await failed(runtime, get())).status in (502, 503)


async def test_the_breaker_opens_at_5_and_probes_at_30_s(
    runtime: MacroRuntime, upstream: Upstream, time: Time
) -> None:
    upstream.fault = "500"
    for n in range(5):
        assert (await failed(runtime, get(f"a/{n}"))).status == 502
    resting = await failed(runtime, get("b"))
    assert (resting.status, resting.headers["Retry-After"]) == (503, "30")
    assert sum(upstream.requests.values()) == 5
    time.now += 29.9
    assert (await failed(runtime, get("b"))).status == 503
    time.now += 0.2
    assert (await failed(runtime, get("b"))).status == 502  # the probe
    assert (await failed(runtime, get("b"))).status == 503
    assert sum(upstream.requests.values()) == 6
    upstream.fault = None
    time.now += 30
    assert (await runtime.forward(get("b"))).status == 200
    assert (await runtime.forward(get("c"))).status == 200


async def test_refusals_and_throttling_do_not_open_the_breaker(
    runtime: MacroRuntime, upstream: Upstream
) -> None:
    upstream.fault = "429"
    for _ in range(7):
        assert (await failed(runtime, get())).error_code == "macro_runtime_throttled"
    upstream.fault = None
    for _ in range(7):
        assert (await runtime.forward(get("unknown"))).status == 404
    assert (await runtime.forward(get())).status == 200


async def test_redirects_below_the_upstream_are_followed(
    runtime: MacroRuntime, upstream: Upstream
) -> None:
    answer = await runtime.forward(get("moved"))
    assert (answer.status, "location" in answer.headers) == (200, False)
    assert upstream.requests["/api/series"] == 1


async def test_memory_is_bounded(
    runtime: MacroRuntime, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("augury.macro.service.CACHE_BYTES", 5_000)
    assert CACHE_BYTES > 5_000
    upstream.headers = {"cache-control": "max-age=60"}
    for n in range(10):
        await runtime.forward(get(f"series/{n}"))
    assert (await runtime.forward(get("series/9"))).cache == "hit"
    assert (await runtime.forward(get("series/0"))).cache == "miss"
    assert runtime._bytes <= 5_000


async def test_closing_ends_what_is_under_way(runtime: MacroRuntime, upstream: Upstream) -> None:
    upstream.delay = 5
    under_way = asyncio.create_task(runtime.forward(get()))
    await asyncio.sleep(0.05)
    await runtime.aclose()
    with pytest.raises(AuguryError) as ended:
        await under_way
    assert ended.value.status == 503


async def test_not_configured(settings: Settings, time: Time) -> None:
    error = await failed(proxy(settings, None, time), get())
    assert (error.status, error.error_code) == (503, "not_configured")
    assert "AUGURY_MACRO_RUNTIME_URL" in str(error.detail)

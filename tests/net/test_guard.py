"""Nothing connects inward, whatever the address looks like or resolves to (R12)."""

from __future__ import annotations

import asyncio
import gzip
import time
from datetime import timedelta
from ipaddress import ip_address

import httpx2
import pytest
from tests.net import hostile
from tests.net.conftest import Trap
from tests.net.raw_server import OPEN, answer, server
from tests.pace import SLACK

from augury.net import fetch, guard
from augury.net.addresses import AddressPolicy, Refused
from augury.net.budget import Budget
from augury.net.fetch import FetchFailed

pytestmark = pytest.mark.anyio


async def test_no_hostile_address_is_connected_to(trap: Trap) -> None:
    urls = hostile.urls(trap.port)
    assert len(urls) >= 160
    policy = AddressPolicy(http=True)
    async with guard.client(policy, timeout=2, resolver=hostile.lying_resolver) as client:
        for url in urls:
            with pytest.raises((Refused, FetchFailed, httpx2.InvalidURL)):
                await fetch.get(client, url, deadline=2)
    assert trap.caught == []


async def test_the_trap_catches_what_the_operator_allows(trap: Trap) -> None:
    async with guard.client(OPEN, timeout=2) as client:
        with pytest.raises(httpx2.TransportError):
            await client.get(f"http://127.0.0.1:{trap.port}/")
    assert len(trap.caught) == 1


async def test_the_transport_refuses_even_where_nobody_looked_at_the_url(trap: Trap) -> None:
    """What a library built on the client does with a URL of its own is judged too."""
    async with guard.client(
        AddressPolicy(http=True), timeout=2, resolver=hostile.lying_resolver
    ) as client:
        for url in hostile.urls(trap.port):
            with pytest.raises((Refused, httpx2.HTTPError, httpx2.InvalidURL, UnicodeError)):
                await client.post(url, content=b"x")
    assert trap.caught == []


async def test_a_name_that_turns_inward_between_look_and_connection(trap: Trap) -> None:
    """Rebinding: each connection uses the answer that was judged, and asks only once."""
    answers = iter([["93.184.215.14"], ["127.0.0.1"]])
    asked = 0

    async def turning(host: str, port: int) -> list[str]:
        nonlocal asked
        asked += 1
        return next(answers)

    async with guard.client(AddressPolicy(http=True), timeout=0.3, resolver=turning) as client:
        with pytest.raises(httpx2.TransportError):
            await client.get(f"http://rebind.example.com:{trap.port}/")
        assert asked == 1
        with pytest.raises(Refused):
            await client.get(f"http://rebind.example.com:{trap.port}/")
    assert trap.caught == []


async def test_redirects_inward_are_refused_each_one(trap: Trap) -> None:
    async def resolver(host: str, port: int) -> list[str]:
        return {"good.example.com": ["127.0.0.1"]}.get(host, ["127.0.0.5"])

    policy = AddressPolicy.of(["good.example.com"], http=True)
    targets = [
        u for u in hostile.urls(trap.port) if "\r" not in u and "\n" not in u and "\0" not in u
    ]
    for target in targets:
        location = target.encode("utf-8", "replace").decode("latin-1")
        async with (
            server(lambda _, to=location: answer(status="302 Found", Location=to)) as port,
            guard.client(policy, timeout=2, resolver=resolver) as client,
        ):
            with pytest.raises((Refused, FetchFailed)):
                await fetch.get(client, f"http://good.example.com:{port}/", deadline=3)
    assert trap.caught == []


async def test_redirects_are_followed_and_keep_credentials_at_home() -> None:
    seen: list[str] = []

    def target(request: str) -> bytes:
        seen.append(request.lower())
        return answer(b"there")

    async with server(target) as there:
        home = answer(status="302 Found", Location=f"http://127.0.0.1:{there}/x")
        async with server(lambda _: home) as port, guard.client(OPEN, timeout=2) as client:
            url = f"http://127.0.0.1:{port}/"
            found = await fetch.get(client, url, headers={"X-Token": "s3cret"})
    assert found.body == b"there"
    assert "x-token" not in seen[0]


async def test_a_redirect_in_circles_ends() -> None:
    async with (
        server(lambda _: answer(status="302 Found", Location="/again")) as port,
        guard.client(OPEN, timeout=2) as client,
    ):
        with pytest.raises(FetchFailed, match="redirects more than"):
            await fetch.get(client, f"http://127.0.0.1:{port}/")


async def test_no_proxy_of_the_environment_is_used(
    trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{trap.port}")

    async def nowhere(host: str, port: int) -> list[str]:
        return []

    async with guard.client(AddressPolicy(http=True), timeout=1, resolver=nowhere) as client:
        with pytest.raises(Refused):
            await client.get("http://example.com/")
    assert trap.caught == []


async def test_a_large_or_endless_answer_is_cut_off() -> None:
    bomb = gzip.compress(b"\0" * 10_000_000)
    cases = [
        (answer(b"x" * 5_000), "sent more than"),
        (answer(bomb, Content_Encoding="gzip"), "sent more than"),
        (answer(b"oops", Content_Encoding="gzip"), "damaged"),
        (
            answer(gzip.compress(b"hello")[:-4], Content_Encoding="gzip"),
            "ended its compressed answer too early",
        ),
        (answer(b"x", Content_Encoding="br"), "not requested"),
        (answer(status="500 Oops"), "status 500"),
        (b"not http at all\r\n\r\n", "can't be reached"),
    ]
    for sent, text in cases:
        async with server(lambda _, a=sent: a) as port, guard.client(OPEN, timeout=2) as client:
            with pytest.raises(FetchFailed, match=text):
                await fetch.get(client, f"http://127.0.0.1:{port}/", max_bytes=4_096)


async def test_the_deadline_holds_against_a_trickle() -> None:
    gone = asyncio.Event()

    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        try:
            for _ in range(100):
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.05)
        except OSError:
            pass
        writer.close()
        gone.set()

    running = await asyncio.start_server(trickle, "127.0.0.1", 0)
    port = running.sockets[0].getsockname()[1]
    async with running, guard.client(OPEN, timeout=2) as client:
        began = asyncio.get_running_loop().time()
        with pytest.raises(FetchFailed, match="in time"):
            await fetch.get(client, f"http://127.0.0.1:{port}/", deadline=0.3)
        assert asyncio.get_running_loop().time() - began < 0.3 + SLACK
        await gone.wait()


async def test_every_address_of_a_name_is_tried() -> None:
    async def two(host: str, port: int) -> list[str]:
        return ["127.0.0.3", "127.0.0.1"]

    policy = AddressPolicy.of(["two.example.com"], http=True)
    async with (
        server(lambda _: answer(b"second")) as port,
        guard.client(policy, timeout=2, resolver=two) as client,
    ):
        found = await fetch.get(client, f"http://two.example.com:{port}/")
    assert found.body == b"second"


async def test_no_log_level_tells_a_url(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    async with server(lambda _: answer(b"x")) as port, guard.client(OPEN, timeout=2) as client:
        url = f"http://127.0.0.1:{port}/?token=s3cr3t"
        await fetch.get(client, url, headers={"X-Key": "t0k3n"})
    assert "s3cr3t" not in caplog.text
    assert "t0k3n" not in caplog.text


async def test_the_machine_s_own_address_is_not_connected_to(
    trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its public one too: from inside it leads past the proxy."""
    assert guard.is_own(ip_address("127.0.0.1"))
    assert not guard.is_own(ip_address("93.184.215.14"))
    monkeypatch.setattr(AddressPolicy, "check_address", lambda *_: None)  # as if it were public
    async with guard.client(AddressPolicy(http=True), timeout=2) as client:
        with pytest.raises(Refused):
            await client.get(f"http://127.0.0.1:{trap.port}/")
    assert trap.caught == []


async def test_names_that_lead_to_one_address_are_dialed_at_its_pace() -> None:
    """Names cost nothing: what is bounded is the address."""
    asked = 0

    def one(request: str) -> bytes:
        nonlocal asked
        asked += 1
        return answer(b"x")

    async def same(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    dials = Budget(5, timedelta(seconds=0.5))
    async with (
        server(one) as port,
        guard.client(OPEN, timeout=0.5, resolver=same, dials=dials) as client,
    ):
        began = time.monotonic()
        answers = await asyncio.gather(
            *(client.get(f"http://n{n}.example.com:{port}/") for n in range(60)),
            return_exceptions=True,
        )
        seconds = time.monotonic() - began
    assert 5 <= asked <= 5 + 10 * seconds + 1
    assert sum(isinstance(a, httpx2.ConnectTimeout) for a in answers) == 60 - asked

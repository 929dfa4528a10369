"""A host is fetched from at its pace, whoever has series there and however many."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import pytest
from tests.pace import SLACK, until
from tests.series.sources import ONE_POINT, listening
from tests.watchlists.conftest import World

from augury.errors import RateLimited
from augury.net import fetch
from augury.net.addresses import AddressPolicy
from augury.net.fetch import FetchFailed
from augury.series.service import SeriesService
from augury.series.sources import SHORTEST_REFRESH, Source

pytestmark = pytest.mark.anyio

NEVER = 0.001
"""Fetches a second: nothing comes back to a host's budget while a test runs."""


@dataclass
class Host:
    """A source of CSV that notes the paths asked for, and how many at once."""

    port: int = 0
    paths: list[str] = field(default_factory=list)
    most: int = 0
    seconds: float = 0.0
    _under_way: int = 0

    def url(self, path: str, name: str = "127.0.0.1") -> str:
        return f"http://{name}:{self.port}/{path}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).decode().split(" ")[1].removeprefix("/")
        self.paths.append(path)
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        await asyncio.sleep(self.seconds)
        self._under_way -= 1
        if path.startswith("to/"):
            head = (
                f"HTTP/1.1 302 X\r\nLocation: http://{path[3:].partition('?')[0]}:{self.port}/end"
            )
            writer.write(f"{head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        else:
            writer.write(ONE_POINT)
        await writer.drain()
        writer.close()


@pytest.fixture
async def host(anyio_backend: str) -> AsyncIterator[Host]:
    made = Host()
    async with listening(made.handle) as made.port:
        yield made


@asynccontextmanager
async def service(world: World, rate: float, burst: int) -> AsyncIterator[SeriesService]:
    policy = AddressPolicy.of(["127.0.0.0/8", "localhost"], http=True)
    made = SeriesService(world.database, world.vault, policy, host_rate=rate, host_burst=burst)
    yield made
    await made.close()


async def account(world: World, name: str) -> str:
    key, _ = await world.access.create_key(name, ["watch:write"])
    return key.account_id


async def scheduled(series: SeriesService, owner: str, url: str) -> str:
    made = await series.create(
        owner, "CPI", "macro_indicator", Source("csv", url), refresh_every=SHORTEST_REFRESH
    )
    return made.id


async def test_all_accounts_together_fetch_at_the_pace_of_a_host(world: World, host: Host) -> None:
    async with service(world, NEVER, 6) as series:
        for n in range(5):
            owner = await account(world, f"owner {n}")
            for m in range(4):
                await scheduled(series, owner, host.url(f"{n}/{m}"))
        other = await scheduled(series, world.account, host.url("other", "localhost"))
        series._dials = None  # both hosts are one address here
        for _ in range(3):
            await series.refresh_due()
        assert (await series.get(world.account, other)).points == 1
    there = [path for path in host.paths if path != "other"]
    assert len(there) == 6
    # Each account had its turn before one had its second.
    assert len({path.partition("/")[0] for path in there}) == 5


async def test_new_connections_to_an_address_have_its_pace_whatever_the_host_name(
    world: World, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "DEADLINE_SECONDS", 0.3)  # for which a connection waits
    async with service(world, NEVER, 6) as series:
        for name in ("127.0.0.1", "localhost"):
            for n in range(5):
                await scheduled(series, world.account, host.url(f"{n}", name))
        await series.refresh_due()
    assert len(host.paths) == 6


async def test_a_host_is_asked_a_few_times_at_once(world: World, host: Host) -> None:
    host.seconds = 0.1
    async with service(world, 1000, 1000) as series:
        for n in range(8):
            owner = await account(world, f"owner {n}")
            for m in range(3):
                await scheduled(series, owner, host.url(f"{n}/{m}"))
        await series.refresh_due()
    assert len(host.paths) == 24
    assert host.most <= 8


async def test_who_asks_now_leaves_half_for_the_schedule(world: World, host: Host) -> None:
    async with service(world, NEVER, 8) as series:
        made = await series.create(
            world.account, "CPI", "macro_indicator", Source("csv", host.url("now"))
        )
        for _ in range(4):
            await series.refresh(world.account, made.id, None)
        with pytest.raises(RateLimited, match="AUGURY_SERIES_RATE") as refused:
            await series.refresh(world.account, made.id, None)
        assert refused.value.retry_after is not None
        assert (await series.get(world.account, made.id)).failures == 0
        await scheduled(series, await account(world, "other"), host.url("scheduled"))
        await series.refresh_due()
    assert host.paths == ["now"] * 4 + ["scheduled"]


async def test_a_redirect_counts_at_the_host_it_leads_to(world: World, host: Host) -> None:
    async with service(world, NEVER, 6) as series:
        series._dials = None
        for n in range(8):
            owner = await account(world, f"owner {n}")
            await scheduled(series, owner, host.url(f"to/localhost?{n}"))
        for _ in range(2):
            await series.refresh_due()
        made = await series.create(
            world.account, "CPI", "macro_indicator", Source("csv", host.url("end", "localhost"))
        )
        with pytest.raises(RateLimited):
            await series.refresh(world.account, made.id, None)
    assert host.paths.count("end") == 6


async def test_accounts_without_a_turn_take_no_place_at_a_host(
    world: World, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine accounts have all their turns at slow sources and another series each at this host."""
    monkeypatch.setattr(fetch, "DEADLINE_SECONDS", 600.0)
    monkeypatch.setattr(fetch, "get", partial(fetch.get, deadline=600.0))
    asked = asyncio.Semaphore(0)
    end = asyncio.Event()

    async def hang(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.release()
        await end.wait()
        writer.close()

    slow = await asyncio.start_server(hang, "0.0.0.0", 0)
    port = slow.sockets[0].getsockname()[1]
    async with slow, service(world, 1000, 1000) as series:
        for n in range(9):
            owner = await account(world, f"owner {n}")
            for m in range(4):
                await scheduled(series, owner, f"http://127.0.0.{n + 10}:{port}/{m}")
            await scheduled(series, owner, host.url("crowd"))
        refreshing = asyncio.create_task(series.refresh_due())
        for _ in range(36):
            await asked.acquire()
        await scheduled(series, await account(world, "other"), host.url("other"))
        await until(lambda: "other" in host.paths, "the other account is served", SLACK)
        refreshing.cancel()
        await asyncio.gather(refreshing, return_exceptions=True)
        end.set()


async def test_a_redirect_to_a_busy_host_is_a_failure_that_says_so(
    world: World, host: Host
) -> None:
    async with service(world, NEVER, 2) as series:
        series._dials = None
        for n in range(2):
            await scheduled(series, world.account, host.url(f"end?{n}"))
        await series.refresh_due()
        made = await series.create(
            world.account, "CPI", "macro_indicator",
            Source("csv", host.url("to/127.0.0.1", "localhost")),
        )  # fmt: skip
        with pytest.raises(FetchFailed, match=r"redirects to 127\.0\.0\.1"):
            await series.refresh(world.account, made.id, None)

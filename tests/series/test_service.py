"""Series over a real database and a source of our own: conditional, revised, seen at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.net import hostile
from tests.net.conftest import Trap
from tests.pace import until
from tests.series.creating import create
from tests.series.sources import ONE_POINT, listening
from tests.watchlists.conftest import World

from augury.access.service import AccessService
from augury.errors import InvalidInput, NotFound
from augury.net import fetch
from augury.net.addresses import AddressPolicy, Refused
from augury.net.budget import Budget
from augury.net.fetch import FetchFailed
from augury.series import parse, store
from augury.series import service as module
from augury.series.service import SeriesService
from augury.series.sources import Source
from augury.series.store import Series
from augury.storage.database import Database

pytestmark = pytest.mark.anyio
HOUR = timedelta(hours=1)


@dataclass
class Feed:
    """A CSV over HTTP whose rows the test sets; knows ETags."""

    port: int = 0
    rows: dict[str, str] = field(default_factory=lambda: {"2026-01-01": "1", "2026-02-01": "2"})
    status: int = 200
    requests: list[str] = field(default_factory=list)
    more: str = ""
    """Further headers, in place of the ETag."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/cpi.csv?key=t0k3n"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.requests.append(request)
        body = "time,value\n" + "".join(f"{t},{v}\n" for t, v in self.rows.items())
        tag = f'"{hash(body)}"'
        known = f"if-none-match: {tag}" in request.lower()
        status = 304 if known and self.status == 200 else self.status
        body = "" if status == 304 else body
        more = self.more or f"ETag: {tag}\r\n"
        writer.write(
            f"HTTP/1.1 {status} X\r\n{more}"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode("latin-1")
        )
        await writer.drain()
        writer.close()
        await writer.wait_closed()


@pytest.fixture
async def feed(anyio_backend: str) -> AsyncIterator[Feed]:
    made = Feed()
    async with listening(made.handle) as made.port:
        yield made


async def test_a_refresh_adds_changes_and_keeps_what_was(
    world: World,
    series: SeriesService,
    feed: Feed,
) -> None:
    id_ = await create(world, series, Source("csv", feed.url, headers={"X-Api-Key": "s3cr3t"}))
    first = await series.refresh(world.account, id_, None)
    assert (first.status, first.added, first.changed) == ("ok", 2, 0)
    assert first.series.latest_value == 2.0
    assert "x-api-key: s3cr3t" in feed.requests[0].lower()
    again = await series.refresh(world.account, id_, None)
    assert (again.status, again.added, again.changed) == ("not_modified", 0, 0)
    feed.rows |= {"2026-01-01": "1.5", "2026-03-01": "3"}
    world.passes(60)
    third = await series.refresh(world.account, id_, None)
    assert (third.added, third.changed, third.series.latest_value) == (1, 1, 3.0)
    found, earlier = await series.points(
        world.account, id_, start=None, end=None, limit=10, after=None
    )
    assert [p.value for p in found] == [1.5, 2.0, 3.0]
    [revision] = earlier[datetime(2026, 1, 1, tzinfo=UTC)]
    assert revision.value == 1.0
    assert revision.replaced_at - revision.known_at == timedelta(seconds=60)


async def test_a_failure_is_told_and_kept_and_harms_nothing(
    world: World,
    series: SeriesService,
    feed: Feed,
) -> None:
    id_ = await create(world, series, Source("csv", feed.url))
    await series.refresh(world.account, id_, None)
    feed.status, feed.rows = 500, {"x": "1"}
    with pytest.raises(FetchFailed, match="status 500"):
        await series.refresh(world.account, id_, None)
    feed.status = 200
    with pytest.raises(FetchFailed, match="Row 1: its time"):
        await series.refresh(world.account, id_, None)
    kept = await series.get(world.account, id_)
    assert (kept.points, kept.latest_value, kept.failures) == (2, 2.0, 2)
    assert "its time" in (kept.failure or "")


async def test_pushed_points_are_seen_by_rules_at_once(
    world: World,
    series: SeriesService,
) -> None:
    id_ = await create(world, series, Source("push"))
    await world.target(id_, "series")
    await world.rule(metric="series_value", threshold=5.0)
    await world.rule(metric="series_change", threshold=3.0, span=timedelta(days=28))
    assert [s for s, _ in await world.evaluate()] == ["no_data", "no_data"]
    pushed = [("2026-04-01", 2.0), ("2026-04-30", 6.0)]
    done = await series.refresh(world.account, id_, pushed)  # type: ignore[arg-type]
    assert (done.added, done.changed) == (2, 0)
    assert await world.evaluator.tick() == 2
    assert await world.evaluate() == [("firing", 6.0), ("firing", 4.0)]
    twice = await series.refresh(world.account, id_, pushed)  # type: ignore[arg-type]
    assert (twice.added, twice.changed) == (0, 0)
    with pytest.raises(InvalidInput):
        await series.refresh(world.account, id_, [("x", 1.0)])
    with pytest.raises(InvalidInput):
        await series.refresh(world.account, id_, None)


async def test_points_and_their_revisions_are_bounded(
    world: World, series: SeriesService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_REVISIONS", 3)
    monkeypatch.setattr(module, "MOST_KEPT", 4)
    id_ = await create(world, series, Source("push"))
    for n in range(8):
        world.passes(60)
        pushed = [("2026-01-01", float(n)), ("2026-02-01", float(n // 4))]
        await series.refresh(world.account, id_, pushed)  # type: ignore[arg-type]
    found, earlier = await series.points(
        world.account, id_, start=None, end=None, limit=10, after=None
    )
    assert [point.value for point in found] == [7.0, 1.0]
    assert [r.value for r in earlier[found[0].time]] == [4.0, 5.0, 6.0]
    assert [r.value for r in earlier[found[1].time]] == [0.0]
    await series.refresh(world.account, id_, [("2026-03-01", 1.0), ("2026-04-01", 1.0)])
    with pytest.raises(InvalidInput):
        await series.refresh(world.account, id_, [("2026-05-01", 1.0)])
    assert (await series.get(world.account, id_)).points == 4
    changed = await series.refresh(world.account, id_, [("2026-04-01", 2.0)])
    assert changed.changed == 1


async def test_late_points_fill_the_past_and_do_not_become_the_latest(
    world: World,
    series: SeriesService,
) -> None:
    id_ = await create(world, series, Source("push"))
    await series.refresh(world.account, id_, [("2026-04-30", 6.0)])
    late = await series.refresh(world.account, id_, [("2026-04-01", 9.0)])
    assert (late.added, late.series.latest_value) == (1, 6.0)


async def test_a_schedule_fetches_what_is_due_once(
    world: World,
    series: SeriesService,
    feed: Feed,
) -> None:
    id_ = await create(world, series, Source("csv", feed.url), refresh_every=HOUR)
    other = SeriesService(world.database, world.vault, world.policy, clock=world.clock)
    world.now = datetime.now(UTC)
    await asyncio.gather(series.refresh_due(), other.refresh_due())
    await other.close()
    assert len(feed.requests) == 1
    await series.refresh_due()
    assert len(feed.requests) == 1
    kept = await series.get(world.account, id_)
    assert kept.due_at == world.now + HOUR
    feed.status = 503
    async with world.database.reading() as conn:
        await conn.execute("update series set due_at = now()")
    await series.refresh_due()
    kept = await series.get(world.account, id_)
    assert kept.failures == 1
    assert kept.due_at == world.now + HOUR


@pytest.mark.parametrize("name", ["ETag", "Last-Modified"])
@pytest.mark.parametrize("value", ['"\xff\xfe"', '"' + "a" * 5_000 + '"'], ids=["bytes", "long"])
async def test_what_cannot_be_sent_back_is_not_kept(
    world: World, series: SeriesService, feed: Feed, name: str, value: str
) -> None:
    feed.more = f"{name}: {value}\r\n"
    id_ = await create(world, series, Source("csv", feed.url))
    await series.refresh(world.account, id_, None)
    async with world.database.reading() as conn:  # as an earlier version kept it
        await conn.execute("update series set etag = %s, last_modified = %s", (value, value))
    assert (await series.refresh(world.account, id_, None)).status == "ok"
    assert value not in feed.requests[-1]
    kept = await series.get(world.account, id_)
    assert value not in (kept.etag, kept.last_modified)


async def test_a_fault_of_one_series_ends_no_other(
    world: World, series: SeriesService, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = series._fetch_source

    async def ask(one: Series) -> fetch.Fetched:
        if one.id == bad:
            raise RuntimeError("a fault of ours")
        await asyncio.sleep(0.2)
        return await real(one)

    monkeypatch.setattr(series, "_fetch_source", ask)
    world.now = datetime.now(UTC)
    bad = await create(world, series, Source("csv", feed.url), refresh_every=HOUR)
    good = await create(world, series, Source("csv", feed.url), refresh_every=HOUR)
    await series.refresh_due()
    assert (await series.get(world.account, good)).points == 2
    failed = await series.get(world.account, bad)
    assert (failed.failures, failed.due_at) == (1, world.now + HOUR)


async def test_writers_at_once_lose_nothing(world: World, series: SeriesService) -> None:
    id_ = await create(world, series, Source("push"))
    await asyncio.gather(
        *(series.refresh(world.account, id_, [(f"20{n:02}-01-01", n)]) for n in range(10, 26))
    )
    assert (await series.get(world.account, id_)).points == 16


async def test_no_source_leads_inward(
    world: World,
    database: Database,
    trap: Trap,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R12: at the request, and for what was stored before the policy said no."""
    strict = SeriesService(
        database, world.vault, AddressPolicy(http=True), clock=world.clock, host_rate=100_000
    )
    real = module.guard.client
    monkeypatch.setattr(
        module.guard,
        "client",
        lambda policy, **kw: real(policy, **{**kw, "resolver": hostile.lying_resolver}),
    )
    monkeypatch.setattr(module, "MOST_SERIES", 10_000)
    id_ = await create(world, strict, Source("csv", "http://example.org/"))
    refused = 0
    for url in hostile.urls(trap.port):
        try:
            await create(world, strict, Source("csv", url or "-"))
        except InvalidInput:
            refused += 1
        sealed = world.vault.seal(url.encode(), id_)
        async with database.reading() as conn:
            await conn.execute("update series set url = %s where id = %s", (sealed, id_))
        with pytest.raises((FetchFailed, Refused)):
            await strict.refresh(world.account, id_, None)
    assert refused > 150
    await strict.close()
    assert refused > 100
    assert trap.caught == []


@pytest.mark.parametrize(
    ("source", "fields"),
    [
        (Source("push", "http://127.0.0.1/"), {}),
        (Source("csv"), {}),
        (Source("push"), {"refresh_every": HOUR}),
        (Source("push", time_path="a"), {}),
        (Source("csv", "http://10.0.0.1/"), {}),
        (Source("csv", "http://127.0.0.1/"), {"refresh_every": timedelta(seconds=5)}),
        (Source("json", "http://127.0.0.1/", time_path="a["), {}),
        (Source("fred", "http://127.0.0.1/", time_path="a"), {}),
        (Source("csv", "http://127.0.0.1/", headers={"Host": "x"}), {}),
        (Source("csv", "http://127.0.0.1/", headers={"X": "a\r\nb"}), {}),
        (Source("csv", "http://127.0.0.1/", headers={"X y": "a"}), {}),
    ],
)
async def test_series_that_make_no_sense(
    world: World,
    series: SeriesService,
    source: Source,
    fields: dict[str, Any],
) -> None:
    with pytest.raises(InvalidInput):
        await create(world, series, source, **fields)


async def test_secrets_are_sealed_and_others_see_nothing(
    world: World,
    series: SeriesService,
    feed: Feed,
) -> None:
    source = Source("csv", feed.url, headers={"Authorization": "Bearer s3cr3t"})
    id_ = await create(world, series, source)
    async with world.database.reading() as conn:
        stored = repr(await (await conn.execute("select * from series")).fetchall())
    assert "s3cr3t" not in stored
    assert "t0k3n" not in stored
    other, _ = await world.access.create_key("other", ["watch:write"])
    for attempt in (
        series.get(other.account_id, id_),
        series.delete(other.account_id, id_),
        series.refresh(other.account_id, id_, None),
        series.points(other.account_id, id_, start=None, end=None, limit=1, after=None),
    ):
        with pytest.raises(NotFound, match="No series of yours has this id"):
            await attempt
    assert await series.page(other.account_id, limit=10, after=None) == []
    mine = await world.watchlists.create(other.account_id, "x", None)
    with pytest.raises(InvalidInput):
        await world.watchlists.add_target(other.account_id, mine.watchlist.id, "series", id_)


async def test_nothing_new_is_no_answer_to_who_did_not_ask_for_news(
    world: World, series: SeriesService, feed: Feed
) -> None:
    feed.status = 304
    id_ = await create(world, series, Source("csv", feed.url))
    with pytest.raises(FetchFailed, match="status 304"):
        await series.refresh(world.account, id_, None)


@dataclass
class Slow:
    """A source that answers nothing until it is let go, and notes who was asked for."""

    port: int = 0
    asked: list[str] = field(default_factory=list)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = (await reader.readuntil(b"\r\n\r\n")).decode()
        except asyncio.IncompleteReadError:  # given up before anything was asked
            writer.close()
            return
        name = request.split(" ")[1].removeprefix("/")
        self.asked.append(name)
        if name.startswith("slow"):
            await self.go.wait()
        writer.write(ONE_POINT)
        await writer.drain()
        writer.close()


@pytest.fixture
async def slow(anyio_backend: str) -> AsyncIterator[Slow]:
    made = Slow()
    async with listening(made.handle) as made.port:
        yield made
        made.go.set()


async def test_slow_sources_of_one_account_keep_no_other_waiting(
    world: World, series: SeriesService, slow: Slow
) -> None:
    for n in range(60):
        source = Source("csv", slow.url(f"slow{n}"))
        await create(world, series, source, refresh_every=HOUR)
    async with world.database.reading() as conn:
        await conn.execute("update series set due_at = now() - interval '1 hour'")
    key, _ = await AccessService(world.database).create_key("other", ["watch:write"])
    other = key.account_id
    before, after = Source("csv", slow.url("before")), Source("csv", slow.url("after"))
    await series.create(other, "CPI", "macro_indicator", before, refresh_every=HOUR)
    refreshing = asyncio.create_task(series.refresh_due())
    await until(lambda: "before" in slow.asked, "it is fetched beside the slow ones")
    # And one that comes while all the slow ones are under way.
    await series.create(other, "CPI", "macro_indicator", after, refresh_every=HOUR)
    await until(lambda: "after" in slow.asked, "it is fetched beside the slow ones")
    assert sum(name.startswith("slow") for name in slow.asked) <= 4
    while not refreshing.done():  # Python 3.11 may lose one that comes as a statement ends
        refreshing.cancel()
        await asyncio.wait({refreshing}, timeout=1)


async def test_answers_are_read_in_another_process(
    world: World, series: SeriesService, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter lock of this one is what requests wait for."""

    def here(*_: object) -> None:
        raise AssertionError("read in the process that answers")

    for name in ("parse", "_csv", "_json"):
        monkeypatch.setattr(f"augury.series.parse.{name}", here)
    id_ = await create(world, series, Source("csv", feed.url))
    found = await series.refresh(world.account, id_, None)
    assert (found.added, found.series.latest_value) == (2, 2.0)


async def test_an_account_whose_sources_sent_much_waits(
    world: World, series: SeriesService, feed: Feed
) -> None:
    series._budget = Budget(10, HOUR)
    id_ = await create(world, series, Source("csv", feed.url))
    await series.refresh(world.account, id_, None)
    with pytest.raises(FetchFailed, match="within an hour"):
        await series.refresh(world.account, id_, None)
    assert len(feed.requests) == 1
    kept = await series.get(world.account, id_)
    assert "within an hour" in (kept.failure or "")
    key, _ = await AccessService(world.database).create_key("other", ["watch:write"])
    made = await series.create(key.account_id, "CPI", "macro_indicator", Source("csv", feed.url))
    assert (await series.refresh(key.account_id, made.id, None)).added == 2


def test_points_come_through_slices_as_they_are() -> None:
    rows = "".join(f"{1800 + n % 400}-01-{n % 28 + 1:02d},{n / 7}\n" for n in range(5_000))
    body = f"time,value\n{rows}".encode()
    whole = parse.parse("csv", body, None, None)
    slices = parse.packed("csv", body, None, None)
    assert [p for given in slices for p in parse.unpacked(given)] == whole
    assert len(slices) == -(-len(whole) // parse.SLICE_POINTS)

"""The flows against simulated venues: what arrives, what goes on after a kill, what is doubted."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.pace import PATIENCE, SLACK
from tests.serving import served
from tests.venues.conftest import NOW, make
from tests.venues.simulator import Simulator
from tests.venues.stored import scalar, stored, with_tokens
from tests.venues.wire_markets import Generation

from augury.errors import NotFound, Unavailable
from augury.markets import store as markets
from augury.markets.records import PLATFORMS, Market, Platform
from augury.settings import Settings
from augury.storage.database import Database
from augury.venues import store
from augury.venues.flows import FlowOutcome
from augury.venues.records import StoredMarketRef
from augury.venues.sync import Sync, venue_health

pytestmark = pytest.mark.anyio
Build = Callable[..., Sync]
Serve = Callable[[Simulator], int]


def a_crowd(count: int) -> list[Market]:
    """`count` open markets of each venue, each an event of its own."""
    return [make("polymarket", f"{1000 + i}", f"Question {i}?", 0.5) for i in range(count)] + [
        make("kalshi", f"KXQ-{i}", f"Question {i}?", 0.5, event_id=f"KXQ-{i}") for i in range(count)
    ]


def assert_same(found: markets.StoredMarket, meant: Market, cent: float = 1e-6) -> None:
    assert found.question == meant.question
    assert tuple(found.outcomes) == meant.outcomes
    assert (found.status, found.resolution) == (meant.status, meant.resolution)
    if meant.status == "active":
        for mine, theirs in zip(found.prices, meant.prices, strict=True):
            assert (mine is None) == (theirs is None)
            assert mine is None or theirs is None or abs(mine - theirs) <= cent


@pytest.mark.parametrize("generation", ["old", "new"])
async def test_a_full_sync_brings_both_venues_in_both_generations(
    generation: Generation,
    database: Database,
    catalogue: list[Market],
    serve: Serve,
    sync_with: Build,
) -> None:
    simulator = Simulator(catalogue, generation=generation)
    simulator.page_size = 2
    sync = sync_with(serve(simulator))
    for platform in PLATFORMS:
        outcome = await sync.full(platform)
        assert outcome.failure is None, outcome
        assert outcome.inserted == sum(m.platform == platform for m in catalogue)
        assert outcome.pages > 2
    found = await stored(database)
    assert found.keys() == {m.id for m in catalogue}
    for market in catalogue:
        assert_same(found[market.id], market, 0.011)
        assert found[market.id].origin == "venue"
    assert found["kalshi:KXRATE-26-T3"].category == "World"
    assert not [id_ for id_ in found if "KXMVE" in id_]
    # Own price history from day one.
    assert await scalar(database, "select count(*) from prices") >= 10

    async with database.reading() as conn:
        health = await venue_health(conn)
    for venue in health:
        assert venue.failure is None
        assert venue.age_seconds is not None
        assert venue.age_seconds < 60
        assert venue.markets == sum(m.platform == venue.platform for m in catalogue)


async def test_a_second_full_sync_changes_nothing(
    database: Database, catalogue: list[Market], serve: Serve, sync_with: Build
) -> None:
    sync = sync_with(serve(Simulator(catalogue)))
    for platform in PLATFORMS:
        await sync.full(platform)
    before = await scalar(database, "select max(change) from markets")
    for platform in PLATFORMS:
        again = await sync.full(platform)
        assert (again.inserted, again.updated) == (0, 0), again
    assert await scalar(database, "select max(change) from markets") == before


async def test_prices_moves_closings_and_resolutions_arrive(
    database: Database, catalogue: list[Market], serve: Serve, sync_with: Build
) -> None:
    simulator = Simulator(catalogue)
    sync = sync_with(serve(simulator))
    for platform in PLATFORMS:
        await sync.full(platform)
    simulator.move("polymarket:101", 0.71)
    simulator.move("kalshi:KXRATE-26-T4", 0.66)
    simulator.close("polymarket:102")
    simulator.resolve("kalshi:KXLONE-26", 1)
    simulator.resolve("polymarket:111", 0)
    for platform in PLATFORMS:
        outcome = await sync.refresh_prices(platform)
        assert outcome.failure is None
    found = await stored(database)
    assert found["polymarket:101"].prices == [0.71, 0.29]
    assert found["kalshi:KXRATE-26-T4"].prices == [0.66, 0.34]
    assert found["polymarket:102"].status == "closed"
    assert found["kalshi:KXLONE-26"].resolution == "No"
    assert (found["polymarket:111"].status, found["polymarket:111"].resolution) == (
        "resolved",
        "Yes",
    )
    # Texts are not touched by a refresh.
    assert found["kalshi:KXRATE-26-T4"].question == "Where will the rate be? — Above 4%"
    points = await scalar(
        database,
        "select count(*) from prices p join markets m on m.seq = p.market_seq where m.id = %s",
        "polymarket:101",
    )
    assert points == 2


async def test_new_markets_arrive_with_their_event(
    database: Database, catalogue: list[Market], serve: Serve, sync_with: Build
) -> None:
    simulator = Simulator(catalogue)
    sync = sync_with(serve(simulator))
    for platform in PLATFORMS:
        await sync.full(platform)
    born = datetime.now(UTC)
    simulator.put(make("polymarket", "500", "Is this new?", 0.5, created_at=born))
    simulator.put(
        make(
            "kalshi",
            "KXRATE-26-T6",
            "Where will the rate be? — Above 6%",
            0.05,
            title="Where will the rate be?",
            subtitle="Above 6%",
            event_id="KXRATE-26",
            event_name="Where will the rate be?",
            created_at=born,
        )
    )
    simulator.resolve("kalshi:KXLONE-26", 0)
    for platform in PLATFORMS:
        outcome = await sync.incremental(platform)
        assert outcome.failure is None, outcome
        assert outcome.inserted == 1, outcome
    found = await stored(database)
    assert found["kalshi:KXRATE-26-T6"].question == "Where will the rate be? — Above 6%"
    assert found["kalshi:KXLONE-26"].resolution == "Yes"
    assert "polymarket:500" in found


async def test_a_market_that_left_the_listing_is_looked_up_and_never_assumed(
    database: Database, catalogue: list[Market], serve: Serve, sync_with: Build
) -> None:
    simulator = Simulator(catalogue)
    sync = sync_with(serve(simulator))
    for platform in PLATFORMS:
        await sync.full(platform)
    resolved = ("polymarket:101", "kalshi:KXRATE-26-T3")
    silent = ("polymarket:102", "kalshi:KXLONE-26")
    for id_ in resolved:
        simulator.resolve(id_, 0)
    simulator.archived.add("kalshi:KXRATE-26-T3")
    simulator.hidden |= {*resolved, *silent}
    del simulator.markets["polymarket:112"]
    for platform in PLATFORMS:
        outcome = await sync.full(platform)
        assert outcome.failure is None, outcome
    found = await stored(database)
    for id_ in resolved:
        assert (found[id_].status, found[id_].resolution) == ("resolved", "Yes")
    for id_ in (*silent, "polymarket:112"):
        assert found[id_].status == "active", "unknown or merely unlisted is not closed"


async def test_one_market_by_its_id(
    database: Database, catalogue: list[Market], serve: Serve, sync_with: Build
) -> None:
    simulator = Simulator(catalogue)
    simulator.archived.add("kalshi:KXDONE-26")
    sync = sync_with(serve(simulator))
    for id_ in ("polymarket:105", "kalshi:KXDONE-26", "kalshi:KXRATE-26-T5"):
        await sync.look_up(id_)
    found = await stored(database)
    assert found["polymarket:105"].resolution == "Yes"
    assert found["kalshi:KXDONE-26"].resolution == "No"
    assert found["kalshi:KXRATE-26-T5"].question == "Where will the rate be? — Above 5%"
    for id_ in ("polymarket:9999", "kalshi:KXNO", "elsewhere:1", "polymarket:"):
        with pytest.raises(NotFound):
            await sync.look_up(id_)


async def test_past_prices_are_fetched_once(
    database: Database, catalogue: list[Market], serve: Serve, sync_with: Build
) -> None:
    sync = sync_with(serve(Simulator([with_tokens(m) for m in catalogue])))
    for platform in PLATFORMS:
        await sync.full(platform)
        first = await sync.fetch_history(platform)
        assert first.failure is None
        assert first.prices >= 24
        second = await sync.fetch_history(platform)
        assert second.prices == 0


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_a_resolution_taken_back_is_believed_only_when_confirmed_twice(
    platform: Platform,
    database: Database,
    settings: Settings,
    catalogue: list[Market],
    serve: Serve,
    sync_with: Build,
) -> None:
    simulator = Simulator(catalogue)
    sync = sync_with(serve(simulator))
    at = NOW
    sync._clock = lambda: at
    await sync.full(platform)
    id_ = "polymarket:105" if platform == "polymarket" else "kalshi:KXDONE-26"
    known = (await stored(database))[id_]

    simulator.fault = "status_flip_back"
    for minutes, believed in ((0, False), (0.5, False), (2, False), (2.5, False), (4, True)):
        at = NOW + timedelta(minutes=minutes)
        await sync.look_up(id_)
        found = (await stored(database))[id_]
        assert (found.status == "active") == believed, minutes
        if not believed:
            assert found == known

    # And back: that is no claim against a resolution.
    simulator.fault = None
    await sync.look_up(id_)
    assert (await stored(database))[id_].resolution == known.resolution


async def test_a_silent_listing_does_no_damage(
    database: Database, serve: Serve, sync_with: Build
) -> None:
    simulator = Simulator(a_crowd(60))
    sync = sync_with(serve(simulator))
    for platform in PLATFORMS:
        await sync.full(platform)
    before = await stored(database)
    simulator.fault = "silent_empty"
    simulator.requests.clear()
    for platform in PLATFORMS:
        for flow in (sync.full, sync.refresh_prices):
            outcome = await flow(platform)
            assert outcome.failure is not None
            assert platform.capitalize() in outcome.failure
    assert await stored(database) == before
    assert sum(simulator.requests.values()) < 12, "no market is looked up for a venue's silence"
    async with database.reading() as conn:
        assert all(h.failure for h in await venue_health(conn))


async def test_a_listing_that_shows_half_is_not_taken_for_the_whole(
    database: Database, serve: Serve, sync_with: Build
) -> None:
    crowd = [make("polymarket", f"{1000 + i}", f"Question {i}?", 0.5) for i in range(60)]
    simulator = Simulator(crowd)
    sync = sync_with(serve(simulator))
    await sync.full("polymarket")
    simulator.hidden |= {m.id for m in crowd[:40]}
    simulator.requests.clear()
    outcome = await sync.full("polymarket")
    assert outcome.failure is not None
    assert "is incomplete" in outcome.failure
    assert not [path for path in simulator.requests if path.startswith("/gamma/markets/")]
    assert all(m.status == "active" for m in (await stored(database)).values())


async def test_another_process_at_the_same_flow_is_left_alone(
    database: Database, catalogue: list[Market], serve: Serve, sync_with: Build
) -> None:
    simulator = Simulator(catalogue)
    simulator.delay = 0.05
    port = serve(simulator)
    first, second = await asyncio.gather(
        sync_with(port).full("kalshi"), sync_with(port).full("kalshi")
    )
    assert {first.skipped, second.skipped} == {True, False}


async def test_older_news_never_replaces_newer(
    database: Database, catalogue: list[Market], serve: Serve, sync_with: Build
) -> None:
    simulator = Simulator(catalogue)
    port = serve(simulator)
    sync = sync_with(port)
    await sync.full("polymarket")
    simulator.move("polymarket:101", 0.9)
    late = sync_with(port)
    late._venues()["polymarket"]._clock = lambda: NOW - timedelta(hours=1)  # type: ignore[attr-defined]
    await late.refresh_prices("polymarket")
    assert (await stored(database))["polymarket:101"].prices == [0.31, 0.69]


async def test_following_the_venues_until_told_to_stop(
    database: Database, catalogue: list[Market], serve: Serve, sync_with: Build, settings: Settings
) -> None:
    simulator = Simulator(catalogue)
    sync = sync_with(serve(simulator))
    settings.price_refresh_every = 0.2
    settings.sync_incremental_every = 0.2
    stop = asyncio.Event()
    running = asyncio.create_task(sync.run(stop))
    async with asyncio.timeout(PATIENCE):
        while len(await stored(database)) < len(catalogue):
            await asyncio.sleep(0.05)
        simulator.move("polymarket:101", 0.77)
        while (await stored(database))["polymarket:101"].prices[0] != 0.77:
            await asyncio.sleep(0.05)
    began = time.monotonic()
    stop.set()
    await running
    assert time.monotonic() - began < SLACK


async def test_a_venue_out_of_reach_leaves_the_other_and_what_is_known(
    database: Database, catalogue: list[Market], serve: Serve, sync_with: Build
) -> None:
    port = serve(Simulator(catalogue))
    sync = sync_with(port, ["polymarket"])
    await sync.full("polymarket")
    broken = sync_with(1, ["kalshi"])
    outcome = await broken.full("kalshi")
    assert outcome.failure is not None
    assert outcome.failure.startswith("Kalshi can't be reached (no connection)")
    async with database.reading() as conn:
        by_venue = {h.platform: h for h in await venue_health(conn)}
    assert by_venue["polymarket"].failure is None
    assert by_venue["kalshi"].failure == outcome.failure
    assert by_venue["kalshi"].age_seconds is None


# --- killed in the middle --------------------------------------------------------------------

CHILD = """
import asyncio, sys
from augury.settings import Settings
from augury.storage.database import Database
from augury.venues.sync import Sync

async def main() -> None:
    database = Database(sys.argv[1], sys.argv[1], pool_size=2)
    await database.start()
    home = f"http://127.0.0.1:{sys.argv[2]}"
    settings = Settings(
        data_dir=sys.argv[3], polymarket_gamma_url=f"{home}/gamma",
        polymarket_clob_url=f"{home}/clob", kalshi_url=f"{home}/kalshi",
    )
    await Sync(database, settings).full(sys.argv[4], lambda o: print(o.pages, flush=True))

asyncio.run(main())
"""


@pytest.mark.whole
@pytest.mark.parametrize("platform", ["kalshi", pytest.param("polymarket", marks=pytest.mark.slow)])
async def test_a_killed_sync_goes_on_where_it_was(
    platform: Platform,
    database: Database,
    database_url: str,
    tmp_path: Path,
    sync_with: Build,
) -> None:
    simulator = Simulator(a_crowd(40))
    simulator.page_size, simulator.delay = 2, 0.02
    with served(simulator) as port:
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, database_url, str(port), str(tmp_path), platform],
            stdout=subprocess.PIPE,
            env={**os.environ, "AUGURY_DATA_DIR": str(tmp_path)},
        )
        assert child.stdout is not None
        for _ in range(4):
            await asyncio.to_thread(child.stdout.readline)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        async with database.reading() as conn:
            state = await store.load(conn, platform, "full")
        assert state.cursor is not None
        assert state.cursor["pages"] >= 4
        kept = len(await stored(database))
        assert kept > 0, "a checkpoint comes with its rows"

        simulator.requests.clear()
        simulator.delay = 0
        whole = sum(m.platform == platform for m in simulator.markets.values())
        outcome = await sync_with(port).full(platform)
        while outcome.skipped:  # the database has not noticed yet that the other died
            await asyncio.sleep(0.05)
            outcome = await sync_with(port).full(platform)
        assert outcome.failure is None
        expected = {
            m.id
            for m in simulator.markets.values()
            if m.platform == platform and m.status == "active"
        }
        found = await stored(database)
        assert expected <= found.keys()
        assert outcome.inserted < len(found), "what was stored before the kill was not new"
        assert outcome.inserted + kept >= len(found)
        assert len(found) <= whole
        async with database.reading() as conn:
            assert (await store.load(conn, platform, "full")).cursor is None


async def test_what_the_store_knows_of_targets(database: Database, catalogue: list[Market]) -> None:
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, catalogue)
    async with database.reading() as conn:
        known = await store.known_markets(conn, ["polymarket:102", "polymarket:nope"])
        due = await store.due_for_prices(conn, "kalshi", 4)
        assert await store.count_open(conn, "polymarket") == 6
    [target] = known.values()
    assert isinstance(target, StoredMarketRef)
    assert target.outcomes == ("Lions", "Tigers")
    assert 2 <= len(due) <= 4


async def test_a_full_sync_whose_database_was_away_is_repeated_soon(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not after its interval, which is hours long."""
    sync = Sync(database, settings, venues={}, patience=0)
    waits: list[float] = []

    async def fails(platform: Platform) -> FlowOutcome:
        raise Unavailable("The database does not answer.", code="storage_unavailable")

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            raise asyncio.CancelledError

    monkeypatch.setattr(sync, "full", fails)
    monkeypatch.setattr("augury.venues.sync.asyncio.sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        await sync._keep("full", fails, "kalshi", 6 * 3600)
    assert waits[2] < 60

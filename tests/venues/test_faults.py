"""Every upstream fault against every flow: typed, in time, and no damage to what is stored.

One test is one fault of one venue, and runs all six flows over one catalogue, each with a client
of its own, so that an open breaker does not hide a flow from the fault.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from tests.pace import SLACK
from tests.serving import served
from tests.venues.asgi_replies import bomb
from tests.venues.conftest import bases, small_catalogue, venue_at
from tests.venues.simulator import Simulator
from tests.venues.stored import stored, with_tokens
from tests.venues.wire_faults import DATA_FAULTS, FAULTS, TRANSPORT_FAULTS, broken_base

from augury.errors import NotFound
from augury.markets import store as markets
from augury.markets.records import PLATFORMS, Market, Platform
from augury.markets.store import StoredMarket
from augury.settings import Settings
from augury.storage.database import Database
from augury.venues.http import VenueError
from augury.venues.sync import FlowOutcome, Sync

pytestmark = pytest.mark.anyio

DEADLINE = 0.3
PER_VENUE = set(DATA_FAULTS) - {
    "silent_empty", "duplicate_ids", "page_loop", "page_gap", "swapped_all",
}  # fmt: skip
"""Faults that each venue's own transforms meet; the others meet code that both share."""
PATIENT = {"page_loop", "page_gap", "swapped_all", "duplicate_ids", "ms_for_s"}
"""Faults that every flow is expected to see through."""


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    bomb()  # Packing it takes longer than a flow may.
    simulator = Simulator([])
    simulator.page_size = 4
    return simulator


@pytest.fixture(scope="module")
def port(simulator: Simulator) -> Iterator[int]:
    with ExitStack() as stack:
        simulator.inward = f"http://127.0.0.1:{stack.enter_context(served(Trap()))}/"
        yield stack.enter_context(served(simulator))


class Trap(Simulator):
    """Where no request may ever arrive."""

    def __init__(self) -> None:
        super().__init__([])

    async def __call__(self, scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        TRAPPED.append(scope["path"])
        await super().__call__(scope, receive, send)


TRAPPED: list[str] = []


@pytest.fixture
async def known(simulator: Simulator, database: Database) -> AsyncIterator[dict[str, StoredMarket]]:
    """The catalogue as a healthy sync left it, ten minutes ago."""
    catalogue = [with_tokens(market) for market in small_catalogue()]
    simulator.fault = None
    simulator.markets = {market.id: market for market in catalogue}
    async with database.transaction() as conn:
        await markets.upsert_markets(conn, [earlier(market) for market in catalogue])
    yield await stored(database)
    simulator.fault = None


def earlier(market: Market) -> Market:
    import msgspec

    seen = (market.observed_at or market.created_at) and market.observed_at
    assert seen is not None
    ago = seen - timedelta(minutes=10)
    return msgspec.structs.replace(
        market, observed_at=ago, price_as_of=ago if market.price_as_of else None
    )


def _cases() -> Iterator[Any]:
    """Every fault of both venues; what meets shared code only runs for one of them by default."""
    for number, fault in enumerate(FAULTS):
        for platform in PLATFORMS:
            mine = "polymarket" if fault == "swapped_all" else PLATFORMS[number % 2]
            again = fault not in PER_VENUE and mine != platform
            marks = [pytest.mark.slow] if again else []
            yield pytest.param(fault, platform, marks=marks, id=f"{fault}-{platform}")


@pytest.mark.parametrize(("fault", "platform"), list(_cases()))
async def test_no_flow_is_damaged(
    fault: str,
    platform: Platform,
    simulator: Simulator,
    port: int,
    known: dict[str, StoredMarket],
    database: Database,
    settings: Settings,
) -> None:
    TRAPPED.clear()
    simulator.fault = None if fault in TRANSPORT_FAULTS else fault
    base, clob = bases(port, platform)
    if fault in TRANSPORT_FAULTS:
        path = base.split(str(port), 1)[1]
        base = broken_base(fault, port, path)
        clob = base
    resolved = "polymarket:105" if platform == "polymarket" else "kalshi:KXDONE-26"
    traded = "polymarket:101" if platform == "polymarket" else "kalshi:KXRATE-26-T3"

    def vanished(sync: Sync) -> Awaitable[FlowOutcome]:
        # An open market that the listing no longer has: looked up by id.
        simulator.hidden = {traded}
        return sync.full(platform)

    flows: dict[str, Callable[[Sync], Awaitable[object]]] = {
        "full": lambda sync: sync.full(platform),
        "incremental": lambda sync: sync.incremental(platform),
        "prices": lambda sync: sync.refresh_prices(platform),
        "history": lambda sync: sync.fetch_history(platform),
        "resolution": vanished,
        "single": lambda sync: sync.look_up(resolved),
    }
    try:
        for name, flow in flows.items():
            venue, client = venue_at(
                platform, base, clob=clob, deadline=DEADLINE, max_bytes=2_000_000
            )
            sync = Sync(database, settings, venues={platform: venue}, patience=0)
            began = time.monotonic()
            calls = sum(simulator.requests.values())
            outcome: object = None
            try:
                outcome = await flow(sync)
            except (VenueError, NotFound):
                failed = True
            else:
                failed = isinstance(outcome, FlowOutcome) and outcome.failure is not None
            finally:
                await client.aclose()
            calls = max(1, sum(simulator.requests.values()) - calls)
            if failed:
                # One call at most was waited for in vain; the others answered at once.
                assert time.monotonic() - began < DEADLINE + SLACK, (name, calls)
            if fault in TRANSPORT_FAULTS:
                assert failed, name
            if fault in PATIENT:
                assert not failed or fault == "page_loop", (name, outcome)
            assert_undamaged(await stored(database), known, f"{fault} in {name}")
    finally:
        simulator.hidden = set()
    assert not TRAPPED, "a redirect inward was followed"

    # And once the fault is over, the next sync sees everything.
    simulator.fault = None
    base, clob = bases(port, platform)
    venue, client = venue_at(platform, base, clob=clob)
    outcome = await Sync(database, settings, venues={platform: venue}).full(platform)
    await client.aclose()
    assert outcome.failure is None
    assert_undamaged(await stored(database), known, "after the fault", exactly=True)


def assert_undamaged(
    found: dict[str, StoredMarket],
    known: dict[str, StoredMarket],
    when: str,
    *,
    exactly: bool = False,
) -> None:
    """The venue's truth never moved, so neither may ours; a price may at most be withheld."""
    assert found.keys() == known.keys(), when
    for id_, before in known.items():
        after = found[id_]
        for field in ("question", "outcomes", "status", "resolution", "event_id", "exclusive"):
            assert getattr(after, field) == getattr(before, field), (when, id_, field)
        for mine, theirs in zip(after.prices, before.prices, strict=True):
            if mine is None and not exactly:
                continue
            assert mine == theirs or abs((mine or 0) - (theirs or 0)) < 1e-6, (when, id_)
        if after.price_as_of is not None:
            assert after.price_as_of.year < 2100
        assert after.closes_at == before.closes_at or "changed_types" in when, (when, id_)


async def test_history_holds_no_impossible_price(
    simulator: Simulator,
    port: int,
    known: dict[str, StoredMarket],
    database: Database,
    settings: Settings,
) -> None:
    for fault in ("price_1.7", "ms_for_s", "changed_types", "duplicate_ids", "silent_empty", None):
        simulator.fault = fault
        for platform in PLATFORMS:
            base, clob = bases(port, platform)
            venue, client = venue_at(platform, base, clob=clob)
            sync = Sync(database, settings, venues={platform: venue})
            assert (await sync.fetch_history(platform)).failure is None
            await client.aclose()
    async with database.reading() as conn:
        row = await (
            await conn.execute(
                "select min(price), max(price), min(at), max(at), now(), count(*) from prices"
            )
        ).fetchone()
    assert row is not None
    low, high, first, last, now, count = row
    assert 0 <= low <= high <= 1
    assert now - first < timedelta(days=40)
    assert last <= now
    assert count > 24

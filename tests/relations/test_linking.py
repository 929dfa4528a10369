"""Links and events follow the catalogue, over a real database."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from tests.pace import PATIENCE, until
from tests.relations.stored_markets import market, put

from augury.markets import store as markets
from augury.relations import events, store
from augury.relations.linking import Linker
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


TREATY = market("polymarket", "1", "Ruritania and Graustark sign a treaty by December 31, 2027?")
FAILURE = market(
    "polymarket", "2", "Will Ruritania and Graustark fail to sign a treaty by December 31, 2027?"
)
BEFORE = market(
    "kalshi", "KXTREATY-28", "Will Ruritania and Graustark sign a treaty? — Before Jan 1, 2028",
    title="Will Ruritania and Graustark sign a treaty?", subtitle="Before Jan 1, 2028",
    event_id="KXTREATY",
)  # fmt: skip


async def linked(database: Database) -> dict[str, list[str]]:
    """What the records of all markets say."""
    async with database.reading() as conn:
        found = await markets.fetch(conn, [m.id for m in (TREATY, FAILURE, BEFORE)])
    return {m.id: sorted(m.linked_market_ids) for m in found}


async def test_records_name_the_same_contract_elsewhere_both_ways(database: Database) -> None:
    await put(database, TREATY, FAILURE, BEFORE)
    assert await Linker(database).catch_up() == 3
    assert await linked(database) == {
        TREATY.id: [BEFORE.id],
        FAILURE.id: [BEFORE.id],
        BEFORE.id: [TREATY.id, FAILURE.id],
    }
    async with database.reading() as conn:
        [before] = await markets.fetch(conn, [BEFORE.id])
        [(_, straight), (_, inverted)] = (await store.linked(conn, [before.seq]))[before.seq]
        placed = await store.events_of_markets(conn, [before.seq])
        together = await store.markets_of_events(conn, [placed[before.seq].id])
    assert (straight, inverted) == (False, True)
    assert placed[before.seq].kind == "deadlines"
    assert len(together[placed[before.seq].id]) == 3


async def test_a_new_market_is_linked_to_those_known_before(database: Database) -> None:
    linker = Linker(database)
    await put(database, TREATY)
    await linker.catch_up()
    assert (await linked(database))[TREATY.id] == []
    await put(database, BEFORE)
    assert await linker.catch_up() == 1
    assert await linked(database) == {TREATY.id: [BEFORE.id], BEFORE.id: [TREATY.id]}
    assert await linker.catch_up() == 0


async def test_a_market_that_now_asks_something_else_loses_its_links(database: Database) -> None:
    linker = Linker(database)
    await put(database, TREATY, BEFORE)
    await linker.catch_up()
    other = "Ruritania and Graustark sign a treaty by June 30, 2027?"
    await put(database, replace(TREATY, question=other, title=other))
    await linker.catch_up()
    assert await linked(database) == {TREATY.id: [], BEFORE.id: []}


async def test_markets_that_are_gone_leave_no_link_and_no_event(database: Database) -> None:
    linker = Linker(database)
    await put(database, replace(TREATY, origin="sample"), replace(BEFORE, origin="sample"))
    await linker.catch_up()
    await put(database, market("polymarket", "9", "Will it rain frogs?"))
    await linker.catch_up()
    async with database.reading() as conn:
        assert await store.counts(conn) == store.Counts(1, 1, 0, 0, 0)


async def test_another_reading_builds_anew_to_the_same_end(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(database, TREATY, FAILURE, BEFORE)
    await Linker(database).catch_up()
    first = await linked(database)
    monkeypatch.setattr(events, "CODE_VERSION", "another")
    assert await Linker(database).catch_up() == 3
    assert await linked(database) == first


async def test_one_process_at_a_time(database: Database) -> None:
    async def links() -> list[str]:
        return (await linked(database))[TREATY.id]

    await put(database, TREATY, BEFORE)
    stop = asyncio.Event()
    following = asyncio.create_task(Linker(database).follow(stop))
    await until(links, "the market is linked")
    assert await Linker(database).catch_up() is None
    stop.set()
    await asyncio.wait_for(following, PATIENCE)
    assert (await linked(database))[TREATY.id] == [BEFORE.id]

"""Results show what markets are now: prices, age, twins, the same as the catalogue says."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import msgspec
import pytest
from tests.pace import PATIENCE, until
from tests.search.stored_markets import NOW, market, put

from augury.markets import store as markets
from augury.markets.freshness import AgeRule
from augury.markets.records import MarketChange
from augury.search.quotes import Quotes
from augury.storage.database import Database

pytestmark = pytest.mark.anyio

LONG_AGO = NOW - timedelta(days=30)
A = market(
    1,
    "A?",
    category="Economics",
    volume=12.5,
    origin="dump",
    price_as_of=LONG_AGO,
    observed_at=LONG_AGO,
)
B = market(2, "B?", outcomes=("X", "Y", "Z"), prices=(0.2, None, 0.5))
C = market(3, "C?", prices=(None, None), price_as_of=None, closes_at=None, origin="dump")


async def seqs(database: Database) -> list[int]:
    async with database.reading() as conn:
        found = await markets.fetch(conn, [A.id, B.id, C.id])
    return [m.seq for m in found]


@pytest.mark.parametrize("loaded", [True, False])
async def test_records_say_what_the_catalogue_says(database: Database, loaded: bool) -> None:
    await put(database, A, B, C)
    a, b, c = await seqs(database)
    async with database.transaction() as conn:
        await markets.set_links(conn, {a: [b]})
    quotes = Quotes(database, AgeRule())
    if loaded:
        await quotes._read_all()
    found = await quotes.of([a, b, c, 999])
    assert set(found) == {a, b, c}
    assert found[a].prices == [0.4, 0.6]
    assert (found[a].price_as_of, found[a].closes_at) == (LONG_AGO, A.closes_at)
    assert (found[a].volume, found[a].origin, found[a].old) == (12.5, "import", True)
    assert found[a].twins == [B.id]
    assert (found[a].category, found[b].category) == ("Economics", None)
    assert (found[b].prices, found[b].old, found[b].twins) == ([0.2, None, 0.5], False, [])
    assert (found[c].prices, found[c].price_as_of, found[c].closes_at) == ([None, None], None, None)


async def test_moves_are_followed(database: Database) -> None:
    await put(database, A, B, C)
    a, *_ = await seqs(database)
    quotes = Quotes(database, AgeRule())
    stop = asyncio.Event()
    following = asyncio.create_task(quotes.follow(stop))
    await until(lambda: quotes._moved, "the quotes are read")
    news = MarketChange(id=A.id, observed_at=NOW, prices=(0.7, 0.3), price_as_of=NOW)
    async with database.transaction() as conn:
        await markets.apply_changes(conn, [news])
    async with asyncio.timeout(PATIENCE):
        while (await quotes.of([a]))[a].prices != [0.7, 0.3]:
            await asyncio.sleep(0.02)
    # The same price, seen again hours later: only its time moves.
    later = msgspec.structs.replace(
        news,
        observed_at=NOW + timedelta(hours=3),
        price_as_of=NOW + timedelta(hours=3),
    )
    async with database.transaction() as conn:
        await markets.apply_changes(conn, [later])
    async with asyncio.timeout(PATIENCE):
        while (await quotes.of([a]))[a].price_as_of != later.price_as_of:
            await asyncio.sleep(0.02)
    stop.set()
    await following

"""Quotes that can't be right are held, with what they would have touched; sound ones pass."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from augury.markets import quote_checks, store
from augury.markets.quote_checks import ScreenedQuote
from augury.markets.records import Market, MarketChange, PricePoint
from augury.markets.service import MarketService
from augury.storage.database import Database
from augury.venues import dump
from augury.venues.importing import FileSummary, import_file

pytestmark = pytest.mark.anyio

T0 = datetime(2026, 3, 1, 16, tzinfo=UTC)
HOUR = timedelta(hours=1)


def made(market_id: str, price: float, **fields: Any) -> Market:
    platform, _, own = market_id.partition(":")
    defaults: dict[str, Any] = {
        "platform": platform, "platform_id": own, "question": f"Will {own} happen?",
        "title": f"Will {own} happen?", "prices": (price, round(1 - price, 6)), "price_as_of": T0,
        "observed_at": T0, "origin": "dump",
    }  # fmt: skip
    return Market(id=market_id, **{**defaults, **fields})


async def put(database: Database, *markets: Market) -> dict[str, int]:
    async with database.transaction() as conn:
        return dict((await store.upsert_markets(conn, markets)).held)


async def held(database: Database) -> dict[str, str]:
    found = await MarketService(database).quarantined(limit=100)
    return {one.market_id: one.reason for one in found}


async def quoted(database: Database, market_id: str) -> float | None:
    async with database.reading() as conn:
        [market] = await store.fetch(conn, [market_id])
        assert (market.price_as_of is None) == (market.prices[0] is None)
        assert (market.best_bid is None) or (market.prices[0] is not None)
    return market.prices[0]


async def recorded(database: Database, market_id: str) -> list[float]:
    found = await MarketService(database).detail(market_id)
    return [row.price for row in found.prices if row.outcome == 0]


async def test_a_book_between_its_ticks_is_held_and_stands_nowhere(database: Database) -> None:
    bad = made("kalshi:A", 0.0057, best_bid=0.0055, best_ask=0.0059)
    good = made("kalshi:B", 0.005, best_bid=0.004, best_ask=0.006)
    assert await put(database, bad, good) == {"unit": 1}
    assert await held(database) == {"kalshi:A": "unit"}
    assert await quoted(database, "kalshi:A") is None
    assert await recorded(database, "kalshi:A") == []
    assert await quoted(database, "kalshi:B") == 0.005


async def test_a_release_gives_the_quote_back_and_it_passes_from_then_on(
    database: Database,
) -> None:
    bad = made("kalshi:A", 0.0057, best_bid=0.0055, best_ask=0.0059)
    await put(database, bad)
    service = MarketService(database)
    assert await service.release(["kalshi:A"]) == (1, 0)
    assert await quoted(database, "kalshi:A") == 0.0057
    assert await recorded(database, "kalshi:A") == [0.0057]
    assert await put(database, bad) == {}
    assert await held(database) == {}
    assert await service.release(["kalshi:A"]) == (0, 0)
    # Another such quote is a matter of its own.
    later = {"price_as_of": T0 + HOUR, "observed_at": T0 + HOUR}
    assert await put(database, msgspec.structs.replace(bad, **later)) == {"unit": 1}


async def test_a_later_sound_quote_ends_the_matter(database: Database) -> None:
    await put(database, made("kalshi:A", 0.0057, best_bid=0.0055, best_ask=0.0059))
    later = T0 + HOUR
    await put(database, made("kalshi:A", 0.57, price_as_of=later, observed_at=later))
    assert await held(database) == {}
    assert await quoted(database, "kalshi:A") == 0.57


async def test_a_price_a_hundredth_of_the_one_before_is_held_at_every_refresh(
    database: Database,
) -> None:
    await put(database, made("polymarket:1", 0.43))
    for n in (1, 2):
        at = T0 + n * HOUR
        change = MarketChange(
            id="polymarket:1", observed_at=at, prices=(0.0043, 0.9957), price_as_of=at
        )
        async with database.transaction() as conn:
            await store.apply_changes(conn, [change])
        assert await held(database) == {"polymarket:1": "unit"}
        assert await quoted(database, "polymarket:1") is None
    assert await recorded(database, "polymarket:1") == [0.43]
    [one] = await MarketService(database).quarantined(limit=5)
    assert one.at == T0 + 2 * HOUR
    assert "0.43" in one.detail


async def test_a_day_on_which_all_is_a_cent_is_held_but_long_shots_of_one_event_are_not(
    database: Database,
) -> None:
    def day(count: int, events: int, platform: str) -> list[Market]:
        return [
            made(f"{platform}:{n}", 0.001 * (1 + n % 9), event_id=f"E{n % events}")
            for n in range(count)
        ]

    assert await put(database, *day(30, 1, "polymarket")) == {}
    assert await put(database, *day(19, 19, "kalshi")) == {}
    # A batch of a live feed, and lost markets at zero, say nothing of the unit.
    live = [msgspec.structs.replace(m, origin="venue") for m in day(30, 30, "kalshi")]
    assert await put(database, *live) == {}
    lost = [msgspec.structs.replace(m, prices=(0.0, 1.0)) for m in day(30, 30, "polymarket")]
    assert await put(database, *lost) == {}
    at = {"price_as_of": T0 + HOUR, "observed_at": T0 + HOUR}
    bad = [msgspec.structs.replace(m, **at) for m in day(30, 30, "kalshi")]
    assert await put(database, *bad) == {"unit": 30}


async def test_a_price_outside_its_book_and_a_crossed_book(database: Database) -> None:
    outside = made("polymarket:1", 0.7, best_bid=0.1, best_ask=0.2)
    crossed = made("polymarket:2", 0.5, best_bid=0.6, best_ask=0.4)
    moved_on = made("polymarket:3", 0.3, best_bid=0.1, best_ask=0.2)
    one_sided = made("polymarket:4", 0.3, best_bid=0.9)
    assert await put(database, outside, crossed, moved_on, one_sided) == {"book": 2}
    assert await held(database) == {"polymarket:1": "book", "polymarket:2": "book"}


async def test_exclusive_markets_that_sum_far_from_one_are_held(database: Database) -> None:
    def event(name: str, price: float, count: int, **fields: Any) -> list[Market]:
        return [
            made(f"polymarket:{name}{n}", price, event_id=name, exclusive=True, **fields)
            for n in range(count)
        ]

    assert await put(database, *event("high", 0.6, 3)) == {"event_sum": 3}
    assert await put(database, *event("low", 0.02, 4)) == {"event_sum": 4}
    assert await put(database, *event("sound", 0.33, 3)) == {}
    # The middles of empty books say nothing against them.
    assert await put(database, *event("wide", 0.5, 4, best_bid=0.05, best_ask=0.95)) == {}
    apart = [
        msgspec.structs.replace(m, price_as_of=T0 - n * 3 * 24 * HOUR)
        for n, m in enumerate(event("apart", 0.6, 3))
    ]
    assert await put(database, *apart) == {}


@pytest.mark.parametrize(
    ("other", "apart", "reasons"),
    [
        (0.43, 0, {"polymarket:1": "twin", "kalshi:A": "twin"}),
        (0.43, 30, {}),  # hours
        (0.05, 0, {}),
        (0.996, 0, {}),  # its exact complement
    ],
)
async def test_a_quote_a_hundred_times_its_twins(
    database: Database, other: float, apart: int, reasons: dict[str, str]
) -> None:
    await put(
        database,
        made("polymarket:1", 0.0042),
        made("kalshi:A", other, price_as_of=T0 + apart * HOUR),
    )
    async with database.transaction() as conn:
        seqs = [market.seq for market in await store.fetch(conn, ["polymarket:1", "kalshi:A"])]
        await store.set_links(conn, {seqs[0]: [seqs[1]], seqs[1]: [seqs[0]]})
    assert await held(database) == reasons


async def test_an_import_holds_prices_and_points_in_another_unit(
    database: Database, tmp_path: Path
) -> None:
    def written(name: str, rows: list[dict[str, Any]]) -> dump.DumpFile:
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(row) for row in rows))
        return dump.DumpFile(path)

    at = T0.isoformat()
    rows = [
        {"id": f"kalshi:M{n}", "platform": "kalshi", "question": f"Will M{n} happen?",
         "status": "active", "prices": [0.004, 0.996], "as_of": at, "event_id": f"E{n}"}
        for n in range(25)
    ]  # fmt: skip
    summary: FileSummary = await import_file(database, written("markets.jsonl", rows))
    assert (summary.added, summary.quarantined) == (25, {"unit": 25})
    points = [
        {"market_id": f"kalshi:M{n}", "outcome": "Yes", "ts": ts, "price": price, "kind": "daily"}
        for n in range(25)
        for ts, price in ((at, 0.004), ((T0 - 24 * HOUR).isoformat(), 0.4))
    ]
    file = written("prices.jsonl", points)
    summary = await import_file(database, file)
    assert (summary.added, summary.unchanged, summary.quarantined) == (25, 0, {"unit": 25})
    summary = await import_file(database, file)
    assert (summary.added, summary.unchanged, summary.quarantined["unit"]) == (0, 50, 0)
    assert await recorded(database, "kalshi:M1") == [0.4]
    assert await MarketService(database).release(reason="unit") == (25, 25)
    assert sorted(await recorded(database, "kalshi:M1")) == [0.004, 0.4]


async def test_history_that_becomes_the_quote_is_looked_at_too(database: Database) -> None:
    await put(database, made("polymarket:1", 0.43))
    async with database.transaction() as conn:
        point = PricePoint(market_id="polymarket:1", outcome=0, at=T0 + HOUR, price=0.0043)
        await store.append_prices(conn, [point])
    assert await held(database) == {"polymarket:1": "unit"}


def test_all_reasons_have_a_sentence() -> None:
    quote = ScreenedQuote("kalshi:A", "kalshi", None, (0.0057, None), 0.0055, 0.0059, T0)
    assert quote_checks.wrong_quotes([quote], {})["kalshi:A"].detail == (
        "The bid 0.0055 is between two price steps of its venue."
    )
    assert quote_checks.are_apart(0.0042, 0.43)
    assert not quote_checks.are_apart(0.0042, None)

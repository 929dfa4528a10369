"""The store against a real PostgreSQL."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.pace import PATIENCE

from augury.markets import store
from augury.markets.records import Market, MarketChange, PricePoint, Strike
from augury.markets.store import Filters, Position, prices
from augury.storage.database import Database

pytestmark = pytest.mark.anyio

T0 = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
AT: dict[str, Any] = {"now": T0, "oldest": T0 - 14 * 24 * HOUR}


def made(n: int | str = 1, **fields: Any) -> Market:
    defaults: dict[str, Any] = {
        "id": f"polymarket:{n}",
        "platform": "polymarket",
        "platform_id": str(n),
        "question": f"Will number {n} happen?",
        "title": f"Will number {n} happen?",
        "prices": (0.4, 0.6),
        "price_as_of": T0,
        "observed_at": T0,
    }
    return Market(**{**defaults, **fields})


async def put(database: Database, *markets: Market) -> store.UpsertSummary:
    async with database.transaction() as conn:
        return await store.upsert_markets(conn, markets)


async def news(database: Database, *changes: MarketChange) -> int:
    async with database.transaction() as conn:
        return await store.apply_changes(conn, changes)


async def got(database: Database, n: int | str = 1) -> store.StoredMarket:
    async with database.reading() as conn:
        [market] = await store.fetch(conn, [f"polymarket:{n}"])
    return market


async def recorded(database: Database, n: int | str = 1) -> list[store.PriceRow]:
    async with database.reading() as conn:
        return await store.latest_prices(conn, await got(database, n), 100)


async def since(database: Database, change: int = 0, limit: int = 1000) -> list[store.IndexRow]:
    async with database.reading() as conn:
        return await store.changes_since(conn, change, limit)


async def change_of(database: Database, n: int | str = 1) -> int:
    seq = (await got(database, n)).seq
    return next(row.change for row in await since(database) if row.seq == seq)


class TestUpsert:
    async def test_every_field_comes_back(self, database: Database) -> None:
        market = made(
            subtitle="Over 5", description="Rules — with ünicode, 'quotes' and \\ too",
            outcomes=("Yes", "No"), created_at=T0, closes_at=T0 + HOUR, event_id="e1",
            event_name="Event", series_id="s1", exclusive=True, category="Sports",
            tags=("a", "b, c"), volume=1.5, volume_24h=0.5, liquidity=7.0, open_interest=3.0,
            best_bid=0.39, best_ask=0.41, strike=Strike(kind="greater", floor=5.0),
            url="https://example.org/x", slug="x", token_ids=("7" * 77, "8" * 77), origin="dump",
        )  # fmt: skip
        assert await put(database, market) == store.UpsertSummary(inserted=1)
        stored = await got(database)
        for name in Market.__struct_fields__:
            if name == "strike":
                found: Any = Strike(
                    kind=stored.strike_kind or "", floor=stored.strike_floor, cap=stored.strike_cap
                )
            else:
                found = getattr(stored, name)
            wanted = getattr(market, name)
            assert found == (list(wanted) if isinstance(wanted, tuple) else wanted), name

    async def test_the_same_again_changes_nothing(self, database: Database) -> None:
        await put(database, made())
        before, change = await got(database), await change_of(database)
        assert await put(database, made()) == store.UpsertSummary(unchanged=1)
        assert await got(database) == before
        assert await change_of(database) == change
        assert len(await recorded(database)) == 1

    async def test_a_newer_look_at_the_same_is_noted_only(self, database: Database) -> None:
        await put(database, made())
        before = await got(database)
        later = made(observed_at=T0 + HOUR, price_as_of=T0 + HOUR)
        assert (await put(database, later)).unchanged == 1
        after = await got(database)
        assert (after.observed_at, after.price_as_of) == (T0 + HOUR, T0 + HOUR)
        assert after.updated_at == before.updated_at
        # and holds against what was seen in between
        await put(database, made(observed_at=T0 + HOUR / 2, question="Older text?"))
        assert (await got(database)).question == before.question

    async def test_older_never_overwrites_newer(self, database: Database) -> None:
        await put(database, made(question="New?", observed_at=T0 + HOUR))
        for stale in (made(question="Old?"), made(question="Undated?", observed_at=None)):
            assert (await put(database, stale)).unchanged == 1
        assert (await got(database)).question == "New?"

    async def test_a_price_quoted_later_stays(self, database: Database) -> None:
        await put(database, made())
        change = MarketChange(id="polymarket:1", observed_at=T0 + HOUR, prices=(0.7, 0.3))
        await news(database, change)
        listing = made(
            observed_at=T0 + 2 * HOUR, price_as_of=T0 + HOUR / 2, prices=(0.5, 0.5), volume=9.0
        )
        await put(database, listing)
        market = await got(database)
        assert (market.prices, market.price_as_of) == ([0.7, 0.3], T0 + HOUR)
        assert market.volume == 9.0

    async def test_a_resolution_holds_against_word_of_the_same_moment(
        self, database: Database
    ) -> None:
        await put(database, made(status="resolved", resolution="Yes", resolved_at=T0))
        await put(database, made(status="active", volume=5.0))
        market = await got(database)
        assert (market.status, market.resolution, market.resolved_at) == ("resolved", "Yes", T0)
        assert market.volume == 5.0
        await put(database, made(status="active", observed_at=T0 - HOUR))
        assert (await got(database)).status == "resolved"
        await put(database, made(status="active", observed_at=T0 + HOUR))
        assert (await got(database)).status == "active", "a venue may take a result back"

    async def test_twice_in_one_batch_the_newer_counts(self, database: Database) -> None:
        summary = await put(
            database, made(question="B?", observed_at=T0 + HOUR), made(question="A?")
        )
        assert summary == store.UpsertSummary(inserted=1, unchanged=1)
        assert (await got(database)).question == "B?"

    async def test_prices_become_history(self, database: Database) -> None:
        await put(database, made())
        await put(database, made(prices=(0.45, 0.55), price_as_of=T0 + HOUR, observed_at=T0 + HOUR))
        at = T0 + 2 * HOUR
        await put(database, made(prices=(None, None), price_as_of=None, observed_at=at))
        rows = await recorded(database)
        assert rows == [(0, T0, 0.4, "snapshot"), (0, T0 + HOUR, 0.45, "snapshot")]
        assert (await got(database)).prices == [None, None]

    async def test_sides_that_do_not_add_up_are_both_recorded(self, database: Database) -> None:
        await put(database, made(prices=(0.4, 0.7)), made(2, prices=(None, 0.7)))
        assert [r.outcome for r in await recorded(database)] == [0, 1]
        assert [r.outcome for r in await recorded(database, 2)] == [1]

    async def test_an_unchanged_price_is_recorded_once_a_day(self, database: Database) -> None:
        for hours in (0, 1, 2, 13, 14, 37):
            at = T0 + hours * HOUR
            await put(database, made(observed_at=at, price_as_of=at))
        days = [r.at.day for r in await recorded(database)]
        assert days == [1, 2, 3]

    async def test_history_keeps_to_its_labels(self, database: Database) -> None:
        """A dump may have guessed the order; its prices must not turn round with it."""
        await put(database, made(outcomes=("Reds", "Blues"), origin="dump"))
        at = T0 + HOUR
        turned = made(outcomes=("Blues", "Reds"), prices=(0.7, 0.3), observed_at=at, price_as_of=at)
        await put(database, turned)
        assert await recorded(database) == [
            (1, T0, 0.4, "dump:snapshot"),
            (0, at, 0.7, "snapshot"),
        ]

    async def test_grouping_follows_the_whole_event(self, database: Database) -> None:
        def rung(n: int) -> Market:
            question = f"Will the index close above {n}00?"
            return made(n, question=question, title=question, event_id="e", event_name="Index?")

        await put(database, rung(1))
        first = await change_of(database)
        assert (await got(database)).market_type == "binary"
        await put(database, rung(2))
        assert [(await got(database, n)).market_type for n in (1, 2)] == ["threshold_ladder"] * 2
        assert await change_of(database) > first, "the index hears of the sibling too"
        assert (await got(database)).group_name == "Index?"

    async def test_nothing_is_nothing(self, database: Database) -> None:
        assert await put(database) == store.UpsertSummary()
        assert await news(database) == 0


class TestNews:
    async def test_none_leaves_what_is_there(self, database: Database) -> None:
        await put(database, made(volume=10.0, best_bid=0.39, closes_at=T0))
        change = MarketChange(id="polymarket:1", observed_at=T0 + HOUR, status="closed")
        assert await news(database, change) == 1
        market = await got(database)
        assert (market.status, market.volume, market.best_bid) == ("closed", 10.0, 0.39)
        assert (market.prices, market.price_as_of, market.closes_at) == ([0.4, 0.6], T0, T0)

    async def test_older_news_is_dropped(self, database: Database) -> None:
        await put(database, made(status="resolved", resolution="Yes", observed_at=T0 + HOUR))
        for at in (T0, T0 + HOUR):
            stale = MarketChange(id="polymarket:1", observed_at=at, status="active", volume=1.0)
            await news(database, stale)
        market = await got(database)
        assert (market.status, market.resolution, market.volume) == ("resolved", "Yes", None)

    async def test_a_price_is_judged_by_its_own_time(self, database: Database) -> None:
        await put(database, made(observed_at=T0 + HOUR))
        fresh = MarketChange(
            id="polymarket:1", observed_at=T0 + HOUR / 2, prices=(0.8, 0.2), status="closed"
        )
        assert await news(database, fresh) == 1
        market = await got(database)
        assert (market.prices, market.price_as_of) == ([0.8, 0.2], T0 + HOUR / 2)
        assert market.status == "active"
        late = MarketChange(id="polymarket:1", observed_at=T0 + HOUR / 4, prices=(0.1, 0.9))
        assert await news(database, late) == 0
        assert (await got(database)).prices == [0.8, 0.2]
        assert [r.price for r in await recorded(database)] == [0.4, 0.8]

    async def test_prices_of_another_shape_are_ignored(self, database: Database) -> None:
        await put(database, made())
        await news(
            database, MarketChange(id="polymarket:1", observed_at=T0 + HOUR, prices=(1.0, 0.0, 0.0))
        )
        assert (await got(database)).prices == [0.4, 0.6]

    async def test_a_price_alone_does_not_make_a_listing_look_old(self, database: Database) -> None:
        await put(database, made())
        change = MarketChange(id="polymarket:1", observed_at=T0 + 2 * HOUR, prices=(0.5, 0.5))
        await news(database, change)
        await put(database, made(question="Reworded?", observed_at=T0 + HOUR))
        market = await got(database)
        assert (market.question, market.prices) == ("Reworded?", [0.5, 0.5])

    async def test_many_news_of_one_market_apply_in_order(self, database: Database) -> None:
        await put(database, made())
        ordered = [
            MarketChange(id="polymarket:1", observed_at=T0 + n * HOUR, prices=(n / 10, 1 - n / 10))
            for n in range(1, 6)
        ]
        assert await news(database, *reversed(ordered)) == 1
        assert (await got(database)).prices[0] == 0.5
        assert [r.price for r in await recorded(database)] == [0.4, 0.1, 0.2, 0.3, 0.4, 0.5]

    async def test_of_unknown_markets_there_is_no_news(self, database: Database) -> None:
        assert await news(database, MarketChange(id="polymarket:9", observed_at=T0)) == 0

    async def test_the_index_hears_of_status_not_of_prices(self, database: Database) -> None:
        await put(database, made(volume=1000.0))
        before = await change_of(database)
        at = T0 + HOUR
        await news(
            database,
            MarketChange(id="polymarket:1", observed_at=at, prices=(0.9, 0.1), volume=1010.0),
        )
        assert await change_of(database) == before
        await news(database, MarketChange(id="polymarket:1", observed_at=at, volume=90_000.0))
        salient = await change_of(database)
        assert salient > before
        await news(database, MarketChange(id="polymarket:1", observed_at=at, status="closed"))
        assert await change_of(database) > salient


class TestPrices:
    async def test_counts(self, database: Database) -> None:
        await put(database, made(prices=(None, None), price_as_of=None))
        points = [
            PricePoint(market_id="polymarket:1", outcome=0, at=T0, price=0.1),
            PricePoint(market_id="polymarket:1", outcome=0, at=T0, price=0.2),
            PricePoint(market_id="polymarket:1", outcome=1, at=T0, price=0.9),
            PricePoint(market_id="polymarket:1", outcome=2, at=T0, price=0.9),
            PricePoint(market_id="polymarket:1", outcome=-1, at=T0, price=0.9),
            PricePoint(market_id="polymarket:2", outcome=0, at=T0, price=0.5),
            PricePoint(market_id="polymarket:1", outcome=0, at=T0, price=1.7),
            PricePoint(market_id="polymarket:1", outcome=0, at=T0, price=float("nan")),
        ]
        async with database.transaction() as conn:
            summary = await store.append_prices(conn, points)
            again = await store.append_prices(conn, points[:1])
        assert summary == store.AppendSummary(added=2, duplicate=1, unknown_market=3, refused=2)
        assert again == store.AppendSummary(duplicate=1)

    async def test_chunks_add_up(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(prices, "COPY_CHUNK", 7)
        await put(database, made())
        points = [
            PricePoint(market_id="polymarket:1", outcome=0, at=T0 + n * HOUR, price=0.5)
            for n in range(1, 41)
        ]
        async with database.transaction() as conn:
            assert (await store.append_prices(conn, points)).added == 40


class TestChanges:
    async def test_rows_and_removals_in_order_and_by_pages(self, database: Database) -> None:
        await put(database, *(made(f"s{n}", origin="sample") for n in range(5)))
        sample = await since(database)
        assert [r.removed for r in sample] == [False] * 5
        await put(database, *(made(n) for n in range(3)))
        rows = await since(database, sample[-1].change)
        assert [r.change for r in rows] == sorted(r.change for r in rows)
        assert {r.seq for r in rows if r.removed} == {r.seq for r in sample}
        assert {r.id for r in rows if not r.removed} == {f"polymarket:{n}" for n in range(3)}
        paged: list[store.IndexRow] = []
        while page := await since(database, paged[-1].change if paged else 0, 2):
            paged += page
        assert paged == await since(database)
        async with database.reading() as conn:
            assert await store.last_change(conn) == paged[-1].change

    async def test_numbers_become_visible_in_order(self, database: Database) -> None:
        """A follower that reads while many write must never find a row below what it has read."""
        done = asyncio.Event()

        async def write(worker: int) -> None:
            for n in range(12):
                await put(database, made(f"{worker}-{n}"), made(f"{worker}-{n}-b"))

        async def follow() -> list[int]:
            seen: list[int] = []
            while True:
                last = done.is_set()
                seen += [r.change for r in await since(database, seen[-1] if seen else 0, 5)]
                if last and len(seen) >= 72:
                    return seen
                await asyncio.sleep(0)

        follower = asyncio.create_task(follow())
        await asyncio.gather(*(write(w) for w in range(3)))
        done.set()
        async with asyncio.timeout(PATIENCE):
            seen = await follower
        assert seen == sorted(seen)
        assert len(seen) == len(set(seen)) == 72


class TestQuotesFollowHistory:
    async def test_a_newer_point_becomes_the_quote(self, database: Database) -> None:
        await put(database, made(1, best_bid=0.39, best_ask=0.41), made(2), made(3))
        async with database.transaction() as conn:
            await store.append_prices(
                conn,
                [
                    PricePoint(market_id="polymarket:1", outcome=0, at=T0 + HOUR, price=0.7),
                    PricePoint(market_id="polymarket:2", outcome=0, at=T0 - HOUR, price=0.7),
                    PricePoint(market_id="polymarket:3", outcome=0, at=T0 + HOUR, price=1.0),
                ],
            )
        first, second, third = [await got(database, n) for n in (1, 2, 3)]
        assert (first.prices, first.price_as_of) == ([0.7, 0.3], T0 + HOUR)
        assert (first.best_bid, first.best_ask) == (None, None)
        assert (second.prices, second.price_as_of) == ([0.4, 0.6], T0)
        # Certainty is no quote of an active market.
        assert (third.prices, third.price_as_of) == ([None, None], None)

    async def test_of_several_outcomes_those_of_a_day_count(self, database: Database) -> None:
        outcomes = ("A", "B", "C")
        await put(database, made(1, outcomes=outcomes, prices=(0.2, 0.3, 0.5)))
        at = T0 + 48 * HOUR
        async with database.transaction() as conn:
            points = [
                PricePoint(market_id="polymarket:1", outcome=n, at=when, price=p)
                for n, when, p in ((0, at, 0.25), (1, at - HOUR, 0.35))
            ]
            await store.append_prices(conn, points)
        market = await got(database)
        assert (market.prices, market.price_as_of) == ([0.25, 0.35, None], at)

    async def test_an_older_quote_does_not_come_back(self, database: Database) -> None:
        await put(database, made(1))
        async with database.transaction() as conn:
            point = PricePoint(market_id="polymarket:1", outcome=0, at=T0 + 2 * HOUR, price=0.7)
            await store.append_prices(conn, [point])
        await put(database, made(1, prices=(0.5, 0.5), price_as_of=T0 + HOUR,
                                 observed_at=T0 + HOUR))  # fmt: skip
        assert (await got(database)).prices == [0.7, 0.3]


class TestShownStatus:
    async def test_lists_and_counts_follow_the_rule_of_age(self, database: Database) -> None:
        now = T0 + 20 * 24 * HOUR
        at: dict[str, Any] = {"now": now, "oldest": now - 14 * 24 * HOUR}
        await put(
            database,
            made(1, price_as_of=now, observed_at=now),
            made(2),
            made(3, closes_at=T0 + HOUR),
            made(4, status="closed"),
            made(5, status="resolved", closes_at=T0 + HOUR),
        )
        wanted = {
            (None, None): {1, 2, 3, 4, 5}, ("active", None): {1, 2}, ("closed", None): {3, 4},
            ("resolved", None): {5}, (None, True): {2, 3}, ("active", False): {1},
            ("closed", True): {3}, (None, False): {1, 4, 5},
        }  # fmt: skip
        async with database.reading() as conn:
            for (status, stale), numbers in wanted.items():
                found = await store.list_page(
                    conn, Filters(status=status, stale=stale), sort="volume", limit=9, **at
                )
                assert {int(m.id.split(":")[1]) for m in found} == numbers
            counts = await store.counts_by_platform_status(conn, **at)
        assert {c.status: (c.markets, c.stale) for c in counts} == {
            "active": (2, 1), "closed": (2, 1), "resolved": (1, 0),
        }  # fmt: skip


class TestConcurrency:
    async def test_two_ingests_of_the_same_markets(self, database: Database) -> None:
        def batch(version: int) -> list[Market]:
            at = T0 + version * HOUR
            return [made(n, question=f"v{version}?", observed_at=at) for n in range(200)]

        await asyncio.gather(*(put(database, *batch(v)) for v in (2, 1, 3, 0)))
        async with database.reading() as conn:
            page = await store.list_page(conn, Filters(), sort="volume", limit=500, **AT)
        assert {m.question for m in page} == {"v3?"}
        assert len(page) == 200

    async def test_a_rolled_back_ingest_leaves_nothing(self, database: Database) -> None:
        async def fail() -> None:
            async with database.transaction() as conn:
                await store.upsert_markets(conn, [made()])
                raise RuntimeError

        with pytest.raises(RuntimeError):
            await fail()
        assert await since(database) == []


class TestSampleGivesWay:
    async def test_to_the_first_real_market(self, database: Database) -> None:
        await put(database, *(made(f"s{n}", origin="sample") for n in range(4)))
        assert (await put(database, made(1, origin="dump"))).inserted == 1
        async with database.reading() as conn:
            counts = await store.counts_by_platform_status(conn, **AT)
            points = await (await conn.execute("select count(*) from prices")).fetchone()
        assert [(c.origin, c.markets) for c in counts] == [("dump", 1)]
        assert points == (1,)

    async def test_and_does_not_come_back(self, database: Database) -> None:
        await put(database, made())
        assert await put(database, made("s", origin="sample")) == store.UpsertSummary(unchanged=1)
        async with database.reading() as conn:
            assert len(await store.list_page(conn, Filters(), sort="volume", limit=9, **AT)) == 1

    async def test_nor_stays_when_both_come_at_once(self, database: Database) -> None:
        await put(database, made("s1", origin="sample"), made(1), made("s2", origin="sample"))
        assert [r.id for r in await since(database)] == ["polymarket:1"]


class TestLists:
    async def test_text_is_taken_literally(self, database: Database) -> None:
        await put(database, made(1, question="Up 100% or_so?"), made(2, question="Up 1000 or so?"))
        async with database.reading() as conn:
            for q, ids in (
                ("100%", [1]), ("or_so", [1]), ("UP or", [1, 2]), ("so up", [1, 2]),
                ("\\", []), ("' or 1=1 --", []), ("  ", [1, 2]),
            ):  # fmt: skip
                page = await store.list_page(conn, Filters(q=q), sort="closes_at", limit=9, **AT)
                assert [m.id for m in page] == [f"polymarket:{n}" for n in ids], q

    @pytest.mark.parametrize("sort", ["volume", "closes_at", "updated_at"])
    async def test_pages_are_stable_under_ties_and_arrivals(
        self, database: Database, sort: store.Sort
    ) -> None:
        def some(n: int, volume: float | None) -> Market:
            return made(n, volume=volume, closes_at=T0 + n % 3 * HOUR if n % 4 else None)

        await put(database, *(some(n, (5.0, None, 7.0)[n % 3]) for n in range(30)))
        seen: list[str] = []
        after: Position | None = None
        async with database.reading() as conn:
            whole = await store.list_page(conn, Filters(), sort=sort, limit=100, **AT)
            for turn in range(20):
                page = await store.list_page(conn, Filters(), sort=sort, limit=4, **AT, after=after)
                if not page:
                    break
                seen += [m.id for m in page]
                after = store.position(page[-1], sort)
                await put(database, made(100 + turn, volume=1e9, closes_at=T0 - HOUR))
        old = [i for i in seen if int(i.split(":")[1]) < 100]
        assert old == [m.id for m in whole]

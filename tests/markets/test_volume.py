"""What was traded when: differences of readings, through the store, and what makes no bar."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.markets import store
from augury.markets.records import Market, MarketChange, PricePoint
from augury.markets.service import MarketService
from augury.markets.volume import VolumeReading, bars
from augury.storage.database import Database

T0 = datetime(2026, 3, 29, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def read(hours: float, volume: float, *, candle: bool = False) -> VolumeReading:
    return VolumeReading(T0 + hours * HOUR, volume, candle)


def hours(found: list) -> list[tuple[float, float, float]]:  # type: ignore[type-arg]
    return [((b.start - T0) / HOUR, (b.end - T0) / HOUR, b.volume) for b in found]


class TestBars:
    def test_a_bar_reaches_from_one_reading_to_the_next(self) -> None:
        found = bars([read(1, 100), read(2, 130), read(7.5, 190)], T0, HOUR)
        assert hours(found) == [(1, 2, 30), (2, 7.5, 60)]

    def test_a_missing_candle_means_that_nothing_was_traded(self) -> None:
        candles = [read(1, 5, candle=True), read(2, 8, candle=True), read(7, 20, candle=True)]
        assert hours(bars(candles, T0, HOUR)) == [(1, 2, 3), (6, 7, 12)]
        # A candle is an hour long, however short the intervals that were asked for.
        assert hours(bars(candles, T0, timedelta(minutes=5)))[1] == (6, 7, 12)

    def test_candles_count_as_far_as_they_reach(self) -> None:
        found = bars(
            [
                read(1, 5, candle=True), read(2, 9, candle=True), read(3, 10, candle=True),
                read(1.5, 1000), read(2.5, 1002), read(3.5, 1010), read(4.5, 1020),
            ],
            T0, HOUR,
        )  # fmt: skip
        assert hours(found) == [(1, 2, 4), (2, 3, 1), (3.5, 4.5, 10)]

    def test_a_correction_makes_no_bar(self) -> None:
        assert hours(bars([read(1, 9), read(2, 4), read(3, 6)], T0, HOUR)) == [(2, 3, 2)]

    def test_what_began_before_the_window_is_left_out(self) -> None:
        assert hours(bars([read(-1, 1), read(1, 4), read(2, 6)], T0, HOUR)) == [(1, 2, 2)]

    @given(st.lists(st.tuples(st.integers(0, 400), st.floats(0, 1e9)), max_size=20))
    def test_bars_follow_each_other_and_add_up_to_no_more_than_was_traded(
        self, given_readings: list[tuple[int, float]]
    ) -> None:
        rows = [read(at, volume) for at, volume in dict(given_readings).items()]
        found = bars(rows, T0, HOUR)
        assert all(bar.volume > 0 and bar.start < bar.end for bar in found)
        assert all(a.end <= b.start for a, b in itertools.pairwise(found))
        rises = [row.volume for row in sorted(rows)]
        up = sum(max(0, b - a) for a, b in itertools.pairwise(rises))
        assert sum(bar.volume for bar in found) <= up + 1e-3


@pytest.mark.anyio
class TestThroughTheStore:
    async def put(self, database: Database, **fields: object) -> MarketService:
        base = {
            "id": "kalshi:A", "platform": "kalshi", "platform_id": "A", "question": "q",
            "title": "q", "prices": (0.4, 0.6), "price_as_of": T0 + HOUR,
            "observed_at": T0 + HOUR, "volume": 100.0,
        }  # fmt: skip
        async with database.transaction() as conn:
            await store.upsert_markets(conn, [Market(**{**base, **fields})])  # type: ignore[arg-type]
        return MarketService(database, clock=lambda: T0 + 3 * DAY)

    async def test_looks_at_a_market_tell_what_was_traded(self, database: Database) -> None:
        service = await self.put(database)
        async with database.transaction() as conn:
            await store.apply_changes(conn, [
                MarketChange(
                    id="kalshi:A", observed_at=T0 + n * HOUR, prices=(price, 1 - price),
                    price_as_of=T0 + n * HOUR, volume=volume,
                )
                for n, price, volume in ((2, 0.41, 130.0), (2.5, 0.42, 140.0), (26, 0.5, 400.0))
            ])  # fmt: skip
        window = {"start": T0, "end": T0 + 2 * DAY}
        found = await service.history("kalshi:A", **window, interval_minutes=60)  # type: ignore[arg-type]
        assert hours(found.volume) == [(1, 2, 30), (2, 2.5, 10), (2.5, 26, 260)]
        by_day = await service.history("kalshi:A", **window, interval_minutes=1440)  # type: ignore[arg-type]
        assert hours(by_day.volume) == [(2.5, 26, 260)]

    async def test_candles_that_come_later_count_for_their_time(self, database: Database) -> None:
        service = await self.put(database)
        candles = [
            PricePoint(
                market_id="kalshi:A", outcome=0, at=T0 + n * HOUR,
                price=0.3, source="candle", volume=volume,
            )
            for n, volume in ((-3, 10.0), (-2, 15.0), (0, 40.0))
        ]  # fmt: skip
        async with database.transaction() as conn:
            await store.append_prices(conn, candles)
        found = await service.history("kalshi:A", start=T0 - DAY, end=T0 + DAY)
        assert hours(found.volume) == [(-3, -2, 5), (-1, 0, 25)]

    async def test_the_order_of_outcomes_does_not_matter(self, database: Database) -> None:
        service = await self.put(database, outcomes=("Yes", "No"))
        await self.put(
            database, outcomes=("No", "Yes"), prices=(0.6, 0.4), volume=180.0,
            observed_at=T0 + 3 * HOUR, price_as_of=T0 + 3 * HOUR,
        )  # fmt: skip
        found = await service.history("kalshi:A", start=T0, end=T0 + DAY)
        assert hours(found.volume) == [(1, 3, 80)]

    async def test_without_volume_there_are_no_bars(self, database: Database) -> None:
        service = await self.put(database, volume=None)
        found = await service.history("kalshi:A", start=T0, end=T0 + DAY)
        assert found.series[0]
        assert found.volume == []

"""Histories in intervals: against a slow twin, and by what must hold for any points."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from augury.errors import InvalidInput, NotFound
from augury.markets import store
from augury.markets.records import Market, PricePoint
from augury.markets.service import INTERVALS, MarketService, to_series
from augury.markets.store import Bucket
from augury.storage.database import Database

T0 = datetime(2026, 3, 29, tzinfo=UTC)  # a change to summer time in Europe: nothing may shift
NOW = T0 + timedelta(days=30)
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)

points = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 4 * 86_400), st.floats(0, 1)),
    max_size=40,
    unique_by=lambda p: (p[0], p[1]),
)


def slow_twin(
    given_points: list[tuple[int, int, float]], start: datetime, end: datetime, minutes: int
) -> list[list[tuple[datetime, float | None]]]:
    """The definition, point by point, of a market with two outcomes."""
    width = timedelta(minutes=minutes)
    last: dict[tuple[datetime, int], tuple[datetime, float]] = {}
    for outcome, second, price in given_points:
        at = T0 + timedelta(seconds=second)
        if start <= at < end:
            bucket = EPOCH + (at - EPOCH) // width * width
            key = (bucket, outcome)
            if key not in last or last[key][0] < at:
                last[key] = (at, price)
    values: list[dict[datetime, float]] = [{}, {}]
    for (bucket, outcome), (_, price) in last.items():
        values[outcome][bucket] = price
        if (bucket, 1 - outcome) not in last:
            values[1 - outcome][bucket] = round(1 - price, 12)
    series: list[list[tuple[datetime, float | None]]] = []
    for known in values:
        line: list[tuple[datetime, float | None]] = []
        at = min(known, default=end)
        while known and at <= max(known):
            line.append((at, known.get(at)))
            at += width
        series.append(line)
    return series


@pytest.mark.anyio
@pytest.mark.parametrize("minutes", INTERVALS)
async def test_the_slow_twin_agrees(database: Database, minutes: int) -> None:

    rng = random.Random(minutes)
    service = MarketService(database, clock=lambda: NOW)
    for round_ in range(6):
        sample = {
            (rng.randint(0, 1), rng.randint(0, 4 * 86_400)): rng.random()
            for _ in range(rng.choice([0, 1, 2, 30, 200]))
        }
        rows = [(o, s, p) for (o, s), p in sample.items()]
        market = Market(
            id=f"kalshi:{round_}", platform="kalshi", platform_id="x", question="q", title="q"
        )
        async with database.transaction() as conn:
            await store.upsert_markets(conn, [market])
            await store.append_prices(
                conn,
                [
                    PricePoint(
                        market_id=market.id, outcome=o, at=T0 + timedelta(seconds=s), price=p
                    )
                    for o, s, p in rows
                ],
            )
        start = T0 + timedelta(seconds=rng.randint(0, 86_400))
        end = start + timedelta(seconds=rng.randint(1, 3 * 86_400))
        found = await service.history(market.id, start=start, end=end, interval_minutes=minutes)
        assert found.series == slow_twin(rows, start, end, minutes)


@pytest.mark.heavy
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(points, st.sampled_from(INTERVALS))
def test_intervals_are_even_and_begin_and_end_with_data(
    given_points: list[tuple[int, int, float]], minutes: int
) -> None:
    width = timedelta(minutes=minutes)
    latest: dict[tuple[int, datetime], float] = {}
    for outcome, second, price in sorted(given_points, key=lambda p: p[1]):
        at = T0 + timedelta(seconds=second)
        latest[outcome, EPOCH + (at - EPOCH) // width * width] = price
    buckets = [Bucket(o, at, p) for (o, at), p in sorted(latest.items())]
    series = to_series(buckets, 2, width)
    known = {at for _, at in latest}
    for line in series:
        assert bool(line) == bool(known)
        times = [at for at, _ in line]
        assert all(b - a == width for a, b in pairwise(times))
        assert all((at - EPOCH) % width == timedelta(0) for at in times)
        assert {at for at, price in line if price is not None} == known
        if line:
            assert line[0][1] is not None
            assert line[-1][1] is not None


def test_more_than_two_outcomes_have_no_complements() -> None:
    hour = timedelta(hours=1)
    buckets = [Bucket(0, T0, 0.2), Bucket(2, T0 + 2 * hour, 0.5), Bucket(2, T0, 0.4)]
    assert to_series(buckets, 3, hour) == [
        [(T0, 0.2)],
        [],
        [(T0, 0.4), (T0 + hour, None), (T0 + 2 * hour, 0.5)],
    ]


@pytest.mark.anyio
class TestWindows:
    async def put(self, database: Database, **fields: object) -> MarketService:
        base = {
            "id": "kalshi:A", "platform": "kalshi", "platform_id": "A", "question": "q",
            "title": "q", "prices": (0.4, 0.6), "price_as_of": T0, "observed_at": T0,
        }  # fmt: skip
        async with database.transaction() as conn:
            await store.upsert_markets(conn, [Market(**{**base, **fields})])  # type: ignore[arg-type]
        return MarketService(database, clock=lambda: NOW)

    async def test_default_ends_now(self, database: Database) -> None:
        service = await self.put(database)
        found = await service.history("kalshi:A")
        assert (found.start, found.end) == (NOW - timedelta(days=30), NOW)
        assert [len(s) for s in found.series] == [1, 1]
        assert (await service.history("kalshi:A", interval_minutes=1)).series == [[], []]

    async def test_of_a_settled_market_with_its_last_price(self, database: Database) -> None:
        service = await self.put(database, status="resolved", resolution="Yes")
        found = await service.history("kalshi:A", interval_minutes=1)
        assert found.series[0] == [(T0, 0.4)]
        assert found.end <= T0 + timedelta(seconds=1)

    async def test_bounds(self, database: Database) -> None:
        service = await self.put(database)
        for start, end, minutes in (
            (NOW, NOW, 60),
            (NOW, T0, 60),
            (NOW - timedelta(minutes=10_001), NOW, 1),
        ):
            with pytest.raises(InvalidInput):
                await service.history("kalshi:A", start=start, end=end, interval_minutes=minutes)
        whole = await service.history("kalshi:A", start=NOW - timedelta(minutes=10_000), end=NOW,
                                      interval_minutes=1)  # fmt: skip
        assert whole.series == [[], []]

    async def test_unknown(self, database: Database) -> None:
        service = await self.put(database)
        for unknown in ("kalshi:B", "", "\0", "kalshi:b"):
            with pytest.raises(NotFound):
                await service.history(unknown)

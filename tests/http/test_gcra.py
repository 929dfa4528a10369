"""The rate limiter's arithmetic: exact against a token bucket, and the same in SQL (R7)."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.errors import SetupProblem
from augury.http.gcra import Decision, Rate, take
from augury.storage.database import Database

START = datetime(2026, 1, 1, tzinfo=UTC)


class TokenBucket:
    """The textbook's bucket in whole numbers: a token is `interval` drops."""

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self.full = rate.interval * rate.burst
        self.drops = self.full
        self.at = 0

    def take(self, now: int) -> bool:
        self.drops = min(self.full, self.drops + now - self.at)
        self.at = now
        if self.drops < self.rate.interval:
            return False
        self.drops -= self.rate.interval
        return True


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("1/s", Rate(1_000_000, 1)),
        ("10/s", Rate(100_000, 10)),
        ("10/min", Rate(6_000_000, 10)),
        ("60 / min", Rate(1_000_000, 60)),
        ("7/s", Rate(142_858, 7)),
        ("100/h", Rate(36_000_000, 100)),
        ("1000/d", Rate(86_400_000, 1000)),
    ],
)
def test_rates_are_read(text: str, rate: Rate) -> None:
    assert Rate.parse(text)[:2] == rate[:2]


@pytest.mark.parametrize("text", ["", "10", "0/s", "-1/s", "1/week", "1.5/s", "1/s/s", "٣/s"])
def test_other_texts_are_a_setup_problem(text: str) -> None:
    with pytest.raises(SetupProblem, match="is not a rate"):
        Rate.parse(text)


def test_50k_requests_of_many_callers_are_exact() -> None:
    rng = random.Random(7)
    rates = [
        Rate.parse("1/s"),
        Rate.parse("10/s"),
        Rate.parse("10/min"),
        Rate.parse("7/s", burst=3),
    ]
    keys = [(n, rates[n % len(rates)]) for n in range(40)]
    buckets = {key: TokenBucket(rate) for key, rate in keys}
    tats: dict[int, int] = {}
    now, allowed = 0, 0
    for _ in range(50_000):
        now += rng.choice([0, 0, 1, 137, 5_000, 40_000])
        key, rate = rng.choice(keys)
        tats[key], decision = take(tats.get(key), now, rate)
        assert decision.allowed == buckets[key].take(now)
        assert (decision.retry_after == 0) == decision.allowed
        allowed += decision.allowed
    assert 5_000 < allowed < 45_000


@given(
    interval=st.integers(1, 10**8),
    burst=st.integers(1, 50),
    waits=st.lists(st.integers(0, 10**9), max_size=40),
)
def test_waiting_as_told_is_enough(interval: int, burst: int, waits: list[int]) -> None:
    rate, now, tat = Rate(interval, burst), 0, None
    for wait in waits:
        now += wait
        tat, decision = take(tat, now, rate)
        if not decision.allowed:
            seconds = max(1, math.ceil(decision.retry_after))
            _, again = take(tat, now + seconds * 1_000_000, rate)
            assert again.allowed
            _, early = take(tat, now + round(decision.retry_after * 1e6) - 1, rate)
            assert not early.allowed


@given(burst=st.integers(1, 30))
def test_what_remains_is_what_can_be_taken(burst: int) -> None:
    rate, tat = Rate(1000, burst), None
    for left in range(burst - 1, -1, -1):
        tat, decision = take(tat, 0, rate)
        assert decision.allowed
        assert decision.remaining == left
    assert not take(tat, 0, rate)[1].allowed


def test_a_clock_set_back_or_a_raised_rate_heals() -> None:
    tat, _ = take(None, 10**12, Rate(1_000_000, 1))
    rate = Rate(100_000, 10)
    tat, refused = take(tat, 0, rate)
    assert not refused.allowed
    assert refused.retry_after == pytest.approx(0.1)
    assert take(tat, 100_000, rate)[1].allowed


@pytest.mark.anyio
async def test_the_sql_function_is_the_same(database: Database) -> None:
    rng = random.Random(11)
    tats: dict[str, int] = {}
    async with database.transaction() as conn:
        for n in range(800):
            rate = rng.choice([Rate(1_000_000, 1), Rate(142_858, 7), Rate(6_000_000, 10)])
            key = f"k{rng.randrange(6)}:{rate.burst}"
            now = n * 97_003 if rng.random() < 0.9 else max(0, n * 97_003 - 5_000_000)
            expected_tat, expected = take(tats.get(key), now, rate)
            cursor = await conn.execute(
                "select * from augury_take(%s, %s, %s, %s)",
                (
                    key,
                    timedelta(microseconds=rate.interval),
                    rate.burst,
                    START + timedelta(microseconds=now),
                ),
            )
            row = await cursor.fetchone()
            assert row is not None
            got = Decision(*row)
            assert got.allowed == expected.allowed, (n, key)
            assert got.remaining == expected.remaining
            assert got.retry_after == pytest.approx(expected.retry_after, abs=1e-6)
            assert got.reset == pytest.approx(expected.reset, abs=1e-6)
            # A refusal leaves the row alone; the twin returns the healed value, which acts alike.
            tats[key] = expected_tat if expected.allowed else tats[key]


@pytest.mark.anyio
async def test_four_connections_at_once_admit_exactly_the_burst(database: Database) -> None:
    admitted: Counter[str] = Counter()

    async def worker(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(500):
            key = f"k{rng.randrange(3)}"
            async with database.reading() as conn:
                cursor = await conn.execute(
                    "select allowed from augury_take(%s, interval '1 h', 50, %s)", (key, START)
                )
                row = await cursor.fetchone()
                assert row is not None
                admitted[key] += row[0]

    await asyncio.gather(*(worker(n) for n in range(4)))
    assert admitted == {"k0": 50, "k1": 50, "k2": 50}

"""The one rule of age: when a market is active, closed or stale, and when a price counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from augury.markets import store
from augury.markets.freshness import AgeRule, Standing, are_comparable, is_overdue
from augury.markets.records import STATUSES, Market, Status
from augury.settings import Settings
from augury.storage.database import Database

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

CASES: list[tuple[Status, datetime | None, datetime | None, datetime | None, bool]] = [
    ("active", None, NOW - 9 * HOUR, NOW - 9 * HOUR, False),
    ("active", NOW + HOUR, NOW - 9 * HOUR, None, False),
    ("active", NOW - HOUR, NOW - 9 * HOUR, NOW - 9 * HOUR, True),
    ("active", NOW - HOUR, None, None, True),
    ("active", NOW - HOUR, NOW - HOUR, None, False),
    ("active", NOW - 2 * HOUR, NOW - 9 * HOUR, NOW - HOUR, False),
    ("active", NOW - 2 * HOUR, NOW - HOUR, NOW - 9 * HOUR, False),
    ("closed", NOW - HOUR, NOW - 9 * HOUR, NOW - 9 * HOUR, False),
    ("resolved", NOW - HOUR, NOW - 9 * HOUR, NOW - 9 * HOUR, False),
    ("active", None, NOW - HOUR, NOW - 15 * DAY, False),
    ("active", None, NOW - 15 * DAY, None, False),
    ("active", None, None, None, False),
    ("active", NOW + DAY, NOW - 20 * DAY, NOW - 20 * DAY, False),
    ("resolved", None, NOW - 200 * DAY, NOW - 200 * DAY, False),
]


def market(n: int, status: Status, closes: datetime | None, seen: datetime | None,
           quoted: datetime | None) -> Market:  # fmt: skip
    return Market(
        id=f"polymarket:{n}", platform="polymarket", platform_id=str(n), question=f"Q{n}?",
        title=f"Q{n}?", status=status, closes_at=closes, observed_at=seen, price_as_of=quoted,
        prices=(0.4, 0.6) if quoted else (None, None),
    )  # fmt: skip


MARKETS = [market(n, *case[:4]) for n, case in enumerate(CASES)]


@pytest.mark.parametrize(("status", "closes_at", "observed_at", "price_as_of", "overdue"), CASES)
def test_overdue_is_past_the_close_without_a_word_since(
    status: Status,
    closes_at: datetime | None,
    observed_at: datetime | None,
    price_as_of: datetime | None,
    overdue: bool,
) -> None:
    assert is_overdue(status, closes_at, observed_at, price_as_of, NOW) is overdue


def test_an_overdue_market_is_closed_and_stale_and_says_so() -> None:
    standing = AgeRule().standing(MARKETS[2], NOW)
    assert standing == Standing("closed", True, standing.why)
    assert standing.why is not None
    assert standing.why.startswith("Its close has passed, and its venue has said nothing since (")


@pytest.mark.parametrize(
    ("n", "stale"), [(0, False), (5, False), (9, True), (10, True), (11, True), (12, True)]
)
def test_an_active_market_is_stale_when_its_price_is_old(n: int, stale: bool) -> None:
    standing = AgeRule().standing(MARKETS[n], NOW)
    assert (standing.status, standing.stale, standing.why is not None) == ("active", stale, stale)


def test_the_reason_names_the_age_and_the_limit() -> None:
    why = AgeRule().standing(MARKETS[12], NOW).why
    assert why == "Its last price is 20 days old (limit: 14 days)."
    hours = AgeRule(HOUR).standing(MARKETS[0], NOW).why
    assert hours == "Its last price is 9 hours old (limit: 1 hour)."


@pytest.mark.parametrize("n", [7, 8, 13])
def test_what_has_ended_is_never_stale(n: int) -> None:
    assert AgeRule().standing(MARKETS[n], NOW) == Standing(MARKETS[n].status, False)


def test_a_price_is_old_from_the_age_on() -> None:
    rule = AgeRule(DAY)
    assert not rule.is_old(NOW - DAY, NOW)
    assert rule.is_old(NOW - DAY - timedelta(seconds=1), NOW)
    assert rule.is_old(None, NOW)
    assert not rule.is_old(NOW + HOUR, NOW)  # a venue's clock ahead of ours
    assert rule.oldest(NOW) == NOW - DAY


def test_prices_a_day_apart_are_not_compared() -> None:
    assert are_comparable(NOW, NOW - DAY)
    assert not are_comparable(NOW, NOW - DAY - HOUR)
    assert not are_comparable(None, NOW)


@pytest.mark.parametrize(("text", "seconds"), [("14d", 14 * 86_400), ("36h", 129_600), ("90", 90)])
def test_the_age_is_set_in_seconds_or_with_a_unit(
    text: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUGURY_PRICE_MAX_AGE", text)
    assert Settings().price_max_age == seconds


@pytest.mark.anyio
async def test_the_store_finds_the_same(database: Database) -> None:
    async with database.transaction() as conn:
        await store.upsert_markets(conn, MARKETS)
        found = await store.overdue(conn, NOW)
        rows = await store.fetch(conn, [m.id for m in MARKETS])
        shown = await store.list_page(
            conn, store.Filters(), sort="volume", limit=99, now=NOW, oldest=AgeRule().oldest(NOW)
        )
        by_state = {
            (status, stale): {
                m.id
                for m in await store.list_page(
                    conn,
                    store.Filters(status=status, stale=stale),
                    sort="volume",
                    limit=99,
                    now=NOW,
                    oldest=AgeRule().oldest(NOW),
                )
            }
            for status in STATUSES
            for stale in (True, False)
        }
    assert [row.seq in found for row in rows] == [overdue for *_, overdue in CASES]
    for row in shown:
        standing = AgeRule().standing(row, NOW)
        assert row.id in by_state[standing.status, standing.stale]

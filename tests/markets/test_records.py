"""When a market's last word is too old to count."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from augury.markets import store
from augury.markets.records import Market, Status, is_overdue
from augury.storage.database import Database

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = timedelta(hours=1)

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
]


@pytest.mark.parametrize(("status", "closes_at", "observed_at", "price_as_of", "overdue"), CASES)
def test_overdue_is_past_the_close_without_a_word_since(
    status: Status,
    closes_at: datetime | None,
    observed_at: datetime | None,
    price_as_of: datetime | None,
    overdue: bool,
) -> None:
    assert is_overdue(status, closes_at, observed_at, price_as_of, NOW) is overdue


@pytest.mark.anyio
async def test_the_store_finds_the_same(database: Database) -> None:
    given = [
        Market(
            id=f"polymarket:{n}", platform="polymarket", platform_id=str(n), question=f"Q{n}?",
            title=f"Q{n}?", status=status, closes_at=closes, observed_at=seen, price_as_of=quoted,
            prices=(0.4, 0.6) if quoted else (None, None),
        )
        for n, (status, closes, seen, quoted, _) in enumerate(CASES)
    ]  # fmt: skip
    async with database.transaction() as conn:
        await store.upsert_markets(conn, given)
        found = await store.overdue(conn)
        rows = await store.fetch(conn, [m.id for m in given])
    assert [row.seq in found for row in rows] == [overdue for *_, overdue in CASES]

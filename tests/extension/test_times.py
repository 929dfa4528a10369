"""Days, times and zones as texts tell them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from augury.extension import times

NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day", "at"),
    [
        ("April 18, 7:30 PM ET", date(2026, 4, 18), datetime(2026, 4, 18, 23, 30, tzinfo=UTC)),
        (
            "Jan. 18 2026, 7:30 p.m. EST",
            date(2026, 1, 18),
            datetime(2026, 1, 19, 0, 30, tzinfo=UTC),
        ),
        ("18 April 2026 19:45 BST", date(2026, 4, 18), datetime(2026, 4, 18, 18, 45, tzinfo=UTC)),
        ("2026-04-18 20:00 CEST", date(2026, 4, 18), datetime(2026, 4, 18, 18, 0, tzinfo=UTC)),
        ("4/18/2026 6pm PT", date(2026, 4, 18), datetime(2026, 4, 19, 1, 0, tzinfo=UTC)),
        ("19 Apr, 9:30 AM AEST", date(2026, 4, 19), datetime(2026, 4, 18, 23, 30, tzinfo=UTC)),
        ("December 28", date(2025, 12, 28), None),
        ("tonight at 7", date(2026, 4, 15), None),
        ("tomorrow", date(2026, 4, 16), None),
        ("Saturday's game", date(2026, 4, 18), None),
        ("February 30", None, None),
        ("no day", None, None),
    ],
)
def test_times(text: str, day: date | None, at: datetime | None) -> None:
    found = times.start_of(text, NOW)
    assert (found and found.day, found and found.at) == (day, at)

"""Retry-After in all its forms."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from augury.net.pause import LONGEST_PAUSE, retry_after

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("5", 5),
        ("0", 0),
        ("Fri, 01 May 2026 12:00:30 GMT", 30),
        ("Fri, 01 May 2026 11:00:00 GMT", 0),
        ("999999999999999999", LONGEST_PAUSE),
        ("Fri, 01 May 2099 12:00:00 GMT", LONGEST_PAUSE),
        ("soon", None),
        ("-5", None),
        (None, None),
    ],
)
def test_retry_after_is_a_number_or_a_date_and_bounded(
    value: str | None, seconds: float | None
) -> None:
    assert retry_after(value, NOW) == seconds

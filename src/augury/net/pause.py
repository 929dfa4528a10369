"""Reads the header `Retry-After`, by which a server asks for a pause between requests."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_PAUSE = 300.0
"""If a Retry-After header asks for a longer wait than this, in seconds, the wait is shortened to
this. Chosen by hand."""


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds to wait from `now`, at most `LONGEST_PAUSE`, by the `value` of a `Retry-After` header
    (RFC 9110, 10.2.3), which is a number of seconds or a date. None if `value` is None or
    unreadable."""
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), LONGEST_PAUSE)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return min(max(0.0, (at - now).total_seconds()), LONGEST_PAUSE)

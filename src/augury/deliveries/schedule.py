"""When a failed delivery is tried again, and when its endpoint is disabled. Pure functions.

The times are those that Standard Webhooks recommends
(https://github.com/standard-webhooks/standard-webhooks, "Operational considerations").
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

RETRY_PAUSES = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=10),
)
"""Pauses before the second, third, ... attempt to deliver a message. If the last attempt fails too,
the message is given up."""
OFF_AFTER = timedelta(hours=120)
"""An endpoint is disabled if all attempts to send to it have failed for this long."""
GONE = 410


def retry_in(failures: int, retries: Sequence[timedelta] = RETRY_PAUSES) -> timedelta | None:
    """The pause after a message's failed attempt number `failures` (from 1); None: it is not tried
    again."""
    return retries[failures - 1] if failures <= len(retries) else None


def switches_off(
    status_code: int | None, failing_since: datetime | None, now: datetime
) -> str | None:
    """The reason, as a sentence, to disable an endpoint after a failed attempt; None if the
    endpoint stays enabled. `failing_since`: since when all attempts to send to it have failed."""
    if status_code == GONE:
        return "The endpoint answered 410 Gone."
    if failing_since is not None and now - failing_since >= OFF_AFTER:
        return "The endpoint has accepted no message for 120 hours."
    return None

"""The one place that reads the time, so that everything else can be handed a time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def now() -> datetime:
    """The current time, in UTC, with its zone."""
    return datetime.now(UTC)


def isoformat(moment: datetime) -> str:
    """`moment` as ISO 8601 in UTC with a trailing `Z`, microseconds only where there are any."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")

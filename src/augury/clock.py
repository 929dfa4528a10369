"""The only module that reads the system's time. Other code gets a clock as an argument, so that
tests can set the time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def now() -> datetime:
    """The current time, in UTC, with its zone."""
    return datetime.now(UTC)


def isoformat(moment: datetime) -> str:
    """`moment` as ISO 8601 in UTC with a trailing `Z`; without microseconds if they are 0."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


async def pause(stop: asyncio.Event, seconds: float) -> None:
    """Wait `seconds`, or until `stop` is set."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)

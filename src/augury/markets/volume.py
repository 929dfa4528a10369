"""What was traded when: the differences of a market's volume as it was observed over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

CANDLE = timedelta(hours=1)
"""The period of the candles that connectors ask for."""

_INSTANT = timedelta(microseconds=1)
_ORIGIN = datetime(2000, 1, 1, tzinfo=UTC)


class VolumeReading(NamedTuple):
    """A market's volume up to `at`, in the venue's unit."""

    at: datetime
    volume: float
    candle: bool
    """Counted by a venue's candles, from the first of them on, and not over the market's life."""


class VolumeBar(NamedTuple):
    """What was traded in (start, end], in the venue's unit."""

    start: datetime
    end: datetime
    volume: float


def bars(
    readings: Sequence[VolumeReading], start: datetime, interval: timedelta
) -> list[VolumeBar]:
    """What was traded from `start` on, between one reading and the next; in order of time.

    `readings` are at most one an interval and kind, aligned to midnight UTC. A bar reaches from
    the reading before it to its own, however long that took: nothing tells how its volume was
    spread. Of candles a missing one means that nothing was traded, so a bar of theirs begins with
    its own interval. Where there are candles they count, and readings of the whole market only
    after the last one. A volume that went down was corrected: it makes no bar.
    """
    last_candle = max((r.at for r in readings if r.candle), default=None)
    found: list[VolumeBar] = []
    before: VolumeReading | None = None
    for reading in sorted(readings):
        if not reading.candle and last_candle is not None and reading.at <= last_candle:
            continue
        if before is not None and before.candle == reading.candle:
            begins = before.at
            if reading.candle:
                within = reading.at - _INSTANT
                opens = within - (within - _ORIGIN) % interval
                begins = max(begins, min(opens, reading.at - CANDLE))
            traded = round(reading.volume - before.volume, 6)
            if begins >= start and traded > 0:
                found.append(VolumeBar(begins, reading.at, traded))
        before = reading
    return found

"""Volume traded over time: the differences between observations of a market's volume."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

CANDLE_LENGTH = timedelta(hours=1)
"""Length of the candles (price and volume of a period) that the connectors request from the
venues."""

_INSTANT = timedelta(microseconds=1)
_ORIGIN = datetime(2000, 1, 1, tzinfo=UTC)


class VolumeReading(NamedTuple):
    """A market's cumulative volume up to `at`, in the venue's unit."""

    at: datetime
    volume: float
    from_candles: bool
    """True: `volume` is the sum of the volumes of the venue's candles since the first one fetched.
    False: it is the volume over the market's whole life."""


class VolumeBar(NamedTuple):
    """The volume traded in (start, end], in the venue's unit."""

    start: datetime
    end: datetime
    volume: float


def bars(
    readings: Sequence[VolumeReading], start: datetime, interval: timedelta
) -> list[VolumeBar]:
    """The volume traded between consecutive readings, from `start` on, in order of time.

    `readings` has at most two for each interval (aligned to midnight UTC): one from a candle, and
    one from other sources.

    - Candles: a missing candle means that nothing was traded. So a bar covers only the interval in
      which its candle lies, or one hour (the length of a candle) if the interval is shorter.
    - Other readings are used only after the last candle. A bar reaches from one reading to the
      next, however far apart they are, because it is not known when in between the volume was
      traded.
    - Where the volume decreases, the venue has corrected it: there is no bar.
    """
    last_candle = max((r.at for r in readings if r.from_candles), default=None)
    found: list[VolumeBar] = []
    before: VolumeReading | None = None
    for reading in sorted(readings):
        if not reading.from_candles and last_candle is not None and reading.at <= last_candle:
            continue
        if before is not None and before.from_candles == reading.from_candles:
            begins = before.at
            if reading.from_candles:
                within = reading.at - _INSTANT
                opens = within - (within - _ORIGIN) % interval
                begins = max(begins, min(opens, reading.at - CANDLE_LENGTH))
            traded = round(reading.volume - before.volume, 6)
            if begins >= start and traded > 0:
                found.append(VolumeBar(begins, reading.at, traded))
        before = reading
    return found

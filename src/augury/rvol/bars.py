"""One day of price bars: what is missing, what is a bad print, whether the day counts. Pure."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass

import numpy as np

from augury.rvol.panel import Bools, Floats, Ints

MIN_BARS_SHARE = 0.96
"""Smallest share (0 to 1) of a day's expected price bars that must be there for models to use the
day. An exchange that returns a smaller share of the bars asked for is used only if no other
exchange has more. Chosen by hand."""
LONGEST_FILL = 30
"""Longest gap in a day's price bars, in minutes, with which models still use the day. Gaps are
filled with the last price. Chosen by hand."""
SPIKE, REVERTED = 12.0, 0.15
"""Limits by which a close is called a bad print (a wrong price): its log return exceeds `SPIKE`
robust standard deviations of the day's returns, and the next bar undoes this return until less than
the share `REVERTED` (0 to 1) is left. A real move does not undo itself within a bar. Chosen by
hand."""
SMALLEST_SPIKE = 0.02
"""Smallest absolute log return for which a close can be refused as a bad print (a wrong price). On
calm days, when `SPIKE` standard deviations are less than this, this limit keeps normal moves from
being refused. Chosen by hand."""


@dataclass(frozen=True)
class Day:
    """The prices of one asset over one trading day, at regular intervals, and how many of its price
    bars came and how many were refused."""

    path: Floats
    """Prices, one more than bars: the day's first price, then every bar's close. A missing bar
    repeats the last price before it; NaN if there is none."""
    minutes: int
    present: int
    """Number of usable bars: those that came and were not refused as wrong."""
    expected: int
    longest_fill: int
    """Length of the longest gap between usable bars, in minutes."""
    bad: int
    """Number of bars refused, as bad prints (wrong prices) or because their values contradict each
    other."""

    @property
    def counts(self) -> bool:
        """Whether models may use the day: it has nearly all its bars (`MIN_BARS_SHARE`) and no
        long gap (`LONGEST_FILL`)."""
        return (
            self.present >= MIN_BARS_SHARE * self.expected
            and self.longest_fill <= LONGEST_FILL
            and bool(np.isfinite(self.path).all())
        )


def on_grid(
    stamps: Ints, ohlcv: Floats, *, start: int, end: int, minutes: int, previous: float | None
) -> Day:
    """Put a day's price bars on a regular grid: one place for every `minutes` from `start` to `end`
    (when trading opens and closes, in seconds since 1970). Missing and refused bars are filled with
    the last price.

    Parameters
    ----------
    stamps : (n)
        Open time of each bar, seconds since 1970, ascending. Bars outside [start, end) or off
        the grid are left out. Of several bars with the same time, the last one is used.
    ohlcv : (n, 5)
        Open, high, low, close, volume.
    previous : float, optional
        The last close of the day before; a gap at the open is filled with it.
    """
    width = 60 * minutes
    expected = (end - start) // width
    inside = (stamps >= start) & (stamps < end) & ((stamps - start) % width == 0)
    place = (stamps[inside] - start) // width
    values = ohlcv[inside]
    sane = consistent(values)
    opens, closes = np.full(expected, np.nan), np.full(expected, np.nan)
    opens[place[sane]], closes[place[sane]] = values[sane, 0], values[sane, 3]
    spikes = bad_prints(closes)
    opens[spikes], closes[spikes] = np.nan, np.nan
    there = np.isfinite(closes)
    gaps = _runs(~there)
    first = opens[0] if there.size and there[0] else (previous or np.nan)
    path = np.concatenate([[first], closes])
    known = np.where(np.isfinite(path), np.arange(len(path)), -1)
    last = np.maximum.accumulate(known)
    path = np.where(last >= 0, path[np.maximum(last, 0)], np.nan)
    return Day(
        path,
        minutes,
        int(there.sum()),
        int(expected),
        int(gaps.max(initial=0)) * minutes,
        int((~sane).sum() + spikes.sum()),
    )


def consistent(ohlcv: Floats) -> Bools:
    """Which of the n bars, given as (n, 5), do not contradict themselves: their prices are positive
    and finite, open and close lie between low and high (except for rounding), and the volume is not
    negative."""
    opens, highs, lows, closes, volumes = ohlcv.T
    # Venues round the four prices apart: allow for the last digit.
    slack = 1e-6 * np.abs(closes)
    return (
        np.isfinite(ohlcv[:, :4]).all(axis=1)
        & (ohlcv[:, :4] > 0).all(axis=1)
        & (lows <= np.minimum(opens, closes) + slack)
        & (highs >= np.maximum(opens, closes) - slack)
        & ~(volumes < 0)
    )


def bad_prints(closes: Floats) -> Bools:
    """Which of the n closes are bad prints (wrong prices): jumps that the next bar reverses, see
    `SPIKE`. A missing close is NaN. With fewer than 20 closes, none is called bad."""
    out = np.zeros(len(closes), dtype=bool)
    there = np.flatnonzero(np.isfinite(closes))
    if len(there) < 20:
        return out
    r = np.diff(np.log(closes[there]))
    typical = max(float(np.median(np.abs(r))) / 0.6745, 1e-6)
    leap, back = r[:-1], r[1:]
    hit = (np.abs(leap) > max(SPIKE * typical, SMALLEST_SPIKE)) & (
        np.abs(leap + back) < REVERTED * np.abs(leap)
    )
    out[there[1:-1][hit]] = True
    return out


def _runs(flags: Bools) -> Ints:
    """Lengths of the runs of consecutive True values, from the first run to the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return edges[1::2] - edges[::2]


def packed(stamps: Ints, ohlcv: Floats) -> bytes:
    """Price bars as compressed bytes, which `unpacked` reads. Bytes of equal significance are
    stored side by side, which halves the compressed size."""
    table = np.column_stack([stamps.astype(np.float64), ohlcv]).T
    raw = np.ascontiguousarray(table, dtype="<f8").view(np.uint8).reshape(6, -1, 8)
    return zlib.compress(np.ascontiguousarray(raw.transpose(0, 2, 1)).tobytes(), 6)


def unpacked(data: bytes) -> tuple[Ints, Floats]:
    """The times (n) and values (n, 5) of the price bars that `packed` compressed into `data`."""
    raw = np.frombuffer(zlib.decompress(data), dtype=np.uint8).reshape(6, 8, -1)
    table = np.ascontiguousarray(raw.transpose(0, 2, 1)).view("<f8").reshape(6, -1)
    return table[0].astype(np.int64), np.ascontiguousarray(table[1:].T)


def fingerprint(stamps: Ints, ohlcv: Floats) -> str:
    """SHA-256 (hex) of the bars' times and values: equal bars from a file and from an exchange have
    the same fingerprint."""
    content = np.ascontiguousarray(np.column_stack([stamps.astype(np.float64), ohlcv]), "<f8")
    return hashlib.sha256(content.tobytes()).hexdigest()

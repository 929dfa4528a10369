"""Checks one day of price bars: which are missing, which are bad prints (wrong prices), and whether
models may use the day. Pure."""

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
MAX_GAP_MINUTES = 30
"""Longest gap in a day's price bars, in minutes, with which models still use the day. Gaps are
filled with the last price. Chosen by hand."""
SPIKE_DEVIATIONS, UNREVERTED_SHARE = 12.0, 0.15
"""Two limits for calling a close a bad print (a wrong price): a jump that the next bar reverses.
The jump is an absolute log return of more than `SPIKE_DEVIATIONS` robust standard deviations of the
day's returns. It counts as reversed if less than the share `UNREVERTED_SHARE` (0 to 1) of it
remains after the next bar. A real move does not reverse within one bar. Chosen by hand."""
MIN_SPIKE_RETURN = 0.02
"""Smallest absolute log return for which a close can be refused as a bad print (a wrong price). On
calm days `SPIKE_DEVIATIONS` standard deviations are less than this; without this limit, normal
moves would be refused. Chosen by hand."""


@dataclass(frozen=True)
class Day:
    """The prices of one asset over one trading day, at regular intervals, and how many of its price
    bars came and how many were refused."""

    path: Floats
    """Prices: the day's first price, followed by the close of every bar. So there is one price more
    than there are bars. A missing bar repeats the last price before it; NaN if there is none."""
    minutes: int
    present: int
    """Number of usable bars: those that came and were not refused as wrong."""
    expected: int
    longest_fill: int
    """Length, in minutes, of the longest gap between usable bars; gaps are filled with the last
    price."""
    bad: int
    """Number of bars refused, as bad prints (wrong prices) or because their values contradict each
    other."""

    @property
    def counts(self) -> bool:
        """Whether models may use the day: it has nearly all its bars (`MIN_BARS_SHARE`) and no
        long gap (`MAX_GAP_MINUTES`)."""
        return (
            self.present >= MIN_BARS_SHARE * self.expected
            and self.longest_fill <= MAX_GAP_MINUTES
            and bool(np.isfinite(self.path).all())
        )


def on_grid(
    stamps: Ints, ohlcv: Floats, *, start: int, end: int, minutes: int, previous: float | None
) -> Day:
    """Put a day's price bars on a regular grid with one slot every `minutes` minutes, from `start`
    to `end` (open and close of trading, in seconds since 1970). A slot is filled with the last
    price if its bar is missing, contradicts itself (e.g. high below low) or is a bad print (a wrong
    price).

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
    """Shape (n,): True for each bar that does not contradict itself, i.e. whose prices are positive
    and finite, whose open and close lie between low and high (except for rounding), and whose
    volume is not negative. `ohlcv`, shape (n, 5): open, high, low, close and volume of the bars."""
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
    """Shape (n,): True for each close that is a bad print (a wrong price), i.e. a jump that the
    next bar reverses, see `SPIKE_DEVIATIONS`. A missing close is NaN. With fewer than 20 closes,
    none is called bad."""
    out = np.zeros(len(closes), dtype=bool)
    there = np.flatnonzero(np.isfinite(closes))
    if len(there) < 20:
        return out
    r = np.diff(np.log(closes[there]))
    typical = max(float(np.median(np.abs(r))) / 0.6745, 1e-6)
    leap, back = r[:-1], r[1:]
    hit = (np.abs(leap) > max(SPIKE_DEVIATIONS * typical, MIN_SPIKE_RETURN)) & (
        np.abs(leap + back) < UNREVERTED_SHARE * np.abs(leap)
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

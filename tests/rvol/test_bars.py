"""A day of bars: gaps, bad prints, whether it counts, and what is kept of it."""

from __future__ import annotations

import numpy as np
import pytest

from augury.rvol import bars

DAY = 1_700_006_400  # midnight UTC


def some(n: int = 288, minutes: int = 5, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    closes = 100 * np.exp(np.cumsum(np.random.default_rng(seed).normal(0, 1e-3, n)))
    opens = np.concatenate([[100.0], closes[:-1]])
    ohlcv = np.column_stack(
        [opens, np.maximum(opens, closes), np.minimum(opens, closes), closes, np.ones(n)]
    )
    return DAY + 60 * minutes * np.arange(n), ohlcv


def grid(
    stamps: np.ndarray, ohlcv: np.ndarray, minutes: int = 5, previous: float | None = None
) -> bars.Day:
    return bars.on_grid(
        stamps, ohlcv, start=DAY, end=DAY + 86400, minutes=minutes, previous=previous
    )


def test_a_whole_day_counts_and_is_as_it_came() -> None:
    stamps, ohlcv = some()
    day = grid(stamps, ohlcv)
    assert day.counts
    assert (day.present, day.expected, day.bad, day.longest_fill) == (288, 288, 0, 0)
    assert day.path.tolist() == [100.0, *ohlcv[:, 3]]


@pytest.mark.parametrize(
    ("missing", "counts", "longest"),
    [
        (slice(100, 106), True, 30),
        (slice(100, 107), False, 35),  # filled too long
        (slice(0, 288, 24), False, 5),  # too few bars, no long gap
        (slice(0, 3), True, 15),
    ],
)
def test_gaps_are_filled_and_too_many_disqualify(
    missing: slice, counts: bool, longest: int
) -> None:
    stamps, ohlcv = some()
    keep = np.ones(288, dtype=bool)
    keep[missing] = False
    day = grid(stamps[keep], ohlcv[keep], previous=99.0)
    assert (day.counts, day.longest_fill) == (counts, longest)
    assert np.isfinite(day.path).all()


def test_a_gap_is_filled_with_the_price_before_it_and_never_with_one_after() -> None:
    stamps, ohlcv = some()
    keep = np.ones(288, dtype=bool)
    keep[[0, 1, 50]] = False
    day = grid(stamps[keep], ohlcv[keep], previous=99.5)
    assert day.path[:3].tolist() == [99.5, 99.5, 99.5]
    assert day.path[51] == ohlcv[49, 3]
    assert not grid(stamps[keep], ohlcv[keep]).counts  # no price before: nothing is invented


def test_a_leap_that_is_taken_back_is_a_bad_print_and_a_move_is_not() -> None:
    stamps, ohlcv = some()
    ohlcv[120, [1, 3]] *= 1.3
    day = grid(stamps, ohlcv)
    assert day.bad == 1
    assert day.path[121] == ohlcv[119, 3]
    stamps, ohlcv = some()
    ohlcv[120:, :4] *= 1.3  # stays there
    assert grid(stamps, ohlcv).bad == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"close": 0.0},
        {"close": -5.0},
        {"close": float("nan")},
        {"low": 1000.0},
        {"high": 1.0},
        {"volume": -1.0},
    ],
)
def test_inconsistent_bars_are_refused(wrong: dict[str, float]) -> None:
    stamps, ohlcv = some()
    names = ["open", "high", "low", "close", "volume"]
    for name, value in wrong.items():
        ohlcv[40, names.index(name)] = value
    day = grid(stamps, ohlcv)
    assert (day.present, day.bad, day.counts) == (287, 1, True)


def test_bars_off_the_grid_or_outside_the_day_are_left_out_and_the_last_repeat_counts() -> None:
    stamps, ohlcv = some()
    more = np.concatenate([stamps, [DAY - 300, DAY + 86400, DAY + 7, stamps[9]]])
    values = np.concatenate([ohlcv, np.full((3, 5), 50.0), [ohlcv[9] * 1.001]])
    day = grid(more, values)
    assert day.present == 288
    assert day.path[10] == ohlcv[9, 3] * 1.001


def test_packed_bars_come_back_bit_by_bit_and_smaller() -> None:
    stamps, ohlcv = some()
    data = bars.packed(stamps, ohlcv)
    back, values = bars.unpacked(data)
    assert np.array_equal(back, stamps)
    assert np.array_equal(values, ohlcv)
    assert len(data) < 0.75 * 48 * 288
    assert bars.fingerprint(back, values) == bars.fingerprint(stamps, ohlcv)
    values[5, 3] += 1e-9
    assert bars.fingerprint(back, values) != bars.fingerprint(stamps, ohlcv)

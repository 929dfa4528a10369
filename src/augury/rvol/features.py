"""What a day's close says about the variance to come: regressors by asset and row. Pure.

Every value of row t is a function of rows up to t of the asset, and, for the class factors, of
what other assets of the class had on the same day or before: appending rows changes none of the
earlier values, not by a bit. Values are logs relative to the asset's own level, or free of scale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from augury.rvol.panel import NO_DAY, Bools, Floats, Ints, Panel

CAP = 15.0
"""Inputs above this multiple of the recent median are cut to it: one bad or historic day must
not bend every regressor for months. What was realized is never capped."""
CAP_ROWS = 60
EWMA_DECAY = 0.94
CENTRES = (1.0, 5.0, 25.0, 125.0)
"""Centres of mass, in rows, of the exponentially weighted lags."""
_TINY = 1e-300

COLUMNS = (
    "one", "d", "w", "m", "e1", "e5", "e25", "e125", "jump_d", "jump_w", "semi", "lev_d", "lev_w",
    "lev_m", "quarticity", "class_d", "class_e", "weekend", "monday", "weekend_now", "neg_d",
    "pos_d", "cont_d", "cont_w", "cont_m",
)  # fmt: skip
"""Regressors in the order of the last axis of `Design.x`."""
INDEX = {name: n for n, name in enumerate(COLUMNS)}

FAMILIES: dict[str, tuple[str, ...]] = {
    "realized_variance": (
        "d", "w", "m", "e1", "e5", "e25", "e125", "neg_d", "pos_d", "cont_d", "cont_w", "cont_m",
    ),
    "jumps": ("jump_d", "jump_w"),
    "semivariance": ("semi",),
    "leverage": ("lev_d", "lev_w", "lev_m"),
    "quarticity": ("quarticity",),
    "market": ("class_d", "class_e"),
    "calendar": ("weekend", "monday", "weekend_now"),
}  # fmt: skip
"""The public feature families and the regressors in each."""

NEEDS = {
    "jump_d": "bv", "jump_w": "bv", "cont_d": "bv", "cont_w": "bv", "cont_m": "bv",
    "semi": "rsv_neg", "neg_d": "rsv_neg", "pos_d": "rsv_neg",
    "lev_d": "ret", "lev_w": "ret", "lev_m": "ret", "quarticity": "rq",
    "class_d": "panel", "class_e": "panel",
    "weekend": "continuous", "monday": "continuous", "weekend_now": "continuous",
}  # fmt: skip
"""What an asset or its class must have for a regressor to say anything."""


@dataclass(frozen=True)
class Carry:
    """What an asset's first rows leave to the regressors of those after them."""

    rows: Ints
    """(assets): how many they are."""
    log_sum: Floats
    """(assets): of ln rv, capped."""
    totals: dict[str, Floats]
    """By series, (assets, month): its last running totals."""
    averages: Floats
    """(centres, assets): the exponentially weighted totals."""
    smoothed: Floats
    """(assets): RiskMetrics' mean."""
    recent: Floats
    """(assets, CAP_ROWS): the last variances; infinite before the first."""
    has: dict[str, Bools]
    class_days: Ints
    """Days up to which the means over the class are known, ascending."""
    class_means: Floats
    """(2, days)"""


@dataclass(frozen=True)
class Design:
    """Regressors of every asset and row, and what levels are needed beside them."""

    x: Floats
    """(assets, rows, columns); zero where unknown. The columns of the target window are zero
    until `with_window` fills them."""
    level: Floats
    """(assets, rows): exp of the expanding mean of ln rv."""
    lags: Floats
    """(assets, rows, 3): mean variance over a day, week and month, not capped: for models in
    levels."""
    smoothed: Floats
    """(assets, rows): the exponentially weighted mean that RiskMetrics takes for tomorrow."""
    usable: Bools
    """(assets, rows): enough rows behind it for every regressor."""
    has: dict[str, Bools]
    """For each entry of `NEEDS` values: which assets have it."""
    carry: Callable[[Ints], Carry]
    """What the first of these rows, so many by asset, and all before them leave to the rest."""


def nothing(assets: int, month: int) -> Carry:
    """What no rows leave."""
    series = ("rv", "capped", "continuous", "jump", "ret")
    none = np.zeros(assets, dtype=bool)
    return Carry(
        np.zeros(assets, dtype=np.int64),
        np.zeros(assets),
        {name: np.zeros((assets, month)) for name in series},
        np.zeros((len(CENTRES), assets)),
        np.full(assets, np.nan),
        np.full((assets, CAP_ROWS), np.inf),
        dict.fromkeys(("bv", "rsv_neg", "ret", "rq"), none),
        np.empty(0, dtype=np.int64),
        np.empty((2, 0)),
    )


def design(panel: Panel, before: Carry | None = None) -> Design:
    """All regressors but those of the target window (time O(assets x rows)).

    With `before`, `panel` holds only the rows after those it is of: every sum is taken up where
    it was left, so that the regressors are the same to the last bit.
    """
    rv = panel.rv
    n, rows = rv.shape
    week, month = panel.week, panel.month
    before = before or nothing(n, month)
    real = panel.days != NO_DAY
    has = {name: known | _has(getattr(panel, name)) for name, known in before.has.items()}
    measured = has.copy()
    has["continuous"] = np.full(n, panel.continuous)
    has["panel"] = np.full(n, n > 1)

    recent = np.concatenate([before.recent, rv], axis=1)
    factor = _cap_factor(recent, before.rows)
    capped = rv * factor
    # A measure missing on one day: as on a day without jumps, without direction, without news.
    bv = np.where(np.isfinite(panel.bv), panel.bv, rv)
    ret = np.where(np.isfinite(panel.ret) | ~real, panel.ret, 0.0)
    neg = np.where(np.isfinite(panel.rsv_neg), panel.rsv_neg, 0.5 * rv) * factor
    pos = np.where(np.isfinite(panel.rsv_pos), panel.rsv_pos, 0.5 * rv) * factor
    continuous = np.minimum(capped, bv * factor)
    jump = np.maximum(capped - continuous, 0.0)
    series = {"rv": rv, "capped": capped, "continuous": continuous, "jump": jump, "ret": ret}
    # Running totals, those of the month before first: what a mean is the difference of.
    totals = {
        name: np.concatenate(
            [before.totals[name], _running(before.totals[name][:, -1], values)], axis=1
        )
        for name, values in series.items()
    }
    behind = before.rows[:, None] + np.arange(1, rows + 1)

    def mean(name: str, width: int) -> Floats:
        """Of the last `width` rows, of all there are in the first ones."""
        total = totals[name]
        return (total[:, month:] - total[:, month - width : -width]) / np.minimum(behind, width)

    log_sum = _running(before.log_sum, np.log(capped))
    level = np.exp(log_sum / behind)
    x = np.zeros((n, rows, len(COLUMNS)))

    def put(name: str, values: Floats) -> None:
        x[:, :, INDEX[name]] = np.where(np.isfinite(values) & real, values, 0.0)

    weekly, monthly = mean("capped", week), mean("capped", month)
    x[:, :, 0] = 1.0
    log_d = np.log(capped / level)
    put("d", log_d)
    put("w", np.log(weekly / level))
    put("m", np.log(monthly / level))
    averages = np.stack([_decayed(capped, c, before.averages[k]) for k, c in enumerate(CENTRES)])
    weights = [_weights(centre, int(behind.max(initial=0)))[behind] for centre in CENTRES]
    logs = np.log(averages / np.stack(weights) / level)
    for centre, values in zip(CENTRES, logs, strict=True):
        put(f"e{centre:g}", values)

    put("jump_d", np.log1p(jump / np.maximum(continuous, _TINY)))
    cont_w = mean("continuous", week)
    put("jump_w", np.log1p(mean("jump", week) / np.maximum(cont_w, _TINY)))
    for name, values in (
        ("cont_d", continuous),
        ("cont_w", cont_w),
        ("cont_m", mean("continuous", month)),
    ):
        put(name, _log_ratio(values, level))

    floor = 1e-3 * capped
    put("semi", np.log(np.maximum(neg, floor) / np.maximum(pos, floor)))
    put("neg_d", np.log(np.maximum(neg, floor) / level))
    put("pos_d", np.log(np.maximum(pos, floor) / level))

    scale = np.sqrt(monthly)
    put("lev_d", np.minimum(ret, 0.0) / scale)
    put("lev_w", np.minimum(mean("ret", week), 0.0) / scale)
    put("lev_m", np.minimum(mean("ret", month), 0.0) / scale)
    put("quarticity", 0.5 * np.log(np.maximum(panel.rq, _TINY)) - np.log(rv))

    class_days, class_means = before.class_days, before.class_means
    if n > 1:
        class_days, class_means = _class_means(panel.days, (log_d, logs[1]), before)
        at = np.searchsorted(class_days, np.where(real, panel.days, class_days[-1]))
        put("class_d", class_means[0][at])
        put("class_e", class_means[1][at])
    if panel.continuous:
        put("weekend_now", np.where(real, _weekend(panel.days), 0.0))

    lags = np.stack([rv, mean("rv", week), mean("rv", month)], axis=-1)
    smoothed = _smoothed(rv, before.smoothed)

    def carry(first: Ints) -> Carry:
        def last(values: Floats, initial: Floats) -> Floats:
            """The value at the last of the rows."""
            found = np.take_along_axis(values, np.maximum(first - 1, 0)[:, None], axis=1)[:, 0]
            return np.where(first > 0, found, initial)

        def tail(values: Floats, width: int) -> Floats:
            """The `width` values up to there, of values that begin `width` before the rows."""
            return np.take_along_axis(values, first[:, None] + np.arange(width), axis=1)

        return Carry(
            before.rows + first,
            last(log_sum, before.log_sum),
            {name: tail(total, month) for name, total in totals.items()},
            np.stack([last(a, b) for a, b in zip(averages, before.averages, strict=True)]),
            last(smoothed, before.smoothed),
            tail(recent, CAP_ROWS),
            measured,
            class_days,
            class_means,
        )

    return Design(x, level, lags, smoothed, (behind >= month) & real, has, carry)


def with_window(x: Floats, days: Ints, steps: int, *, continuous: bool) -> Floats:
    """`x` itself, with the columns that depend on the target window filled in, `steps` rows after
    each row; the next horizon overwrites them.

    Only for markets that trade every day: there the window's days are known from the calendar.
    """
    if not continuous:
        return x
    real = days != NO_DAY
    first = np.where(real, days, 0) + 1
    weekends = _count(first, steps, 5) + _count(first, steps, 6)
    x[..., INDEX["weekend"]] = np.where(real, weekends / steps, 0.0)
    x[..., INDEX["monday"]] = np.where(real, _count(first, steps, 0) / steps, 0.0)
    return x


def _cap_factor(recent: Floats, counts: Ints) -> Floats:
    """(assets, rows): what to multiply a day's measures by so that rv is at most `CAP` times the
    median of the `CAP_ROWS` rows before it; 1 with fewer than 20 rows behind.

    `recent` begins `CAP_ROWS` before the first row, of which an asset has `counts` behind it.
    """
    rows = recent.shape[1] - CAP_ROWS
    out = np.ones((len(recent), rows))
    # Only a day CAP times the smallest of those before it can be cut: the median is of few.
    for row in range(rows):
        behind = recent[:, row : row + CAP_ROWS]
        today = recent[:, row + CAP_ROWS]
        for i in np.flatnonzero((today > CAP * behind.min(axis=1)) & (counts + row >= 20)):
            median = np.median(behind[i][np.isfinite(behind[i])])
            out[i, row] = min(1.0, CAP * median / today[i])
    return out


def _running(start: Floats, values: Floats) -> Floats:
    """(assets, rows): totals of the rows so far, added one after the other to `start`."""
    return np.cumsum(np.concatenate([start[:, None], values], axis=1), axis=1)[:, 1:]


def _decayed(values: Floats, centre: float, total: Floats) -> Floats:
    """(assets, rows): total of the rows so far, each weighing `centre` / (1 + `centre`) of the
    next; over the total of the weights it is a mean with the centre of mass `centre`."""
    decay = centre / (1.0 + centre)
    out = np.empty_like(values)
    for row in range(values.shape[1]):
        total = total * decay + values[:, row]
        out[:, row] = total
    return out


def _weights(centre: float, rows: int) -> Floats:
    """(rows + 1): the total of the weights of 0, 1, 2, ... rows."""
    decay = centre / (1.0 + centre)
    out = np.zeros(rows + 1)
    for row in range(1, rows + 1):
        out[row] = out[row - 1] * decay + 1.0
    return out


def _smoothed(rv: Floats, level: Floats) -> Floats:
    out = np.empty_like(rv)
    for row in range(rv.shape[1]):
        today = rv[:, row]
        level = np.where(np.isnan(level), today, level * EWMA_DECAY + (1.0 - EWMA_DECAY) * today)
        out[:, row] = level
    return out


def _class_means(days: Ints, values: Sequence[Floats], before: Carry) -> tuple[Ints, Floats]:
    """Days, and the means over the class on each: those known, and what the rows add."""
    found, where = np.unique(days, return_inverse=True)
    where = where.reshape(days.shape)
    means = []
    for own in values:
        ok = np.isfinite(own)
        total = np.bincount(where[ok], own[ok], minlength=found.size)
        means.append(total / np.maximum(np.bincount(where[ok], minlength=found.size), 1))
    last = before.class_days[-1] if before.class_days.size else -NO_DAY
    new = (found > last) & (found != NO_DAY)
    return (
        np.concatenate([before.class_days, found[new]]),
        np.concatenate([before.class_means, np.stack(means)[:, new]], axis=1),
    )


def _has(values: Floats) -> Bools:
    return np.asarray(np.isfinite(values).any(axis=1))


def _log_ratio(values: Floats, level: Floats) -> Floats:
    return np.log(np.maximum(values, 1e-3 * level) / level)


def _weekend(days: Ints) -> Floats:
    return (_weekday(days) >= 5).astype(float)


def _weekday(days: Ints) -> Ints:
    """0 is Monday; 1970-01-01 was a Thursday."""
    return (days + 3) % 7


def _count(first: Ints, span: int, weekday: int) -> Ints:
    """How many of the `span` days from `first` on fall on `weekday`."""
    ahead = (weekday - _weekday(first)) % 7
    return np.where(ahead < span, (span - ahead + 6) // 7, 0)

"""What a day's close says about the variance to come: regressors by asset and row. Pure.

Every value of row t is a function of rows up to t of the asset, and, for the class factors, of
what other assets of the class had on the same day or before: appending rows changes none of the
earlier values, not by a bit. Values are logs relative to the asset's own level, or free of scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from augury.rvol.panel import NO_DAY, Bools, Floats, Ints, Panel

CAP = 15.0
"""Inputs above this multiple of the recent median are cut to it: one bad or historic day must
not bend every regressor for months. What was realized is never capped."""
CAP_ROWS = 60
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
    usable: Bools
    """(assets, rows): enough rows behind it for every regressor."""
    has: dict[str, Bools]
    """For each entry of `NEEDS` values: which assets have it."""


def design(panel: Panel) -> Design:
    """All regressors but those of the target window (time O(assets x rows))."""
    rv = panel.rv
    n, rows = rv.shape
    real = panel.days != NO_DAY
    has = {name: _has(getattr(panel, name)) for name in ("bv", "rsv_neg", "ret", "rq")}
    has["continuous"] = np.full(n, panel.continuous)
    has["panel"] = np.full(n, n > 1)

    factor = cap_factor(rv)
    capped = rv * factor
    # A measure missing on one day: as on a day without jumps, without direction, without news.
    bv = np.where(np.isfinite(panel.bv), panel.bv, rv)
    ret = np.where(np.isfinite(panel.ret) | ~real, panel.ret, 0.0)
    neg = np.where(np.isfinite(panel.rsv_neg), panel.rsv_neg, 0.5 * rv) * factor
    pos = np.where(np.isfinite(panel.rsv_pos), panel.rsv_pos, 0.5 * rv) * factor
    level = np.exp(_expanding_mean(np.log(capped)))
    week, month = panel.week, panel.month

    x = np.zeros((n, rows, len(COLUMNS)))

    def put(name: str, values: Floats) -> None:
        x[:, :, INDEX[name]] = np.where(np.isfinite(values) & real, values, 0.0)

    weekly, monthly = rolling_mean(capped, week), rolling_mean(capped, month)
    x[:, :, 0] = 1.0
    log_d = np.log(capped / level)
    put("d", log_d)
    put("w", np.log(weekly / level))
    put("m", np.log(monthly / level))
    averages = [ewma(capped, centre) for centre in CENTRES]
    for centre, average in zip(CENTRES, averages, strict=True):
        put(f"e{centre:g}", np.log(average / level))

    continuous = np.minimum(capped, bv * factor)
    jump = np.maximum(capped - continuous, 0.0)
    put("jump_d", np.log1p(jump / np.maximum(continuous, _TINY)))
    cont_w = rolling_mean(continuous, week)
    put("jump_w", np.log1p(rolling_mean(jump, week) / np.maximum(cont_w, _TINY)))
    for name, values in (
        ("cont_d", continuous),
        ("cont_w", cont_w),
        ("cont_m", rolling_mean(continuous, month)),
    ):
        put(name, _log_ratio(values, level))

    floor = 1e-3 * capped
    put("semi", np.log(np.maximum(neg, floor) / np.maximum(pos, floor)))
    put("neg_d", np.log(np.maximum(neg, floor) / level))
    put("pos_d", np.log(np.maximum(pos, floor) / level))

    scale = np.sqrt(monthly)
    put("lev_d", np.minimum(ret, 0.0) / scale)
    put("lev_w", np.minimum(rolling_mean(ret, week), 0.0) / scale)
    put("lev_m", np.minimum(rolling_mean(ret, month), 0.0) / scale)
    put("quarticity", 0.5 * np.log(np.maximum(panel.rq, _TINY)) - np.log(rv))

    if n > 1:
        put("class_d", class_mean(log_d, panel.days))
        put("class_e", class_mean(np.log(averages[1] / level), panel.days))
    if panel.continuous:
        put("weekend_now", np.where(real, _weekend(panel.days), 0.0))

    lags = np.stack([rv, rolling_mean(rv, week), rolling_mean(rv, month)], axis=-1)
    seen = np.broadcast_to(np.arange(rows), (n, rows)) >= month - 1
    return Design(x, level, lags, seen & real, has)


def with_window(x: Floats, panel: Panel, steps: Ints | int) -> Floats:
    """`x` itself, with the columns that depend on the target window filled in, `steps` rows after
    each row; the next horizon overwrites them.

    Only for markets that trade every day: there the window's days are known from the calendar.
    """
    if not panel.continuous:
        return x
    real = panel.days != NO_DAY
    first = np.where(real, panel.days, 0) + 1
    span = np.broadcast_to(np.asarray(steps), first.shape)
    weekends = _count(first, span, 5) + _count(first, span, 6)
    x[:, :, INDEX["weekend"]] = np.where(real, weekends / span, 0.0)
    x[:, :, INDEX["monday"]] = np.where(real, _count(first, span, 0) / span, 0.0)
    return x


def cap_factor(rv: Floats) -> Floats:
    """(assets, rows): what to multiply a day's measures by so that rv is at most `CAP` times the
    median of the `CAP_ROWS` rows before it; 1 with fewer than 20 rows behind."""
    rows = rv.shape[1]
    out = np.ones_like(rv)
    # Only a day CAP times the smallest of those before it can be cut: the median is of few.
    for row in range(20, rows):
        behind = rv[:, max(0, row - CAP_ROWS) : row]
        hot = np.flatnonzero(rv[:, row] > CAP * behind.min(axis=1))
        if hot.size:
            median = np.median(behind[hot], axis=1)
            out[hot, row] = np.minimum(1.0, CAP * median / rv[hot, row])
    return out


def rolling_mean(values: Floats, width: int) -> Floats:
    """Mean of the last `width` rows, of all there are in the first ones."""
    total = np.cumsum(values, axis=1)
    out = total.copy()
    out[:, width:] -= total[:, :-width]
    count = np.minimum(np.arange(1, values.shape[1] + 1), width)
    return out / count


def ewma(values: Floats, centre: float) -> Floats:
    """Exponentially weighted mean with the centre of mass `centre`, weights summing to 1."""
    decay = centre / (1.0 + centre)
    out = np.empty_like(values)
    total = np.zeros(values.shape[0])
    weight = 0.0
    for row in range(values.shape[1]):
        total = total * decay + values[:, row]
        weight = weight * decay + 1.0
        out[:, row] = total / weight
    return out


def class_mean(values: Floats, days: Ints) -> Floats:
    """Mean over the class on the same day, given to each asset's row of that day."""
    found, where = np.unique(days, return_inverse=True)
    where = where.reshape(days.shape)
    ok = np.isfinite(values)
    total = np.bincount(where[ok], values[ok], minlength=found.size)
    count = np.bincount(where[ok], minlength=found.size)
    return (total / np.maximum(count, 1))[where]


def _has(values: Floats) -> Bools:
    return np.asarray(np.isfinite(values).any(axis=1))


def _expanding_mean(values: Floats) -> Floats:
    return np.cumsum(values, axis=1) / np.arange(1, values.shape[1] + 1)


def _log_ratio(values: Floats, level: Floats) -> Floats:
    return np.log(np.maximum(values, 1e-3 * level) / level)


def _weekend(days: Ints) -> Floats:
    return (_weekday(days) >= 5).astype(float)


def _weekday(days: Ints) -> Ints:
    """0 is Monday; 1970-01-01 was a Thursday."""
    return (days + 3) % 7


def _count(first: Ints, span: Ints, weekday: int) -> Ints:
    """How many of the `span` days from `first` on fall on `weekday`."""
    ahead = (weekday - _weekday(first)) % 7
    return np.where(ahead < span, (span - ahead + 6) // 7, 0)

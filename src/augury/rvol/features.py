"""Regressors of future variance for each asset and day, as known at the close of the day. Pure.

The values of row t depend only on the asset's rows up to t. Regressors that describe the whole
class of assets (e.g. all coins) also depend on the other assets' rows up to the same day. Appending
rows leaves all earlier values the same to the last bit. Values are logs relative to the asset's
typical variance (`Design.level`), or free of scale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from augury.rvol.panel import NO_DAY, Bools, Floats, Ints, Panel

CAP_MEDIANS = 15.0
"""Cap on a day's realized variance in regressors, as a multiple of the asset's median over the
`CAP_ROWS` days before. If a day's variance is above the cap, its variance measures are all scaled
down by the factor that lowers the variance to the cap. Otherwise a single day with bad data or an
extreme move would distort the regressors for months. The regressions' targets are not capped."""
CAP_ROWS = 60
EWMA_DECAY = 0.94
CENTRES = (1.0, 5.0, 25.0, 125.0)
"""Centers of mass, in days, of the exponentially weighted means of past variance (regressors `e1`
to `e125`)."""
_TINY = 1e-300

COLUMNS = (
    "one", "d", "w", "m", "e1", "e5", "e25", "e125", "jump_d", "jump_w", "semi", "lev_d", "lev_w",
    "lev_m", "quarticity", "class_d", "class_e", "weekend", "monday", "weekend_now", "neg_d",
    "pos_d", "cont_d", "cont_w", "cont_m",
)  # fmt: skip
"""Names of the regressors of future variance, in the order of the last axis of `Design.x`."""
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
"""Name of a feature family (a group of regressors that the API shows as one) -> the regressors in
it."""

NEEDS = {
    "jump_d": "bv", "jump_w": "bv", "cont_d": "bv", "cont_w": "bv", "cont_m": "bv",
    "semi": "rsv_neg", "neg_d": "rsv_neg", "pos_d": "rsv_neg",
    "lev_d": "ret", "lev_w": "ret", "lev_m": "ret", "quarticity": "rq",
    "class_d": "panel", "class_e": "panel",
    "weekend": "continuous", "monday": "continuous", "weekend_now": "continuous",
}  # fmt: skip
"""Regressor -> the data that it requires; without them it carries no information. Values: a
measure of the asset, e.g. `bv` (bipower variation); `panel` (other assets are modeled together with
it); or `continuous` (the market trades every day). Regressors that are not listed need only
realized variance."""


@dataclass(frozen=True)
class RegressorState:
    """State of the regressors after the days of each asset that were processed so far. From it, the
    regressors of later days are computed."""

    rows: Ints
    """Shape (assets,): for each asset, the number of days from which this state was computed."""
    log_sum: Floats
    """Shape (assets,): sum of ln(realized variance) over each asset's days so far; the variance is
    capped, see `CAP_MEDIANS`."""
    totals: dict[str, Floats]
    """Name of a series (e.g. `capped`, the capped variance) -> array of shape (assets, month): the
    series' running totals at the end of each of the asset's latest `month` days. `month` is the
    number of trading days in a month (`Panel.month`). The mean over a week or a month is the
    difference of two totals, divided by the number of days."""
    averages: Floats
    """Shape (centers of mass, assets): for each center of mass in `CENTRES`, each asset's
    exponentially weighted sum of realized variance (capped, see `CAP_MEDIANS`). Dividing it by the
    sum of the weights gives the mean."""
    smoothed: Floats
    """Shape (assets,): exponentially weighted mean of realized variance, as in RiskMetrics; NaN
    before an asset's first day."""
    recent: Floats
    """Shape (assets, CAP_ROWS): realized variance of each asset's `CAP_ROWS` latest days, from
    whose median the cap on later days is computed (see `CAP_MEDIANS`). Infinite where the asset has
    fewer days."""
    measured: dict[str, Bools]
    """Measure, e.g. `bv` (bipower variation) -> array of shape (assets,): True if the asset has had
    a value of the measure so far."""
    class_days: Ints
    """Shape (days,): for each column of `class_means`, its day, as the number of days since
    1970-01-01."""
    class_means: Floats
    """Shape (2, days): for each of `class_days`, two means over all assets that are modeled
    together. The first is of the regressor `d` (log variance of the day), the second of `e5` (log
    of the exponentially weighted variance, center of mass 5 days)."""


@dataclass(frozen=True)
class Design:
    """The regressors of every asset on each of its days, and the variance levels that models also
    need. In all arrays, row n of an asset is its n-th day."""

    x: Floats
    """Shape (assets, rows, columns): regressors, zero where unknown. The columns that describe the
    days to be forecast are zero until `with_window` fills them."""
    level: Floats
    """Shape (assets, rows): the asset's typical daily variance as known on each day: the geometric
    mean of its realized variance so far (capped, see `CAP_MEDIANS`)."""
    lags: Floats
    """Shape (assets, rows, 3): mean realized variance over the last day, week and month, not
    capped; for regressions of the variance itself or of its root, not of its log."""
    smoothed: Floats
    """Shape (assets, rows): exponentially weighted mean of daily realized variance so far, which is
    RiskMetrics' forecast for each following day."""
    usable: Bools
    """Shape (assets, rows): False until the asset has a month of daily data (`Panel.month` days),
    which the regressors need; True from then on."""
    meets: dict[str, Bools]
    """Data requirement (a value of `NEEDS`), e.g. `bv` (bipower variation) -> array of shape
    (assets,): True for the assets that meet it."""
    state_after: Callable[[Ints], RegressorState]
    """Function that returns the state of the regressors after the first n days of each asset. Its
    argument has n for each asset, shape (assets,)."""


def empty_state(assets: int, month: int) -> RegressorState:
    """The state of the regressors before the first day of any asset. `month` is the number of
    trading days in a month."""
    series = ("rv", "capped", "continuous", "jump", "ret")
    none = np.zeros(assets, dtype=bool)
    return RegressorState(
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


def design(panel: Panel, before: RegressorState | None = None) -> Design:
    """Compute the regressors of every day in `panel`, in time O(assets x rows). The regressors that
    describe the days to be forecast stay zero; `with_window` fills them.

    `before` is the state after earlier days; `panel` then has only the days after them. All sums
    continue from `before`. So the regressors are the same, to the last bit, as if they were
    computed from all days at once.
    """
    rv = panel.rv
    n, rows = rv.shape
    week, month = panel.week, panel.month
    before = before or empty_state(n, month)
    real = panel.days != NO_DAY
    meets = {
        name: known | _has_values(getattr(panel, name)) for name, known in before.measured.items()
    }
    measured = meets.copy()
    meets["continuous"] = np.full(n, panel.continuous)
    meets["panel"] = np.full(n, n > 1)

    recent = np.concatenate([before.recent, rv], axis=1)
    factor = _cap_factor(recent, before.rows)
    capped = rv * factor
    # Where a measure is missing, assume no jumps, equal up and down semivariance, and no return.
    bv = np.where(np.isfinite(panel.bv), panel.bv, rv)
    ret = np.where(np.isfinite(panel.ret) | ~real, panel.ret, 0.0)
    neg = np.where(np.isfinite(panel.rsv_neg), panel.rsv_neg, 0.5 * rv) * factor
    pos = np.where(np.isfinite(panel.rsv_pos), panel.rsv_pos, 0.5 * rv) * factor
    continuous = np.minimum(capped, bv * factor)
    jump = np.maximum(capped - continuous, 0.0)
    series = {"rv": rv, "capped": capped, "continuous": continuous, "jump": jump, "ret": ret}
    # Running totals, with those of the month before in front: a mean is a difference of two totals.
    totals = {
        name: np.concatenate(
            [before.totals[name], _running(before.totals[name][:, -1], values)], axis=1
        )
        for name, values in series.items()
    }
    behind = before.rows[:, None] + np.arange(1, rows + 1)

    def mean(name: str, width: int) -> Floats:
        """Shape (assets, rows): mean of the series `name` over the last `width` days as of each
        day, or over all days so far if there are fewer."""
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

    def state_after(first: Ints) -> RegressorState:
        def last(values: Floats, initial: Floats) -> Floats:
            """For each asset, the value on its n-th day in the panel. n is the asset's number in
            `first`. If n is 0, the value in `initial`: the one from before the panel."""
            found = np.take_along_axis(values, np.maximum(first - 1, 0)[:, None], axis=1)[:, 0]
            return np.where(first > 0, found, initial)

        def tail(values: Floats, width: int) -> Floats:
            """For each asset, the `width` values that end with its n-th day in the panel. n is the
            asset's number in `first`, the argument of `state_after`. `values` begins with the
            `width` days before the panel."""
            return np.take_along_axis(values, first[:, None] + np.arange(width), axis=1)

        return RegressorState(
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

    return Design(x, level, lags, smoothed, (behind >= month) & real, meets, state_after)


def with_window(x: Floats, days: Ints, steps: int, *, continuous: bool) -> Floats:
    """Fill in, in place, the regressors that describe the days to be forecast (the `steps` days
    after each row of `x`): the shares of weekend days and of Mondays among them. Returns `x`.
    Calling this again for another horizon overwrites these regressors.

    Only for markets that trade every day, because the days of the window are then known in advance;
    otherwise `x` stays as it is.
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
    """Shape (assets, rows): the factor by which each day's measures are multiplied so that its
    variance is at most `CAP_MEDIANS` times the median of the `CAP_ROWS` days before; 1 if there are
    fewer than 20 days before.

    `recent` has the realized variances of the `CAP_ROWS` days before the first row, then those of
    the rows. `counts` is the number of days that each asset really has before the first row.
    """
    rows = recent.shape[1] - CAP_ROWS
    out = np.ones((len(recent), rows))
    # A day can exceed CAP_MEDIANS times the median only if it exceeds that multiple of the smallest
    # value, so the median is computed for few days.
    for row in range(rows):
        behind = recent[:, row : row + CAP_ROWS]
        today = recent[:, row + CAP_ROWS]
        for i in np.flatnonzero((today > CAP_MEDIANS * behind.min(axis=1)) & (counts + row >= 20)):
            median = np.median(behind[i][np.isfinite(behind[i])])
            out[i, row] = min(1.0, CAP_MEDIANS * median / today[i])
    return out


def _running(start: Floats, values: Floats) -> Floats:
    """Shape (assets, rows): each asset's running totals of `values` over its days, starting from
    `start`."""
    return np.cumsum(np.concatenate([start[:, None], values], axis=1), axis=1)[:, 1:]


def _decayed(values: Floats, centre: float, total: Floats) -> Floats:
    """For each asset and row, the exponentially weighted sum of `values` up to this row; shape
    (assets, rows). A row weighs `centre` / (1 + `centre`) times as much as the next. `total` has
    the sums before the first row. The caller divides by the sums of the weights (`_weights`) to get
    means with center of mass `centre`."""
    decay = centre / (1.0 + centre)
    out = np.empty_like(values)
    for row in range(values.shape[1]):
        total = total * decay + values[:, row]
        out[:, row] = total
    return out


def _weights(centre: float, rows: int) -> Floats:
    """Shape (rows + 1,): entry n is the sum of the weights of the last n rows. The last row weighs
    1, each other row `centre` / (1 + `centre`) times as much as the next (`_decayed`)."""
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


def _class_means(
    days: Ints, values: Sequence[Floats], before: RegressorState
) -> tuple[Ints, Floats]:
    """For each day, the mean of each regressor in `values` (`d` and `e5`) over all assets that are
    modeled together. Returns the days, and the means of shape (regressors, days). Days that are in
    `before` (the state after earlier days) come first and keep their means."""
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


def _has_values(values: Floats) -> Bools:
    return np.asarray(np.isfinite(values).any(axis=1))


def _log_ratio(values: Floats, level: Floats) -> Floats:
    return np.log(np.maximum(values, 1e-3 * level) / level)


def _weekend(days: Ints) -> Floats:
    return (_weekday(days) >= 5).astype(float)


def _weekday(days: Ints) -> Ints:
    """Weekday of day numbers (days since 1970-01-01, a Thursday): 0 is Monday."""
    return (days + 3) % 7


def _count(first: Ints, span: int, weekday: int) -> Ints:
    """How many of the `span` days that begin with day number `first` are a `weekday` (0 is
    Monday)."""
    ahead = (weekday - _weekday(first)) % 7
    return np.where(ahead < span, (span - ahead + 6) // 7, 0)

"""The models: the regressions of `members`, their blend, the models that challenge it, and bands.
Pure.

A member regresses the log (or root, or level) of the mean variance over the target window (the days
to be forecast) on some of the regressors of `features`, fitted for each asset alone or for all
assets of a class together. It learns from every target window that is over on the day of the
forecast. Sources: HAR, Corsi (2009); HAR-CJ, Andersen, Bollerslev, Diebold (2007); SHAR, Patton and
Sheppard (2015); HARQ, Bollerslev, Patton, Quaedvlieg (2016); LHAR, Corsi and Reno (2012); QLIKE,
Patton (2011).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from augury.rvol import regression
from augury.rvol.features import FAMILIES, INDEX, Design, with_window
from augury.rvol.members import LONG_DAYS, MEMBERS, MODELS, Member, blend_of, columns_of, has_all
from augury.rvol.panel import NO_DAY, Bools, Floats, Ints, Panel
from augury.rvol.regression import Sums

OWN_ROWS = 250
"""An asset is forecast by regressions on its own data only if it has at least this many past days
with a completed target window (the days that a forecast covers). With fewer, the only regressions
that forecast it are those over several assets together. If there are no such joint regressions, the
asset needs only `FEWEST_ROWS` days."""
FEWEST_ROWS = 100
"""If there are no regressions over several assets, an asset needs at least this many past days
whose target window (the days that a forecast covers) is over. An asset with fewer such days has no
forecast."""
POOL_ROWS = 500
"""A regression over several assets together is fitted only if these have at least this many past
days in all. A day counts only once its target window (the days that a forecast covers) has
ended."""
POOL_ASSETS = 100
"""The gamma regression over several assets uses, on each day, the data of at most this many assets.
If there are more, they take turns from day to day. This limits the cost of the regression,
because each fit passes over its rows up to 30 times."""
PEGGED_VARIANCE = 1e-6
"""Daily variance (0.1% volatility a day) up to which an asset counts as pegged to another price,
e.g. a stablecoin. Regressions over several assets leave such assets out, because the logs of so
small variances would distort the fit."""
BAND_QUANTILES = {"80": 1.2815515655446004, "90": 1.6448536269514722, "95": 1.959963984540054}
"""Share of outcomes, in percent, that a two-sided band is to contain -> quantile of the standard
normal distribution at the band's upper end; the lower end is at minus this quantile."""
WIDEN_FROM_DAYS, WIDEN_FACTOR = 22, 1.05
"""Bands of forecasts at horizons of at least `WIDEN_FROM_DAYS` days are `WIDEN_FACTOR` times as
wide (in logs), because past errors over overlapping target windows understate future errors."""

RECENT_PERIODS = 60.0
"""How slowly past forecast errors are forgotten when the width of the blend's bands is set: center
of mass, in days, of the exponential weights on these errors. Used at horizons below `LONG_DAYS`
days. Longer horizons have too few target windows (the days that a forecast covers) and weight all
errors equally. Chosen by looking at the evaluation data."""


def window_ends(panel: Panel, days: int, *, by_calendar: bool = False) -> Ints:
    """Shape (assets, rows): for the forecast made on each day of an asset, where its target window
    (the days that the forecast covers) ends. An entry is the index of the window's last row.

    The window is the asset's next `days` rows. With `by_calendar`, for markets that trade in
    sessions, it is the rows of the next `days` calendar days. The entry is -1 if the window is not
    over yet or has no rows. On a market that trades every day, it is also -1 if a day of the window
    is missing.
    """
    n, rows = panel.days.shape
    lengths = panel.lengths[:, None]
    row = np.broadcast_to(np.arange(rows), (n, rows))
    if not by_calendar:
        end = row + days
        ok = end < lengths
        if panel.continuous:
            there = np.take_along_axis(panel.days, np.minimum(end, rows - 1), axis=1)
            ok &= there - np.where(ok, panel.days, 0) == days
        return np.where(ok, end, -1)
    out = np.full((n, rows), -1, dtype=np.int64)
    for i, length in enumerate(panel.lengths):
        own = panel.days[i, :length]
        end = np.searchsorted(own, own + days, side="right") - 1
        # A window is known to be over once a row on or after its last day is there.
        done = (own + days <= own[-1]) & (end > np.arange(length)) if length else own > 0
        out[i, :length] = np.where(done, end, -1)
    return out


def window_means(rv: Floats, ends: Ints) -> Floats:
    """Shape (assets, rows): for each day, the mean of the daily variances `rv` over the days after
    it, up to the row in `ends` (from `window_ends`); NaN where `ends` is -1."""
    rows = rv.shape[1]
    steps = np.where(ends >= 0, ends - np.arange(rows), 0)
    total = np.zeros_like(rv)
    # Added up day by day, not as a difference of running totals, so that the result does not depend
    # on where the rows begin, not even in the last bit.
    for step in range(1, int(steps.max(initial=0)) + 1):
        counts = steps[:, :-step] >= step
        np.add(total[:, :-step], rv[:, step:], out=total[:, :-step], where=counts)
    return np.where(ends >= 0, total / np.maximum(steps, 1), np.nan)


@dataclass(frozen=True)
class Problem:
    """The regressions of one horizon, ready to be solved as of any day. The target window of a day
    is the `days` days after it. In all arrays, row n of an asset is its n-th day."""

    panel: Panel
    design: Design
    days: int
    x: Floats
    """Shape (assets, rows, columns): regressors, including those that describe the target window
    (the days to be forecast)."""
    ends: Ints
    """Shape (assets, rows): for each day, the row of the last day that is covered by a forecast
    made on that day. -1 if some covered days are not over yet, or if none of them has data. On a
    market that trades every day, also -1 if one of them has no data."""
    means: Floats
    """Shape (assets, rows): mean daily variance realized over the target window (the days that a
    forecast covers) of the forecast made on the row's day; NaN while the window is not over."""
    target: Floats
    """Shape (assets, rows): what regressions in logs explain, ln(mean daily variance over the
    target window / level). The level is the asset's typical daily variance, as known on the day of
    the row."""
    ok: Bools
    """Shape (assets, rows): True for the rows that regressions learn from."""


@dataclass(frozen=True)
class HorizonSums:
    """Sums over each asset's days so far, from which the regressions of one horizon are solved.
    They count only days whose target window (the days that a forecast covers) is over. Stored sums
    end before the first day whose target window is still running, so that a later regression has to
    add only newer days."""

    logs: Sums
    """Sums of products of all regressors and the target, from which the regressions of log variance
    are solved. Each regression uses those of its own regressors (`Sums.of`)."""
    recent: Sums | None
    """The same sums of products as in `logs`, but with exponential weights, so that recent days
    count more; the center of mass is `RECENT_PERIODS` days. The size of past errors is computed
    from them, and sets the width of the blend's bands. None at horizons of `LONG_DAYS` days or
    more, where all days count the same."""
    levels: dict[str, Sums]
    """Name of a regression -> the sums of products from which its coefficients are computed. Has
    only the regressions that explain the variance itself or its square root, not its log."""
    low: Floats
    """Shape (assets,): smallest mean daily variance realized over any past target window (the days
    that a forecast covers). A regression's forecast below it is raised to it."""
    high: Floats
    """Shape (assets,): largest mean daily variance realized over any past target window (the days
    that a forecast covers). A regression's forecast above it is lowered to it."""


@dataclass(frozen=True)
class GammaSample:
    """The data that the gamma regression over several assets learns from at one horizon: rows, one
    for each asset and day, sorted by day, then asset."""

    x: Floats
    """Shape (rows, columns): all regressors, with the same columns as `Design.x`."""
    relative: Floats
    """Shape (rows,): mean daily variance realized over the target window (the days to be forecast)
    divided by the asset's level (its typical daily variance); NaN where it is not known."""
    owner: Ints
    """Shape (rows,): index of the asset that the row belongs to."""


def problem(panel: Panel, design: Design, days: int, *, by_calendar: bool = False) -> Problem:
    """The regressions of a horizon of `days` days. The result is valid until the next call, because
    that call overwrites the columns of `design.x` that describe the days to be forecast."""
    x = with_window(design.x, panel.days, days, continuous=panel.continuous)
    ends = window_ends(panel, days, by_calendar=by_calendar)
    means = window_means(panel.rv, ends)
    target = np.log(means / design.level)
    return Problem(panel, design, days, x, ends, means, target, design.usable & np.isfinite(target))


def blend(forecasts: Mapping[str, Floats], names: Iterable[str]) -> Floats:
    """The forecast of the model `blend`: the geometric mean of the forecasts of the regressions
    `names`, leaving out those that are NaN."""
    logs = np.stack([np.log(forecasts[name]) for name in names if name in forecasts])
    known = np.isfinite(logs)
    count = known.sum(axis=0)
    total = np.where(known, logs, 0.0).sum(axis=0)
    return np.where(count > 0, np.exp(total / np.maximum(count, 1)), np.nan)


def bands(variance: Floats, log_variance: Floats, days: int) -> dict[str, tuple[Floats, Floats]]:
    """Bounds between which the realized variance is expected: by coverage in percent (e.g. "80"),
    the lower and the upper bounds. `days` is the horizon.

    The log of the realized variance is taken as normal with mean ln(variance) - log_variance / 2
    and variance `log_variance`, so that the mean of the realized variance is the forecast,
    `variance`.
    """
    spread = np.sqrt(log_variance) * (WIDEN_FACTOR if days >= WIDEN_FROM_DAYS else 1.0)
    middle = np.log(variance) - 0.5 * log_variance
    return {
        name: (np.exp(middle - z * spread), np.exp(middle + z * spread))
        for name, z in BAND_QUANTILES.items()
    }


def spread_member(days: int) -> Member:
    """The regression whose past errors set the width of the blend's bands at a horizon of `days`
    days."""
    return MEMBERS["log-har" if days >= LONG_DAYS else "ridge"]


def level_regressors(lags: Floats, scale: str) -> Floats:
    """Regressors for the variance itself: the constant and the mean variance over the last day,
    week and month (`lags`). If `scale` is "root", the roots of these means instead, for regressions
    of the root of the variance."""
    values = np.sqrt(lags) if scale == "root" else lags
    return np.concatenate([np.ones((*lags.shape[:-1], 1)), values], axis=-1)


def to_variance(member: Member, fit: Floats, residual: Floats, level: Floats) -> Floats:
    """The mean daily variance that follows from a regression's fitted value `fit`, which is in the
    scale of the regression (e.g. log or root). The residual variance enters because exp(fit) alone
    is a median, and the square of a fitted root is too low on average."""
    if member.scale == "log":
        return level * np.exp(fit + 0.5 * residual)
    if member.scale == "root":
        return fit * fit + residual
    return fit


@dataclass(frozen=True)
class Forecasts:
    """The forecasts of all models at one horizon, made at each asset's last day. NaN: no
    forecast."""

    days: int
    steps: Ints
    """Shape (assets,): number of trading days that the forecast covers."""
    variance: dict[str, Floats]
    """Published model -> array of shape (assets,): its forecasts of the variance, summed over all
    days that the forecast covers and not annualized."""
    log_variance: dict[str, Floats]
    """Published model -> array of shape (assets,): the expected squared error of its forecast of
    ln(realized variance). It sets the width of the bands. It is estimated from the past errors of
    one regression: `spread_member` for the blend, log-HAR for all other models. For assets that
    have no regressions of their own, it is estimated from the errors of pooled-log-har."""
    members: dict[str, Floats]
    """Name of a regression -> array of shape (assets,): its forecasts of the variance, summed over
    all days that the forecast covers. Has only the regressions that the model `blend` averages."""
    contributions: dict[str, Floats]
    """Feature family (a group of regressors, e.g. `jumps`) -> array of shape (assets,): how much
    the family's values on the asset's last day, compared with a typical day, raise the natural log
    of the forecast variance. The blend has several regressions; the value is the mean over those
    that explain log variance."""
    values: dict[str, Floats]
    """Feature family (a group of regressors, e.g. `jumps`) -> array of shape (assets,): the value
    that the family's first regressor has on the asset's last day."""


def forecast(
    given: Problem,
    steps: Ints,
    gamma_sample: GammaSample,
    before: HorizonSums | None = None,
    keep: Ints | None = None,
    others: Mapping[str, Floats] = MappingProxyType({}),
) -> tuple[Forecasts, HorizonSums]:
    """Fit every regression on all target windows (the days that a forecast covers) completed by the
    last day, and forecast from there. Returns the forecasts of all models, and sums for a later
    call's `before`.

    Parameters
    ----------
    steps : (assets)
        Number of trading days that each forecast covers.
    gamma_sample
        The rows for the gamma regression.
    before : HorizonSums, optional
        Sums over the days before those of `given`.
    keep : (assets), optional
        For each asset, a number of blocks of `regression.BLOCK_ROWS` rows. The returned
        `HorizonSums` covers the days of `before` and the asset's first `keep` blocks in `given`.
        Default: 0 blocks.
    others
        The forecasts of models that are not regressions: name of the model -> mean daily variance,
        shape (assets,).
    """
    panel, design = given.panel, given.design
    n = len(panel.assets)
    last = np.maximum(panel.lengths - 1, 0)
    here = np.arange(n)
    total, closed = _horizon_sums(given, before, keep)
    full = total.logs
    x_now, level = given.x[here, last], design.level[here, last]
    pooled = level > PEGGED_VARIANCE
    pool = _pooled_sums(full, pooled)
    trusted = full.n >= (OWN_ROWS if pool is not None else FEWEST_ROWS)
    usable = design.usable[here, last]

    raw: dict[str, Floats] = {}
    moves: dict[str, Floats] = {}
    log_variance: dict[str, Floats] = {}
    pooled_spread = np.nan
    if pool is not None:
        _, pooled_spread = _solve_pooled(
            MEMBERS["pooled-log-har"], pool, given, gamma_sample, pooled
        )
    for name, member in MEMBERS.items():
        if member.pooled:
            if pool is None:
                continue
            b, spread = _solve_pooled(member, pool, given, gamma_sample, pooled)
            columns = columns_of(member, panel.continuous)
            fit = (x_now[:, columns] * b).sum(axis=-1)
            raw[name] = np.where(usable, level * np.exp(fit + 0.5 * spread), np.nan)
            moves[name] = _regressor_contributions(x_now, b, pool.means, columns)
            continue
        if member.scale == "log":
            columns = columns_of(member, panel.continuous)
            b, residual = regression.solve(full.of(columns), member.penalty)
            fit = (x_now[:, columns] * b).sum(axis=-1)
            moves[name] = _regressor_contributions(x_now, b, full.means, columns)
            if member is spread_member(given.days):
                spread = residual
                if total.recent is not None:
                    spread = regression.mean_square_error(total.recent.of(columns), b)
                    spread = spread * dof_correction(full.n, len(columns))
                log_variance["blend"] = np.where(trusted, spread, pooled_spread)
            if name == "log-har":
                plain = np.where(trusted, residual, pooled_spread)
                log_variance |= dict.fromkeys(MODELS[1:], plain)
        else:
            x = level_regressors(design.lags[here, last], member.scale)
            b, residual = regression.solve(total.levels[name], member.penalty)
            fit = (x * b).sum(axis=-1)
        good = trusted & usable & has_all(member, design)
        raw[name] = np.where(good, to_variance(member, fit, residual, level), np.nan)
    low, high = (
        np.where(total.high > 0, total.low, 0.0),
        np.where(total.high > 0, total.high, np.inf),
    )
    members: dict[str, Floats] = {k: np.clip(v, low, high) * steps for k, v in raw.items()}
    names = blend_of(given.days, alone=n < 2)
    others = {**others, "ewma": design.smoothed[here, last]}
    found = Forecasts(
        given.days,
        steps,
        {
            "blend": blend(members, names),
            **{name: members[name] for name in MODELS if name in members},
            **{name: np.where(usable, mean * steps, np.nan) for name, mean in others.items()},
        },
        log_variance,
        {k: v for k, v in members.items() if k in names},
        _family_contributions({k: moves[k] for k in names if k in moves}, members),
        {family: x_now[:, INDEX[columns[0]]] for family, columns in FAMILIES.items()},
    )
    return found, closed


def _horizon_sums(
    given: Problem, before: HorizonSums | None, keep: Ints | None
) -> tuple[HorizonSums, HorizonSums]:
    """The sums of products from which each asset's regressions are solved: first over all its rows,
    then over only its first `keep` blocks of `BLOCK_ROWS` rows (None: no blocks). The second sums
    are stored for later forecasts. Both include the sums in `before`."""
    design, means = given.design, given.means
    logs, kept = regression.sums(
        given.x, given.target, given.ok, before=before and before.logs, keep=keep
    )
    recent = kept_recent = None
    if given.days < LONG_DAYS:
        recent, kept_recent = regression.sums(
            given.x, given.target, given.ok, before=before and before.recent, keep=keep,
            centre=RECENT_PERIODS,
        )  # fmt: skip
    levels, kept_levels = {}, {}
    for name, member in MEMBERS.items():
        if member.scale == "log":
            continue
        levels[name], kept_levels[name] = regression.sums(
            level_regressors(design.lags, member.scale),
            np.sqrt(means) if member.scale == "root" else means,
            given.ok,
            1.0 / given.panel.rv if member.scale == "weighted" else None,
            before=before and before.levels[name],
            keep=keep,
        )
    first = np.zeros(len(means)) if keep is None else keep * regression.BLOCK_ROWS
    return (
        HorizonSums(logs, recent, levels, *_realized_range(means, before)),
        HorizonSums(
            kept, kept_recent, kept_levels,
            *_realized_range(
                np.where(np.arange(means.shape[1]) < first[:, None], means, np.nan), before
            ),
        ),
    )  # fmt: skip


def pooled_rows(given: Problem) -> Bools:
    """Shape (assets, rows): True for the days that regressions over several assets learn from."""
    return given.ok & (given.design.level > PEGGED_VARIANCE)


def gamma_training_rows(panel: Panel) -> Bools:
    """Shape (assets, rows): True for the days of an asset that the gamma regression may learn from.
    With more than `POOL_ASSETS` assets, each day is used for only some of them, in rotation, which
    limits the cost of the regression."""
    real = panel.days != NO_DAY
    if len(panel.assets) < 2:
        return np.zeros_like(real)
    turns = -(-len(panel.assets) // POOL_ASSETS)
    turn = np.where(real, panel.days, 0) + np.arange(len(panel.assets))[:, None]
    return real & (turn % turns == 0)


def _pooled_sums(own: Sums, which: Bools) -> Sums | None:
    """The sums for one regression over all assets that `which` selects. None if these assets have
    fewer than `POOL_ROWS` rows together, or if `own` (the sums of each asset) has only one
    asset."""
    if len(which) < 2:
        return None
    found = own.at(which).total()
    return found if found.n >= POOL_ROWS else None


def _solve_pooled(
    member: Member, pool: Sums, given: Problem, gamma_sample: GammaSample, which: Bools
) -> tuple[Floats, float]:
    columns = columns_of(member, given.panel.continuous)
    sums = pool.of(columns)
    b, residual = regression.solve(sums, member.penalty)
    if member.pooled == "lasso":
        b, residual = regression.lasso(sums, member.penalty)
    if member.pooled != "gamma":
        return b, float(residual)
    b[0] += 0.5 * residual
    ok = np.isfinite(gamma_sample.relative) & which[gamma_sample.owner]
    x, y = gamma_sample.x, gamma_sample.relative
    return regression.gamma(x, y, ok, b, sums, columns, member.penalty), 0.0


def dof_correction(n: Floats | Ints, k: int) -> Floats:
    """The factor n / (n - k) for the degrees of freedom: it corrects a mean squared error over n
    rows for the k coefficients that were fitted on them."""
    return n / np.maximum(n - k, 1)


def _realized_range(means: Floats, before: HorizonSums | None) -> tuple[Floats, Floats]:
    """The smallest and the largest mean daily variance that was realized over any past target
    window (the days that a forecast covers), for each asset. `before` has the sums of the days
    before these."""
    low = np.min(means, axis=1, where=np.isfinite(means), initial=np.inf)
    high = np.max(means, axis=1, where=np.isfinite(means), initial=0.0)
    if before is not None:
        return np.minimum(low, before.low), np.maximum(high, before.high)
    return low, high


def _regressor_contributions(
    x_now: Floats, b: Floats, means: Floats, columns: Sequence[int]
) -> Floats:
    """Shape (assets, all regressors): what each regressor adds to the log of the forecast because
    its value today (`x_now`) differs from its mean (`means`)."""
    out = np.zeros_like(x_now)
    mean = means[..., columns]
    out[:, columns] = b * (x_now[:, columns] - mean)
    return out


def _family_contributions(
    moves: Mapping[str, Floats], members: Mapping[str, Floats]
) -> dict[str, Floats]:
    total = np.zeros_like(next(iter(moves.values())))
    count = np.zeros(len(total))
    for name, move in moves.items():
        there = np.isfinite(members[name])
        total += np.where(there[:, None], move, 0.0)
        count += there
    mean = total / np.maximum(count, 1)[:, None]
    return {
        family: np.where(count > 0, mean[:, [INDEX[c] for c in columns]].sum(axis=1), np.nan)
        for family, columns in FAMILIES.items()
    }


def last_days(panel: Panel) -> Ints:
    """Shape (assets,): each asset's last day, in days since 1970-01-01; `NO_DAY` if it has none."""
    last = np.maximum(panel.lengths - 1, 0)
    days = panel.days[np.arange(len(panel.assets)), last]
    return np.where(panel.lengths > 0, days, NO_DAY)

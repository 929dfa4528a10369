"""Walk-forward evaluation: forecasts of every model for every past day, out of sample and refit
daily, with one exception. Pure.

It fits the same regressions as `models.forecast`, but for all days at once, through running sums. A
test compares the two. The exception is the pooled gamma regression: it starts from its previous
solution and is refit every `GAMMA_EVERY` days; in between it keeps its coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from augury.rvol import garch, members, models, regression
from augury.rvol.features import design
from augury.rvol.members import MEMBERS, Member
from augury.rvol.models import Problem
from augury.rvol.panel import NO_DAY, Floats, Ints, Panel
from augury.rvol.regression import Sums

GAMMA_EVERY = 5


@dataclass(frozen=True)
class WalkForward:
    """Forecasts for one asset, made on each of several days (the origins) from what was known then,
    and what was realized. Variances are daily means over the target window: the days that a
    forecast covers."""

    asset: str
    days: Ints
    """Shape (origins,): the days on which forecasts were made, in days since 1970-01-01."""
    actual: Floats
    """Shape (origins,): mean daily variance realized over the days that the forecast covers; NaN
    while these are not over."""
    forecasts: dict[str, Floats]
    """Name of a model or of a single regression -> its forecasts, shape (origins,). Each is the
    expected mean daily variance over the days that the forecast covers."""
    log_variance: Floats
    """Shape (origins,): the expected squared error of each forecast of ln(realized variance) by the
    model `blend`. It sets the width of the model's bands."""


def walk(panel: Panel, days: int, start: int) -> list[WalkForward]:
    """Forecast with every model, at a horizon of `days` days, on each day of each asset except its
    first `start` days. Returns one result for each asset that has more than `start` days.

    The regressions of a forecast learn only from target windows (the days that a forecast covers)
    that were over on the day of the forecast.
    """
    made = design(panel)
    given = models.problem(panel, made, days)
    pooled = _pooled_paths(given) if len(panel.assets) > 1 else {}
    others = garch.walk(panel, days)
    return [
        _path(given, asset, start, pooled, others)
        for asset in range(len(panel.assets))
        if panel.lengths[asset] > start
    ]


def _path(
    given: Problem,
    i: int,
    start: int,
    pooled: dict[str, tuple[Member, Ints, Floats, Floats]],
    others: Floats,
) -> WalkForward:
    panel, made = given.panel, given.design
    rows = int(panel.lengths[i])
    origins = np.arange(start, rows)
    # Windows closed by the origin are those of rows up to `days` before it.
    closed = origins - given.days
    x, level = given.x[i, :rows], made.level[i, :rows]
    means, ok, target = given.means[i, :rows], given.ok[i, :rows], given.target[i, :rows]
    low, high = np.fmin.accumulate(means)[closed], np.fmax.accumulate(means)[closed]
    out: dict[str, Floats] = {}
    full = regression.running_sums(x, target, ok).at(closed)
    log_variance = np.full(len(origins), np.nan)
    for name, member in MEMBERS.items():
        if member.pooled:
            if name not in pooled:
                continue
            _, when, b, spread = pooled[name]
            columns = members.columns_of(member, panel.continuous)
            at = np.searchsorted(when, panel.days[i, origins])
            fit = (x[origins][:, columns] * b[at]).sum(axis=-1)
            raw = level[origins] * np.exp(fit + 0.5 * spread[at])
        elif not members.has_all(member, made)[i]:
            continue
        elif member.scale == "log":
            columns = members.columns_of(member, panel.continuous)
            b, residual = regression.solve(full.of(columns), member.penalty)
            fit = (x[origins][:, columns] * b).sum(axis=-1)
            raw = models.to_variance(member, fit, residual, level[origins])
            if member is models.spread_member(given.days):
                log_variance = residual
                if given.days < members.LONG_DAYS:
                    fading = regression.fading_sums(
                        x[:, columns], target, ok, models.RECENT_PERIODS
                    )
                    log_variance = regression.mean_square_error(fading.at(closed), b)
                    log_variance = log_variance * models.dof_correction(full.n, len(columns))
        else:
            z = models.level_regressors(made.lags[i, :rows], member.scale)
            y = np.sqrt(means) if member.scale == "root" else means
            weights = 1.0 / panel.rv[i, :rows] if member.scale == "weighted" else None
            sums = regression.running_sums(z, y, ok, weights).at(closed)
            b, residual = regression.solve(sums, member.penalty)
            fit = (z[origins] * b).sum(axis=-1)
            raw = models.to_variance(member, fit, residual, level[origins])
        out[name] = np.clip(raw, low, high)
    names = members.blend_of(given.days, alone=len(panel.assets) < 2)
    out["blend"] = models.blend(out, names)
    out["ewma"] = made.smoothed[i, origins]
    if np.isfinite(others[i, origins]).any():
        out["garch"] = others[i, origins]
    return WalkForward(panel.assets[i], panel.days[i, origins], means[origins], out, log_variance)


def _pooled_paths(given: Problem) -> dict[str, tuple[Member, Ints, Floats, Floats]]:
    """The history of the fits of each regression over several assets.

    Maps the regression's name to the regression, all days (as days since 1970-01-01), and for each
    of these days the coefficients and the residual variance. On days with too few rows for a fit,
    both are NaN. On all other days, the residual variance of the gamma regression is 0. Each fit
    uses only what was known by its day."""
    panel = given.panel
    when = np.unique(panel.days[panel.days != NO_DAY])
    rows = models.pooled_rows(given)
    closing = np.take_along_axis(panel.days, np.maximum(given.ends, 0), axis=1)[rows]
    order = np.argsort(closing, kind="stable")
    closing = closing[order]
    x, y = given.x[rows][order], given.target[rows][order]
    mine = models.gamma_training_rows(panel)[rows][order]
    known = np.searchsorted(closing, when, side="right")
    daily = _sums_by_day(x, y, known)
    paths = {}
    for name, member in MEMBERS.items():
        if not member.pooled:
            continue
        columns = members.columns_of(member, panel.continuous)
        sums = daily.of(columns)
        enough = known >= models.POOL_ROWS
        b = np.full((len(when), len(columns)), np.nan)
        spread = np.full(len(when), np.nan)
        if enough.any():
            solve = regression.lasso if member.pooled == "lasso" else regression.solve
            b[enough], spread[enough] = solve(sums.at(enough), member.penalty)
        if member.pooled == "gamma":
            b[enough, 0] += 0.5 * spread[enough]
            upto = np.searchsorted(closing[mine], when, side="right")
            b = _gamma_path(
                x[mine], np.exp(y[mine]), upto, np.flatnonzero(enough), b, sums, columns,
                member.penalty,
            )  # fmt: skip
            spread = np.where(enough, 0.0, np.nan)
        paths[name] = (member, when, b, spread)
    return paths


def _sums_by_day(x: Floats, y: Floats, known: Ints) -> Sums:
    """For each day, the sums of products from which a regression of `y` on `x` is solved, over the
    rows known on that day: the first `known[day]` rows of `x` and `y`."""
    k = x.shape[1]
    xx, xy = np.zeros((len(known), k, k)), np.zeros((len(known), k))
    yy = np.zeros(len(known))
    before = 0
    for day, upto in enumerate(known):
        new, target = x[before:upto], y[before:upto]
        xx[day], xy[day], yy[day] = new.T @ new, new.T @ target, target @ target
        before = upto
    return Sums(np.cumsum(xx, axis=0), np.cumsum(xy, axis=0), np.cumsum(yy), known.astype(float))


def _gamma_path(
    x: Floats,
    y: Floats,
    known: Ints,
    origins: Ints,
    start: Floats,
    sums: Sums,
    columns: list[int],
    penalty: float,
) -> Floats:
    """Shape (days, columns): the coefficients of the gamma regression on each day. A fit is made on
    every `GAMMA_EVERY`-th of the days `origins` and used until the next fit; days that are not in
    `origins` keep the coefficients in `start`.

    known : for each day, the number of rows known on it; a fit uses the first `known` rows
    origins : indices of the days with enough data for a fit
    start : coefficients for each day; the first fit starts its search from those of its day
    """
    out = start.copy()
    b = np.empty(0)
    for n, day in enumerate(origins):
        if n % GAMMA_EVERY == 0:
            upto = known[day]
            begin, ok = b if n else start[day], np.ones(upto, dtype=bool)
            given = sums.at(int(day))
            b = regression.gamma(x[:upto], y[:upto], ok, begin, given, columns, penalty)
        out[day] = b
    return out

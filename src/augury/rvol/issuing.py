"""Computes the forecasts that are published for a day, and the actuals (realized variances), from
panels (the daily measures of a class of assets). Pure.

A forecast depends only on the measures up to its day and on the calendar: computed again from data
cut at that day, it is the same to the last bit.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib import resources

import numpy as np

from augury.rvol import calendars, features, learning, members, models
from augury.rvol.calendars import Calendar
from augury.rvol.learning import Checkpoint
from augury.rvol.panel import NO_DAY, Bools, Panel

EDITION = "2026.11"
VERSIONED_MODULES = (
    "panel.py",
    "features.py",
    "regression.py",
    "members.py",
    "models.py",
    "garch.py",
    "learning.py",
    "issuing.py",
)
"""The modules that decide what is forecast; their code is hashed into the version of all models."""
TRAINING = "expanding window, refit at every origin, windows closed by then"
FEATURE_SET = f"rvol-{EDITION}"


@dataclass(frozen=True, slots=True)
class VarianceForecast:
    """One model's forecast of an asset's variance, as it is stored. Variances are totals over the
    days that the forecast covers: the `steps` trading days after `as_of`. `as_of` is the close of
    the day on which the forecast was made."""

    asset: str
    horizon: int
    model_id: str
    as_of: datetime
    target_start_at: datetime
    target_end_at: datetime
    steps: int
    variance: float
    annualized: float
    bands: tuple[float, ...]
    """Bounds between which the realized variance is expected, as totals over the same days as
    `variance`: lower and upper bound of the 80% band, then of the 90% and of the 95% band."""
    families: dict[str, tuple[float, float]] | None
    """Feature family (a group of regressors, e.g. `jumps`) -> the value of its first regressor on
    the day of the forecast, and what the family adds to the natural log of the forecast variance,
    compared with a typical day. None for models other than `blend`."""
    members: dict[str, float] | None
    """For the model `blend`, which averages regressions: name of a regression -> the variance that
    it forecasts. None for other models."""


@dataclass(frozen=True, slots=True)
class Actual:
    """The realized variance of the days that a forecast covers (its target window); `variance` is
    None if the data of one of these days are missing."""

    asset: str
    horizon: int
    as_of: datetime
    target_start_at: datetime
    target_end_at: datetime
    steps: int
    variance: float | None


@lru_cache(maxsize=1)
def code_hash() -> str:
    """SHA-256 (hex) of the modules that fit the models and forecast (`VERSIONED_MODULES`), without
    what only people read: docstrings, comments and blank lines."""
    found = hashlib.sha256()
    for name in VERSIONED_MODULES:
        source = resources.files("augury.rvol").joinpath(name).read_text(encoding="utf-8")
        found.update(executed(source).encode())
    return found.hexdigest()


def executed(source: str) -> str:
    """The lines of a module's source that are executed: without docstrings, lines that are only a
    comment, and blank lines."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            lines[first:last] = [""] * (last - first)
    return "\n".join(
        line.rstrip() for line in lines if line.strip() and not line.lstrip().startswith("#")
    )


def model_version() -> str:
    """The version that all models share, e.g. "2026.11+1a2b3c4d": `EDITION` and the start of a hash
    of the code. Any change of the code makes a new version; changes of docstrings and comments do
    not."""
    return f"{EDITION}+{code_hash()[:8]}"


def members_of(model_id: str) -> tuple[str, ...]:
    """Names of the regressions that a published model averages; only the model `blend` has
    several."""
    if model_id != "blend":
        return (model_id,)
    return tuple(
        dict.fromkeys((*members.SHORT_BLEND, *members.LONG_BLEND, *members.LONE_ASSET_BLEND))
    )


def families_of(model_id: str) -> list[str]:
    """Names of the feature families (groups of regressors, e.g. `jumps`) that a published model
    uses."""
    if model_id in ("blend", "pooled-lasso"):
        return list(features.FAMILIES)
    return ["returns"] if model_id == "garch" else ["realized_variance"]


def without_empty_assets(given: Panel) -> Panel:
    """The panel without the assets that have no day of data."""
    return given.only(np.flatnonzero(given.lengths > 0).tolist())


def issue(
    given: Panel,
    calendar: Calendar,
    horizons: Sequence[int],
    day: int,
    since: Checkpoint | None = None,
) -> tuple[list[VarianceForecast], Checkpoint | None]:
    """Forecast, at the close of `day` (days since 1970-01-01), every asset that has data of that
    day, with every model at each horizon (in days). Later data are not used.

    Parameters
    ----------
    given : Panel
        The daily measures of all assets of one family and calendar.
    since : Checkpoint, optional
        The checkpoint of an earlier day (what the models keep of earlier days). If it was made from
        the same past data, it gives the same forecasts in less time.

    Returns
    -------
    The forecasts, and a checkpoint for later days. If there is nothing to forecast, e.g. because no
    asset has data of `day`: no forecasts, and `since`.
    """
    cut = without_empty_assets(given.cut(day))
    hours = calendar.hours(day)
    if not cut.assets or hours is None or not (models.last_days(cut) == day).any():
        return [], since
    there = models.last_days(cut) == day
    as_of = calendars.utc_time(hours[1])
    windows, ends = {}, {}
    for horizon in horizons:
        steps, end = calendar.window(day, horizon)
        if steps:
            by_calendar = not calendar.continuous and calendars.by_calendar(horizon)
            windows[horizon] = learning.TargetWindow(steps, by_calendar)
            ends[horizon] = calendars.utc_time(end)
    if not windows:
        return [], since
    if since is not None and not (since.day < day and since.fits(cut, windows)):
        since = None
    found, known = learning.forecast(cut, windows, since)
    return [
        row
        for horizon, made in found.items()
        for row in _rows(made, cut, there, as_of, ends[horizon], calendar.per_year)
    ], known


def _rows(
    found: models.Forecasts, cut: Panel, there: Bools, as_of: datetime, end: datetime, per_year: int
) -> Iterator[VarianceForecast]:
    for model_id, variance in found.variance.items():
        spread = found.log_variance[model_id]
        bounds = models.bands(variance, spread, found.days)
        blended = model_id == "blend"
        for i in np.flatnonzero(there & np.isfinite(variance) & np.isfinite(spread)):
            value, steps = float(variance[i]), int(found.steps[i])
            if value <= 0:
                continue
            yield VarianceForecast(
                cut.assets[i], found.days, model_id, as_of, as_of, end, steps, value,
                float(np.sqrt(value * per_year / steps)),
                tuple(float(side[i]) for pair in bounds.values() for side in pair),
                {
                    family: (float(found.values[family][i]), float(moved[i]))
                    for family, moved in found.contributions.items()
                }
                if blended
                else None,
                {
                    name: float(values[i])
                    for name, values in found.members.items()
                    if np.isfinite(values[i])
                }
                if blended
                else None,
            )  # fmt: skip


def actuals(
    given: Panel, calendar: Calendar, horizons: Iterable[int], *, first: int, now: int, settle: int
) -> list[Actual]:
    """The realized variance of every completed target window (the days that a forecast covers) that
    starts at the close of day `first` or later. `first` is in days since 1970-01-01, `now` in
    seconds since 1970.

    A window with a missing day has the variance None. It is reported only once `settle` seconds
    have passed since its end and the asset has data of a day after it. Until then the missing data
    may still come.
    """
    out: list[Actual] = []
    for i, asset in enumerate(given.assets):
        own = given.days[i][given.days[i] != NO_DAY]
        realized = dict(zip(own.tolist(), given.rv[i, : len(own)].tolist(), strict=True))
        for day in own[own >= first].tolist():
            hours = calendar.hours(day)
            if hours is None:
                continue
            for horizon in horizons:
                steps, end = calendar.window(day, horizon)
                if steps == 0 or end > now:
                    continue
                window = _window_days(calendar, day, steps)
                values = [realized[d] for d in window if d in realized]
                whole = len(values) == steps
                if not whole and (now < end + settle or window[-1] >= own[-1]):
                    continue
                out.append(
                    Actual(
                        asset, horizon, calendars.utc_time(hours[1]), calendars.utc_time(hours[1]),
                        calendars.utc_time(end), steps, float(np.sum(values)) if whole else None,
                    )
                )  # fmt: skip
    return out


def _window_days(calendar: Calendar, day: int, steps: int) -> Sequence[int]:
    if calendar.continuous:
        return range(day + 1, day + steps + 1)
    at = int(np.searchsorted(calendar.days, day, side="right"))
    return calendar.days[at : at + steps].tolist()

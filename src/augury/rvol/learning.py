"""Forecasts all assets of a class (same family and calendar) at its last day, for all horizons,
with a checkpoint for the next day. Pure.

A row is one day of an asset. A checkpoint covers all rows of each asset except the latest ones. It
holds what the models need from the covered rows: sums of products, running totals, the rows of the
gamma regression. The next day's forecasts are then computed from the checkpoint and the rows that
it does not cover; only GARCH (`garch`) still reads the returns of all rows. With or without a
checkpoint, sums are added up in the same blocks of rows and in the same order, so the forecasts are
equal to the last bit and a checkpoint may be lost at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from augury.rvol import features, garch, models
from augury.rvol.features import RegressorState
from augury.rvol.garch import Fitted
from augury.rvol.models import Forecasts, GammaSample, HorizonSums
from augury.rvol.panel import Floats, Ints, Panel, fingerprint
from augury.rvol.regression import BLOCK_ROWS


class TargetWindow(NamedTuple):
    """The target window of a horizon: the days that a forecast covers."""

    steps: int
    """Number of trading days that the forecast covers."""
    by_calendar: bool = False
    """Whether the horizon counts calendar days although the market trades in sessions."""


class GammaRows(NamedTuple):
    """The data that the gamma regressions over several assets learn from: rows, one for each asset
    and day, sorted by day, then asset. All horizons share them."""

    x: Floats
    """Shape (rows, columns): regressors, with the same columns as `Design.x`."""
    days: Ints
    owner: Ints
    """Shape (rows,): index of the asset that the row belongs to."""
    relative: dict[int, Floats]
    """Horizon (in days) -> array of shape (rows,): mean daily variance realized over the horizon's
    days after the row's day, divided by the asset's level (its typical daily variance). NaN where
    the row is not learned from, e.g. because these days are not over."""


@dataclass(frozen=True)
class Checkpoint:
    """What the models keep of the first `state.rows` days of each asset. With it, the next forecast
    is computed from the later days only (except by GARCH, which reads the returns of all days)."""

    day: int
    """The last day of the data from which the checkpoint was made, in days since 1970-01-01."""
    inputs: str
    """Fingerprint (SHA-256) of the measures from which the checkpoint was made."""
    assets: tuple[str, ...]
    state: RegressorState
    sums: dict[int, HorizonSums]
    """Horizon (in days) -> the sums from which its regressions are solved. They include each
    asset's first `state.rows` days; this number is a multiple of `BLOCK_ROWS`. The target windows
    of these days (the days that a forecast covers) were all over by the day in the field `day`."""
    gamma_rows: GammaRows
    garch: Fitted | None

    def fits(self, panel: Panel, horizons: Mapping[int, TargetWindow]) -> bool:
        """Whether the checkpoint can be used for `panel` and these horizons: it has sums for all of
        the horizons and was made from exactly the data that `panel` has up to the checkpoint's
        day."""
        return (
            self.assets == panel.assets
            and self.sums.keys() >= horizons.keys()
            and fingerprint(panel.cut(self.day)) == self.inputs
        )


def forecast(
    panel: Panel, horizons: Mapping[int, TargetWindow], before: Checkpoint | None = None
) -> tuple[dict[int, Forecasts], Checkpoint]:
    """Forecast with every model at each asset's last day. Returns the forecasts by horizon, and the
    checkpoint from which the next day can be forecast.

    `panel` has all days, including those that the checkpoint `before` covers. If `before` is given,
    `before.fits(panel, horizons)` must have returned True.
    """
    rest, state, old = panel, None, _none(len(features.COLUMNS), horizons)
    if before is not None:
        rest, state, old = panel.after(before.state.rows), before.state, before.gamma_rows
    design = features.design(rest, state)
    mine = models.gamma_training_rows(rest)
    owner, place = np.nonzero(mine)
    days = np.concatenate([old.days, rest.days[mine]])
    owners = np.concatenate([old.owner, owner])
    order = np.lexsort((owners, days))
    gamma_rows = GammaRows(
        np.concatenate([old.x, design.x[mine]])[order], days[order], owners[order], {}
    )
    # A block of rows is closed once the longest target window after its last row is over.
    keep = np.maximum(rest.lengths - max(horizons), 0) // BLOCK_ROWS
    found, closed = {}, {}
    last = int(models.last_days(panel).max())
    parameters = garch.fitted(panel, last, None if before is None else before.garch)
    for horizon, window in horizons.items():
        given = models.problem(rest, design, horizon, by_calendar=window.by_calendar)
        came = np.where(given.ok, given.means / design.level, np.nan)[mine]
        gamma_rows.relative[horizon] = np.concatenate([old.relative[horizon], came])[order]
        features.with_window(gamma_rows.x, gamma_rows.days, horizon, continuous=panel.continuous)
        found[horizon], closed[horizon] = models.forecast(
            given,
            np.full(len(panel.assets), window.steps),
            GammaSample(gamma_rows.x, gamma_rows.relative[horizon], gamma_rows.owner),
            None if before is None else before.sums[horizon],
            keep,
            {}
            if parameters is None
            else {"garch": garch.forecast(panel, parameters, window.steps)},
        )
    first = keep * BLOCK_ROWS
    kept = np.concatenate([np.ones(len(old.days), dtype=bool), place < first[owner]])[order]
    return found, Checkpoint(
        last,
        fingerprint(panel),
        panel.assets,
        design.state_after(first),
        closed,
        GammaRows(
            gamma_rows.x[kept], gamma_rows.days[kept], gamma_rows.owner[kept],
            {horizon: values[kept] for horizon, values in gamma_rows.relative.items()},
        ),
        parameters,
    )  # fmt: skip


def _none(columns: int, horizons: Mapping[int, TargetWindow]) -> GammaRows:
    no_rows = np.empty(0, dtype=np.int64)
    return GammaRows(np.empty((0, columns)), no_rows, no_rows, {h: np.empty(0) for h in horizons})

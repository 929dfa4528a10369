"""Every horizon of a class at its last day, and what to keep so that the next day is quick. Pure.

A checkpoint holds what the first rows of each asset taught: sums of products, running totals, the
rows of the gamma regression. The next day is then made from the rows after them alone. Sums are
added up in blocks of rows in their order either way, so that a forecast made from a checkpoint is
equal to the last bit to one made from the whole past: a checkpoint can be lost at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from augury.rvol import features, garch, models
from augury.rvol.features import Carry
from augury.rvol.garch import Fitted
from augury.rvol.models import Closed, Forecasts, Lessons
from augury.rvol.panel import Floats, Ints, Panel, fingerprint
from augury.rvol.regression import BLOCK


class TargetWindow(NamedTuple):
    """The target window of a horizon."""

    steps: int
    """Rows it will have: days, or sessions."""
    by_calendar: bool = False
    """Whether the horizon counts days where the market trades in sessions."""


class Taught(NamedTuple):
    """Rows a class's gamma regressions learn from, of all horizons, by day and asset."""

    x: Floats
    """(rows, columns)"""
    days: Ints
    owner: Ints
    """(rows): whose, as a place among the assets."""
    relative: dict[int, Floats]
    """By horizon, (rows): what was realized over the level; NaN where there is nothing to learn."""


@dataclass(frozen=True)
class Checkpoint:
    """What the first rows of a class's assets taught."""

    day: int
    """The last day that was known."""
    inputs: str
    """The fingerprint of the panel up to there."""
    assets: tuple[str, ...]
    carry: Carry
    closed: dict[int, Closed]
    """By horizon."""
    taught: Taught
    garch: Fitted | None

    def fits(self, panel: Panel, horizons: Mapping[int, TargetWindow]) -> bool:
        """Whether it is of the same past, to the last bit."""
        return (
            self.assets == panel.assets
            and self.closed.keys() >= horizons.keys()
            and fingerprint(panel.cut(self.day)) == self.inputs
        )


def forecast(
    panel: Panel, horizons: Mapping[int, TargetWindow], before: Checkpoint | None = None
) -> tuple[dict[int, Forecasts], Checkpoint]:
    """What every model says at each asset's last row, by horizon; and the next checkpoint.

    Parameters
    ----------
    panel : Panel
        All rows, those before the checkpoint too.
    before : Checkpoint, optional
        One that `fits`.
    """
    rest, carry, old = panel, None, _none(len(features.COLUMNS), horizons)
    if before is not None:
        rest, carry, old = panel.after(before.carry.rows), before.carry, before.taught
    design = features.design(rest, carry)
    mine = models.teaching(rest)
    owner, place = np.nonzero(mine)
    days = np.concatenate([old.days, rest.days[mine]])
    owners = np.concatenate([old.owner, owner])
    order = np.lexsort((owners, days))
    taught = Taught(np.concatenate([old.x, design.x[mine]])[order], days[order], owners[order], {})
    # A block of rows is closed once the longest window after its last one is.
    keep = np.maximum(rest.lengths - max(horizons), 0) // BLOCK
    found, closed = {}, {}
    last = int(models.last_days(panel).max())
    parameters = garch.fitted(panel, last, None if before is None else before.garch)
    for horizon, window in horizons.items():
        given = models.problem(rest, design, horizon, by_calendar=window.by_calendar)
        came = np.where(given.ok, given.means / design.level, np.nan)[mine]
        taught.relative[horizon] = np.concatenate([old.relative[horizon], came])[order]
        features.with_window(taught.x, taught.days, horizon, continuous=panel.continuous)
        found[horizon], closed[horizon] = models.forecast(
            given,
            np.full(len(panel.assets), window.steps),
            Lessons(taught.x, taught.relative[horizon], taught.owner),
            None if before is None else before.closed[horizon],
            keep,
            {}
            if parameters is None
            else {"garch": garch.forecast(panel, parameters, window.steps)},
        )
    first = keep * BLOCK
    kept = np.concatenate([np.ones(len(old.days), dtype=bool), place < first[owner]])[order]
    return found, Checkpoint(
        last,
        fingerprint(panel),
        panel.assets,
        design.carry(first),
        closed,
        Taught(
            taught.x[kept], taught.days[kept], taught.owner[kept],
            {horizon: values[kept] for horizon, values in taught.relative.items()},
        ),
        parameters,
    )  # fmt: skip


def _none(columns: int, horizons: Mapping[int, TargetWindow]) -> Taught:
    no_rows = np.empty(0, dtype=np.int64)
    return Taught(np.empty((0, columns)), no_rows, no_rows, {h: np.empty(0) for h in horizons})

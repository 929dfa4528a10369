"""Panels: the daily measures of all assets of one class (same family and calendar) in common
arrays, which are the input of the models. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NO_DAY = np.iinfo(np.int64).max
"""Fills the day numbers in `Panel.days` after an asset's last day; larger than any day number."""
WEEK, MONTH = {True: 7, False: 5}, {True: 30, False: 22}
"""Number of trading days in a week and in a month; the key says whether the market trades every
day."""


@dataclass(frozen=True)
class Panel:
    """The daily realized measures of several assets. All arrays but `assets` are (assets, rows),
    packed to the left: row n of an asset is its n-th day with usable measures.

    After an asset's last day the arrays have NaN (`NO_DAY` in `days`). Variances are of log
    returns, over one day. A measure that no asset has is NaN throughout.
    """

    assets: tuple[str, ...]
    continuous: bool
    """Whether the market trades on every day of the week (UTC days) instead of in sessions."""
    days: Ints
    """Shape (assets, rows): day numbers, i.e. days since 1970-01-01."""
    rv: Floats
    """Shape (assets, rows): realized variance of the whole day. If the market closes overnight, the
    overnight return is included."""
    bv: Floats
    rsv_neg: Floats
    rsv_pos: Floats
    rq: Floats
    ret: Floats
    """Shape (assets, rows): log return of the day, close to close."""

    @property
    def lengths(self) -> Ints:
        """Shape (assets,): number of days that each asset has."""
        return (self.days != NO_DAY).sum(axis=1)

    @property
    def week(self) -> int:
        return WEEK[self.continuous]

    @property
    def month(self) -> int:
        return MONTH[self.continuous]

    def cut(self, day: int) -> Panel:
        """The panel as it stood at the close of `day` (days since 1970-01-01): without later
        days."""
        kept = (self.days <= day) & (self.days != NO_DAY)
        width = int(kept.sum(axis=1).max(initial=0))
        changes = {}
        for name in MEASURES:
            values = np.where(kept, getattr(self, name), np.nan)
            changes[name] = np.ascontiguousarray(values[:, :width])
        days = np.where(kept, self.days, NO_DAY)
        return replace(self, days=np.ascontiguousarray(days[:, :width]), **changes)

    def after(self, rows: Ints) -> Panel:
        """The panel without each asset's first days. `rows`, shape (assets,): how many days are
        left out of each asset."""
        width = int((self.lengths - rows).max(initial=0))
        place = rows[:, None] + np.arange(width)
        inside = place < self.days.shape[1]
        place = np.minimum(place, max(self.days.shape[1] - 1, 0))
        changes = {
            name: np.where(inside, np.take_along_axis(getattr(self, name), place, axis=1), np.nan)
            for name in MEASURES
        }
        days = np.where(inside, np.take_along_axis(self.days, place, axis=1), NO_DAY)
        return replace(self, days=days, **changes)

    def only(self, chosen: Sequence[int]) -> Panel:
        """The panel reduced to the assets with the indices `chosen`."""
        picked = list(chosen)
        changes = {name: getattr(self, name)[picked] for name in ("days", *MEASURES)}
        return replace(self, assets=tuple(self.assets[i] for i in picked), **changes)


MEASURES = tuple(f.name for f in fields(Panel) if f.name not in ("assets", "continuous", "days"))


def fingerprint(given: Panel) -> str:
    """SHA-256 (hex) of everything in a panel of daily measures."""
    found = hashlib.sha256(repr((given.assets, given.continuous, given.days.shape)).encode())
    found.update(np.ascontiguousarray(given.days).tobytes())
    for name in MEASURES:
        found.update(np.ascontiguousarray(getattr(given, name)).tobytes())
    return found.hexdigest()


def pack(series: Mapping[str, tuple[Ints, Mapping[str, Floats]]], *, continuous: bool) -> Panel:
    """Make a panel of `{asset: (days, {measure: values})}`, days ascending. Days whose realized
    variance (`rv`) is missing or zero are left out; no market that trades has a variance of
    zero."""
    assets = tuple(series)
    kept = {a: (m["rv"] > 0) & np.isfinite(m["rv"]) for a, (_, m) in series.items()}
    width = max((int(k.sum()) for k in kept.values()), default=0)
    days = np.full((len(assets), width), NO_DAY, dtype=np.int64)
    out = {name: np.full((len(assets), width), np.nan) for name in MEASURES}
    for i, asset in enumerate(assets):
        own, measures = series[asset]
        n = int(kept[asset].sum())
        days[i, :n] = own[kept[asset]]
        for name, values in measures.items():
            out[name][i, :n] = values[kept[asset]]
    return Panel(assets, continuous, days, **out)

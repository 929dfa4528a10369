"""Daily measures of the assets of one class in common arrays: the input of the models. Pure."""

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
"""Fills `Panel.days` after an asset's last row; larger than any day."""
WEEK, MONTH = {True: 7, False: 5}, {True: 30, False: 22}
"""Number of rows in a week and in a month; the key says whether the market trades every day."""


@dataclass(frozen=True)
class Panel:
    """Measures packed to the left: row n of an asset is its n-th day that counts.

    All arrays are (assets, rows); rows past an asset's last are NaN (`NO_DAY` in `days`).
    Variances are of log returns, over one day. A measure that no asset has is NaN throughout.
    """

    assets: tuple[str, ...]
    continuous: bool
    """Whether the market trades on every day of the week (UTC days) instead of in sessions."""
    days: Ints
    """Days since 1970-01-01."""
    rv: Floats
    """Realized variance of the whole day, overnight included where the market has one."""
    bv: Floats
    rsv_neg: Floats
    rsv_pos: Floats
    rq: Floats
    ret: Floats
    """Log return of the day, close to close."""

    @property
    def lengths(self) -> Ints:
        """(assets): number of rows of each asset."""
        return (self.days != NO_DAY).sum(axis=1)

    @property
    def week(self) -> int:
        return WEEK[self.continuous]

    @property
    def month(self) -> int:
        return MONTH[self.continuous]

    def cut(self, day: int) -> Panel:
        """The panel as it stood at the close of `day`: without later rows, and no wider than the
        remaining rows need."""
        kept = (self.days <= day) & (self.days != NO_DAY)
        width = int(kept.sum(axis=1).max(initial=0))
        changes = {}
        for name in MEASURES:
            values = np.where(kept, getattr(self, name), np.nan)
            changes[name] = np.ascontiguousarray(values[:, :width])
        days = np.where(kept, self.days, NO_DAY)
        return replace(self, days=np.ascontiguousarray(days[:, :width]), **changes)

    def after(self, rows: Ints) -> Panel:
        """The panel without the first rows of each asset; `rows`, (assets), is their number."""
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
        """The panel of the assets with these indices."""
        picked = list(chosen)
        changes = {name: getattr(self, name)[picked] for name in ("days", *MEASURES)}
        return replace(self, assets=tuple(self.assets[i] for i in picked), **changes)


MEASURES = tuple(f.name for f in fields(Panel) if f.name not in ("assets", "continuous", "days"))


def fingerprint(given: Panel) -> str:
    """SHA-256 of everything in a panel."""
    found = hashlib.sha256(repr((given.assets, given.continuous, given.days.shape)).encode())
    found.update(np.ascontiguousarray(given.days).tobytes())
    for name in MEASURES:
        found.update(np.ascontiguousarray(getattr(given, name)).tobytes())
    return found.hexdigest()


def pack(series: Mapping[str, tuple[Ints, Mapping[str, Floats]]], *, continuous: bool) -> Panel:
    """A panel of `{asset: (days, {measure: values})}`, days ascending. Rows whose rv is missing or
    zero are left out; no market that trades has a variance of zero."""
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

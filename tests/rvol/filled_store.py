"""A store with days of measures."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np

from augury.rvol import calendars
from augury.rvol.service import RvolService
from augury.rvol.store import CoveredAsset, DayRow

LAST = calendars.day_number(date(2026, 11, 19))
"""The last day that had closed by `NOW`."""


def days_of(asset: str, n: int = 320, last: int = LAST, seed: int = 1) -> list[DayRow]:
    rng = np.random.default_rng(seed)
    rv = np.exp(-7 + 0.5 * rng.standard_normal(n))
    return [
        DayRow(
            asset, calendars.date_of(last - n + 1 + t), True, float(v), float(v * 0.95),
            float(v * 0.5), float(v * 0.5), float(v), float(v), float(v * v), float(v * v),
            float(np.sqrt(v) * rng.standard_normal()), 0.0, 100.0, 288, 288, 0, 0, False,
        )
        for t, v in enumerate(rv)
    ]  # fmt: skip


def asset(name: str, **fields: Any) -> CoveredAsset:
    defaults: dict[str, Any] = {
        "asset": name, "display_name": name, "target_family": "crypto", "calendar": "24/7",
        "minutes": 5,
    }  # fmt: skip
    return CoveredAsset(**{**defaults, **fields})


async def filled(service: RvolService, *names: str, days: int = 320) -> None:
    rows = [row for n, name in enumerate(names) for row in days_of(name, n=days, seed=n)]
    await service.put_measures([asset(name) for name in names], rows)

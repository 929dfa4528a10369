"""Scores every model on a file of realized measures, out of sample. Pure but for reading the
file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from augury import input_files
from augury.errors import SetupProblem
from augury.rvol import members, models, scores
from augury.rvol.panel import Floats, Ints, Panel, pack
from augury.rvol.walk import WalkForward, walk

SINGLY_EVALUATED = {"us_index"}
"""Groups of the evaluation file whose assets are evaluated one by one instead of together.
`us_index` holds the same index from several sources, which date the same session differently. A
mean of the sources on one date would therefore include the next day's session of some sources."""
WARMUP_DAYS = {"crypto": 400}
"""Group of assets in the evaluation file -> length of its warm-up, in days. The warm-up is the
beginning of each asset's series: models learn from it, and no forecast in it is scored. For other
groups see `LONG_SERIES_DAYS`."""
LONG_SERIES_DAYS, LONG_WARMUP_DAYS, SHORT_WARMUP_DAYS = 2_000, 1_000, 600
"""Length of the warm-up, in days, of a group that is not in `WARMUP_DAYS`: `LONG_WARMUP_DAYS` if an
asset of the group has at least `LONG_SERIES_DAYS` days, otherwise `SHORT_WARMUP_DAYS`. The warm-up
is the beginning of each asset's series: models learn from it, and no forecast in it is scored."""
EPOCH = date(1970, 1, 1)


def first_origin(group: str, rows: int) -> int:
    """Index (from 0) of an asset's first day whose forecast is scored. Models only learn from the
    days before it. `group` is the asset's group in the evaluation file, `rows` the largest number
    of days that any asset of the group has."""
    return WARMUP_DAYS.get(
        group, LONG_WARMUP_DAYS if rows >= LONG_SERIES_DAYS else SHORT_WARMUP_DAYS
    )


def load(file: Path, assets: Sequence[str] | None = None) -> list[tuple[str, Panel]]:
    """Read a Parquet file of realized measures, one row for each asset and day. Returns (group,
    panel) pairs; a panel holds the measures of a group's assets, or of one asset for groups in
    `SINGLY_EVALUATED`.

    Columns asset, group, date, rv and any of bv, rsv_neg, rsv_pos, rq, open_to_close, overnight.

    Raises
    ------
    SetupProblem
        The file lacks a column or one of `assets`, or a column does not hold dates or numbers.
    """
    import polars as pl

    frame = input_files.parquet(file, ["asset", "group", "date", "rv"])
    if not frame["date"].dtype.is_temporal() or not frame["rv"].dtype.is_numeric():
        raise SetupProblem(
            f"{file}: the column date should hold dates, and the column rv should hold numbers."
        )
    if assets:
        unknown = set(assets) - set(frame["asset"].unique())
        if unknown:
            raise SetupProblem(
                f"{file} does not contain these assets: {', '.join(sorted(unknown))}."
            )
    groups: dict[str, dict[str, tuple[Ints, dict[str, Floats]]]] = {}
    for (group, asset), rows in frame.sort("date").group_by(
        ["group", "asset"], maintain_order=True
    ):
        measures = {
            name: rows[name].cast(pl.Float64).to_numpy().copy()
            for name in ("rv", "bv", "rsv_neg", "rsv_pos", "rq")
            if name in rows.columns
        }
        if "open_to_close" in rows.columns:
            intraday = rows["open_to_close"].to_numpy()
            overnight = rows["overnight"].to_numpy() if "overnight" in rows.columns else np.zeros(1)
            measures["ret"] = intraday + np.nan_to_num(overnight)
        days = rows["date"].dt.date().cast(pl.Int32).to_numpy().astype(np.int64)
        groups.setdefault(str(group), {})[str(asset)] = (days, measures)
    found = []
    for group, series in sorted(groups.items()):
        panels = [{a: series[a]} for a in sorted(series)] if group in SINGLY_EVALUATED else [series]
        found += [
            (group, pack(dict(sorted(some.items())), continuous=group == "crypto"))
            for some in panels
        ]
    return found


def evaluate(
    panels: Sequence[tuple[str, Panel]],
    horizons: Sequence[int],
    *,
    assets: Sequence[str] | None = None,
    exclude: date | None = None,
) -> dict[str, Any]:
    """Scores of every model at each horizon (in days): over all assets, by group and by asset. Each
    forecast uses only earlier data. `panels` is what `load` returns.

    Losses are averaged over all forecasts of all assets. Diebold-Mariano statistics compare the
    daily means of losses. `assets` limits which assets are scored; the models still learn from all
    assets. `exclude` drops the forecasts whose target window (the days that they cover) contains
    that day. The model `blend` is called `champion` in the result.
    """
    overall: dict[str, Any] = {}
    groups: dict[str, Any] = {}
    by_asset: dict[str, Any] = {}
    for days in horizons:
        every: dict[str, list[WalkForward]] = {}
        for group, panel in panels:
            start = first_origin(group, int(panel.lengths.max(initial=0)))
            for path in walk(panel, days, start):
                kept = _scored(path, days, exclude)
                if kept is not None and (not assets or path.asset in assets):
                    every.setdefault(group, []).append(kept)
                    _add(by_asset.setdefault(path.asset, {}), [kept], days)
        for group, paths in every.items():
            entry = groups.setdefault(group, {"assets": [], "models": {}})
            entry["assets"] = sorted({*entry["assets"], *(p.asset for p in paths)})
            _add(entry["models"], paths, days)
        if every:
            _add(overall, [p for paths in every.values() for p in paths], days)
    return {
        "assets": sorted(by_asset),
        "horizons": list(horizons),
        "models": overall,
        "groups": groups,
        "by_asset": by_asset,
    }


def _add(out: dict[str, Any], paths: Sequence[WalkForward], days: int) -> None:
    for model, score in table(paths, days).items():
        name = "champion" if model == "blend" else model
        out.setdefault(name, {})[str(days)] = score


def _scored(path: WalkForward, days: int, exclude: date | None) -> WalkForward | None:
    """The forecasts of `path` that can be scored: their target window (the `days` days that they
    cover) is over and does not contain the day `exclude`. None if there are none."""
    keep = np.isfinite(path.actual)
    if exclude is not None:
        day = (exclude - EPOCH).days
        place = int(np.searchsorted(path.days, day))
        if place < len(path.days) and path.days[place] == day:
            keep[max(0, place - days) : place] = False
    if not keep.any():
        return None
    return WalkForward(
        path.asset,
        path.days[keep],
        path.actual[keep],
        {name: f[keep] for name, f in path.forecasts.items()},
        path.log_variance[keep],
    )


def table(paths: Sequence[WalkForward], days: int) -> dict[str, dict[str, Any]]:
    """By model: its scores (e.g. `qlike`) over the forecasts of some assets at a horizon of `days`
    days. A model that lacks any of these forecasts is left out."""
    names = {name for path in paths for name in path.forecasts}
    out = {}
    for name in sorted(names, key=lambda n: (n not in members.MODELS, n)):
        # Only models with a forecast at every origin of every asset can be compared over them all.
        if not all(name in p.forecasts and np.isfinite(p.forecasts[name]).all() for p in paths):
            continue
        loss, har, log_har = (_losses(paths, n) for n in (name, "har", "log-har"))
        actual = np.concatenate([p.actual for p in paths]) * days
        forecast = np.concatenate([p.forecasts[name] for p in paths]) * days
        spread = np.concatenate([p.log_variance for p in paths])
        bounds = models.bands(forecast, spread, days)
        out[name] = {
            "qlike": float(loss.mean()),
            "qlike_median": float(np.median(loss)),
            "mse": float(np.mean((actual - forecast) ** 2)),
            "ratio_to_har": float(loss.mean() / har.mean()),
            "ratio_to_log_har": float(loss.mean() / log_har.mean()),
            "dm_t": scores.dm_t(_daily(paths, loss), _daily(paths, har), days),
            "dm_t_log_har": scores.dm_t(_daily(paths, loss), _daily(paths, log_har), days),
            "coverage": {
                c: scores.coverage(actual, low, high) for c, (low, high) in bounds.items()
            },
            "mean_ratio": scores.mean_ratio(actual, forecast),
            "mz_r2": scores.mincer_zarnowitz_r2(actual, forecast),
            "n": len(loss),
            "n_effective": len(loss) // days,
        }
    return out


def _losses(paths: Sequence[WalkForward], name: str) -> Floats:
    return np.concatenate([scores.qlike(p.actual, p.forecasts[name]) for p in paths])


def _daily(paths: Sequence[WalkForward], loss: Floats) -> Floats:
    """The mean of `loss` over the assets for each day: tests of significance count one day as one
    observation."""
    days = np.concatenate([p.days for p in paths])
    _, where = np.unique(days, return_inverse=True)
    return np.bincount(where, loss) / np.bincount(where)

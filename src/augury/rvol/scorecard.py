"""The scorecard: compares forecasts, as issued, with what was realized. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from augury.rvol import scores
from augury.rvol.calendars import date_of
from augury.rvol.panel import Floats, Ints

if TYPE_CHECKING:
    from augury.rvol.store import ScoredForecasts

MIN_SCORED_DAYS = 250
"""Smallest number of days for which a model must have scored forecasts before an alias (e.g.
`champion`) may move to it."""
ALL_ASSETS = "all"
"""Value of `asset` in the rows of the scorecard that score a model over all assets together."""


def rows(scored: Sequence[ScoredForecasts]) -> list[dict[str, Any]]:
    """The rows of the scorecard: scores of the forecasts for each asset, horizon and model and, if
    there are several assets, for each horizon and model over all of them."""
    by_key = {(s.asset, s.horizon, s.model_id): s for s in scored}
    out: list[dict[str, Any]] = []
    everything: dict[tuple[int, str], list[ScoredForecasts]] = defaultdict(list)
    for s in scored:
        everything[s.horizon, s.model_id].append(s)
        out.append(_row(s.asset, [s], [by_key.get((s.asset, s.horizon, "har"))]))
    if len({s.asset for s in scored}) > 1:
        out += [
            _row(ALL_ASSETS, own, [by_key.get((s.asset, horizon, "har")) for s in own])
            for (horizon, _), own in everything.items()
        ]
    return sorted(
        out,
        key=lambda r: (r["asset"] != ALL_ASSETS, r["asset"], int(r["horizon"][:-1]), r["qlike"]),
    )


def _row(
    asset: str, own: Sequence[ScoredForecasts], har: Sequence[ScoredForecasts | None]
) -> dict[str, Any]:
    days = np.concatenate([s.days for s in own])
    actual, forecast = (
        np.concatenate([getattr(s, n) for s in own]) for n in ("actual", "forecast")
    )
    bands = np.concatenate([s.bands for s in own])
    horizon = own[0].horizon
    loss = scores.qlike(actual, forecast)
    kept = scores.largest_event(loss, days, horizon)
    # HAR may lack origins that this model has, so both are averaged over the origins they share.
    mine, rival, when = _shared(own, har)
    return {
        "asset": asset,
        "horizon": f"{horizon}d",
        "model_id": own[0].model_id,
        "n": len(loss),
        "n_effective": len(np.unique(days)) // horizon,
        "origin": _origin(own),
        "as_of": f"{date_of(int(days.max())).isoformat()}T00:00:00Z",
        "n_live": int(np.concatenate([s.live for s in own]).sum()),
        "from": date_of(int(days.min())).isoformat(),
        "to": date_of(int(days.max())).isoformat(),
        "qlike": float(loss.mean()),
        "qlike_median": float(np.median(loss)),
        "qlike_ex_event": float(loss[kept].mean()) if kept.any() else None,
        "event": date_of(int(days[np.argmax(loss)])).isoformat(),
        "mse": float(np.mean((actual - forecast) ** 2)),
        "bias": scores.bias(actual, forecast),
        "mean_ratio": scores.mean_ratio(actual, forecast),
        "mz_r2": scores.mincer_zarnowitz_r2(actual, forecast),
        "coverage": {
            name: scores.coverage(actual, bands[:, 2 * n], bands[:, 2 * n + 1])
            for n, name in enumerate(("80", "90", "95"))
        },
        "ratio_to_har": float(mine.mean() / rival.mean()) if len(mine) and rival.any() else None,
        "dm_t": scores.dm_t(_daily(mine, when), _daily(rival, when), horizon),
    }


def _origin(own: Sequence[ScoredForecasts]) -> str:
    """The origin of the forecasts that a row is based on, by the first of these rules that applies:
    `sample` if any of their data are invented; `replay` if none of them was made live; `import` if
    any of their data were imported; `live` in all other cases."""
    origins = {s.origin for s in own}
    if "sample" in origins:
        return "sample"
    if not any(s.live.any() for s in own):
        return "replay"
    return "import" if "import" in origins else "live"


def _shared(
    own: Sequence[ScoredForecasts], har: Sequence[ScoredForecasts | None]
) -> tuple[Floats, Floats, Ints]:
    mine, rival, when = [np.empty(0)], [np.empty(0)], [np.empty(0, dtype=np.int64)]
    for s, h in zip(own, har, strict=True):
        if h is None:
            continue
        days, a, b = np.intersect1d(s.days, h.days, return_indices=True)
        mine.append(scores.qlike(s.actual[a], s.forecast[a]))
        rival.append(scores.qlike(h.actual[b], h.forecast[b]))
        when.append(days)
    return np.concatenate(mine), np.concatenate(rival), np.concatenate(when)


def _daily(loss: Floats, days: Ints) -> Floats:
    """The mean of `loss` over the assets for each day: tests of significance count one day as one
    observation."""
    if not len(loss):
        return loss
    _, where = np.unique(days, return_inverse=True)
    return np.bincount(where, loss) / np.bincount(where)


def challenger(scored: Sequence[ScoredForecasts], champion: str) -> str | None:
    """The model that beats the champion (the model served by default) significantly at more than
    half of the horizons; None if no model does.

    Significantly means a Diebold-Mariano t below -2 over at least `MIN_SCORED_DAYS` days. A model
    that lacks an asset or horizon of the champion is not considered, because it could not replace
    it. If several models beat the champion, the result is the one with the smallest ratio of its
    mean QLIKE loss to the champion's.
    """
    by_key = {(s.asset, s.horizon, s.model_id): s for s in scored}
    horizons = {s.horizon for s in scored}
    best: tuple[float, str] | None = None
    needed = {(s.asset, s.horizon) for s in scored if s.model_id == champion}
    for model in sorted({s.model_id for s in scored} - {champion}):
        if not needed <= {(s.asset, s.horizon) for s in scored if s.model_id == model}:
            continue
        wins, ratios = 0, []
        for horizon in horizons:
            own = [s for s in scored if (s.horizon, s.model_id) == (horizon, model)]
            rivals = [by_key.get((s.asset, horizon, champion)) for s in own]
            mine, theirs, when = _shared(own, rivals)
            if len(np.unique(when)) < MIN_SCORED_DAYS or theirs.mean() <= 0:
                continue
            ratios.append(mine.mean() / theirs.mean())
            t = scores.dm_t(_daily(mine, when), _daily(theirs, when), horizon)
            wins += t is not None and t < -2
        if wins > len(horizons) / 2 and (best is None or np.mean(ratios) < best[0]):
            best = float(np.mean(ratios)), model
    return best[1] if best else None

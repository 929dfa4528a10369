"""The model, asset and horizon that a caller selects by name: looked up in the store, and refused
if unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from augury.errors import InvalidInput
from augury.rvol import store
from augury.rvol.members import MODELS


class ChosenModel(msgspec.Struct, frozen=True):
    """The model that a caller named by id or alias. `model_version` is the version that the caller
    or the alias fixes; None: any version."""

    model_id: str
    model_version: str | None


async def chosen_model(
    conn: store.Connection, model: str | None, version: str | None
) -> ChosenModel:
    """The model that a caller named by id or alias; None: the champion (the model served by
    default). `version`: the version that the caller asked for. Raises InvalidInput (422) if there
    is no such model or version. While the store has no models yet, the result is always `blend`."""
    named = await store.aliases(conn)
    if not named:
        return ChosenModel("blend", version)
    if model is None or model in named:
        model_id, fixed = named.get(model or "champion", ("blend", None))
    else:
        check("model", model, {*MODELS, *named})
        model_id, fixed = model, None
    if version is not None:
        there = {m.model_version for m in await store.models(conn) if m.model_id == model_id}
        check("model_version", version, there)
    return ChosenModel(model_id, version or fixed)


async def subject(
    conn: store.Connection, asset: str | None, horizon: str | None, horizons: Sequence[int]
) -> dict[str, Any]:
    """The asset and the horizon (in days) that a caller named, as arguments for `store.RowFilters`;
    what the caller left out (None) is left out. `horizons`: the horizons in days that are forecast
    now; those of stored forecasts are valid, too. Raises InvalidInput (422) if the asset or the
    horizon is unknown."""
    found: dict[str, Any] = {}
    if asset is not None:
        covered = await store.asset_names(conn)
        asset = next((a for a in covered if a.casefold() == asset.casefold()), asset)
        check("asset", asset, covered)
        found["asset"] = asset
    if horizon is not None:
        days = sorted({*horizons, *await store.known_horizons(conn)})
        check("horizon", horizon, [f"{d}d" for d in days])
        found["horizon"] = int(horizon.removesuffix("d"))
    return found


def check(name: str, value: str, valid: Iterable[str]) -> None:
    """Raise InvalidInput (422) unless `value` is valid for the query parameter `name`. The
    error's text lists valid values: a list in its own order, anything else sorted."""
    known = list(valid) if isinstance(valid, list) else sorted(valid)
    if value in known:
        return
    shown = ", ".join(known[:100]) + (f" and {len(known) - 100} more" if len(known) > 100 else "")
    raise InvalidInput.at(
        "query",
        name,
        msg=f"Unknown {name}. Valid: {shown}." if known else f"Unknown {name}: there is none yet.",
        type="unknown_value",
    )

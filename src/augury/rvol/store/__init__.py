"""All SQL of realized volatility. Published forecasts are never changed, only added.

Covered assets are in `coverage`, bars and measures in `days`, versions of models in `registry`,
sets of forecasts and the actuals in `publications`; `listing` reads pages of them, `readings` joins
them for charts, rules and scores. Other packages import from here, not from these modules.
"""

from augury.rvol.store.coverage import (
    CoveredAsset,
    Newest,
    asset_names,
    assets,
    drop_sample,
    fetched,
    newest,
    put_assets,
    sampled,
)
from augury.rvol.store.days import (
    DayRow,
    MeasureSeries,
    changed_from,
    last_close,
    put_bars,
    put_days,
    series,
)
from augury.rvol.store.listing import (
    ACTUAL_FIELDS,
    FORECAST_FIELDS,
    Page,
    RowFilters,
    RowPosition,
    actuals,
    feature_rows,
    forecasts,
    known_horizons,
)
from augury.rvol.store.publications import issued_days, proven_version, publish, put_actuals, set_of
from augury.rvol.store.readings import (
    ScoredForecasts,
    Volatility,
    scored,
    volatility,
    volatility_history,
)
from augury.rvol.store.registry import Model, aliases, models, put_model, set_alias
from augury.rvol.store.sql import Connection, bump, clock, lock, version

__all__ = [
    "ACTUAL_FIELDS",
    "FORECAST_FIELDS",
    "Connection",
    "CoveredAsset",
    "DayRow",
    "MeasureSeries",
    "Model",
    "Newest",
    "Page",
    "RowFilters",
    "RowPosition",
    "ScoredForecasts",
    "Volatility",
    "actuals",
    "aliases",
    "asset_names",
    "assets",
    "bump",
    "changed_from",
    "clock",
    "drop_sample",
    "feature_rows",
    "fetched",
    "forecasts",
    "issued_days",
    "known_horizons",
    "last_close",
    "lock",
    "models",
    "newest",
    "proven_version",
    "publish",
    "put_actuals",
    "put_assets",
    "put_bars",
    "put_days",
    "put_model",
    "sampled",
    "scored",
    "series",
    "set_alias",
    "set_of",
    "version",
    "volatility",
    "volatility_history",
]

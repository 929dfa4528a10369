"""All SQL of realized volatility. Published forecasts are never changed, only added.

Covered assets are in `coverage`, price bars and measures in `days`, versions of models in
`registry`, sets of forecasts and the actuals (realized variances) in `publications`; `listing`
reads pages of forecasts and actuals, `readings` joins them for charts, rules and scores. Other
packages import from here, not from these modules.
"""

from augury.rvol.store.coverage import (
    CoveredAsset,
    Newest,
    asset_names,
    assets,
    drop_sample,
    newest,
    note_fetch,
    put_assets,
    sample_assets,
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
from augury.rvol.store.publications import (
    issued_days,
    proven_version,
    publish,
    published_set,
    put_actuals,
)
from augury.rvol.store.readings import (
    ScoredForecasts,
    Volatility,
    scored,
    volatility,
    volatility_history,
)
from augury.rvol.store.registry import Model, aliases, models, put_model, set_alias
from augury.rvol.store.sql import Connection, clock, invalidate_answers, lock, version

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
    "changed_from",
    "clock",
    "drop_sample",
    "feature_rows",
    "forecasts",
    "invalidate_answers",
    "issued_days",
    "known_horizons",
    "last_close",
    "lock",
    "models",
    "newest",
    "note_fetch",
    "proven_version",
    "publish",
    "published_set",
    "put_actuals",
    "put_assets",
    "put_bars",
    "put_days",
    "put_model",
    "sample_assets",
    "scored",
    "series",
    "set_alias",
    "version",
    "volatility",
    "volatility_history",
]

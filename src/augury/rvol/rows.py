"""Converts rows of the database to rows of the API, as objects and as flat tables. Pure."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec

from augury.rvol.calendars import ALWAYS, calendar, day_number, utc_time
from augury.rvol.issuing import FEATURE_SET
from augury.rvol.store import ACTUAL_FIELDS, FORECAST_FIELDS, CoveredAsset
from augury.rvol.store import Model as StoredModel

UNIT = "log_return_variance_over_horizon"

ORIGINS = {"exchange": "live", "import": "import", "sample": "sample"}
"""How an asset's data came into the store (from an exchange, a file or the sample) -> the `origin`
that the API shows."""

Rows = Sequence[tuple[Any, ...]]


class _Band(msgspec.Struct, gc=False):
    lower: float
    upper: float


class _Bands(msgspec.Struct, gc=False, rename={"b80": "80", "b90": "90", "b95": "95"}):
    b80: _Band
    b90: _Band
    b95: _Band


class _Prediction(msgspec.Struct, gc=False):
    forecast_variance: float
    forecast_volatility: float
    unit: str
    annualized_volatility: float
    bands: _Bands


class ForecastRow(msgspec.Struct, gc=False):
    """A forecast as the API returns it."""

    model_id: str
    model_version: str
    asset: str
    horizon: str
    as_of: datetime
    target_start_at: datetime
    target_end_at: datetime
    prediction: _Prediction
    prediction_value: float
    steps: int
    issued: str
    published_at: datetime
    origin: str


class _Actual(msgspec.Struct, gc=False):
    realized_variance: float | None
    realized_volatility: float | None
    unit: str


class ActualRow(msgspec.Struct, gc=False):
    """The realized variance of a target window (the days that a forecast covers), as the API
    returns it."""

    asset: str
    horizon: str
    as_of: datetime
    target_start_at: datetime
    target_end_at: datetime
    actual: _Actual
    actual_value: float | None
    steps: int
    status: str
    revision: int
    known_at: datetime
    origin: str


def forecast(values: tuple[Any, ...]) -> ForecastRow:
    """Turn a stored forecast into a row of the API. `values` is a row of the database with the
    fields `FORECAST_FIELDS`, in this order."""
    (model_id, version, asset, horizon, as_of, start, end, steps, variance, annualized,
     l80, u80, l90, u90, l95, u95, issued, published_at, origin) = values  # fmt: skip
    bands = _Bands(_Band(l80, u80), _Band(l90, u90), _Band(l95, u95))
    made = _Prediction(variance, math.sqrt(variance), UNIT, annualized, bands)
    return ForecastRow(
        model_id, version, asset, f"{horizon}d", as_of, start, end, made, variance, steps, issued,
        published_at, origin,
    )  # fmt: skip


def actual(values: tuple[Any, ...]) -> ActualRow:
    """Turn a stored realized variance into a row of the API. `values` is a row of the database with
    the fields `ACTUAL_FIELDS`, in this order."""
    asset, horizon, as_of, start, end, steps, variance, status, revision, known_at, origin = values
    came = _Actual(variance, None if variance is None else math.sqrt(variance), UNIT)
    return ActualRow(
        asset,
        f"{horizon}d",
        as_of,
        start,
        end,
        came,
        variance,
        steps,
        status,
        revision,
        known_at,
        origin,
    )


def features(values: tuple[Any, ...]) -> dict[str, Any]:
    """The API's row for the feature families (groups of regressors) of an asset's newest forecast.
    `values` is a row of `feature_rows` of the store."""
    asset, horizon, as_of, version, families, origin = values
    return {
        "asset": asset,
        "horizon": f"{horizon}d",
        "as_of": as_of,
        "feature_set_id": FEATURE_SET,
        "feature_families": [
            {"name": name, "value": value, "contribution": contribution}
            for name, (value, contribution) in families.items()
        ],
        "model_version": version,
        "origin": origin,
    }


def model(found: StoredModel, aliases: list[str]) -> dict[str, Any]:
    """The API's row for one version of a model, with the aliases that name this version."""
    return {
        "model_id": found.model_id,
        "model_version": found.model_version,
        "aliases": aliases,
        "trained_through": found.trained_through,
        "updated_at": found.updated_at or found.created_at,
        "is_champion": "champion" in aliases,
        "feature_families": found.families,
        "members": found.members,
        "training": found.training,
        "code": found.code,
    }


def asset(found: CoveredAsset, horizons: Sequence[int]) -> dict[str, Any]:
    """The API's row for a covered asset. `horizons` are the service's horizons, in days."""
    default = 7 if found.calendar == ALWAYS else 5
    chosen = default if default in horizons else horizons[0]
    through = None
    if found.data_through is not None:
        hours = calendar(found.calendar).hours(day_number(found.data_through))
        through = None if hours is None else utc_time(hours[1])
    return {
        "asset": found.asset,
        "display_name": found.display_name,
        "target_family": found.target_family,
        "default_horizon": f"{chosen}d",
        "active": found.active,
        "default_horizons": [f"{d}d" for d in horizons],
        "calendar": found.calendar,
        "data_through": through,
        "status": "failing" if found.failure else "ok" if through else "no_data",
        "origin": ORIGINS[found.origin],
        "failure": found.failure,
    }


FLAT_FORECAST = (
    "model_id", "model_version", "asset", "horizon", "as_of", "target_start_at", "target_end_at",
    "steps", "forecast_variance", "annualized_volatility", "lower_80", "upper_80", "lower_90",
    "upper_90", "lower_95", "upper_95", "issued", "published_at", "origin",
)  # fmt: skip
FLAT_ACTUAL = (
    "asset", "horizon", "as_of", "target_start_at", "target_end_at", "steps", "realized_variance",
    "status", "revision", "known_at", "origin",
)  # fmt: skip
assert len(FLAT_FORECAST) == len(FORECAST_FIELDS)
assert len(FLAT_ACTUAL) == len(ACTUAL_FIELDS)


def flat_file(
    columns: Sequence[Sequence[Any]],
    names: tuple[str, ...],
    variance: str,
    volatility: str,
    form: Literal["csv", "parquet"],
) -> bytes:
    """Forecasts or realized variances as a CSV or Parquet file. `columns` is from the store,
    `names` are the columns' public names. The square root of the column named `variance` is added
    as a column named `volatility`."""
    import polars as pl

    kinds = {
        "horizon": pl.Int16, "steps": pl.Int16, "revision": pl.Int16, "model_id": pl.String,
        "model_version": pl.String, "asset": pl.String, "status": pl.String, "issued": pl.String,
        "origin": pl.String,
    }  # fmt: skip
    times = ("as_of", "target_start_at", "target_end_at", "published_at", "known_at")

    def series(name: str, values: Sequence[Any]) -> Any:
        if name not in times:
            return pl.Series(name, values, dtype=kinds.get(name, pl.Float64))
        # Many rows share few distinct times, and converting each row's time object is slow.
        known = {at: round(at.timestamp() * 1_000_000) for at in set(values)}
        return pl.Series(name, [known[at] for at in values], dtype=pl.Int64).cast(
            pl.Datetime("us", "UTC")
        )

    frame = pl.DataFrame(
        [series(name, values) for name, values in zip(names, columns, strict=True)]
    ).with_columns(
        (pl.col("horizon").cast(pl.String) + "d").alias("horizon"),
        pl.col(variance).sqrt().alias(volatility),
    )
    return as_file(frame, form)


def table_file(rows: Sequence[dict[str, Any]], form: Literal["csv", "parquet"]) -> bytes:
    """Rows as a CSV or Parquet file, with lists and objects written as JSON."""
    import polars as pl

    flat = [
        {
            k: msgspec.json.encode(v).decode() if isinstance(v, (list, dict)) else v
            for k, v in row.items()
        }
        for row in rows
    ]
    return as_file(pl.DataFrame(flat, infer_schema_length=None), form)


def as_file(frame: Any, form: Literal["csv", "parquet"]) -> bytes:
    """A polars frame as the bytes of a CSV file, with times like 2026-11-20T00:00:00Z, or of a
    Parquet file."""
    if form == "csv":
        return frame.write_csv(datetime_format="%Y-%m-%dT%H:%M:%S%.fZ").encode()
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="lz4")
    return buffer.getvalue()

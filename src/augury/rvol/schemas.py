"""Response schemas and query parameters of the API on realized volatility (spec section 2.6).

Later versions may add fields to rows: clients should ignore unknown fields and accept nulls.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from augury.http.fields import LastMoment, Moment

UNIT = "log_return_variance_over_horizon"


def _example(example: dict[str, Any]) -> ConfigDict:
    return ConfigDict(
        protected_namespaces=(), extra="allow", json_schema_extra={"examples": [example]}
    )


_BANDS = {"80": {"lower": 0.0008, "upper": 0.0031}}
_FAMILY = {"name": "realized_measures", "value": 0.0017, "contribution": 0.62}
_PREDICTION = {
    "forecast_variance": 0.0016,
    "forecast_volatility": 0.04,
    "unit": UNIT,
    "annualized_volatility": 0.29,
    "bands": _BANDS,
}
_ACTUAL = {"realized_variance": 0.0018, "realized_volatility": 0.0424, "unit": UNIT}
_WINDOW = {
    "asset": "BTC",
    "horizon": "7d",
    "as_of": "2026-11-20T00:00:00Z",
    "target_start_at": "2026-11-20T00:00:00Z",
    "target_end_at": "2026-11-27T00:00:00Z",
    "origin": "live",
}


class RvolBand(BaseModel):
    """A range that contains the realized variance over a forecast's horizon with a given
    probability."""

    model_config = _example({"lower": 0.0008, "upper": 0.0031})

    lower: float = Field(
        description="Lower end of the band. The band contains the realized variance over the "
        "horizon with the band's probability. This end is a variance, too; its square root is a "
        "volatility."
    )
    upper: float = Field(
        description="Upper end of the band. The band contains the realized variance over the "
        "horizon with the band's probability. This end is a variance, too; its square root is a "
        "volatility."
    )


class RvolPrediction(BaseModel):
    """The forecast variance and volatility of an asset over one horizon."""

    model_config = _example(_PREDICTION)

    forecast_variance: float | None = Field(
        description="Forecast variance of the asset's log returns, summed over all trading days of "
        "the horizon (not annualized)."
    )
    forecast_volatility: float | None = Field(
        description="Volatility over the horizon: the square root of `forecast_variance`. It is "
        "somewhat larger than the expected value of the volatility."
    )
    unit: Literal["log_return_variance_over_horizon"] = Field(
        description="Unit of the variances: squared log returns, summed over the horizon (not "
        "annualized)."
    )
    annualized_volatility: float | None = Field(
        None,
        description="The forecast volatility per year, as a fraction (0.55 is 55%). A year has 365 "
        "days for assets that trade every day, and 252 sessions for others (e.g. stocks).",
    )
    bands: dict[str, RvolBand] | None = Field(
        None,
        description='Bands by their probability in percent ("80", "90", "95"). A band is a range '
        "that contains the realized variance over the horizon with this probability, in the unit "
        "of `forecast_variance`.",
    )


class RvolActual(BaseModel):
    """The realized variance and volatility of an asset over a window of time that has ended."""

    model_config = _example(_ACTUAL)

    realized_variance: float | None = Field(
        description="Realized variance of the asset's log returns over the window. Null: prices "
        "of a day in the window are missing and can't be recovered."
    )
    realized_volatility: float | None = Field(
        description="Square root of the realized variance. Null if the variance is null."
    )
    unit: Literal["log_return_variance_over_horizon"] = Field(
        description="Unit of the variances: squared log returns, summed over the horizon (not "
        "annualized)."
    )


class _Window(BaseModel):
    asset: str = Field(description="Key of the asset, e.g. BTC.")
    horizon: str = Field(
        pattern=r"^\d+d$",
        description="Length of the target window (the period whose volatility is forecast): a "
        "number of days followed by d, e.g. 7d. These are calendar days, with one exception: for "
        "assets with trading sessions (e.g. stocks), they are sessions unless the number is a "
        "multiple of 7 or 30.",
    )
    as_of: datetime = Field(
        description="Close of the last day (or session) before the target window. Forecasts of "
        "this window use only data up to this time."
    )
    target_start_at: datetime = Field(
        description="Start of the target window (the period whose volatility is forecast)."
    )
    target_end_at: datetime = Field(description="End of the target window.")
    origin: Literal["live", "import", "sample", "replay"] | None = Field(
        None,
        description="live: from prices of an exchange. import: from a file. sample: invented. "
        "replay: a forecast made afterwards, from only the data up to `as_of`.",
    )


class RvolForecastRow(_Window):
    """A forecast of an asset's realized volatility over one horizon, by one model."""

    model_config = _example(
        {
            "model_id": "blend",
            "model_version": "2026.11+3f9a1c2b",
            **_WINDOW,
            "prediction": _PREDICTION,
            "prediction_value": 0.0016,
        }
    )

    model_id: str = Field(description="Id of the volatility model, e.g. blend.")
    model_version: str = Field(
        description="Version of the model. A change of the models' code makes a new version."
    )
    prediction: RvolPrediction
    prediction_value: float | None = Field(
        description="Forecast variance over the target window: the same number as "
        "`prediction.forecast_variance`."
    )


class RvolActualRow(_Window):
    """The realized volatility of an asset over one window of time that has ended."""

    model_config = _example({**_WINDOW, "actual": _ACTUAL, "actual_value": 0.0018})

    actual: RvolActual
    actual_value: float | None = Field(
        description="Variance realized over the target window: the same number as "
        "`actual.realized_variance`. Null if that is null."
    )


class RvolModelRow(BaseModel):
    """One version of a model that forecasts realized volatility, with the aliases that point to
    it."""

    model_config = _example(
        {
            "model_id": "blend",
            "model_version": "2026.11+3f9a1c2b",
            "aliases": ["champion"],
            "trained_through": "2026-11-01T00:00:00Z",
            "updated_at": "2026-11-02T03:00:00Z",
            "is_champion": True,
            "feature_families": ["realized_measures"],
            "members": ["ridge", "log-harq"],
        }
    )

    model_id: str = Field(description="Id of the volatility model, e.g. blend.")
    model_version: str
    aliases: list[str] = Field(
        description="Aliases that point to this version now. champion: the newest version of the "
        "model that is served by default. latest: the same. stable: the newest version of that "
        "model with scored forecasts for at least 250 days."
    )
    trained_through: datetime | None = Field(
        None, description="End of the data that the version was last trained on."
    )
    updated_at: datetime | None = None
    is_champion: bool | None = Field(None, description="True if this version is served by default.")
    feature_families: list[str] | None = Field(
        None, description="Names of the groups of inputs that the model uses, e.g. jumps."
    )
    members: list[str] | None = Field(
        None, description="Names of the regressions whose forecasts the model averages."
    )


class RvolAssetRow(BaseModel):
    """An asset whose volatility is forecast, with its horizons and the state of its data."""

    model_config = _example(
        {
            "asset": "BTC",
            "display_name": "Bitcoin",
            "target_family": "crypto",
            "default_horizon": "7d",
            "active": True,
            "default_horizons": ["1d", "7d", "30d"],
            "calendar": "24/7",
            "data_through": "2026-11-20T00:00:00Z",
            "status": "ok",
            "origin": "live",
        }
    )

    asset: str = Field(description="Key of the asset, e.g. BTC.")
    display_name: str | None = None
    target_family: str | None = Field(
        None, description="Group of assets that are modeled together, e.g. crypto."
    )
    default_horizon: str | None = Field(
        None,
        description="The asset's usual horizon: 7d if it trades every day, 5d if it trades in "
        "sessions (e.g. stocks). If the operator issues no forecasts for that horizon, it is the "
        "first of `default_horizons`.",
    )
    active: bool = Field(description="False: the asset is no longer covered.")
    default_horizons: list[str] | None = Field(
        None, description="The horizons for which forecasts are issued."
    )
    calendar: str | None = Field(
        None,
        description="Trading calendar: 24/7 or the ISO code of an exchange, e.g. XNYS (New York).",
    )
    data_through: datetime | None = Field(
        None, description="End of the last day with data. Null: no day has data yet."
    )
    status: str | None = Field(
        None,
        description="State of the asset's data. failing: the last fetch of prices failed. "
        "no_data: no day of data is stored yet. ok: neither.",
    )
    origin: Literal["live", "import", "sample"] | None = Field(
        None, description="live: prices from an exchange. import: from a file. sample: invented."
    )


class RvolFeatureFamily(BaseModel):
    """One feature family (a group of a model's inputs, e.g. `jumps`), and how far it moved a
    forecast."""

    model_config = _example(_FAMILY)

    name: str = Field(
        description="Name of the group of inputs, e.g. realized_variance, jumps or leverage."
    )
    value: float | None = Field(
        None,
        description="Value of the group's first input on the day of the forecast, without unit. "
        "For realized_variance: ln(the day's variance / the asset's typical variance), "
        "with extreme variances capped.",
    )
    contribution: float | None = Field(
        None,
        description="How much this group of inputs (e.g. `jumps`) raises the natural log of the "
        "forecast variance, compared with a typical day: 0.1 is about 10% more variance.",
    )


class RvolFeatureRow(BaseModel):
    """What moved the newest forecast for an asset and horizon, by feature family (group of a
    model's inputs)."""

    model_config = _example(
        {
            "asset": "BTC",
            "horizon": "7d",
            "as_of": "2026-11-20T00:00:00Z",
            "feature_set_id": "rvol-2026.11",
            "feature_families": [_FAMILY],
            "origin": "live",
        }
    )

    asset: str = Field(description="Key of the asset, e.g. BTC.")
    horizon: str = Field(
        pattern=r"^\d+d$",
        description="A number of days followed by d, e.g. 7d. These are calendar days, with one "
        "exception: for assets with trading sessions (e.g. stocks), they are sessions unless the "
        "number is a multiple of 7 or 30.",
    )
    as_of: datetime = Field(
        description="Close of the last day (or session) of data that the forecast uses."
    )
    feature_set_id: str = Field(
        description="Id of the set of all inputs that the models use, e.g. rvol-2026.11."
    )
    feature_families: list[RvolFeatureFamily]
    origin: Literal["live", "import", "sample", "replay"] | None = None


class RvolScoreRow(BaseModel):
    """How good a model's past forecasts were, compared with the realized variance and with
    forecasts of the HAR model, a standard benchmark."""

    model_config = _example(
        {
            "asset": "BTC",
            "horizon": "7d",
            "model_id": "blend",
            "n": 173,
            "origin": "live",
            "as_of": "2026-11-13T00:00:00Z",
            "from": "2026-05-25",
            "to": "2026-11-13",
            "qlike": 0.121,
            "qlike_median": 0.048,
            "qlike_ex_event": 0.097,
            "event": "2026-10-09",
            "mse": 2.1e-06,
            "bias": 0.09,
            "mz_r2": 0.41,
            "coverage": {"80": 0.82, "90": 0.91, "95": 0.95},
            "ratio_to_har": 0.71,
            "dm_t": -3.4,
        }
    )

    asset: str = Field(description="Asset key, or `all` for a row over all assets.")
    horizon: str
    model_id: str
    n: int = Field(
        description="Number of scored forecasts: those whose window has ended and has all data."
    )
    origin: Literal["live", "import", "sample", "replay"] = Field(
        description="Origin of the row's forecasts: the first of these that applies. sample: some "
        "data are invented. replay: all forecasts were made after the fact. import: some prices "
        "come from a file. live: none of these."
    )
    as_of: datetime = Field(description="Day of the last scored forecast.")
    from_: str = Field(alias="from", description="Day of the first scored forecast.")
    to: str = Field(description="Day of the last scored forecast.")
    qlike: float = Field(
        description="Mean QLIKE loss, y/f - ln(y/f) - 1 for realized variance y and forecast f: "
        "0 is perfect, smaller is better."
    )
    qlike_median: float = Field(description="Median QLIKE loss.")
    qlike_ex_event: float | None = Field(
        description="Mean QLIKE loss without the worst days, because a single day can dominate a "
        "score. The forecast with the largest loss (made on the day in `event`) is left out, and "
        "so is each forecast whose target window (the days that it covers) overlaps the target "
        "window of that forecast. Null: no forecasts are left."
    )
    event: str = Field(
        description="Day on which the forecast with the largest QLIKE loss was made."
    )
    mse: float = Field(
        description="Mean squared error of the forecast variance, in squared variance."
    )
    bias: float = Field(description="Mean of ln(forecast / actual). Above 0: forecasts too high.")
    mz_r2: float | None = Field(
        description="R2 of the regression of ln(actual) on ln(forecast), 0 to 1; larger is "
        "better. Null: fewer than three forecasts, or values that do not vary."
    )
    coverage: dict[str, float] = Field(
        description="For each band: the share of realized variances that were inside it, 0 to 1. "
        'The key is the probability of the band in percent ("80", "90", "95"). Ideally, the shares '
        "are 0.8, 0.9 and 0.95. A larger share means that the band is too wide."
    )
    ratio_to_har: float | None = Field(
        description="QLIKE divided by HAR's QLIKE on the same days. Below 1: better than HAR. "
        "Null: HAR has no forecasts on these days."
    )
    dm_t: float | None = Field(
        description="Diebold-Mariano t statistic against HAR, with Newey-West errors. Negative: "
        "better than HAR; below -2: significantly. Null: too few days, or equal losses."
    )


_Name = Annotated[str, Field(min_length=1, max_length=100)]

Asset = Annotated[_Name | None, Query(description="Asset key, e.g. BTC.")]
Horizon = Annotated[
    str | None,
    Query(
        pattern=r"^[1-9]\d{0,3}d$",
        description="A number of days followed by d, e.g. 7d. For assets that trade around the "
        "clock, these are calendar days. For assets with trading sessions (e.g. stocks), these are "
        "sessions; but multiples of 7 and of 30 are calendar days for them, too (7d is one week).",
    ),
]
Model = Annotated[
    _Name | None,
    Query(
        description="Identifier of a model, or an alias: champion (the model served by default), "
        "latest or stable. Default: champion; for the scorecard, all models."
    ),
]
ModelId = Annotated[_Name | None, Query(description="Id of a volatility model, e.g. blend.")]
ModelVersion = Annotated[
    _Name | None,
    Query(
        description="Version of the model, e.g. 2026.11+3f9a1c2b. Default: all versions. If the "
        "model is given as stable, the default is the version to which this alias points."
    ),
]
FeatureSet = Annotated[
    _Name | None,
    Query(
        description="Id of the set of inputs that the models use. Only the current one is valid, "
        "e.g. rvol-2026.11."
    ),
]
IncludeInactive = Annotated[bool, Query(description="Include assets that are no longer covered.")]
Start = Annotated[Moment | None, Query(description="Earliest `as_of`, inclusive (UTC).")]
End = Annotated[
    LastMoment | None,
    Query(description="Latest `as_of`, inclusive (UTC). A date includes the whole day."),
]
FewRows = Annotated[int, Query(ge=1, le=1000, description="Maximum number of rows per answer.")]
ManyRows = Annotated[int, Query(ge=1, le=10000, description="Maximum number of rows per answer.")]

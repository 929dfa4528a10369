"""Files of markets and histories: flat columns, as CSV or Parquet.

Imported by the routes when a file is asked for: polars takes a quarter of the service's start.
"""

from __future__ import annotations

import io
from typing import Any, Literal

import msgspec
import polars as pl

from augury.markets.schemas import labels, record
from augury.markets.service import History
from augury.markets.store import StoredMarket

_TIME = pl.Datetime("us", "UTC")
EXPORT_COLUMNS: dict[str, Any] = {
    "id": pl.String, "platform": pl.String, "platform_id": pl.String, "question": pl.String,
    "outcomes": pl.List(pl.String), "prices": pl.List(pl.Float64), "price_as_of": _TIME,
    "status": pl.String, "resolution": pl.String, "created_at": _TIME, "closes_at": _TIME,
    "resolved_at": _TIME, "platform_event_id": pl.String, "platform_event_name": pl.String,
    "event_group_id": pl.String, "event_group_name": pl.String, "category": pl.String,
    "tags": pl.List(pl.String), "market_type": pl.String, "volume": pl.Float64,
    "volume_24h": pl.Float64, "liquidity": pl.Float64, "best_bid": pl.Float64,
    "best_ask": pl.Float64, "platform_url": pl.String, "description": pl.String,
    "stale": pl.Boolean, "origin": pl.String, "observed_at": _TIME, "updated_at": _TIME,
}  # fmt: skip
"""Columns of a list export; `prices` is aligned with `outcomes`. CSV has lists as JSON."""


def export_frame(markets: list[StoredMarket]) -> pl.DataFrame:
    """Markets as a table, one row each."""
    rows = [record(m) | {"prices": m.prices} for m in markets]
    data = {name: [row[name] for row in rows] for name in EXPORT_COLUMNS}
    return pl.DataFrame(data, schema=EXPORT_COLUMNS)


def history_frame(found: History) -> pl.DataFrame:
    """A history as a table: timestamp, outcome, probability (null: no data)."""
    names = labels(found.market.outcomes)
    rows = [
        (at, name, price)
        for name, points in zip(names, found.series, strict=True)
        for at, price in points
    ]
    schema = {"timestamp": _TIME, "outcome": pl.String, "probability": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def as_csv(frame: pl.DataFrame, *, header: bool = True) -> bytes:
    """A table as CSV: lists as JSON, times as ISO 8601 with `Z`."""
    lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    return (
        frame.with_columns(_json_lists(frame[name]) for name in lists)
        .write_csv(include_header=header, datetime_format="%Y-%m-%dT%H:%M:%S%.fZ")
        .encode()
    )


def _json_lists(column: pl.Series) -> pl.Series:
    encoded = [None if v is None else msgspec.json.encode(list(v)).decode() for v in column]
    return pl.Series(column.name, encoded, dtype=pl.String)


def concat(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Frames of the same columns, one after the other."""
    return pl.concat(frames)


def as_parquet(frame: pl.DataFrame) -> bytes:
    """A Parquet file of a frame."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def as_file(frame: pl.DataFrame, form: Literal["csv", "parquet"]) -> bytes:
    """A frame in the form asked for."""
    return as_csv(frame) if form == "csv" else as_parquet(frame)

"""Turns markets and price histories into CSV or Parquet files, one column per field.

The routes import this module only when a file is requested: importing polars would take a quarter
of the service's start-up time.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

from augury.markets.history import History
from augury.markets.records import labels, priced
from augury.markets.schemas import record
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
"""Columns of an exported file of markets, with their types. `prices` is a list with one price (0 to
1) for each element of `outcomes`."""
CSV_COLUMNS: tuple[str, ...] = tuple(
    column
    for name in EXPORT_COLUMNS
    for column in (("yes_price", "no_price", "outcome_prices") if name == "prices" else (name,))
)
"""Columns of an exported CSV file of markets. Instead of the list `prices` of other files there are
three columns. `yes_price` is the price of Yes or, if no outcome is Yes, of the first outcome.
`no_price` is that of No or of the second outcome. `outcome_prices` has all outcomes as text, if
there are more than two."""


def export_frame(markets: list[StoredMarket]) -> pl.DataFrame:
    """Markets as a table with the columns `EXPORT_COLUMNS`, one row per market."""
    rows = [record(m) | {"prices": m.prices} for m in markets]
    data = {name: [row[name] for row in rows] for name in EXPORT_COLUMNS}
    return pl.DataFrame(data, schema=EXPORT_COLUMNS)


def history_frame(found: History) -> pl.DataFrame:
    """A market's price history as a table with the columns timestamp, outcome and probability. The
    probability is null for an interval without a recorded price."""
    names = labels(found.market.outcomes)
    rows = [
        (at, name, price)
        for name, points in zip(names, found.series, strict=True)
        for at, price in points
    ]
    schema = {"timestamp": _TIME, "outcome": pl.String, "probability": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def as_csv(frame: pl.DataFrame, *, header: bool = True) -> bytes:
    """A table as CSV for spreadsheets: one value per cell, times as ISO 8601 with `Z`.

    A text that a spreadsheet would read as a formula gets an apostrophe in front.
    """
    if "prices" in frame.columns:
        frame = frame.with_columns(_priced(frame)).select(CSV_COLUMNS)
    lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    frame = frame.with_columns(pl.col(name).list.join("; ") for name in lists)
    texts = pl.col(pl.String)
    return (
        frame.with_columns(
            pl.when(texts.str.contains(_FORMULA)).then("'" + texts).otherwise(texts).name.keep()
        )
        .write_csv(include_header=header, datetime_format="%Y-%m-%dT%H:%M:%S%.fZ")
        .encode()
    )


_FORMULA = r"^[=+\-@\t\r]"


def _priced(frame: pl.DataFrame) -> list[pl.Series]:
    yes: list[float | None] = []
    no: list[float | None] = []
    several: list[str | None] = []
    for outcomes, prices in zip(frame["outcomes"], frame["prices"], strict=True):
        by_label = priced(list(outcomes), list(prices)) or {}
        values = [*by_label.values(), None, None]
        yes.append(by_label.get("Yes", values[0]))
        no.append(by_label.get("No", values[1]))
        more = [f"{label}: {p:g}" for label, p in by_label.items() if p is not None]
        several.append("; ".join(more) if len(outcomes) > 2 else None)
    return [
        pl.Series("yes_price", yes, dtype=pl.Float64),
        pl.Series("no_price", no, dtype=pl.Float64),
        pl.Series("outcome_prices", several, dtype=pl.String),
    ]


def as_slice(frame: pl.DataFrame) -> bytes:
    """A table as bytes (Arrow IPC), from which `joined` makes a Parquet file."""
    buffer = io.BytesIO()
    frame.write_ipc(buffer, compression="zstd")
    return buffer.getvalue()


def joined(slices: Sequence[bytes]) -> bytes:
    """One Parquet file of the rows of all `slices`, each made by `as_slice`."""
    return as_parquet(pl.concat([pl.read_ipc(io.BytesIO(body)) for body in slices]))


def as_parquet(frame: pl.DataFrame) -> bytes:
    """A table as the bytes of a Parquet file."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def as_file(frame: pl.DataFrame, form: Literal["csv", "parquet"]) -> bytes:
    """A table as the bytes of a CSV or Parquet file."""
    return as_csv(frame) if form == "csv" else as_parquet(frame)

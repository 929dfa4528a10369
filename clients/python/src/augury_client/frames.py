"""Answers as tables of polars, pandas or Arrow, where one of them is installed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

Columns = dict[str, list[Any]]


def columns(items: Sequence[Any]) -> Columns:
    """Models of one kind, column by column.

    A model inside is spread over columns of its own (`prediction_forecast_volatility`). Prices by
    outcome become `price`, that of Yes, else of the first outcome. Lists of values stay lists;
    other mappings, and lists of models, become JSON.
    """
    if not items:
        return {}
    found: Columns = {}
    kind = cast("type[msgspec.Struct]", type(items[0]))
    for field in msgspec.structs.fields(kind):
        values = [getattr(item, field.name) for item in items]
        sample = next((v for v in values if v is not None), None)
        name = field.encode_name
        if isinstance(sample, msgspec.Struct):
            inner = columns([v for v in values if v is not None])
            places = [i for i, v in enumerate(values) if v is not None]
            for key, column in inner.items():
                spread: list[Any] = [None] * len(values)
                for place, value in zip(places, column, strict=True):
                    spread[place] = value
                found[f"{name}_{key}"] = spread
        elif name == "current_prices":
            found["price"] = [first_price(v) for v in values]
        elif isinstance(sample, dict) or _of_models(sample):
            found[name] = [None if v is None else msgspec.json.encode(v).decode() for v in values]
        else:
            found[name] = values
    return found


def first_price(prices: Mapping[str, float | None] | None) -> float | None:
    """The price of Yes, else of the first outcome."""
    if not prices:
        return None
    return prices["Yes"] if "Yes" in prices else next(iter(prices.values()))


def _of_models(value: object) -> bool:
    return isinstance(value, list) and any(
        isinstance(v, msgspec.Struct | dict) for v in cast("list[object]", value)
    )


def to_polars(data: Columns) -> Any:
    """A polars DataFrame."""
    return _module("polars").DataFrame(data, strict=False)


def to_pandas(data: Columns) -> Any:
    """A pandas DataFrame."""
    return _module("pandas").DataFrame(data)


def to_arrow(data: Columns) -> Any:
    """An Arrow table."""
    return _module("pyarrow", "arrow").table(data)


def _module(name: str, extra: str | None = None) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"{name} is not installed. Run: pip install 'augury-client[{extra or name}]'", name=name
        ) from None

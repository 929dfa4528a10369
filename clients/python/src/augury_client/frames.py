"""Answers as tables of polars, pandas or Arrow, where one of them is installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec

from augury_client.errors import MissingPackage

Columns = dict[str, list[Any]]
Make = Callable[[Columns], Any]


def columns(items: Sequence[Any]) -> Columns:
    """Models of one kind, column by column.

    A nested model becomes several columns, e.g. `prediction_forecast_volatility`. Prices by outcome
    become one column `price`: the price of Yes, or of the first outcome if there is no Yes. Lists
    of values stay lists; other mappings, and lists of models, become JSON.
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


# Each of these imports its library at once, so that a missing one is reported before the
# first page is fetched.


def polars() -> Make:
    """A function that makes a polars DataFrame of columns. Raises MissingPackage without polars."""
    module = _module("polars")
    return lambda data: module.DataFrame(data, strict=False)


def pandas() -> Make:
    """A function that makes a pandas DataFrame of columns. Raises MissingPackage without pandas."""
    module = _module("pandas")
    return lambda data: module.DataFrame(data)


def arrow() -> Make:
    """A function that makes an Arrow table of columns. Raises MissingPackage without pyarrow."""
    module = _module("pyarrow", "arrow")
    return lambda data: module.table(data)


def _module(name: str, extra: str | None = None) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:  # it is there, and lacks something itself
            raise
        raise MissingPackage(name, extra or name) from None

"""Makes values of CSV files safe for spreadsheets. Pure functions."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def cell(value: T) -> T | str:
    """A value for a cell of a CSV file. If it is a text that a spreadsheet would run as a formula,
    an apostrophe is put before it; any other value is returned as it is."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value

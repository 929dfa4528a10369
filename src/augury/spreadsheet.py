"""Makes values of CSV files safe for spreadsheets. Pure functions."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def cell(value: T) -> T | str:
    """The value; a text that a spreadsheet would run as a formula has an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value

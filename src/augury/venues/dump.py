"""Dump files of markets or prices (parquet, jsonl, csv), read into data frames.

A file's columns tell whether it holds markets or prices.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import polars as pl

from augury.errors import SetupProblem

Kind = Literal["markets", "prices"]

MARKET_COLUMNS = {"id", "platform"}  # and a question, or a title in its place
PRICE_COLUMNS = {"market_id", "ts", "price"}


class DumpFile:
    """A dump file, read into the data frame `frame`.

    Raises
    ------
    SetupProblem
        The file is missing, can't be read, or does not hold what `kind` says (markets or prices).
    """

    def __init__(self, path: Path, *, kind: Kind | None = None) -> None:
        self.path = path
        self.unreadable = 0
        """Number of lines of a jsonl file that are not JSON objects."""
        if not path.is_file():
            if path.is_dir():
                raise SetupProblem(f"{path} is a folder. Name a file in it.")
            raise SetupProblem(f"The file {path} does not exist.")
        try:
            self.frame = self._read(path)
        except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as problem:
            raise SetupProblem(f"{path} can't be read: {str(problem).splitlines()[0]}") from None
        columns = set(self.frame.columns)
        if columns >= MARKET_COLUMNS and columns & {"question", "title"}:
            self.kind: Kind = "markets"
        elif columns >= PRICE_COLUMNS:
            self.kind = "prices"
        else:
            raise SetupProblem(
                f"{path} has neither a market's columns (id, platform, question, ...)"
                f" nor a price's (market_id, ts, price, ...)."
            )
        if kind is not None and self.kind != kind:
            raise SetupProblem(f"{path} contains {self.kind}, but {kind} were expected.")

    def __len__(self) -> int:
        return self.frame.height

    def _read(self, path: Path) -> pl.DataFrame:
        suffix = path.suffix.lower()
        if suffix in (".parquet", ".pq"):
            return pl.read_parquet(path)
        if suffix == ".csv":
            # Every value is read as text, so that no id or label turns into a number.
            return pl.read_csv(path, infer_schema=False)
        if suffix in (".jsonl", ".ndjson"):
            return self._read_lines(path)
        raise SetupProblem(f"{path}: only .parquet, .jsonl and .csv files can be imported.")

    def _read_lines(self, path: Path) -> pl.DataFrame:
        rows: list[dict[str, Any]] = []
        names: dict[str, None] = {}
        with path.open("rb") as lines:
            for raw in lines:
                if not raw.strip():
                    continue
                try:
                    row = json.loads(raw)
                except (ValueError, RecursionError):
                    row = None
                if not isinstance(row, dict):
                    self.unreadable += 1
                    continue
                rows.append(row)
                names.update(dict.fromkeys(row))
        # Nested values become JSON text, as in a csv, so that each column has one type.
        columns = {
            name: [_as_text(row.get(name)) for row in rows] for name in names if name.isprintable()
        }
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _as_text(value: object) -> str | None:
    if value is None:
        return None
    found = value if isinstance(value, str) else json.dumps(value)
    return found.encode("utf-8", "ignore").decode()

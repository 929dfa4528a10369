"""Reads files whose paths the operator gives to a command. A file that can't be read in full is
refused with a one-line error that says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from augury.errors import SetupProblem

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")


def json_lines(file: Path, of: Callable[[Any], T], what: str) -> list[T]:
    """The records of a file with one JSON object per line; `of` makes a record of a parsed line.

    Raises
    ------
    SetupProblem
        The file can't be read or is empty, a line is not JSON, or `of` fails on a line. For a line,
        the error's text gives its number and says what it should be: `what`, e.g. "a judged query
        (qid, query, labels)".
    """
    found: list[T] = []
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    found.append(of(json.loads(line)))
                except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                    raise SetupProblem(
                        f"{file}, line {number}, is not {what}. Each line should hold one JSON "
                        f"object."
                    ) from None
    except OSError as error:
        raise SetupProblem(f"{file} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise SetupProblem(f"{file} is not a text file. Each line should hold {what}.") from None
    if not found:
        raise SetupProblem(f"{file} is empty. Each line should hold {what}.")
    return found


def parquet(file: Path, columns: Sequence[str]) -> pl.DataFrame:
    """The data of a Parquet file, which must have these columns.

    Raises
    ------
    SetupProblem
        The file can't be read as Parquet, or lacks one of the columns.
    """
    import polars as pl

    try:
        frame = pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError):
        raise SetupProblem(f"{file} can't be read as a Parquet file.") from None
    if missing := [name for name in columns if name not in frame.columns]:
        raise SetupProblem(f"{file} lacks these columns: {', '.join(missing)}.")
    return frame

"""Reads points (time and value) from a source's answer: CSV, JSON, or the JSON of FRED, the St.
Louis Fed's database. Pure.

A feed is taken as a whole or not at all: a row that can't be read is an error that names the row,
because a series with silent gaps looks complete. Only rows marked as missing are skipped.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from array import array
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

MOST_POINTS = 100_000
_MISSING = {"", ".", "-", "na", "n/a", "nan", "null", "none", "#n/a", "nd"}
_YEAR = re.compile(r"(\d{4})", re.ASCII)
_MONTH = re.compile(r"(\d{4})-?(?:M)?(0[1-9]|1[0-2])", re.ASCII)
_QUARTER = re.compile(r"(\d{4})[-: ]?Q([1-4])", re.ASCII | re.IGNORECASE)
_EPOCH = re.compile(r"-?\d{9,13}(\.\d+)?", re.ASCII)
_STEP = re.compile(r"([^.\[\]]+)|\[(\*|\d{1,6})\]")
_START = datetime(1970, 1, 1, tzinfo=UTC)

FRED_TIME, FRED_VALUE = "observations[*].date", "observations[*].value"
JSON_TIME, JSON_VALUE = "[*].time", "[*].value"

Points = list[tuple[datetime, float]]
Packed = tuple[bytes, bytes]
"""Points of a series as two byte strings: times in microseconds since 1970 (64-bit integers), and
values (64-bit floats)."""
SLICE_POINTS = 2_000
"""Largest number of points in one group. Points are sent between processes and stored group by
group, so that unpacking and storing one group takes only a few milliseconds."""


class BadFeed(ValueError):
    """Raised when a source's answer can't be read as (time, value) points. The text tells the
    series' owner where and why."""


def parse(kind: str, body: bytes, time_path: str | None, value_path: str | None) -> Points:
    """The (time, value) points in a source's answer, ascending in time. `kind` is the format:
    `csv`, `fred` or `json`. Of two points for one time, the later one in the answer counts.

    Raises
    ------
    BadFeed
        The answer can't be read.
    """
    if kind == "csv":
        pairs = _csv(body, time_path, value_path)
    elif kind == "fred":
        pairs = _json(body, FRED_TIME, FRED_VALUE)
    else:
        pairs = _json(body, time_path or JSON_TIME, value_path or JSON_VALUE)
    return points(pairs)


def packed(kind: str, body: bytes, time_path: str | None, value_path: str | None) -> list[Packed]:
    """The points that `parse` finds, in groups of `SLICE_POINTS` points, packed as bytes that are
    cheap to send to another process."""
    found = parse(kind, body, time_path, value_path)
    return [_pack(found[n : n + SLICE_POINTS]) for n in range(0, len(found), SLICE_POINTS)]


def unpacked(given: Packed) -> Points:
    """Undo `packed`: the points of a series, read from one of the groups of bytes that it
    returned."""
    times, values = array("q", given[0]), array("d", given[1])
    return [(_START + timedelta(microseconds=t), v) for t, v in zip(times, values, strict=True)]


def _pack(found: Points) -> Packed:
    times = array("q", ((t - _START) // timedelta(microseconds=1) for t, _ in found))
    return times.tobytes(), array("d", (v for _, v in found)).tobytes()


def points(pairs: Iterable[tuple[Any, Any]]) -> Points:
    """The points in raw (time, value) pairs, ascending in time. Pairs whose value is missing (e.g.
    "" or "n/a") are left out. Of two pairs for one time, the later one in `pairs` counts.

    Raises
    ------
    BadFeed
        A time or a value can't be read (the text names the row), or there are more than
        `MOST_POINTS` points.
    """
    found: dict[datetime, float] = {}
    for n, (time, value) in enumerate(pairs, 1):
        if (isinstance(value, str) and value.strip().lower() in _MISSING) or value is None:
            continue
        try:
            found[read_time(time)] = read_value(value)
        except (ValueError, OverflowError) as error:
            raise BadFeed(f"Row {n}: {error}.") from None
        if len(found) > MOST_POINTS:
            raise BadFeed(
                f"The answer has more than {MOST_POINTS:,} points, so none was stored. Use an "
                "address that returns fewer points, e.g. those of a shorter period."
            )
    return sorted(found.items())


def read_time(raw: Any) -> datetime:
    """A time in UTC, read from a text or number: ISO 8601 (without a zone: UTC), a year, month or
    quarter (its start: "2025Q2" is April 1, 2025), or seconds or milliseconds since 1970. Raises
    ValueError if it is none of these."""
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        raise ValueError("its time is neither text nor number")
    text = str(raw).strip()
    if found := _QUARTER.fullmatch(text):
        moment = datetime(int(found[1]), 3 * int(found[2]) - 2, 1, tzinfo=UTC)
    elif found := _YEAR.fullmatch(text):
        moment = datetime(int(found[1]), 1, 1, tzinfo=UTC)
    elif found := _MONTH.fullmatch(text):
        moment = datetime(int(found[1]), int(found[2]), 1, tzinfo=UTC)
    elif _EPOCH.fullmatch(text):
        number = float(text)
        seconds = number / 1000 if abs(number) >= 1e11 else number
        moment = _START + timedelta(seconds=seconds)
    else:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"its time has an unknown format ({_shown(text)})") from None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    if not 1800 <= moment.year <= 2200:
        raise ValueError("its year is not between 1800 and 2200")
    return moment


def read_value(raw: Any) -> float:
    """A point's value as a number. Raises ValueError unless it is a number between -1e15 and
    1e15."""
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        raise ValueError("its value is not a number")
    try:
        value = float(raw.strip() if isinstance(raw, str) else raw)
    except ValueError:
        raise ValueError(f"its value is not a number ({_shown(str(raw))})") from None
    if not math.isfinite(value) or abs(value) > 1e15:
        raise ValueError("its value is not between -1e15 and 1e15")
    return value


def check_path(path: str) -> None:
    """Check the form of `path`, which selects values in a JSON answer, e.g. `data.items[*].date`.

    Raises
    ------
    ValueError
        `path` does not have this form.
    """
    if _steps(path) is None:
        raise ValueError("should look like data.items[*].date")


def _csv(body: bytes, time_column: str | None, value_column: str | None) -> list[tuple[str, str]]:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = body.decode("latin-1")
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    except csv.Error:
        raise BadFeed("The answer is not CSV.") from None
    if not rows or len(rows[0]) < 2:
        raise BadFeed("The answer is not CSV with a header row and at least two columns.")
    names = [name.strip().casefold() for name in rows[0]]
    time, value = _column(names, time_column, 0), _column(names, value_column, 1)
    last = max(time, value)
    pairs = []
    for n, row in enumerate(rows[1:], 1):
        if len(row) <= last:
            raise BadFeed(f"Row {n} has only {len(row)} columns.")
        pairs.append((row[time], row[value]))
    return pairs


def _column(names: list[str], wanted: str | None, default: int) -> int:
    if wanted is None:
        return default
    if wanted.strip().casefold() not in names:
        raise BadFeed(f"The answer has no column {_shown(wanted)}.")
    return names.index(wanted.strip().casefold())


def _json(body: bytes, time_path: str, value_path: str) -> list[tuple[Any, Any]]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise BadFeed("The answer is not JSON.") from None
    times, values = _reach(document, time_path), _reach(document, value_path)
    if len(times) != len(values):
        raise BadFeed(
            f"time_path selects {len(times):,} values and value_path selects {len(values):,}. "
            "Both should select the same rows."
        )
    return list(zip(times, values, strict=True))


def _steps(path: str) -> list[str | int] | None:
    """The steps of a JSON path: `a.b[*][0]` -> `.a`, `.b`, `*`, 0. None if it is not a path."""
    path = path.removeprefix("$").removeprefix(".")
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        if path[at] == "." and at:
            at += 1
        found = _STEP.match(path, at)
        if found is None:
            return None
        name, place = found.groups()
        steps.append(f".{name}" if name is not None else place if place == "*" else int(place))
        at = found.end()
    return steps or None


def _reach(document: Any, path: str) -> Sequence[Any]:
    """All values that a JSON path like `items[*].date` selects, in the order of the document. An
    object that lacks the last name of the path gives None, which counts as a missing value."""
    steps = _steps(path)
    assert steps is not None
    level = [document]
    for n, step in enumerate(steps):
        below: list[Any] = []
        for node in level:
            if step == "*":
                if not isinstance(node, list):
                    raise BadFeed(f"{_shown(path)} does not point to a list.")
                below += node
            elif isinstance(step, int):
                if not isinstance(node, list) or step >= len(node):
                    raise BadFeed(f"The answer, or one of its rows, has nothing at {_shown(path)}.")
                below.append(node[step])
            else:
                last = n == len(steps) - 1
                if not isinstance(node, dict) or (step[1:] not in node and not last):
                    raise BadFeed(f"The answer, or one of its rows, has nothing at {_shown(path)}.")
                below.append(node.get(step[1:]))
        level = below
    return level


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:40])

"""Types of request fields that several modules use: times, durations, names."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, Path
from pydantic import (
    AfterValidator,
    BeforeValidator,
    PlainSerializer,
    StringConstraints,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from augury.errors import NotFound

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LENGTH = re.compile(r"([1-9][0-9]{0,6})(s|m|h|d)", re.ASCII)
_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_LONGEST = timedelta(days=366)


def _utc(moment: datetime) -> datetime:
    """Convert to UTC; a time without a zone is taken as UTC. Years outside 1970 to 2200 are
    refused, so that later date arithmetic cannot overflow."""
    if not 1970 <= moment.year <= 2200:
        raise ValueError("the year should be between 1970 and 2200")
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _iso(value: object) -> object:
    """Refuse text that does not begin with a date; a bare number would be read
    as seconds since 1970."""
    if isinstance(value, str) and not _DATE.match(value):
        raise ValueError("write the time as ISO 8601, e.g. 2026-12-31T00:00:00Z")
    return value


Moment = Annotated[datetime, BeforeValidator(_iso), AfterValidator(_utc)]
"""Type of a time in a query or body: ISO 8601 in, UTC out."""


def _whole_day(value: object) -> object:
    if isinstance(value, str) and _DATE.fullmatch(value):
        return f"{value}T23:59:59.999999Z"
    return value


LastMoment = Annotated[
    datetime, BeforeValidator(_iso), BeforeValidator(_whole_day), AfterValidator(_utc)
]
"""Type of the end of a time window, inclusive: a date without a time means the end of that day."""


def _strict_iso(value: object) -> object:
    if not isinstance(value, str | datetime):
        raise PydanticCustomError("datetime_type", "Input should be a time as ISO 8601 text")
    return _iso(value)


BodyMoment = Annotated[datetime, BeforeValidator(_strict_iso), AfterValidator(_utc)]
"""Type of a time in a body that must be ISO 8601 text; a number is refused."""


def _length(value: Any) -> Any:
    if isinstance(value, timedelta):
        return value
    found = _LENGTH.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise PydanticCustomError(
            "duration_invalid", "Input should be a number and s, m, h or d, like 90s, 15m, 1h, 7d"
        )
    length = timedelta(seconds=int(found[1]) * _UNITS[found[2]])
    if length > _LONGEST:
        raise PydanticCustomError("duration_invalid", "Input should be at most 366d")
    return length


def duration_text(length: timedelta) -> str:
    """`length` in its largest whole unit: 90 minutes are 90m, 2 hours 2h."""
    seconds = int(length.total_seconds())
    for unit, size in _UNITS.items():
        if seconds % size == 0 and seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


Duration = Annotated[
    timedelta,
    BeforeValidator(_length),
    PlainSerializer(duration_text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^[1-9][0-9]{0,6}[smhd]$", "examples": ["15m"]}),
]
"""Type of a duration: `90s`, `15m`, `1h`, `7d`; at most 366 days."""


def _visible(text: str) -> str:
    if not any(c.isprintable() and not c.isspace() for c in text):
        raise PydanticCustomError(
            "string_blank", "Input should have at least one visible character"
        )
    return text


Name = Annotated[
    str, StringConstraints(min_length=1, max_length=200, strict=True), AfterValidator(_visible)
]
"""Type of a name that a user gives to something: 1 to 200 characters, at least one of them
visible."""
Note = Annotated[str, StringConstraints(max_length=2000, strict=True)]


def is_id(prefix: str, text: str) -> bool:
    """Whether `text` is `prefix`, an underscore and 32 hexadecimal digits, e.g. `key_0123...`. All
    ids that Augury makes have this form, so no other text can be a stored id."""
    return re.fullmatch(rf"{prefix}_[0-9a-f]{{32}}", text, re.ASCII) is not None


def own_id(prefix: str, parameter: str, missing: str) -> Any:
    """Dependency for the path parameter `parameter`, an id that Augury makes, e.g. `key_0123...`;
    used in `Annotated[str, ...]`. Any other text is answered with 404 and the message
    `missing`."""

    # As a default, not in the annotation: annotations are evaluated where `parameter` is unknown.
    async def checked(text: str = Path(alias=parameter)) -> str:
        if not is_id(prefix, text):
            raise NotFound(missing)
        return text

    return Depends(checked)

"""Types of settings: how their values are parsed from environment variables and files."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator
from pydantic_settings import NoDecode

OnOff = Literal["on", "off"]
LlmTask = Literal["label", "rewrite", "match", "review", "wording"]
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def _split(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _seconds(value: object) -> object:
    unit = _SECONDS.get(value[-1:]) if isinstance(value, str) else None
    return value if not isinstance(value, str) or unit is None else float(value[:-1]) * unit


def _origins(value: tuple[str, ...]) -> tuple[str, ...]:
    if not all(_ORIGIN.fullmatch(origin) for origin in value):
        raise ValueError("each origin should look like https://example.org, without a path")
    return value


def _endpoint(value: str | None) -> str | None:
    if value and not value.startswith(("http://", "https://")):
        raise ValueError("should begin with http:// or https://")
    return value or None


def _days(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(part.strip().removesuffix("d") for part in value.split(",") if part)


def _within(value: tuple[int, ...]) -> tuple[int, ...]:
    if not value or not all(1 <= days <= 60 for days in value):
        raise ValueError("horizons must be between 1 and 60 days")
    return tuple(sorted(set(value)))


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""Type of a setting with several texts: "a, b" -> ("a", "b")."""
LlmTasks = Annotated[tuple[LlmTask, ...], NoDecode, BeforeValidator(_split)]
Origins = Annotated[Names, AfterValidator(_origins)]
Endpoint = Annotated[str | None, AfterValidator(_endpoint)]
"""Type of a setting that is a URL beginning with http:// or https://; empty means none."""
Seconds = Annotated[float, BeforeValidator(_seconds)]
"""Type of a setting that is a length of time in seconds: "90" -> 90, "36h" -> 129600."""
Days = Annotated[tuple[int, ...], NoDecode, BeforeValidator(_days), AfterValidator(_within)]

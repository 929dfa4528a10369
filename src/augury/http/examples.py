"""Configuration of wire shapes: the example that the API's documentation shows of each."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict


def example(**fields: Any) -> ConfigDict:
    """Of an answer's shape: `fields` are its example."""
    return ConfigDict(json_schema_extra={"examples": [fields]})


def request_example(**fields: Any) -> ConfigDict:
    """Of a request's body, which refuses fields that it does not know."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [fields]})

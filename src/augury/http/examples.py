"""Pydantic configuration of request and answer models, with the examples that the API's
documentation shows."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict


def example(**fields: Any) -> ConfigDict:
    """Pydantic configuration of an answer's model: `fields` are its example."""
    return ConfigDict(json_schema_extra={"examples": [fields]})


def request_example(**fields: Any) -> ConfigDict:
    """Pydantic configuration of a request body's model: `fields` are its example, and unknown
    fields are refused."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [fields]})

"""Every number that a route answers says of when it is and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from augury.app import create_app
from augury.http import openapi
from augury.settings import Settings

TIMES = {"as_of", "price_as_of", "data_as_of"}
COUNTED = {
    "score", "confidence", "strength", "timings_ms", "uptime_seconds",
    # What a caller said, given back: limits of rules, not observations.
    "threshold", "hysteresis", "RuleRecord.value", "ChartThreshold.value",
    # How long a delivery took.
    "seconds",
}  # fmt: skip
"""Numbers that are no observation of the world: they rank, configure or time the answer itself."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi.document(create_app(Settings(sync="off", sample="off")), "all")


def dated(node: Any, schemas: dict[str, Any]) -> bool:
    names = set(_resolved(node, schemas).get("properties", {}))
    return bool(names & TIMES) and "origin" in names


def _resolved(node: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    return schemas[node["$ref"].rpartition("/")[2]] if "$ref" in node else node


def bare_numbers(
    node: Any, schemas: dict[str, Any], path: str, covered: bool, seen: frozenset[str]
) -> Iterator[str]:
    """Places of numbers with no time and origin in their object or in one around it."""
    reference = node.get("$ref")
    if reference in seen:
        return
    seen |= {reference} if reference else set()
    node = _resolved(node, schemas)
    for option in (*node.get("anyOf", ()), *node.get("oneOf", ()), *node.get("allOf", ())):
        yield from bare_numbers(option, schemas, path, covered, seen)
    if node.get("type") == "number" and not covered:
        yield path
    if isinstance(node.get("items"), dict):
        yield from bare_numbers(node["items"], schemas, f"{path}[]", covered, seen)
    if isinstance(node.get("additionalProperties"), dict):
        inner = node["additionalProperties"]
        yield from bare_numbers(inner, schemas, f"{path}{{}}", covered, seen)
    properties = node.get("properties", {})
    covered = covered or dated(node, schemas)
    for name, child in properties.items():
        kind = reference.rpartition("/")[2] if reference else ""
        if not {name, f"{kind}.{name}"} & COUNTED:
            yield from bare_numbers(child, schemas, f"{path}.{name}", covered, seen)


def misses(document: dict[str, Any]) -> list[str]:
    schemas = document["components"]["schemas"]
    found: list[str] = []
    for path, item in document["paths"].items():
        if path in openapi.PUBLIC_PATHS:
            continue
        for method, operation in item.items():
            for status, response in operation["responses"].items():
                schema = response.get("content", {}).get("application/json", {}).get("schema")
                if status.startswith("2") and schema:
                    start = f"{method.upper()} {path}"
                    found += bare_numbers(schema, schemas, start, False, frozenset())
    return found


def test_every_number_outside_the_nine_has_a_time_and_an_origin(document: dict[str, Any]) -> None:
    assert misses(document) == []


def test_the_walk_sees_what_is_missing(document: dict[str, Any]) -> None:
    """Without `origin` in market records their prices would be found."""
    schemas = document["components"]["schemas"]
    record = schemas["MarketRecord"]["properties"]
    origin = record.pop("origin")
    try:
        assert any("current_prices" in place for place in misses(document))
    finally:
        record["origin"] = origin


def test_requests_refuse_unknown_fields(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    open_to_more = []
    for path, item in document["paths"].items():
        for method, operation in item.items():
            content = operation.get("requestBody", {}).get("content", {})
            schema = content.get("application/json", {}).get("schema")
            for option in [schema, *(schema or {}).get("anyOf", ())] if schema else ():
                found = _resolved(option, schemas)
                if "properties" in found and found.get("additionalProperties") is not False:
                    open_to_more.append(f"{method.upper()} {path}")
    assert open_to_more == []

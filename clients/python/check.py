"""Reads a body of every model, to test the client on the Python version that runs this.

    python check.py OPENAPI.json

Needs the installed client and the service's OpenAPI document, nothing else. Of each schema it makes
three bodies: every field, the required fields alone, and every field with one more of a newer
service. Prints the Python, the client's dependencies and how many bodies were read.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from augury_client import models

TEXTS = {"date-time": "2026-03-01T12:00:00Z", "date": "2026-03-01", "uuid": "0" * 8}
DEEPEST = 12
"""Depth of nested models beyond which a model gets no optional field."""


def body(schema: dict[str, Any], schemas: dict[str, Any], whole: bool, depth: int = 0) -> Any:
    """A value that the schema allows; `whole`: with the fields that may be left out."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            kinds = [one for one in schema[key] if one.get("type") != "null"]
            return body(kinds[0], schemas, whole, depth)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type")
    if kind == "array":
        if depth > DEEPEST:
            return []
        return [body(schema.get("items", {}), schemas, whole, depth + 1)]
    if kind == "object" or "properties" in schema:
        fields, needed = schema.get("properties", {}), schema.get("required", [])
        more = schema.get("additionalProperties")
        deep = whole and depth <= DEEPEST
        made = {
            name: body(one, schemas, whole, depth + 1)
            for name, one in fields.items()
            if deep or name in needed
        }
        if not fields and isinstance(more, dict):
            made["Yes"] = body(more, schemas, whole, depth + 1)
        return made
    if kind == "string":
        return TEXTS.get(schema.get("format", ""), "text")
    return {"integer": 1, "number": 0.5, "boolean": True}.get(kind or "")


def read_all(schemas: dict[str, Any]) -> int:
    """Read all bodies and write them again; returns their number. Stops if a model loses a
    field."""
    read = 0
    for name, schema in schemas.items():
        model = getattr(models, name)
        whole = body(schema, schemas, whole=True)
        for given in (whole, body(schema, schemas, whole=False), {**whole, "of_a_newer_one": 1}):
            found = msgspec.json.decode(json.dumps(given), type=model)
            told = json.loads(found.to_json())
            lost = {key for key, value in given.items() if value is not None} - set(told)
            if lost - {"of_a_newer_one"}:
                raise SystemExit(f"{name} loses {sorted(lost)}")
            read += 1
    return read


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    count = read_all(document["components"]["schemas"])
    versions = ", ".join(f"{n} {importlib.metadata.version(n)}" for n in ("httpx2", "msgspec"))
    print(f"Python {sys.version.split()[0]}, {versions}: {count} bodies read")

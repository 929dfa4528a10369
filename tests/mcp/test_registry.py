"""`server.json`, which a registry of tool servers reads, keeps to the registry's rules.

The schema here is our own, of the rules that concern this file: stricter than the registry's, which
lets unknown names pass. Compared by hand with the published one of 2025-12-11 on 2026-11-22:
`$schema` names it, so a newer one is looked at before the name changes.
"""

from __future__ import annotations

import json
import re
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from augury import __version__

ROOT = Path(__file__).parents[2]
SERVER: dict[str, Any] = json.loads((ROOT / "deploy" / "mcp" / "server.json").read_text())
TEXT = {"type": "string", "minLength": 1}
VERSION = {"type": "string", "pattern": r"^\d+\.\d+\.\d+([-.+][0-9A-Za-z.-]+)?$", "maxLength": 255}


def _exactly(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": required | optional,
        "required": sorted(required),
        "additionalProperties": False,
    }


SCHEMA = _exactly(
    {
        "$schema": {
            "const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
        },
        "name": {
            "type": "string",
            "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
            "minLength": 3,
            "maxLength": 200,
        },
        "title": TEXT | {"maxLength": 100},
        "description": TEXT | {"maxLength": 100},
        "version": VERSION,
        "packages": {
            "type": "array",
            "minItems": 1,
            "items": _exactly(
                {
                    "registryType": {"const": "pypi"},
                    "identifier": TEXT,
                    "version": VERSION,
                    "runtimeHint": {"const": "uvx"},  # wanted beside runtimeArguments
                    "transport": _exactly({"type": {"const": "stdio"}}),
                    "runtimeArguments": {
                        "type": "array",
                        "items": _exactly(
                            {
                                "type": {"const": "named"},
                                "name": {"type": "string", "pattern": "^--"},
                                "value": TEXT,
                            }
                        ),
                    },
                    "packageArguments": {
                        "type": "array",
                        "items": _exactly({"type": {"const": "positional"}, "value": TEXT}),
                    },
                    "environmentVariables": {
                        "type": "array",
                        "items": _exactly(
                            {
                                "name": {"type": "string", "pattern": "^AUGURY_[A-Z_]+$"},
                                "description": TEXT,
                                "isRequired": {"type": "boolean"},
                                "format": {"enum": ["string", "number", "boolean", "filepath"]},
                            },
                            isSecret={"type": "boolean"},
                        ),
                    },
                }
            ),
        },
    }
)


def test_it_keeps_to_the_rules() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    jsonschema.validate(SERVER, SCHEMA, jsonschema.Draft7Validator)


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (("name",), "augury"), (("description",), "x" * 101), (("version",), "latest"),
        (("packages", 0, "version"), "^0.1.0"), (("packages", 0, "registry_type"), "pypi"),
        (("packages", 0, "transport", "type"), "http"),
        (("packages", 0, "packageArguments", 0), {"type": "positional"}),
        (("packages", 0, "environmentVariables", 0, "is_required"), False),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_found(place: tuple[str | int, ...], wrong: object) -> None:
    broken: Any = deepcopy(SERVER)
    inner = broken
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = wrong
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA, jsonschema.Draft7Validator)


def test_it_says_what_the_package_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (package,) = SERVER["packages"]
    assert package["identifier"] == project["name"]
    assert SERVER["version"] == package["version"] == __version__
    extra = {argument["name"]: argument["value"] for argument in package["runtimeArguments"]}
    assert [extra["--with"]] == project["optional-dependencies"]["mcp"]
    # By this line of the package's page the registry knows whose the package is.
    named = re.findall(r"<!-- mcp-name: (\S+) -->", (ROOT / "README.md").read_text())
    assert named == [SERVER["name"]]
    told = (ROOT / "docs" / "configuration.md").read_text()
    secret = {v["name"]: v.get("isSecret", False) for v in package["environmentVariables"]}
    assert secret == {"AUGURY_URL": False, "AUGURY_API_KEY": True}
    assert all(f"`{name}`" in told + (ROOT / "docs" / "mcp.md").read_text() for name in secret)

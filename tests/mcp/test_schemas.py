"""The tools' fields follow OpenAPI: none is invented, none is unreachable."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import AliasPath, BaseModel

from augury.app import create_app
from augury.mcp import schemas, watching_schemas
from augury.mcp.schemas import Row
from augury.settings import Settings

OWN = {"warnings", "full"}
"""What every answer has beside the API's fields."""
SEVERAL = {
    "SearchAnswer": {"results"},
    "VolatilityAnswer": {"forecasts", "assets"},
    "TrackRecord": {"forecasts", "volatility"},
    "Alerts": {"watchlists", "alerts"},
    "Watched": {"watchlist", "target", "rule", "current_prices"},
    "Silenced": {"rule", "alert"},
}
"""Answers that hold rows of several routes, or of a mapping: the rows are checked themselves."""


def rows() -> list[type[Row]]:
    return [
        found
        for found in {**vars(schemas), **vars(watching_schemas)}.values()
        if isinstance(found, type)
        and issubclass(found, Row)
        and found not in (Row, schemas.ToolAnswer)
    ]


@pytest.fixture(scope="module")
def components(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    app = create_app(Settings(data_dir=tmp_path_factory.mktemp("openapi")))
    return app.openapi()["components"]["schemas"]


def properties(components: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The fields of a schema, through references and nulls."""
    if "$ref" in schema:
        return properties(components, components[schema["$ref"].rsplit("/", 1)[1]])
    for choice in schema.get("anyOf", ()):
        if found := properties(components, choice):
            return found
    return schema.get("properties", {})


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.__name__)
def test_every_field_is_one_of_the_api(row: type[Row], components: dict[str, Any]) -> None:
    if row is schemas.Priced:
        return  # its children are checked
    own = OWN | row.DERIVED | SEVERAL.get(row.__name__, set())
    if row.component:
        known = components[row.component]["properties"]
    else:
        assert row.__name__ in SEVERAL
        known = {}
    for name, field in row.model_fields.items():
        if name in own and name not in known:
            continue
        at = field.validation_alias
        path = [str(step) for step in at.path] if isinstance(at, AliasPath) else [name]
        inside = known
        for step in path:
            assert step in inside, f"{row.__name__}.{name}: {row.component} has no {'.'.join(path)}"
            inside = properties(components, inside[step])


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.__name__)
def test_a_row_within_a_row_is_of_the_schema_that_stands_there(
    row: type[Row], components: dict[str, Any]
) -> None:
    for name, field in row.model_fields.items():
        inner = [a for a in get_args(field.annotation) if isinstance(a, type)]
        nested = next((a for a in inner if issubclass(a, BaseModel) and a is not row), None)
        if nested is None or not row.component or name in SEVERAL.get(row.__name__, ()):
            continue
        at = field.validation_alias
        path = [str(step) for step in at.path] if isinstance(at, AliasPath) else [name]
        schema: dict[str, Any] = {"$ref": f"/{row.component}"}
        for step in path:
            schema = properties(components, schema)[step]
        assert nested.component in str(schema), f"{row.__name__}.{name}"  # type: ignore[attr-defined]


def test_every_schema_named_is_in_the_document(components: dict[str, Any]) -> None:
    assert {row.component for row in rows() if row.component} <= set(components)


def test_what_is_null_is_left_out() -> None:
    row = schemas.FoundRow.model_validate(
        {"id": "kalshi:X", "question": "X?", "status": "active", "current_prices": None}
    )
    assert row.model_dump(exclude_defaults=True) == {"id": "kalshi:X", "question": "X?"}

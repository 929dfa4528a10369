"""The Python client says what the OpenAPI document says: every field, every operation."""

from __future__ import annotations

import ast
import importlib.util
import inspect

import msgspec
import pytest
from augury_client import async_api, models, sync_api
from augury_client.calls import Call
from tests.clients.generated import API, CALLS, FOLDER, SCHEMAS, generate


def _code(text: str) -> str:
    """What a module does, without its prose: a better sentence in the document breaks nothing."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [
                part
                for part in node.body
                if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
            ]
    return ast.dump(tree)


def test_the_generated_files_are_those_of_the_document() -> None:
    for name, text in generate.made(API).items():
        kept = (generate.PACKAGE / name).read_text()
        assert _code(kept) == _code(text), "Run: PYTHONPATH=src python clients/python/generate.py"


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_of_a_schema_is_a_field_of_its_model(name: str) -> None:
    model = getattr(models, name)
    fields = {field.encode_name: field for field in msgspec.structs.fields(model)}
    assert set(fields) == set(SCHEMAS[name].get("properties", {}))
    required = set(SCHEMAS[name].get("required", []))
    assert {n for n, field in fields.items() if field.required} == required


def test_every_operation_is_a_method() -> None:
    operations = {
        f"{verb.upper()} {path}"
        for path, verbs in API["paths"].items()
        for verb in verbs
        if not path.startswith(generate.FOR_BROWSERS)
    }
    assert operations == set(CALLS) | set(generate.BY_HAND)


@pytest.mark.parametrize("call", CALLS)
def test_a_method_takes_every_parameter_and_field_of_its_operation(call: str) -> None:
    verb, path = call.split(" ")
    operation = API["paths"][path][verb.lower()]
    # A page is asked for by iterating, a file by `file()`, attribution is for embedders.
    passed_over = {"cursor", "format"} if path != "/v1/forecast-runs/{run_id}" else {"format"}
    wanted = {
        p["name"]
        for p in operation.get("parameters", [])
        if p["in"] != "header" and p["name"] not in passed_over
    }
    schema = (
        operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("schema", {})
    )
    for option in [schema, *schema.get("anyOf", [])]:
        if "$ref" in option:
            schema = SCHEMAS[option["$ref"].rpartition("/")[2]]
    wanted |= set(schema.get("properties", {}))
    group, name = CALLS[call]
    for kind in (getattr(sync_api, group), getattr(async_api, f"Async{group}")):
        taken = inspect.signature(getattr(kind, name)).parameters
        assert set(taken) - {"self"} == {generate.spelled(one) for one in wanted}


def test_a_parameter_of_several_values_is_sent_once_for_each() -> None:
    call = Call("GET", "/v1/sparklines", models.Sparklines, query={"market_id": ["kalshi:A", "b"]})
    assert call.url() == "/v1/sparklines?market_id=kalshi%3AA&market_id=b"


def test_every_model_reads_a_body_of_its_own() -> None:
    spec = importlib.util.spec_from_file_location("check", FOLDER / "check.py")
    assert spec is not None
    assert spec.loader is not None
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    assert check.read_all(SCHEMAS) == 3 * len(SCHEMAS)
    required = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    with pytest.raises(msgspec.ValidationError):  # a model that needs what its schema does not say
        check.read_all({"MarketRecord": required})

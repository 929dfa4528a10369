"""The two OpenAPI documents, and the page that shows them without a network."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx2
import pytest

from augury.http import openapi

pytestmark = pytest.mark.anyio


async def fetch(client: httpx2.AsyncClient, path: str) -> dict[str, Any]:
    answer = await client.get(path)
    assert answer.status_code == 200
    return answer.json()


def refs(node: Any) -> set[str]:
    return set(re.findall(r'"\$ref": "#/components/schemas/([^"]+)"', json.dumps(node)))


async def test_the_public_document_is_exactly_the_nine(client: httpx2.AsyncClient) -> None:
    document = await fetch(client, "/openapi-public.json")
    assert document["openapi"].startswith("3.1.")
    assert document["info"]["version"] == "0.1.0"
    assert sorted(document["paths"]) == sorted(openapi.PUBLIC_PATHS)
    schemas = document["components"]["schemas"]
    assert {"PublicForecastRequest", "PublicForecastResponse", "PublicErrorResponse"} <= set(
        schemas
    )
    assert refs(document) == set(schemas)
    assert not {"HTTPValidationError", "Body", "New"} & set(schemas)


async def test_the_whole_document_leaves_out_the_operator(client: httpx2.AsyncClient) -> None:
    document = await fetch(client, "/openapi.json")
    assert "/v1/markets/{market_id}" in document["paths"]
    assert not [path for path in document["paths"] if path.startswith("/internal")]
    assert not {"/docs", "/metrics", "/openapi.json"} & set(document["paths"])
    assert refs(document) == set(document["components"]["schemas"])


SPEC_ERRORS = {
    ("/v1/search", "post"): {"401", "422", "429", "503"},
    ("/v1/forecast", "post"): {"401", "403", "413", "422", "429", "431", "502", "503"},
    **{
        (path, "get"): {"401", "403", "422", "429", "503"}
        for path in openapi.PUBLIC_PATHS
        if path.startswith("/v1/rvol")
    },
}


@pytest.mark.parametrize(("path", "method"), SPEC_ERRORS)
async def test_every_error_is_listed_with_its_headers(
    client: httpx2.AsyncClient, path: str, method: str
) -> None:
    operation = (await fetch(client, "/openapi-public.json"))["paths"][path][method]
    responses = operation["responses"]
    assert set(responses) == {"200"} | SPEC_ERRORS[path, method]
    for status, response in responses.items():
        assert "X-Request-Id" in response["headers"]
        if status == "200":
            continue
        schema = response["content"]["application/json"]["schema"]
        assert schema == {"$ref": "#/components/schemas/PublicErrorResponse"}
        assert response["content"]["application/json"]["example"]["detail"]
        assert "X-Error-Code" in response["headers"]
        assert ("Retry-After" in response["headers"]) == (status in ("429", "503"))
        assert ("WWW-Authenticate" in response["headers"]) == (status == "401")


async def test_who_needs_a_key(client: httpx2.AsyncClient) -> None:
    document = await fetch(client, "/openapi.json")
    paths = document["paths"]
    assert paths["/v1/search"]["post"]["security"] == [{}, {"apiKey": []}]
    assert paths["/v1/markets/{market_id}"]["get"]["security"] == [{}, {"apiKey": []}]
    assert paths["/v1/forecast"]["post"]["security"] == [{"apiKey": []}]
    assert paths["/v1/rvol/latest"]["get"]["security"] == [{"apiKey": []}]
    assert "security" not in paths["/v1/health"]["get"]
    scheme = document["components"]["securitySchemes"]["apiKey"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")


async def test_every_schema_has_an_example_and_the_spec_s_ones_are_closed(
    client: httpx2.AsyncClient,
) -> None:
    schemas = (await fetch(client, "/openapi-public.json"))["components"]["schemas"]
    own = {name: s for name, s in schemas.items() if not name.startswith("Search")}
    assert not [name for name, schema in own.items() if not schema.get("examples")]
    open_ones = {"PublicErrorResponse", "PublicForecastMetadata", "PublicRelevanceFilterSummary"}
    for name, schema in own.items():
        if name.startswith("Public") and name not in open_ones:
            assert schema["additionalProperties"] is False, name


async def test_the_shapes_of_a_forecast(client: httpx2.AsyncClient) -> None:
    schemas = (await fetch(client, "/openapi-public.json"))["components"]["schemas"]
    request = schemas["PublicForecastRequest"]
    assert request["required"] == ["question"]
    question = request["properties"]["question"]
    assert (question["minLength"], question["maxLength"]) == (1, 500)
    response = schemas["PublicForecastResponse"]
    assert set(response["required"]) == {
        "request_id", "question", "confidence", "reasoning", "engine_type", "markets_used",
        "latency_ms", "metadata",
    }  # fmt: skip
    assert response["properties"]["engine_type"]["const"] == "oracle_port"


async def test_documents_are_tagged(client: httpx2.AsyncClient) -> None:
    first = await client.get("/openapi-public.json")
    tag = {"if-none-match": first.headers["etag"]}
    assert (await client.get("/openapi-public.json", headers=tag)).status_code == 304

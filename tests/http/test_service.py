"""The whole application's routes, as the composition root mounts them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from tests.http.conftest import OpenLimiter, client_of

from augury.app import create_app
from augury.console.routes import EMBEDS, PAGES
from augury.http import openapi
from augury.http.callers import gate_of
from augury.http.routing import Route
from augury.settings import Settings

OPEN = {"/v1/health", "/v1/forecast/scorecard", "/metrics", "/openapi.json",
        "/openapi-public.json", "/", "/docs", "/docs/api", "/docs/{name:path}", "/docs/page.css",
        "/docs/page.js", "/llms.txt", "/llms-full.txt",
        "/docs/factors", "/v1/session", "/console/{name}", *PAGES, *EMBEDS}  # fmt: skip


class NoAccess:
    """Knows no key."""

    async def authenticate(self, token: str) -> None:
        return None


@pytest.fixture
def app(settings: Settings) -> FastAPI:
    """Mounted but not started: only what stands before the services can answer."""
    app = create_app(settings.model_copy(update={"anonymous_rate": "100000/s"}))
    app.state.traffic.limiter = OpenLimiter()
    app.state.services = SimpleNamespace(access=NoAccess())
    return app


def test_every_route_is_open_by_name_or_has_a_gate(app: FastAPI) -> None:
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        assert isinstance(route, APIRoute)
        if context.path not in OPEN:
            assert isinstance(route, Route), context.path
            assert gate_of(route.dependant), context.path


@pytest.mark.heavy
@pytest.mark.anyio
async def test_an_invalid_key_gets_nowhere(app: FastAPI) -> None:
    async with client_of(app) as client:
        for context in iter_route_contexts(app.routes):
            if context.path in OPEN:
                continue
            for method in context.methods or ():
                for value in ("Bearer x", "Basic x", "", f"Bearer aug_aaaaaaaa_{'b' * 43}"):
                    answer = await client.request(
                        method, context.path or "", headers={"authorization": value}
                    )
                    assert answer.status_code == 401, (method, context.path)
                    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.heavy
def test_the_public_document_has_the_nine_with_examples(app: FastAPI) -> None:
    document = openapi.document(app, "public")
    assert sorted(document["paths"]) == sorted(openapi.PUBLIC_PATHS)
    schemas = document["components"]["schemas"]
    assert not [name for name, schema in schemas.items() if not schema.get("examples")]
    assert set(document["paths"]["/v1/search"]["post"]["responses"]) == {
        "200", "401", "422", "429", "503",
    }  # fmt: skip
    assert document["paths"]["/v1/search"]["post"]["security"] == [{}, {"apiKey": []}]


@pytest.mark.heavy
def test_every_operation_lists_its_errors(app: FastAPI) -> None:
    for path, item in openapi.document(app, "all")["paths"].items():
        for method, operation in item.items():
            gated = bool(operation.get("security"))
            listed = set(operation["responses"])
            assert not gated or listed >= {"401", "429", "503"}, (method, path)

"""What all routes do alike: HEAD, unknown parameters, errors as a string, limits that explain."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest
from pydantic import SecretStr

from augury import background
from augury.app import create_app
from augury.settings import Settings

pytestmark = pytest.mark.anyio

Client = httpx2.AsyncClient


@pytest.fixture
async def client(database_url: str, settings: Settings) -> AsyncIterator[Client]:
    own = settings.model_copy(update={"database_url": SecretStr(database_url)})
    app = create_app(own, elsewhere=background.nothing)
    async with app.router.lifespan_context(app):
        _, key = await app.state.services.access.create_key("reader", ["search:read"])
        async with Client(
            transport=httpx2.ASGITransport(app),
            base_url="http://test",
            headers={"Authorization": f"Bearer {key}"},
        ) as client:
            yield client


async def test_a_head_is_the_get_without_its_body(client: Client) -> None:
    for path in ("/v1/health", "/docs/", "/openapi.json", "/v1/factors", "/v1/markets"):
        got, head = await client.get(path), await client.head(path)
        assert head.status_code == got.status_code == 200, path
        assert head.content == b""
        assert head.headers["content-type"] == got.headers["content-type"]
    assert (await client.head("/nowhere")).status_code == 404
    refused = await client.head("/v1/search")
    assert refused.status_code == 405
    assert (await client.put("/v1/health")).headers["allow"] == "GET, HEAD"


async def test_unknown_query_parameters_are_named(client: Client) -> None:
    for path in ("/v1/health", "/v1/markets", "/docs/factors"):
        answer = await client.get(path, params={"color": "red"})
        assert answer.status_code == 422
        [issue] = answer.json()["detail"]
        assert (issue["loc"], issue["type"]) == (["query", "color"], "extra_forbidden")
        known = "It takes: " if path == "/v1/markets" else "It takes none."
        assert known in issue["msg"]


async def test_errors_come_as_one_string_to_those_who_prefer_it(client: Client) -> None:
    prefer = {"Prefer": "detail=string"}
    answer = await client.get("/v1/markets", params={"limit": 0, "q": ""}, headers=prefer)
    assert answer.status_code == 422
    assert isinstance(answer.json()["detail"], str)
    assert "query.limit: Input should be greater than or equal to 1" in answer.json()["detail"]
    assert answer.headers["preference-applied"] == "detail=string"


async def test_a_refusal_names_the_limit_the_wait_and_the_remedy(client: Client) -> None:
    del client.headers["Authorization"]
    answers = [await client.post("/v1/search", json={"query": "rain"}) for _ in range(3)]
    refused = next(a for a in answers if a.status_code == 429)
    detail = refused.json()["detail"]
    assert detail.startswith("Limit reached: anonymous-search, 1/s. Retry in 1 s. With a key ")
    assert "augury keys create" in detail

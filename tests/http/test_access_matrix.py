"""Every route times every kind of credential (R5)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from tests.http.conftest import client_of

from augury import clock
from augury.access.keys import mint
from augury.access.service import AccessService
from augury.http.routing import Route

pytestmark = pytest.mark.anyio

BODIES: dict[str, dict[str, Any]] = {
    "/v1/search": {"query": "x"},
    "/v1/forecast": {"question": "Will it rain?"},
    "/v1/forecast/stream": {"question": "Will it rain?"},
    "/internal/v1/forecast/runs": {"questions": [{"question": "Will it rain?"}]},
}


async def credentials(access: AccessService) -> dict[str, list[str] | None]:
    """17 kinds, as the values of their Authorization headers."""

    async def key(*scopes: str, account: str = "plain", **options: Any) -> str:
        return (await access.create_key(account, scopes, **options))[1]

    search = await key("search:read")
    revoked, revoked_key = await access.create_key("plain", ["search:read", "forecast:read"])
    await access.revoke_key(revoked.id)
    approved = await key("rvol:read", account="approved")
    await access.set_rvol_approved("approved", True)
    expired = await key("search:read", expires_at=clock.now() - timedelta(seconds=1))
    return {
        "none": None,
        "empty": [""],
        "basic": ["Basic dXNlcjpwYXNz"],
        "bearer without a token": ["Bearer"],
        "two spaces": [f"Bearer  {search}"],
        "trailing text": [f"Bearer {search} x"],
        "two headers": [f"Bearer {search}", f"Bearer {search}"],
        "garbage": ["Bearer aug_nonsense"],
        "well-formed but unknown": [f"Bearer {mint().text}"],
        "right prefix, wrong secret": [f"Bearer {search[:-1]}{'a' if search[-1] != 'a' else 'b'}"],
        "revoked": [f"Bearer {revoked_key}"],
        "expired": [f"Bearer {expired}"],
        "search:read": [f"bEaReR {search}"],
        "forecast:read": [f"Bearer {await key('forecast:read')}"],
        "rvol:read, account not approved": [f"Bearer {await key('rvol:read')}"],
        "rvol:read, account approved": [f"Bearer {approved}"],
        "legacy *": [f"Bearer {await key('*', account='approved')}"],
        "watch:write": [f"Bearer {await key('watch:write')}"],
        "macro:read": [f"Bearer {await key('macro:read')}"],
        "internal": [f"Bearer {await key('internal')}"],
    }


async def test_every_route_times_every_credential(
    app: FastAPI, client: httpx2.AsyncClient, golden: Callable[[str, Any], None]
) -> None:
    cells: dict[str, dict[str, str]] = {}
    sent = await credentials(app.state.services.access)
    for path, method in routes(app):
        row = cells.setdefault(f"{method} {path}", {})
        for name, values in sent.items():
            headers = [("authorization", value) for value in values or []]
            body = BODIES.get(path)
            address = path.replace("{market_id}", "x").replace("{run_id}", "run_x")
            answer = await client.request(method, address, headers=headers, json=body)
            code = answer.headers.get("x-error-code", "")
            row[name] = f"{answer.status_code} {code}".strip()
            if answer.status_code == 401:
                assert answer.headers["www-authenticate"] == "Bearer"
            if answer.status_code >= 400:
                assert isinstance(answer.json()["detail"], str)
            if path == "/v1/search" and answer.status_code == 200:
                row[name] += f" at the {answer.json()['tier']} tier"
                assert (answer.json()["kind"] == "anonymous") == (name == "none")
    # One line for the routes that ask nobody.
    golden(
        "access_matrix",
        {
            route: f"{answers.pop()} whoever asks" if len(answers) == 1 else row
            for route, row in cells.items()
            for answers in [set(row.values())]
        },
    )


def routes(app: FastAPI) -> list[tuple[str, str]]:
    return sorted(
        (context.path or "", method)
        for context in iter_route_contexts(app.routes)
        for method in context.methods or ()
    )


def test_every_route_with_a_body_or_a_gate_asks_before_it_reads(app: FastAPI) -> None:
    for context in iter_route_contexts(app.routes):
        if context.path and context.path.startswith(("/v1/", "/internal/")):
            assert isinstance(context.original_route, Route), context.path


@pytest.mark.parametrize("path", ["/v1/search", "/v1/forecast"])
async def test_who_comes_before_what(app: FastAPI, path: str) -> None:
    """A bad key with a bad body is 401: the body is not even read."""
    headers = {"authorization": "Bearer nope", "content-type": "application/json"}
    async with client_of(app) as client:
        for body in (b"{", b"x" * 100_000):
            answer = await client.post(path, content=body, headers=headers)
            assert answer.status_code == 401

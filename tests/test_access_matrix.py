"""Who may call what, and whose things are whose, over every route of the service (R5, R6)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import SecretStr
from tests.http.conftest import OpenLimiter

from augury import background, clock
from augury.access.keys import SCOPES, mint
from augury.access.service import AccessService
from augury.access.sessions import csrf_of
from augury.app import create_app
from augury.console.routes import EMBEDS, PAGES
from augury.http.callers import gate_of
from augury.http.routing import Route
from augury.ids import new_id
from augury.settings import Settings

pytestmark = pytest.mark.anyio

SERIES = {"name": "Prices", "kind": "macro_indicator", "source": {"type": "push"}}
HOOK = {"type": "webhook", "url": "https://hooks.example.org/augury"}
RULE = {"name": "High", "metric": "series_value", "op": "gt", "value": 5, "severity": "info"}
BODIES: dict[str, dict[str, Any]] = {
    "/v1/search": {"query": "x"},
    "/v1/forecast": {"question": "Will it rain?"},
    "/v1/forecast/stream": {"question": "Will it rain?"},
    "/internal/v1/forecast/runs": {"questions": [{"question": "Will it rain?"}]},
    "/v1/forecasts": {"question": "Will it rain?"},
    "/v1/forecast-runs": {"questions": [{"question": "Will it rain?"}]},
    "/v1/graphs": {"question": "Will it rain?"},
    "/internal/v1/graph/build": {"question": "Will it rain?"},
    "/internal/v1/graph/jobs": {"question": "Will it rain?"},
    "/extension/v1/search": {"title": "Rain"},
    "/extension/v1/sports-search": {"title": "Rain"},
    "/extension/v1/graph": {"title": "Rain"},
    "/extension/v1/prices": {"ids": ["kalshi:X"]},
    "/v1/watchlists": {"name": "Mine"},
    "/v1/watchlists/{watchlist_id}/targets": {"kind": "search", "ref": "rain"},
    "/v1/watchlists/{watchlist_id}/rules": RULE,
    "/v1/watchlists/{watchlist_id}/targets/bulk": {"targets": [{"kind": "search", "ref": "rain"}]},
    "/v1/watchlists/{watchlist_id}/rules/bulk": {"rules": [RULE]},
    "/v1/watchlists/{watchlist_id}/deliveries": HOOK,
    "/v1/external-series": SERIES,
    "/v1/external-series/{series_id}/refresh": {"points": [{"time": "2026-01", "value": 1}]},
    "/v1/watchlists/{watchlist_id}/rules/preview": RULE,
    "/v1/watchlists/{watchlist_id}/rules/{rule_id}/silence": {"for": "1h"},
    "/v1/watchlists/{watchlist_id}/alerts/{alert_id}/snooze": {"for": "1h"},
    "/mcp": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    "/v1/session": {"key": "aug_nonsense"},
    "/internal/v1/admin/keys": {"account": "made", "scopes": ["search:read"]},
    "/internal/v1/admin/imports": {"name": "markets.csv", "bytes": 9},
    "/internal/v1/admin/accounts": {"name": "nobody", "rvol_approved": True},
}
"""What is sent to a POST or PATCH; the others get `{}`."""
PUBLIC = {
    "/metrics", "/openapi.json", "/openapi-public.json", "/v1/health", "/v1/forecast/scorecard",
    "/v1/session", "/console/{name}", "/docs/{name}", "/llms.txt", "/llms-full.txt",
    *PAGES, *EMBEDS,
    *(page.replace(":path}", "}") for page in (*PAGES, *EMBEDS)),
}  # fmt: skip
"""Addresses that ask nobody who they are."""
PREFIXES = {
    "watchlist_id": "wl",
    "target_id": "tgt",
    "rule_id": "rule",
    "delivery_id": "whd",
    "series_id": "ser",
    "job_id": "job",
    "run_id": "run",
    "alert_id": "alr",
    "answer_id": "fc",
    "graph_id": "graph",
}
"""Ids in addresses that belong to an account; a new one is to be named here."""
SHARED = {"import_id", "number", "market_id", "path", "key_id", "name", "forecast_id"}
"""Parts of addresses that belong to nobody."""


@pytest.fixture
async def app(database_url: str, settings: Settings) -> AsyncIterator[FastAPI]:
    own = settings.model_copy(
        update={"database_url": SecretStr(database_url), "forecast_in_flight": 100}
    )
    app = create_app(own, elsewhere=background.nothing)
    app.state.traffic.limiter = OpenLimiter()
    async with app.router.lifespan_context(app):
        app.state.services.access._remember = 0
        app.state.services.sessions._remember = 0
        app.state.services.console.folder = settings.data_dir / "no console"
        yield app


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://augury.test") as client:
        yield client


def routes(app: FastAPI) -> list[tuple[str, str]]:
    """Every address and method there is, documented or not."""
    return sorted(
        ((context.path or "").replace(":path}", "}"), method)
        for context in iter_route_contexts(app.routes)
        for method in context.methods or ()
    )


def parameters(path: str) -> list[str]:
    return [part.split("}", 1)[0] for part in path.split("{")[1:]]


async def credentials(access: AccessService) -> dict[str, list[str] | None]:
    """21 kinds, as the values of their Authorization headers."""

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
        "admin": [f"Bearer {await key('admin')}"],
    }


async def sessions(app: FastAPI) -> dict[str, list[tuple[str, str]]]:
    """Sessions of the console, as the headers that a browser sends."""
    services, name = app.state.services, app.state.traffic.cookie

    async def by_key(*scopes: str) -> str:
        _, key = await services.access.create_key("plain", scopes)
        return (await services.sessions.sign_in_by_key(key))[0]

    owner, _ = await services.sessions.sign_in_by_link(await services.sessions.new_link())
    ended = await by_key("search:read")
    await services.sessions.sign_out(ended)

    def headers(token: str, csrf: str | None = None) -> list[tuple[str, str]]:
        csrf = csrf_of(token) if csrf is None else csrf
        return [("cookie", f"{name}={token}"), ("x-csrf-token", csrf)]

    search = await by_key("search:read")
    return {
        "session that ended": headers(ended),
        "session of nobody": headers("A" * 43),
        "session of search:read": headers(search),
        "session of watch:write": headers(await by_key("watch:write")),
        "session of the owner": headers(owner),
        "session of the owner, no CSRF token": headers(owner)[:1],
        "session of the owner, another's CSRF token": headers(owner, csrf_of(search)),
        "session of the owner, from another site": [
            *headers(owner), ("sec-fetch-site", "cross-site")
        ],
    }  # fmt: skip


BAD = (
    "empty", "basic", "bearer without a token", "two spaces", "trailing text", "two headers",
    "garbage", "well-formed but unknown", "right prefix, wrong secret", "revoked", "expired",
)  # fmt: skip


async def test_every_route_times_every_credential(
    app: FastAPI, client: httpx2.AsyncClient, golden: Callable[[str, Any], None]
) -> None:
    table: dict[str, Any] = {}
    sent = {
        name: [("authorization", value) for value in values or []]
        for name, values in (await credentials(app.state.services.access)).items()
    }
    sent |= await sessions(app)
    for path, method in routes(app):
        if (path, method) == ("/v1/session", "DELETE"):
            continue  # it would end the sessions that the others are tried with
        address = path
        for name in parameters(path):
            if name in SHARED:
                address = address.replace(f"{{{name}}}", "x")
            if name in PREFIXES:
                address = address.replace(f"{{{name}}}", f"{PREFIXES[name]}_{0:032x}")
        assert "{" not in address, f"{path}: name its parameters in PREFIXES or SHARED"
        row: dict[str, str] = {}
        for name, headers in sent.items():
            body = None if method in ("GET", "HEAD", "DELETE") else BODIES.get(path, {})
            answer = await client.request(method, address, headers=headers, json=body)
            code = answer.headers.get("x-error-code", "")
            row[name] = f"{answer.status_code} {code}".strip()
            if answer.status_code == 401:
                assert answer.headers["www-authenticate"] == "Bearer"
            if answer.status_code >= 400 and method != "HEAD":
                detail = answer.json()["detail"]
                assert isinstance(detail, str) or answer.status_code == 422
            if path not in PUBLIC and not path.startswith("/docs"):
                assert "cache-control" in answer.headers, (method, path, name)
        if path not in PUBLIC and not path.startswith("/docs"):
            # An invalid key is never anonymous, and never let in; nor is a session that ended.
            assert {row[name] for name in BAD} == {"401 unauthenticated"}, (method, path)
            assert {row["session that ended"], row["session of nobody"]} == {"401 unauthenticated"}
            if method not in ("GET", "HEAD", "OPTIONS"):
                refused = [v for k, v in row.items() if k.startswith("session of the owner,")]
                assert set(refused) == {"403 csrf"}, (method, path)
        table[f"{method} {path}"] = condensed(row)
    golden("access_matrix", table)


def condensed(row: dict[str, str]) -> Any:
    """One line for routes that ask nobody, and for all bad credentials at once."""
    if len(set(row.values())) == 1:
        return f"{row['none']} whoever asks"
    if len({row[name] for name in BAD}) == 1:
        return {"any bad key": row[BAD[0]]} | {k: v for k, v in row.items() if k not in BAD}
    return row


async def test_a_search_key_lifts_the_tier_and_other_keys_do_not(
    app: FastAPI, client: httpx2.AsyncClient
) -> None:
    access = app.state.services.access
    body = {"query": "x", "top_k_per_dimension": 50}
    for scope in (None, *SCOPES):
        headers = {}
        if scope is not None:
            _, key = await access.create_key("tiers", [scope])
            headers = {"authorization": f"Bearer {key}"}
        answer = await client.post("/v1/search", json=body, headers=headers)
        assert answer.status_code == (200 if scope == "search:read" else 422), scope


async def test_every_route_with_a_body_or_a_gate_asks_before_it_reads(app: FastAPI) -> None:
    asking = 0
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if isinstance(route, APIRoute) and (route.body_field or gate_of(route.dependant)):
            assert isinstance(route, Route), context.path
            asking += 1
    assert asking > 40


async def test_who_comes_before_what(app: FastAPI, client: httpx2.AsyncClient) -> None:
    """A bad key with a bad body is 401: the body is not even read."""
    headers = {"authorization": "Bearer nope", "content-type": "application/json"}
    for path in set(BODIES) - PUBLIC:
        address = path
        for name in parameters(path):
            address = address.replace(f"{{{name}}}", "x")
        for body in (b"{", b"x" * 100_000):
            method = "PATCH" if path == "/internal/v1/admin/accounts" else "POST"
            answer = await client.request(method, address, content=body, headers=headers)
            assert answer.status_code == 401, path


async def test_another_account_s_id_is_as_one_that_never_was(
    app: FastAPI, client: httpx2.AsyncClient
) -> None:
    """R6 over every route with an id of an account: the same 404, to the letter."""
    access = app.state.services.access
    everything = list(SCOPES)
    owner, other = [
        {"authorization": f"Bearer {(await access.create_key(name, everything))[1]}"}
        for name in ("owner", "other")
    ]

    async def make(path: str, field: str = "id", **body: Any) -> str:
        answer = await client.post(path, json=body, headers=owner)
        assert answer.status_code in (201, 202), answer.text
        return answer.json()[field]

    watchlist = await make("/v1/watchlists", name="Mine")
    at = f"/v1/watchlists/{watchlist}"
    mine = {
        "watchlist_id": watchlist,
        "target_id": await make(f"{at}/targets", kind="search", ref="rain"),
        "rule_id": await make(f"{at}/rules", **RULE),
        "delivery_id": await make(f"{at}/deliveries", **HOOK),
        "series_id": await make("/v1/external-series", **SERIES),
        "job_id": await make("/internal/v1/graph/jobs", "job_id", question="Will it rain?"),
        "run_id": await make(
            "/v1/forecast-runs", "run_id", questions=[{"question": "Will it rain?"}]
        ),
        "answer_id": await make("/v1/forecasts", question="Will it rain?"),
        "graph_id": await make("/v1/graphs", question="Will it rain?"),
    }
    # An alert comes of a rule that fires: one that never was stands for another's as well, since
    # the watchlist before it in the address is somebody else's.
    mine["alert_id"] = new_id("alr")
    assert set(mine) == set(PREFIXES)
    never = {name: new_id(prefix) for name, prefix in PREFIXES.items()}
    asked = 0
    # Destructive ones last: a leak would else hide behind what it destroyed.
    for path, method in sorted(routes(app), key=lambda r: (r[1] == "DELETE", r)):
        names = parameters(path)
        if path in PUBLIC or not set(names) & set(PREFIXES):
            assert path in PUBLIC or set(names) <= SHARED, (
                f"{path}: name its parameters in PREFIXES or SHARED"
            )
            continue
        answers = []
        for ids in (mine, never):
            address = path
            for name in names:
                address = address.replace(f"{{{name}}}", ids[name])
            body = None if method in ("GET", "DELETE") else BODIES.get(path, {})
            answers.append(await client.request(method, address, headers=other, json=body))
        theirs, unknown = answers
        assert theirs.status_code == unknown.status_code == 404, (method, path, theirs.text)
        assert theirs.content == unknown.content, (method, path)
        assert _telling(theirs) == _telling(unknown), (method, path)
        asked += 1
    assert asked >= 25
    # And all of it is still its owner's.
    for path in (at, f"/v1/external-series/{mine['series_id']}",
                 f"/internal/v1/forecast/runs/{mine['run_id']}",
                 f"/v1/forecast-runs/{mine['run_id']}",
                 f"/v1/forecasts/{mine['answer_id']}",
                 f"/v1/graphs/{mine['graph_id']}",
                 f"/internal/v1/graph/jobs/{mine['job_id']}"):  # fmt: skip
        answer = await client.get(path, headers=owner)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] in ("no-store", "private, no-cache"), path


def _telling(answer: httpx2.Response) -> dict[str, str]:
    """Its headers less those that differ from one answer to the next."""
    moving = ("x-request-id", "date", "ratelimit")
    return {k: v for k, v in answer.headers.items() if k not in moving}

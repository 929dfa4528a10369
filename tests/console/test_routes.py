"""The console's pages: how they are served, guarded and switched off."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from augury.console import build
from augury.settings import Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
def dist(folder: Path) -> Path:
    """A build of two pages and a script."""
    folder.mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>console</title>")
    (folder / "docs.html").write_text("<!doctype html><title>reference</title>")
    (folder / "app-1.js").write_text("export {};")
    (folder / "app-1.js.gz").write_bytes(gzip.compress(b"export {};"))
    (folder / "secret.txt").write_text("not in the manifest")
    names = ["app-1.js", "docs.html", "index.html"]
    (folder / "manifest.json").write_text(json.dumps({"digest": "x", "files": names}))
    return folder


def directives(answer: httpx2.Response) -> dict[str, str]:
    policy = answer.headers["content-security-policy"]
    parts = (part.strip().partition(" ") for part in policy.split(";"))
    return {name: value for name, _, value in parts}


@pytest.mark.usefixtures("dist")
async def test_every_page_is_the_console_under_a_strict_policy(client: httpx2.AsyncClient) -> None:
    for path in (
        "/",
        "/?q=fed+rate+cut&tab=upstream",
        "/market/kalshi:A/B",
        "/forecast",
        "/watch",
        "/watch/wl_1",
        "/system",
    ):
        answer = await client.get(path)
        assert answer.status_code == 200, path
        assert "console" in answer.text
        rules = directives(answer)
        assert rules["default-src"] == "'none'"
        assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
        assert rules["frame-ancestors"] == "'none'"
        assert rules["require-trusted-types-for"] == "'script'"
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-cache"
        tag = {"if-none-match": answer.headers["etag"]}
        assert (await client.get(path, headers=tag)).status_code == 304


@pytest.mark.usefixtures("dist")
async def test_files_are_kept_for_ever_and_only_those_of_the_build(
    client: httpx2.AsyncClient,
) -> None:
    answer = await client.get("/console/app-1.js", headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.text == "export {};"
    assert "immutable" in answer.headers["cache-control"]
    plain = await client.get("/console/app-1.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == "export {};"
    for name in ("secret.txt", "manifest.json", "index.html", "..%2Fsecret.key", "app-2.js"):
        assert (await client.get(f"/console/{name}")).status_code == 404, name


@pytest.mark.parametrize("choices", [{"embed_origins": ("https://blog.example",)}])
@pytest.mark.usefixtures("dist")
async def test_frames_are_for_the_origins_that_the_operator_names(
    client: httpx2.AsyncClient,
) -> None:
    embedded = await client.get("/embed/market/kalshi:A")
    assert directives(embedded)["frame-ancestors"] == "https://blog.example"
    assert directives(await client.get("/market/kalshi:A"))["frame-ancestors"] == "'none'"


@pytest.mark.parametrize("origins", ["javascript:alert(1)", "https://a.example;", "*", "a b"])
def test_an_origin_is_nothing_else(origins: str) -> None:
    with pytest.raises(ValueError, match="origin"):
        Settings.model_validate({"embed_origins": origins})


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"state": "none", "detail": ""}, "./augury serve"),
        ({"state": "building", "detail": "Bundling."}, "Bundling."),
        ({"state": "failed", "detail": "npm ci <failed>"}, "npm ci &lt;failed&gt;"),
    ],
)
async def test_without_a_build_the_page_says_so_and_leads_to_the_docs(
    client: httpx2.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
    told: dict[str, str],
    expected: str,
) -> None:
    monkeypatch.setattr(build, "status", lambda: told)
    answer = await client.get("/")
    assert answer.status_code == 200
    assert expected in answer.text
    assert 'href="/docs"' in answer.text
    # A page that reloads itself takes what is read away from a reader: a script looks for the next.
    assert "http-equiv" not in answer.text
    assert ("/console/waiting.js" in answer.text) == (told["state"] == "building")
    assert answer.headers["cache-control"] == "no-store"


async def test_the_page_that_waits_brings_its_script(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/console/waiting.js")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "location.reload" in answer.text


async def test_a_build_that_ends_later_is_taken_up(
    client: httpx2.AsyncClient, request: pytest.FixtureRequest
) -> None:
    assert "not built" in (await client.get("/")).text
    request.getfixturevalue("dist")
    assert "console" in (await client.get("/")).text


@pytest.mark.parametrize("choices", [{"console": "off"}])
@pytest.mark.usefixtures("dist")
async def test_it_can_be_switched_off(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/")).headers["location"] == "docs"
    assert (await client.get("/forecast")).status_code == 404
    assert (await client.get("/console/app-1.js")).status_code == 404


# --- the session by HTTP ---------------------------------------------------------------------


async def signed_in(app: FastAPI, client: httpx2.AsyncClient) -> dict[str, Any]:
    link = await app.state.services.sessions.new_link()
    answer = await client.post("/v1/session", json={"link": link})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_a_session_by_link_works_like_a_key(app: FastAPI, client: httpx2.AsyncClient) -> None:
    nobody = (await client.get("/v1/session")).json()
    assert (nobody["signed_in"], nobody["csrf"], nobody["scopes"]) == (False, None, [])
    session = await signed_in(app, client)
    assert session["account"] == "operator"
    headers = {"x-csrf-token": session["csrf"]}
    made = await client.post("/v1/mine", headers=headers)
    assert made.status_code == 201
    assert made.json()["kind"] == "session"
    assert (await client.get("/v1/mine")).json() == made.json()
    assert (await client.get("/v1/session")).json() == session
    assert (await client.delete("/v1/session")).status_code == 403
    assert (await client.delete("/v1/session", headers=headers)).status_code == 204
    assert (await client.get("/v1/mine")).status_code == 401


async def test_the_cookie_is_out_of_reach(app: FastAPI, client: httpx2.AsyncClient) -> None:
    link = await app.state.services.sessions.new_link()
    answer = await client.post("/v1/session", json={"link": link})
    cookie = answer.headers["set-cookie"]
    assert "; HttpOnly" in cookie
    assert "; SameSite=Strict" in cookie
    assert "; Path=/" in cookie
    assert "Secure" not in cookie  # on plain http a browser would drop it
    link = await app.state.services.sessions.new_link()
    tls = {"x-forwarded-proto": "https"}
    answer = await client.post("/v1/session", json={"link": link}, headers=tls)
    assert "; Secure" in answer.headers["set-cookie"]


async def test_a_session_that_ended_is_told_and_removed(
    app: FastAPI, client: httpx2.AsyncClient
) -> None:
    name = app.state.traffic.cookie
    answer = await client.get("/v1/mine", headers={"cookie": f"{name}={'A' * 43}"})
    assert answer.status_code == 401
    assert answer.headers["set-cookie"].startswith(f"{name}=; Path=/; Max-Age=0")
    assert "ended" in answer.json()["detail"]


async def test_another_site_can_neither_sign_in_nor_write(
    app: FastAPI, client: httpx2.AsyncClient
) -> None:
    link = await app.state.services.sessions.new_link()
    elsewhere = {"sec-fetch-site": "cross-site"}
    refused = await client.post("/v1/session", json={"link": link}, headers=elsewhere)
    assert refused.status_code == 403
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert (await client.post("/v1/session", content="link=x", headers=form)).status_code == 422
    session = await signed_in(app, client)
    for headers in ({}, {"x-csrf-token": "0" * 64}, {"x-csrf-token": session["csrf"], **elsewhere}):
        answer = await client.post("/v1/mine", headers=headers)
        assert (answer.status_code, answer.headers["x-error-code"]) == (403, "csrf")


async def test_tries_to_sign_in_are_limited(client: httpx2.AsyncClient) -> None:
    # Ten at once, then one a second: a slow machine earns some tries on the way to the limit.
    answers: list[int] = []
    while 429 not in answers and len(answers) < 100:
        answers.append((await client.post("/v1/session", json={"key": "aug_x"})).status_code)
    assert len(answers) > 10
    assert answers == [401] * (len(answers) - 1) + [429]


async def test_keys_are_made_rotated_and_revoked_by_the_admin_alone(
    app: FastAPI, client: httpx2.AsyncClient
) -> None:
    session = await signed_in(app, client)
    headers = {"x-csrf-token": session["csrf"]}
    at = "/internal/v1/admin/keys"
    body = {"account": "team", "scopes": ["search:read", "internal"], "label": "bot"}
    made = (await client.post(at, json=body, headers=headers)).json()
    bearer = {"authorization": f"Bearer {made['key']}"}
    assert (await client.get(at, headers=bearer)).status_code == 403  # internal is not admin
    listed = (await client.get(at)).json()["items"]
    assert [(key["account"], key["state"]) for key in listed] == [("team", "active")]
    assert "key" not in listed[0]
    changed = await client.post(
        f"{at}/{made['id']}/rotate", json={"grace_hours": 0}, headers=headers
    )
    assert changed.status_code == 201
    assert changed.json()["key"] != made["key"]
    revoked = await client.delete(f"{at}/{changed.json()['id']}", headers=headers)
    assert revoked.json()["state"] == "revoked"
    unknown = await client.post(at, json=body | {"scopes": ["everything"]}, headers=headers)
    assert unknown.status_code == 422
    approved = {"name": "team", "rvol_approved": True}
    answer = await client.patch("/internal/v1/admin/accounts", json=approved, headers=headers)
    assert answer.json()["rvol_approved"] is True

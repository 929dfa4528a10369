"""No client keeps a cookie: accounts that share a host share nothing on it."""

from __future__ import annotations

import ast

import pytest
from tests.net.raw_server import OPEN, answer, server
from tests.source_code import calls

from augury.net import fetch, guard

pytestmark = pytest.mark.anyio


@pytest.mark.heavy
async def test_nothing_crosses_between_two_accounts_on_one_host() -> None:
    requests: list[str] = []

    def respond(request: str) -> bytes:
        requests.append(request)
        cookies = [f"junk{n}=1" for n in range(1000)] if "/flood" in request else ["session=alice"]
        lines = "".join(f"Set-Cookie: {cookie}; Path=/; Domain=localhost\r\n" for cookie in cookies)
        lines += "".join(f"Set-Cookie: {cookie}; Path=/\r\n" for cookie in cookies)
        body = b"private" if "session=alice" in request else b"public"
        return answer(body).replace(b"\r\n\r\n", b"\r\n" + lines.encode() + b"\r\n", 1)

    async with server(respond) as port, guard.client(OPEN, timeout=2) as client:
        first = await fetch.get(client, f"http://127.0.0.1:{port}/login")
        for path in ("/account", "/flood", "/account"):
            await fetch.get(client, f"http://127.0.0.1:{port}{path}")
        second = await fetch.get(client, f"http://127.0.0.1:{port}/account")
        assert not client.cookies
    assert (first.body, second.body) == (b"public", b"public")
    assert len(requests) == 5
    assert not any("cookie:" in request.lower() for request in requests)


@pytest.mark.heavy
async def test_no_redirect_carries_a_cookie() -> None:
    def respond(request: str) -> bytes:
        if request.startswith("GET /first"):
            return answer(status="302 Found", Location="/second", Set_Cookie="a=b; Path=/")
        return answer(b"cookie" if "cookie:" in request.lower() else b"none")

    async with server(respond) as port, guard.client(OPEN, timeout=2) as client:
        assert (await fetch.get(client, f"http://127.0.0.1:{port}/first")).body == b"none"


def test_every_client_of_the_project_is_made_without_a_jar() -> None:
    """Not only those for users' addresses: what is forgotten here is found by an attacker."""
    found = 0
    for path, call in calls("httpx2."):
        if ast.unparse(call.func) in ("httpx2.AsyncClient", "httpx2.Client"):
            found += 1
            given = {k.arg: ast.unparse(k.value) for k in call.keywords}
            assert given.get("cookies") == "no_cookies()", f"{path.name}:{call.lineno}"
    assert found >= 8

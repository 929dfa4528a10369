"""Hosts, origins, callers without keys, figures: who gets in at all (rows 13 and 15)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.http.conftest import OpenLimiter, client_of, make_app

from augury.access.service import AccessService
from augury.errors import RateLimited, SetupProblem
from augury.http import door
from augury.http.address import networks, parse
from augury.http.door import Door
from augury.http.gcra import Rate
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


def settings_of(folder: Path, **changed: Any) -> Settings:
    usual = {"allowed_hosts": (), "anonymous_rate": "50/s", "metrics": "key"}
    return Settings(data_dir=folder, sync="off", sample="off", **{**usual, **changed})


def app_of(folder: Path, **changed: Any):
    app = make_app(settings_of(folder, **changed))
    app.state.traffic.limiter = OpenLimiter()
    return app


@pytest.mark.parametrize(
    ("host", "allowed", "status"),
    [
        ("localhost:8000", (), 200),
        ("127.0.0.1:8000", (), 200),
        ("[::1]:8000", (), 200),
        ("192.168.1.7", (), 200),
        ("app.localhost", (), 200),
        ("[::1]rebind.example.net", (), 421),
        ("[::1].rebind.example.net:8000", (), 421),
        ("rebind.example.net", (), 421),
        ("rebind.example.net:8000", (), 421),
        ("localhost.example.net", (), 421),
        ("127.0.0.1.example.net", (), 421),
        ("", (), 421),
        ("augury.example.com", ("augury.example.com",), 200),
        ("AUGURY.example.com.", ("augury.example.com",), 200),
        ("evil-augury.example.com", ("augury.example.com",), 421),
        ("a.example.com", ("*.example.com",), 200),
        ("example.com", ("*.example.com",), 421),
        ("anything", ("*",), 200),
    ],
)
async def test_the_host_a_request_names(
    host: str, allowed: tuple[str, ...], status: int, tmp_path: Path
) -> None:
    async with client_of(app_of(tmp_path, allowed_hosts=allowed)) as client:
        answer = await client.get("/v1/health", headers={"Host": host})
    assert answer.status_code == status
    if status == 421:
        assert "AUGURY_ALLOWED_HOSTS" in answer.json()["detail"]


async def test_the_host_is_the_proxy_s_to_judge_behind_one(tmp_path: Path) -> None:
    app = app_of(tmp_path, trusted_proxies=("203.0.113.9",))
    async with client_of(app) as client:
        assert (await client.get("/v1/health")).status_code == 200
    async with client_of(app_of(tmp_path, host="0.0.0.0")) as client:
        assert (await client.get("/v1/health")).status_code == 200


async def test_pages_of_named_origins_read_answers(tmp_path: Path) -> None:
    app = app_of(tmp_path, cors_origins=("https://example.com",), allowed_hosts=("*",))
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    async with client_of(app) as client:
        for origin, status in (("https://example.com", 200), ("https://evil.example", 400)):
            headers = {"Origin": origin, **asked}
            preflight = await client.options("/v1/search", headers=headers)
            assert preflight.status_code == status
            answer = await client.get("/v1/health", headers={"Origin": origin})
            allowed = answer.headers.get("access-control-allow-origin")
            assert allowed == (origin if status == 200 else None)
            assert "access-control-allow-credentials" not in answer.headers
    async with client_of(app_of(tmp_path, allowed_hosts=("*",))) as client:
        answer = await client.get("/v1/health", headers={"Origin": "https://example.com"})
        assert "access-control-allow-origin" not in answer.headers


async def test_routes_without_a_gate_have_a_limit_too(tmp_path: Path) -> None:
    app = app_of(tmp_path, anonymous_rate="2/h", allowed_hosts=("*",))
    async with client_of(app) as client, client_of(app, "203.0.113.10") as other:
        statuses = [(await client.get("/v1/health")).status_code for _ in range(20)]
        assert statuses == [200] * 8 + [429] * 12
        refused = await client.get("/docs")
        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 1_800
        assert (await other.get("/v1/health")).status_code == 200


async def test_wrong_keys_use_up_what_there_is_without_one(
    database: Database, tmp_path: Path
) -> None:
    settings = settings_of(tmp_path, anonymous_rate="2/s", allowed_hosts=("*",))
    app = make_app(settings, access=AccessService(database, remember=0))
    app.state.traffic.limiter = OpenLimiter()
    async with client_of(app) as client:
        wrong = {"Authorization": "Bearer aug_nothing"}
        assert (await client.get("/v1/watchlists", headers=wrong)).status_code == 401
        assert (await client.get("/v1/watchlists", headers=wrong)).status_code == 401
        assert (await client.get("/v1/health")).status_code == 429


@pytest.mark.parametrize(
    "header",
    [("x",), ("Bearer aug_aaaaaaaa_" + "a" * 43,), ("Bearer a", "Bearer b")],
    ids=["text", "wrong key", "two"],
)
@pytest.mark.parametrize("path", ["/v1/health", "/v1/watchlists", "/nothing"])
async def test_an_authorization_header_is_no_way_round_the_limit(
    database: Database,
    tmp_path: Path,
    path: str,
    header: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(door, "UNKNOWN_KEY_RATE", Rate.parse("1/h", burst=10))
    settings = settings_of(tmp_path, anonymous_rate="1/h", allowed_hosts=("*",))
    app = make_app(settings, access=AccessService(database, remember=0))
    app.state.traffic.limiter = OpenLimiter()
    async with client_of(app) as client:
        headers = [("Authorization", value) for value in header]
        statuses = [(await client.get(path, headers=headers)).status_code for _ in range(60)]
    # At most eight of the limit, and ten that might have been a good key.
    assert 10 < statuses.index(429) <= 18
    assert set(statuses[statuses.index(429) :]) == {429}


async def test_good_keys_are_let_in_beside_who_used_the_limit_up(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "UNKNOWN_KEY_RATE", Rate.parse("1/h", burst=10))
    settings = settings_of(tmp_path, anonymous_rate="1/h", allowed_hosts=("*",))
    access = AccessService(database, remember=0)
    app = make_app(settings, access=access)
    app.state.traffic.limiter = OpenLimiter()
    _, used = await access.create_key("a", ["watch:write"])
    made, new = await access.create_key("b", ["watch:write"])
    path = "/v1/watchlists"
    async with client_of(app) as client:

        async def status(key: str, path: str = path) -> int:
            answer = await client.get(path, headers={"Authorization": f"Bearer {key}"})
            return answer.status_code

        assert await status(used) == 200
        while (await client.get("/v1/health")).status_code == 200:
            pass
        assert {await status(used) for _ in range(40)} == {200}
        assert await status(used, "/v1/health") == 200
        # A key not seen before is let in too, and from then on is in use.
        assert {await status(new) for _ in range(40)} == {200}
        await access.revoke_key(made.id)
        assert await status(new) == 401
        assert await status(new, "/nothing") in (404, 429)
        while await status("aug_wrong") == 401:
            pass
        assert await status(new) == 429
        assert await status(used) == 200


def test_an_ipv6_site_is_bounded_however_many_networks_it_has(tmp_path: Path) -> None:
    found = Door(settings_of(tmp_path, anonymous_rate="1/s"))
    passed = 0
    for n in range(65_536):
        try:
            found.count(parse(f"2001:db8:1:{n:x}::1"))
        except RateLimited:
            break
        passed += 1
    assert passed <= 8 * 16 + 16
    found.count(parse("2001:db8:2::1"))


async def test_who_may_read_the_figures(database: Database, tmp_path: Path) -> None:
    access = AccessService(database, remember=0)
    _, good = await access.create_key("prometheus", ["metrics:read"])
    _, other = await access.create_key("other", ["search:read", "*"])
    for setting, key, status in (
        ("off", good, 404),
        ("open", None, 200),
        ("key", None, 401),
        ("key", other, 403),
        ("key", good, 200),
    ):
        settings = settings_of(tmp_path, metrics=setting, allowed_hosts=("*",))
        app = make_app(settings, access=access, database=database)
        app.state.traffic.limiter = OpenLimiter()
        async with client_of(app) as client:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            assert (await client.get("/metrics", headers=headers)).status_code == status, setting


def test_callers_are_told_apart_in_the_log_and_not_named(tmp_path: Path) -> None:
    door, another = (Door(settings_of(tmp_path)) for _ in range(2))
    one, two = parse("203.0.113.9"), parse("203.0.113.10")
    assert door.mark(one) == door.mark(one) != door.mark(two)
    assert door.mark(one) != another.mark(one), "keyed: a list of addresses opens no log"
    assert len(door.mark(None)) == 8


@pytest.mark.parametrize("network", ["0.0.0.0/0", "::/0", "128.0.0.0/1", "2000::/3"])
def test_nobody_trusts_everybody(network: str) -> None:
    with pytest.raises(SetupProblem, match="public addresses"):
        networks([network])

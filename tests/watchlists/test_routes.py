"""The watchlist routes: whole stories over HTTP, and who may not see them (R6, R21)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import httpx2
import pytest
from fastapi import FastAPI
from tests.watchlists.conftest import World

from augury.deliveries import routes as deliveries
from augury.http import setup
from augury.settings import Settings
from augury.watchlists import routes as watchlists

pytestmark = pytest.mark.anyio


@pytest.fixture
def app(settings: Settings, world: World) -> FastAPI:
    app = FastAPI()
    app.include_router(watchlists.router)
    app.include_router(deliveries.router)
    setup.install(app, settings.model_copy(update={"search_rate": "100000/s"}))
    app.state.services = SimpleNamespace(
        database=world.database,
        access=world.access,
        watchlists=world.watchlists,
        deliveries=world.deliveries,
    )
    return app


@pytest.fixture
async def client(app: FastAPI, world: World) -> AsyncIterator[httpx2.AsyncClient]:
    async with await client_of(app, world, "owner") as client:
        yield client


async def client_of(app: FastAPI, world: World, account: str) -> httpx2.AsyncClient:
    _, key = await world.access.create_key(account, ["watch:write"])
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app),
        base_url="http://test",
        headers={"Authorization": f"Bearer {key}"},
    )


RULE = {"name": "High", "metric": "probability", "op": "gt", "value": 0.5}


async def made(client: httpx2.AsyncClient, world: World) -> dict[str, str]:
    """A watchlist with one of everything; its addresses by name."""
    await world.quote(1, 0.6)
    answer = await client.post(
        "/v1/watchlists",
        json={
            "name": "Mine",
            "delivery": [{"type": "webhook", "url": "http://127.0.0.1:9/hook?token=s3cret"}],
        },
    )
    assert answer.status_code == 201, answer.text
    root = f"/v1/watchlists/{answer.json()['id']}"
    target = await client.post(f"{root}/targets", json={"kind": "market", "ref": "polymarket:1"})
    assert target.status_code == 201, target.text
    rule = await client.post(f"{root}/rules", json=RULE)
    assert rule.status_code == 201, rule.text
    return {
        "watchlist": root,
        "target": f"{root}/targets/{target.json()['id']}",
        "rule": f"{root}/rules/{rule.json()['id']}",
        "delivery": f"{root}/deliveries/{answer.json()['delivery'][0]['id']}",
    }


async def test_a_story(client: httpx2.AsyncClient, world: World) -> None:
    at = await made(client, world)
    root = at["watchlist"]
    answer = await client.post(f"{root}/evaluate")
    assert answer.status_code == 200
    found = answer.json()
    [evaluation] = found["evaluations"]
    assert evaluation["state"] == "firing"
    assert (evaluation["value"], evaluation["threshold"]) == (0.6, 0.5)
    [alert] = found["alerts"]
    assert alert["market"]["question"] == "Will number 1 happen?"
    assert alert["trigger"]["op"] == "gt"
    assert alert["next_action"]
    again = (await client.post(f"{root}/evaluate")).json()
    assert again["alerts"] == found["alerts"]

    feed = (await client.get(f"{root}/alerts", params={"state": "firing"})).json()
    assert feed == {"items": [alert], "next_cursor": None}
    feed_again = await client.get(f"{root}/alerts", params={"state": "firing"})
    tag = {"If-None-Match": feed_again.headers["etag"]}
    unchanged = await client.get(f"{root}/alerts", params={"state": "firing"}, headers=tag)
    assert unchanged.status_code == 304
    got = (await client.get(root)).json()
    assert (got["targets"], got["rules"], got["firing"]) == (1, 1, 1)
    [rule] = (await client.get(f"{root}/rules")).json()["items"]
    assert (rule["value"], rule["for"], rule["window"]) == (0.5, None, None)
    changed = await client.patch(root, json={"name": "Renamed", "description": "Why"})
    assert (changed.json()["name"], changed.json()["description"]) == ("Renamed", "Why")
    assert (await client.patch(root, json={"description": None})).json()["description"] is None

    assert (await client.delete(at["rule"])).status_code == 204
    assert (await client.delete(at["rule"])).status_code == 404
    assert (await client.delete(at["target"])).status_code == 204
    assert (await client.delete(at["delivery"])).status_code == 204
    assert (await client.delete(root)).status_code == 204
    assert (await client.get(root)).status_code == 404


async def test_another_account_sees_nothing(
    app: FastAPI, client: httpx2.AsyncClient, world: World
) -> None:
    """R6: the same 404, to the letter, as for an id that never was."""
    at = await made(client, world)
    ping = await client.post(f"{at['delivery']}/ping")
    message = ping.json()["message_ids"][0]
    requests: list[tuple[str, str, Any]] = [
        ("GET", at["watchlist"], None),
        ("PATCH", at["watchlist"], {"name": "Theirs"}),
        ("DELETE", at["watchlist"], None),
        ("POST", f"{at['watchlist']}/targets", {"kind": "market", "ref": "polymarket:1"}),
        ("GET", f"{at['watchlist']}/targets", None),
        ("DELETE", at["target"], None),
        ("GET", f"{at['target']}/chart", None),
        ("POST", f"{at['watchlist']}/rules", RULE),
        ("GET", f"{at['watchlist']}/rules", None),
        ("PATCH", at["rule"], {"value": 0.1}),
        ("DELETE", at["rule"], None),
        ("POST", f"{at['watchlist']}/evaluate", None),
        ("GET", f"{at['watchlist']}/alerts", None),
        ("POST", f"{at['watchlist']}/deliveries", {"type": "webhook", "url": "http://127.0.0.1"}),
        ("GET", f"{at['watchlist']}/deliveries", None),
        ("PATCH", at["delivery"], {"enabled": False}),
        ("DELETE", at["delivery"], None),
        ("POST", f"{at['delivery']}/ping", None),
        ("GET", f"{at['delivery']}/log", None),
        ("POST", f"{at['delivery']}/replay", {"message_id": message}),
    ]
    unknown = "0" * 32
    async with await client_of(app, world, "other") as other:
        made_by_other = await other.post("/v1/watchlists", json={"name": "x"})
        own = f"/v1/watchlists/{made_by_other.json()['id']}"
        for method, path, body in requests:
            theirs = await other.request(method, path, json=body)
            whole = path.replace(at["watchlist"], f"/v1/watchlists/wl_{unknown}")
            never = await other.request(method, whole, json=body)
            assert theirs.status_code == never.status_code == 404, path
            assert theirs.content == never.content
            # And parts of the one watchlist are not reached through another.
            through = path.replace(at["watchlist"], own)
            if through.count("/") > 4:
                mixed = await other.request(method, through, json=body)
                assert mixed.status_code == 404, through
        mine = (await other.get("/v1/watchlists")).json()["items"]
        assert [w["name"] for w in mine] == ["x"]
    assert (await client.get(at["watchlist"])).json()["name"] == "Mine"
    assert len((await client.get(f"{at['watchlist']}/deliveries")).json()["items"]) == 1


@pytest.mark.parametrize("wrong", ["x", "wl_", "wl_" + "g" * 32, "wl_%00", "tgt_" + "0" * 32, "é"])
async def test_ids_that_are_none(client: httpx2.AsyncClient, world: World, wrong: str) -> None:
    assert (await client.get(f"/v1/watchlists/{wrong}")).status_code == 404
    assert (await client.post(f"/v1/watchlists/{wrong}/evaluate")).status_code == 404


async def test_the_secret_is_shown_once_and_nowhere_else(
    client: httpx2.AsyncClient, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    body = {"name": "x", "delivery": [{"type": "webhook", "url": "http://127.0.0.1:9/a?k=t0k3n"}]}
    headers = {"Idempotency-Key": "once"}
    first = await client.post("/v1/watchlists", json=body, headers=headers)
    again = await client.post("/v1/watchlists", json=body, headers=headers)
    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"
    secret = first.json()["delivery"][0]["secret"]
    assert secret.startswith("whsec_")
    root = f"/v1/watchlists/{first.json()['id']}"
    shown = (await client.get(root)).text + (await client.get(f"{root}/deliveries")).text
    async with world.database.reading() as conn:
        rows = await conn.execute("select * from watch_deliveries")
        stored = repr(await rows.fetchall())
        rows = await conn.execute("select * from idempotency_keys")
        stored += repr(await rows.fetchall())
    for place in (shown, stored, "".join(capsys.readouterr())):
        assert secret not in place
        assert secret[6:20] not in place
        assert "t0k3n" not in place
    assert '"host":"127.0.0.1"' in shown


async def test_a_repeated_request_makes_one(client: httpx2.AsyncClient, world: World) -> None:
    at = await made(client, world)
    headers = {"Idempotency-Key": "k"}
    for path, body in (
        ("/targets", {"kind": "search", "ref": "rain in Lisbon"}),
        ("/rules", RULE),
        ("/deliveries", {"type": "webhook", "url": "http://127.0.0.1:9/"}),
    ):
        path = at["watchlist"] + path
        key = {"Idempotency-Key": path[-9:]}
        before = len((await client.get(path)).json()["items"])
        first = await client.post(path, json=body, headers=key)
        assert (await client.post(path, json=body, headers=key)).content == first.content
        assert len((await client.get(path)).json()["items"]) == before + 1
        other = await client.post(path, json={**body, "x": 1}, headers=key)
        assert other.status_code == 422
    first = await client.post(f"{at['delivery']}/ping", headers=headers)
    assert (await client.post(f"{at['delivery']}/ping", headers=headers)).content == first.content


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""}, {"name": "\u200b"}, {"name": "x" * 201}, {"metric": "beauty"}, {"op": "=="},
        {"value": "0.5"}, {"value": True}, {"value": None}, {"value": 1e300}, {"value": [1]},
        {"for": "10"}, {"for": "0s"}, {"for": "10 m"}, {"for": 600}, {"for": "9999999d"},
        {"cooldown": "1w"}, {"window": "1h"}, {"severity": "loud"}, {"hysteresis": -1},
        {"hysteresis": "1"}, {"expires_at": "tomorrow"}, {"expires_at": 1e9}, {"extra": 1},
        {"target_id": "x"}, {"target_id": 1}, {"expires_at": "9999-12-31T23:59:59Z"},
        {"expires_at": "2020-01-01T00:00:00Z"}, {"value": "done"},
    ],
)  # fmt: skip
async def test_rules_that_are_refused(
    client: httpx2.AsyncClient, world: World, change: dict[str, Any]
) -> None:
    answer = await client.post(f"/v1/watchlists/{world.watchlist}/rules", json={**RULE, **change})
    assert answer.status_code == 422, answer.text
    [issue] = answer.json()["detail"]
    assert set(issue) == {"loc", "msg", "type"}


async def test_what_is_answered_when_made_is_what_is_kept(
    client: httpx2.AsyncClient, world: World
) -> None:
    root = f"/v1/watchlists/{world.watchlist}"
    for path, body in (
        ("targets", {"kind": "search", "ref": "rates"}),
        ("rules", RULE),
        ("deliveries", {"type": "webhook", "url": "http://127.0.0.1:9/hook"}),
    ):
        made = (await client.post(f"{root}/{path}", json=body)).json()
        kept = (await client.get(f"{root}/{path}")).json()["items"][-1]
        assert kept == {field: made[field] for field in kept}


async def test_several_are_added_at_once_or_none(client: httpx2.AsyncClient, world: World) -> None:
    for n in range(3):
        await world.quote(n, 0.4)
    at = f"/v1/watchlists/{world.watchlist}"
    new = [{"kind": "market", "ref": f"polymarket:{n}"} for n in range(3)]
    bad = await client.post(
        f"{at}/targets/bulk", json={"targets": [*new, {"kind": "market", "ref": "no"}]}
    )
    assert bad.status_code == 422
    assert bad.json()["detail"][0]["loc"] == ["body", "targets", 3, "ref"]
    assert (await client.get(f"{at}/targets")).json()["items"] == []
    made = await client.post(f"{at}/targets/bulk", json={"targets": new})
    assert made.status_code == 201
    assert [t["ref"] for t in made.json()["items"]] == [t["ref"] for t in new]
    again = await client.post(f"{at}/targets/bulk", json={"targets": new[:1]})
    assert (again.status_code, again.headers["x-error-code"]) == (409, "duplicate_target")
    rules = await client.post(f"{at}/rules/bulk", json={"rules": [RULE, RULE]})
    assert rules.status_code == 201
    assert len((await client.get(f"{at}/rules")).json()["items"]) == 2


async def test_lists_by_pages(client: httpx2.AsyncClient, world: World) -> None:
    for n in range(5):
        await client.post("/v1/watchlists", json={"name": f"w{n}"})
        await client.post(f"/v1/watchlists/{world.watchlist}/rules", json=RULE)
    for path in ("/v1/watchlists", f"/v1/watchlists/{world.watchlist}/rules"):
        whole = (await client.get(path)).json()["items"]
        seen, cursor = [], None
        while True:
            params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
            page = (await client.get(path, params=params)).json()
            seen += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert seen == whole
        for bad in ("x", "bm9wZQ", "WzFd", "WyJcdTAwMDAiXQ"):
            assert (await client.get(path, params={"cursor": bad})).status_code == 422
    alerts = f"/v1/watchlists/{world.watchlist}/alerts"
    for bad in ("WyJhIl0", "Wy0xXQ", "WzFlOTld", "WzE4NDQ2NzQ0MDczNzA5NTUxNjE2XQ"):
        assert (await client.get(alerts, params={"cursor": bad})).status_code == 422


async def test_a_chart_in_three_forms(client: httpx2.AsyncClient, world: World) -> None:
    at = await made(client, world)
    await client.post(f"{at['watchlist']}/evaluate")
    start = world.now - timedelta(hours=6)
    points = [
        (start + timedelta(minutes=10 * n), 0.3 + n / 200) for n in range(30) if n not in (9,)
    ]
    await world.history(1, points)
    path = f"{at['target']}/chart"
    params = {"start": start.isoformat(), "end": (world.now + timedelta(minutes=5)).isoformat()}
    chart = (await client.get(path, params=params)).json()
    times = [p["time"] for p in chart["series"][0]["points"]]
    assert times == sorted(set(times))
    assert chart["thresholds"] == [
        {"name": "High", "op": "gt", "value": 0.5, "severity": "warning"}
    ]
    assert [m["value"] for m in chart["markers"]] == [0.6]
    svg = await client.get(path, params={**params, "format": "svg"})
    assert svg.headers["content-type"].startswith("image/svg+xml")
    assert "default-src 'none'" in svg.headers["content-security-policy"]
    ElementTree.fromstring(svg.content)
    png = await client.get(path, params={**params, "format": "png"})
    assert png.headers["content-type"] == "image/png"
    assert png.content.startswith(b"\x89PNG")
    tag = {"If-None-Match": png.headers["etag"]}
    again = await client.get(path, params={**params, "format": "png"}, headers=tag)
    assert again.status_code == 304
    backwards = {"start": params["end"], "end": params["start"]}
    assert (await client.get(path, params=backwards)).status_code == 422
    for odd in ({"start": "1970-01-01"}, {"end": "1970-01-02T00:00:00Z"}, {"start": "2200-01-01"}):
        assert (await client.get(path, params=odd)).status_code in (200, 422)


async def test_needs_the_scope(app: FastAPI, world: World) -> None:
    _, key = await world.access.create_key("owner", ["search:read"])
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        assert (await client.get("/v1/watchlists")).status_code == 401
        headers = {"Authorization": f"Bearer {key}"}
        assert (await client.get("/v1/watchlists", headers=headers)).status_code == 403


def test_examples_are_valid() -> None:
    """What the documents show as requests is accepted."""
    from augury.deliveries import schemas as delivery
    from augury.watchlists import rule_schemas, schemas

    for model in (
        schemas.WatchlistRequest, schemas.TargetRequest, rule_schemas.RuleRequest,
        delivery.DeliveryRequest, delivery.ReplayRequest,
    ):  # fmt: skip
        extra: Any = model.model_config.get("json_schema_extra")
        for example in extra["examples"]:
            model.model_validate(json.loads(json.dumps(example)))


async def test_the_chart_of_an_asset_without_data_says_so(
    client: httpx2.AsyncClient, world: World
) -> None:
    target = await world.target("BTC", "asset")
    path = f"/v1/watchlists/{world.watchlist}/targets/{target}/chart"
    chart = (await client.get(path)).json()
    assert [(line["name"], line["points"]) for line in chart["series"]] == [
        ("Forecast, annualized", []),
        ("Realized", []),
    ]
    assert "no data in this window" in (await client.get(path, params={"format": "svg"})).text


async def test_a_rule_is_tuned_without_losing_its_alert(
    client: httpx2.AsyncClient, world: World
) -> None:
    at = await made(client, world)
    root = at["watchlist"]
    [alert] = (await client.post(f"{root}/evaluate")).json()["alerts"]
    tuned = await client.patch(
        at["rule"], json={"value": 0.55, "for": "5m", "severity": "critical", "hysteresis": 0.02}
    )
    assert tuned.status_code == 200, tuned.text
    shown = tuned.json()
    assert (shown["value"], shown["for"], shown["severity"]) == (0.55, "5m", "critical")
    assert shown["name"] == "High"
    assert [a["id"] for a in (await client.post(f"{root}/evaluate")).json()["alerts"]] == [
        alert["id"]
    ]
    assert (await client.patch(at["rule"], json={"for": None})).json()["for"] is None
    await client.patch(at["rule"], json={"value": 0.7})
    assert await world.evaluator.tick() == 1
    [ended] = (await client.get(f"{root}/alerts")).json()["items"]
    assert (ended["state"], ended["resolution"], ended["resolved_value"]) == (
        "resolved",
        "recovered",
        0.6,
    )
    for wrong in (
        {"value": 7},
        {"value": "closed"},
        {"window": "1h"},
        {"metric": "spread"},
        {"expires_at": "2020-01-01T00:00:00Z"},
    ):
        assert (await client.patch(at["rule"], json=wrong)).status_code == 422


async def test_a_rule_is_tried_on_the_past_and_nothing_is_kept(
    client: httpx2.AsyncClient, world: World
) -> None:
    at = await made(client, world)
    before = (await client.get(f"{at['watchlist']}/rules")).json()
    answer = await client.post(f"{at['watchlist']}/rules/preview", json={**RULE, "days": 7})
    assert answer.status_code == 200, answer.text
    tried = answer.json()
    assert tried["step_seconds"] == 300
    assert [one["name"] for one in tried["targets"]]
    assert tried["fired"] == sum(len(one["episodes"]) for one in tried["targets"])
    unrecorded = {**RULE, "metric": "spread", "value": 0.1}
    told = await client.post(f"{at['watchlist']}/rules/preview", json=unrecorded)
    assert all("No history" in one["reason"] for one in told.json()["targets"])
    for wrong in ({"days": 0}, {"days": 91}, {"metric": "nonsense"}, {"value": 7}):
        refused = await client.post(f"{at['watchlist']}/rules/preview", json={**RULE, **wrong})
        assert refused.status_code == 422, wrong
    assert (await client.get(f"{at['watchlist']}/rules")).json() == before


async def test_a_silenced_rule_records_and_sends_nothing(
    client: httpx2.AsyncClient, world: World
) -> None:
    at = await made(client, world)
    silenced = await client.post(f"{at['rule']}/silence", json={"for": "1h"})
    assert silenced.status_code == 200, silenced.text
    assert silenced.json()["silenced_until"] is not None
    alerts = (await client.post(f"{at['watchlist']}/evaluate")).json()["alerts"]
    assert [alert["silenced"] for alert in alerts] == [True]
    again = await client.post(f"{at['rule']}/silence", json={"for": None})
    assert again.json()["silenced_until"] is None
    snoozed = await client.post(
        f"{at['watchlist']}/alerts/{alerts[0]['id']}/snooze", json={"for": "4h"}
    )
    assert snoozed.json()["snoozed_until"] is not None
    listed = (await client.get(f"{at['watchlist']}/alerts")).json()["items"]
    assert listed[0]["snoozed_until"] == snoozed.json()["snoozed_until"]

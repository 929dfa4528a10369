"""Rules over a real database: what is seen, what fires, how often, and who is told."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.watchlists.conftest import SECOND, T0, World

from augury.deliveries.service import NewEndpoint
from augury.errors import Conflict, InvalidInput, NotFound
from augury.watchlists import service

pytestmark = pytest.mark.anyio
HOUR = timedelta(hours=1)


async def test_a_price_that_crosses_fires_once_and_resolves(world: World) -> None:
    await world.quote(1, 0.4)
    await world.target("polymarket:1")
    await world.rule(op="crosses_above")
    assert await world.evaluate() == [("ok", 0.4)]
    world.passes(1)
    await world.quote(1, 0.6)
    assert await world.evaluate() == [("firing", 0.6)]
    assert await world.evaluate() == [("firing", 0.6)]
    [alert] = await world.alerts()
    assert (alert.state, alert.episode, alert.value, alert.as_of) == ("firing", 1, 0.6, world.now)
    assert alert.record["market"]["id"] == "polymarket:1"
    assert alert.record["evidence"][0]["value"] == 0.6
    assert alert.record["source_status"]["status"] == "active"
    world.passes(1)
    await world.quote(1, 0.3)
    assert await world.evaluate() == [("resolved", 0.3)]
    [alert] = await world.alerts()
    assert (alert.state, alert.resolution, alert.resolved_at) == (
        "resolved",
        "recovered",
        world.now,
    )
    assert alert.record["resolved_value"] == 0.3


async def test_a_tick_looks_only_at_what_moved(world: World) -> None:
    world.now = datetime.now(UTC)
    for n in range(20):
        await world.quote(n, 0.4)
        await world.target(f"polymarket:{n}")
    await world.rule()
    assert await world.evaluator.tick() == 20
    assert await world.evaluator.tick() == 0
    world.passes(1)
    await world.quote(7, 0.6)
    assert await world.evaluator.tick() == 1
    [alert] = await world.alerts()
    assert alert.record["market"]["id"] == "polymarket:7"
    assert await world.evaluator.tick() == 0


async def test_a_tick_looks_again_when_time_has_come(world: World) -> None:
    async with world.database.reading() as conn:
        row = await (await conn.execute("select now()")).fetchone()
    assert row
    database_now = row[0]
    world.now = database_now - timedelta(minutes=10)
    await world.quote(1, 0.6)
    await world.target("polymarket:1")
    await world.rule(hold=timedelta(minutes=10))
    assert await world.evaluator.tick() == 1
    assert [s for s, _ in await world.evaluate()] == ["pending"]
    world.now = database_now
    assert await world.evaluator.tick() == 1
    [alert] = await world.alerts()
    assert alert.state == "firing"


async def test_no_data_keeps_an_alert_open(world: World) -> None:
    await world.quote(1, 0.6)
    await world.target("polymarket:1")
    await world.rule()
    await world.evaluate()
    world.passes(1)
    await world.quote(1, None)
    assert await world.evaluate() == [("no_data", 0.6)]
    assert await world.why() == "The outcome has no quote."
    [alert] = await world.alerts()
    assert alert.state == "firing"
    world.passes(1)
    await world.quote(1, 0.7)
    assert await world.evaluate() == [("firing", 0.7)]
    assert len(await world.alerts()) == 1


async def test_two_evaluations_at_once_are_as_one(world: World) -> None:
    for n in range(30):
        await world.quote(n, 0.6)
        await world.target(f"polymarket:{n}")
    await world.rule()
    made = await world.deliveries.create(
        world.account, world.watchlist, NewEndpoint("webhook", "http://127.0.0.1:9/x")
    )
    results = await asyncio.gather(
        world.evaluate(), world.evaluator.tick(), world.evaluate(), world.evaluator.tick()
    )
    assert results[0] == results[2] == [("firing", 0.6)] * 30
    assert len(await world.alerts()) == 30
    async with world.database.reading() as conn:
        rows = await conn.execute("select delivery_id, kind, payload from watch_messages")
        messages = await rows.fetchall()
    assert len(messages) == 30
    assert {m[:2] for m in messages} == {(made[0].id, "alert.fired")}
    told = json.loads(messages[0][2])
    assert told["type"] == "alert.fired"
    assert told["data"]["state"] == "firing"
    assert world.woken >= 1


async def test_what_was_snoozed_and_still_fires_is_told_of_once_more(world: World) -> None:
    for n in (1, 2):
        await world.quote(n, 0.6)
        await world.target(f"polymarket:{n}")
    await world.rule()
    await world.deliveries.create(
        world.account, world.watchlist, NewEndpoint("webhook", "http://127.0.0.1:9/x")
    )
    await world.evaluate()

    async def told() -> list[tuple[str, str]]:
        async with world.database.reading() as conn:
            rows = await conn.execute("select kind, payload from watch_messages order by seq")
            return [(kind, json.loads(text)["data"]["id"]) for kind, text in await rows.fetchall()]

    begun = await told()
    assert [kind for kind, _ in begun] == ["alert.fired"] * 2
    first, second = await world.alerts()
    for round_ in (1, 2):
        for alert in (first, second):
            await world.watchlists.snooze_alert(world.account, world.watchlist, alert.id, HOUR)
        assert await world.evaluator.remind() == 0
        world.passes(3_600)
        if round_ == 1:
            assert await world.evaluator.remind() == 2
            assert await world.evaluator.remind() == 0
    assert sorted((await told())[2:]) == sorted(
        ("alert.reminder", alert.id) for alert in (first, second)
    )
    # What has ended meanwhile is not told of; what still fires, once for each snooze.
    await world.quote(int(second.record["market"]["id"].split(":")[1]), 0.3)
    await world.evaluate()
    assert await world.evaluator.remind() == 1
    reminded = [id_ for kind, id_ in await told() if kind == "alert.reminder"]
    assert sorted(reminded) == sorted([first.id, first.id, second.id])


@pytest.mark.parametrize("outcome", [None, "Yes", "no"])
async def test_an_outcome_is_watched_by_its_label(world: World, outcome: str | None) -> None:
    await world.quote(1, 0.4)
    target = await world.target("polymarket:1", outcome=outcome)
    await world.rule(target)
    expected = [("firing", 0.6)] if outcome == "no" else [("ok", 0.4)]
    assert await world.evaluate() == expected


async def test_a_saved_search_follows_what_it_finds(world: World) -> None:
    await world.quote(1, 0.4)
    await world.quote(2, 0.9)
    world.found = ["polymarket:1"]
    await world.target("anything", "search")
    await world.rule()
    assert await world.evaluate() == [("ok", 0.4)]
    world.found = ["polymarket:1", "polymarket:2"]
    async with world.database.reading() as conn:
        await conn.execute("update watch_targets set resolved_at = now() - interval '1 hour'")
    await world.evaluator.look_up_members()
    assert await world.evaluator.tick() == 1
    assert await world.evaluate() == [("firing", 0.9)]


async def test_a_price_that_gets_old_is_looked_at_again_by_itself(world: World) -> None:
    async with world.database.reading() as conn:
        row = await (await conn.execute("select now()")).fetchone()
    assert row
    world.now = row[0] - timedelta(days=14)
    await world.quote(1, 0.6)
    await world.target("polymarket:1")
    await world.rule()
    assert [s for s, _ in await world.evaluate()] == ["firing"]
    world.now = row[0] + timedelta(seconds=1)
    await asyncio.sleep(0.2)
    assert await world.evaluator.tick() == 1
    assert await world.why() == "Its last price is 14 days old (limit: 14 days)."
    [alert] = await world.alerts()
    assert alert.state == "firing"  # no data resolves nothing


async def test_an_alert_on_the_close_ends_at_the_close(world: World) -> None:
    await world.quote(1, 0.4, closes_at=T0 + 2 * HOUR)
    await world.target("polymarket:1")
    await world.rule(metric="hours_to_close", op="lt", threshold=24.0)
    assert [s for s, _ in await world.evaluate()] == ["firing"]
    world.passes(3 * 3600)
    assert [s for s, _ in await world.evaluate()] == ["resolved"]
    [alert] = await world.alerts()
    assert (alert.state, alert.resolution) == ("resolved", "expired")
    assert [s for s, _ in await world.evaluate()] == ["no_data"]


async def test_the_same_target_is_refused_twice(world: World) -> None:
    await world.quote(1, 0.4)
    await world.target("polymarket:1")
    with pytest.raises(Conflict, match="already has this target"):
        await world.target("polymarket:1")
    await world.target("BTC", "asset")
    with pytest.raises(Conflict, match="already has this target"):
        await world.watchlists.add_target(world.account, world.watchlist, "asset", "btc")
    with pytest.raises(InvalidInput, match=r"forecast of this asset\. Covered assets: BTC"):
        await world.watchlists.add_target(world.account, world.watchlist, "asset", "NOPE")


async def test_a_market_that_goes_and_comes_is_the_same(world: World) -> None:
    await world.quote(1, 0.6)
    await world.target("polymarket:1")
    await world.rule()
    await world.evaluate()
    async with world.database.transaction() as conn:
        await conn.execute("delete from markets")
    assert [s for s, _ in await world.evaluate()] == ["no_data"]
    world.passes(1)
    await world.quote(1, 0.7)
    assert await world.evaluator.tick() >= 1
    assert await world.evaluate() == [("firing", 0.7)]
    assert len(await world.alerts()) == 1


async def test_a_rule_for_all_holds_for_what_it_fits_now_and_later(world: World) -> None:
    await world.quote(1, 0.6)
    await world.quote(2, 0.6)
    await world.target("polymarket:1")
    await world.rule()
    await world.rule(metric="rvol_forecast")
    await world.target("polymarket:2")
    await world.target("BTC", "asset")
    assert len(await world.evaluate()) == 3


async def test_removing_ends_open_alerts(world: World) -> None:
    await world.quote(1, 0.6)
    target = await world.target("polymarket:1")
    rule = await world.rule()
    alone = await world.rule(target, severity="critical")
    await world.evaluate()
    await world.watchlists.delete_rule(world.account, world.watchlist, rule)
    [kept] = await world.alerts(state="firing")
    assert kept.rule_id == alone
    await world.watchlists.delete_target(world.account, world.watchlist, target)
    assert {(a.state, a.resolution) for a in await world.alerts()} == {("resolved", "removed")}
    assert await world.evaluate() == []
    with pytest.raises(NotFound):
        await world.watchlists.delete_target(world.account, world.watchlist, target)


async def test_the_feed_by_pages_and_filters(world: World) -> None:
    for n in range(5):
        await world.quote(n, 0.6)
        await world.target(f"polymarket:{n}")
    await world.rule()
    await world.rule(name="Very high", threshold=0.55, severity="critical")
    await world.evaluate()
    everything = await world.alerts()
    assert len(everything) == 10
    first = await world.alerts(limit=4)
    rest = await world.alerts(before=first[-1].seq)
    assert [a.id for a in first + rest] == [a.id for a in everything]
    assert len(await world.alerts(severity="critical")) == 5
    assert await world.alerts(since=world.now + SECOND) == []
    assert await world.alerts(state="resolved") == []


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"metric": "status", "threshold": 1.0}, "value"),
        ({"label": "resolved", "threshold": None}, "value"),
        ({"metric": "status", "threshold": None, "label": "closed", "op": "gt"}, "op"),
        ({"threshold": 60.0}, "value"),
        ({"span": HOUR}, "window"),
        ({"metric": "probability_change", "span": timedelta(minutes=1)}, "window"),
        ({"metric": "probability_zscore", "span": timedelta(days=8)}, "window"),
        ({"op": "eq", "hysteresis": 0.1}, "hysteresis"),
    ],
)
async def test_rules_that_make_no_sense(world: World, fields: Any, where: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await world.rule(**fields)
    assert isinstance(caught.value.detail, list)
    assert caught.value.detail[0]["loc"] == ["body", where]


async def test_targets_that_are_none(world: World) -> None:
    await world.quote(1, 0.4)
    for ref, kind, fields in (
        ("polymarket:9", "market", {}), ("polymarket:9", "event", {}), ("other:9", "event", {}),
        ("ser_" + "0" * 32, "series", {}), ("B T C", "asset", {}),
        ("polymarket:1", "market", {"outcome": "Maybe"}), ("BTC", "asset", {"outcome": "Yes"}),
    ):  # fmt: skip
        with pytest.raises(InvalidInput):
            await world.target(ref, kind, **fields)
    target = await world.target("polymarket:1")
    with pytest.raises(InvalidInput):
        await world.rule(target, metric="series_value")
    with pytest.raises(InvalidInput):
        await world.rule("tgt_" + "0" * 32)


async def test_a_watchlist_has_bounds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_PAIRS", 3)
    for n in range(2):
        await world.quote(n, 0.4)
        await world.target(f"polymarket:{n}")
    await world.rule()
    with pytest.raises(Conflict):
        await world.rule()
    assert len(await world.evaluate()) == 2

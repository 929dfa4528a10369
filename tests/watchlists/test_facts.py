"""Metrics over a real database: which value each has, and what is said where it has none."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.watchlists.conftest import SECOND, T0, World, market

from augury.rvol.store import Volatility

pytestmark = pytest.mark.anyio
HOUR = timedelta(hours=1)


async def test_of_a_group_the_foremost_speaks(world: World) -> None:
    for n, price in enumerate((0.1, 0.3, 0.7)):
        await world.quote(n, price, event_id="e", event_name="E")
    await world.target("polymarket:e", "event")
    await world.rule(op="gt")
    await world.rule(op="lt", threshold=0.2)
    assert await world.evaluate() == [("firing", 0.7), ("firing", 0.1)]
    high, low = sorted(await world.alerts(), key=lambda a: -a.value)
    assert high.record["market"]["id"] == "polymarket:2"
    assert low.record["market"]["id"] == "polymarket:0"


async def test_a_change_is_against_the_price_a_window_ago(world: World) -> None:
    await world.quote(1, 0.4)
    await world.target("polymarket:1")
    await world.rule(metric="probability_change", threshold=0.1)
    assert await world.why() == "No price is recorded from the start of the rule's window."
    world.passes(1800)
    await world.quote(1, 0.45)
    world.passes(1800)
    await world.quote(1, 0.55)
    assert await world.evaluate() == [("firing", pytest.approx(0.15))]
    world.passes(3600)  # it stands still, and the window moves on
    assert await world.evaluate() == [("resolved", 0.0)]


async def test_a_change_of_the_other_outcome(world: World) -> None:
    await world.quote(1, 0.4)
    target = await world.target("polymarket:1", outcome="No")
    await world.rule(target, metric="probability_change", op="lt", threshold=-0.1)
    world.passes(3600)
    await world.quote(1, 0.55)
    assert await world.evaluate() == [("firing", pytest.approx(-0.15))]


async def test_an_unusual_move_stands_out(world: World) -> None:
    hours = 96
    await world.quote(1, 0.4, observed_at=T0 - HOUR)
    flicker = [(T0 - n * HOUR - SECOND, 0.40 + 0.01 * (n % 2)) for n in range(hours + 1)]
    await world.history(1, flicker)
    await world.target("polymarket:1")
    await world.rule(metric="probability_zscore", threshold=4.0)
    [(state, value)] = await world.evaluate()
    assert state == "ok"
    world.passes(1)
    await world.quote(1, 0.55)
    [(state, value)] = await world.evaluate()
    assert state == "firing"
    assert value > 10


async def test_a_volume_spike_needs_a_past_of_its_own(world: World) -> None:
    await world.quote(1, 0.4, volume=1000.0)
    await world.target("polymarket:1")
    await world.rule(metric="volume_spike", threshold=5.0)
    assert "Fewer than 12" in (await world.why() or "")
    for hour in range(14):
        world.passes(3600)
        await world.quote(1, 0.4, volume=1000.0 + 100 * (hour + 1))
        await world.evaluate()
    assert await world.evaluate() == [("ok", pytest.approx(1.0))]
    world.passes(3600)
    await world.quote(1, 0.4, volume=3300.0)
    assert await world.evaluate() == [("firing", pytest.approx(9.0))]


async def test_divergence_looks_only_at_linked_contracts(world: World) -> None:
    await world.quote(1, 0.4)
    await world.put(
        *[_kalshi(name, price, world) for name, price in (("SAME", 0.47), ("OTHER", 0.9))]
    )
    await world.target("polymarket:1")
    await world.rule(metric="divergence", threshold=0.05)
    assert await world.why() == "No other venue has the same contract with a recent price."
    world.links = {"polymarket:1": [("kalshi:SAME", False)]}
    assert await world.evaluate() == [("firing", pytest.approx(0.07))]
    [alert] = await world.alerts()
    assert {e["id"] for e in alert.record["evidence"]} == {"polymarket:1", "kalshi:SAME"}
    world.links = {"polymarket:1": [("kalshi:SAME", True)]}  # Yes here is No there: 0.53
    assert await world.evaluate() == [("firing", pytest.approx(0.13))]


async def test_prices_of_other_times_do_not_diverge(world: World) -> None:
    await world.quote(1, 0.4)
    world.links = {"polymarket:1": [("kalshi:OTHER", False)]}
    await world.target("polymarket:1")
    await world.rule(metric="divergence", threshold=0.05)
    world.now -= 47 * 24 * HOUR
    old = _kalshi("OTHER", 0.9, world)
    world.now += 47 * 24 * HOUR
    await world.put(old)
    assert await world.evaluate() == [("no_data", None)]
    assert await world.why() == "No other venue has the same contract with a recent price."
    world.now += 3 * 24 * HOUR
    await world.put(_kalshi("OTHER", 0.9, world))
    assert await world.evaluate() == [("no_data", None)]
    assert await world.why() == "The venues' prices are from times more than a day apart."
    await world.quote(1, 0.4)
    assert await world.evaluate() == [("firing", pytest.approx(0.5))]


@pytest.mark.parametrize("status", ["closed", "resolved"])
async def test_a_rule_never_fires_on_the_old_price_of_an_ended_market(
    world: World, status: Any
) -> None:
    long_ago = T0 - 200 * 24 * HOUR
    await world.put(market(1, 0.9, status=status, price_as_of=long_ago, observed_at=long_ago))
    await world.target("polymarket:1")
    await world.rule()
    assert await world.evaluate() == [("no_data", None)]
    assert await world.why() == "Its last price is 200 days old (limit: 14 days)."


def _kalshi(name: str, price: float, world: World) -> Any:

    return market(name, price, world.now, id=f"kalshi:{name}", platform="kalshi")


@pytest.mark.parametrize(
    ("fields", "market", "expected"),
    [
        ({"metric": "spread", "threshold": 0.03}, {"best_bid": 0.4, "best_ask": 0.45}, 0.05),
        ({"metric": "volume_24h", "threshold": 10.0}, {"volume_24h": 20.0}, 20.0),
        (
            {"metric": "hours_to_close", "op": "lt", "threshold": 24.0},
            {"closes_at": T0 + 6 * HOUR},
            6.0,
        ),
        ({"metric": "staleness", "threshold": 60.0}, {"observed_at": T0 - HOUR,
                                                      "price_as_of": T0 - HOUR}, 3600.0),
        (
            {"metric": "status", "op": "eq", "threshold": None, "label": "resolved"},
            {"status": "resolved", "resolution": "Yes"},
            "resolved",
        ),
    ],
)  # fmt: skip
async def test_the_other_metrics_of_a_market(
    world: World, fields: dict[str, Any], market: dict[str, Any], expected: Any
) -> None:
    await world.quote(1, 0.4, **market)
    await world.target("polymarket:1")
    await world.rule(**fields)
    assert await world.evaluate() == [("firing", pytest.approx(expected))]


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        ("spread", "The order book lacks a bid or an ask."),
        ("volume_24h", "The venue does not report a 24-hour volume."),
        ("volume_spike", "The venue does not report a volume."),
        ("hours_to_close", "The market has no closing time."),
        (
            "probability_zscore",
            "The history is too short: fewer than 20 earlier price moves are recorded.",
        ),
    ],
)
async def test_what_is_not_known_says_why(world: World, metric: str, reason: str) -> None:
    await world.quote(1, 0.4)
    await world.target("polymarket:1")
    await world.rule(metric=metric)
    assert await world.evaluate() == [("no_data", None)]
    assert await world.why() == reason


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"closes_at": T0}, "The announced closing time has passed."),
        ({"closes_at": T0 - HOUR, "observed_at": T0}, "The announced closing time has passed."),
        ({"closes_at": T0 + HOUR, "status": "closed"}, "The market is already closed."),
        ({"closes_at": T0 + HOUR, "observed_at": T0 - 15 * 24 * HOUR,
          "price_as_of": T0 - 15 * 24 * HOUR}, "Its last price is 15 days old (limit: 14 days)."),
    ],
)  # fmt: skip
async def test_no_close_to_come_is_no_data(
    world: World, fields: dict[str, Any], reason: str
) -> None:
    await world.put(market(1, 0.4, **fields))
    await world.target("polymarket:1")
    await world.rule(metric="hours_to_close", op="lt", threshold=24.0)
    assert await world.evaluate() == [("no_data", None)]
    assert await world.why() == reason
    assert await world.alerts() == []


@pytest.mark.parametrize(
    "rule",
    [
        {"metric": "probability", "op": "gt", "threshold": 0.1},
        {"metric": "status", "op": "eq", "threshold": None, "label": "active"},
        {"metric": "volume_24h", "op": "gt", "threshold": 1.0},
    ],
)
async def test_what_was_said_before_the_close_says_nothing_after_it(
    world: World, rule: dict[str, Any]
) -> None:
    await world.put(market(1, 0.4, closes_at=T0 + HOUR, volume_24h=5.0))
    await world.target("polymarket:1")
    await world.rule(**rule)
    assert [state for state, _ in await world.evaluate()] == ["firing"]
    world.passes(2 * 3600)
    assert [state for state, _ in await world.evaluate()] == ["no_data"]
    why = "Its close has passed, and its venue has said nothing since (2026-05-01)."
    assert await world.why() == why
    assert len(await world.alerts(state="firing")) == 1  # no data ends no alert
    # The venue keeps it open past the close it named.
    await world.quote(1, 0.4, closes_at=T0 + HOUR, volume_24h=5.0)
    assert [state for state, _ in await world.evaluate()] == ["firing"]


async def test_volatility_is_no_data_until_it_is_there(world: World) -> None:
    await world.target("BTC", "asset")
    await world.rule(metric="rvol_ratio", threshold=1.5)
    assert await world.why() == "There is no volatility forecast for this asset."
    # What was realized is held against the forecast of that window, not against the newest.
    early = T0 - timedelta(days=8)
    world.readings = {"BTC": Volatility(T0, 0.9, early, None, 0.8)}
    assert await world.why() == "No completed window has both a forecast and a realized volatility."
    world.readings = {"BTC": Volatility(T0, 0.9, early, 0.4, 0.8)}
    assert await world.evaluate() == [("firing", 2.0)]

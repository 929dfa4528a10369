"""A quote held in quarantine counts nowhere: no rule, no divergence, no forecast, no graph."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
from pydantic import SecretStr

from augury.markets import store
from augury.markets.records import Market
from augury.services import running
from augury.settings import Settings
from augury.watchlists import store as watchlists
from augury.watchlists.observe import Observer
from augury.watchlists.rules import Rule
from augury.watchlists.store import Target

pytestmark = pytest.mark.anyio

NOW = datetime.now(UTC).replace(microsecond=0)
CLOSES = NOW + timedelta(days=200)
QUESTION = f"Will Freedonia join the customs union by {CLOSES:%B} {CLOSES.day}, {CLOSES.year}?"
DRAWN = f"Will the US fall into recession in {NOW.year + 1}?"
CAUSE = f"Will the US unemployment rate rise above 6% in {NOW.year + 1}?"


def made(market_id: str, question: str, price: float, minute: int, **book: Any) -> Market:
    """A market as an import brings it, quoted `minute` minutes after the first quotes."""
    platform, _, own = market_id.partition(":")
    at = NOW - timedelta(hours=2) + timedelta(minutes=minute)
    return Market(
        id=market_id, platform=platform, platform_id=own, question=question, title=question,  # type: ignore[arg-type]
        prices=(price, round(1 - price, 6)), price_as_of=at, observed_at=at, origin="dump",
        closes_at=CLOSES, **book,
    )  # fmt: skip


def catalogue(price: float, minute: int, **book: Any) -> list[Market]:
    """What one price makes of the market asked about and of the one that bears on a graph."""
    return [
        made("kalshi:UNION", QUESTION, price, minute, **book),
        made("kalshi:JOBS", CAUSE, price, minute, **book),
    ]


class Told(NamedTuple):
    forecast: float | None
    rule: float | str | None
    divergence: tuple[float | str | None, ...]
    """Of the market and of its twin."""
    node: float | None
    shown: bool
    """Whether any answer holds the price that was held."""


async def told(services: Any, price: float) -> Told:
    await services.search.catch_up()
    forecast = await services.forecast.forecast(QUESTION)
    drawn = await services.graph.build(DRAWN, estimate=False)
    nodes = {market.id: node for node in drawn.graph.nodes for market in node.markets}
    rules = {
        metric: Rule(id=metric, metric=metric, op="gt", threshold=0.05)
        for metric in ("probability", "divergence")
    }
    ends = {"t": "kalshi:UNION", "u": "polymarket:1"}
    held, twin = (Target(i, "w", "market", ref, None, None, NOW, NOW) for i, ref in ends.items())

    async def members(conn: Any, ids: Any) -> list[tuple[str, str]]:
        return list(ends.items())

    async def linked(conn: Any, seqs: Any) -> dict[int, list[tuple[int, bool]]]:
        one, other = (market.seq for market in await store.fetch(conn, list(ends.values())))
        return {one: [(other, False)], other: [(one, False)]}

    kept, watchlists.target_members = watchlists.target_members, members
    try:
        async with services.database.reading() as conn:
            asked = [(rules["probability"], held), (rules["divergence"], held),
                     (rules["divergence"], twin)]  # fmt: skip
            looks = await Observer(find_twins=linked).measure(conn, asked, datetime.now(UTC))
    finally:
        watchlists.target_members = kept
    evidence = [one.market.price(0) for one in forecast.estimate.evidence]
    node = nodes["kalshi:JOBS"].probability if "kalshi:JOBS" in nodes else None
    seen = [
        forecast.estimate.probability,
        *evidence,
        node,
        *(look.observation.value for look in looks),
    ]
    rule, *apart = (look.observation.value for look in looks)
    return Told(forecast.estimate.probability, rule, tuple(apart), node, price in seen)


async def test_a_held_quote_is_in_no_rule_divergence_forecast_or_graph(
    database_url: str, settings: Settings
) -> None:
    settings = settings.model_copy(
        update={"database_url": SecretStr(database_url), "sync": "off", "sample": "off"}
    )
    async with running(settings) as services:

        async def put(*markets: Market) -> dict[str, int]:
            async with services.database.transaction() as conn:
                return dict((await store.upsert_markets(conn, markets)).held)

        twin = made("polymarket:1", "Will Freedonia enter the union?", 0.45, 0)
        assert await put(twin, *catalogue(0.57, 0)) == {}
        sound = await told(services, 0.57)
        assert sound.forecast == pytest.approx(0.57, abs=0.1)
        assert (sound.rule, sound.node, sound.shown) == (0.57, 0.57, True)
        assert sound.divergence == pytest.approx((0.12, 0.12))

        # The same, a hundred times too small, between the ticks of its venue: held.
        bad = {"best_bid": 0.0055, "best_ask": 0.0059}
        assert await put(*catalogue(0.0057, 60, **bad)) == {"unit": 2}
        held = await told(services, 0.0057)
        assert (held.rule, held.node, held.shown) == (None, None, False)
        assert held.divergence == (None, None)
        assert held.forecast != 0.0057

        # Given back, it counts: what was missing was the quote and nothing else.
        assert await services.markets.release(reason="unit") == (2, 0)
        free = await told(services, 0.0057)
        assert (free.rule, free.node, free.shown) == (0.0057, 0.0057, True)
        assert free.divergence == pytest.approx((0.4443, 0.4443))

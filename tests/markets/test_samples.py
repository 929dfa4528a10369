"""The sample catalogue: broad, marked, coherent, quick, and gone when real markets come."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta

import pytest

from augury.markets import samples, store
from augury.markets.grouping import infer
from augury.markets.records import Market, MarketType
from augury.markets.service import MarketService
from augury.markets.sides import EventMember
from augury.storage.database import Database

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
DOMAINS = {
    "macro", "rates", "crypto", "commodities", "us-politics", "world-politics", "wars", "tech",
    "science", "weather", "health", "entertainment", "soccer", "nba", "mlb", "nfl", "tennis",
    "esports",
}  # fmt: skip
INTENDED: dict[samples.Kind, MarketType] = {
    "single": "binary", "versus": "binary", "winner": "winner_take_all",
    "buckets": "sum_to_one", "ladder": "threshold_ladder", "deadlines": "threshold_ladder",
}  # fmt: skip


def by_event(markets: list[Market]) -> dict[str, list[Market]]:
    events: dict[str, list[Market]] = defaultdict(list)
    for market in markets:
        events[f"{market.platform}:{market.event_id}"].append(market)
    return events


def kinds() -> dict[str, samples.Kind]:
    return {
        f"{e.platform}:{'SAMPLE' if e.platform == 'kalshi' else 'sample'}-{e.id}": e.kind
        for e in samples.load()
    }


def test_breadth() -> None:
    markets, _ = samples.generate(NOW)
    assert 280 <= len(markets) <= 340
    assert {m.tags[0] for m in markets} == DOMAINS
    for platform in ("polymarket", "kalshi"):
        assert sum(m.platform == platform for m in markets) > 100
    assert {m.status for m in markets} == {"active", "closed", "resolved"}
    assert len({m.id for m in markets}) == len(markets)
    assert set(kinds().values()) == set(INTENDED)


def test_every_record_is_marked() -> None:
    markets, points = samples.generate(NOW)
    for m in markets:
        assert m.origin == "sample"
        assert "sample" in m.tags
        assert m.id.startswith(("polymarket:sample-", "kalshi:SAMPLE-"))
        assert m.url is None, "there is nothing to link to"
        assert "{" not in m.question + (m.description or "") + (m.event_name or "")
    assert {p.source for p in points} == {"sample"}


@pytest.mark.parametrize(
    "at", [NOW, datetime(2027, 1, 1, tzinfo=UTC), datetime(2028, 2, 29, 23, 59, tzinfo=UTC)]
)
def test_dates_follow_the_moment_of_loading(at: datetime) -> None:
    markets, points = samples.generate(at)
    for m in markets:
        assert m.closes_at is not None
        assert m.created_at is not None
        assert (m.closes_at > at) == (m.status == "active"), m.question
        assert (m.resolution is not None) == (m.status == "resolved")
        assert m.price_as_of is not None
        assert m.price_as_of <= at
        assert m.resolved_at is None or m.resolved_at <= at
    assert all(at - timedelta(days=90) <= p.at <= at for p in points)


def test_the_same_moment_gives_the_same_sample() -> None:
    assert samples.generate(NOW) == samples.generate(NOW)


def test_types_are_inferred_as_intended() -> None:
    markets, _ = samples.generate(NOW)
    fields = set(EventMember.__struct_fields__)
    for event, kind in kinds().items():
        members = [
            EventMember(**{f: getattr(m, f) for f in fields}) for m in by_event(markets)[event]
        ]
        found = {g.market_type for g in infer(members).values()}
        assert found == {INTENDED[kind]}, event


def test_prices_are_coherent_now_and_ever() -> None:
    markets, points = samples.generate(NOW)
    paths: dict[str, dict[datetime, float]] = defaultdict(dict)
    for point in points:
        paths[point.market_id][point.at] = point.price
    for event, kind in kinds().items():
        members = by_event(markets)[event]
        times = list(paths[members[0].id])
        assert len(times) > 80
        for at in times:
            prices = [paths[m.id][at] for m in members]
            assert all(0 < p < 1 for p in prices)
            if kind in ("winner", "buckets"):
                assert sum(prices) == pytest.approx(1, abs=0.01), event
            elif kind in ("ladder", "deadlines"):
                # the file lists ladders from likely to unlikely, deadlines from early to late
                ordered = prices if kind == "deadlines" else prices[::-1]
                assert ordered == sorted(ordered), event
        for m in members:
            if m.status != "resolved":
                assert paths[m.id][times[-1]] == m.prices[0]


def test_twins_on_both_venues_agree() -> None:
    markets, _ = samples.generate(NOW)
    chance = {m.question: m.prices[0] for m in markets}
    for kalshi, polymarket in (
        ("Will the US enter a recession by the end of 2027?", "US recession in 2027?"),
        (
            "What will the Fed do at its December 2026 meeting? — Cut by 25 bps",
            "Fed decreases interest rates by 25 bps after the December 2026 meeting?",
        ),
        (
            "English Premier League champion this season? — Arsenal",
            "Will Arsenal win the Premier League this season?",
        ),
    ):
        one, other = chance[kalshi], chance[polymarket]
        assert one == pytest.approx(other, abs=0.03)


@pytest.mark.anyio
async def test_an_empty_catalogue_is_filled_once(database: Database) -> None:
    service = MarketService(database, clock=lambda: NOW)
    added = await service.ensure_sample()
    assert added == len(samples.generate(NOW)[0])
    assert await service.ensure_sample() == 0
    history = await service.history("kalshi:SAMPLE-RECESSION", interval_minutes=1440)
    assert len(history.series[0]) > 55


@pytest.mark.anyio
async def test_real_markets_keep_the_sample_out(database: Database) -> None:
    real = Market(id="kalshi:A", platform="kalshi", platform_id="A", question="A?", title="A?")
    async with database.transaction() as conn:
        await store.upsert_markets(conn, [real])
    assert await MarketService(database, clock=lambda: NOW).ensure_sample() == 0

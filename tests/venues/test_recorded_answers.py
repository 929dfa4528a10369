"""The transforms over answers recorded from the venues, kept outside the repository."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from augury.markets.records import Market
from augury.venues import kalshi_queries, kalshi_records, polymarket_queries, polymarket_records
from augury.venues.records import Refusal

WIRE = Path(__file__).parents[3] / "shared" / "data" / "wire"
NOW = datetime(2026, 2, 1, tzinfo=UTC)

pytestmark = pytest.mark.skipif(
    not WIRE.is_dir(), reason="the recorded answers (../shared/data/wire) are not here"
)


def recorded(name: str) -> Any:
    return json.loads((WIRE / name).read_text(encoding="utf-8"))


def test_gamma_markets() -> None:
    found = [polymarket_records.market(wire, NOW) for wire in recorded("gamma_markets_page.json")]
    assert not [f for f in found if isinstance(f, Refusal)]
    for wire, market in zip(recorded("gamma_markets_page.json"), found, strict=True):
        assert isinstance(market, Market)
        labeled = float(json.loads(wire["outcomePrices"])[0])
        assert market.prices[0] == pytest.approx(labeled, abs=0.05)
        assert all(len(token) >= 70 for token in market.token_ids)
        assert market.event_name


def test_gamma_events_of_the_first_years() -> None:
    found = [
        polymarket_records.market(wire, NOW)
        for event in recorded("gamma_events_page.json")
        for wire in polymarket_queries.event_markets(event)
    ]
    assert found
    assert all(isinstance(m, Market) and m.status == "resolved" and m.resolution for m in found)


def test_price_histories() -> None:
    for name in ("clob_prices_history_1d.json", "clob_prices_history_1w_f5.json"):
        points = polymarket_records.history(recorded(name), "polymarket:1", 0)
        assert len(points) > 1_000
        assert points == sorted(points, key=lambda p: p.at)


def test_kalshi_markets() -> None:
    found = [kalshi_records.market(wire, NOW) for wire in recorded("kalshi_markets_page.json")]
    assert all(isinstance(m, Market) for m in found), found
    # Inactive markets show 0/0/1 in every price: no quote.
    assert all(
        m.prices == (None, None) for m in found if isinstance(m, Market) and m.status == "closed"
    )


def test_kalshi_parlays_are_all_refused() -> None:
    found = [
        kalshi_records.market(wire, NOW)
        for wire in recorded("kalshi_markets_page_mve.json")["markets"]
    ]
    assert Counter(f.reason for f in found if isinstance(f, Refusal)) == {"parlay": len(found)}


def test_kalshi_events_page() -> None:
    records, cursor = kalshi_queries.read_page(recorded("kalshi_events_page.json"), "events")
    assert len(records) == 100
    assert cursor


def test_candles() -> None:
    new = kalshi_records.candles(
        recorded("kalshi_candlesticks_2026_dollars_excerpt.json"), "kalshi:X"
    )
    assert [(p.price, p.volume) for p in new] == [(0.69, 1), (0.71, 3)]
    rows = recorded("kalshi_candles_2025-08_parquet_rows.json")
    old = kalshi_records.candles({"candlesticks": rows}, "kalshi:X")
    assert (old[0].price, old[0].volume) == (0.61, 76)
    assert all(0 < p.price < 1 for p in old)

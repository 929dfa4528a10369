"""Snapshots of markets, as the index holds them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np
from tests.forecast.conftest import market

from augury.forecast.engine import Engine
from augury.forecast.evidence import Estimate, Snapshot
from augury.forecast.normalize import normalize
from augury.markets.records import Market


def snapshot(of: Market, seq: int = 1, **more: object) -> Snapshot:
    known = {name: getattr(of, name) for name in Snapshot._fields if hasattr(of, name)}
    fields = {**dict.fromkeys(Snapshot._fields), **known, "seq": seq, "market_type": "binary"}
    return Snapshot(
        **{**fields, "outcomes": list(of.outcomes), "prices": list(of.prices)}
    )._replace(**more)


def answered(question: str, prices: Mapping[str, float], at: datetime) -> Estimate:
    """The engine's answer, by rules alone, from markets with these titles and prices. They name no
    event of the venue, were priced at `at` and close at the end of 2026."""
    engine = Engine(lambda texts: np.full((len(texts), 4), 0.5, np.float32), lambda _: 0.01)
    closes = datetime(2026, 12, 31, tzinfo=UTC)
    markets = [
        snapshot(market(n, title, price, "2026-12-31"), n, price_at=at, closes_at=closes)
        for n, (title, price) in enumerate(prices.items(), 1)
    ]
    return engine.answer(normalize(question, at), markets, at)

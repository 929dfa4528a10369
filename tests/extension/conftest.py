"""The whole application over a small catalogue of games and other markets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from tests.net.conftest import trap  # noqa: F401

from augury import background
from augury.app import create_app
from augury.markets import store
from augury.markets.records import Market
from augury.settings import Settings

NOW = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
SOON = (NOW + timedelta(days=2)).replace(hour=23)


def market(id: str, question: str, **more: Any) -> Market:
    platform, _, own = id.partition(":")
    fields = {
        "title": question,
        "prices": (0.6, 0.4),
        "price_as_of": NOW,
        "closes_at": NOW + timedelta(days=60),
        "liquidity": 50_000.0,
        "volume": 100_000.0,
        "best_bid": 0.59,
        "best_ask": 0.61,
        "observed_at": NOW,
        "url": f"https://example.org/{own}",
    }
    return Market(id=id, platform=platform, platform_id=own, question=question, **(fields | more))  # type: ignore[arg-type]


GAMES = [
    market(
        f"polymarket:{n}", f"{away} vs. {home}{rest}", closes_at=at, slug=f"nba-a-b-{at:%Y-%m-%d}"
    )
    for n, (away, home, rest, at) in enumerate(
        [
            ("Suns", "Magic", "", SOON),
            ("Suns", "Magic", ": O/U 230.5", SOON),
            ("Suns", "Magic", "", SOON - timedelta(days=30)),
            ("Lakers", "Celtics", "", SOON),
        ],
        101,
    )
]
OTHERS = [
    market("polymarket:1", "Will the Fed cut rates in December?"),
    market("polymarket:2", "Will the Fed hike rates this year?", prices=(0.02, 0.98)),
    market("polymarket:3", "Will the Fed chair be assassinated?"),
    market("polymarket:4", "Will the Fed cut rates twice?", liquidity=1.0, volume=1.0),
    market("polymarket:5", "Fed rates after the last meeting?", status="closed"),
    market("polymarket:6", "Will the Fed cut rates and end quantitative tightening in December?"),
    market("polymarket:7", "Will Bitcoin reach $200,000?"),
    market("polymarket:8", "Will the Lakers win the NBA Finals?"),
    market("kalshi:KXX-1", "Will it rain in Paris?", prices=(None, None), price_as_of=None),
]
FILLING = [
    market(f"kalshi:KXFILL-{n}", f"Will measure {n} pass in the town of Number{n}?", volume=1.0)
    for n in range(100)
]
"""So that a word in ten markets is a rare one."""


@dataclass
class Service:
    app: FastAPI
    client: httpx2.AsyncClient
    key: str

    async def post(
        self, path: str, body: dict[str, Any], *, key: str | None = ""
    ) -> httpx2.Response:
        """With the service's key, another, or none."""
        token = self.key if key == "" else key
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return await self.client.post(f"/extension/v1/{path}", json=body, headers=headers)


@pytest.fixture
async def service(database_url: str, settings: Settings) -> AsyncIterator[Service]:
    own = settings.model_copy(
        update={
            "database_url": SecretStr(database_url),
            "search_rate": "1000/s",
            "extension_fetch": "on",
        }
    )
    app = create_app(own, elsewhere=background.nothing)
    async with app.router.lifespan_context(app):
        services = app.state.services
        async with services.database.transaction() as conn:
            await store.lock_for_ingest(conn)
            await store.upsert_markets(conn, [*GAMES, *OTHERS, *FILLING])
        await services.search.catch_up()
        await services.extension.catch_up()
        _, key = await services.access.create_key("reader", ["search:read"])
        async with httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app), base_url="http://test"
        ) as client:
            yield Service(app, client, key)

"""A small catalogue in both venues' manners, simulators that speak it, and syncs against them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from tests.serving import served
from tests.venues.simulator import Simulator

from augury.markets.records import Market, Platform, Strike
from augury.settings import Settings
from augury.storage.database import Database
from augury.venues.http import VenueClient
from augury.venues.kalshi import Kalshi
from augury.venues.polymarket import Polymarket
from augury.venues.records import Venue
from augury.venues.sync import Sync

NOW = datetime.now(UTC).replace(microsecond=0)


def make(platform: Platform, own: str, question: str, price: float | None, **fields: Any) -> Market:
    """A market with sensible fields; `price` of the first outcome."""
    given: dict[str, Any] = {
        "title": question,
        "outcomes": ("Yes", "No"),
        "status": "active",
        "created_at": NOW - timedelta(days=20),
        "closes_at": NOW + timedelta(days=20),
        "event_id": f"7{own}" if platform == "polymarket" else f"{own}-E",
        "event_name": question,
        "category": "World",
        "tags": ("World",),
        "volume": 1234.0,
        "volume_24h": 56.0,
        "description": f"Rules of {question}",
        "exclusive": False,
        "observed_at": NOW,
    }
    return Market(
        id=f"{platform}:{own}",
        platform=platform,
        platform_id=own,
        question=question,
        prices=(None, None) if price is None else (price, round(1 - price, 6)),
        price_as_of=None if price is None else NOW,
        **{**given, **fields},
    )


def small_catalogue() -> list[Market]:
    """Two dozen markets: events of one and of several, sides, ladders, closed and resolved."""
    markets = [
        make("polymarket", "101", "Will it rain in Paris on May 1?", 0.31, slug="rain"),
        make("polymarket", "102", "Lions vs. Tigers", 0.62, outcomes=("Lions", "Tigers")),
        make("polymarket", "103", "Will nobody quote this?", None),
        make("polymarket", "104", "Has it ended?", None, status="closed"),
        make(
            "polymarket",
            "105",
            "Did it happen?",
            1.0,
            status="resolved",
            resolution="Yes",
            resolved_at=NOW - timedelta(hours=5),
            closes_at=NOW - timedelta(hours=6),
        ),
    ]
    markets += [
        make(
            "polymarket",
            f"{110 + i}",
            f"Will {name} win the cup?",
            price,
            subtitle=name,
            event_id="700",
            event_name="Who wins the cup?",
            exclusive=True,
        )
        for i, (name, price) in enumerate((("Ada", 0.2), ("Bea", 0.5), ("Cleo", 0.25)))
    ]
    markets += [
        make(
            "kalshi",
            f"KXRATE-26-T{level}",
            f"Where will the rate be? — Above {level}%",
            price,
            title="Where will the rate be?",
            subtitle=f"Above {level}%",
            event_id="KXRATE-26",
            event_name="Where will the rate be?",
            series_id="KXRATE",
            strike=Strike(kind="greater", floor=float(level), cap=None),
        )
        for level, price in ((3, 0.9), (4, 0.5), (5, 0.12))
    ]
    markets += [
        make("kalshi", "KXQUIET-26", "Will it be quiet?", None, event_id="KXQUIET-26"),
        make("kalshi", "KXSHUT-26", "Has it shut?", None, status="closed", event_id="KXSHUT-26"),
        make(
            "kalshi",
            "KXDONE-26",
            "Was it done?",
            0.0,
            status="resolved",
            resolution="No",
            resolved_at=NOW - timedelta(hours=5),
            closes_at=NOW - timedelta(hours=6),
            event_id="KXDONE-26",
        ),
        make("kalshi", "KXLONE-26", "Will it stand alone?", 0.4, event_id="KXLONE-26"),
    ]
    return markets


@pytest.fixture
def catalogue() -> list[Market]:
    return small_catalogue()


@pytest.fixture
def serve() -> Iterator[Callable[[Simulator], int]]:
    """Serve a simulator until the test ends; returns its port."""
    with ExitStack() as stack:
        yield lambda simulator: stack.enter_context(served(simulator))


def venue_at(
    platform: Platform, base: str, *, clob: str | None = None, **options: Any
) -> tuple[Venue, VenueClient]:
    """A connector that asks a simulator; no rate limit, one attempt, short deadline."""
    # Plain HTTP needs no certificates: loading them would cost 20 ms each time.
    options.setdefault("transport", httpx2.AsyncHTTPTransport(verify=_no_certificates()))
    options = {"limits": {}, "deadline": 5.0, "attempts": 1, **options}
    if platform == "polymarket":
        client = VenueClient(platform, {"gamma": base, "clob": clob or base}, **options)
        return Polymarket(client), client
    client = VenueClient(platform, {"api": base}, **options)
    return Kalshi(client), client


def _no_certificates() -> Any:
    import ssl

    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def bases(port: int, platform: Platform) -> tuple[str, str | None]:
    """The simulator's URLs of a venue: its base, and Polymarket's price history."""
    home = f"http://127.0.0.1:{port}"
    return (f"{home}/gamma", f"{home}/clob") if platform == "polymarket" else (
        f"{home}/kalshi", None,
    )  # fmt: skip


@pytest.fixture
async def sync_with(database: Database, settings: Settings) -> AsyncIterator[Callable[..., Sync]]:
    """A sync over the test's database against a port's simulator."""
    clients: list[VenueClient] = []

    def build(
        port: int, platforms: Sequence[Platform] = ("polymarket", "kalshi"), **options: Any
    ) -> Sync:
        venues: dict[Platform, Venue] = {}
        for platform in platforms:
            base, clob = bases(port, platform)
            venues[platform], client = venue_at(platform, base, clob=clob, **options)
            clients.append(client)
        return Sync(database, settings, venues=venues, patience=0)

    yield build
    for client in clients:
        await client.aclose()

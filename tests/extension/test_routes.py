"""The extension routes over the application, a real index and a real database."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.extension.conftest import SOON, Service
from tests.net import hostile
from tests.net.conftest import Trap

from augury.http import openapi

pytestmark = pytest.mark.anyio

RATES = {"title": "Fed weighs a cut in rates in December | Example News"}


async def found(service: Service, body: Mapping[str, object], path: str = "search") -> list[str]:
    answer = await service.post(path, dict(body))
    assert answer.status_code == 200, answer.text
    return [result["id"] for result in answer.json()["results"]]


async def test_markets_for_a_page(service: Service) -> None:
    answer = (await service.post("search", {**RATES, "limit": 3})).json()
    assert (answer["route"], answer["fixture"]) == ("search", None)
    assert answer["query_used"] == "Fed weighs a cut in rates in December"
    first = answer["results"][0]
    assert first["id"] in ("polymarket:1", "polymarket:6")
    assert first["current_prices"] == {"Yes": 0.6, "No": 0.4}
    assert first["price_as_of"].endswith("Z")
    assert first["why"].startswith("The page is about ")
    assert {result["status"] for result in answer["results"]} == {"active"}
    assert len(answer["results"]) == 3


async def test_by_address_text_and_query(service: Service) -> None:
    for body in (
        {"url": "https://example.org/2026/11/fed-cut-rates-december.html"},
        {"text": "Will the Fed cut rates in December? Economists are divided."},
        {"title": "Weather today", "query": "Fed cut rates December"},
    ):
        assert (await found(service, {**body, "limit": 2}))[0] in ("polymarket:1", "polymarket:6")


async def test_a_sports_page_goes_to_sports_search(service: Service) -> None:
    body = {"title": f"Suns at Magic, {SOON:%B %d}: odds, injury report and how to watch"}
    answer = (await service.post("search", body)).json()
    assert answer["route"] == "sports"
    assert answer["fixture"]["league"] == "nba"
    assert (answer["fixture"]["home"], answer["fixture"]["away"]) == ("Magic", "Suns")
    assert [r["id"] for r in answer["results"]] == ["polymarket:101", "polymarket:102"]
    assert answer["results"][0]["why"].startswith("Who wins the page's game: Suns vs Magic, ")


async def test_sports_modes(service: Service) -> None:
    game = {"league": "NBA", "home": "Orlando", "away": "Phoenix", "starts_at": SOON.isoformat()}
    assert await found(service, {"mode": "fixture", "fixture": game}, "sports-search") == [
        "polymarket:101",
        "polymarket:102",
    ]
    unknown = {"mode": "fixture", "fixture": {**game, "home": "Miami"}}
    assert await found(service, unknown, "sports-search") == []
    assert await found(service, {"title": "NBA news", "mode": "fixture"}, "sports-search") == []
    lakers = {"title": "Lakers vs Celtics: NBA preview"}
    assert await found(service, lakers, "sports-search") == ["polymarket:104"]
    direct = await found(service, {**lakers, "mode": "direct"}, "sports-search")
    assert "polymarket:104" in direct
    assert (await found(service, {"title": "Lakers news", "mode": "auto"}, "sports-search"))[:1]


@pytest.mark.parametrize("ads_mode", ["fast", "thorough"])
async def test_ads_show_what_is_fit(service: Service, ads_mode: str) -> None:
    body = {**RATES, "mode": "ads", "ads_mode": ads_mode, "limit": 10}
    assert set(await found(service, body)) == {"polymarket:1", "polymarket:6"}
    # nothing in common, nothing shown
    assert await found(service, {**body, "title": "A recipe for lasagna"}) == []


async def test_thorough_ads_read_the_text(service: Service) -> None:
    body = {"title": "What the Fed will do in December", "mode": "ads", "ads_mode": "thorough"}
    for text, first in (
        ("It may cut interest rates, say economists.", "polymarket:1"),
        ("It may end quantitative tightening, say economists.", "polymarket:6"),
    ):
        assert (await found(service, {**body, "text": text}))[0] == first


async def test_a_graph(service: Service) -> None:
    answer = await service.post("graph", RATES)
    assert answer.status_code == 200
    assert answer.json()["nodes"][0]["id"] == "question"


async def test_prices(service: Service) -> None:
    ids = ["polymarket:1", "kalshi:KXX-1", "polymarket:none", "x\0y", "polymarket:1"]
    prices = (await service.post("prices", {"ids": ids[:3] + ids[4:]})).json()["prices"]
    assert set(prices) == {"polymarket:1", "kalshi:KXX-1"}
    assert prices["polymarket:1"]["current_prices"] == {"Yes": 0.6, "No": 0.4}
    assert prices["kalshi:KXX-1"] == {
        "current_prices": None,
        "price_as_of": None,
        "status": "active",
        "stale": False,
        "origin": "live",
    }
    assert (await service.post("prices", {"ids": ["x"] * 101})).status_code == 422
    assert (await service.post("prices", {"ids": []})).status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        {}, {"title": " "}, {"title": "\u200b", "url": "https://x.org/"}, {"title": 5},
        {"title": "x", "mode": "loud"}, {"title": "x", "ads_mode": "slow"},
        {"title": "x", "limit": 0}, {"title": "x", "limit": 101}, {"title": "x" * 501},
        {"url": "x" * 2049}, {"title": "x", "limit": True},
    ],
)  # fmt: skip
async def test_what_is_refused(service: Service, body: dict[str, object]) -> None:
    assert (await service.post("search", body)).status_code == 422


async def test_who_may_ask(service: Service) -> None:
    assert (await service.post("search", RATES, key=None)).status_code == 200
    assert (await service.post("search", RATES, key=None)).status_code == 429
    for path in ("search", "sports-search", "graph", "prices"):
        assert (await service.post(path, RATES, key="aug_nonsense")).status_code == 401


async def test_no_page_inside_is_fetched(service: Service, trap: Trap) -> None:
    """R12: fetching is on, and the guard stands before it."""
    for url in [u for u in hostile.urls(trap.port) if len(u) <= 2048][::4]:
        answer = await service.post("search", {"url": url})
        assert answer.status_code in (200, 422), url
    assert trap.caught == []


async def test_every_shape_has_an_example(service: Service) -> None:
    document = openapi.document(service.app, "all")
    for name, schema in document["components"]["schemas"].items():
        if name.startswith(
            ("Page", "PricesRe", "SearchPage", "SportsPage", "Fixture", "MarketPrice")
        ):
            assert schema.get("examples"), name


async def test_a_sports_page_shows_markets_of_sports_alone(service: Service) -> None:
    answer = await service.post(
        "sports-search", {"title": "Lakers rates: who will win the NBA Finals?", "mode": "direct"}
    )
    shown = [result["id"] for result in answer.json()["results"]]
    assert shown[0] == "polymarket:8"
    assert not {"polymarket:1", "polymarket:2"} & set(shown)


async def test_a_venue_s_own_page_leads_to_its_market_and_no_other_game(service: Service) -> None:
    answer = await service.post(
        "search", {"url": "https://polymarket.com/event/suns-vs-magic-game-3"}
    )
    assert answer.json()["fixture"] is None

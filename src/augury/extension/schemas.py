"""Request and response schemas of the extension's API, which finds markets for web pages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from augury.clock import isoformat
from augury.extension.fixtures import Fixture
from augury.extension.names import league_of, name
from augury.extension.page import WebPage
from augury.extension.service import AdsMode, Mode, PageAnswer, Shown, SportsMode
from augury.extension.times import EASTERN, Start
from augury.graph.schemas import GRAPH_EXAMPLE, PublicCausalGraph, public
from augury.graph.service import Drawn
from augury.http.fields import BodyMoment
from augury.markets.freshness import Standing
from augury.markets.records import (
    ORIGINS,
    SHOWN_ORIGINS,
    Platform,
    ShownOrigin,
    Status,
    priced,
)
from augury.markets.store import Quote
from augury.search.schemas import MAX_QUERY, WholeNumber

MAX_URL, MAX_TITLE, MAX_TEXT, MAX_IDS = 2048, 500, 50_000, 100

Side = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=100)]
Limit = Annotated[
    WholeNumber,
    Field(
        ge=1,
        description="Maximum number of markets. Largest value: 20 without a key, 100 with one, "
        "unless the operator has set other limits.",
    ),
]

_PAGE = {
    "url": "https://example.org/economy/fed-holds-rates-december",
    "title": "Fed holds rates, December cut in doubt",
}
_MARKET: dict[str, Any] = {
    "id": "kalshi:KXFEDDECISION-26DEC-C25",
    "platform": "kalshi",
    "question": "Fed decision in December? — Cut 25bps",
    "outcomes": ["Yes", "No"],
    "status": "active",
    "platform_url": "https://kalshi.com/markets/kxfeddecision",
    "score": 7.41,
    "dimension": "direct",
    "why": "The page is about Fed and Cut.",
    "current_prices": {"Yes": 0.62, "No": 0.38},
    "price_as_of": "2026-11-21T09:30:00Z",
    "closes_at": "2026-12-09T19:00:00Z",
    "volume": 48210.0,
    "event_id": "KXFEDDECISION-26DEC",
    "stale": False,
    "origin": "live",
    "twin_ids": [],
    "reason": "The page is about Fed and Cut.",
}
_FIXTURE = {
    "league": "nba",
    "home": "Magic",
    "away": "Suns",
    "starts_at": "2026-04-01T23:00:00Z",
}


def _response_config(example: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [example]})


def _request_config(example: dict[str, Any]) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})


class PageRequest(BaseModel):
    """A web page to find markets for. At least one of the fields must contain a word."""

    model_config = _request_config(_PAGE)

    url: str | None = Field(
        None,
        max_length=MAX_URL,
        strict=True,
        description="Address of the page. The words in the address are read; the page itself is "
        "fetched only if neither title, text nor query is given, the request has a key, and the "
        "operator allows it.",
    )
    title: str | None = Field(
        None, max_length=MAX_TITLE, strict=True, description="Title of the page."
    )
    text: str | None = Field(
        None, max_length=MAX_TEXT, strict=True, description="Text of the page, from its beginning."
    )
    query: str | None = Field(
        None,
        max_length=MAX_QUERY,
        strict=True,
        description="Search for this instead of the page's own words.",
    )

    def page(self) -> WebPage:
        """The web page that the request describes, in the form that `ExtensionService` takes."""
        return WebPage(self.url or "", self.title or "", self.text or "", self.query or "")


class SearchPageRequest(PageRequest):
    """A web page to find markets for, and how to choose the markets."""

    model_config = _request_config({**_PAGE, "mode": "ads", "ads_mode": "thorough", "limit": 3})

    mode: Mode = Field(
        "extension",
        description="extension: all markets on the page's subject. ads: only those that suit any "
        "audience: active, liquid, with an open outcome, and on an inoffensive subject.",
    )
    ads_mode: AdsMode = Field(
        "fast",
        description="Used only if `mode` is ads. fast: markets in the order of the search. "
        "thorough: more candidates, ranked again by the names in the page's text, by trading "
        "volume and by how uncertain the outcome is.",
    )
    sports_mode: SportsMode = Field(
        "auto",
        description="For a page on sports. fixture: only markets on the page's game. direct: "
        "markets on the page's subject. auto: fixture if the page's game has markets, else direct.",
    )
    limit: Limit = 10


class FixtureRequest(BaseModel):
    """A game of two teams or players, named by the caller instead of read from the page."""

    model_config = _request_config(_FIXTURE)

    league: Side | None = Field(
        None,
        description="Name of the league, e.g. nba. It distinguishes teams of the same city.",
    )
    home: Side = Field(description="Name of the home team, or of one player.")
    away: Side = Field(description="Name of the visiting team, or of the other player.")
    starts_at: BodyMoment | None = Field(
        None,
        description="Start time of the game (UTC if without a zone). Default: the start of the "
        "next game between the two sides.",
    )

    def fixture(self) -> Fixture:
        """The requested game, as `ExtensionService` takes it."""
        league = league_of(self.league) if self.league else None
        start = None
        if self.starts_at is not None:
            day = self.starts_at.astimezone(EASTERN).date()
            start = Start(day, self.starts_at, True)
        sides = name(self.home, league), name(self.away, league)
        return Fixture(*sides, league, start)


class SportsPageRequest(PageRequest):
    """A web page on sports, or a game named by the caller, to find markets for."""

    model_config = _request_config({"title": "Suns vs Magic: preview", "mode": "fixture"})

    mode: SportsMode = Field(
        "auto",
        description="fixture: only markets on the game. direct: markets on the page's subject. "
        "auto: fixture if the game has markets, else direct.",
    )
    fixture: FixtureRequest | None = Field(
        None, description="The game to find markets for. Default: the game that the page names."
    )
    limit: Limit = 10


class PageMarket(BaseModel):
    """A market found for a web page, with its price and the reason why it was chosen."""

    model_config = _response_config(_MARKET)

    id: str
    platform: Platform
    question: str
    outcomes: list[str]
    status: Status
    platform_url: str | None
    score: float = Field(
        description="For ranking within this response: larger is better. Not a probability."
    )
    dimension: Literal["direct"] = Field(
        description="Relation to the page, always direct: the market is on the page's own subject."
    )
    why: str = Field(description="Why this market was chosen, in one line for readers.")
    current_prices: dict[str, float | None] | None = Field(
        description="Probability by outcome label; null for an outcome without a quote. Null as a "
        "whole if there is no quote at all."
    )
    price_as_of: datetime | None = Field(description="When the venue quoted `current_prices`.")
    closes_at: datetime | None = Field(description="Announced close. Null: not known.")
    volume: float | None = Field(
        description="Volume traded so far: US dollars on Polymarket, contracts on Kalshi."
    )
    event_id: str | None = Field(description="The venue's own id of the market's event.")
    stale: bool = Field(
        description="True if the market is active but its price is too old to rely on, or if its "
        "close has passed and its venue has sent nothing since."
    )
    origin: ShownOrigin = Field(
        description="live: from the venue. import: from a file. sample: an invented market."
    )
    twin_ids: list[str] = Field(
        description="Ids of the markets on other venues that are the same contract, or its exact "
        "opposite."
    )
    reason: str = Field(description="The same as `why`.")


class PageFixture(BaseModel):
    """The game that the request names or, if it names none, the game that the page is about."""

    model_config = _response_config(_FIXTURE)

    league: str | None = Field(description="Name of the league. Null: not known.")
    home: str
    away: str
    starts_at: str | None = Field(
        description="Start of the game (UTC), or only its day if the time is not known. Null: not "
        "even the day is known."
    )


_PAGE_GRAPH: dict[str, Any] = {
    **GRAPH_EXAMPLE, "price_as_of": "2026-11-21T09:30:00Z", "origin": "live",
}  # fmt: skip


class PageGraph(PublicCausalGraph):
    """The causal graph of a web page's subject, with the time and origin of its prices."""

    model_config = ConfigDict(json_schema_extra={"examples": [_PAGE_GRAPH]})

    price_as_of: datetime | None = Field(
        description="When the oldest price in the graph was quoted. Null: the graph shows no price."
    )
    origin: ShownOrigin | None = Field(
        description="Least reliable origin among the graph's markets. From least to most reliable: "
        "sample, import, live. Null: the graph has no markets."
    )


class PageResponse(BaseModel):
    """The markets found for a web page, best first."""

    model_config = _response_config(
        {
            "request_id": "req_01989d2c7f6b7c3f9d0e8f1a2b3c4d5e",
            "route": "search",
            "query_used": "Fed holds rates, December cut in doubt",
            "fixture": None,
            "results": [_MARKET],
            "latency_ms": 9,
        }
    )

    request_id: str
    route: Literal["search", "sports"] = Field(
        description="Which search found the markets: the general one, or the one for sports."
    )
    query_used: str = Field(description="The words that were searched for.")
    fixture: PageFixture | None = Field(
        description="The game that the request or the page names. Null: neither names a game."
    )
    results: list[PageMarket]
    latency_ms: int = Field(description="Time to answer, in milliseconds.")


class PricesRequest(BaseModel):
    """Ids of the markets whose current prices to look up."""

    model_config = _request_config({"ids": ["kalshi:KXFEDDECISION-26DEC-C25"]})

    ids: list[Annotated[str, StringConstraints(strict=True, min_length=1, max_length=200)]] = Field(
        min_length=1, max_length=MAX_IDS, description="Market ids. A repeated id counts once."
    )


_PRICE = {
    "current_prices": {"Yes": 0.62, "No": 0.38},
    "price_as_of": "2026-11-21T09:30:00Z",
    "status": "active",
    "stale": False,
    "origin": "live",
}


class MarketPrice(BaseModel):
    """A market's latest prices and its status. `stale` says whether the price or the status is too
    old to rely on."""

    model_config = _response_config(_PRICE)

    current_prices: dict[str, float | None] | None = Field(
        description="Probability by outcome label; null for an outcome without a quote. Null as a "
        "whole if there is no quote at all."
    )
    price_as_of: datetime | None = Field(description="When the venue quoted `current_prices`.")
    status: Status
    stale: bool = Field(
        description="True if the market is active but its price is too old to rely on, or if its "
        "close has passed and its venue has sent nothing since."
    )
    origin: ShownOrigin = Field(
        description="live: from the venue. import: from a file. sample: an invented market."
    )


class PricesResponse(BaseModel):
    """Current prices of the requested markets."""

    model_config = _response_config({"prices": {"kalshi:KXFEDDECISION-26DEC-C25": _PRICE}})

    prices: dict[str, MarketPrice] = Field(
        description="Prices by market id; unknown ids are left out."
    )


def answer(request_id: str, found: PageAnswer, latency_ms: int) -> dict[str, Any]:
    """The markets for a page as plain data with the fields of `PageResponse`, ready to be
    encoded."""
    return {
        "request_id": request_id,
        "route": found.route,
        "query_used": found.query,
        "fixture": _fixture(found.fixture),
        "results": [_market(one) for one in found.results],
        "latency_ms": latency_ms,
    }


def page_graph(drawn: Drawn) -> PageGraph:
    """The causal graph of a page's subject as the API returns it, with the time and origin of its
    prices."""
    shown = [market for node in drawn.graph.nodes for market in node.markets]
    origins = {ORIGINS[market.origin] for market in shown}
    return PageGraph(
        **public(drawn).model_dump(),
        price_as_of=min((m.price_as_of for m in shown if m.price_as_of), default=None),
        origin=next((o for o in SHOWN_ORIGINS if o in origins), None),
    )


def price(quote: Quote, standing: Standing) -> dict[str, Any]:
    """A market's prices, status and staleness as plain data with the fields of `MarketPrice`, ready
    to be encoded."""
    return {
        "current_prices": priced(quote.outcomes, quote.prices),
        "price_as_of": _time(quote.price_as_of),
        "status": standing.status,
        "stale": standing.stale,
        "origin": ORIGINS[quote.origin],
    }


def _market(shown: Shown) -> dict[str, Any]:
    row = shown.row
    return {
        "id": row.id,
        "platform": row.platform,
        "question": row.question,
        "outcomes": row.outcomes,
        "status": row.status,
        "platform_url": row.url,
        "score": shown.score,
        "dimension": "direct",
        "why": shown.why,
        "current_prices": priced(row.outcomes, row.prices),
        "price_as_of": _time(row.price_as_of),
        "closes_at": _time(row.closes_at),
        "volume": row.volume,
        "event_id": row.event_id,
        "stale": row.stale,
        "origin": ORIGINS[row.origin],
        "twin_ids": row.linked_market_ids,
        "reason": shown.why,
    }


def _fixture(fixture: Fixture | None) -> dict[str, Any] | None:
    if fixture is None:
        return None
    start = fixture.start
    return {
        "league": fixture.league,
        "home": fixture.home.text,
        "away": fixture.away.text,
        "starts_at": (_time(start.at) or start.day.isoformat()) if start else None,
    }


def _time(moment: datetime | None) -> str | None:
    return isoformat(moment) if moment else None

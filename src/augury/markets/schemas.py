"""The JSON records that the market routes return."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from augury.http.examples import example
from augury.markets.history import Detail, History, complement
from augury.markets.records import (
    ORIGINS,
    MarketType,
    Platform,
    ShownOrigin,
    Status,
    labels,
    origin_of_source,
    priced,
)
from augury.markets.store import PriceRow, StoredMarket

_EXAMPLE_RECORD: dict[str, Any] = {
    "id": "kalshi:KXRATECUT-27MAR-T25",
    "platform": "kalshi",
    "platform_id": "KXRATECUT-27MAR-T25",
    "question": "Will the central bank cut its rate in March? — By 25 basis points",
    "outcomes": ["Yes", "No"],
    "status": "active",
    "resolution": None,
    "created_at": "2026-11-02T15:00:00Z",
    "closes_at": "2027-03-17T18:00:00Z",
    "resolved_at": None,
    "platform_event_id": "KXRATECUT-27MAR",
    "platform_event_name": "Will the central bank cut its rate in March?",
    "event_group_id": "will-the-central-bank-cut-its-rate-in-march",
    "event_group_name": "Will the central bank cut its rate in March?",
    "category": "Economics",
    "tags": ["rates"],
    "market_type": "sum_to_one",
    "volume": 48210.0,
    "liquidity": None,
    "platform_url": "https://kalshi.com/markets/kxratecut",
    "description": "Resolves to Yes if the target range falls by 25 basis points.",
    "current_prices": {"Yes": 0.41, "No": 0.59},
    "price_as_of": "2026-11-21T09:30:00Z",
    "best_bid": 0.4,
    "best_ask": 0.42,
    "volume_24h": 1290.0,
    "linked_market_ids": [],
    "stale": False,
    "origin": "live",
    "observed_at": "2026-11-21T09:30:02Z",
    "updated_at": "2026-11-21T09:30:03Z",
}
_EXAMPLE_RELATED: dict[str, Any] = {
    "id": "kalshi:KXRATECUT-27MAR-T0",
    "platform": "kalshi",
    "question": "Will the central bank cut its rate in March? — No change",
    "outcomes": ["Yes", "No"],
    "status": "active",
    "current_prices": {"Yes": 0.55, "No": 0.45},
    "price_as_of": "2026-11-21T09:30:00Z",
    "closes_at": "2027-03-17T18:00:00Z",
    "market_type": "sum_to_one",
    "volume": 39120.0,
    "platform_url": "https://kalshi.com/markets/kxratecut",
    "stale": False,
    "origin": "live",
    "relation": "same_event",
}


class MarketRecord(BaseModel):
    """One market as Augury's catalogue holds it: its question, outcomes, status, latest prices and
    volume."""

    model_config = example(**_EXAMPLE_RECORD)

    id: str = Field(
        description="Market id: `polymarket:<id>` or `kalshi:<ticker>`, or a UUID if "
        "`AUGURY_MARKET_IDS` is uuid."
    )
    platform: Platform
    platform_id: str = Field(description="The venue's own id of the market.")
    question: str
    outcomes: list[str] = Field(
        description="Labels of the outcomes, in the venue's order. A repeated label is numbered: "
        "`Draw (2)`."
    )
    status: Status = Field(
        description="active: open for trading. closed: trading has ended or is paused. resolved: "
        "the venue has settled it. If a market's close has passed and its venue has sent nothing "
        "since, the market is shown as `closed`, with `stale` true."
    )
    resolution: str | None = Field(
        description="Label of the outcome that won. Null: not resolved, or the result is not known."
    )
    created_at: datetime | None = Field(
        description="When the venue created the market or opened it for trading. Null: not known."
    )
    closes_at: datetime | None = Field(description="Announced close. Null: not known.")
    resolved_at: datetime | None = Field(
        description="When the market was resolved. Null: it is not resolved, or the time is not "
        "known."
    )
    platform_event_id: str | None = Field(description="The venue's own id of the market's event.")
    platform_event_name: str | None
    event_group_id: str | None = Field(
        description="Id of the market's group. A group consists of all markets whose events have "
        'the same name. In a name, a day counts as its month: "on May 3" is the same as "in May". '
        "Mostly, the questions in a group differ only by strike, name or date."
    )
    event_group_name: str | None
    category: str | None = Field(description="The venue's category of the market.")
    tags: list[str] = Field(description="The venue's tags of the market.")
    market_type: MarketType = Field(
        description="How the market and others of its event constrain each other. "
        "threshold_ladder: levels or deadlines, where each market implies the next easier one "
        "(above 50 implies above 40). sum_to_one: ranges of one quantity or date that do not "
        "overlap, so that at most one comes true. winner_take_all: named outcomes, at most one "
        "comes true. binary: no constraint is known."
    )
    volume: float | None = Field(
        description="Volume traded so far: US dollars on Polymarket, contracts on Kalshi."
    )
    liquidity: float | None = Field(
        description="Liquidity as the venue reports it, in US dollars. Null: not reported."
    )
    platform_url: str | None
    description: str | None = Field(description="The venue's resolution rules. Untrusted text.")
    current_prices: dict[str, float | None] | None = Field(
        description="Probability by outcome; null for an outcome without a quote. Null as a whole "
        "if there is no quote at all."
    )
    price_as_of: datetime | None = Field(description="When the venue quoted `current_prices`.")
    best_bid: float | None = Field(
        description="Best bid for the first outcome, 0 to 1. Null: no bid, or not known."
    )
    best_ask: float | None = Field(
        description="Best ask for the first outcome, 0 to 1. Null: no ask, or not known."
    )
    volume_24h: float | None = Field(
        description="Volume of the last 24 hours, in the unit of `volume`. Null: not reported."
    )
    linked_market_ids: list[str] = Field(
        description="Ids of the markets on other venues that are the same contract, or its exact "
        "opposite."
    )
    stale: bool = Field(
        description="True if the market's close has passed and its venue has sent nothing since, "
        "or if it is active and its price is older than the operator allows "
        "(`AUGURY_PRICE_MAX_AGE`, 14 days by default)."
    )
    origin: ShownOrigin = Field(
        description="Where the market comes from. live: the venue. import: an imported file. "
        "sample: it is invented."
    )
    observed_at: datetime | None = Field(
        description="When this state of the market was read from the venue or the file."
    )
    updated_at: datetime = Field(description="When this record last changed in the catalogue.")


class MarketList(BaseModel):
    """One page of the markets in the catalogue."""

    model_config = example(items=[_EXAMPLE_RECORD], next_cursor=None)

    items: list[MarketRecord]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )


class PricesAt(BaseModel):
    """A market's prices as they were recorded at one time."""

    timestamp: datetime
    prices: dict[str, float] = Field(description="Probability by outcome.")
    source: str = Field(
        description="How the prices became known: snapshot (the venue's current quote), trade, "
        "candle, history (the venue's past prices), dump:<kind> (an imported file) or sample."
    )
    origin: ShownOrigin = Field(
        description="Where the prices come from. live: the venue. import: an imported file. "
        "sample: they are invented."
    )


class RelatedMarket(BaseModel):
    """The main fields of another market of the same event or group. A group consists of all
    markets whose events have the same name. In a name, a day counts as its month: "on May 3" is the
    same as "in May"."""

    id: str
    platform: Platform
    question: str
    outcomes: list[str]
    status: Status
    current_prices: dict[str, float | None] | None
    price_as_of: datetime | None
    closes_at: datetime | None
    market_type: MarketType
    volume: float | None
    platform_url: str | None
    stale: bool
    origin: ShownOrigin
    relation: Literal["same_event", "same_group"] = Field(
        description="same_event: the venue lists both markets under one event. same_group: they "
        'belong to two events with the same name. In a name, a day counts as its month: "on May '
        '3" is the same as "in May".'
    )


class MarketDetail(BaseModel):
    """One market with its latest prices and other markets of the same event or group. A group
    consists of all markets whose events have the same name. In a name, a day counts as its month:
    "on May 3" is the same as "in May"."""

    model_config = example(
        market=_EXAMPLE_RECORD,
        current_prices=_EXAMPLE_RECORD["current_prices"],
        price_as_of=_EXAMPLE_RECORD["price_as_of"],
        origin="live",
        price_history=[
            {
                "timestamp": "2026-11-21T09:30:00Z",
                "prices": {"Yes": 0.41, "No": 0.59},
                "source": "snapshot",
                "origin": "live",
            }
        ],
        related=[_EXAMPLE_RELATED],
    )

    market: MarketRecord
    current_prices: dict[str, float | None] | None
    price_as_of: datetime | None
    origin: ShownOrigin
    price_history: list[PricesAt] = Field(
        description="The latest recorded prices (at most 200 per outcome), oldest first."
    )
    related: list[RelatedMarket] = Field(
        description="Other markets of the same event, then other markets of the same group, at "
        "most 50 in all. A group consists of all markets whose events have the same name. In a "
        'name, a day counts as its month: "on May 3" is the same as "in May".'
    )


class HistoryPoint(BaseModel):
    """The last price of one outcome in one interval of a market's history."""

    timestamp: datetime = Field(description="Start of the interval.")
    probability: float | None = Field(
        description="The price, 0 to 1. Null: no price was recorded in the interval."
    )


class OutcomeHistory(BaseModel):
    """The history of one outcome's price, one point per interval.

    The history runs from the first to the last interval with a recorded price.
    """

    outcome: str
    points: list[HistoryPoint] = Field(
        description="The prices, oldest first. Empty: no price was recorded in the window."
    )


class TradedVolume(BaseModel):
    """The volume traded in a market between the times `start` and `end`, in the venue's unit.

    It is either the difference of the market's total volume as observed at these two times, or the
    volume of one of the venue's candles, from the candle's start to its end.
    """

    start: datetime
    end: datetime
    volume: float = Field(
        description="Volume traded: in US dollars on Polymarket, in contracts on Kalshi."
    )


class MarketHistory(BaseModel):
    """A market's prices over a window of time, and the volume traded in the window as far as
    known."""

    model_config = example(
        market=_EXAMPLE_RECORD,
        start="2026-11-20T00:00:00Z",
        end="2026-11-21T00:00:00Z",
        interval_minutes=60,
        price_as_of="2026-11-21T09:30:00Z",
        origin="live",
        series=[
            {
                "outcome": "Yes",
                "points": [
                    {"timestamp": "2026-11-20T00:00:00Z", "probability": 0.4},
                    {"timestamp": "2026-11-20T01:00:00Z", "probability": None},
                    {"timestamp": "2026-11-20T02:00:00Z", "probability": 0.41},
                ],
            }
        ],
        volume=[{"start": "2026-11-20T00:00:00Z", "end": "2026-11-20T01:00:00Z", "volume": 1250.0}],
    )

    market: MarketRecord
    start: datetime
    end: datetime = Field(description="End of the window, exclusive.")
    interval_minutes: Literal[1, 5, 60, 1440] = Field(
        description="Length of an interval, in minutes."
    )
    price_as_of: datetime | None = Field(
        description="When the venue quoted the market's current prices."
    )
    origin: ShownOrigin
    series: list[OutcomeHistory] = Field(description="The prices, one entry for each outcome.")
    volume: list[TradedVolume] = Field(
        description="Traded volume, oldest first, at most one entry per interval. An entry spans "
        "several intervals if the market was not observed in between. The volume comes from the "
        "venue's candles; where there are none, it is known only from the time at which Augury "
        "began to follow the market. For a time without an entry, nothing was traded or nothing "
        "is known."
    )


class Sparkline(BaseModel):
    """Thirty daily prices of one market, up to its latest price, for a small chart."""

    model_config = example(
        market_id="kalshi:KXRATECUT-26DEC31",
        outcome="Yes",
        price_as_of="2026-11-21T09:30:00Z",
        origin="live",
        prices=[None, 0.38, 0.4, 0.41],
    )

    market_id: str
    outcome: str = Field(
        description="The outcome shown: Yes if the market has it, else its first one."
    )
    price_as_of: datetime = Field(
        description="Time of the last price in the list. The prices are one day apart."
    )
    origin: ShownOrigin = Field(description="Where the market's last price comes from.")
    prices: list[float | None] = Field(
        description="Prices of the outcome, oldest first, 0 to 1. Null: no price that day."
    )


class Sparklines(BaseModel):
    """Daily prices of several markets, in no particular order.

    Unknown markets, and markets without a quote, are left out.
    """

    items: list[Sparkline]


def record(market: StoredMarket) -> dict[str, Any]:
    """A market as plain data with the fields of `MarketRecord`, ready to be encoded."""
    prices = priced(market.outcomes, market.prices)
    return {
        "id": market.id,
        "platform": market.platform,
        "platform_id": market.platform_id,
        "question": market.question,
        "outcomes": labels(market.outcomes),
        "status": market.status,
        "resolution": market.resolution,
        "created_at": market.created_at,
        "closes_at": market.closes_at,
        "resolved_at": market.resolved_at,
        "platform_event_id": market.event_id,
        "platform_event_name": market.event_name,
        "event_group_id": market.group_id,
        "event_group_name": market.group_name,
        "category": market.category,
        "tags": market.tags,
        "market_type": market.market_type,
        "volume": market.volume,
        "liquidity": market.liquidity,
        "platform_url": market.url,
        "description": market.description,
        "current_prices": prices,
        "price_as_of": market.price_as_of if prices else None,
        "best_bid": market.best_bid,
        "best_ask": market.best_ask,
        "volume_24h": market.volume_24h,
        "linked_market_ids": market.linked_market_ids,
        "stale": market.stale,
        "origin": ORIGINS[market.origin],
        "observed_at": market.observed_at,
        "updated_at": market.updated_at,
    }


def _related(market: StoredMarket, to: StoredMarket) -> dict[str, Any]:
    same_event = market.event_id is not None and (
        (market.platform, market.event_id) == (to.platform, to.event_id)
    )
    whole = record(market)
    return {name: whole[name] for name in RelatedMarket.model_fields if name != "relation"} | {
        "relation": "same_event" if same_event else "same_group"
    }


def detail(found: Detail) -> dict[str, Any]:
    """A market with its details as plain data with the fields of `MarketDetail`, ready to be
    encoded."""
    market = record(found.market)
    return {
        "market": market,
        "current_prices": market["current_prices"],
        "price_as_of": market["price_as_of"],
        "origin": market["origin"],
        "price_history": _price_history(found.market, found.prices),
        "related": [_related(other, found.market) for other in found.related],
    }


def _price_history(market: StoredMarket, rows: list[PriceRow]) -> list[dict[str, Any]]:
    names = labels(market.outcomes)
    moments: dict[tuple[datetime, str], dict[int, float]] = {}
    for row in rows:
        moments.setdefault((row.at, row.source), {})[row.outcome] = row.price
    return [
        {
            "timestamp": at,
            "prices": {
                names[n]: price
                for n, price in sorted(complement(prices, len(names)).items())
                if n < len(names)
            },
            "source": source,
            "origin": origin_of_source(source),
        }
        for (at, source), prices in moments.items()
    ]


def history(found: History) -> dict[str, Any]:
    """A market's price history as plain data with the fields of `MarketHistory`, ready to be
    encoded."""
    market = record(found.market)
    return {
        "market": market,
        "price_as_of": market["price_as_of"],
        "origin": market["origin"],
        "start": found.start,
        "end": found.end,
        "interval_minutes": found.interval_minutes,
        "series": [
            {
                "outcome": outcome,
                "points": [{"timestamp": at, "probability": price} for at, price in points],
            }
            for outcome, points in zip(labels(found.market.outcomes), found.series, strict=True)
        ],
        "volume": [bar._asdict() for bar in found.volume],
    }

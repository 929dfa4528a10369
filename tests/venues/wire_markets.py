"""Markets written as the venues show them, in two generations of their wire."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from augury.markets.records import Market

Generation = Literal["old", "new"]

Wire = dict[str, Any]


def gamma_event(market: Market) -> Wire:
    return {
        "id": event_id(market),
        "slug": f"event-{event_id(market)}",
        "title": market.event_name,
        "negRisk": bool(market.exclusive),
        "category": market.category,
        "tags": [{"id": "1", "label": tag} for tag in market.tags],
        "series": [{"id": market.series_id}] if market.series_id else [],
    }


def gamma_wire(
    market: Market, generation: Generation, touched: datetime | None, *, whole: bool
) -> Wire:
    """A market as gamma shows it: arrays inside strings, decimals as strings."""
    prices = list(market.prices)
    first = prices[0]
    if market.status == "active":
        shown = [p if p is not None else 0.5 for p in prices]
        bid, ask = _book(first)
        last = first or 0
    else:
        shown = [p if p is not None else 0 for p in prices]
        if market.status == "resolved":
            shown = [float(label == market.resolution) for label in market.outcomes]
        bid, ask, last = 0.0, 1.0, 0
    tokens = market.token_ids or tuple(token_of(market, i) for i in range(len(prices)))
    wire: Wire = {
        "id": market.platform_id,
        "question": market.question,
        "conditionId": "0x" + market.platform_id.rjust(64, "0"),
        "slug": market.slug or f"market-{market.platform_id}",
        "endDate": iso(market.closes_at),
        "startDate": iso(market.created_at),
        "createdAt": iso(market.created_at),
        "updatedAt": iso(touched or market.created_at),
        "description": market.description,
        "outcomes": json.dumps(market.outcomes),
        "outcomePrices": json.dumps([f"{p:g}" for p in shown]),
        "volume": f"{market.volume or 0:g}",
        "volumeNum": market.volume or 0,
        "liquidity": f"{market.liquidity or 0:g}",
        "liquidityNum": market.liquidity or 0,
        "volume24hr": market.volume_24h or 0,
        # Old closed markets still say that they are active.
        "active": True,
        "closed": market.status != "active",
        "groupItemTitle": market.subtitle or "",
        "clobTokenIds": json.dumps(tokens),
        "negRisk": bool(market.exclusive),
        "bestBid": bid,
        "bestAsk": ask,
        "lastTradePrice": last,
    }
    if market.status == "resolved":
        zone = "+00" if generation == "old" else "Z"
        stamp = iso(market.resolved_at)
        wire["closedTime"] = stamp and stamp.replace("T", " ").replace("Z", zone)
        wire["umaResolutionStatus"] = "resolved"
    elif market.status == "closed":
        wire["umaResolutionStatus"] = "proposed"
    if whole:
        wire["events"] = [gamma_event(market)]
    return wire


def kalshi_wire(market: Market, generation: Generation) -> Wire:
    """A market as Kalshi shows it, in one of its generations."""
    price = market.prices[0]
    word = {"active": "active", "closed": "closed", "resolved": "finalized"}[market.status]
    bid, ask = _book(price) if market.status == "active" else (0.0, 1.0)
    last = price if price is not None and market.status != "resolved" else 0.0
    wire: Wire = {
        "ticker": market.platform_id,
        "event_ticker": event_id(market),
        "market_type": "binary",
        "title": market.title if market.subtitle else market.question,
        "yes_sub_title": market.subtitle or "",
        "no_sub_title": market.subtitle or "",
        "created_time": iso(market.created_at),
        "open_time": iso(market.created_at),
        "close_time": iso(market.closes_at),
        "expiration_time": "2099-01-01T00:00:00Z",
        "status": word,
        "result": (market.resolution or "").lower() if market.status == "resolved" else "",
        "rules_primary": market.description or "",
        "rules_secondary": "",
    }
    if market.status == "resolved":
        wire["settlement_ts"] = iso(market.resolved_at)
    if market.strike is not None:
        wire |= {
            "strike_type": market.strike.kind,
            "floor_strike": market.strike.floor,
            "cap_strike": market.strike.cap,
        }
    counts = {
        "volume": market.volume,
        "volume_24h": market.volume_24h,
        "open_interest": market.open_interest,
    }
    if generation == "old":
        wire |= {
            "yes_bid": round(bid * 100),
            "yes_ask": round(ask * 100),
            "last_price": round(last * 100),
            **{key: int(value or 0) for key, value in counts.items()},
        }
    else:
        wire |= {
            "yes_bid_dollars": f"{bid:.4f}",
            "yes_ask_dollars": f"{ask:.4f}",
            "last_price_dollars": f"{last:.4f}",
            "liquidity_dollars": "0.0000",
            **{f"{key}_fp": f"{value or 0:.2f}" for key, value in counts.items()},
        }
    return wire


def as_shown(market: Market) -> Market:
    """Kalshi knows only Yes and No, of the side that the subtitle names."""
    if market.platform != "kalshi" or market.outcomes == ("Yes", "No"):
        return market
    won = market.resolution and ("Yes" if market.resolution == market.outcomes[0] else "No")
    return msgspec.structs.replace(
        market, outcomes=("Yes", "No"), subtitle=market.outcomes[0], resolution=won
    )


def _book(price: float | None) -> tuple[float, float]:
    """A book around a price; the 0.01/0.99 book where there is none."""
    if price is None:
        return 0.01, 0.99
    half = min(0.01, price / 2, (1 - price) / 2)
    return round(price - half, 6), round(price + half, 6)


def event_id(market: Market) -> str:
    return market.event_id or (
        market.platform_id if market.platform == "kalshi" else f"9{market.platform_id}"
    )


def token_of(market: Market, outcome: int) -> str:
    return str(10**76 + int.from_bytes(f"{market.id}/{outcome}".encode()[-20:], "big"))


def iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parlay(number: int) -> Wire:
    return {
        "ticker": f"KXMVESPORTS-S{number}",
        "event_ticker": "KXMVESPORTS-S",
        "title": "yes A,no B",
        "yes_sub_title": "yes A,no B",
        "status": "active",
        "close_time": "2030-01-01T00:00:00Z",
        "yes_bid_dollars": "0.3000",
        "yes_ask_dollars": "0.3200",
        "mve_selected_legs": [{"side": "yes"}],
    }

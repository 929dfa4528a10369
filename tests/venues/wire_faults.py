"""What venues do wrong: below HTTP, in HTTP, in their data."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from datetime import datetime

from tests.venues.wire_markets import Wire

TRANSPORT_FAULTS = ("refused", "dns", "tls")
"""Faults below HTTP: a base URL that leads nowhere (`broken_base`)."""
HTTP_FAULTS = (
    "429_retry_after", "429_bare", "500", "503", "slow", "truncated", "gzip_bomb", "html",
    "redirect_loop", "redirect_inward",
)  # fmt: skip
DATA_FAULTS = (
    "silent_empty", "empty_book", "price_1.7", "swapped_labels", "swapped_all", "duplicate_ids",
    "changed_types", "ms_for_s", "page_loop", "page_gap", "status_flip_back", "unknown_enum",
)  # fmt: skip
FAULTS = (*TRANSPORT_FAULTS, *HTTP_FAULTS, *DATA_FAULTS)


def broken_base(fault: str, port: int, path: str) -> str:
    """A base URL with a fault below HTTP; `port` is one where plain HTTP is spoken."""
    if fault == "refused":
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return f"http://127.0.0.1:{probe.getsockname()[1]}{path}"
    if fault == "dns":
        return f"http://no-such-host.invalid{path}"
    return f"https://127.0.0.1:{port}{path}"


def _empty_book(wire: Wire, platform: str) -> Wire:
    if platform == "polymarket":
        if wire.get("closed"):
            return wire
        return wire | {
            "bestBid": 0.01,
            "bestAsk": 0.99,
            "lastTradePrice": 0,
            "outcomePrices": '["0.5", "0.5"]',
        }
    return _kalshi_prices(wire, "0.0100", "0.9900", "0.0000")


def _price_over_one(wire: Wire, platform: str) -> Wire:
    if platform == "polymarket":
        return wire | {"outcomePrices": '["1.7", "-0.7"]', "bestBid": 1.69, "bestAsk": 1.71}
    return _kalshi_prices(wire, "1.6900", "1.7100", "1.7000")


def _kalshi_prices(wire: Wire, bid: str, ask: str, last: str) -> Wire:
    for key, value in (("yes_bid", bid), ("yes_ask", ask), ("last_price", last)):
        if f"{key}_dollars" in wire:
            wire[f"{key}_dollars"] = value
        elif key in wire:
            wire[key] = round(float(value) * 100)
    return wire


def _swapped_labels(wire: Wire, platform: str) -> Wire:
    """Labels change places, prices and tokens do not: as if the market had turned round."""
    if platform == "polymarket":
        return wire | {"outcomes": json.dumps(json.loads(wire["outcomes"])[::-1])}
    return wire | {"no_sub_title": wire["yes_sub_title"], "yes_sub_title": wire["no_sub_title"]}


def _swapped_all(wire: Wire, platform: str) -> Wire:
    """Labels, prices, tokens and book change places together: nothing has happened."""
    if platform == "kalshi":
        return wire
    turned = {
        key: json.dumps(json.loads(wire[key])[::-1])
        for key in ("outcomes", "outcomePrices", "clobTokenIds")
    }
    book = {
        "bestBid": round(1 - wire["bestAsk"], 6),
        "bestAsk": round(1 - wire["bestBid"], 6),
        "lastTradePrice": round(1 - wire["lastTradePrice"], 6) if wire["lastTradePrice"] else 0,
    }
    return wire | turned | book


def _changed_types(wire: Wire, platform: str) -> Wire:
    if platform == "polymarket":
        return wire | {
            "id": int(wire["id"]),
            "outcomes": json.loads(wire["outcomes"]),
            "outcomePrices": [float(p) for p in json.loads(wire["outcomePrices"])],
            "closed": str(wire["closed"]).lower(),
            "volumeNum": f"{wire['volumeNum']}",
            "bestBid": str(wire["bestBid"]),
            "description": ["a", "list"],
            "groupItemTitle": {"text": "?"},
            "tags": "none",
        }
    return wire | {
        "volume_fp": {"value": 3},
        "rules_primary": 7,
        "floor_strike": "12.5",
        "created_time": None,
        "result": None if not wire["result"] else wire["result"],
        "custom_strike": "?",
    }


def _milliseconds(wire: Wire, platform: str) -> Wire:
    keys = (
        ("endDate", "startDate", "createdAt", "closedTime")
        if platform == "polymarket"
        else ("created_time", "open_time", "close_time", "settlement_ts")
    )
    for key in keys:
        if wire.get(key):
            wire[key] = epoch(wire[key]) * 1000
    return wire


def _flip_back(wire: Wire, platform: str) -> Wire:
    if platform == "polymarket":
        if wire.get("umaResolutionStatus") != "resolved":
            return wire
        return wire | {
            "closed": False,
            "outcomePrices": '["0.5", "0.5"]',
            "bestBid": 0.49,
            "bestAsk": 0.51,
            "umaResolutionStatus": None,
        }
    if wire["status"] != "finalized":
        return wire
    return _kalshi_prices(wire | {"status": "active", "result": ""}, "0.49", "0.51", "0.50")


def _unknown_enum(wire: Wire, platform: str) -> Wire:
    if platform == "polymarket":
        return wire | {"closed": "perhaps"}
    return wire | {"status": "hibernating", "strike_type": "curved", "result": "maybe"}


SPOILERS: dict[str, Callable[[Wire, str], Wire]] = {
    "empty_book": _empty_book,
    "price_1.7": _price_over_one,
    "swapped_labels": _swapped_labels,
    "swapped_all": _swapped_all,
    "changed_types": _changed_types,
    "ms_for_s": _milliseconds,
    "status_flip_back": _flip_back,
    "unknown_enum": _unknown_enum,
}


def epoch(stamp: str) -> int:
    whole = stamp.replace("Z", "+00:00")
    whole = whole if whole[-3] == ":" else f"{whole}:00"
    return int(datetime.fromisoformat(whole).timestamp())

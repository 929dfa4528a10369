"""One watchlist, target, rule and alert, as the API's documentation shows them."""

from __future__ import annotations

from typing import Any

EXAMPLE_ID = "019f3a5c7e1b7d2aa0c4b1f2d3e4f5a6"
WATCHLIST: dict[str, Any] = {
    "id": f"wl_{EXAMPLE_ID}",
    "name": "Rates",
    "description": "What moves before the central bank does.",
    "created_at": "2026-11-20T08:00:00Z",
    "updated_at": "2026-11-20T08:00:00Z",
    "targets": 2,
    "rules": 3,
    "firing": 1,
}
TARGET: dict[str, Any] = {
    "id": f"tgt_{EXAMPLE_ID}",
    "watchlist_id": f"wl_{EXAMPLE_ID}",
    "kind": "market",
    "ref": "kalshi:KXRATECUT-27MAR-T25",
    "outcome": "Yes",
    "label": "Cut in March",
    "created_at": "2026-11-20T08:00:00Z",
}
RULE: dict[str, Any] = {
    "id": f"rule_{EXAMPLE_ID}",
    "watchlist_id": f"wl_{EXAMPLE_ID}",
    "name": "Cut is likely",
    "target_id": None,
    "metric": "probability",
    "op": "crosses_above",
    "value": 0.6,
    "window": None,
    "for": "10m",
    "cooldown": "6h",
    "severity": "warning",
    "hysteresis": 0.03,
    "expires_at": None,
    "created_at": "2026-11-20T08:00:00Z",
    "silenced_until": None,
}
ALERT: dict[str, Any] = {
    "id": f"alr_{EXAMPLE_ID}",
    "watchlist_id": f"wl_{EXAMPLE_ID}",
    "rule_id": f"rule_{EXAMPLE_ID}",
    "target_id": f"tgt_{EXAMPLE_ID}",
    "episode": 1,
    "state": "firing",
    "severity": "warning",
    "value": 0.62,
    "origin": "live",
    "as_of": "2026-11-21T09:30:00Z",
    "fired_at": "2026-11-21T09:40:01Z",
    "resolved_at": None,
    "resolution": None,
    "resolved_value": None,
    "silenced": False,
    "snoozed_until": None,
    "title": "Cut is likely: Will the central bank cut its rate in March?",
    "summary": "The probability is 62%, having risen above 60%.",
    "market": {
        "id": "kalshi:KXRATECUT-27MAR-T25",
        "platform": "kalshi",
        "question": "Will the central bank cut its rate in March? — By 25 basis points",
        "outcome": "Yes",
        "status": "active",
        "platform_url": "https://kalshi.com/markets/kxratecut",
    },
    "target": {
        "id": f"tgt_{EXAMPLE_ID}",
        "kind": "market",
        "ref": "kalshi:KXRATECUT-27MAR-T25",
        "label": "Cut in March",
    },
    "trigger": {
        "rule_id": f"rule_{EXAMPLE_ID}",
        "name": "Cut is likely",
        "metric": "probability",
        "op": "crosses_above",
        "threshold": 0.6,
        "window_seconds": None,
        "for_seconds": 600.0,
    },
    "evidence": [
        {
            "kind": "price",
            "id": "kalshi:KXRATECUT-27MAR-T25",
            "outcome": "Yes",
            "value": 0.62,
            "as_of": "2026-11-21T09:30:00Z",
        }
    ],
    "source_status": {"as_of": "2026-11-21T09:30:00Z", "status": "active", "origin": "live"},
    "next_action": (
        f"Look at the market and /v1/watchlists/wl_{EXAMPLE_ID}/targets/tgt_{EXAMPLE_ID}/chart."
    ),
}

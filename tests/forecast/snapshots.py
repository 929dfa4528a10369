"""Snapshots of markets, as the index holds them."""

from __future__ import annotations

from augury.forecast.evidence import Snapshot
from augury.markets.records import Market


def snapshot(of: Market, seq: int = 1, **more: object) -> Snapshot:
    known = {name: getattr(of, name) for name in Snapshot._fields if hasattr(of, name)}
    fields = {**dict.fromkeys(Snapshot._fields), **known, "seq": seq, "market_type": "binary"}
    return Snapshot(
        **{**fields, "outcomes": list(of.outcomes), "prices": list(of.prices)}
    )._replace(**more)

"""Which markets of an event hang together, and how: types and families. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from augury.markets.records import MarketType, Platform, Status, Strike


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """What the inference looks at in one market. Prices as in `Market`."""

    id: str
    platform: Platform
    question: str
    title: str
    subtitle: str | None = None
    outcomes: tuple[str, ...] = ("Yes", "No")
    prices: tuple[float | None, ...] = (None, None)
    status: Status = "active"
    resolution: str | None = None
    event_id: str | None = None
    event_name: str | None = None
    exclusive: bool | None = None
    strike: Strike | None = None


class Grouping(msgspec.Struct, frozen=True):
    """How one market stands among its kin."""

    market_type: MarketType
    group_id: str
    group_name: str


def infer(members: Sequence[Member]) -> dict[str, Grouping]:
    """The grouping of each of one event's markets (or of one market without an event), by id."""
    return {m.id: Grouping("binary", m.id, m.question) for m in members}

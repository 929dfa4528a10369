"""What a connector hands to the sync: pages of records, refusals, and what it is asked about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Protocol

import msgspec

from augury.markets.records import Market, MarketChange, Origin, Platform, PricePoint, Status

Notes = Counter[str]
"""Oddities that cost no record (an unknown enum word, say), counted by name."""
Cursor = str | int | None
"""Where a listing goes on: a venue's cursor, or an offset; None is the start, or the end."""


class Refusal(msgspec.Struct, frozen=True):
    """A wire record that is no market for us, and why."""

    id: str | None
    reason: str
    detail: str | None = None


class KnownTarget(msgspec.Struct, frozen=True):
    """A market the catalogue knows, as far as a look-up needs it."""

    id: str
    platform_id: str
    outcomes: tuple[str, ...]
    status: Status
    resolution: str | None
    token_ids: tuple[str, ...]
    series_id: str | None
    origin: Origin
    created_at: datetime | None


class Page(msgspec.Struct):
    """One answer of a venue, transformed."""

    markets: list[Market] = msgspec.field(default_factory=list)
    changes: list[MarketChange] = msgspec.field(default_factory=list)
    refusals: list[Refusal] = msgspec.field(default_factory=list)
    notes: Notes = msgspec.field(default_factory=Counter)
    kin: dict[str, str] = msgspec.field(default_factory=dict)
    """Event by market, of markets that came without their event."""
    after: Cursor = None
    """Where the next page starts; None: this was the last."""
    records: int = 0
    """Records on the wire (events or markets)."""
    partial: bool = False
    """Texts are incomplete: what is known already takes only the news from it."""

    def add(self, found: Market | MarketChange | Refusal) -> None:
        """Put a transformed record where it belongs."""
        if isinstance(found, Market):
            self.markets.append(found)
        elif isinstance(found, MarketChange):
            self.changes.append(found)
        else:
            self.refusals.append(found)

    def ids(self) -> set[str]:
        """Platform ids of everything on the page, refused records included."""
        return {
            *(m.platform_id for m in self.markets),
            *(c.id.split(":", 1)[1] for c in self.changes),
            *(r.id for r in self.refusals if r.id is not None),
        }

    def fingerprint(self) -> str:
        """The same for a page of the same records, to notice a listing that runs in circles."""
        joined = "\n".join(sorted(self.ids())).encode("utf-8", "replace")
        return blake2b(joined, digest_size=8).hexdigest()


class Venue(Protocol):
    """A venue as the sync sees it."""

    platform: Platform
    full: tuple[str, ...]
    """Listings of a full sync, in order; the first lists what is open."""
    incremental: tuple[str, ...]

    async def listing(self, phase: str, after: Cursor, since: datetime) -> Page: ...

    async def complete(self, kin: Mapping[str, str]) -> Page: ...

    async def news(self, targets: Sequence[KnownTarget]) -> Page: ...

    async def lookup(self, platform_id: str) -> Market | Refusal: ...

    async def history(
        self, target: KnownTarget, start: datetime, end: datetime
    ) -> list[PricePoint]: ...


class KnownMarket(msgspec.Struct, frozen=True):
    """What the catalogue knows of a market, as far as a price row refers to it."""

    id: str
    outcomes: list[str]
    event_id: str | None
    subtitle: str | None
    token_ids: list[str]

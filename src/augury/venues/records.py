"""Records that the connectors (the code for the venues) and the sync exchange: pages of markets,
venue records that were refused (with the reason), and fields of stored markets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Protocol

import msgspec

from augury.markets.records import Market, MarketChange, Origin, Platform, PricePoint, Status

Notes = Counter[str]
"""Counts of unexpected things in a venue's answers, by name, e.g. "unknown strike type". A record
with such a thing is accepted all the same."""
Cursor = str | int | None
"""Where the next page of a venue's listing starts: the venue's cursor, or an offset. In a request,
None means the first page; in an answer, None means that there are no more pages."""


class Refusal(msgspec.Struct, frozen=True):
    """A venue's record that is not taken in as a market. `reason` is the kind of problem, e.g.
    "parlay"; `detail` is the part of the record that caused the problem."""

    id: str | None
    reason: str
    detail: str | None = None


class StoredMarketRef(msgspec.Struct, frozen=True):
    """The fields of a stored market that are needed to ask its venue about it."""

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
    """One page of a venue's answer, turned into records."""

    markets: list[Market] = msgspec.field(default_factory=list)
    changes: list[MarketChange] = msgspec.field(default_factory=list)
    refusals: list[Refusal] = msgspec.field(default_factory=list)
    notes: Notes = msgspec.field(default_factory=Counter)
    event_ids: dict[str, str] = msgspec.field(default_factory=dict)
    """Market id -> id of the market's event, for markets in `changes`. Used if the venue's answer
    only refers to events and does not contain them: `Venue.complete` then fetches the events of new
    markets."""
    after: Cursor = None
    """Where the next page of the listing starts; None after the last page."""
    records: int = 0
    """Number of the venue's records (events or markets) in the answer."""
    partial: bool = False
    """True if the texts in the answer are incomplete. If the stored market came from the venue
    itself, the answer then changes only its status, resolution, prices and volumes."""

    def add(self, found: Market | MarketChange | Refusal) -> None:
        """Add a record to `markets`, `changes` or `refusals`, by its type."""
        if isinstance(found, Market):
            self.markets.append(found)
        elif isinstance(found, MarketChange):
            self.changes.append(found)
        else:
            self.refusals.append(found)

    def ids(self) -> set[str]:
        """The venue's own ids of all records on the page, including refused ones."""
        return {
            *(m.platform_id for m in self.markets),
            *(c.id.split(":", 1)[1] for c in self.changes),
            *(r.id for r in self.refusals if r.id is not None),
        }

    def fingerprint(self) -> str:
        """A hash of the ids on the page, to notice a listing whose pages repeat."""
        joined = "\n".join(sorted(self.ids())).encode("utf-8", "replace")
        return blake2b(joined, digest_size=8).hexdigest()


class Venue(Protocol):
    """What the sync needs of a connector, i.e. of the code for one venue."""

    platform: Platform
    full: tuple[str, ...]
    """Names of the listings that a full sync reads, in order. A listing is a list of markets that
    the venue offers, e.g. of its closed markets. The first one lists open markets."""
    incremental: tuple[str, ...]
    """Names of the listings (e.g. of new markets) that an incremental sync reads, in
    order."""

    async def listing(self, phase: str, after: Cursor, since: datetime) -> Page: ...

    async def complete(self, event_ids: Mapping[str, str]) -> Page: ...

    async def current_states(self, targets: Sequence[StoredMarketRef]) -> Page: ...

    async def lookup(self, platform_id: str) -> Market | Refusal: ...

    async def history(
        self, target: StoredMarketRef, start: datetime, end: datetime
    ) -> list[PricePoint]: ...


class KnownMarket(msgspec.Struct, frozen=True):
    """The fields of a stored market by which the rows of a price file can name it."""

    id: str
    outcomes: list[str]
    event_id: str | None
    subtitle: str | None
    token_ids: list[str]

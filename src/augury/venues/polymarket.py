"""The connector for Polymarket: reads listings, single markets and price histories from its API.

It uses two of Polymarket's APIs: `gamma` (metadata, prices, status) and `clob` (price history).
Price refreshes use gamma, not the order books: one request for 100 markets returns price, best bid
and ask, volume and status, so a market that closed between two refreshes is noticed at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from augury.clock import Clock, now
from augury.markets.records import Market, Platform, PricePoint
from augury.venues.http import (
    BadAnswer,
    NoSuchRecord,
    RequestRejected,
    VenueClient,
    parsing_answer_of,
)
from augury.venues.polymarket_queries import (
    batch_query,
    created_query,
    event_markets,
    events_query,
    history_query,
    market_query,
    read_page,
)
from augury.venues.polymarket_records import history, market
from augury.venues.records import Cursor, Page, Refusal, StoredMarketRef
from augury.venues.wire import moment

BASES = ("gamma", "clob")
LIMITS = {"gamma": 100.0, "gamma/events": 20.0, "gamma/markets": 12.0, "clob": 50.0}
"""Maximum number of requests per second, by base URL or by base URL and first part of the path.
Each is less than half of what Polymarket allows; e.g. it allows 500 requests for events in 10 s."""


class Polymarket:
    """The connector for Polymarket (the code that asks its API); methods as in `records.Venue`."""

    platform: Platform = "polymarket"
    full: tuple[str, ...] = ("open", "closed")
    incremental: tuple[str, ...] = ("created", "closed")

    def __init__(self, client: VenueClient, clock: Clock = now) -> None:
        self._client = client
        self._clock = clock
        self._keyset = True

    async def listing(self, phase: str, after: Cursor, since: datetime) -> Page:
        """A page of the listing named `phase`: "open" events, events "closed" since `since`, or
        markets "created" since then."""
        observed_at = self._clock()
        try:
            return await self._listing(phase, after, since, observed_at)
        except (NoSuchRecord, RequestRejected):
            if not self._keyset or after is not None:
                raise
            # The older generation of the listing: offset pages.
            self._keyset = False
            return await self._listing(phase, after, since, observed_at)

    async def _listing(
        self, phase: str, after: Cursor, since: datetime, observed_at: datetime
    ) -> Page:
        # A listing continues in the generation of the API in which its checkpoint was made.
        keyset = isinstance(after, str) if after is not None else self._keyset
        kind = "markets" if phase == "created" else "events"
        path, params = (
            created_query(keyset=keyset, after=after)
            if kind == "markets"
            else events_query(keyset=keyset, closed=phase == "closed", after=after)
        )
        answer = await self._client.get("gamma", path, params)
        with parsing_answer_of(self.platform):
            raw, following = read_page(answer, kind, keyset=keyset, after=after)
        wires: list[object] = []
        newest: datetime | None = None
        for record in raw:
            if not isinstance(record, dict):
                wires.append(record)
                continue
            wires.extend([record] if kind == "markets" else event_markets(record))
            at = moment(record.get("createdAt" if kind == "markets" else "closedTime"))
            if at is not None and (newest is None or at > newest):
                newest = at
        page = Page(after=following, records=len(raw), partial=phase == "created")
        for wire in wires:
            page.add(market(wire, observed_at, page.notes))
        past_the_window = newest is not None and newest < since
        if phase != "open" and past_the_window:
            page.after = None
        return page

    async def complete(self, event_ids: Mapping[str, str]) -> Page:
        """An empty page: Polymarket's records always have their event, so there is nothing to
        complete."""
        return Page()

    async def current_states(self, targets: Sequence[StoredMarketRef]) -> Page:
        """Ask the venue, by id, for the current state of markets that are already stored. All of
        them are looked up among the venue's open markets first. Those not found there are then
        looked up among its closed markets."""
        observed_at = self._clock()
        page = Page(partial=True)
        wanted = [t.platform_id for t in targets if t.platform_id.isdecimal()]
        for closed in (False, True):
            if not wanted:
                break
            path, params = batch_query(wanted, closed=closed)
            answer = await self._client.get("gamma", path, params)
            with parsing_answer_of(self.platform):
                raw, _ = read_page(answer, "markets", keyset=False, after=None)
            page.records += len(raw)
            for wire in raw:
                page.add(market(wire, observed_at, page.notes))
            seen = page.ids()
            wanted = [own for own in wanted if own not in seen]
        return page

    async def lookup(self, platform_id: str) -> Market | Refusal:
        """One market, whatever its status.

        Raises
        ------
        NoSuchRecord
            When the venue does not know the market.
        """
        observed_at = self._clock()
        path, params = market_query(platform_id)
        found = market(await self._client.get("gamma", path, params), observed_at)
        if isinstance(found, Market) and found.platform_id != platform_id:
            raise BadAnswer(self.platform, "answered with a different market than requested")
        return found

    async def history(
        self, target: StoredMarketRef, start: datetime, end: datetime
    ) -> list[PricePoint]:
        """The market's prices of each outcome, one per hour, or one per 12 hours if the market is
        resolved. If it has two outcomes, only prices of the first."""
        # For resolved markets, the venue returns nothing below 12 hours.
        minutes = 720 if target.status == "resolved" else 60
        points: list[PricePoint] = []
        tokens = target.token_ids[:1] if len(target.outcomes) == 2 else target.token_ids
        for outcome, token in enumerate(tokens):
            path, params = history_query(token, start=start, end=end, minutes=minutes)
            with parsing_answer_of(self.platform):
                points += history(await self._client.get("clob", path, params), target.id, outcome)
        return points

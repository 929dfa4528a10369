"""The connector for Kalshi: reads listings, changes of markets, single markets and price histories
from its API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from augury.clock import Clock, now
from augury.markets.records import Market, MarketChange, Platform, PricePoint
from augury.venues.http import BadAnswer, NoSuchRecord, VenueClient, VenueError, parsing_answer_of
from augury.venues.kalshi_queries import (
    Params,
    batch_query,
    candles_query,
    event_markets,
    event_query,
    events_query,
    market_query,
    markets_query,
    read_one,
    read_page,
    series_of,
    series_query,
)
from augury.venues.kalshi_records import candles, change, is_parlay, market
from augury.venues.records import Cursor, Page, Refusal, StoredMarketRef
from augury.venues.wire import Wire, identifier

BASES = ("api",)
LIMITS = {"api": 8.0}
"""Maximum number of requests per second, less than half of the 20 that Kalshi allows callers
without a key."""
COMPLETED_AT_ONCE = 40
"""Maximum number of events that are looked up for one page of a listing of new markets. Such a page
does not contain the markets' events, so each event is looked up before its markets are added. New
markets of the events beyond this number are added by the next full sync."""


class Kalshi:
    """The connector for Kalshi, i.e. the code that asks its API; methods as in `records.Venue`."""

    platform: Platform = "kalshi"
    full: tuple[str, ...] = ("open", "closed", "settled")
    incremental: tuple[str, ...] = ("created", "updated", "settling")

    def __init__(self, client: VenueClient, clock: Clock = now) -> None:
        self._client = client
        self._clock = clock
        self._series: dict[str, Wire] = {}

    async def listing(self, phase: str, after: Cursor, since: datetime) -> Page:
        """A page of the listing named `phase`. A full sync lists events with their markets; an
        incremental one lists markets alone.

        `since`: only what closed (or was created, changed or settled, depending on the listing) at
        or after this time is listed. The listing of open markets ignores `since`.
        """
        observed_at = self._clock()
        cursor = after if isinstance(after, str) else None
        if phase in self.full:
            if cursor is None:
                await self._refresh_series()
            path, params = events_query(status=phase, cursor=cursor)
            if phase != "open":
                params = {**params, "min_close_ts": int(since.timestamp())}
            raw, following = await self._page(path, params, "events")
            page = Page(after=following, records=len(raw))
            for event in raw:
                self._add_event(page, event, observed_at)
            return page
        filters: dict[str, dict[str, str | int]] = {
            "created": {"min_created_ts": int(since.timestamp()), "status": "open"},
            "updated": {"min_updated_ts": int(since.timestamp())},
            "settling": {"min_settled_ts": int(since.timestamp()), "status": "settled"},
        }
        path, params = markets_query(cursor=cursor, **filters[phase])
        raw, following = await self._page(path, params, "markets")
        page = Page(after=following, records=len(raw), partial=True)
        for wire in raw:
            self._add_news(page, wire, observed_at)
        return page

    async def complete(self, event_ids: Mapping[str, str]) -> Page:
        """Read the events of new markets, at most `COMPLETED_AT_ONCE` events. Returns a page with
        complete records of all markets of these events.

        event_ids : the event id of each new market, by market id
        """
        page = Page()
        for event in list(dict.fromkeys(event_ids.values()))[:COMPLETED_AT_ONCE]:
            observed_at = self._clock()
            path, params = event_query(event)
            try:
                with parsing_answer_of(self.platform):
                    answer = await self._client.get("api", path, params)
                    self._add_event(page, read_one(answer, "event"), observed_at)
            except NoSuchRecord:
                page.notes["event unknown to the venue"] += 1
        return page

    async def current_states(self, targets: Sequence[StoredMarketRef]) -> Page:
        """Ask the venue, by ticker, for the current state of markets that are already stored."""
        observed_at = self._clock()
        path, params = batch_query([t.platform_id for t in targets])
        raw, _ = await self._page(path, params, "markets")
        page = Page(records=len(raw), partial=True)
        for wire in raw:
            self._add_news(page, wire, observed_at)
        return page

    async def lookup(self, platform_id: str) -> Market | Refusal:
        """One market with its event. It is read from the historical API if the live one no longer
        has it.

        Raises
        ------
        NoSuchRecord
            When the venue does not know the market.
        """
        observed_at = self._clock()
        wire: dict[str, Any] = {}
        for historical in (False, True):
            path, params = market_query(platform_id, historical=historical)
            try:
                with parsing_answer_of(self.platform):
                    wire = read_one(await self._client.get("api", path, params), "market")
                    break
            except NoSuchRecord:
                if historical:
                    raise
        if wire.get("ticker") != platform_id:
            raise BadAnswer(self.platform, "answered with a different market than requested")
        event: Wire = {}
        if (ticker := identifier(wire.get("event_ticker"))) is not None:
            path, params = event_query(ticker)
            try:
                event = read_one(await self._client.get("api", path, params), "event")
            except (NoSuchRecord, ValueError):
                event = {}
        series = self._series.get(series_of(platform_id))
        return market(wire, observed_at, event=event, series=series)

    async def history(
        self, target: StoredMarketRef, start: datetime, end: datetime
    ) -> list[PricePoint]:
        """The market's hourly candles as price points. They are read from the historical API if the
        live one no longer has them; empty if neither has them."""
        for historical in (False, True):
            path, params = candles_query(
                target.platform_id,
                target.series_id,
                start=start,
                end=end,
                minutes=60,
                historical=historical,
            )
            try:
                with parsing_answer_of(self.platform):
                    return candles(await self._client.get("api", path, params), target.id)
            except NoSuchRecord:
                if historical:
                    return []
        return []

    async def _page(self, path: str, params: Params, kind: str) -> tuple[list[Any], str | None]:
        answer = await self._client.get("api", path, params)
        with parsing_answer_of(self.platform):
            return read_page(answer, kind)

    async def _refresh_series(self) -> None:
        """Read the categories and tags of all of Kalshi's series (groups of events) again. A
        failure is ignored."""
        path, params = series_query()
        try:
            raw, _ = await self._page(path, params, "series")
        except VenueError:
            return
        self._series = {
            ticker: wire
            for wire in raw
            if isinstance(wire, dict) and (ticker := identifier(wire.get("ticker"))) is not None
        }

    def _add_event(self, page: Page, event: object, observed_at: datetime) -> None:
        if not isinstance(event, dict):
            page.add(Refusal(None, "not a record"))
            return
        series = self._series.get(str(event.get("series_ticker")))
        for wire in event_markets(event):
            page.add(market(wire, observed_at, event=event, series=series, notes=page.notes))

    def _add_news(self, page: Page, wire: object, observed_at: datetime) -> None:
        found = (
            Refusal(identifier(wire.get("ticker")), "parlay")
            if isinstance(wire, dict) and is_parlay(wire)
            else change(wire, observed_at, page.notes)
        )
        page.add(found)
        if isinstance(found, MarketChange) and isinstance(wire, dict):
            event = identifier(wire.get("event_ticker"))
            if event is not None:
                page.event_ids[found.id] = event

"""Keeps the catalogue up to date with the venues: runs each kind of sync (called a flow) at its
interval, in one process at a time."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import psycopg
import structlog
from psycopg import AsyncConnection

from augury.clock import Clock, now
from augury.errors import AuguryError, NotFound, Unavailable
from augury.markets.records import Market, Platform
from augury.settings import Settings
from augury.storage import locks
from augury.storage.database import Database
from augury.venues import kalshi, polymarket, store
from augury.venues.flows import FlowOutcome, FlowRun, Report
from augury.venues.http import NoSuchRecord, RequestRejected, VenueClient, VenueError
from augury.venues.records import Page, Refusal, Venue
from augury.venues.store import VenueHealth, venue_health

__all__ = ["FlowOutcome", "Sync", "VenueHealth", "open_venues", "venue_health"]

log = structlog.get_logger(__name__)

HISTORY_EVERY = 300.0
"""Seconds between two runs that fetch price histories."""
FIRST_BACKOFF, LONGEST_BACKOFF = 15.0, 600.0
"""FIRST_BACKOFF: seconds from the first failure of a sync to the next attempt. LONGEST_BACKOFF:
longest such wait, in seconds. Each further failure doubles the wait."""


class _Busy(Exception):
    """Raised when another process is running the same kind of sync of the same venue."""


def open_venues(settings: Settings) -> tuple[dict[Platform, Venue], list[VenueClient]]:
    """The connectors of both venues, and their clients, which the caller must close."""
    gamma = VenueClient(
        "polymarket",
        {"gamma": settings.polymarket_gamma_url, "clob": settings.polymarket_clob_url},
        limits=polymarket.LIMITS,
        deadline=settings.upstream_timeout,
    )
    api = VenueClient(
        "kalshi",
        {"api": settings.kalshi_url},
        limits=kalshi.LIMITS,
        deadline=settings.upstream_timeout,
    )
    venues: dict[Platform, Venue] = {
        "polymarket": polymarket.Polymarket(gamma),
        "kalshi": kalshi.Kalshi(api),
    }
    return venues, [gamma, api]


class Sync:
    """Copies the markets and prices of both venues into one database.

    Each venue has four flows: a full listing, an incremental one (new or changed markets), a price
    refresh, and a fetch of price histories.

    Parameters
    ----------
    venues
        Connectors to use instead of those that the settings name.
    patience
        Longest pause, in seconds, that a venue may ask for. If it asks for a longer one, the flow
        fails and continues in its next run.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        *,
        venues: Mapping[Platform, Venue] | None = None,
        clock: Clock = now,
        patience: float = 60.0,
    ) -> None:
        self._database = database
        self._settings = settings
        self._given = venues
        self._opened: dict[Platform, Venue] | None = None
        self._clients: list[VenueClient] = []
        self._clock = clock
        self._patience = patience

    async def aclose(self) -> None:
        """Close the connections to the venues; the next sync opens new ones."""
        clients, self._clients, self._opened = self._clients, [], None
        for client in clients:
            await client.aclose()

    async def run(self, stop: asyncio.Event) -> None:
        """Run all flows (kinds of sync) of both venues, each at its interval, until `stop` is set.
        Failed flows are repeated."""
        every = self._settings
        flows = (
            ("full", self.full, every.sync_full_every),
            ("incremental", self.incremental, every.sync_incremental_every),
            ("prices", self.refresh_prices, every.price_refresh_every),
            ("history", self.fetch_history, HISTORY_EVERY),
        )
        tasks = [
            asyncio.create_task(self._keep(name, flow, platform, interval))
            for platform in self._venues()
            for name, flow, interval in flows
        ]
        stopping = asyncio.create_task(stop.wait())
        try:
            done, _ = await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in done - {stopping}:
                task.result()
        finally:
            # A flow can be canceled at any point: its checkpoint is stored along with its rows.
            for task in (stopping, *tasks):
                task.cancel()
            await asyncio.gather(stopping, *tasks, return_exceptions=True)
            await self.aclose()

    async def full(self, platform: Platform, report: Report | None = None) -> FlowOutcome:
        """Run a full sync of the venue (list all its open and recently closed markets) and return
        what was done; see `FlowRun.full`."""
        return await self._flow(platform, "full", FlowRun.full, report)

    async def incremental(self, platform: Platform, report: Report | None = None) -> FlowOutcome:
        """Run an incremental sync of the venue (list its new and changed markets) and return what
        was done; see `FlowRun.incremental`."""
        return await self._flow(platform, "incremental", FlowRun.incremental, report)

    async def refresh_prices(self, platform: Platform, report: Report | None = None) -> FlowOutcome:
        """Refresh the venue's prices and return what was done; see `FlowRun.refresh_prices`."""
        return await self._flow(platform, "prices", FlowRun.refresh_prices, report)

    async def fetch_history(self, platform: Platform, report: Report | None = None) -> FlowOutcome:
        """Fetch price histories of the venue and return what was done; see
        `FlowRun.fetch_history`."""
        return await self._flow(platform, "history", FlowRun.fetch_history, report)

    async def has_full(self, platform: Platform) -> bool:
        """Whether a full sync of the venue has succeeded and no interrupted one is pending."""
        async with self._database.reading() as conn:
            state = await store.load(conn, platform, "full")
        return state.succeeded_at is not None and state.cursor is None

    async def look_up(self, market_id: str) -> Market | Refusal:
        """Fetch one market from its venue by its id, and store it. Returns the market. If the
        venue's record can't become a market, nothing is stored, and the refusal is returned.

        Raises
        ------
        NotFound
            When the id names no venue, or the venue does not know it.
        VenueError
            When the request to the venue fails.
        """
        platform, _, own = market_id.partition(":")
        venue = self._venues().get(platform)  # type: ignore[call-overload]
        if venue is None or not own:
            raise NotFound("No market has this id.")
        try:
            found = await venue.lookup(own)
        except NoSuchRecord:
            raise NotFound("No market has this id.") from None
        if isinstance(found, Market):
            await self._run(venue, "look_up").store_page(Page(markets=[found]))
        return found

    def _run(self, venue: Venue, flow: str, report: Report | None = None) -> FlowRun:
        outcome = FlowOutcome(venue.platform, flow)
        return FlowRun(
            self._database, venue, outcome, report, clock=self._clock, patience=self._patience
        )

    async def _flow(
        self,
        platform: Platform,
        flow: str,
        body: Callable[[FlowRun], Awaitable[None]],
        report: Report | None,
    ) -> FlowOutcome:
        """Run `body`, which does one kind of sync (named `flow`), unless another process is running
        it. If the venue fails, the failure is stored in the database and in the result."""
        run = self._run(self._venues()[platform], flow, report)
        outcome = run.outcome
        began = time.perf_counter()
        try:
            async with self._alone(platform, flow):
                try:
                    await body(run)
                except VenueError as problem:
                    outcome.failure = str(problem.detail)
                    # If the venue rejects the checkpoint's cursor, it would reject it every time.
                    forget = isinstance(problem, RequestRejected)
                    async with self._database.transaction() as conn:
                        await store.fail(conn, platform, flow, outcome.failure, forget=forget)
        except _Busy:
            outcome.skipped = True
        outcome.seconds = round(time.perf_counter() - began, 3)
        return outcome

    @asynccontextmanager
    async def _alone(self, platform: Platform, flow: str) -> AsyncIterator[None]:
        """Holds the lock of a venue's flow (kind of sync) against other processes on this database.

        The lock belongs to a database session of its own: no transaction should stay open during
        requests to the venue, and a pooled session may be used by others in between.

        Raises `_Busy` if another process holds the lock.
        """
        try:
            conn = await AsyncConnection.connect(self._database.direct_url, autocommit=True)
        except psycopg.OperationalError as problem:
            raise Unavailable("The database can't be reached.") from problem
        async with conn:
            if not await locks.take(conn, locks.venue_flow(platform, flow)):
                raise _Busy
            yield

    async def _keep(
        self,
        name: str,
        flow: Callable[[Platform], Awaitable[FlowOutcome]],
        platform: Platform,
        interval: float,
    ) -> None:
        """Run a flow (kind of sync) again and again, every `interval` seconds.

        After a failure there is a backoff, a wait that doubles with each failure. A failed full
        sync is repeated after the backoff or the interval, whichever is shorter; any other flow
        after whichever is longer.
        """
        backoff = FIRST_BACKOFF
        wait = await self._first_wait(flow, platform, interval)
        while True:
            await asyncio.sleep(wait)
            try:
                outcome = await flow(platform)
            except (psycopg.Error, AuguryError) as problem:
                log.warning("sync_failed", venue=platform, reason=str(problem)[:200])
                outcome = FlowOutcome(platform, name, failure="failed")
            if outcome.failure is None:
                backoff = FIRST_BACKOFF
                wait = interval
            else:
                log.warning(
                    "sync_ended_early", venue=platform, flow=outcome.flow, reason=outcome.failure
                )
                wait = min(interval, backoff) if name == "full" else max(interval, backoff)
                backoff = min(LONGEST_BACKOFF, backoff * 2)
            # Jitter keeps replicas and flows from sending requests at the same time.
            wait *= random.uniform(0.9, 1.1)

    async def _first_wait(
        self,
        flow: Callable[[Platform], Awaitable[FlowOutcome]],
        platform: Platform,
        interval: float,
    ) -> float:
        """Seconds until the first run of a flow (kind of sync). For a full sync, the interval is
        counted from the last successful one, also across a restart. So a restart does not list
        everything again."""
        if flow != self.full:
            return random.uniform(0, min(5.0, interval))
        try:
            async with self._database.reading() as conn:
                state = await store.load(conn, platform, "full")
        except (psycopg.Error, AuguryError):
            return 1.0
        if state.cursor is not None or state.succeeded_at is None:
            return 0.0
        return max(0.0, interval - (self._clock() - state.succeeded_at).total_seconds())

    def _venues(self) -> Mapping[Platform, Venue]:
        if self._given is not None:
            return self._given
        if self._opened is None:
            self._opened, self._clients = open_venues(self._settings)
        return self._opened

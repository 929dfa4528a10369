"""Following the venues: full listings, what is new, prices, resolutions, past prices.

Each flow of a venue advances page by page. A page's rows and the place where the next page
starts are one transaction, so a killed sync goes on where it was. No flow concludes from what a
listing does not say: a market that left the listing is looked up by its id.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, TypeVar

import msgspec
import psycopg
import structlog
from prometheus_client import Counter as Metric
from psycopg import AsyncConnection

from augury.clock import Clock, isoformat, now
from augury.errors import AuguryError, NotFound, Unavailable
from augury.markets import store as markets
from augury.markets.records import Market, MarketChange, Platform, PricePoint
from augury.settings import Settings
from augury.storage.database import Database
from augury.venues import kalshi, polymarket, store
from augury.venues.belief import UnconfirmedClaims, align, as_change
from augury.venues.http import (
    BadAnswer,
    NoSuchRecord,
    RequestRejected,
    Throttled,
    VenueClient,
    VenueError,
    VenueFailed,
)
from augury.venues.records import KnownTarget, Page, Refusal, Venue
from augury.venues.store import VenueHealth, venue_health

__all__ = ["FlowOutcome", "Sync", "VenueHealth", "open_venues", "venue_health"]

log = structlog.get_logger(__name__)

RECORDS = Metric("augury_venue_records", "Market records stored.", ["venue", "flow"])
REFUSED = Metric("augury_venue_refused", "Wire records refused, by reason.", ["venue", "reason"])

RECENT = timedelta(days=3)
"""How far back a first full sync lists markets that have closed."""
OVERLAP = timedelta(minutes=2)
"""How far a listing of news reaches back before the last one began: venues index late."""
STALE_CURSOR = timedelta(hours=6)
"""A full sync interrupted longer ago than this starts anew."""
MOST_PAGES = 5_000
PRINTS_KEPT = 64
SOUND_SHARE = 0.5
"""A listing with less than this share of the markets known to be open is not trusted."""
SOUND_FROM = 50
"""Below this many known markets the share means nothing."""
BATCH = 100
LOOKUPS = 100
"""Single look-ups at most in one run, for markets that no batch answered for."""
PRICES_AT_ONCE = 6_000
HISTORIES_AT_ONCE = 40
HISTORY_WINDOW = timedelta(days=30)
HISTORY_EVERY = 300.0
FIRST_BACKOFF, LONGEST_BACKOFF = 15.0, 600.0

Report = Callable[["FlowOutcome"], None]
T = TypeVar("T")


class FlowOutcome(msgspec.Struct):
    """What one run of a flow did."""

    platform: Platform
    flow: str
    pages: int = 0
    records: int = 0
    inserted: int = 0
    updated: int = 0
    unchanged: int = 0
    prices: int = 0
    doubted: int = 0
    """News against a known resolution, not believed yet."""
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    notes: Counter[str] = msgspec.field(default_factory=Counter)
    seconds: float = 0.0
    failure: str | None = None
    """Plain text of why the run ended early; None when it came to its end."""
    skipped: bool = False
    """Another process is at it."""


class _Walk(msgspec.Struct):
    """The checkpoint of a walk over listings."""

    run_at: datetime
    since: datetime
    phase: str
    after: str | int | None = None
    pages: int = 0
    listed: int = 0
    sound: bool = True
    """Whether the open listing can be trusted to have shown everything."""
    prints: list[str] = msgspec.field(default_factory=list)


class _Busy(Exception):
    """Another process holds the flow."""


def open_venues(settings: Settings) -> tuple[dict[Platform, Venue], list[VenueClient]]:
    """Both venues over their own clients, which the caller closes."""
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
    """The flows of both venues over one database.

    Parameters
    ----------
    venues
        Connectors to use in place of those the settings name.
    patience
        Longest wait, in seconds, for a venue that says when to come back; beyond it a flow ends
        with a failure and goes on in its next run.
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
        """Close the connections to the venues; the next flow opens new ones."""
        clients, self._clients, self._opened = self._clients, [], None
        for client in clients:
            await client.aclose()

    async def run(self, stop: asyncio.Event) -> None:
        """Follow both venues until `stop`. A venue that can't be reached is tried again."""
        every = self._settings
        tasks = [
            asyncio.create_task(self._keep(flow, platform, interval), name=f"{platform} {name}")
            for platform in self._venues()
            for name, flow, interval in (
                ("full", self.full, every.sync_full_every),
                ("incremental", self.incremental, every.sync_incremental_every),
                ("prices", self.refresh_prices, every.price_refresh_every),
                ("history", self.fetch_history, HISTORY_EVERY),
            )
        ]
        stopping = asyncio.create_task(stop.wait())
        try:
            done, _ = await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in done - {stopping}:
                task.result()
        finally:
            # Every flow can be cut off anywhere: its checkpoint is with its rows.
            for task in (stopping, *tasks):
                task.cancel()
            await asyncio.gather(stopping, *tasks, return_exceptions=True)
            await self.aclose()

    async def full(self, platform: Platform, report: Report | None = None) -> FlowOutcome:
        """List everything open, then what closed lately, then look up what left the listing."""
        return await self._flow(platform, "full", self._full, report)

    async def incremental(self, platform: Platform, report: Report | None = None) -> FlowOutcome:
        """What is new or changed since the last run of this flow."""
        return await self._flow(platform, "incremental", self._incremental, report)

    async def refresh_prices(self, platform: Platform, report: Report | None = None) -> FlowOutcome:
        """Prices and status of open markets, by id, in batches."""
        return await self._flow(platform, "prices", self._refresh_prices, report)

    async def fetch_history(self, platform: Platform, report: Report | None = None) -> FlowOutcome:
        """Past prices of a few more markets that have none from the venue yet."""
        return await self._flow(platform, "history", self._fetch_history, report)

    async def has_full(self, platform: Platform) -> bool:
        """Whether the venue was ever listed whole, and no full sync waits to go on."""
        async with self._database.reading() as conn:
            state = await store.load(conn, platform, "full")
        return state.succeeded_at is not None and state.cursor is None

    async def look_up(self, market_id: str) -> Market | Refusal:
        """Ask the venue for one market by its id, and store what it says.

        Raises
        ------
        NotFound
            When the id names no venue, or the venue does not know it.
        VenueError
            When the venue can't be asked.
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
            outcome = FlowOutcome(venue.platform, "look_up")
            await self._store(venue, Page(markets=[found]), outcome)
        return found

    # --- flows ---------------------------------------------------------------------------

    async def _full(self, venue: Venue, outcome: FlowOutcome, report: Report) -> None:
        at = self._clock()
        async with self._database.reading() as conn:
            state = await store.load(conn, venue.platform, "full")
            open_before = await store.count_open(conn, venue.platform)
        walk = _resumed(state.cursor, at)
        if walk is None:
            # One full sync may miss the end of another: list what closed since well before it.
            since = at - RECENT
            if state.succeeded_at is not None:
                since = max(since, (state.started_at or state.succeeded_at) - timedelta(days=1))
            walk = _Walk(run_at=at, since=since, phase=venue.full[0])
        for phase in (*venue.full, "vanished"):
            if phase != walk.phase:
                continue
            if phase == "vanished":
                await self._look_up_vanished(venue, walk, outcome, report)
                continue
            await self._walk(venue, "full", walk, outcome, report, open_before)
            if phase == venue.full[0] and _thin(walk.listed, open_before):
                walk.sound = False
            rest = venue.full[venue.full.index(phase) + 1 :]
            walk.phase, walk.after, walk.prints = (rest[0] if rest else "vanished"), None, []
        problem = None
        if not walk.sound:
            problem = (
                f"The listing of {venue.platform} was not whole"
                f" ({walk.listed} open markets, {open_before} known before)."
            )
        await self._finish(venue, "full", walk.run_at, outcome, problem)

    async def _incremental(self, venue: Venue, outcome: FlowOutcome, report: Report) -> None:
        at = self._clock()
        async with self._database.reading() as conn:
            state = await store.load(conn, venue.platform, "incremental")
        walk = _resumed(state.cursor, at)
        if walk is None:
            since = (state.started_at or at) if state.succeeded_at else at - timedelta(hours=1)
            walk = _Walk(
                run_at=at, since=max(since, at - RECENT) - OVERLAP, phase=venue.incremental[0]
            )
        for phase in venue.incremental:
            if phase != walk.phase:
                continue
            try:
                await self._walk(venue, "incremental", walk, outcome, report, 0)
            except RequestRejected:
                # An older generation lacks the filter: the full sync brings what it would have.
                outcome.notes[f"no listing of {phase} markets"] += 1
            rest = venue.incremental[venue.incremental.index(phase) + 1 :]
            if rest:
                walk.phase, walk.after, walk.prints = rest[0], None, []
        await self._finish(venue, "incremental", walk.run_at, outcome)

    async def _refresh_prices(self, venue: Venue, outcome: FlowOutcome, report: Report) -> None:
        at = self._clock()
        async with self._database.reading() as conn:
            due = await store.due_for_prices(conn, venue.platform, PRICES_AT_ONCE)
        for start in range(0, len(due), BATCH):
            batch = due[start : start + BATCH]
            page = await self._ask(lambda batch=batch: venue.news(batch))
            await self._store(venue, page, outcome, {t.id: t for t in batch})
            report(outcome)
        if len(due) >= SOUND_FROM and not outcome.records:
            raise BadAnswer(venue.platform, f"answered for none of {len(due)} known markets")
        await self._finish(venue, "prices", at, outcome)

    async def _fetch_history(self, venue: Venue, outcome: FlowOutcome, report: Report) -> None:
        at = self._clock()
        async with self._database.reading() as conn:
            state = await store.load(conn, venue.platform, "history")
            after = int((state.cursor or {}).get("after", 0))
            due = await store.without_history(conn, venue.platform, after, HISTORIES_AT_ONCE)
        if not due:
            await self._finish(venue, "history", at, outcome)
            return
        for seq, target in due:
            start = max(at - HISTORY_WINDOW, target.created_at or at - HISTORY_WINDOW)
            points: list[PricePoint] = []
            try:
                points = await self._ask(lambda t=target, s=start: venue.history(t, s, at))
            except (NoSuchRecord, RequestRejected):
                # One market without a past must not hold up those after it.
                outcome.notes["no history"] += 1
            async with self._database.transaction() as conn:
                summary = await markets.append_prices(conn, points)
                cursor = {"after": seq}
                await store.checkpoint(conn, venue.platform, "history", cursor, at)
            outcome.pages += 1
            outcome.prices += summary.added
            report(outcome)

    async def _walk(
        self,
        venue: Venue,
        flow: str,
        walk: _Walk,
        outcome: FlowOutcome,
        report: Report,
        open_before: int,
    ) -> None:
        """One listing to its end, or to where it runs in circles."""
        lists_open = flow == "full" and walk.phase == venue.full[0]
        started_over = False
        while True:
            try:
                page = await self._ask(lambda: venue.listing(walk.phase, walk.after, walk.since))
            except RequestRejected:
                if walk.after is None or started_over:
                    raise
                # Cursors expire: this listing starts over, what it stored stays.
                walk.after, walk.prints, started_over = None, [], True
                continue
            if lists_open and not page.records and not walk.listed and open_before >= SOUND_FROM:
                raise BadAnswer(
                    venue.platform, f"lists no market, although {open_before} were open before"
                )
            mark = page.fingerprint()
            if page.records and mark in walk.prints:
                outcome.notes["repeated page"] += 1
                walk.sound &= not lists_open
                return
            walk.prints = [*walk.prints, mark][-PRINTS_KEPT:]
            walk.pages += 1
            if lists_open:
                walk.listed += len(page.markets)
            if page.kin:
                await self._complete(venue, page)
            circling = page.after is not None and page.after == walk.after
            walk.after = page.after
            checkpoint = (flow, walk) if page.after is not None else None
            await self._store(venue, page, outcome, checkpoint=checkpoint)
            report(outcome)
            if circling or walk.pages >= MOST_PAGES:
                outcome.notes["listing without end"] += 1
                walk.sound &= not lists_open
                return
            if page.after is None:
                return

    async def _complete(self, venue: Venue, page: Page) -> None:
        """Fetch whole records for the markets of a page of news that nobody knows yet."""
        async with self._database.reading() as conn:
            known = await store.targets(conn, [c.id for c in page.changes])
        kin = {
            c.id: page.kin[c.id]
            for c in page.changes
            if c.id not in known and c.id in page.kin and c.status == "active"
        }
        if not kin:
            return
        whole = await self._ask(lambda: venue.complete(kin))
        page.markets += [m for m in whole.markets if m.id not in known]
        page.refusals += whole.refusals
        page.notes += whole.notes

    async def _look_up_vanished(
        self, venue: Venue, walk: _Walk, outcome: FlowOutcome, report: Report
    ) -> None:
        """Ask by id for open markets that the listing left out. Silence changes nothing."""
        if not walk.sound:
            return
        lookups = 0
        while True:
            after = walk.after if isinstance(walk.after, int) else 0
            async with self._database.reading() as conn:
                batch = await store.unseen(conn, venue.platform, walk.run_at, after, BATCH)
            if not batch:
                return
            targets = [target for _, target in batch]
            page = await self._ask(lambda targets=targets: venue.news(targets))
            answered = page.ids()
            for target in targets:
                if target.platform_id in answered or lookups >= LOOKUPS:
                    continue
                lookups += 1
                try:
                    own = target.platform_id
                    page.add(await self._ask(lambda own=own: venue.lookup(own)))
                except (NoSuchRecord, RequestRejected):
                    outcome.notes["unknown to the venue"] += 1
            walk.after = batch[-1][0]
            await self._store(
                venue, page, outcome, {t.id: t for t in targets}, checkpoint=("full", walk)
            )
            report(outcome)

    # --- what all flows share --------------------------------------------------------------

    async def _store(
        self,
        venue: Venue,
        page: Page,
        outcome: FlowOutcome,
        known: dict[str, KnownTarget] | None = None,
        checkpoint: tuple[str, _Walk] | None = None,
    ) -> None:
        """A page's believable part, and the checkpoint behind it, in one transaction."""
        at = self._clock()
        async with self._database.transaction() as conn:
            if known is None:
                ids = [*(m.id for m in page.markets), *(c.id for c in page.changes)]
                known = await store.targets(conn, ids)
            kept = await store.load(conn, venue.platform, "doubts")
            doubts = UnconfirmedClaims(kept.cursor)
            whole, news = _believable(page, known, doubts, outcome, at)
            summary = await markets.upsert_markets(conn, whole)
            touched = await markets.apply_changes(conn, news)
            if doubts.changed:
                await store.checkpoint(conn, venue.platform, "doubts", doubts.kept(at), at)
            if checkpoint is not None:
                flow, walk = checkpoint
                cursor = msgspec.to_builtins(walk)
                await store.checkpoint(conn, venue.platform, flow, cursor, at)
        outcome.pages += 1
        outcome.records += len(page.markets) + len(page.changes)
        outcome.inserted += summary.inserted
        outcome.updated += summary.updated + touched
        outcome.unchanged += summary.unchanged + len(news) - touched
        outcome.notes += page.notes
        RECORDS.labels(venue.platform, outcome.flow).inc(len(whole) + len(news))
        for refusal in page.refusals:
            outcome.refused[refusal.reason] += 1
            REFUSED.labels(venue.platform, refusal.reason).inc()

    async def _flow(
        self,
        platform: Platform,
        flow: str,
        body: Callable[[Venue, FlowOutcome, Report], Awaitable[None]],
        report: Report | None,
    ) -> FlowOutcome:
        """Run a flow's body alone in the world, and note how it ended."""
        venue = self._venues()[platform]
        outcome = FlowOutcome(platform, flow)
        began = time.perf_counter()
        try:
            async with self._alone(platform, flow):
                try:
                    await body(venue, outcome, report or (lambda _: None))
                except VenueError as problem:
                    outcome.failure = str(problem.detail)
                    # A venue that rejects the checkpoint itself would do so for ever.
                    forget = isinstance(problem, RequestRejected)
                    async with self._database.transaction() as conn:
                        await store.fail(conn, platform, flow, outcome.failure, forget=forget)
        except _Busy:
            outcome.skipped = True
        outcome.seconds = round(time.perf_counter() - began, 3)
        return outcome

    async def _finish(
        self,
        venue: Venue,
        flow: str,
        started_at: datetime,
        outcome: FlowOutcome,
        problem: str | None = None,
    ) -> None:
        outcome.failure = problem
        stats = {
            "at": isoformat(self._clock()),
            "pages": outcome.pages,
            "records": outcome.records,
            "inserted": outcome.inserted,
            "updated": outcome.updated,
            "refused": dict(outcome.refused),
            "notes": dict(outcome.notes),
        }
        async with self._database.transaction() as conn:
            if problem is None:
                await store.succeed(conn, venue.platform, flow, started_at, stats)
            else:
                await store.fail(conn, venue.platform, flow, problem, forget=True)

    async def _ask(self, call: Callable[[], Awaitable[T]]) -> T:
        """`call`, waiting as long as the venue asks for where that is bearable."""
        for _ in range(3):
            try:
                return await call()
            except (Throttled, VenueFailed) as problem:
                if problem.retry_after is None or problem.retry_after > self._patience:
                    raise
                await asyncio.sleep(problem.retry_after)
        return await call()

    @asynccontextmanager
    async def _alone(self, platform: Platform, flow: str) -> AsyncIterator[None]:
        """Keep other processes on this database out of a venue's flow.

        A lock of a session of its own: a transaction must not stay open over the network, and a
        pooled session may serve somebody else in between.
        """
        try:
            conn = await AsyncConnection.connect(self._database.direct_url, autocommit=True)
        except psycopg.OperationalError as problem:
            raise Unavailable("The database can't be reached.") from problem
        async with conn:
            if not await store.try_lock(conn, platform, flow):
                raise _Busy
            yield

    async def _keep(
        self,
        flow: Callable[[Platform], Awaitable[FlowOutcome]],
        platform: Platform,
        interval: float,
    ) -> None:
        """Run a flow again and again; after a failure sooner, at growing distances."""
        backoff = FIRST_BACKOFF
        wait = await self._first_wait(flow, platform, interval)
        while True:
            await asyncio.sleep(wait)
            try:
                outcome = await flow(platform)
            except (psycopg.Error, AuguryError) as problem:
                log.warning("sync failed", venue=platform, problem=str(problem)[:200])
                outcome = FlowOutcome(platform, "", failure="failed")
            if outcome.failure is None:
                backoff = FIRST_BACKOFF
                wait = interval
            else:
                log.warning(
                    "sync ended early", venue=platform, flow=outcome.flow, why=outcome.failure
                )
                wait = min(interval, backoff) if outcome.flow == "full" else max(interval, backoff)
                backoff = min(LONGEST_BACKOFF, backoff * 2)
            # Jitter keeps replicas and flows from asking in step.
            wait *= random.uniform(0.9, 1.1)

    async def _first_wait(
        self,
        flow: Callable[[Platform], Awaitable[FlowOutcome]],
        platform: Platform,
        interval: float,
    ) -> float:
        """A restart does not list everything anew: the last full sync counts on."""
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


def _resumed(cursor: dict[str, Any] | None, at: datetime) -> _Walk | None:
    """The walk a checkpoint describes, unless it is of long ago or of another version."""
    if cursor is None:
        return None
    try:
        walk = msgspec.convert(cursor, _Walk)
    except msgspec.ValidationError:
        return None
    return walk if at - walk.run_at < STALE_CURSOR else None


def _thin(listed: int, open_before: int) -> bool:
    return open_before >= SOUND_FROM and listed < open_before * SOUND_SHARE


def _believable(
    page: Page,
    known: Mapping[str, KnownTarget],
    doubts: UnconfirmedClaims,
    outcome: FlowOutcome,
    at: datetime,
) -> tuple[list[Market], list[MarketChange]]:
    """The records and the news of a page that may be stored; the rest is counted."""
    whole: list[Market] = []
    news: list[MarketChange] = []
    for market in page.markets:
        target = known.get(market.id)
        if target is None:
            whole.append(market)
            continue
        aligned = align(market, target)
        if isinstance(aligned, Refusal):
            page.refusals.append(aligned)
        elif not doubts.believes(target, aligned.status, aligned.resolution, at):
            outcome.doubted += 1
        elif page.partial and target.origin == "venue":
            news.append(as_change(aligned, aligned.observed_at or at))
        else:
            whole.append(aligned)
    for change in page.changes:
        target = known.get(change.id)
        if target is None:
            continue
        if doubts.believes(target, change.status, change.resolution, at):
            news.append(change)
        else:
            outcome.doubted += 1
    return whole, news

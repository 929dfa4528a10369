"""Runs one flow (kind of sync) of a venue: a full listing of its markets, an incremental one (new
or changed markets), a price refresh, or a fetch of price histories.

Each flow advances page by page. A page's records and the position of the next page are stored in
one transaction, so that the next run continues where a killed one stopped. A market that is missing
from a listing is not taken to be closed: it is looked up by its id.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

import msgspec
from prometheus_client import Counter as Metric

from augury.clock import Clock, isoformat
from augury.markets import store as markets
from augury.markets.records import Market, MarketChange, Platform, PricePoint
from augury.storage.database import Database
from augury.venues import store
from augury.venues.belief import UnconfirmedClaims, align, as_change
from augury.venues.http import BadAnswer, NoSuchRecord, RequestRejected, Throttled, VenueFailed
from augury.venues.records import Page, Refusal, StoredMarketRef, Venue

RECORDS = Metric("augury_venue_records", "Market records stored.", ["venue", "flow"])
REFUSED = Metric(
    "augury_venue_refused",
    "Records in a venue's responses that Augury refused, by reason.",
    ["venue", "reason"],
)

MAX_LOOK_BACK = timedelta(days=3)
"""A sync looks back at most this long. A full sync looks back for markets that have closed, an
incremental sync for changes. It looks back less if the previous sync of the same kind was more
recent."""
SYNC_OVERLAP = timedelta(minutes=2)
"""How far an incremental sync reaches back before the start of the previous one. It does so because
venues show changes in their listings with a delay. Some changes are therefore listed twice."""
STALE_CURSOR = timedelta(hours=6)
"""An interrupted sync is continued at its checkpoint only if it was started less than this long
ago. Otherwise the next run starts from the beginning."""
MAX_PAGES = 5_000
"""Maximum number of pages that are read of one listing. A listing that reaches this number is taken
to be endless."""
MAX_FINGERPRINTS = 64
"""The fingerprints (hashes of the ids on a page) of the latest pages of a listing are stored, to
notice a page that the venue sends again. This is the maximum number of these pages."""
MIN_LISTED_SHARE = 0.5
"""A full listing is taken to be incomplete if it has fewer markets than this share (0 to 1) of
those stored as open. Chosen by hand."""
MIN_EXPECTED_MARKETS = 50
"""A listing or a price refresh is checked for missing markets only if it is expected to contain at
least this many. A listing is expected to contain the markets that are stored as open; a price
refresh, those that were requested."""
BATCH_IDS = 100
"""Maximum number of markets that one request asks for by their ids."""
MAX_LOOKUPS = 100
"""Maximum number of markets that a run requests one by one, after the answer to a request for many
ids left them out."""
PRICES_AT_ONCE = 6_000
"""Maximum number of markets in one price refresh."""
HISTORIES_PER_RUN = 40
"""Maximum number of markets whose price history is fetched in one run."""
HISTORY_WINDOW = timedelta(days=30)
"""How far back a price history is fetched."""

Report = Callable[["FlowOutcome"], None]
T = TypeVar("T")


class FlowOutcome(msgspec.Struct):
    """What one run of a flow did. A flow is one kind of sync: a full or an incremental listing of
    markets, a price refresh, or a fetch of price histories."""

    platform: Platform
    flow: str
    pages: int = 0
    records: int = 0
    inserted: int = 0
    updated: int = 0
    unchanged: int = 0
    prices: int = 0
    doubted: int = 0
    """Number of records that contradict a stored resolution and are not stored, because the venue
    has not repeated them often enough yet."""
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    notes: Counter[str] = msgspec.field(default_factory=Counter)
    seconds: float = 0.0
    failure: str | None = None
    """Why the run ended early or its listing is incomplete, as plain text; None if it succeeded."""
    skipped: bool = False
    """True if another process was running the same flow of this venue, so that nothing was done."""


class _Walk(msgspec.Struct):
    """How far a sync has read a venue's listings; stored as its checkpoint.

    `phase` is the name of the current listing, and `after` is where its next page starts. Listings
    of closed or changed markets go back to the time `since`. `listed` counts the markets in the
    listing of open markets. `prints` are fingerprints (hashes of the ids) of the latest pages.
    """

    run_at: datetime
    since: datetime
    phase: str
    after: str | int | None = None
    pages: int = 0
    listed: int = 0
    sound: bool = True
    """False if the listing of open markets turned out to be incomplete, so that a market missing
    from it may still be open."""
    prints: list[str] = msgspec.field(default_factory=list)


class FlowRun:
    """One run of a flow, i.e. of one kind of sync; `outcome.flow` is the flow's name.

    `patience`: longest wait, in seconds, that a venue may ask for before the next request. If it
    asks for more, the run fails.
    """

    def __init__(
        self,
        database: Database,
        venue: Venue,
        outcome: FlowOutcome,
        report: Report | None,
        *,
        clock: Clock,
        patience: float,
    ) -> None:
        self._database = database
        self._venue = venue
        self.outcome = outcome
        self._report = report or (lambda _: None)
        self._clock = clock
        self._patience = patience

    async def full(self) -> None:
        """List all open markets, then recently closed ones, then look up those no longer listed."""
        at, venue = self._clock(), self._venue
        async with self._database.reading() as conn:
            state = await store.load(conn, venue.platform, "full")
            open_before = await store.count_open(conn, venue.platform)
        walk = _resumed(state.cursor, at)
        if walk is None:
            # The previous full sync may have missed markets that closed while it ran, so closed
            # markets are listed from a day before its start.
            since = at - MAX_LOOK_BACK
            if state.succeeded_at is not None:
                since = max(since, (state.started_at or state.succeeded_at) - timedelta(days=1))
            walk = _Walk(run_at=at, since=since, phase=venue.full[0])
        for phase in (*venue.full, "vanished"):
            if phase != walk.phase:
                continue
            if phase == "vanished":
                await self._look_up_vanished(walk)
                continue
            await self._walk(walk, open_before)
            if phase == venue.full[0] and _is_incomplete(walk.listed, open_before):
                walk.sound = False
            rest = venue.full[venue.full.index(phase) + 1 :]
            walk.phase, walk.after, walk.prints = (rest[0] if rest else "vanished"), None, []
        problem = None
        if not walk.sound:
            problem = (
                f"The listing of {venue.platform} is incomplete: it has {walk.listed} open "
                f"markets, and {open_before} were open before."
            )
        await self._finish(walk.run_at, problem)

    async def incremental(self) -> None:
        """List markets that are new or changed since the last incremental sync."""
        at, venue = self._clock(), self._venue
        async with self._database.reading() as conn:
            state = await store.load(conn, venue.platform, "incremental")
        walk = _resumed(state.cursor, at)
        if walk is None:
            since = (state.started_at or at) if state.succeeded_at else at - timedelta(hours=1)
            walk = _Walk(
                run_at=at,
                since=max(since, at - MAX_LOOK_BACK) - SYNC_OVERLAP,
                phase=venue.incremental[0],
            )
        for phase in venue.incremental:
            if phase != walk.phase:
                continue
            try:
                await self._walk(walk, 0)
            except RequestRejected:
                # An older version of the venue's API lacks this filter; the full sync brings the
                # same markets later.
                self.outcome.notes[f"no listing of {phase} markets"] += 1
            rest = venue.incremental[venue.incremental.index(phase) + 1 :]
            if rest:
                walk.phase, walk.after, walk.prints = rest[0], None, []
        await self._finish(walk.run_at)

    async def refresh_prices(self) -> None:
        """Refresh prices and status of open markets, at most `PRICES_AT_ONCE`, requested by id in
        batches."""
        at, venue = self._clock(), self._venue
        async with self._database.reading() as conn:
            due = await store.due_for_prices(conn, venue.platform, PRICES_AT_ONCE)
        for start in range(0, len(due), BATCH_IDS):
            batch = due[start : start + BATCH_IDS]
            page = await self._ask(lambda batch=batch: venue.current_states(batch))
            await self.store_page(page, {t.id: t for t in batch})
            self._report(self.outcome)
        if len(due) >= MIN_EXPECTED_MARKETS and not self.outcome.records:
            raise BadAnswer(
                venue.platform,
                f"returned none of the {len(due)} stored markets that were requested by id",
            )
        await self._finish(at)

    async def fetch_history(self) -> None:
        """Fetch the venue's price history for the next few markets that do not have it yet."""
        at, venue = self._clock(), self._venue
        async with self._database.reading() as conn:
            state = await store.load(conn, venue.platform, "history")
            after = int((state.cursor or {}).get("after", 0))
            due = await store.without_history(conn, venue.platform, after, HISTORIES_PER_RUN)
        if not due:
            await self._finish(at)
            return
        for seq, target in due:
            start = max(at - HISTORY_WINDOW, target.created_at or at - HISTORY_WINDOW)
            points: list[PricePoint] = []
            try:
                points = await self._ask(lambda t=target, s=start: venue.history(t, s, at))
            except (NoSuchRecord, RequestRejected):
                # A market without a history must not block the following ones.
                self.outcome.notes["no history"] += 1
            async with self._database.transaction() as conn:
                summary = await markets.append_prices(conn, points)
                cursor = {"after": seq}
                await store.checkpoint(conn, venue.platform, "history", cursor, at)
            self.outcome.pages += 1
            self.outcome.prices += summary.added
            self._report(self.outcome)

    async def _walk(self, walk: _Walk, open_before: int) -> None:
        """Read the rest of one listing and store its pages. Reading ends at the last page, at a
        page that was read before, or after `MAX_PAGES` pages.

        open_before : number of the venue's markets that are stored as open
        """
        venue, outcome = self._venue, self.outcome
        lists_open = outcome.flow == "full" and walk.phase == venue.full[0]
        started_over = False
        while True:
            try:
                page = await self._ask(lambda: venue.listing(walk.phase, walk.after, walk.since))
            except RequestRejected:
                if walk.after is None or started_over:
                    raise
                # The cursor has expired: the listing starts over, and stored pages are kept.
                walk.after, walk.prints, started_over = None, [], True
                continue
            if (
                lists_open
                and not page.records
                and not walk.listed
                and open_before >= MIN_EXPECTED_MARKETS
            ):
                raise BadAnswer(
                    venue.platform,
                    f"lists no open market, although {open_before} markets are stored as open",
                )
            mark = page.fingerprint()
            if page.records and mark in walk.prints:
                outcome.notes["repeated page"] += 1
                walk.sound &= not lists_open
                return
            walk.prints = [*walk.prints, mark][-MAX_FINGERPRINTS:]
            walk.pages += 1
            if lists_open:
                walk.listed += len(page.markets)
            if page.event_ids:
                await self._complete(page)
            circling = page.after is not None and page.after == walk.after
            walk.after = page.after
            await self.store_page(page, walk=walk if page.after is not None else None)
            self._report(outcome)
            if circling or walk.pages >= MAX_PAGES:
                outcome.notes["listing without end"] += 1
                walk.sound &= not lists_open
                return
            if page.after is None:
                return

    async def _complete(self, page: Page) -> None:
        """Fetch complete records of new markets, and add them to `page`. A market is new if `page`
        has a change of its price or state, but the market is not stored yet."""
        async with self._database.reading() as conn:
            known = await store.known_markets(conn, [c.id for c in page.changes])
        event_ids = {
            c.id: page.event_ids[c.id]
            for c in page.changes
            if c.id not in known and c.id in page.event_ids and c.status == "active"
        }
        if not event_ids:
            return
        whole = await self._ask(lambda: self._venue.complete(event_ids))
        page.markets += [m for m in whole.markets if m.id not in known]
        page.refusals += whole.refusals
        page.notes += whole.notes

    async def _look_up_vanished(self, walk: _Walk) -> None:
        """Look up, by id, the stored open markets that the listing left out. A market without an
        answer stays as it is."""
        if not walk.sound:
            return
        venue, lookups = self._venue, 0
        while True:
            after = walk.after if isinstance(walk.after, int) else 0
            async with self._database.reading() as conn:
                batch = await store.unseen(conn, venue.platform, walk.run_at, after, BATCH_IDS)
            if not batch:
                return
            targets = [target for _, target in batch]
            page = await self._ask(lambda targets=targets: venue.current_states(targets))
            answered = page.ids()
            for target in targets:
                if target.platform_id in answered or lookups >= MAX_LOOKUPS:
                    continue
                lookups += 1
                try:
                    own = target.platform_id
                    page.add(await self._ask(lambda own=own: venue.lookup(own)))
                except (NoSuchRecord, RequestRejected):
                    self.outcome.notes["unknown to the venue"] += 1
            walk.after = batch[-1][0]
            await self.store_page(page, {t.id: t for t in targets}, walk)
            self._report(self.outcome)

    async def store_page(
        self,
        page: Page,
        known: dict[str, StoredMarketRef] | None = None,
        walk: _Walk | None = None,
    ) -> None:
        """Store the plausible records (`_believable`) of a page of the venue's answers, together
        with a checkpoint of how far the listing has been read, in one transaction.

        `known`: the stored markets that the page is about, by id; if None, they are read from the
        database. `walk`: the checkpoint; if None, none is stored.
        """
        at, platform, outcome = self._clock(), self._venue.platform, self.outcome
        async with self._database.transaction() as conn:
            if known is None:
                ids = [*(m.id for m in page.markets), *(c.id for c in page.changes)]
                known = await store.known_markets(conn, ids)
            stored = await store.load(conn, platform, "doubts")
            claims = UnconfirmedClaims(stored.cursor)
            whole, news = _believable(page, known, claims, outcome, at)
            summary = await markets.upsert_markets(conn, whole)
            touched = await markets.apply_changes(conn, news)
            if claims.changed:
                await store.checkpoint(conn, platform, "doubts", claims.to_store(at), at)
            if walk is not None:
                cursor = msgspec.to_builtins(walk)
                await store.checkpoint(conn, platform, outcome.flow, cursor, at)
        outcome.pages += 1
        outcome.records += len(page.markets) + len(page.changes)
        outcome.inserted += summary.inserted
        outcome.updated += summary.updated + touched
        outcome.unchanged += summary.unchanged + len(news) - touched
        outcome.notes += page.notes
        RECORDS.labels(platform, outcome.flow).inc(len(whole) + len(news))
        for refusal in page.refusals:
            outcome.refused[refusal.reason] += 1
            REFUSED.labels(platform, refusal.reason).inc()

    async def _finish(self, started_at: datetime, problem: str | None = None) -> None:
        platform, outcome = self._venue.platform, self.outcome
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
                await store.succeed(conn, platform, outcome.flow, started_at, stats)
            else:
                await store.fail(conn, platform, outcome.flow, problem, forget=True)

    async def _ask(self, call: Callable[[], Awaitable[T]]) -> T:
        """The result of `call`. If the call fails because the venue asks for a pause of at most
        `patience` seconds, it is repeated after that pause, up to three times."""
        for _ in range(3):
            try:
                return await call()
            except (Throttled, VenueFailed) as problem:
                if problem.retry_after is None or problem.retry_after > self._patience:
                    raise
                await asyncio.sleep(problem.retry_after)
        return await call()


def _resumed(cursor: dict[str, Any] | None, at: datetime) -> _Walk | None:
    """The progress that a stored checkpoint holds; None if there is no checkpoint, or if it is too
    old or from another version of the code."""
    if cursor is None:
        return None
    try:
        walk = msgspec.convert(cursor, _Walk)
    except msgspec.ValidationError:
        return None
    return walk if at - walk.run_at < STALE_CURSOR else None


def _is_incomplete(listed: int, open_before: int) -> bool:
    return open_before >= MIN_EXPECTED_MARKETS and listed < open_before * MIN_LISTED_SHARE


def _believable(
    page: Page,
    known: Mapping[str, StoredMarketRef],
    claims: UnconfirmedClaims,
    outcome: FlowOutcome,
    at: datetime,
) -> tuple[list[Market], list[MarketChange]]:
    """The markets and the changes of a page that may be stored.

    Three kinds of records are left out: markets whose outcomes do not fit the stored ones,
    unconfirmed contradictions of a stored resolution, and changes of markets that are not stored.
    The first two kinds are counted.
    """
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
        elif not claims.believes(target, aligned.status, aligned.resolution, at):
            outcome.doubted += 1
        elif page.partial and target.origin == "venue":
            news.append(as_change(aligned, aligned.observed_at or at))
        else:
            whole.append(aligned)
    for change in page.changes:
        target = known.get(change.id)
        if target is None:
            continue
        if claims.believes(target, change.status, change.resolution, at):
            news.append(change)
        else:
            outcome.doubted += 1
    return whole, news

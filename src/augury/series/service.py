"""External series (numbers over time that accounts provide): created, fetched on request and on
schedule, and read with their earlier values."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import httpx2
import structlog

from augury.clock import Clock, now
from augury.errors import AuguryError, Conflict, InvalidInput, NotFound, RateLimited
from augury.ids import new_id
from augury.net import fetch, guard
from augury.net.addresses import AddressPolicy, Refused
from augury.net.budget import Budget
from augury.net.fetch import FetchFailed
from augury.separate_process import SeparateProcess
from augury.series import parse, store
from augury.series.parse import BadFeed, Points
from augury.series.sources import Source, check, is_sendable
from augury.series.store import Connection, Point, Revision, Series
from augury.storage.database import Database
from augury.storage.vault import CantOpen, Vault

log = structlog.get_logger(__name__)

Kind = Literal["macro_indicator", "partner_feed"]

MOST_SERIES = 500
MOST_KEPT = 1_000_000
"""Largest number of points that one series may have in all."""
_MAX_FETCHES = 40
"""Maximum number of series that are fetched on schedule at the same time in one process."""
_MAX_ACCOUNT_FETCHES = 4
"""Maximum number of series of one account that are fetched at the same time in one process, on
schedule or on request."""
_MAX_HOST_FETCHES = 8
"""Maximum number of series that are fetched on schedule from one host at the same time in one
process."""
_BURST_SECONDS = 10.0
"""After a pause, a host may be sent several fetches at once: as many as its rate (`host_rate`)
allows in this many seconds, e.g. 50 at a rate of 5 fetches a second."""
_POLL_SECONDS = 1.0
"""While series are being fetched, the database is asked at least once in this many seconds for more
series whose scheduled time has come."""
_PARSE_SECONDS = 10.0
"""Longest time, in seconds, that a separate process may take to read the points in one source's
answer."""
_PARSE_MEMORY_BYTES = 1 << 30
HOURLY_BYTES = 512 * 1024 * 1024
"""Maximum number of bytes, decompressed, that one process receives in an hour from the sources of
one account's series."""
_LEASE = timedelta(seconds=60)
_SLOWEST_RETRY = timedelta(days=1)


class Refreshed(NamedTuple):
    """The result of fetching a series, or of storing points that its owner sent: how many points
    were added, and how many changed their value."""

    series: Series
    at: datetime
    status: Literal["ok", "not_modified"]
    added: int
    changed: int


@dataclass
class _AccountLocks:
    """The locks of one account, which limit its work: at most `_MAX_ACCOUNT_FETCHES` of its series
    are fetched at a time (`fetching`), and one source's answer is parsed at a time (`parsing`)."""

    fetching: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(_MAX_ACCOUNT_FETCHES)
    )
    parsing: asyncio.Lock = field(default_factory=asyncio.Lock)
    holders: int = 0


class SeriesService:
    """Creates, fetches, reads and deletes external series: numbers over time that accounts
    provide."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        policy: AddressPolicy,
        *,
        clock: Clock = now,
        host_rate: float = 5.0,
        host_burst: int | None = None,
    ) -> None:
        """All accounts together fetch from one host at most `host_rate` times a second on average.
        After a pause, up to `host_burst` fetches may be made at once (default: as many as
        `host_rate` allows in ten seconds)."""
        self._database = database
        self._vault = vault
        self._policy = policy
        self._clock = clock
        self._client: httpx2.AsyncClient | None = None
        self._process = SeparateProcess(memory=_PARSE_MEMORY_BYTES)
        self._locks: dict[str, _AccountLocks] = {}
        self._budget = Budget(HOURLY_BYTES, timedelta(hours=1))
        host_burst = host_burst or math.ceil(_BURST_SECONDS * host_rate)
        pause = timedelta(seconds=host_burst / host_rate)
        self._hosts = Budget(host_burst, pause)
        self._dials: Budget | None = Budget(host_burst, pause)
        self._host_rate = host_rate

    async def close(self) -> None:
        """Close the connections to sources and end the process that reads answers."""
        await self._process.close()
        if self._client is not None:
            await self._client.aclose()

    async def create(
        self,
        account_id: str,
        name: str,
        kind: Kind,
        source: Source,
        *,
        unit: str | None = None,
        frequency: str | None = None,
        refresh_every: timedelta | None = None,
    ) -> Series:
        """Create a series. One with an interval (`refresh_every`) is fetched within seconds."""
        check(source, refresh_every, self._policy)
        series_id = new_id("ser")
        made = self._clock()
        url = self._vault.seal(source.url.encode(), series_id) if source.url else None
        headers = json.dumps(source.headers).encode()
        series = Series(
            id=series_id, account_id=account_id, name=name, kind=kind, source_type=source.type,
            host=urlsplit(source.url).hostname if source.url else None, url=url,
            headers=self._vault.seal(headers, series_id) if source.headers else None,
            header_names=sorted(source.headers), time_path=source.time_path,
            value_path=source.value_path, unit=unit, frequency=frequency,
            refresh_every=refresh_every, etag=None, last_modified=None, fetched_at=None,
            attempted_at=None, failure=None, failures=0,
            due_at=made if refresh_every is not None else None, latest_time=None,
            latest_value=None, points=0, created_at=made,
        )  # fmt: skip
        async with self._database.transaction() as conn:
            if await store.count(conn, account_id) >= MOST_SERIES:
                raise Conflict(f"An account has at most {MOST_SERIES} series.", code="too_many")
            await store.insert(conn, series)
        return series

    async def get(self, account_id: str, series_id: str) -> Series:
        async with self._database.reading() as conn:
            return await self._fetch_row(conn, account_id, series_id)

    async def page(self, account_id: str, *, limit: int, after: str | None) -> list[Series]:
        """The account's series, oldest first."""
        async with self._database.reading() as conn:
            return await store.page(conn, account_id, limit=limit, after=after)

    async def delete(self, account_id: str, series_id: str) -> None:
        """Delete a series with its points; rules that watch it have no data from then on."""
        async with self._database.transaction() as conn:
            if not await store.delete(conn, account_id, series_id):
                raise _no_series()

    async def points(
        self,
        account_id: str,
        series_id: str,
        *,
        start: datetime | None,
        end: datetime | None,
        limit: int,
        after: datetime | None,
    ) -> tuple[list[Point], dict[datetime, list[Revision]]]:
        """At most `limit` points of a series within [start, end), oldest first. Also the earlier
        values of those points whose value has changed: time of the point -> revisions. `after`:
        only points later than this time."""
        async with self._database.reading() as conn:
            await self._fetch_row(conn, account_id, series_id)
            found = await store.points(
                conn, series_id, start=start, end=end, limit=limit, after=after
            )
            earlier: dict[datetime, list[Revision]] = {}
            if found:
                for revision in await store.revisions(
                    conn, series_id, found[0].time, found[-1].time
                ):
                    earlier.setdefault(revision.time, []).append(revision)
        return found, earlier

    async def refresh(
        self, account_id: str, series_id: str, pushed: list[tuple[Any, Any]] | None
    ) -> Refreshed:
        """Fetch a series now or, for one whose points are sent by its owner, store `pushed`, as
        (time, value) pairs.

        Raises
        ------
        FetchFailed, Refused
            The source gave nothing usable. The failure is also stored with the series.
        InvalidInput
            `pushed` is missing, can't be read, or is given for a series that is fetched.
        NotFound
            The account has no such series.
        RateLimited
            All accounts together have just made too many fetches from the series' host.
        """
        series = await self.get(account_id, series_id)
        if series.source_type == "push":
            if pushed is None:
                raise InvalidInput.at("body", "points", msg="Field required", type="missing")
            try:
                return await self._store_points(series, [parse.points(pushed)], self._clock(), None)
            except BadFeed as error:
                raise InvalidInput.at("body", "points", msg=str(error)) from None
        if pushed is not None:
            raise InvalidInput.at(
                "body",
                "points",
                msg="This series is fetched from a URL. Only series of type push take points.",
            )
        self._charge_request(series)
        return await self._refresh(series)

    async def refresh_due(self) -> None:
        """Fetch all series whose scheduled time has come.

        Accounts take turns, and each has only a few fetches at a time, so that slow sources of one
        account do not delay the others. Fetches from one host are limited over all accounts.
        """
        under_way: dict[asyncio.Task[None], Series] = {}
        try:
            while True:
                async with self._database.transaction() as conn:
                    due = await store.claim_due(
                        conn,
                        _MAX_FETCHES - len(under_way),
                        _LEASE,
                        max_per_account=_MAX_ACCOUNT_FETCHES,
                        under_way=Counter(series.account_id for series in under_way.values()),
                        max_per_host=min(_MAX_HOST_FETCHES, self._hosts.most),
                        host_capacity=self._host_capacity(
                            Counter(s.host or "" for s in under_way.values())
                        ),
                    )
                for series in due:
                    self._hosts.spend(series.host or "", 1)
                    task = asyncio.create_task(self._refresh_claimed(series))
                    under_way[task] = series
                if not under_way:
                    return
                done, _ = await asyncio.wait(
                    under_way, timeout=_POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    del under_way[task]
                    task.result()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    def _host_capacity(self, under_way: Mapping[str, int]) -> dict[str, int]:
        """How many more scheduled fetches may go to each host now, by host. Hosts without recent
        fetches are left out, since `claim_due` has a default for them.

        `under_way`: number of unfinished fetches, by host.
        """
        return {
            host: max(0, min(_MAX_HOST_FETCHES - under_way.get(host, 0), self._hosts.left(host)))
            for host in {*under_way, *self._hosts.spenders()}
        }

    def _charge_request(self, series: Series) -> None:
        """Count a fetch for an API request: it uses up a part of the allowance of the series' host.
        Raise RateLimited if at least half of the allowance is used; only scheduled fetches may use
        all of it."""
        host = series.host or ""
        if self._hosts.left(host) <= self._hosts.most // 2:
            raise RateLimited(
                f"Too many fetches from {host} just now. All series together may fetch "
                f"{self._host_rate:g} times a second from one host (AUGURY_SERIES_RATE). Try again "
                "in a moment.",
                retry_after=1 / self._host_rate,
            )
        self._hosts.spend(host, 1)

    def _charge_redirect(self, host: str) -> None:
        """Count a fetch from `host`, to which a series' source redirects, against the allowance of
        `host`. Raise FetchFailed if the whole allowance is used."""
        if not self._hosts.left(host):
            raise FetchFailed(
                f"The source redirects to {host}, but too many fetches from that host were made "
                "just now. Try again in a minute."
            )
        self._hosts.spend(host, 1)

    async def _refresh_claimed(self, series: Series) -> None:
        try:
            await self._refresh(series)
        except (FetchFailed, Refused) as error:
            log.info(
                "series_refresh_failed",
                series=series.id,
                host=series.host,
                error=type(error).__name__,
            )
        except Exception:
            # This concerns one series only: the others continue, and this one is fetched again as
            # after any other failure.
            log.exception("series_refresh_failed_unexpectedly", series=series.id, host=series.host)
            await self._note_failure(
                series,
                "The refresh failed because of an error in the service; its log has the cause.",
            )

    @asynccontextmanager
    async def _fetch_slot(self, account_id: str) -> AsyncIterator[_AccountLocks]:
        """Wait until fewer than `_MAX_ACCOUNT_FETCHES` series of the account are being fetched,
        then take one of these places for the length of the block. Yields the
        account's locks."""
        locks = self._locks.setdefault(account_id, _AccountLocks())
        locks.holders += 1
        try:
            async with locks.fetching:
                yield locks
        finally:
            locks.holders -= 1
            if not locks.holders:
                del self._locks[account_id]

    async def _refresh(self, series: Series) -> Refreshed:
        async with self._fetch_slot(series.account_id) as locks:
            return await self._refreshed(series, locks)

    async def _refreshed(self, series: Series, locks: _AccountLocks) -> Refreshed:
        try:
            answer = await self._fetch_source(series)
            at = self._clock()
            if answer.status == 304:
                return await self._store_points(series, [], at, answer)
            # The largest answers take seconds to parse: this is done outside the process that
            # serves requests, and for one answer of an account at a time.
            async with locks.parsing:
                found = await self._process.run(
                    _PARSE_SECONDS, parse.packed, series.source_type, answer.body,
                    series.time_path, series.value_path,
                )  # fmt: skip
            return await self._store_points(series, map(parse.unpacked, found), at, answer)
        except BadFeed as error:
            failure: AuguryError = FetchFailed(
                f"The source's answer can't be read as a series. {error}"
            )
        except (FetchFailed, Refused) as error:
            failure = error
        except (MemoryError, TimeoutError):
            failure = FetchFailed("The source's answer is too complex to read.")
        except CantOpen:
            failure = FetchFailed(
                "The URL of this series was encrypted with a key that this service does not "
                "have. Create the series again."
            )
        await self._note_failure(series, str(failure))
        raise failure

    async def _note_failure(self, series: Series, why: str) -> None:
        """Store why a fetch failed (`why`) and when it is tried again. This uses a transaction of
        its own, because the transaction of the failing request is rolled back."""
        async with self._database.transaction(separate=True) as conn:
            at = self._clock()
            wait = _backoff(series)
            await store.note_failure(
                conn, series.id, at, why, at + wait if wait is not None else None
            )

    async def _fetch_source(self, series: Series) -> fetch.Fetched:
        if self._client is None:
            self._client = guard.client(
                self._policy, timeout=fetch.DEADLINE_SECONDS, connections=200, dials=self._dials
            )
        account = series.account_id
        if not self._budget.left(account):
            raise FetchFailed(
                f"The sources of this account have sent {HOURLY_BYTES >> 20} MiB within an hour, "
                "which is the limit. Fetching resumes when the hour has passed."
            )
        assert series.url is not None
        url = self._vault.open(series.url, series.id).decode()
        headers: dict[str, str] = {}
        if series.headers is not None:
            headers = json.loads(self._vault.open(series.headers, series.id))
        if series.points and is_sendable(series.etag):
            headers["If-None-Match"] = series.etag or ""
        if series.points and is_sendable(series.last_modified):
            headers["If-Modified-Since"] = series.last_modified or ""
        return await fetch.get(
            self._client, url, headers=headers, meter=partial(self._budget.spend, account),
            on_redirect=self._charge_redirect,
        )  # fmt: skip

    async def _store_points(
        self,
        series: Series,
        slices: Iterable[Points],
        at: datetime,
        answer: fetch.Fetched | None,
    ) -> Refreshed:
        etag, modified = series.etag, series.last_modified
        unchanged = answer is not None and answer.status == 304
        if answer is not None and not unchanged:
            etag, modified = (
                value if is_sendable(value := answer.headers.get(name)) else None
                for name in ("etag", "last-modified")
            )
        async with self._database.transaction() as conn:
            added = changed = 0
            for found in slices:
                more, other = await store.put_points(conn, series.id, found, at)
                added, changed = added + more, changed + other
            await store.note_success(
                conn,
                series.id,
                at,
                etag=etag,
                last_modified=modified,
                due_at=at + series.refresh_every if series.refresh_every is not None else None,
            )
            after = await self._fetch_row(conn, series.account_id, series.id)
            if added and after.points > MOST_KEPT:
                raise BadFeed(f"A series holds at most {MOST_KEPT:,} points.")
        return Refreshed(after, at, "not_modified" if unchanged else "ok", added, changed)

    async def _fetch_row(self, conn: Connection, account_id: str, series_id: str) -> Series:
        found = await store.fetch(conn, account_id, series_id)
        if found is None:
            raise _no_series()
        return found


def _no_series() -> NotFound:
    return NotFound("No series of yours has this id.")


def _backoff(series: Series) -> timedelta | None:
    """Time until a failed fetch is tried again: the series' interval, doubled with each failure in
    a row, at most a day (or the interval, if that is longer). None for a series without a
    schedule."""
    if series.refresh_every is None:
        return None
    longest = max(_SLOWEST_RETRY, series.refresh_every)
    return min(series.refresh_every * 2 ** min(series.failures, 10), longest)

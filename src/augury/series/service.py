"""External series: made, refreshed on request and on schedule, read back with revisions."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import httpx2
import structlog

from augury.clock import Clock, now
from augury.errors import AuguryError, Conflict, InvalidInput, NotFound
from augury.ids import new_id
from augury.net import fetch, guard
from augury.net.addresses import Policy, Refused
from augury.net.fetch import FetchFailed
from augury.series import parse, store
from augury.series.parse import BadFeed, Points
from augury.series.store import Connection, Point, Revision, Series
from augury.storage.database import Database
from augury.storage.vault import CantOpen, Vault

log = structlog.get_logger(__name__)

Kind = Literal["macro_indicator", "partner_feed"]
SourceType = Literal["csv", "json", "fred", "push"]

MOST_SERIES = 500
SHORTEST_REFRESH = timedelta(minutes=1)
_AT_ONCE = 10
_LEASE = timedelta(seconds=60)
_SLOWEST_RETRY = timedelta(days=1)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}", re.ASCII)
_VALUE = re.compile(r"[\x20-\x7e]{1,2000}", re.ASCII)
_OURS = {
    "host", "content-length", "content-type", "connection", "transfer-encoding", "te", "trailer",
    "upgrade", "expect", "keep-alive", "accept-encoding", "if-none-match", "if-modified-since",
    "range", "proxy-authorization", "proxy-connection", "forwarded", "x-forwarded-for",
}  # fmt: skip
"""Headers that a fetch decides itself."""


@dataclass(frozen=True)
class Source:
    """Where a series comes from; `push`: from its owner."""

    type: SourceType
    url: str | None = None
    time_path: str | None = None
    value_path: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


class Refreshed(NamedTuple):
    """What a refresh brought."""

    series: Series
    at: datetime
    status: Literal["ok", "not_modified"]
    added: int
    changed: int


class SeriesService:
    """The use cases over one database."""

    def __init__(
        self, database: Database, vault: Vault, policy: Policy, *, clock: Clock = now
    ) -> None:
        self._database = database
        self._vault = vault
        self._policy = policy
        self._clock = clock
        self._client: httpx2.AsyncClient | None = None

    async def close(self) -> None:
        """Let go of connections to sources."""
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
        """A new series; one that is refreshed on schedule is fetched within seconds."""
        self._check(source, refresh_every)
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

    def _check(self, source: Source, refresh_every: timedelta | None) -> None:
        if (source.type == "push") != (source.url is None):
            raise InvalidInput.at(
                "body", "source", "url",
                msg="A push series has no URL." if source.url else "Field required",
                type="missing" if source.url is None else "value_error",
            )  # fmt: skip
        if source.url is None:
            if source.headers or source.time_path or source.value_path:
                raise InvalidInput.at("body", "source", msg="A push series is not fetched.")
            if refresh_every is not None:
                raise InvalidInput.at("body", "refresh_every", msg="A push series is not fetched.")
            return
        try:
            self._policy.check_url(source.url)
        except Refused as refused:
            raise InvalidInput.at(
                "body", "source", "url", msg=str(refused), type="url_refused"
            ) from None
        if refresh_every is not None and refresh_every < SHORTEST_REFRESH:
            raise InvalidInput.at("body", "refresh_every", msg="Should be at least 1m.")
        for name, value in source.headers.items():
            if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
                raise InvalidInput.at("body", "source", "headers", msg="A header is not valid.")
            if name.lower() in _OURS:
                raise InvalidInput.at(
                    "body", "source", "headers", msg="One of the headers can't be set."
                )
        for field_name in ("time_path", "value_path"):
            path = getattr(source, field_name)
            if path is None:
                continue
            if source.type == "fred":
                raise InvalidInput.at("body", "source", field_name, msg="FRED's are known.")
            if source.type == "json":
                try:
                    parse.check_path(path)
                except ValueError as error:
                    raise InvalidInput.at("body", "source", field_name, msg=str(error)) from None

    async def get(self, account_id: str, series_id: str) -> Series:
        async with self._database.reading() as conn:
            return await self._fetch_row(conn, account_id, series_id)

    async def page(self, account_id: str, *, limit: int, after: str | None) -> list[Series]:
        """The account's series, oldest first."""
        async with self._database.reading() as conn:
            return await store.page(conn, account_id, limit=limit, after=after)

    async def delete(self, account_id: str, series_id: str) -> None:
        """The series is gone with its points; rules that watch it have no data."""
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
        """Points within [start, end), and what each of them was before."""
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
        """Fetch a series now, or take in the points pushed to it.

        Raises
        ------
        FetchFailed, Refused
            The source gave nothing usable; also noted with the series.
        """
        series = await self.get(account_id, series_id)
        if series.source_type == "push":
            if pushed is None:
                raise InvalidInput.at("body", "points", msg="Field required", type="missing")
            try:
                return await self._take(series, parse.points(pushed), self._clock(), None)
            except BadFeed as error:
                raise InvalidInput.at("body", "points", msg=str(error)) from None
        if pushed is not None:
            raise InvalidInput.at("body", "points", msg="This series is fetched, not pushed.")
        return await self._refresh(series)

    async def refresh_due(self) -> None:
        """Fetch the series whose time has come, some at once; for a schedule."""
        while True:
            async with self._database.transaction() as conn:
                due = await store.claim_due(conn, _AT_ONCE, _LEASE)
            if not due:
                return
            outcomes = await asyncio.gather(
                *(self._refresh(series) for series in due), return_exceptions=True
            )
            for series, outcome in zip(due, outcomes, strict=True):
                if isinstance(outcome, FetchFailed | Refused):
                    log.info("series not refreshed", series=series.id, host=series.host)
                elif isinstance(outcome, BaseException):
                    raise outcome

    async def _refresh(self, series: Series) -> Refreshed:
        try:
            answer = await self._ask(series)
            at = self._clock()
            if answer.status == 304:
                return await self._take(series, [], at, answer)
            # Seconds for the largest: not on the loop that serves requests meanwhile.
            found = await asyncio.to_thread(
                parse.parse, series.source_type, answer.body, series.time_path, series.value_path
            )
            return await self._take(series, found, at, answer)
        except BadFeed as error:
            failure: AuguryError = FetchFailed(f"The source's answer is no series. {error}")
        except (FetchFailed, Refused) as error:
            failure = error
        except CantOpen:
            failure = FetchFailed("Its address was sealed with another key than this service has.")
        # Known though the request that asked for it fails: the next try waits for longer.
        async with self._database.transaction(apart=True) as conn:
            at = self._clock()
            wait = _backoff(series)
            await store.note_failure(
                conn, series.id, at, str(failure), at + wait if wait is not None else None
            )
        raise failure

    async def _ask(self, series: Series) -> fetch.Fetched:
        if self._client is None:
            self._client = guard.client(self._policy, timeout=fetch.DEADLINE, connections=20)
        assert series.url is not None
        url = self._vault.open(series.url, series.id).decode()
        headers: dict[str, str] = {}
        if series.headers is not None:
            headers = json.loads(self._vault.open(series.headers, series.id))
        if series.points and series.etag:
            headers["If-None-Match"] = series.etag
        if series.points and series.last_modified:
            headers["If-Modified-Since"] = series.last_modified
        return await fetch.get(self._client, url, headers=headers)

    async def _take(
        self, series: Series, found: Points, at: datetime, answer: fetch.Fetched | None
    ) -> Refreshed:
        etag, modified = series.etag, series.last_modified
        unchanged = answer is not None and answer.status == 304
        if answer is not None and not unchanged:
            etag, modified = answer.headers.get("etag"), answer.headers.get("last-modified")
        async with self._database.transaction() as conn:
            added, changed = await store.put_points(conn, series.id, found, at)
            await store.note_success(
                conn,
                series.id,
                at,
                etag=etag,
                last_modified=modified,
                due_at=at + series.refresh_every if series.refresh_every is not None else None,
            )
            after = await self._fetch_row(conn, series.account_id, series.id)
        return Refreshed(after, at, "not_modified" if unchanged else "ok", added, changed)

    async def _fetch_row(self, conn: Connection, account_id: str, series_id: str) -> Series:
        found = await store.fetch(conn, account_id, series_id)
        if found is None:
            raise _no_series()
        return found


def _no_series() -> NotFound:
    return NotFound("There is no series with this id.")


def _backoff(series: Series) -> timedelta | None:
    """Until a failed refresh is tried again: longer each time, at most a day (or the interval)."""
    if series.refresh_every is None:
        return None
    longest = max(_SLOWEST_RETRY, series.refresh_every)
    return min(series.refresh_every * 2 ** min(series.failures, 10), longest)

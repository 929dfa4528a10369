"""The health report: origin and age of each part of the data, the index and its lag, problems."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from psycopg import Error as DatabaseError
from pydantic import SecretStr

import augury
from augury.clock import Clock, isoformat, now
from augury.errors import AuguryError
from augury.health import gauges
from augury.jobs import queue
from augury.markets import store as markets
from augury.markets.freshness import AgeRule, in_words
from augury.markets.quote_checks import Reason
from augury.markets.records import ORIGINS, STATUSES
from augury.markets.store import PlatformCount
from augury.rvol import rows
from augury.rvol import store as rvol
from augury.search.service import SearchService
from augury.series import store as series
from augury.setting_sources import sources
from augury.settings import Settings
from augury.storage.database import Database, size
from augury.venues.sync import VenueHealth, venue_health

REUSE_SECONDS = 1.0
"""Seconds for which one health report is reused for all callers."""

LATE_AFTER: Final = timedelta(days=1)
"""If no sync with the venues runs, a venue's data count as late if its newest price, or its newest
observation of a market, is older than this. The health report's status is then `degraded`. If a
sync runs, the limit is the setting `AUGURY_STALE_AFTER` instead."""

VOLATILITY_LATE_AFTER: Final = {True: timedelta(days=2), False: timedelta(days=5)}
"""Realized volatility counts as late if its newest day ended longer ago than this. True: for assets
that trade around the clock; False: for assets whose exchange closes on weekends and holidays."""

NAMES: Final = {"polymarket": "Polymarket", "kalshi": "Kalshi"}


class HealthService:
    """Makes the report of `/v1/health`. Never raises: a part of the service that can't be reached
    is reported as a problem."""

    def __init__(
        self,
        database: Database,
        search: SearchService,
        *,
        stale_after: float,
        syncing: bool,
        age: AgeRule = AgeRule(),
        index_folder: Path | None = None,
        clock: Clock = now,
    ) -> None:
        """`syncing`: whether the settings turn on the sync with the venues. `stale_after`: age in
        seconds above which a venue's data count as late if `syncing` is True; otherwise, the limit
        is `LATE_AFTER`. `age`: the rule by which markets count as stale. `index_folder`: the folder
        of the search index, if it is on this machine."""
        self._database = database
        self._search = search
        self._late = timedelta(seconds=stale_after) if syncing else LATE_AFTER
        self._syncing = syncing
        self._age = age
        self._index_folder = index_folder
        self._clock = clock
        self._started_at = clock()
        self._asking = asyncio.Lock()
        self._made: tuple[float, dict[str, Any]] | None = None

    async def report(self) -> dict[str, Any]:
        """The health report as JSON; its `status` is ok, degraded (the service answers, but has
        problems) or down.

        A report is reused for `REUSE_SECONDS` seconds, because counting a large catalogue is
        costly and anybody may ask.
        """
        async with self._asking:
            if self._made is None or time.monotonic() - self._made[0] > REUSE_SECONDS:
                self._made = time.monotonic(), await self._report()
            return self._made[1]

    async def measure(self) -> None:
        """Bring the gauges of `/metrics` up to date. Like `report`, this never raises."""
        gauges.follow(await self.report())
        database = None
        with suppress(DatabaseError, AuguryError):
            async with self._database.reading() as conn:
                database = await size(conn)
        folder = self._index_folder
        gauges.sizes(database, await asyncio.to_thread(_folder_size, folder) if folder else 0)

    async def overview(self, settings: Settings) -> dict[str, Any]:
        """For the operator: the settings in force, jobs that are unfinished or ended in the last
        day, and the sizes of the database and of the data folder."""
        async with self._database.reading() as conn:
            jobs = await queue.summary(conn)
            database = await size(conn)
        folder = await asyncio.to_thread(_folder_size, Path(settings.data_dir))
        return {
            "settings": settings_in_force(settings),
            "jobs": jobs,
            "storage": [
                {"name": "Database", "bytes": database},
                {"name": "Data folder", "bytes": folder},
            ],
        }

    async def _report(self) -> dict[str, Any]:
        at = self._clock()
        report: dict[str, Any] = {
            "status": "ok",
            "version": augury.__version__,
            "time": isoformat(at),
            "uptime_seconds": round((at - self._started_at).total_seconds(), 1),
        }
        problems: list[str] = []
        try:
            async with self._database.reading() as conn:
                counts = await markets.counts_by_platform_status(conn, at, self._age.oldest(at))
                venues = await venue_health(conn)
                last_change = await markets.last_change(conn)
                held = await markets.quarantine_counts(conn)
                volatility = await rvol.newest(conn)
                overview = await series.overview(conn, at)
        except (DatabaseError, AuguryError):
            report |= {
                "status": "down",
                "problems": ["The database does not answer."],
                "database": {"status": "down"},
                "index": await self._search.index_report(None),
            }
            return report

        report["database"] = {"status": "ok"}
        total = sum(count.markets for count in counts)
        origins = {count.origin for count in counts}
        report["data"] = "empty" if not total else "sample" if origins == {"sample"} else "real"
        report["catalogue"] = self._catalogue(counts, venues, at, problems)
        report["quarantine"] = _quarantine(held)
        report["parts"] = {
            "catalogue": _part(((ORIGINS[c.origin], c.observed_at) for c in counts), at),
            "prices": _part(((ORIGINS[c.origin], c.price_as_of) for c in counts), at),
            "volatility": self._volatility(volatility, at, problems),
            "series": self._series(overview, at, problems),
        }
        report["index"] = index = await self._search.index_report(last_change)
        if index["lag"]:
            problems.append(f"The search index is {index['lag']} changes behind the catalogue.")
        if report["data"] == "sample":
            problems.append(
                "Only the sample catalogue is loaded; no real market has been synced or imported."
            )
        report["problems"] = problems
        if problems:
            report["status"] = "degraded"
        return report

    def _catalogue(
        self,
        counts: list[PlatformCount],
        venues: list[VenueHealth],
        at: datetime,
        problems: list[str],
    ) -> dict[str, Any]:
        catalogue: dict[str, Any] = {
            "markets": sum(count.markets for count in counts),
            "stale": sum(count.stale for count in counts),
        }
        by_venue = {venue.platform: venue for venue in venues}
        for platform in sorted({count.platform for count in counts} | set(by_venue)):
            own = [count for count in counts if count.platform == platform]
            entry: dict[str, Any] = {
                "markets": sum(count.markets for count in own),
                "by_status": {
                    status: sum(c.markets for c in own if c.status == status)
                    for status in STATUSES
                    if any(c.status == status for c in own)
                },
                "stale": sum(count.stale for count in own),
                "origins": sorted({ORIGINS[count.origin] for count in own}),
            }
            seen = max((c.observed_at for c in own if c.observed_at), default=None)
            quoted = max((c.price_as_of for c in own if c.price_as_of), default=None)
            entry["data_as_of"] = isoformat(seen) if seen else None
            entry["age_seconds"] = _seconds(seen, at)
            entry["price_as_of"] = isoformat(quoted) if quoted else None
            entry["price_age_seconds"] = _seconds(quoted, at)
            if venue := by_venue.get(platform):
                entry["synced_at"] = isoformat(venue.succeeded_at) if venue.succeeded_at else None
                entry["failure"] = venue.failure
                if self._syncing and venue.failure:
                    problems.append(f"{platform} can't be followed: {venue.failure}")
            if any(count.origin != "sample" for count in own):
                problems += self._late_venue(NAMES[platform], seen, quoted, at)
            catalogue[platform] = entry
        return catalogue

    def _late_venue(
        self, name: str, seen: datetime | None, quoted: datetime | None, at: datetime
    ) -> list[str]:
        """A list with one sentence if the data of the venue called `name` are too old, else an
        empty list. The venue's newest price is checked first (`quoted`), because answers are based
        on it, then the newest observation of a market (`seen`)."""
        for what, newest in (("price", quoted), ("observation", seen)):
            if newest is None or at - newest <= self._late:
                continue
            age = in_words(at - newest)
            if self._syncing:
                allowed = in_words(self._late)
                return [f"{name}: the newest {what} is {age} old (allowed: {allowed})."]
            return [
                f"{name}: the newest {what} is {age} old, and no sync is configured. "
                "Set AUGURY_SYNC=on, or import newer data."
            ]
        return []

    def _volatility(
        self, found: Sequence[rvol.Newest], at: datetime, problems: list[str]
    ) -> dict[str, Any]:
        real = [one for one in found if one.origin != "sample"]
        if found and not real:
            problems.append(
                "Volatility: only the invented sample is loaded; no real bars have been fetched "
                "or imported."
            )
        for one in real:
            lasts = VOLATILITY_LATE_AFTER[one.continuous]
            if at - one.through > lasts:
                problems.append(
                    f"Volatility: the newest day of {rows.ORIGINS[one.origin]} data ended "
                    f"{in_words(at - one.through)} ago (allowed: {in_words(lasts)}). "
                    "Import newer bars with 'augury rvol import', or set AUGURY_SYNC=on."
                )
        return _part(((rows.ORIGINS[one.origin], one.through) for one in found), at)

    @staticmethod
    def _series(overview: series.Overview, at: datetime, problems: list[str]) -> dict[str, Any]:
        if overview.late:
            problems.append(
                f"{overview.late} external series have not been fetched for more than two of their "
                "refresh intervals."
            )
        newest = [("live", overview.latest_time)] if overview.series else []
        return {**_part(newest, at), "series": overview.series, "late": overview.late}


def _quarantine(held: Sequence[tuple[str, Reason, int]]) -> dict[str, Any]:
    """The quotes and recorded prices in quarantine (held back because they cannot be right): their
    number, in total and by venue and reason."""
    by_venue: dict[str, dict[str, int]] = {}
    for venue, reason, count in held:
        by_venue.setdefault(venue, {})[reason] = count
    return {"held": sum(count for *_, count in held), "by_venue": by_venue}


def _part(found: Any, at: datetime) -> dict[str, Any]:
    """How old one part of the data is, as JSON fields. `found`: (origin, time) pairs; an origin is
    e.g. "live" or "sample". The fields `origin`, `as_of` and `age_seconds` are those of the newest
    pair; `origins` has the origins of all pairs that have a time."""
    known = [(time, origin) for origin, time in found if time is not None]
    newest, origin = max(known, default=(None, None))
    return {
        "origin": origin,
        "origins": sorted({origin for _, origin in known}),
        "as_of": isoformat(newest) if newest else None,
        "age_seconds": _seconds(newest, at),
    }


def _seconds(newest: datetime | None, at: datetime) -> int | None:
    return max(0, round((at - newest).total_seconds())) if newest else None


def _folder_size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            if path.is_file():
                total += path.stat().st_size
        except OSError:
            pass  # deleted meanwhile, or not accessible
    return total


def settings_in_force(settings: Settings) -> list[dict[str, Any]]:
    """Every setting with its name, value, source and description. A secret's value is not shown,
    only whether it is set.

    `source`: "environment", the path of a file, "default", or "command line" (also used for values
    that the program sets itself).

    The user name and password in a URL are left out.
    """
    found = []
    origins = sources()
    for name, field in Settings.model_fields.items():
        variable = f"AUGURY_{name.upper()}"
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            value = "set, not shown"
        elif isinstance(value, tuple):
            value = ", ".join(map(str, value))
        elif value is not None and not isinstance(value, int | float):
            value = _USER_PART.sub(r"\1", str(value))
        found.append(
            {
                "name": variable,
                "value": value,
                "source": origins.get(variable, "command line")
                if name in settings.model_fields_set
                else "default",
                "about": field.description or "",
            }
        )
    return found


_USER_PART = re.compile(r"^([a-z+]+://)[^/@]*@")

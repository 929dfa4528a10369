"""Health as a set of facts: the catalogue by venue, its age, the index and its lag."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from typing import Any

from psycopg import Error as DatabaseError

import augury
from augury.clock import Clock, isoformat, now
from augury.errors import AuguryError
from augury.markets import store as markets
from augury.search.service import SearchService
from augury.storage.database import Database
from augury.venues.sync import VenueHealth, venue_health

HOLDS = 1.0
"""Seconds for which one report is given to all who ask."""


class HealthService:
    """Answers `/v1/health`. Never raises: what can't be asked is reported as such."""

    def __init__(
        self,
        database: Database,
        search: SearchService,
        *,
        stale_after: float,
        syncing: bool,
        clock: Clock = now,
    ) -> None:
        """`stale_after` in seconds: venue data older than that is called stale."""
        self._database = database
        self._search = search
        self._stale_after = stale_after
        self._syncing = syncing
        self._clock = clock
        self._started_at = clock()
        self._asking = asyncio.Lock()
        self._made: tuple[float, dict[str, Any]] | None = None

    async def report(self) -> dict[str, Any]:
        """The facts; `status` is ok, degraded (it answers, something is amiss) or down.

        Made at most once in `HOLDS` seconds: counting a large catalogue is work, and anybody
        may ask.
        """
        async with self._asking:
            if self._made is None or time.monotonic() - self._made[0] > HOLDS:
                self._made = time.monotonic(), await self._report()
            return self._made[1]

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
                counts = await markets.counts_by_platform_status(conn)
                venues = await venue_health(conn)
                last_change = await markets.last_change(conn)
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
        self, counts: list[Any], venues: list[VenueHealth], at: datetime, problems: list[str]
    ) -> dict[str, Any]:
        catalogue: dict[str, Any] = {"markets": sum(count.markets for count in counts)}
        by_venue = {venue.platform: venue for venue in venues}
        for platform in sorted({count.platform for count in counts} | set(by_venue)):
            own = [count for count in counts if count.platform == platform]
            entry: dict[str, Any] = {
                "markets": sum(count.markets for count in own),
                "by_status": {
                    status: sum(c.markets for c in own if c.status == status)
                    for status in sorted({c.status for c in own})
                },
                "origins": sorted({count.origin for count in own}),
            }
            newest = max((c.observed_at for c in own if c.observed_at), default=None)
            entry["data_as_of"] = isoformat(newest) if newest else None
            entry["age_seconds"] = round((at - newest).total_seconds()) if newest else None
            if venue := by_venue.get(platform):
                entry["synced_at"] = isoformat(venue.succeeded_at) if venue.succeeded_at else None
                entry["failure"] = venue.failure
                if self._syncing and venue.failure:
                    problems.append(f"{platform} can't be followed: {venue.failure}")
            if self._syncing and newest and (at - newest).total_seconds() > self._stale_after:
                problems.append(f"{platform}'s data is older than {self._stale_after:g} s.")
            catalogue[platform] = entry
        return catalogue

"""Periodic work (schedules): each time it is due, exactly one of all processes does it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog
from psycopg import AsyncConnection

from augury.clock import pause
from augury.errors import AuguryError
from augury.storage import locks
from augury.storage.database import Database
from augury.storage.failures import as_unavailable

log = structlog.get_logger(__name__)

TAKEOVER_SECONDS = 5.0
"""Longest time, in seconds, until another process takes over the periodic work of a process that
died."""


@dataclass(frozen=True)
class Schedule:
    """Periodic work: `function` runs every `seconds`, counted from start to start."""

    name: str
    seconds: float
    function: Callable[[], Awaitable[None]]


class Schedules:
    """The periodic work that this process can do. Each piece of work is done by the one process
    whose database session holds the work's lock. If that process dies, PostgreSQL frees the lock,
    and another process takes over the work, which is still due."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._schedules: dict[str, Schedule] = {}

    def add(self, name: str, seconds: float, function: Callable[[], Awaitable[None]]) -> None:
        if name in self._schedules:
            raise ValueError(f"two schedules named {name}")
        self._schedules[name] = Schedule(name, seconds, function)

    async def run(self, stop: asyncio.Event, *, drain: float = 10) -> None:
        """Do the periodic work until `stop` is set; work in progress then has 80% of `drain`
        seconds to end before it is canceled."""
        again_in = 0.2
        while not stop.is_set():
            try:
                async with await AsyncConnection.connect(
                    self._database.direct_url, autocommit=True, connect_timeout=5
                ) as session:
                    again_in = 0.2
                    await self._declare(session)
                    async with asyncio.TaskGroup() as group:
                        for schedule in self._schedules.values():
                            group.create_task(self._follow(session, schedule, stop, drain))
            except* Exception as group:
                for error in group.exceptions:
                    if not isinstance(error, AuguryError) and as_unavailable(error) is None:
                        raise
                log.warning(
                    "schedules_wait_for_database",
                    reason=str(group.exceptions[0]),
                    retry_in_s=again_in,
                )
                await pause(stop, again_in)
                again_in = min(again_in * 2, 5)

    async def _declare(self, session: AsyncConnection[Any]) -> None:
        for schedule in self._schedules.values():
            every = timedelta(seconds=schedule.seconds)
            # An interval that is shorter than the stored one takes effect immediately.
            await session.execute(
                "insert into schedules as s (name, every) values (%s, %s)"
                " on conflict (name) do update set every = excluded.every,"
                " due_at = least(s.due_at, s.started_at + excluded.every)"
                " where s.every <> excluded.every",
                (schedule.name, every),
            )

    async def _follow(
        self, session: AsyncConnection[Any], schedule: Schedule, stop: asyncio.Event, drain: float
    ) -> None:
        lock = locks.schedule(schedule.name)
        while not stop.is_set():
            wait = await self._due_in(session, schedule)
            if wait <= 0:
                if await locks.take(session, lock):
                    try:
                        # Another process may have done it before this one got the lock.
                        if await self._due_in(session, schedule) <= 0:
                            await self._perform(session, schedule, stop, drain)
                    finally:
                        await locks.give_back(session, lock)
                    continue
                wait = TAKEOVER_SECONDS
            await pause(stop, min(wait, TAKEOVER_SECONDS, schedule.seconds))

    async def _due_in(self, session: AsyncConnection[Any], schedule: Schedule) -> float:
        cursor = await session.execute(
            "select extract(epoch from due_at - clock_timestamp())::float8"
            " from schedules where name = %s",
            (schedule.name,),
        )
        row = await cursor.fetchone()
        return row[0] if row else TAKEOVER_SECONDS

    async def _perform(
        self, session: AsyncConnection[Any], schedule: Schedule, stop: asyncio.Event, drain: float
    ) -> None:
        await session.execute(
            "update schedules set started_at = clock_timestamp() where name = %s", (schedule.name,)
        )
        failure = None
        work = asyncio.ensure_future(schedule.function())
        try:
            if not await _ends_in_time(work, stop, drain):
                return  # still due: the next process does it
            await work
        except Exception as error:
            if (away := as_unavailable(error)) is not None:
                log.warning("schedule_failed", schedule=schedule.name, reason=str(away))
            else:
                log.exception("schedule_failed", schedule=schedule.name)
            failure = f"{type(error).__name__}: {error}"[:500]
        finally:
            work.cancel()
        await session.execute(
            "update schedules set finished_at = clock_timestamp(),"
            " due_at = greatest(started_at + every, clock_timestamp()),"
            " failed_at = case when %(failure)s::text is null then failed_at"
            "                  else clock_timestamp() end,"
            " failure = %(failure)s,"
            " failures = case when %(failure)s::text is null then 0 else failures + 1 end"
            " where name = %(name)s",
            {"failure": failure, "name": schedule.name},
        )


async def _ends_in_time(work: asyncio.Future[None], stop: asyncio.Event, drain: float) -> bool:
    """Wait for `work`. Once `stop` is set, wait at most 80% of `drain` seconds more, then cancel
    `work` and wait for the rest of `drain`. Returns False if `work` was canceled, else True."""
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({work, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            await asyncio.wait({work}, timeout=drain * 0.8)
        if not work.done():
            work.cancel()
            await asyncio.wait({work}, timeout=drain * 0.2)
            return False
        return not work.cancelled()
    finally:
        stopping.cancel()

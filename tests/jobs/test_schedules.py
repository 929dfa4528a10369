"""Schedules: due, done once, failed, handed on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.pace import PATIENCE, until

from augury.jobs.schedules import Schedules
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def _running(*all_of_them: Schedules) -> AsyncIterator[None]:
    stop = asyncio.Event()
    tasks = [asyncio.create_task(s.run(stop, drain=0.5)) for s in all_of_them]
    try:
        yield
    finally:
        stop.set()
        await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE)


async def _row(database: Database, column: str) -> object:
    async with database.reading() as connection:
        cursor = await connection.execute(f"select {column} from schedules".encode())
        row = await cursor.fetchone()
        assert row
        return row[0]


async def test_two_processes_worth_of_schedules_do_a_long_tick_once(database: Database) -> None:
    running, most, runs = 0, 0, 0

    async def work() -> None:
        nonlocal running, most, runs
        running, runs = running + 1, runs + 1
        most = max(most, running)
        await asyncio.sleep(0.3)  # longer than the interval
        running -= 1

    both = [Schedules(database) for _ in range(2)]
    for schedules in both:
        schedules.add("work", 0.1, work)
    async with _running(*both):
        await asyncio.sleep(1.2)
    assert most == 1
    assert 1 <= runs <= 5


async def test_a_failure_is_noted_and_the_next_tick_comes(database: Database) -> None:
    go, done = asyncio.Event(), asyncio.Event()
    attempts = 0

    async def work() -> None:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise RuntimeError("no luck")
        await go.wait()
        done.set()

    schedules = Schedules(database)
    schedules.add("work", 0.2, work)
    async with _running(schedules):
        await until(lambda: _row(database, "max(failures)"), "a failure is noted")
        assert await _row(database, "failure") == "RuntimeError: no luck"
        go.set()
        await asyncio.wait_for(done.wait(), PATIENCE)
    assert await _row(database, "failures") == 0
    assert await _row(database, "failed_at") is not None


async def test_work_cut_off_by_a_stop_is_still_due(database: Database) -> None:
    started = asyncio.Event()

    async def hang() -> None:
        started.set()
        await asyncio.sleep(3600)

    schedules = Schedules(database)
    schedules.add("work", 3600, hang)
    async with _running(schedules):
        await asyncio.wait_for(started.wait(), PATIENCE)
    assert await _row(database, "due_at <= now()") is True

    done = asyncio.Event()

    async def finish() -> None:
        done.set()

    successor = Schedules(database)
    successor.add("work", 3600, finish)
    async with _running(successor):
        await asyncio.wait_for(done.wait(), PATIENCE)
    assert await _row(database, "due_at > now() + interval '59 minutes'") is True


async def test_a_shorter_interval_counts_at_once(database: Database) -> None:
    runs = 0

    async def work() -> None:
        nonlocal runs
        runs += 1

    for seconds in (3600, 0.1):
        schedules = Schedules(database)
        schedules.add("work", seconds, work)
        async with _running(schedules):
            await asyncio.sleep(0.4)
    assert runs > 1


def test_two_schedules_of_one_name_are_refused(database_url: str) -> None:
    schedules = Schedules(Database(database_url, database_url, pool_size=2))

    async def work() -> None:
        pass

    schedules.add("work", 1, work)
    with pytest.raises(ValueError, match="two schedules"):
        schedules.add("work", 1, work)

"""Workers: results, retries, canceling, draining, and what a killed one leaves behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.errors import FailingListenerError
from tests.pace import PATIENCE, SLACK, until

from augury.errors import InvalidInput
from augury.jobs import queue
from augury.jobs.queue import JobRecord
from augury.jobs.worker import Job, Retry, Worker
from augury.storage.database import Database

pytestmark = pytest.mark.anyio

PROCESS = Path(__file__).parent / "process.py"


async def _enqueue(database: Database, kind: str, **request: object) -> str:
    async with database.transaction() as connection:
        return await queue.enqueue(connection, kind, request)


async def _record(database: Database, job_id: str) -> JobRecord:
    async with database.reading() as connection:
        record = await queue.fetch(connection, job_id)
    assert record
    return record


async def _ends_as(database: Database, job_id: str, status: str) -> JobRecord:
    async def ended() -> bool:
        return (await _record(database, job_id)).status == status

    await until(ended, f"the job has {status}")
    return await _record(database, job_id)


async def _queue_is_empty(database: Database) -> bool:
    async with database.reading() as connection:
        cursor = await connection.execute("select count(*) from pgqueuer")
        return await cursor.fetchone() == (0,)


@asynccontextmanager
async def _working(worker: Worker) -> AsyncIterator[asyncio.Event]:
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    try:
        yield stop
    finally:
        stop.set()
        await asyncio.wait_for(task, PATIENCE)


async def test_what_a_handler_returns_is_the_result(database: Database) -> None:
    async def double(job: Job) -> dict[str, object]:
        await job.progress("doubling", {"of": job.request["number"]})
        return {"twice": job.request["number"] * 2}

    worker = Worker(database)
    worker.register("double", double)
    early = await _enqueue(database, "double", number=1)
    async with _working(worker):
        late = await _enqueue(database, "double", number=2)
        assert (await _ends_as(database, early, "succeeded")).result == {"twice": 2}
        record = await _ends_as(database, late, "succeeded")
        await until(lambda: _queue_is_empty(database), "the queue is empty")
    assert record.result == {"twice": 4}
    assert record.progress_stage == "doubling"
    assert record.attempts == 1
    assert record.started_at
    assert record.finished_at


async def test_a_failing_job_is_tried_again_and_then_failed(database: Database) -> None:
    seen = []

    async def fail(job: Job) -> None:
        seen.append(job.attempt)
        raise Retry("the venue is away", after=0)

    worker = Worker(database, heartbeat=1)
    worker.register("fail", fail, attempts=3)
    async with _working(worker):
        record = await _ends_as(database, await _enqueue(database, "fail"), "failed")
        await until(lambda: _queue_is_empty(database), "the queue is empty")
    assert seen == [1, 2, 3]
    assert record.error_message == "the venue is away"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InvalidInput("no such market"), "no such market"),
        (RuntimeError("password=hunter2"), "RuntimeError"),  # what it says may be private
    ],
)
async def test_the_record_says_why_a_job_failed(
    database: Database, error: Exception, text: str
) -> None:
    async def fail(job: Job) -> None:
        raise error

    worker = Worker(database)
    worker.register("fail", fail, attempts=1)
    async with _working(worker):
        record = await _ends_as(database, await _enqueue(database, "fail"), "failed")
    assert record.error_message == text


async def test_a_running_job_can_be_canceled(database: Database) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def hang(job: Job) -> None:
        started.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    worker = Worker(database)
    worker.register("hang", hang)
    async with _working(worker):
        job_id = await _enqueue(database, "hang")
        await asyncio.wait_for(started.wait(), PATIENCE)
        async with database.transaction() as connection:
            assert await queue.cancel(connection, job_id)
        await asyncio.wait_for(ended.wait(), PATIENCE)
        await until(lambda: _queue_is_empty(database), "the queue is empty")
    assert (await _record(database, job_id)).status == "canceled"


async def test_attempts_lost_with_their_workers_do_not_make_a_job_fail(database: Database) -> None:
    """Unless there are so many that the job must be what kills them."""

    async def quick(job: Job) -> None:
        pass

    lost = {await _enqueue(database, "quick"): n for n in (5, 200)}
    async with database.reading() as connection:
        for job_id, attempts in lost.items():
            await connection.execute(
                "update jobs set status = 'running', attempts = %s where id = %s",
                (attempts, job_id),
            )
    worker = Worker(database, heartbeat=1)
    worker.register("quick", quick)
    few, many = lost
    async with _working(worker):
        await _ends_as(database, few, "succeeded")
        record = await _ends_as(database, many, "failed")
    assert record.error_message == "The worker process died at every attempt."


@pytest.mark.parametrize("what", ["_claim", "_finish", "_failed"])
async def test_a_database_that_goes_away_before_a_job_is_written_down(
    database: Database, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The job is not forgotten by the queue: it is done again, and ends."""
    write, calls = getattr(Worker, what), 0

    async def once_away(self: Worker, *arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return await write(self, *arguments, **named)

    monkeypatch.setattr(Worker, what, once_away)
    tries = 0

    async def work(job: Job) -> None:
        nonlocal tries
        tries += 1
        if what == "_failed" and tries < 3:
            raise Retry("not yet", after=0)

    worker = Worker(database, heartbeat=1)
    worker.register("work", work, attempts=5)
    async with _working(worker):
        await _ends_as(database, await _enqueue(database, "work"), "succeeded")
        await until(lambda: _queue_is_empty(database), "the queue is empty")
    assert calls > 1


async def test_at_most_so_many_of_a_kind_run_at_once(database: Database) -> None:
    running, most = 0, 0

    async def count(job: Job) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02)
        running -= 1

    worker = Worker(database)
    worker.register("count", count, at_once=1)
    ids = [await _enqueue(database, "count") for _ in range(4)]
    async with _working(worker):
        for job_id in ids:
            await _ends_as(database, job_id, "succeeded")
    assert most == 1


async def test_stopping_puts_a_long_job_back(database: Database) -> None:
    started = asyncio.Event()

    async def hang(job: Job) -> None:
        started.set()
        await asyncio.sleep(3600)

    worker = Worker(database, drain=0.5)
    worker.register("hang", hang)
    job_id = await _enqueue(database, "hang")
    async with _working(worker) as stop:
        await asyncio.wait_for(started.wait(), PATIENCE)
        began = time.monotonic()
        stop.set()
    assert time.monotonic() - began < 0.5 + SLACK
    record = await _record(database, job_id)
    assert (record.status, record.attempts) == ("queued", 0)

    async def quick(job: Job) -> None:
        pass

    successor = Worker(database)
    successor.register("hang", quick)
    async with _working(successor):
        await _ends_as(database, job_id, "succeeded")


async def test_a_worker_goes_on_when_its_connections_were_cut(
    database: Database,
) -> None:
    async def quick(job: Job) -> None:
        pass

    worker = Worker(database)
    worker.register("quick", quick)
    async with _working(worker):
        await _ends_as(database, await _enqueue(database, "quick"), "succeeded")
        async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as other:
            await other.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
        await asyncio.sleep(0.1)
        await _ends_as(database, await _enqueue(database, "quick"), "succeeded")


# Processes


@pytest.fixture
def start(database_url: str) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts worker processes; none outlives the test."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("create table seen (what text, pid int, at timestamptz default now())")
    processes: list[subprocess.Popen[str]] = []

    def one() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(PROCESS), database_url], stdout=subprocess.PIPE, text=True
        )
        processes.append(process)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        return process

    yield one
    for process in processes:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


async def _seen(database: Database, what: str) -> list[int]:
    async with database.reading() as connection:
        cursor = await connection.execute(
            "select pid from seen where what = %s order by at", (what,)
        )
        return [row[0] for row in await cursor.fetchall()]


@pytest.mark.parametrize(("failures", "listened"), [(1, 1), (2, 2)])
async def test_a_listener_that_answers_late_is_asked_again_and_then_replaced(
    database: Database, monkeypatch: pytest.MonkeyPatch, failures: int, listened: int
) -> None:
    """As after the event loop stood still for longer than pgqueuer waits for its own notice."""
    asked = 0
    really = QueueManager.listener_healthy

    async def listener_healthy(self: QueueManager, timeout: timedelta) -> object:
        nonlocal asked
        asked += 1
        if asked <= failures:
            raise FailingListenerError
        return await really(self, timeout)

    sessions: list[Worker] = []
    session = Worker._session

    async def counted(self: Worker, *arguments: object) -> None:
        sessions.append(self)
        await session(self, *arguments)  # type: ignore[arg-type]

    async def done(job: Job) -> dict[str, object]:
        return {"asked": asked}

    monkeypatch.setattr(QueueManager, "listener_healthy", listener_healthy)
    monkeypatch.setattr(Worker, "_session", counted)
    worker = Worker(database, heartbeat=0.4)
    worker.register("done", done)
    async with _working(worker):
        await until(lambda: asked > failures, "no more failures")
        await _ends_as(database, await _enqueue(database, "done"), "succeeded")
    assert len(sessions) == listened


@pytest.mark.whole
async def test_the_job_of_a_killed_worker_runs_again_by_itself(
    database: Database, start: Callable[[], subprocess.Popen[str]]
) -> None:
    victim = start()
    job_id = await _enqueue(database, "hang")
    await until(lambda: _seen(database, job_id), "the job has begun")
    victim.kill()

    async def finish(job: Job) -> dict[str, object]:
        return {"attempt": job.attempt}

    worker = Worker(database, heartbeat=1.0)
    worker.register("hang", finish)
    killed = time.monotonic()
    async with _working(worker):
        record = await _ends_as(database, job_id, "succeeded")
    assert record.result == {"attempt": 2}
    assert time.monotonic() - killed < 5 + SLACK


@pytest.mark.whole
async def test_each_tick_is_done_by_one_of_two_processes_and_a_killed_one_is_replaced(
    database: Database, start: Callable[[], subprocess.Popen[str]]
) -> None:
    first, second = start(), start()

    async def ticks(count: int) -> bool:
        return len(await _seen(database, "tick")) >= count

    await until(lambda: ticks(4), "four ticks")
    async with database.reading() as connection:
        cursor = await connection.execute(
            "select min(gap) from (select at - lag(at) over (order by at) as gap from seen) t"
        )
        row = await cursor.fetchone()
    assert row
    assert row[0] > timedelta(seconds=0.3), "a tick each 0.5 s, however many processes"
    first.kill()
    before = len(await _seen(database, "tick"))
    await until(lambda: ticks(before + 2), "two more ticks")
    assert set((await _seen(database, "tick"))[before + 1 :]) == {second.pid}


@pytest.mark.whole
async def test_a_worker_process_ends_in_order_on_sigterm(
    database: Database, start: Callable[[], subprocess.Popen[str]]
) -> None:
    process = start()
    job_id = await _enqueue(database, "hang")
    await until(lambda: _seen(database, job_id), "the job has begun")
    process.terminate()
    assert await asyncio.to_thread(process.wait, 10) == 0
    assert (await _record(database, job_id)).status == "queued"

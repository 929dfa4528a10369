"""Jobs exist with their transaction, and the queue's tables are what pgqueuer expects."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from pgqueuer.adapters.drivers.psycopg import PsycopgDriver
from pgqueuer.adapters.persistence.queries import Queries

from augury.jobs import queue
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


async def _counts(database: Database) -> tuple[int, int]:
    """Records, and entries in the queue."""
    async with database.reading() as connection:
        cursor = await connection.execute(
            "select (select count(*) from jobs), (select count(*) from pgqueuer)"
        )
        row = await cursor.fetchone()
        assert row
        return row[0], row[1]


async def test_the_queue_tables_are_those_of_the_installed_pgqueuer(database: Database) -> None:
    async with database.reading() as connection:
        plan = await Queries(PsycopgDriver(connection)).plan_upgrade()
    assert plan.statements == (), "pgqueuer has changed its tables: add a migration"


async def test_a_job_is_there_once_its_transaction_has_committed(database: Database) -> None:
    async with database.transaction() as connection:
        job_id = await queue.enqueue(connection, "graph", {"question": "?"})
        assert await _counts(database) == (0, 0)
    async with database.reading() as connection:
        record = await queue.fetch(connection, job_id)
    assert record
    assert (record.kind, record.status, record.request) == ("graph", "queued", {"question": "?"})
    assert job_id.startswith("job_")
    assert await _counts(database) == (1, 1)


async def test_a_job_goes_with_its_transaction(database: Database) -> None:
    async def fail() -> None:
        async with database.transaction() as connection:
            await queue.enqueue(connection, "graph")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert await _counts(database) == (0, 0)


async def test_cancel_takes_a_queued_job_out_once(database: Database) -> None:
    async with database.transaction() as connection:
        job_id = await queue.enqueue(connection, "graph")
    async with database.transaction() as connection:
        assert await queue.cancel(connection, job_id)
        assert not await queue.cancel(connection, job_id)
        assert not await queue.cancel(connection, "job_unknown")
    assert await _counts(database) == (1, 0)


async def test_retry_queues_a_canceled_job_again(database: Database) -> None:
    async with database.transaction() as connection:
        job_id = await queue.enqueue(connection, "graph")
        await queue.cancel(connection, job_id)
        assert await queue.retry(connection, job_id)
        assert not await queue.retry(connection, job_id)
        record = await queue.fetch(connection, job_id)
    assert record
    assert record.status == "queued"
    assert await _counts(database) == (1, 1)


async def test_what_the_queue_has_lost_is_queued_again(database: Database) -> None:
    async with database.transaction() as connection:
        lost, young, queued, ended = [await queue.enqueue(connection, "graph") for _ in range(4)]
        age = "created_at = now() - interval '1 minute'"
        for job, sets in ((lost, f"status = 'running', {age}"), (queued, age),
                          (ended, f"status = 'succeeded', {age}")):  # fmt: skip
            await connection.execute(f"update jobs set {sets} where id = %s".encode(), (job,))
        await connection.execute(
            "delete from pgqueuer where dedupe_key = any(%s)", ([lost, young, ended],)
        )
        assert await queue.requeue_lost(connection) == [lost]
        assert await queue.requeue_lost(connection) == []
        record = await queue.fetch(connection, lost)
    assert record
    assert record.status == "queued"
    assert await _counts(database) == (4, 2)


async def test_prune_forgets_what_ended_long_ago(database: Database) -> None:
    async with database.transaction() as connection:
        old, new, running = [await queue.enqueue(connection, "graph") for _ in range(3)]
        age = queue.FINISHED_KEPT + timedelta(hours=1)
        await connection.execute(
            "update jobs set status = 'succeeded', finished_at = now() - %s::interval"
            " where id = %s",
            (age, old),
        )
        await connection.execute(
            "update jobs set status = 'failed', finished_at = now() where id = %s", (new,)
        )
        await queue.prune(connection)
        assert await queue.fetch(connection, old) is None
        assert await queue.fetch(connection, new)
        assert await queue.fetch(connection, running)


async def test_enqueuing_at_once_from_many_tasks_gives_each_its_job(database: Database) -> None:
    async def one() -> str:
        async with database.transaction() as connection:
            return await queue.enqueue(connection, "graph")

    ids = await asyncio.gather(*(one() for _ in range(20)))
    assert len(set(ids)) == 20
    assert await _counts(database) == (20, 20)

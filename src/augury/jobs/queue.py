"""Durable jobs: each is a record in the table `jobs` and an entry in the queue of the library
pgqueuer, a table of the same database.

Both are written together. The record is what callers see, and is kept; the entry makes a worker run
the job, and is then removed. All functions work within the caller's transaction, so that a job
exists if and only if that commits.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pgqueuer.adapters.drivers.psycopg import PsycopgDriver
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.domain.types import JobId
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from augury.ids import new_id

FINISHED_KEPT = timedelta(days=30)
LOG_KEPT = timedelta(days=7)
LOST_AFTER = timedelta(seconds=20)
"""An unfinished job (status queued or running) that has no entry in the queue counts as lost this
long after its last heartbeat or, if it never had one, after its creation."""


@dataclass(frozen=True)
class JobRecord:
    """One job: a row of the table `jobs`."""

    id: str
    kind: str
    account_id: str | None
    status: str
    request: dict[str, Any]
    progress_stage: str | None
    progress_detail: dict[str, Any] | None
    result: dict[str, Any] | None
    error_message: str | None
    attempts: int
    created_at: datetime
    started_at: datetime | None
    heartbeat_at: datetime | None
    finished_at: datetime | None


async def enqueue(
    connection: AsyncConnection[Any],
    kind: str,
    request: dict[str, Any] | None = None,
    *,
    account_id: str | None = None,
    delay: timedelta | None = None,
    prefix: str = "job",
) -> str:
    """Add a job of `kind`, which a worker runs after `delay` at the earliest. Returns the job's id.

    prefix : start of the id, e.g. "fc" for a job that callers know as a forecast
    """
    job_id = new_id(prefix)
    async with connection.transaction():
        await connection.execute(
            "insert into jobs (id, kind, account_id, request) values (%s, %s, %s, %s)",
            (job_id, kind, account_id, Jsonb(request or {})),
        )
        # The dedupe key is the job's id, so that the entry of a record can be found.
        await _queries(connection).enqueue(
            kind, job_id.encode(), execute_after=delay, dedupe_key=job_id
        )
    return job_id


async def add_finished(
    connection: AsyncConnection[Any],
    kind: str,
    request: dict[str, Any],
    result: dict[str, Any],
    *,
    job_id: str,
    account_id: str | None,
) -> None:
    """Record work that was done immediately, as a job of `kind` that has succeeded."""
    await connection.execute(
        "insert into jobs (id, kind, account_id, request, status, result, started_at, finished_at)"
        " values (%s, %s, %s, %s, 'succeeded', %s, now(), now())",
        (job_id, kind, account_id, Jsonb(request), Jsonb(result)),
    )


async def fetch(connection: AsyncConnection[Any], job_id: str) -> JobRecord | None:
    """The job with this id; None if there is none."""
    async with connection.cursor(row_factory=class_row(JobRecord)) as cursor:
        await cursor.execute("select * from jobs where id = %s", (job_id,))
        return await cursor.fetchone()


async def has_unfinished(connection: AsyncConnection[Any], kind: str) -> bool:
    """Whether a job of `kind` is queued or running."""
    cursor = await connection.execute(
        "select exists (select from jobs where kind = %s and status in ('queued', 'running'))",
        (kind,),
    )
    row = await cursor.fetchone()
    return bool(row and row[0])


async def cancel(connection: AsyncConnection[Any], job_id: str) -> bool:
    """Cancel a job that is queued or running. Returns False if it has ended or does not exist."""
    async with connection.transaction():
        cursor = await connection.execute(
            "update jobs set status = 'canceled', finished_at = now()"
            " where id = %s and status in ('queued', 'running')",
            (job_id,),
        )
        if cursor.rowcount == 0:
            return False
        cursor = await connection.execute(
            "select id from pgqueuer where dedupe_key = %s and status in ('queued', 'picked')",
            (job_id,),
        )
        entries = [JobId(row[0]) for row in await cursor.fetchall()]
        await _queries(connection).mark_job_as_cancelled(entries)
    return True


async def retry(connection: AsyncConnection[Any], job_id: str) -> bool:
    """Queue a job again that failed or was canceled. Returns False if the job has another status or
    does not exist."""
    async with connection.transaction():
        cursor = await connection.execute(
            "update jobs set status = 'queued', attempts = 0, error_message = null,"
            " finished_at = null, progress_stage = null, progress_detail = null"
            " where id = %s and status in ('failed', 'canceled') returning kind",
            (job_id,),
        )
        row = await cursor.fetchone()
        if row is None:
            return False
        await _queries(connection).enqueue(row[0], job_id.encode(), dedupe_key=job_id)
    return True


async def requeue_lost(connection: AsyncConnection[Any]) -> list[str]:
    """Queue lost jobs again and return their ids. A lost job has not ended and has no entry in the
    queue, and its last sign of life (heartbeat) is longer ago than `LOST_AFTER`.

    A safety net: a record and its entry are written together, so no job should ever be lost.
    """
    async with connection.transaction():
        cursor = await connection.execute(
            "update jobs set status = 'queued' where id in ("
            " select id from jobs j where status in ('queued', 'running')"
            " and coalesce(heartbeat_at, created_at) < now() - %s::interval"
            " and not exists (select from pgqueuer where dedupe_key = j.id"
            "                 and status in ('queued', 'picked'))"
            " for update skip locked) returning id, kind",
            (LOST_AFTER,),
        )
        lost = await cursor.fetchall()
        for job_id, kind in lost:
            await _queries(connection).enqueue(kind, job_id.encode(), dedupe_key=job_id)
    return [job_id for job_id, _ in lost]


async def prune(connection: AsyncConnection[Any]) -> None:
    """Delete the records of jobs that ended more than `FINISHED_KEPT` ago, and the queue's own log
    and statistics that are older than `LOG_KEPT`."""
    async with connection.transaction():
        await connection.execute(
            "delete from jobs where finished_at < now() - %s::interval", (FINISHED_KEPT,)
        )
        await connection.execute(
            "delete from pgqueuer_log where created < now() - %s::interval", (LOG_KEPT,)
        )
        await connection.execute(
            "delete from pgqueuer_statistics where created < now() - %s::interval", (LOG_KEPT,)
        )


def _queries(connection: AsyncConnection[Any]) -> Queries:
    return Queries(PsycopgDriver(connection))


async def summary(connection: AsyncConnection[Any]) -> list[dict[str, Any]]:
    """For each kind (`name`) and status (`state`) of jobs: the number of jobs, and when the oldest
    of them was created. Jobs that ended more than a day ago are left out."""
    rows = await connection.execute(
        """
        select kind, status, count(*), min(created_at) from jobs
        where status in ('queued', 'running') or finished_at > now() - interval '1 day'
        group by 1, 2 order by 1, 2
        """
    )
    names = ("name", "state", "count", "oldest")
    return [dict(zip(names, row, strict=True)) for row in await rows.fetchall()]

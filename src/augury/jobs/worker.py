"""Runs jobs and schedules, inside `augury serve` or as `augury worker` on any machine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import psycopg
import structlog
from pgqueuer.adapters.drivers.psycopg import PsycopgDriver
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain import models
from pgqueuer.domain.errors import FailingListenerError, RetryRequested
from psycopg import AsyncConnection, AsyncRawCursor
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from augury.clock import pause
from augury.errors import AuguryError, Unavailable
from augury.jobs import queue
from augury.jobs.schedules import Schedules
from augury.storage.database import Database
from augury.storage.failures import as_unavailable

log = structlog.get_logger(__name__)

HEARTBEAT_TIMEOUT_SECONDS = 4.0
"""Seconds without a sign of life from a worker after which another worker may take over its
jobs."""
MAX_EXTRA_ATTEMPTS = 20
"""A job whose workers keep dying gets up to this many attempts in addition to those that its kind
allows. Then it fails, because the job itself is probably what kills the workers."""
LONGEST_PAUSE = 60.0
"""Longest pause, in seconds, before a failed job is tried again. The pause doubles with each
attempt until it reaches this length."""
REQUEUE_LOST_SECONDS = 30.0
"""Seconds between two searches for jobs that lack an entry in the queue. Such jobs are queued
again."""
DRAIN_SECONDS = 10.0
"""Seconds that running jobs get to end when their worker is stopped."""


class Retry(Exception):
    """Raised by the handler of a job to have the job tried again after `after` seconds. The attempt
    counts as failed."""

    def __init__(self, reason: str, *, after: float) -> None:
        super().__init__(reason)
        self.after = after


@dataclass
class Job:
    """A running job as its handler sees it."""

    id: str
    kind: str
    account_id: str | None
    request: dict[str, Any]
    attempt: int
    _database: Database = field(repr=False)

    async def progress(self, stage: str, detail: dict[str, Any] | None = None) -> None:
        """Store how far the job is (`stage`, `detail`), for callers that follow it."""
        async with self._database.reading() as connection:
            await connection.execute(
                "update jobs set progress_stage = %s, progress_detail = %s, heartbeat_at = now()"
                " where id = %s and attempts = %s and status = 'running'",
                (stage, None if detail is None else Jsonb(detail), self.id, self.attempt),
            )


Handler = Callable[[Job], Awaitable[dict[str, Any] | None]]
"""A function that runs a job of one kind and returns the job's result, which is stored. It may run
again after a crash, so it must be idempotent."""


@dataclass(frozen=True)
class _Kind:
    handler: Handler
    attempts: int
    at_once: int


class Worker:
    """Runs registered jobs and schedules until it is told to stop. While the database is
    unreachable, the worker waits for it."""

    def __init__(
        self,
        database: Database,
        *,
        heartbeat: float = HEARTBEAT_TIMEOUT_SECONDS,
        drain: float = DRAIN_SECONDS,
    ) -> None:
        """`heartbeat`: seconds without a sign of life after which a job is taken away from its
        worker. `drain`: seconds that running jobs get to end when the worker is stopped."""
        self._database = database
        self._heartbeat = heartbeat
        self._drain = drain
        self._kinds: dict[str, _Kind] = {}
        self._running: set[asyncio.Task[Any]] = set()
        self._draining = False
        self.schedules = Schedules(database)
        self.schedules.add("jobs.prune", 3600, self._prune)
        self.schedules.add("jobs.mend", REQUEUE_LOST_SECONDS, self._requeue_lost)

    def register(self, kind: str, handler: Handler, *, attempts: int = 3, at_once: int = 0) -> None:
        """Let `handler` run the jobs of `kind`, at most `at_once` at the same time over all workers
        (0: no limit). A failed job is tried again until it has had `attempts` attempts."""
        if kind in self._kinds:
            raise ValueError(f"two handlers for jobs of kind {kind}")
        self._kinds[kind] = _Kind(handler, attempts, at_once)

    def schedule(self, name: str, seconds: float, function: Callable[[], Awaitable[None]]) -> None:
        """Run `function` every `seconds`, each time in only one of all processes. `name` identifies
        the work among processes."""
        self.schedules.add(name, seconds, function)

    async def run(self, stop: asyncio.Event) -> None:
        """Run jobs and periodic work until `stop` is set, then give running jobs at most `drain`
        seconds to end.

        A job that does not end in time goes back to the queue.
        """
        async with asyncio.TaskGroup() as group:
            group.create_task(self.schedules.run(stop, drain=self._drain))
            if self._kinds:
                group.create_task(self._run_jobs(stop))

    async def _run_jobs(self, stop: asyncio.Event) -> None:
        again_in = 0.2
        while not stop.is_set():
            try:
                async with await AsyncConnection.connect(
                    self._database.direct_url, autocommit=True, connect_timeout=5
                ) as listening:
                    again_in = 0.2
                    await self._session(listening, stop)
            except FailingListenerError:
                log.warning(
                    "worker_reconnects_to_job_queue",
                    reason="the database did not answer in time",
                )
            except Exception as error:
                if not isinstance(error, AuguryError) and as_unavailable(error) is None:
                    raise
                log.warning("worker_waits_for_database", reason=str(error), retry_in_s=again_in)
                await pause(stop, again_in)
                again_in = min(again_in * 2, 5)

    async def _session(self, listening: AsyncConnection[Any], stop: asyncio.Event) -> None:
        manager = _Manager(Queries(_Driver(listening, self._database)))
        for name, kind in self._kinds.items():
            manager.entrypoint(name, concurrency_limit=kind.at_once)(self._entrypoint(kind))
        work = asyncio.create_task(
            manager.run(
                # How often to look for jobs without a notification: there is none for a retry that
                # is due, nor for a worker that has died.
                dequeue_timeout=timedelta(seconds=self._heartbeat / 4),
                heartbeat_timeout=timedelta(seconds=self._heartbeat),
                shutdown_on_listener_failure=True,
            )
        )
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({work, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                await self._drain_and_stop(manager, work)
            await work
        finally:
            stopping.cancel()
            if not work.done():
                work.cancel()
                await asyncio.wait({work}, timeout=1)

    async def _drain_and_stop(self, manager: QueueManager, work: asyncio.Task[None]) -> None:
        manager.shutdown.set()
        await asyncio.wait({work}, timeout=self._drain * 0.8)
        if self._running:
            self._draining = True
            for task in self._running:
                task.cancel()
        await asyncio.wait({work}, timeout=self._drain * 0.2)

    def _entrypoint(self, kind: _Kind) -> Callable[[models.Job, models.Context], Awaitable[None]]:
        async def keep(entry: models.Job, context: models.Context) -> None:
            try:
                await perform(entry, context)
            except RetryRequested:
                raise
            except Exception as error:
                # Errors of the handler have been stored by now. This error means that the database
                # was lost before that, so the entry has to stay for the job to be tried again.
                log.warning(
                    "job_outcome_not_saved",
                    job=(entry.payload or b"").decode(),
                    error=type(error).__name__,
                    retry_in_s=2,
                )
                raise RetryRequested(timedelta(seconds=2), "outcome not saved") from None

        async def perform(entry: models.Job, context: models.Context) -> None:
            job_id = (entry.payload or b"").decode()
            job = await self._claim(job_id, kind)
            if job is None:  # the job has ended; only its entry was left
                return
            # A task of its own, so that stopping the worker can end the handler without pgqueuer
            # taking that for the end of the job.
            handling = asyncio.ensure_future(kind.handler(job))
            result = None
            self._running.add(handling)
            try:
                with context.cancellation:
                    result = await handling
            except asyncio.CancelledError:
                if not self._draining:
                    raise
                await self._put_back(job)
                raise RetryRequested(timedelta(0), "worker stopped") from None
            except Retry as error:
                await self._failed(job, kind, str(error), timedelta(seconds=error.after))
            except Exception as error:
                away = isinstance(error, psycopg.Error) and as_unavailable(error) is not None
                if away or isinstance(error, Unavailable):
                    raise  # the database or another service is unavailable: no failure of the job
                log.exception("job_failed", job=job.id, kind=job.kind, attempt=job.attempt)
                text = str(error) if isinstance(error, AuguryError) else type(error).__name__
                pause = min(LONGEST_PAUSE, 2.0**job.attempt)
                await self._failed(job, kind, text, timedelta(seconds=pause))
            else:
                if not context.cancellation.cancelled_caught:
                    await self._finish(job, "succeeded", result=result)
            finally:
                self._running.discard(handling)

        return keep

    async def _claim(self, job_id: str, kind: _Kind) -> Job | None:
        """Mark a job as running and return it. None if the job has ended, or if too many workers
        have died while running it (`MAX_EXTRA_ATTEMPTS`), so that it fails now. A job that is
        already marked as running is claimed too: the worker that ran it has died."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "update jobs set status = 'running', attempts = attempts + 1,"
                " started_at = coalesce(started_at, now()), heartbeat_at = now()"
                " where id = %s and status in ('queued', 'running')"
                " returning id, kind, account_id, request, attempts",
                (job_id,),
            )
            row = await cursor.fetchone()
        if row is None:
            return None
        job = Job(*row, _database=self._database)
        if job.attempt > kind.attempts + MAX_EXTRA_ATTEMPTS:
            await self._finish(job, "failed", error="The worker process died at every attempt.")
            return None
        return job

    async def _failed(self, job: Job, kind: _Kind, error: str, delay: timedelta) -> None:
        if job.attempt >= kind.attempts:
            await self._finish(job, "failed", error=error)
            return
        async with self._database.reading() as connection:
            await connection.execute(
                "update jobs set status = 'queued', error_message = %s"
                " where id = %s and attempts = %s and status = 'running'",
                (error, job.id, job.attempt),
            )
        raise RetryRequested(delay, error)

    async def _put_back(self, job: Job) -> None:
        """Queue a job again that was running when the worker was stopped. The attempt does not
        count."""
        async with self._database.reading() as connection:
            await connection.execute(
                "update jobs set status = 'queued', attempts = attempts - 1"
                " where id = %s and attempts = %s and status = 'running'",
                (job.id, job.attempt),
            )

    async def _finish(
        self,
        job: Job,
        status: str,
        *,
        result: dict[str, Any] | None = None,
        error: str | None = None,
    ) -> None:
        async with self._database.reading() as connection:
            # Comparing the attempt keeps a worker that was wrongly taken for dead from changing the
            # record.
            await connection.execute(
                "update jobs set status = %s, result = %s, error_message = %s,"
                " finished_at = now() where id = %s and attempts = %s and status = 'running'",
                (status, None if result is None else Jsonb(result), error, job.id, job.attempt),
            )

    async def _requeue_lost(self) -> None:
        async with self._database.reading() as connection:
            for job_id in await queue.requeue_lost(connection):
                log.warning("job_requeued", job=job_id, reason="its entry in the queue was missing")

    async def _prune(self) -> None:
        async with self._database.reading() as connection:
            await queue.prune(connection)


class _Manager(QueueManager):
    async def listener_healthy(
        self,
        timeout: timedelta = timedelta(seconds=10),  # noqa: ASYNC109 - as pgqueuer has it
    ) -> models.HealthCheckEvent:
        try:
            return await super().listener_healthy(timeout)
        except FailingListenerError:
            # If the event loop was blocked, the timeout passes before an answer that has arrived is
            # read. So only a listener that fails twice in a row has failed.
            return await super().listener_healthy(timeout)


class _Driver(PsycopgDriver):
    """The database driver of the queue: it listens on a connection of its own and sends queries
    over the pool.

    pgqueuer's own driver uses one connection for both. With it, a query can wait up to a second for
    the listener, which would make heartbeats late.
    """

    def __init__(self, listening: AsyncConnection[Any], database: Database) -> None:
        super().__init__(listening)
        self._database = database

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        async with self._database.reading() as connection:
            cursor = AsyncRawCursor(connection, row_factory=dict_row)
            await cursor.execute(query.encode(), args or None)
            return await cursor.fetchall()

    async def execute(self, query: str, *args: object) -> str:
        async with self._database.reading() as connection:
            cursor = AsyncRawCursor(connection)
            await cursor.execute(query.encode(), args or None)
            return cursor.statusmessage or ""

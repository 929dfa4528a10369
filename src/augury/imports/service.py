"""Imports over HTTP: a file arrives in parts, and a worker imports it into the catalogue.

Until the file is imported, its bytes are in the database. So the service that receives them and the
worker that reads them may be different processes on different machines, and a crash of either loses
nothing.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from augury.errors import BodyTooLarge, Conflict, Forbidden, InvalidInput, NotFound, SetupProblem
from augury.ids import new_id
from augury.imports import store
from augury.imports.store import ImportRow
from augury.jobs import queue
from augury.jobs.worker import Job, Worker
from augury.settings import Settings
from augury.storage.database import Database

KIND: Final = "catalogue.import"
ENDINGS: Final = (".parquet", ".pq", ".csv", ".jsonl", ".ndjson")
PART_BYTES: Final = 1024 * 1024
"""Largest size of one part of a file, in bytes. It is small enough that a slow connection can send
a part within the time limit for the body of a request."""
PROGRESS_EVERY: Final = 0.5
"""Seconds between two updates of an import's progress while its file is read."""
MAX_TRIES: Final = 3
"""Number of attempts to read one file. If the worker process dies in each of them, the import is
given up."""


class ImportService:
    """Receives files of markets and prices, in parts, and queues the jobs that import them."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._most = settings.import_max_bytes
        self.part_bytes = min(PART_BYTES, settings.max_run_body_bytes)

    async def begin(self, name: str, size: int) -> ImportRow:
        """Register a file whose parts will be sent.

        Raises
        ------
        Forbidden
            Imports over HTTP are disabled.
        BodyTooLarge, InvalidInput
            The file is larger than allowed, or its name has none of `ENDINGS`.
        """
        if not self._most:
            raise Forbidden(
                "Imports over HTTP are disabled (AUGURY_IMPORT_MAX_BYTES=0). Use `augury import "
                "FILE` on the server.",
                code="imports_off",
            )
        if not name.lower().endswith(ENDINGS):
            raise InvalidInput.at(
                "body", "name", msg="Only .parquet, .csv and .jsonl files can be imported."
            )
        if size > self._most:
            raise BodyTooLarge(
                f"The file has {size:,} bytes; at most {self._most:,} are accepted over HTTP "
                "(AUGURY_IMPORT_MAX_BYTES). Import a larger file on the server: augury import "
                "FILE."
            )
        import_id = new_id("imp")
        async with self._database.transaction() as conn:
            await store.add(conn, import_id, name, size)
        return await self.get(import_id)

    async def get(self, import_id: str) -> ImportRow:
        """The import with this id; raises `NotFound` if there is none."""
        async with self._database.reading() as conn:
            found = await store.find(conn, import_id)
        if found is None:
            raise NotFound("No import has this id.")
        return found

    async def newest(self, limit: int) -> list[ImportRow]:
        """The latest imports, newest first, at most `limit`."""
        async with self._database.reading() as conn:
            return await store.newest(conn, limit)

    async def put(self, import_id: str, number: int, body: bytes) -> ImportRow:
        """Store the part `number` of a file, counted from 0. Idempotent.

        Raises
        ------
        Conflict
            All bytes of this file have already been sent.
        InvalidInput
            The part is empty or too large, or the parts together would have more bytes than the
            size given to `begin`.
        """
        async with self._database.transaction() as conn:
            found = await store.find(conn, import_id, lock=True)
            if found is None:
                raise NotFound("No import has this id.")
            if found.job_id is not None:
                raise Conflict("All bytes of this file have already been sent.")
            if not body or len(body) > self.part_bytes:
                raise InvalidInput(f"A part should have 1 to {self.part_bytes:,} bytes.")
            before = await store.size_of_part(conn, import_id, number)
            if found.received - before + len(body) > found.bytes:
                raise InvalidInput(
                    f"This part does not fit: the upload was started for a file of {found.bytes:,} "
                    "bytes. Start a new upload with the right size."
                )
            await store.put_part(conn, import_id, number, body)
        return found._replace(received=found.received - before + len(body))

    async def start(self, import_id: str) -> ImportRow:
        """Queue the job that reads the file of an import; all bytes of the file must have arrived.
        Idempotent."""
        async with self._database.transaction() as conn:
            found = await store.find(conn, import_id, lock=True)
            if found is None:
                raise NotFound("No import has this id.")
            if found.job_id is None:
                here = await store.numbers(conn, import_id)
                if found.received != found.bytes or here != list(range(len(here))):
                    raise Conflict(
                        f"Only {found.received:,} of {found.bytes:,} bytes have arrived. Send the "
                        "rest."
                    )
                job_id = await queue.enqueue(conn, KIND, {"import": import_id, "name": found.name})
                await store.set_job(conn, import_id, job_id)
        return await self.get(import_id)

    async def remove(self, import_id: str) -> None:
        """Cancel an import if it has not ended, and delete its file and record. Rows that it has
        already added to the catalogue stay there. Raises `NotFound` if there is no such import."""
        async with self._database.transaction() as conn:
            found = await store.find(conn, import_id, lock=True)
            if found is None:
                raise NotFound("No import has this id.")
            if found.job_id is not None:
                await queue.cancel(conn, found.job_id)
            await store.remove(conn, import_id)


def register(worker: Worker, database: Database) -> None:
    """Have `worker` run the imports of files, one at a time over all workers, and delete old files
    every hour."""

    async def read(job: Job) -> dict[str, Any]:
        return await _read(database, job)

    async def prune() -> None:
        async with database.transaction() as conn:
            await store.prune(conn)

    worker.register(KIND, read, attempts=1, at_once=1)
    worker.schedule("imports.prune", 3600, prune)


async def _read(database: Database, job: Job) -> dict[str, Any]:
    # These imports take some 50 MB of memory: only a process that reads a file loads them.
    from augury.venues.dump import DumpFile
    from augury.venues.importing import import_file

    import_id, name = job.request["import"], job.request["name"]
    if job.attempt > MAX_TRIES:
        await _drop(database, import_id)
        raise SetupProblem(
            "The worker process died each time it read this file, probably for lack of memory. "
            "Split the file into smaller ones."
        )
    with TemporaryDirectory(prefix="augury-import-") as folder:
        path = Path(folder, f"upload{Path(name).suffix.lower()}")
        await job.progress("reading")
        with await asyncio.to_thread(path.open, "wb") as file:
            async with database.reading() as conn:
                async for body in store.parts(conn, import_id):
                    await asyncio.to_thread(file.write, body)
        try:
            dump = await asyncio.to_thread(DumpFile, path)
        except SetupProblem as problem:
            await _drop(database, import_id)
            raise SetupProblem(str(problem).replace(str(path), name)) from None
        done = 0

        def advance(rows: int) -> None:
            nonlocal done
            done += rows

        async def report_progress() -> None:
            while True:
                detail = {"kind": dump.kind, "rows": len(dump), "done": done}
                await job.progress("importing", detail)
                await asyncio.sleep(PROGRESS_EVERY)

        reporting = asyncio.create_task(report_progress())
        try:
            summary = await import_file(database, dump, advance)
        finally:
            reporting.cancel()
            await asyncio.gather(reporting, return_exceptions=True)
    summary.file = name
    await _drop(database, import_id)
    return msgspec.to_builtins(summary)


async def _drop(database: Database, import_id: str) -> None:
    async with database.transaction() as conn:
        await store.drop_parts(conn, import_id)

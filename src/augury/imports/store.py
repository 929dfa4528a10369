"""The SQL of imports: files, their parts, and the job that reads each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from psycopg import AsyncConnection

Connection = AsyncConnection[Any]

KEPT_FOR = timedelta(days=30)
"""Time for which a file and the result of its import are kept, counted from the request that starts
the upload (`ImportService.begin`)."""
UNFINISHED_KEPT = timedelta(days=1)
"""Time for which a file is kept if its import is never started, e.g. because parts are missing;
counted from the request that starts the upload (`ImportService.begin`)."""


class ImportRow(NamedTuple):
    """A file to import and, once its import has been started, the job that reads it."""

    id: str
    name: str
    bytes: int
    received: int
    """Bytes received so far; 0 again once the file has been read."""
    created_at: datetime
    job_id: str | None
    status: str | None
    """Status of the job that reads the file: queued, running, succeeded, failed or canceled; None
    if there is no job yet, or its record has been deleted."""
    stage: str | None
    progress: dict[str, Any] | None
    result: dict[str, Any] | None
    error: str | None
    finished_at: datetime | None


_SELECT = """
select f.id, f.name, f.bytes,
       coalesce((select sum(octet_length(p.body)) from import_parts p where p.import_id = f.id), 0)
         ::bigint,
       f.created_at, f.job_id, j.status, j.progress_stage, j.progress_detail, j.result,
       j.error_message, j.finished_at
from import_files f left join jobs j on j.id = f.job_id
"""


async def add(conn: Connection, import_id: str, name: str, size: int) -> None:
    """Register a file that will be sent; `size` is in bytes."""
    await conn.execute(
        "insert into import_files (id, name, bytes) values (%s, %s, %s)", (import_id, name, size)
    )


async def newest(conn: Connection, limit: int) -> list[ImportRow]:
    """At most `limit` imports, those that were registered last, newest first; finished ones too."""
    rows = await conn.execute(f"{_SELECT} order by f.created_at desc, f.id desc limit %s", (limit,))
    return [ImportRow(*row) for row in await rows.fetchall()]


async def find(conn: Connection, import_id: str, *, lock: bool = False) -> ImportRow | None:
    """The file of the import with this id; None if there is none. With `lock` its row is locked
    until the transaction ends."""
    if lock:
        await conn.execute("select from import_files where id = %s for update", (import_id,))
    rows = await conn.execute(f"{_SELECT} where f.id = %s", (import_id,))
    row = await rows.fetchone()
    return ImportRow(*row) if row else None


async def size_of_part(conn: Connection, import_id: str, number: int) -> int:
    """Size in bytes of a part of a file; 0 if it has not arrived."""
    rows = await conn.execute(
        "select octet_length(body) from import_parts where import_id = %s and number = %s",
        (import_id, number),
    )
    row = await rows.fetchone()
    return row[0] if row else 0


async def put_part(conn: Connection, import_id: str, number: int, body: bytes) -> None:
    """Store a part of a file; it replaces an earlier one with the same number."""
    await conn.execute(
        """
        insert into import_parts (import_id, number, body) values (%s, %s, %s)
        on conflict (import_id, number) do update set body = excluded.body
        """,
        (import_id, number, body),
    )


async def numbers(conn: Connection, import_id: str) -> list[int]:
    """Numbers of those parts of a file that have arrived, ascending."""
    rows = await conn.execute(
        "select number from import_parts where import_id = %s order by 1", (import_id,)
    )
    return [number for (number,) in await rows.fetchall()]


async def set_job(conn: Connection, import_id: str, job_id: str) -> None:
    """Store which job reads the file."""
    await conn.execute("update import_files set job_id = %s where id = %s", (job_id, import_id))


async def parts(conn: Connection, import_id: str) -> AsyncIterator[bytes]:
    """The file's bytes, a part at a time."""
    for number in await numbers(conn, import_id):
        rows = await conn.execute(
            "select body from import_parts where import_id = %s and number = %s",
            (import_id, number),
            binary=True,
        )
        if (row := await rows.fetchone()) is not None:
            yield row[0]


async def drop_parts(conn: Connection, import_id: str) -> None:
    """Delete the parts of a file."""
    await conn.execute("delete from import_parts where import_id = %s", (import_id,))


async def remove(conn: Connection, import_id: str) -> None:
    """Delete a file with its parts."""
    await conn.execute("delete from import_files where id = %s", (import_id,))


async def prune(conn: Connection) -> None:
    """Delete old imports: the parts (the content) of every file whose import has ended; all data of
    files registered longer than `KEPT_FOR` ago; and all data of files registered longer than
    `UNFINISHED_KEPT` ago whose import was never started."""
    await conn.execute(
        """
        delete from import_parts p using import_files f join jobs j on j.id = f.job_id
        where p.import_id = f.id and j.status not in ('queued', 'running')
        """
    )
    await conn.execute(
        """
        delete from import_files where created_at < now() - %s::interval
          or job_id is null and created_at < now() - %s::interval
        """,
        (KEPT_FOR, UNFINISHED_KEPT),
    )

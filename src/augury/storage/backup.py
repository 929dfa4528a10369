"""Backup to one file and restore from it, both all or nothing.

A backup is a zip archive of a PostgreSQL dump (custom format) and a manifest; the archive's
checksums reveal damage. Dump and manifest come from one snapshot, so a backup may be made while
the service runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import threading
import zipfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import psycopg
from psycopg import AsyncConnection, conninfo, sql

from augury import __version__, clock
from augury.errors import SetupProblem
from augury.settings import Settings
from augury.storage import database, loading, migrate
from augury.storage.binaries import Binaries

DUMP, MANIFEST = "database.dump", "manifest.json"
FORMAT = 1
MAX_MANIFEST_BYTES = 64 * 1024
CHUNK_BYTES = 1 << 20
EXCLUDED_TABLES = (
    "rate_limits", "pgqueuer_log", "pgqueuer_statistics", "search_indexes", "relation_state",
    "relation_events", "relation_nodes", "relation_members", "relation_links", "forecast_words",
    "forecast_words_state", "import_parts",
)  # fmt: skip
"""Tables whose rows are not backed up. Some are temporary: rate limits, the log of the job queue,
files being uploaded. The others are rebuilt after a restore: the state of the search indexes, the
relations between events, and the parsed texts of markets, which forecasts need."""
TABLES_NEVER_EMPTY = ("schedules", "rvol_state", "watch_progress", "sealed_constant")
"""Tables that have rows even in a new database that nobody has used. When a restore checks that the
database is empty, rows in these tables are ignored."""


@dataclass(frozen=True)
class Manifest:
    """The metadata of a backup, stored in it as JSON."""

    format: int
    augury: str
    created_at: str
    schema: str
    """Name of the newest migration that the backed-up database has run."""
    postgresql: str
    rows: dict[str, int]
    """Number of rows of each table in the backup."""


@asynccontextmanager
async def reachable(settings: Settings, *, alone: bool = False) -> AsyncIterator[str]:
    """Yields the URL of the database that the settings name, bypassing any connection pooler. If
    this is the database of the embedded server, the server runs at least until the block ends. The
    schema is not migrated.

    `alone`: raise SetupProblem if the embedded server is run by another process.
    """
    url, server = await database.reach(settings)
    try:
        if alone and server is not None and not server.owned:
            raise SetupProblem(
                f"Augury is running on {settings.data_dir}. Stop it, then restore the backup."
            )
        yield url
    finally:
        if server is not None:
            await asyncio.to_thread(server.close)


async def backup(settings: Settings, file: Path) -> Manifest:
    """Write a backup of the database to `file`, which must not exist. Returns its metadata."""
    _check_target(file)
    binaries = Binaries.find(settings.pg_bin_dir)
    async with (
        reachable(settings) as url,
        await AsyncConnection.connect(url) as connection,
    ):
        await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
        state = await migrate.status(connection)
        if state.revision is None:
            raise SetupProblem("The database is empty: there is nothing to back up.")
        _check_version(binaries, connection.info.server_version)
        cursor = await connection.execute("select pg_export_snapshot()")
        snapshot = await cursor.fetchone()
        assert snapshot
        manifest = Manifest(
            format=FORMAT,
            augury=__version__,
            created_at=clock.isoformat(clock.now()),
            schema=state.revision,
            postgresql=connection.info.parameter_status("server_version") or "",
            rows=await _rows(connection),
        )
        await asyncio.to_thread(_write, file, manifest, binaries, url, snapshot[0])
    return manifest


def _check_target(file: Path) -> None:
    if file.exists():
        raise SetupProblem(f"{file} exists. Choose another name: backups never overwrite a file.")
    if not file.parent.is_dir():
        raise SetupProblem(f"The folder {file.parent} does not exist.")


def _write(file: Path, manifest: Manifest, binaries: Binaries, url: str, snapshot: str) -> None:
    new = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        with (
            os.fdopen(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as output,
            zipfile.ZipFile(output, "w") as archive,
        ):
            archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=2))
            # Stored as it is: the dump is compressed already.
            with archive.open(DUMP, "w", force_zip64=True) as entry:
                left_out = [f"--exclude-table-data=public.{table}" for table in EXCLUDED_TABLES]
                command = [binaries.program("pg_dump"), "--format=custom", "--no-owner"]
                options = [
                    "--no-privileges",
                    "--load-via-partition-root",
                    "--schema=public",
                    "--extension=*",
                ]
                where, environment = _split_password(url)
                command += [*options, *left_out, f"--snapshot={snapshot}", f"--dbname={where}"]
                with program(command, "The backup failed.", environment=environment) as dump:
                    shutil.copyfileobj(dump, entry, CHUNK_BYTES)
            archive.close()
            output.flush()
            os.fsync(output.fileno())
        _check_target(file)  # somebody may have been faster
        new.rename(file)
    except OSError as error:
        raise SetupProblem(f"The backup could not be written: {error.strerror}.") from error
    finally:
        new.unlink(missing_ok=True)


def read_manifest(file: Path) -> Manifest:
    """Check the whole of a backup `file` for damage and return its metadata. Raises SetupProblem if
    the file is damaged or was made by a newer version."""
    try:
        with zipfile.ZipFile(file) as archive:
            if damaged := archive.testzip():
                raise SetupProblem(f"{file} is damaged ({damaged}): it can't be restored.")
            if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
                raise ValueError(f"the manifest is larger than {MAX_MANIFEST_BYTES:,} bytes")
            manifest = Manifest(**json.loads(archive.read(MANIFEST)))
            archive.getinfo(DUMP)
    except FileNotFoundError as error:
        raise SetupProblem(f"The file {file} does not exist.") from error
    except OSError as error:
        raise SetupProblem(f"{file} can't be read: {error.strerror}.") from error
    except (
        zipfile.BadZipFile,
        LookupError,
        RuntimeError,
        TypeError,
        ValueError,
        EOFError,
    ) as error:
        raise SetupProblem(f"{file} is damaged or is not a backup of Augury.") from error
    if manifest.format != FORMAT or manifest.schema not in migrate.revisions():
        raise SetupProblem(
            f"{file} was made by a newer version of Augury ({manifest.augury}). "
            "Update, then restore."
        )
    return manifest


async def restore(settings: Settings, file: Path, *, replace: bool = False) -> Manifest:
    """Replace the contents of the database by the backup `file`, and return the metadata of the
    backup. Without `replace`, the database must be empty.

    The schema comes from our own migrations, and only rows are taken from the file, so that a file
    made by somebody else runs no command here. The rows are loaded in one transaction: if anything
    fails, the database is unchanged. Afterwards the schema is brought up to date; search indexes
    are rebuilt at the next start of the service.
    """
    manifest = await asyncio.to_thread(read_manifest, file)
    binaries = Binaries.find(settings.pg_bin_dir)
    async with reachable(settings, alone=True) as url:
        async with await AsyncConnection.connect(url) as connection:
            _check_version(binaries, connection.info.server_version)
            rows = await _rows(connection)
            held = sum(count for table, count in rows.items() if table not in TABLES_NEVER_EMPTY)
        if held and not replace:
            raise SetupProblem(
                f"The database is not empty ({held} rows). Restore into an empty one, or add "
                f"--replace to replace its contents."
            )
        dump = partial(_data, file, binaries)
        await asyncio.to_thread(loading.load, url, manifest.schema, manifest.rows, dump)
        await asyncio.to_thread(migrate.upgrade, url)
    return manifest


@contextmanager
def _data(file: Path, binaries: Binaries) -> Iterator[IO[bytes]]:
    """Yields a stream of the rows in a backup file, as text in the form that pg_restore prints."""
    command = [binaries.program("pg_restore"), "--data-only", "--no-owner", "--no-privileges"]
    with (
        zipfile.ZipFile(file) as archive,
        archive.open(DUMP) as entry,
        program([*command, "--file=-"], "The backup is damaged.", input=entry) as lines,
    ):
        yield lines


@contextmanager
def program(
    command: list[str],
    failure: str,
    *,
    input: IO[bytes] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[IO[bytes]]:
    """Run a command and yield its standard output. `input` is the command's standard input; it
    need not be a real file.

    Raises SetupProblem, with a text that begins with `failure`, if the command fails.
    """
    process = subprocess.Popen(  # noqa: S603
        command,
        stdin=subprocess.PIPE if input else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C", "PGCONNECT_TIMEOUT": "10", **(environment or {})},
    )
    assert process.stdout
    assert process.stderr
    errors = _ErrorReader(process.stderr)
    feeder = threading.Thread(target=_feed, args=(input, process.stdin), daemon=True)
    feeder.start()
    try:
        yield process.stdout
        if process.wait() != 0:
            raise SetupProblem(f"{failure} {errors.text()}")
    finally:
        process.kill()
        process.wait()
        feeder.join()
        errors.text()
        process.stdout.close()
        process.stderr.close()


def _feed(source: IO[bytes] | None, target: IO[bytes] | None) -> None:
    if source is not None and target is not None:
        with suppress(BrokenPipeError), target:
            shutil.copyfileobj(source, target, CHUNK_BYTES)


class _ErrorReader(threading.Thread):
    """Reads a program's error output in a thread, so that the program never blocks on a full
    pipe."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._text = b""
        self.start()

    def run(self) -> None:
        self._text = self._stream.read()

    def text(self) -> str:
        self.join()
        return self._text.decode(errors="replace").strip()[-1000:]


def _split_password(url: str) -> tuple[str, dict[str, str]]:
    """The connection parameters of `url` without the password, and the password as an environment
    variable. A password in a command line could be read by every user of the machine."""
    parts = conninfo.conninfo_to_dict(url)
    password = parts.pop("password", None)
    return conninfo.make_conninfo("", **parts), {"PGPASSWORD": str(password)} if password else {}


def _check_version(binaries: Binaries, server: int) -> None:
    ours = int(binaries.major_version())
    if server // 10000 > ours:
        raise SetupProblem(
            f"The server is PostgreSQL {server // 10000}, but the programs here are PostgreSQL "
            f"{ours} and can't back it up or restore it. Set AUGURY_PG_BIN_DIR to the folder with "
            f"the programs (pg_dump, pg_restore) of PostgreSQL {server // 10000}."
        )


async def _rows(connection: AsyncConnection[Any]) -> dict[str, int]:
    """Number of rows of each backed-up table, as the connection's transaction sees them."""
    cursor = await connection.execute(
        "select tablename from pg_tables where schemaname = 'public'"
        " and tablename <> all(%s) order by 1",
        ([*EXCLUDED_TABLES, "alembic_version"],),
    )
    counts = {}
    for (table,) in await cursor.fetchall():
        count = sql.SQL("select count(*) from public.{}").format(sql.Identifier(table))
        row = await (await connection.execute(count)).fetchone()
        counts[table] = row[0] if row else 0
    return counts

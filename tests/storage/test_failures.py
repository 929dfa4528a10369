"""Which failures are a 503, by their codes and for real: a full disk, a read-only database."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg import errors as pg
from psycopg_pool import PoolTimeout

from augury.errors import SetupProblem, Unavailable
from augury.settings import Settings
from augury.storage import database as database_module
from augury.storage.database import Database
from augury.storage.embedded import EmbeddedServer
from augury.storage.failures import as_unavailable

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (pg.DiskFull(), "full"),
        (pg.ReadOnlySqlTransaction(), "read-only"),
        (pg.IoError(), "error"),
        (pg.OutOfMemory(), "memory"),
        (pg.TooManyConnections(), "busy"),
        (pg.AdminShutdown(), "restarting"),
        (pg.CrashShutdown(), "restarting"),
        (pg.CannotConnectNow(), "restarting"),
        (pg.QueryCanceled(), "too long"),
        (pg.IdleInTransactionSessionTimeout(), "busy"),
        (pg.LockNotAvailable(), "busy"),
        (pg.DeadlockDetected(), "conflicted with another"),
        (pg.ConnectionFailure(), "temporarily unavailable"),
        (pg.ConfigurationLimitExceeded(), "temporarily unavailable"),
        (PoolTimeout(), "in time"),
        (psycopg.OperationalError("server closed the connection"), "can't be reached"),
    ],
)
def test_what_passes_by_itself_is_a_503(error: Exception, text: str) -> None:
    unavailable = as_unavailable(error)
    assert unavailable
    assert unavailable.status == 503
    assert int(unavailable.headers["Retry-After"]) >= 1
    assert text in str(unavailable.detail)


@pytest.mark.parametrize(
    "error",
    [pg.UndefinedTable(), pg.UniqueViolation(), pg.SyntaxError(), ValueError(), OSError()],
)
def test_what_is_a_fault_of_ours_is_not(error: Exception) -> None:
    assert as_unavailable(error) is None


async def _write(database: Database, kilobytes: int = 1) -> None:
    async with database.transaction() as connection:
        await connection.execute(
            # Not compressible, so that it takes the room it says.
            "insert into accounts (id, name) select gen_random_uuid(),"
            " string_agg(gen_random_uuid()::text, '') from generate_series(1, 28 * %s) group by"
            " generate_series / 28",
            (kilobytes,),
        )


async def _count(database: Database) -> int:
    async with database.reading() as connection:
        row = await (await connection.execute("select count(*) from accounts")).fetchone()
        assert row
        return row[0]


async def test_a_read_only_database_and_its_recovery(database: Database) -> None:
    async with database.reading() as connection:
        await connection.execute("set default_transaction_read_only = on")
    with pytest.raises(psycopg.Error) as caught:
        await _write(database)
    assert as_unavailable(caught.value)
    assert await _count(database) == 0, "reads go on"
    async with database.reading() as connection:
        await connection.execute("set default_transaction_read_only = off")
    await _write(database)


async def test_no_free_connection_in_time(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "POOL_PATIENCE", 0.1)
    database = Database(database_url, database_url, pool_size=1)
    await database.start()
    async with database.reading():
        with pytest.raises(Unavailable, match="in time"):
            await _count(database)
    assert await _count(database) == 0
    await database.close()


async def test_closed_connections_are_not_handed_out(database: Database) -> None:
    assert await _count(database) == 0
    async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as other:
        await other.execute(
            "select pg_terminate_backend(pid, 1000) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
    assert await _count(database) == 0


async def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    url = f"postgresql:///augury?host={tmp_path}"
    with pytest.raises(SetupProblem, match="can't be reached"):
        await Database.connect(url, url, pool_size=2)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 MB of our own."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("filling a disk needs one of its own, and only root can mount it")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("filling a disk needs one of its own, and mounting is not permitted here")
    yield disk
    for _ in range(100):
        if subprocess.run(["umount", str(disk)], capture_output=True).returncode == 0:
            return
        time.sleep(0.05)
    subprocess.run(["umount", "-l", str(disk)], check=True)


def _fill(filler: Path, leave: int = 256 * 1024) -> None:
    """Take all room but `leave` bytes."""
    with filler.open("wb", buffering=0) as file:
        with suppress(OSError):
            while file.write(bytes(64 * 1024)):
                pass
        file.truncate(file.tell() - leave)


@pytest.mark.whole
async def test_a_full_disk_and_its_recovery_without_a_restart(small_disk: Path) -> None:
    data_dir = small_disk / "d"
    # In the foreground of the test's own server: small, so that it fits.
    server = await asyncio.to_thread(
        EmbeddedServer.open, data_dir, options={"shared_buffers": "8MB", "max_wal_size": "64MB"}
    )
    database = await Database.open(
        Settings(data_dir=data_dir, database_pool_size=2, sync="off", sample="off")
    )
    try:
        assert database.server
        assert not database.server.owned
        await _write(database)
        pid = server.pid
        filler = small_disk / "filler"
        _fill(filler)
        before = 0

        async def write_on() -> None:
            nonlocal before
            while True:
                before = await _count(database)
                await _write(database, kilobytes=64)

        with pytest.raises(psycopg.Error) as caught:
            await write_on()
        refused = as_unavailable(caught.value)
        assert refused
        assert "full" in str(refused.detail)
        assert await _count(database) == before, "reads go on, and nothing half-written is there"

        filler.unlink()
        await _write(database, kilobytes=64)
        assert await _count(database) > before
        assert server.pid == pid
    finally:
        await database.close()
        await asyncio.to_thread(server.close)


@pytest.mark.whole
async def test_the_server_s_log_finds_no_room_and_reads_go_on_all_the_same(
    small_disk: Path,
) -> None:
    """The server stops, as it must; room held back for it lets it replay its log and answer."""
    data_dir = small_disk / "d"
    options = {"shared_buffers": "8MB", "max_wal_size": "64MB", "min_wal_size": "32MB"}
    server = await asyncio.to_thread(EmbeddedServer.open, data_dir, options=options)
    database = await Database.open(
        Settings(data_dir=data_dir, database_pool_size=2, sync="off", sample="off")
    )
    try:
        await _write(database)
        kept = await _count(database)
        reserve = data_dir / "postgres" / "reserve"
        assert reserve.exists()
        filler = small_disk / "filler"
        _fill(filler, leave=0)

        async def fill_log() -> None:
            for _ in range(200):  # and no table
                async with database.transaction() as connection:
                    await connection.execute(
                        "select pg_logical_emit_message(true, 'x',"
                        " string_agg(gen_random_uuid()::text, '')) from generate_series(1, 28000)"
                    )

        with pytest.raises(psycopg.Error) as caught:
            await fill_log()
        assert as_unavailable(caught.value)

        async def reads() -> bool:
            with suppress(psycopg.OperationalError, Unavailable):
                return await _count(database) == kept
            return False

        began = time.monotonic()
        deadline = began + 60
        while not await reads() or reserve.exists():
            assert time.monotonic() < deadline, "reads do not come back"
            # It may not have stopped yet, or have come back without the room held back for it.
            if await reads() and reserve.exists():
                with suppress(psycopg.Error, Unavailable):
                    await fill_log()
            await asyncio.sleep(0.1)
        print(f"reads came back after {time.monotonic() - began:.1f} s")
        assert filler.exists(), "the disk is still full"
        assert not reserve.exists()
        assert await reads()

        filler.unlink()
        await _write(database, kilobytes=64)
        assert await _count(database) > kept
    finally:
        await database.close()
        await asyncio.to_thread(server.close)

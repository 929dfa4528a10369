"""Backup and restore: the round trip, and all that may be wrong with a file or a database."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from augury.errors import SetupProblem
from augury.jobs import queue
from augury.settings import Settings
from augury.storage import backup as backups
from augury.storage import commands, migrate
from augury.storage.database import SERVICE_ROLE, Database
from augury.storage.embedded import EmbeddedServer

if TYPE_CHECKING:
    from tests.conftest import PostgresServer


pytestmark = pytest.mark.anyio


@pytest.fixture
def source(settings: Settings, database_url: str) -> Settings:
    return settings.model_copy(update={"database_url": SecretStr(database_url)})


@pytest.fixture
def target(settings: Settings, postgres: PostgresServer) -> Settings:
    """Another database, migrated and empty."""
    name = postgres.create()
    postgres.used.append(name)
    return settings.model_copy(update={"database_url": SecretStr(postgres.url(name))})


@pytest.fixture
async def filled(database: Database) -> Database:
    async with database.transaction() as connection:
        await connection.execute("insert into accounts (id, name) values ('a', 'Ada €')")
        await connection.execute(
            "insert into markets (id, platform, platform_id, question, title, outcomes, prices,"
            " status, origin) select 'polymarket:' || n, 'polymarket', n, 'q', 't', '{Yes,No}',"
            " '{0.3,0.7}', 'active', 'venue' from generate_series(1, 500) n"
        )
        await connection.execute(
            "insert into prices select seq, 0, now(), 0.3, 'test' from markets"
        )
        await connection.execute("insert into rate_limits values ('k', now())")
        await connection.execute("insert into search_indexes values ('i', '', '', now())")
        await queue.enqueue(connection, "graph", {"question": "?"})
    return database


def _all(settings: Settings, statement: str) -> list[tuple[object, ...]]:
    assert settings.database_url
    with psycopg.connect(settings.database_url.get_secret_value()) as connection:
        return connection.execute(statement.encode()).fetchall()


CONTENT = (
    "select id, name, created_at from accounts",
    "select seq, id, prices, change, updated_at from markets order by seq",
    "select * from prices order by market_seq",
    "select id, status, request from jobs",
    "select status, dedupe_key, payload from pgqueuer",
    "select version_num from alembic_version",
)


async def test_what_was_backed_up_comes_back(
    filled: Database, source: Settings, target: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "a.backup"
    made = await backups.backup(source, file)
    assert made.rows["markets"] == 500
    assert file.stat().st_mode & 0o777 == 0o600

    restored = await backups.restore(target, file)
    assert restored == made
    for statement in CONTENT:
        assert _all(target, statement) == _all(source, statement)
    assert _all(target, "select count(*) from rate_limits") == [(0,)]
    assert _all(target, "select count(*) from search_indexes") == [(0,)], "built anew"
    # Sequences go on after what is there.
    assert _all(target, "select nextval('market_change') > (select max(change) from markets)") == [
        (True,)
    ]
    again = tmp_path / "b.backup"
    assert (await backups.backup(target, again)).rows == made.rows
    assert list(tmp_path.glob(".*")) == [], "nothing half-written is left"


async def test_a_backup_made_while_rows_come_and_go(
    filled: Database, source: Settings, target: Settings, tmp_path: Path
) -> None:
    """Manifest and dump are of the same moment: the restore would refuse them otherwise."""

    async def write() -> None:
        while True:
            async with filled.transaction() as connection:
                await queue.enqueue(connection, "graph")
                await connection.execute(
                    "delete from prices where market_seq = (select min(market_seq) from prices)"
                )

    writer = asyncio.create_task(write())
    moments = set()
    try:
        for n in range(3):
            made = await backups.backup(source, tmp_path / f"{n}.backup")
            await backups.restore(target, tmp_path / f"{n}.backup", replace=True)
            assert _all(target, "select count(*) from prices") == [(made.rows["prices"],)]
            moments.add(made.rows["jobs"])
    finally:
        writer.cancel()
    assert len(moments) == 3, "there was writing meanwhile"


async def test_a_database_with_rows_is_replaced_on_demand_only(
    filled: Database, source: Settings, target: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "a.backup"
    await backups.backup(source, file)
    await backups.restore(target, file)
    with pytest.raises(SetupProblem, match="--replace"):
        await backups.restore(target, file)
    await backups.restore(target, file, replace=True)
    assert _all(target, "select count(*) from markets") == [(500,)]


async def test_a_backup_never_overwrites(source: Settings, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    file.write_text("dear to somebody")
    with pytest.raises(SetupProblem, match="exists"):
        await backups.backup(source, file)
    with pytest.raises(SetupProblem, match="does not exist"):
        await backups.backup(source, tmp_path / "nowhere" / "a.backup")
    assert file.read_text() == "dear to somebody"


def _flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


async def test_a_damaged_file_changes_nothing(
    filled: Database, source: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "a.backup"
    await backups.backup(source, file)
    good = file.read_bytes()
    before = [_all(source, statement) for statement in CONTENT]
    for bad in (
        b"",
        b"not a backup",
        good[: len(good) // 2],
        _flip(good, len(good) // 2),
        _flip(good, 3000),
    ):
        file.write_bytes(bad)
        with pytest.raises(SetupProblem, match="damaged"):
            await backups.restore(source, file, replace=True)
    assert [_all(source, statement) for statement in CONTENT] == before
    with pytest.raises(SetupProblem, match="does not exist"):
        await backups.restore(source, tmp_path / "none", replace=True)


async def test_whatever_byte_is_wrong_is_said_or_does_not_matter(
    filled: Database, source: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "a.backup"
    made = await backups.backup(source, file)
    good = file.read_bytes()
    refused = 0
    for at in [*range(150), *range(len(good) - 250, len(good))]:
        file.write_bytes(_flip(good, at))
        try:
            assert backups.read_manifest(file) == made
        except SetupProblem:
            refused += 1
    assert refused > 200


async def test_no_restore_under_a_running_service(settings: Settings, tmp_path: Path) -> None:
    running = await Database.open(settings)
    try:
        file = tmp_path / "a.backup"
        await backups.backup(settings, file)
        with pytest.raises(SetupProblem, match="Stop it"):
            await backups.restore(settings, file)
    finally:
        await running.close()
    await backups.restore(settings, file)


def _rewritten(file: Path, manifest: dict[str, object], dump: bytes | None = None) -> None:
    """`file` with another manifest or dump, its checksums right."""
    with zipfile.ZipFile(file) as archive:
        old = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w") as archive:
        text = json.dumps({**json.loads(old[backups.MANIFEST]), **manifest})
        archive.writestr(backups.MANIFEST, text)
        archive.writestr(backups.DUMP, dump or old[backups.DUMP])


async def test_a_manifest_is_read_only_when_it_is_small(source: Settings, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(backups.MANIFEST, " " * 100_000 + '{"format": 2}')
        archive.writestr(backups.DUMP, b"")
    with pytest.raises(SetupProblem, match="not a backup of Augury"):
        await backups.restore(source, file)


@pytest.mark.parametrize(
    ("manifest", "cut", "text"),
    [
        ({"schema": "9999_future"}, None, "newer version of Augury"),
        ({"format": 2}, None, "newer version of Augury"),
        ({"rows": {"accounts": 2}}, None, r"accounts would have had 1 rows instead of 2"),
        ({}, 0.8, "damaged"),  # a dump that ends early and whose checksum is right
    ],
)
async def test_a_file_that_is_not_what_it_says_changes_nothing(
    filled: Database,
    source: Settings,
    tmp_path: Path,
    manifest: dict[str, object],
    cut: float | None,
    text: str,
) -> None:
    file = tmp_path / "a.backup"
    await backups.backup(source, file)
    with zipfile.ZipFile(file) as archive:
        dump = archive.read(backups.DUMP)
    _rewritten(file, manifest, dump[: int(len(dump) * cut)] if cut else None)
    before = [_all(source, statement) for statement in CONTENT]
    with pytest.raises(SetupProblem, match=text):
        await backups.restore(source, file, replace=True)
    assert [_all(source, statement) for statement in CONTENT] == before


def _patched(dump: bytes, statement: bytes) -> bytes:
    """A dump whose command for the accounts' rows is another one, as long as it was."""
    found = re.search(rb"COPY public\.accounts \([^)]*\) FROM stdin;\n", dump)
    assert found
    assert len(statement) < len(found[0])
    return dump.replace(found[0], statement + b" " * (len(found[0]) - len(statement) - 1) + b"\n")


HOSTILE = (
    b"COPY accounts FROM PROGRAM 'touch HERE';",
    b"\\! touch HERE",
    b"\\copy accounts from program 'touch HERE'",
    b"\\o HERE",
    b"drop table accounts;",
    b"alter role current_user superuser;",
    b"COPY public.accounts (id) FROM stdin; \\! touch HERE",
    b"COPY public.pg_authid (rolname) FROM stdin;",
    b"SET x = 'y'; drop table accounts;",
    b"SELECT pg_catalog.setval('x', 1, true); drop table x;",
    b"-- a remark\n\\! touch HERE",
)


@pytest.mark.parametrize("statement", HOSTILE)
async def test_a_hostile_backup_runs_nothing_and_changes_nothing(
    filled: Database,
    source: Settings,
    tmp_path: Path,
    statement: bytes,
    capfd: pytest.CaptureFixture[str],
) -> None:
    file, trace = tmp_path / "a.backup", Path(tempfile.mkdtemp()) / "t"
    await backups.backup(source, file)
    with zipfile.ZipFile(file) as archive:
        dump = archive.read(backups.DUMP)
    _rewritten(file, {}, _patched(dump, statement.replace(b"HERE", str(trace).encode())))
    before = [_all(source, statement) for statement in CONTENT]
    with pytest.raises(SetupProblem, match=r"[Nn]othing"):
        await backups.restore(source, file, replace=True)
    assert not trace.exists()
    assert capfd.readouterr().out == ""  # --json writes there
    assert [_all(source, statement) for statement in CONTENT] == before


async def test_functions_triggers_and_tables_of_a_backup_are_not_taken(
    filled: Database, source: Settings, target: Settings, tmp_path: Path
) -> None:
    async with filled.transaction() as connection:
        await connection.execute(
            "create function evil() returns trigger language plpgsql as 'begin return null; end'"
        )
        await connection.execute(
            "create trigger evil before insert on api_keys for each row execute function evil()"
        )
        await connection.execute("alter table accounts alter name set default 'evil'")
    file = tmp_path / "a.backup"
    await backups.backup(source, file)
    await backups.restore(target, file)
    assert _all(target, "select id, name from accounts") == [("a", "Ada €")]
    assert _all(target, "select count(*) from pg_proc where proname = 'evil'") == [(0,)]
    assert _all(target, "select count(*) from pg_trigger where tgname = 'evil'") == [(0,)]
    for kind in ("indexdef", "indexname"):
        statement = f"select {kind} from pg_indexes where schemaname = 'public' order by 1"
        assert _all(target, statement) == _all(source, statement)
    constraints = "select conname, pg_get_constraintdef(oid) from pg_constraint order by 1, 2"
    assert _all(target, constraints) == _all(source, constraints)
    assert _all(target, "select count(*) from pg_trigger where tgenabled = 'D'") == [(0,)]


async def test_a_password_is_in_no_command_line(
    filled: Database, source: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    popen = subprocess.Popen

    def watched(command: list[str], **options: Any) -> Any:
        started.append((command, options.get("env") or {}))
        return popen(command, **options)

    monkeypatch.setattr(backups.subprocess, "Popen", watched)
    assert source.database_url
    secret = f"{source.database_url.get_secret_value()}&password=s3cr3t"
    settings = source.model_copy(update={"database_url": SecretStr(secret)})
    await backups.backup(settings, tmp_path / "a.backup")
    assert not any("s3cr3t" in part for command, _ in started for part in command)
    assert any(env.get("PGPASSWORD") == "s3cr3t" for _, env in started)


async def test_the_service_is_no_superuser(settings: Settings, tmp_path: Path) -> None:
    database = await Database.open(settings)
    try:
        async with database.reading() as connection:
            cursor = await connection.execute(
                "select rolsuper, rolcreaterole, rolcreatedb, current_user from pg_roles"
                " where rolname = current_user"
            )
            assert await cursor.fetchone() == (False, False, False, SERVICE_ROLE)
            for hostile in (
                "copy accounts from program 'true'",
                "select pg_read_file('/etc/passwd')",
                "set role augury",
                "create role other superuser",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    await connection.execute(hostile.encode())
    finally:
        await database.close()


async def test_a_database_of_a_version_that_was_superuser_is_handed_over(
    settings: Settings,
) -> None:
    server = await asyncio.to_thread(EmbeddedServer.open, settings.data_dir)
    try:
        with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
            connection.execute("create database augury")
        await asyncio.to_thread(migrate.upgrade, server.url("augury"))
        database = await Database.open(settings)
        async with database.transaction() as conn:
            await conn.execute("insert into accounts (id, name) values ('a', 'a')")
            await conn.execute("alter table accounts add column owned int")
            cursor = await conn.execute(
                "select count(*) from pg_class c join pg_roles r on r.oid = relowner"
                " where relnamespace = 'public'::regnamespace and rolname = 'augury'"
                " and relkind in ('r', 'S', 'i')"
            )
            assert await cursor.fetchone() == (0,)
        await database.close()
    finally:
        await asyncio.to_thread(server.close)


def test_a_server_newer_than_the_programs(settings: Settings) -> None:
    binaries = backups.Binaries.find(None)
    with pytest.raises(SetupProblem, match=r"PostgreSQL 99.*AUGURY_PG_BIN_DIR"):
        backups._check_version(binaries, 990001)


async def test_a_folder_that_cannot_be_written(
    filled: Database, source: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(SetupProblem, match="No space left"):
        await backups.backup(source, tmp_path / "a.backup")
    assert list(tmp_path.iterdir()) == []


# Commands


@pytest.fixture
def cli(source: Settings, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    assert source.database_url
    monkeypatch.setenv("AUGURY_DATABASE_URL", source.database_url.get_secret_value())
    monkeypatch.setenv("AUGURY_DATA_DIR", str(source.data_dir))
    return CliRunner()


def test_the_commands_answer_in_words_and_in_json(cli: CliRunner, tmp_path: Path) -> None:
    file = str(tmp_path / "a.backup")
    status = json.loads(cli.invoke(commands.app, ["status", "--json"]).stdout)
    assert (status["server"], status["pending"]) == ("external", [])
    assert "Pending: none" in cli.invoke(commands.app, ["status"]).stdout
    assert "up to date" in cli.invoke(commands.app, ["migrate"]).stdout
    assert json.loads(cli.invoke(commands.app, ["migrate", "--json"]).stdout)["applied"] == []
    assert "Wrote" in cli.invoke(commands.app, ["backup", file]).stdout
    restored = cli.invoke(commands.app, ["restore", file, "--json"])
    assert json.loads(restored.stdout)["rows"]["markets"] == 0


def test_the_commands_on_a_database_without_a_schema(
    cli: CliRunner, source: Settings, tmp_path: Path
) -> None:
    assert source.database_url
    with psycopg.connect(source.database_url.get_secret_value()) as connection:
        connection.execute("drop schema public cascade")
        connection.execute("create schema public")
    assert "none yet" in cli.invoke(commands.app, ["status"]).stdout
    backup = cli.invoke(commands.app, ["backup", str(tmp_path / "a.backup")])
    assert "nothing to back up" in str(backup.exception)
    assert "Applied 0001_foundation" in cli.invoke(commands.app, ["migrate"]).stdout


def test_a_database_that_is_away_is_said(
    cli: CliRunner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AUGURY_DATABASE_URL", f"postgresql:///x?host={tmp_path}")
    result = cli.invoke(commands.app, ["status"])
    assert isinstance(result.exception, SetupProblem)
    assert "can't be reached" in str(result.exception)


@pytest.mark.parametrize("command", ["backup", "restore", "migrate", "status"])
def test_each_command_has_help_with_an_example(cli: CliRunner, command: str) -> None:
    text = cli.invoke(commands.app, [command, "--help"]).stdout
    assert "Example" in text
    assert "augury db" in text

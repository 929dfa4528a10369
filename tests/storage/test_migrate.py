"""Migrations: from nothing, again, by two at once, and from the future."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import AsyncConnection
from psycopg.sql import SQL, Identifier
from tests.pace import PATIENCE

from augury.errors import SetupProblem
from augury.storage import migrate
from augury.storage.database import Database

if TYPE_CHECKING:
    from tests.conftest import PostgresServer

pytestmark = pytest.mark.anyio


@pytest.fixture
def empty_url(postgres: PostgresServer) -> Iterator[str]:
    name = f"empty_{postgres.create()}"
    postgres.admin.execute(SQL("create database {}").format(Identifier(name)))
    yield postgres.url(name)
    postgres.used.append(name)
    postgres.used.append(name.removeprefix("empty_"))


async def _status(url: str) -> migrate.Status:
    async with await AsyncConnection.connect(url, autocommit=True) as connection:
        return await migrate.status(connection)


def test_each_migration_has_a_number_of_its_own() -> None:
    names = migrate.revisions()
    assert {path.stem for path in migrate.FOLDER.glob("[0-9]*.py")} <= set(names)
    numbers = [int(name[:4]) for name in names]
    assert numbers == sorted(set(numbers))
    assert all(len(name) <= 32 for name in names), "what alembic_version can hold"


async def test_from_nothing_and_again(empty_url: str) -> None:
    names = migrate.revisions()
    assert await _status(empty_url) == migrate.Status(None, tuple(names))
    for _ in range(2):
        migrate.upgrade(empty_url)
        assert await _status(empty_url) == migrate.Status(names[-1], ())


async def test_a_migration_that_fails_leaves_nothing(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = migrate.run

    def fail_late(connection: psycopg.Connection, name: str) -> None:
        run(connection, name)
        if "0002" in name:
            raise RuntimeError("power cut")

    monkeypatch.setattr(migrate, "run", fail_late)
    with pytest.raises(RuntimeError, match="power cut"):
        migrate.upgrade(empty_url)
    with psycopg.connect(empty_url) as connection:
        tables = connection.execute("select 1 from pg_tables where schemaname = 'public'")
        assert tables.fetchall() == []


async def test_two_processes_take_turns(empty_url: str) -> None:
    code = "import sys; from augury.storage import migrate; migrate.upgrade(sys.argv[1])"
    both = [
        subprocess.Popen([sys.executable, "-c", code, empty_url], stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for process in both:
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said.decode()
    assert (await _status(empty_url)).current


async def test_a_database_from_the_future_is_refused(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("update alembic_version set version_num = '9999_future'")
    with pytest.raises(SetupProblem, match=r"9999_future.*newer"):
        await Database.connect(database_url, database_url, pool_size=2)
    with pytest.raises(SetupProblem, match=r"9999_future.*newer"):
        migrate.upgrade(database_url)


def test_no_migration_is_edited_after_the_fact() -> None:
    """Folders that have run it would be "current" with another schema: write a new one instead."""
    kept = dict(
        line.split("  ")[::-1]
        for line in (Path(__file__).parent / "migrations.sha256").read_text().splitlines()
    )
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in migrate.FOLDER.glob("[0-9]*.sql")
    }
    changed = [name for name, mark in kept.items() if found.get(name) != mark]
    assert not changed
    missing = sorted(set(found) - set(kept))
    assert not missing, f"add them: (cd {migrate.FOLDER} && sha256sum {' '.join(missing)})"

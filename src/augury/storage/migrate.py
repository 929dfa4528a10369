"""Brings a database's schema up to date: numbered SQL files, run in order in one transaction.

Where SQL is not enough, a Python module of the same name has `prepare(connection)`, which runs
before the file, or `complete(connection)`, which runs after it.
There are no downgrades: the way back is to restore a backup made before.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import AsyncConnection

from augury.errors import SetupProblem
from augury.storage import locks

FOLDER = Path(__file__).parent / "migrations"


def revisions() -> list[str]:
    """All revisions this version knows, oldest first: the names of the SQL files."""
    return sorted(path.stem for path in FOLDER.glob("[0-9]*.sql"))


@dataclass(frozen=True)
class Status:
    """The migrations that a database has and lacks; revisions are names like `0001_foundation`."""

    revision: str | None
    """Newest migration that the database has; None when the database is empty."""
    pending: tuple[str, ...]
    """Migrations that the database lacks and that this version of Augury would run, oldest
    first."""

    @property
    def current(self) -> bool:
        return not self.pending


async def status(connection: AsyncConnection[Any]) -> Status:
    """Which migrations the database has and lacks; takes one small query.

    Raises SetupProblem when the database is newer than this version.
    """
    try:
        # A nested transaction, so that a failure does not abort the caller's transaction.
        async with connection.transaction():
            cursor = await connection.execute("select version_num from alembic_version")
            row = await cursor.fetchone()
    except psycopg.errors.UndefinedTable:
        return _status(None)
    return _status(row[0] if row else None)


def _status(revision: str | None) -> Status:
    known = revisions()
    if revision is None:
        return Status(None, tuple(known))
    if revision not in known:
        raise SetupProblem(
            f"The database's schema ({revision}) is newer than this version of Augury supports "
            f"({known[-1]}). Start the newer version, or restore a backup made before the update."
        )
    return Status(revision, tuple(known[known.index(revision) + 1 :]))


def upgrade(url: str) -> None:
    """Run the database's missing migrations in one transaction. Processes that start together take
    turns."""
    with transaction(url) as (_, upgrade_to):
        upgrade_to(revisions()[-1])


@contextmanager
def transaction(url: str) -> Iterator[tuple[psycopg.Connection, Callable[[str], None]]]:
    """A transaction during which no other process migrates. Yields its connection, and a function
    that runs all missing migrations up to a given one, e.g. `0001_foundation`.

    The transaction is committed when the block ends and rolled back when it raises.
    """
    with psycopg.connect(url) as connection:
        # Released with the transaction, so that a process that waited sees what was done.
        connection.execute(*locks.MIGRATION.waiting)

        def upgrade_to(target: str) -> None:
            connection.execute(_REVISION_TABLE)
            row = connection.execute("select version_num from alembic_version").fetchone()
            for name in _status(row[0] if row else None).pending:
                if name <= target:
                    run(connection, name)

        yield connection, upgrade_to


_REVISION_TABLE = """
create table if not exists alembic_version (
    version_num varchar(32) not null constraint alembic_version_pkc primary key)
"""
"""SQL that makes the table with one row, the name of the newest migration that the database has
run. The table's name comes from Alembic, the library that ran migrations in earlier versions."""


def run(connection: psycopg.Connection, name: str) -> None:
    """Run the migration `name`, e.g. `0001_foundation`, and record in the database that it has
    run."""
    beside = f"augury.storage.migrations.{name}"
    python = importlib.import_module(beside) if (FOLDER / f"{name}.py").exists() else None
    if prepare := getattr(python, "prepare", None):
        prepare(connection)
    connection.execute((FOLDER / f"{name}.sql").read_bytes())
    if complete := getattr(python, "complete", None):
        complete(connection)
    connection.execute("delete from alembic_version")
    connection.execute("insert into alembic_version values (%s)", (name,))

"""Brings a database's schema up to date: numbered SQL files, run in order by Alembic.

Alembic is only loaded when there is something to do: that the schema is current is seen from one
row. There are no downgrades: the way back is to restore a backup made before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import AsyncConnection

from augury.errors import SetupProblem

if TYPE_CHECKING:
    from sqlalchemy import Connection

FOLDER = Path(__file__).parent / "migrations"
LOCK = 0x41554755  # "AUGU": one process migrates, the others wait for it


def revisions() -> list[str]:
    """All revisions this version knows, oldest first: the names of the SQL files."""
    return sorted(path.stem for path in FOLDER.glob("[0-9]*.sql"))


@dataclass(frozen=True)
class Status:
    """Where a database stands; revisions are names like `0001_foundation`."""

    revision: str | None
    """What the database holds, None when it is empty."""
    pending: tuple[str, ...]
    """What this version would add."""

    @property
    def current(self) -> bool:
        return not self.pending


async def status(connection: AsyncConnection[Any]) -> Status:
    """One small query. Raises SetupProblem when the database is newer than this version."""
    try:
        # A block of its own, for the failure not to spoil a transaction of the caller's.
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
            f"The database's schema ({revision}) is newer than this version of Augury knows "
            f"({known[-1]}). Start the newer version, or restore a backup made before the update."
        )
    return Status(revision, tuple(known[known.index(revision) + 1 :]))


def upgrade(url: str) -> None:
    """Run what is missing, in one transaction; processes that come together take turns."""
    with transaction(url) as (_, upgrade_to):
        upgrade_to("head")


@contextmanager
def transaction(url: str) -> Iterator[tuple[psycopg.Connection, Callable[[str], None]]]:
    """A transaction in which nobody else migrates, and what brings the schema to a revision in it.

    Committed when the block ends, rolled back when it raises.
    """
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    script = ScriptDirectory(str(FOLDER), version_locations=[str(FOLDER)])
    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=NullPool
    )
    with _of_psycopg(), engine.begin() as connection:
        # Released with the transaction, so that whoever waited sees what was done.
        connection.exec_driver_sql(f"select pg_advisory_xact_lock({LOCK})")

        def upgrade_to(target: str) -> None:
            def steps(revision: Any, _: MigrationContext) -> Any:
                _status(revision[0] if revision else None)
                return script._upgrade_revs(target, revision)

            context = MigrationContext.configure(connection, opts={"fn": steps, "script": script})
            with Operations.context(context):
                context.run_migrations()

        raw: Any = connection.connection.driver_connection
        yield raw, upgrade_to


@contextmanager
def _of_psycopg() -> Iterator[None]:
    """Failures of the database as psycopg tells them, by which they are known to pass or not."""
    from sqlalchemy.exc import DBAPIError

    try:
        yield
    except DBAPIError as error:
        raise error.orig or error from error


def lineage(migration: str) -> tuple[str, str | None]:
    """The name of the migration module `migration` (its `__file__`) and of the one before it."""
    known = revisions()
    at = known.index(Path(migration).stem)
    return known[at], known[at - 1] if at else None


def run_sql(connection: Connection, migration: str) -> None:
    """Run the SQL file beside the migration module `migration` (its `__file__`)."""
    # Not through SQLAlchemy, which would look for parameters in the text.
    raw: Any = connection.connection.driver_connection
    raw.execute(Path(migration).with_suffix(".sql").read_bytes())

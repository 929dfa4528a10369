"""Loads the rows of a backup into a database whose schema Augury's own migrations have made.

A PostgreSQL dump is an SQL program: an ordinary restore runs whatever its author wrote. So only
rows and the positions of sequences are taken from a dump, and only from lines in exactly the form
that pg_dump writes. Anything else is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import IO, Any, LiteralString, cast

import psycopg
from psycopg import sql

from augury.errors import SetupProblem
from augury.storage import migrate

_NAME = rb'(?:[a-z_][a-z0-9_]*|"[a-z_][a-z0-9_]*")'
_COPY = re.compile(rb"COPY public\.(%b) \((%b(?:, %b)*)\) FROM stdin;\n" % (_NAME, _NAME, _NAME))
_SETVAL = re.compile(
    rb"SELECT pg_catalog\.setval\('public\.(%b)', (-?\d{1,19}), (true|false)\);\n" % _NAME
)
_SKIPPED = re.compile(
    rb"(?:SET [a-z_]+ = [A-Za-z0-9_'-]+;"
    rb"|SELECT pg_catalog\.set_config\('search_path', '', false\);"
    rb"|--[^\n]*|\\(?:un)?restrict [A-Za-z0-9]+|)\n"
)
"""Matches the lines of a dump that a restore skips: session settings, comments, psql's restrict
commands."""
_END = b"\\.\n"
LONGEST_LINE = 1 << 30
"""Maximum number of bytes of one row in a dump: 1 GiB, the most that PostgreSQL stores in a single
value."""
_BATCH = 1 << 16

# SQL for what is removed before the rows are loaded, and added again afterwards: foreign keys,
# because the tables of a dump are not in the order that these need; indexes, because building one
# is faster than updating it; triggers.
_ASIDE = """
select format('alter table %s drop constraint %I', conrelid::regclass, conname),
       format('alter table %s add constraint %I %s', conrelid::regclass, conname,
              pg_get_constraintdef(oid))
from pg_constraint
where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
union all
select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
from pg_index join pg_class c on c.oid = indexrelid
where c.relnamespace = 'public'::regnamespace and not c.relispartition
  and not exists (select from pg_constraint where conindid = indexrelid)
union all
select format('alter table %s disable trigger user', oid::regclass),
       format('alter table %s enable trigger user', oid::regclass)
from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
"""
_EMPTY = """
do $$
begin
  execute (select 'truncate ' || string_agg(oid::regclass::text, ', ') from pg_class
           where relnamespace = 'public'::regnamespace and relkind in ('r', 'p'));
end $$
"""


Dump = Callable[[], AbstractContextManager[IO[bytes]]]
"""A function that opens the rows of a backup's dump, as `pg_restore --data-only` prints them."""


def load(url: str, revision: str, expected: Mapping[str, int], dump: Dump) -> None:
    """Replace all tables of the database at `url` by those of a backup. First, our migrations
    create the tables anew, up to `revision`, e.g. `0001_foundation`. Then the rows from `dump` are
    loaded into them.

    Parameters
    ----------
    expected
        Number of rows that each table must have after the load.

    Raises
    ------
    SetupProblem
        The load failed, and nothing has changed.
    """
    try:
        with migrate.transaction(url) as (connection, upgrade_to):
            connection.execute("set local client_min_messages = warning")
            connection.execute("set local lock_timeout = '60s'")
            connection.execute("drop schema public cascade")
            connection.execute("create schema public")
            upgrade_to(revision)
            _fill(connection, dump)
            _check(connection, expected)
    except psycopg.Error as error:
        raise SetupProblem(f"The restore failed and changed nothing. {error}".strip()) from error


def _fill(connection: psycopg.Connection, dump: Dump) -> None:
    aside = cast("list[tuple[LiteralString, LiteralString]]", connection.execute(_ASIDE).fetchall())
    for away, _ in aside:
        connection.execute(away)
    connection.execute(_EMPTY)
    with dump() as lines:
        copy_rows(connection, lines)
    for _, back in aside:
        connection.execute(back)


def copy_rows(connection: psycopg.Connection, lines: IO[bytes]) -> None:
    """Load rows and the positions of sequences into the database, from the lines of a dump that
    holds only data.

    Raises
    ------
    SetupProblem
        The dump holds something else, or a table or column that this schema does not have.
    """
    columns = _columns(connection)
    while line := lines.readline(LONGEST_LINE):
        if found := _COPY.fullmatch(line):
            table, names = _name(found[1]), [_name(n) for n in found[2].split(b", ")]
            if not set(names) <= columns.get(table, set()):
                raise SetupProblem(
                    f"The backup contains rows of {table} ({', '.join(names)}), but the schema "
                    f"version that it states has no such table or columns. Nothing was changed."
                )
            copy = sql.SQL("copy public.{} ({}) from stdin").format(
                sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, names))
            )
            with connection.cursor() as cursor, cursor.copy(copy) as rows:
                for part in _rows(lines):
                    rows.write(part)
        elif found := _SETVAL.fullmatch(line):
            connection.execute(
                "select setval(%s::regclass, %s, %s)",
                (f'public."{_name(found[1])}"', int(found[2]), found[3] == b"true"),
            )
        elif not _SKIPPED.fullmatch(line):
            raise SetupProblem(
                "The backup contains a command where only rows are allowed: it was not written by "
                "Augury or was altered. Nothing was run or changed."
            )


def _rows(lines: IO[bytes]) -> Iterator[bytes]:
    """Yields the rows of one table, as they are in the dump, in batches of about 64 KiB, up to the
    line that ends the table. Raises SetupProblem if that line is missing."""
    batch = bytearray()
    while line := lines.readline(LONGEST_LINE):
        if line == _END:
            yield bytes(batch)
            return
        if not line.endswith(b"\n"):
            break
        batch += line
        if len(batch) >= _BATCH:
            yield bytes(batch)
            batch.clear()
    raise SetupProblem(
        "The backup is incomplete: it ends in the middle of a table. Nothing was changed."
    )


def _columns(connection: psycopg.Connection[Any]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for table, column in connection.execute(
        "select table_name, column_name from information_schema.columns"
        " where table_schema = 'public' and is_generated = 'NEVER'"
    ):
        found.setdefault(table, set()).add(column)
    return found


def _check(connection: psycopg.Connection[Any], rows: Mapping[str, int]) -> None:
    known = _columns(connection)
    for table, expected in rows.items():
        if table not in known:
            raise SetupProblem(
                "The restore failed and changed nothing. The backup's manifest lists the "
                f"table {table[:60]!r}, which its schema does not have."
            )
        count = sql.SQL("select count(*) from public.{}").format(sql.Identifier(table))
        row = connection.execute(count).fetchone()
        if row is None or row[0] != expected:
            raise SetupProblem(
                f"The restore failed and changed nothing. Table {table} would have had "
                f"{row[0] if row else 0} rows instead of {expected}."
            )


def _name(raw: bytes) -> str:
    return raw.decode("ascii").strip('"')

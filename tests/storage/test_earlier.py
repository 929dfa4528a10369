"""Databases of every earlier version come to the schema that a new one has.

`earlier/` holds what git knows of the migrations as they once were: seven texts that were edited
afterwards, and the order in which migrations came, which was not that of their numbers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from augury.storage import migrate

if TYPE_CHECKING:
    from tests.conftest import PostgresServer

EARLIER = Path(__file__).parent / "earlier"
SCHEMAS: dict[str, str] = tomllib.loads((EARLIER / "schemas.toml").read_text())

# Columns, keys, constraints, indexes, sequences, triggers, types and functions, each as one line.
_OURS = "n.nspname = 'public' and not exists (select from pg_depend d where d.deptype = 'e'"
DESCRIBE = f"""
select 'column', c.relname, a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull then 'not null' end, pg_get_expr(d.adbin, d.adrelid),
    a.attidentity, a.attgenerated, a.attstorage)
  from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p', 'v')
  join pg_namespace n on n.oid = c.relnamespace
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped and {_OURS} and d.objid = c.oid)
union all
select 'relation', c.relname, c.relkind::text, concat_ws(' ', c.relpersistence, c.reloptions::text)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind <> 't' and {_OURS} and d.objid = c.oid)
union all
select 'index', c.relname, '', concat_ws(' ', pg_get_indexdef(c.oid), i.indisvalid)
  from pg_class c join pg_index i on i.indexrelid = c.oid
  join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public'
union all
select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(k.oid)
  from pg_constraint k join pg_namespace n on n.oid = k.connamespace where n.nspname = 'public'
union all
select 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(t.oid)
  from pg_trigger t where not tgisinternal
union all
select 'function', p.proname, '', pg_get_functiondef(p.oid)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where {_OURS} and d.objid = p.oid)
union all
select 'enum', t.typname, e.enumlabel, e.enumsortorder::text
  from pg_enum e join pg_type t on t.oid = e.enumtypid
union all
select 'revision', version_num, '', '' from alembic_version
"""


def described(url: str) -> set[tuple[str, ...]]:
    with psycopg.connect(url) as connection:
        return {tuple(row) for row in connection.execute(SQL(DESCRIBE))}  # type: ignore[arg-type]


def build(url: str, schema: str) -> None:
    """Make the schema that this earlier version made, and note the revision as it did."""
    names: list[str] = []
    with psycopg.connect(url) as connection:
        for name in schema.split():
            folder = EARLIER if "." in name else migrate.FOLDER
            (path,) = folder.glob(f"{name}*.sql")
            connection.execute(path.read_bytes())
            names.append(path.stem.split(".")[0])
        connection.execute("create table alembic_version (version_num varchar(32) primary key)")
        connection.execute(
            "alter table alembic_version rename constraint"
            " alembic_version_pkey to alembic_version_pkc"
        )
        connection.execute("insert into alembic_version values (%s)", (names[-1],))


@pytest.fixture
def empty_url(postgres: PostgresServer) -> Iterator[str]:
    name = f"earlier_{postgres.create()}"
    postgres.admin.execute(SQL("create database {}").format(Identifier(name)))
    yield postgres.url(name)
    postgres.used += [name, name.removeprefix("earlier_")]


@pytest.mark.parametrize("commit", SCHEMAS)
def test_an_upgrade_ends_at_the_schema_of_a_new_database(
    commit: str, empty_url: str, database_url: str
) -> None:
    build(empty_url, SCHEMAS[commit])
    assert described(empty_url) != described(database_url)
    migrate.upgrade(empty_url)
    assert described(empty_url) == described(database_url)


def test_forecasts_of_two_versions_for_one_day_become_the_first(empty_url: str) -> None:
    """The key that was edited afterwards allowed both."""
    build(empty_url, SCHEMAS["174f892"])
    with psycopg.connect(empty_url) as connection:
        connection.execute("set session_replication_role = replica")  # rows without their parents
        connection.execute(
            "insert into rvol_forecasts (asset, horizon, model_id, model_version, as_of, set_id,"
            " target_start_at, target_end_at, steps, variance, annualized, lower_80, upper_80,"
            " lower_90, upper_90, lower_95, upper_95)"
            " select 'BTC', 1, model, version, '2026-01-01Z', place, now(), now(), 1, 1, 1,"
            " 0, 1, 0, 1, 0, 1 from (values ('har', 'b', 1), ('har', 'a', 2), ('own', 'a', 2))"
            " as v (model, version, place)"
        )
    migrate.upgrade(empty_url)
    with psycopg.connect(empty_url) as connection:
        rows = connection.execute("select model_id, model_version, set_id from rvol_forecasts")
        assert set(rows) == {("har", "b", 1), ("own", "a", 2)}

"""Brings databases that ran some migrations in an older form, or skipped some, to the current
schema."""

import psycopg

from augury.storage.migrate import FOLDER

_CAME_LATE = {
    "0002_pgqueuer": "pgqueuer",
    "0007_forecast": "forecasts",
    "0008_rvol": "rvol_assets",
    "0015_sessions": "console_sessions",
}
"""Migration that a database may have skipped -> one of the tables that the migration creates. A
database may have skipped it because it was added after migrations with higher numbers."""


def prepare(connection: psycopg.Connection) -> None:
    for name, table in _CAME_LATE.items():
        there = connection.execute("select to_regclass(%s)", (f"public.{table}",)).fetchone()
        if there == (None,):
            connection.execute((FOLDER / f"{name}.sql").read_bytes())

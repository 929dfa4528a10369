"""Brings folders that ran earlier texts of migrations, or never ran some, to the schema of all."""

import psycopg

from augury.storage.migrate import FOLDER

_CAME_LATE = {
    "0002_pgqueuer": "pgqueuer",
    "0007_forecast": "forecasts",
    "0008_rvol": "rvol_assets",
    "0015_sessions": "console_sessions",
}
"""Migrations that were added below one a folder may already have had, with a table of each."""


def prepare(connection: psycopg.Connection) -> None:
    for name, table in _CAME_LATE.items():
        there = connection.execute("select to_regclass(%s)", (f"public.{table}",)).fetchone()
        if there == (None,):
            connection.execute((FOLDER / f"{name}.sql").read_bytes())

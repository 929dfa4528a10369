"""Brings databases that ran older texts of some migrations, or skipped some, to the current
schema."""

import psycopg

from augury.storage.migrate import FOLDER

_CAME_LATE = {
    "0002_pgqueuer": "pgqueuer",
    "0007_forecast": "forecasts",
    "0008_rvol": "rvol_assets",
    "0015_sessions": "console_sessions",
}
"""Migrations that were added with a lower number than one that a database may already have run,
each with one of the tables that it creates."""


def prepare(connection: psycopg.Connection) -> None:
    for name, table in _CAME_LATE.items():
        there = connection.execute("select to_regclass(%s)", (f"public.{table}",)).fetchone()
        if there == (None,):
            connection.execute((FOLDER / f"{name}.sql").read_bytes())

"""Brings folders that ran earlier texts of migrations, or never ran some, to the schema of all."""

from pathlib import Path

from alembic import op
from sqlalchemy import text

from augury.storage.migrate import FOLDER, lineage, run_sql

revision, down_revision = lineage(__file__)

_CAME_LATE = {
    "0002_pgqueuer": "pgqueuer",
    "0007_forecast": "forecasts",
    "0008_rvol": "rvol_assets",
    "0015_sessions": "console_sessions",
}
"""Migrations that were added below one a folder may already have had, with a table of each."""


def upgrade() -> None:
    connection = op.get_bind()
    for name, table in _CAME_LATE.items():
        there = text("select to_regclass('public.' || :table)").bindparams(table=table)
        if connection.execute(there).scalar() is None:
            run_sql(connection, str(Path(FOLDER, name)))
    run_sql(connection, __file__)

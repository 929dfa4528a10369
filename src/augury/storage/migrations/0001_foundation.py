"""Catalogue, price history, sync state, access, limits, jobs."""

from alembic import op

from augury.storage.migrate import run_sql

revision = "0001_foundation"
down_revision = None


def upgrade() -> None:
    run_sql(op.get_bind(), __file__)

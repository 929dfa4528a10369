"""The rate limiter's one function."""

from alembic import op

from augury.storage.migrate import run_sql

revision = "0003_rate_limits"
down_revision = "0001_foundation"


def upgrade() -> None:
    run_sql(op.get_bind(), __file__)

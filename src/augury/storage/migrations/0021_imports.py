"""Files of markets and prices that come by HTTP."""

from alembic import op

from augury.storage.migrate import lineage, run_sql

revision, down_revision = lineage(__file__)


def upgrade() -> None:
    run_sql(op.get_bind(), __file__)

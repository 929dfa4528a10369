"""By which a process tells that it has another key than the others."""

from alembic import op

from augury.storage.migrate import lineage, run_sql

revision, down_revision = lineage(__file__)


def upgrade() -> None:
    run_sql(op.get_bind(), __file__)

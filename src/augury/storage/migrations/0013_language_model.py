"""What a language model answered and what it cost; labels of pairs of events."""

from alembic import op

from augury.storage.migrate import lineage, run_sql

revision, down_revision = lineage(__file__)


def upgrade() -> None:
    run_sql(op.get_bind(), __file__)

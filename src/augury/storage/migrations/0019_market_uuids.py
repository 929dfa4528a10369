"""Markets get the UUID that their own id stands for."""

from typing import Any

from alembic import op

from augury.ids import market_uuid
from augury.storage.migrate import lineage, run_sql

revision, down_revision = lineage(__file__)

AT_ONCE = 50_000


def upgrade() -> None:
    run_sql(op.get_bind(), __file__)
    # PostgreSQL itself has no SHA-1 to make them with.
    raw: Any = op.get_bind().connection.driver_connection
    ids = [row[0] for row in raw.execute("select id from markets order by seq")]
    for start in range(0, len(ids), AT_ONCE):
        part = ids[start : start + AT_ONCE]
        raw.execute(
            "update markets m set uuid = g.uuid"
            " from unnest(%s::text[], %s::uuid[]) g (id, uuid) where m.id = g.id",
            (part, [market_uuid(id_) for id_ in part]),
        )

"""Gives each market the UUID that is derived from its id."""

import psycopg

from augury.ids import market_uuid

AT_ONCE = 50_000


def complete(connection: psycopg.Connection) -> None:
    # PostgreSQL has no built-in SHA-1, from which these UUIDs are made.
    ids = [row[0] for row in connection.execute("select id from markets order by seq")]
    for start in range(0, len(ids), AT_ONCE):
        part = ids[start : start + AT_ONCE]
        connection.execute(
            "update markets m set uuid = g.uuid"
            " from unnest(%s::text[], %s::uuid[]) g (id, uuid) where m.id = g.id",
            (part, [market_uuid(id_) for id_ in part]),
        )

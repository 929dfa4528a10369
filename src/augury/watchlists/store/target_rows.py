"""SQL of targets: what is watched, and which markets belong to each target."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import LiteralString, NamedTuple

from psycopg.rows import class_row

from augury.storage.database import columns
from augury.watchlists.rules import METRICS_BY_KIND, Kind
from augury.watchlists.store.alert_rows import end_alerts
from augury.watchlists.store.reading import Connection, page_of, row_of


class Target(NamedTuple):
    """What a watchlist watches. Depending on `kind`, `ref` is the id of a market, event or series,
    the name of an asset, or a search query. `resolved_at` is when the target's markets were last
    looked up."""

    id: str
    watchlist_id: str
    kind: Kind
    ref: str
    outcome: str | None
    label: str | None
    resolved_at: datetime | None
    created_at: datetime


_TARGET = columns(Target._fields)

_OF_TARGETS: LiteralString = f"select {_TARGET} from watch_targets"  # noqa: S608


async def same_target(
    conn: Connection, watchlist_id: str, kind: str, ref: str, outcome: str | None
) -> str | None:
    """The id of the watchlist's target that has this kind, ref and outcome; None if there is
    none."""
    cursor = await conn.execute(
        "select id from watch_targets where watchlist_id = %s and kind = %s and ref = %s"
        " and outcome is not distinct from %s limit 1",
        (watchlist_id, kind, ref, outcome),
    )
    row = await cursor.fetchone()
    return row[0] if row else None


async def insert_target(conn: Connection, target: Target, markets: Sequence[str]) -> None:
    """Insert a target with its markets.

    Some rules of the watchlist apply to all of its targets. Each of them gets an initial state on
    the new target, if its metric can be measured on this kind of target.
    """
    await conn.execute(
        "insert into watch_targets"
        " (id, watchlist_id, kind, ref, outcome, label, resolved_at, created_at)"
        " values (%s, %s, %s, %s, %s, %s, %s, %s)",
        target,
    )
    await set_members(conn, target.id, markets)
    await conn.execute(
        """
        insert into watch_states (rule_id, target_id, watchlist_id)
        select id, %s, watchlist_id from watch_rules
        where watchlist_id = %s and target_id is null and metric = any(%s)
        """,
        (target.id, target.watchlist_id, list(METRICS_BY_KIND[target.kind])),
    )


async def set_members(conn: Connection, target_id: str, markets: Sequence[str]) -> None:
    """Replace the list of markets that belong to a target."""
    await conn.execute(
        "delete from watch_members where target_id = %s and market_id <> all(%s)",
        (target_id, list(markets)),
    )
    await conn.execute(
        "insert into watch_members select %s, unnest(%s::text[]) on conflict do nothing",
        (target_id, list(markets)),
    )


async def note_members(conn: Connection, target_id: str, markets: Sequence[str]) -> None:
    """Store the markets of an event or saved search after they were looked up again, and the time
    of this look-up.

    If the markets are not the same as before, the target is due for evaluation.
    """
    before = set(await target_members(conn, [target_id]))
    await conn.execute("update watch_targets set resolved_at = now() where id = %s", (target_id,))
    if before != {(target_id, market) for market in markets}:
        await set_members(conn, target_id, markets)
        await conn.execute(
            "update watch_states set due_at = now() where target_id = %s", (target_id,)
        )


async def targets_to_look_up(conn: Connection, older_than: timedelta, limit: int) -> list[Target]:
    """At most `limit` watched events and saved searches whose markets were last looked up longer
    than `older_than` ago."""
    async with conn.cursor(row_factory=class_row(Target)) as cursor:
        await cursor.execute(
            f"""
            {_OF_TARGETS}
            where kind in ('event', 'search') and resolved_at < now() - %s
            order by resolved_at limit %s
            """,
            (older_than, limit),
        )
        return await cursor.fetchall()


async def target(conn: Connection, watchlist_id: str, target_id: str) -> Target | None:
    return await row_of(conn, Target, _OF_TARGETS, watchlist_id, target_id)


async def targets(
    conn: Connection, watchlist_id: str, *, limit: int, after: str | None
) -> list[Target]:
    """The watchlist's targets, oldest first."""
    return await page_of(conn, Target, _OF_TARGETS, watchlist_id, limit, after)


async def targets_of(conn: Connection, target_ids: Sequence[str]) -> dict[str, Target]:
    async with conn.cursor(row_factory=class_row(Target), binary=True) as cursor:
        await cursor.execute(
            f"{_OF_TARGETS} where id = any(%s)",
            (list(target_ids),),
        )
        return {t.id: t for t in await cursor.fetchall()}


async def target_members(conn: Connection, target_ids: Sequence[str]) -> list[tuple[str, str]]:
    """The markets that belong to these targets, as (target id, market id) pairs."""
    rows = await conn.execute(
        "select target_id, market_id from watch_members where target_id = any(%s)"
        " order by target_id, market_id",
        (list(target_ids),),
    )
    return [(row[0], row[1]) for row in await rows.fetchall()]


async def delete_target(conn: Connection, watchlist_id: str, target_id: str) -> bool:
    """Delete a target, and the rules for this target alone. The target's open alerts end.

    Returns False if the watchlist has no such target.
    """
    await end_alerts(conn, "target_id", target_id)
    await conn.execute(
        "with gone as (select id from watch_rules where target_id = %s)"
        " update alerts set state = 'resolved', resolved_at = now(), resolution = 'removed'"
        " where state = 'firing' and rule_id in (select id from gone)",
        (target_id,),
    )
    cursor = await conn.execute(
        "delete from watch_targets where watchlist_id = %s and id = %s", (watchlist_id, target_id)
    )
    return cursor.rowcount == 1

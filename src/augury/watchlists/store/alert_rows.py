"""SQL of alerts: opened, closed, snoozed, listed and, after a year, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, LiteralString, NamedTuple

import msgspec
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from augury.storage.database import columns
from augury.watchlists.rules import Severity
from augury.watchlists.store.reading import Connection
from augury.watchlists.store.volumes import VOLUMES_KEPT

ALERTS_KEPT = timedelta(days=365)
"""How long an alert is stored after its end."""


class OpenedAlert(msgspec.Struct, frozen=True):
    """An alert to be stored, because a rule (an alert condition) fired on a target."""

    id: str
    account_id: str
    watchlist_id: str
    rule_id: str
    target_id: str
    episode: int
    severity: Severity
    value: float | str | None
    as_of: datetime | None
    fired_at: datetime
    record: dict[str, Any]


class EndedAlert(NamedTuple):
    """The end of a rule's open alert on a target: when it ended, why (`resolution`), and the
    metric's value at that time."""

    rule_id: str
    target_id: str
    resolution: str
    at: datetime
    value: float | str | None


class Alert(NamedTuple):
    """A stored alert: one time that a rule (an alert condition) fired on a target. `seq` grows with
    each alert."""

    id: str
    seq: int
    account_id: str
    watchlist_id: str
    rule_id: str
    target_id: str
    episode: int
    state: str
    severity: Severity
    value: float | None
    label: str | None
    as_of: datetime | None
    fired_at: datetime
    resolved_at: datetime | None
    resolution: str | None
    record: dict[str, Any]
    snoozed_until: datetime | None


_ALERT = columns(Alert._fields)


async def snooze_alert(
    conn: Connection, watchlist_id: str, alert_id: str, until: datetime | None
) -> Alert | None:
    """Stop messages about an alert until a time, or with None let them be sent again. Returns the
    alert; None if there is no such alert."""
    rows = await conn.execute(
        f"update alerts set snoozed_until = %s where watchlist_id = %s and id = %s"  # noqa: S608
        f" returning {_ALERT}",
        (until, watchlist_id, alert_id),
    )
    row = await rows.fetchone()
    return Alert(*row) if row else None


async def wake_alerts(conn: Connection, at: datetime) -> list[Alert]:
    """The alerts that are firing and whose snooze (time without messages) has ended by `at`. Their
    snooze is removed, so that each alert is returned once."""
    rows = await conn.execute(
        "update alerts set snoozed_until = null where state = 'firing' and snoozed_until <= %s"  # noqa: S608
        f" returning {_ALERT}",
        (at,),
    )
    return [Alert(*row) for row in await rows.fetchall()]


async def end_alerts(conn: Connection, column: LiteralString, value: str) -> None:
    await conn.execute(
        f"update alerts set state = 'resolved', resolved_at = now(), resolution = 'removed'"  # noqa: S608
        f" where state = 'firing' and {column} = %s",
        (value,),
    )


async def open_alerts(conn: Connection, opened: Sequence[OpenedAlert]) -> list[Alert]:
    """Insert alerts, at most one for each episode (one time that a rule fires on a target, from its
    start to its end). An alert is left out if its episode already has one. Returns the inserted
    rows, in the order of `opened`."""
    if not opened:
        return []
    rows = await conn.execute(
        f"""
        insert into alerts (id, account_id, watchlist_id, rule_id, target_id, episode, state,
                            severity, value, label, as_of, fired_at, record)
        select id, account_id, watchlist_id, rule_id, target_id, episode, 'firing', severity,
               value, label, as_of, fired_at, record
        from unnest(
          %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[], %s::text[],
          %s::float8[], %s::text[], %s::timestamptz[], %s::timestamptz[], %s::jsonb[]
        ) with ordinality u (id, account_id, watchlist_id, rule_id, target_id, episode, severity,
                             value, label, as_of, fired_at, record, n)
        order by n
        on conflict do nothing
        returning {_ALERT}
        """,  # noqa: S608
        [
            [o.id for o in opened], [o.account_id for o in opened],
            [o.watchlist_id for o in opened], [o.rule_id for o in opened],
            [o.target_id for o in opened], [o.episode for o in opened],
            [o.severity for o in opened],
            [o.value if isinstance(o.value, int | float) else None for o in opened],
            [o.value if isinstance(o.value, str) else None for o in opened],
            [o.as_of for o in opened], [o.fired_at for o in opened],
            [Jsonb(o.record) for o in opened],
        ],
    )  # fmt: skip
    return [Alert(*row) for row in await rows.fetchall()]


async def close_alerts(conn: Connection, ended: Sequence[EndedAlert]) -> list[Alert]:
    """Store the end of alerts. Returns the alerts that were still open until now."""
    if not ended:
        return []
    rows = await conn.execute(
        f"""
        update alerts a set state = 'resolved', resolved_at = u.at, resolution = u.resolution,
               record = a.record || u.more
        from unnest(%s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::jsonb[])
             u (rule_id, target_id, resolution, at, more)
        where a.state = 'firing' and a.rule_id = u.rule_id and a.target_id = u.target_id
        returning {columns(Alert._fields, "a")}
        """,  # noqa: S608
        [
            [e.rule_id for e in ended],
            [e.target_id for e in ended],
            [e.resolution for e in ended],
            [e.at for e in ended],
            [Jsonb({"resolved_value": e.value}) for e in ended],
        ],
    )
    return [Alert(*row) for row in await rows.fetchall()]


async def alerts_page(
    conn: Connection,
    watchlist_id: str,
    *,
    state: str | None = None,
    severity: str | None = None,
    since: datetime | None = None,
    target_id: str | None = None,
    limit: int,
    before: int | None = None,
) -> list[Alert]:
    """A page of a watchlist's alerts, the latest first.

    since : only alerts that fired at this time or later
    before : only alerts with a lower `seq`
    """
    async with conn.cursor(row_factory=class_row(Alert)) as cursor:
        await cursor.execute(
            f"""
            select {_ALERT} from alerts
            where watchlist_id = %(id)s and seq < %(before)s
              and (%(state)s::text is null or state = %(state)s)
              and (%(severity)s::text is null or severity = %(severity)s)
              and (%(since)s::timestamptz is null or fired_at >= %(since)s)
              and (%(target)s::text is null or target_id = %(target)s)
            order by seq desc limit %(limit)s
            """,  # noqa: S608
            {
                "id": watchlist_id, "before": before if before is not None else 2**63 - 1,
                "state": state, "severity": severity, "since": since, "target": target_id,
                "limit": limit,
            },
        )  # fmt: skip
        return await cursor.fetchall()


async def prune(conn: Connection) -> None:
    """Delete stored values of markets' volumes that are older than `VOLUMES_KEPT`, and alerts that
    ended more than `ALERTS_KEPT` ago. To be run on a schedule."""
    await conn.execute("delete from watch_volumes where at < now() - %s", (VOLUMES_KEPT,))
    await conn.execute("delete from alerts where resolved_at < now() - %s", (ALERTS_KEPT,))

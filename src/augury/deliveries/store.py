"""The SQL of deliveries: endpoints, the messages to send to them, and the log of attempts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from augury.storage.database import columns

Connection = AsyncConnection[Any]

KEPT_FOR = timedelta(days=30)
"""Time for which delivered and failed messages stay in an endpoint's log."""


Health = Literal["well", "unknown", "unwell"]
"""How quickly an endpoint answers this process. well: quickly; unknown: nothing sent yet; unwell:
slowly. An endpoint that fails quickly is well too, since it does not hold up other messages."""


class Endpoint(NamedTuple):
    """An address that a watchlist's alerts are sent to; `url` and `secret` are encrypted."""

    id: str
    watchlist_id: str
    type: str
    host: str
    url: bytes
    secret: bytes | None
    enabled: bool
    off_reason: str | None
    failing_since: datetime | None
    delivered_at: datetime | None
    created_at: datetime


class Outgoing(NamedTuple):
    """A message to be queued for one endpoint, in most cases about an alert."""

    id: str
    delivery_id: str
    alert_id: str | None
    kind: str
    payload: str


class Claimed(NamedTuple):
    """A message that is reserved for this process, which may send it until the reservation (lease)
    ends."""

    id: str
    delivery_id: str
    host: str
    kind: str
    payload: str
    attempt: int
    failures: int
    type: str
    url: bytes
    secret: bytes | None
    failing_since: datetime | None


class AttemptOutcome(NamedTuple):
    """How an attempt to deliver a message ended. `failure`: why it failed; None: it succeeded.
    `retry_in`: pause before the next attempt; None: there is no next attempt. `off_reason`: why the
    endpoint is to be disabled; None: it stays enabled."""

    message_id: str
    delivery_id: str
    attempt: int
    at: datetime
    seconds: float
    status_code: int | None
    failure: str | None
    retry_in: timedelta | None
    off_reason: str | None


class Logged(NamedTuple):
    """A message to an endpoint, with its attempts in `log` (`attempt`, `at`, `status_code`,
    `failure` and `seconds` of each)."""

    id: str
    seq: int
    alert_id: str | None
    kind: str
    status: str
    attempts: int
    due_at: datetime
    created_at: datetime
    ended_at: datetime | None
    replays: str | None
    log: list[dict[str, Any]]


_ENDPOINT = columns(Endpoint._fields, "d")


async def owns(conn: Connection, account_id: str, watchlist_id: str) -> bool:
    """Whether the watchlist belongs to the account. If so, the watchlist can't be deleted until the
    transaction ends."""
    cursor = await conn.execute(
        "select 1 from watchlists where id = %s and account_id = %s for key share",
        (watchlist_id, account_id),
    )
    return await cursor.fetchone() is not None


async def insert(conn: Connection, endpoint: Endpoint) -> None:
    await conn.execute(
        """
        insert into watch_deliveries (id, watchlist_id, type, host, url, secret, created_at)
        values (%s, %s, %s, %s, %s, %s, %s)
        """,
        (*endpoint[:6], endpoint.created_at),
    )


async def count(conn: Connection, watchlist_id: str) -> int:
    """Number of endpoints of a watchlist. Until this transaction ends, no other transaction can add
    an endpoint to the watchlist."""
    await conn.execute("select 1 from watchlists where id = %s for no key update", (watchlist_id,))
    cursor = await conn.execute(
        "select count(*) from watch_deliveries where watchlist_id = %s", (watchlist_id,)
    )
    row = await cursor.fetchone()
    return row[0] if row else 0


async def endpoints(conn: Connection, account_id: str, watchlist_id: str) -> list[Endpoint]:
    """The endpoints of a watchlist of the account, oldest first."""
    async with conn.cursor(row_factory=class_row(Endpoint)) as cursor:
        await cursor.execute(
            f"""
            select {_ENDPOINT} from watch_deliveries d join watchlists w on w.id = d.watchlist_id
            where w.account_id = %s and w.id = %s order by d.id
            """,  # noqa: S608  (columns of this module)
            (account_id, watchlist_id),
        )
        return await cursor.fetchall()


async def endpoint(
    conn: Connection, account_id: str, watchlist_id: str, delivery_id: str
) -> Endpoint | None:
    """An endpoint of the account, locked until the transaction ends; None if the watchlist of this
    account has no such endpoint."""
    async with conn.cursor(row_factory=class_row(Endpoint)) as cursor:
        await cursor.execute(
            f"""
            select {_ENDPOINT} from watch_deliveries d join watchlists w on w.id = d.watchlist_id
            where w.account_id = %s and w.id = %s and d.id = %s for no key update of d
            """,  # noqa: S608
            (account_id, watchlist_id, delivery_id),
        )
        return await cursor.fetchone()


async def change(conn: Connection, endpoint: Endpoint) -> None:
    """Store the changed fields of an endpoint. If it is now disabled, its waiting messages are
    marked failed."""
    await conn.execute(
        """
        update watch_deliveries set url = %(url)s, host = %(host)s, secret = %(secret)s,
               enabled = %(enabled)s, off_reason = %(off_reason)s,
               failing_since = %(failing_since)s
        where id = %(id)s
        """,
        endpoint._asdict(),
    )
    if not endpoint.enabled:
        await _end_pending(conn, [endpoint.id])


async def delete(conn: Connection, delivery_id: str) -> None:
    await conn.execute("delete from watch_deliveries where id = %s", (delivery_id,))


async def of_watchlists(conn: Connection, watchlist_ids: Sequence[str]) -> dict[str, list[str]]:
    """By watchlist: ids of its enabled endpoints. Watchlists without one are left out."""
    rows = await conn.execute(
        "select watchlist_id, array_agg(id order by id) from watch_deliveries"
        " where enabled and watchlist_id = any(%s) group by 1",
        (list(watchlist_ids),),
    )
    return dict(await rows.fetchall())


async def enqueue(conn: Connection, messages: Sequence[Outgoing]) -> None:
    """Queue messages, which are sent once this transaction commits. A message for the same
    endpoint, alert and kind as an earlier one is ignored."""
    if messages:
        await conn.execute(
            """
            insert into watch_messages (id, delivery_id, alert_id, kind, payload)
            select * from unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[])
            on conflict do nothing
            """,
            [list(column) for column in zip(*messages, strict=True)],
        )


async def replay(conn: Connection, delivery_id: str, ids: Mapping[str, str]) -> list[str]:
    """Queue messages of an endpoint's log again. `ids`: id of a logged message -> id of the message
    that repeats it. Returns the new ids; messages that do not exist are skipped."""
    rows = await conn.execute(
        """
        insert into watch_messages (id, delivery_id, alert_id, kind, payload, replays)
        select n.new, m.delivery_id, m.alert_id, m.kind, m.payload, m.id
        from unnest(%s::text[], %s::text[]) n (old, new) join watch_messages m on m.id = n.old
        where m.delivery_id = %s
        order by m.seq
        returning id
        """,
        (list(ids), list(ids.values()), delivery_id),
    )
    return [row[0] for row in await rows.fetchall()]


async def not_delivered(
    conn: Connection, delivery_id: str, since: datetime, limit: int
) -> list[str]:
    """Ids of an endpoint's alert messages that failed, were created at `since` or later, and were
    not queued again; oldest first."""
    rows = await conn.execute(
        """
        select id from watch_messages m
        where delivery_id = %s and status = 'failed' and created_at >= %s and kind <> 'ping'
          and not exists (select from watch_messages r where r.replays = m.id)
        order by seq limit %s
        """,
        (delivery_id, since, limit),
    )
    return [row[0] for row in await rows.fetchall()]


async def claim(
    conn: Connection,
    busy: Mapping[str, int],
    known: Mapping[str, bool],
    health: Health,
    rooms: Mapping[str, int],
    *,
    each: int,
    each_host: int,
    limit: int,
    lease: timedelta,
) -> list[Claimed]:
    """Reserve due messages for this process, each endpoint's oldest first, for the duration
    `lease`.

    `health` says to which endpoints the messages may go: to those that answer quickly, to those
    that answer slowly, or to those that this process has not tried yet. The caller makes one call
    for each of the three, with a smaller limit for slow endpoints. So slow endpoints never delay
    the messages of quick ones. The accounts that send to the same host take turns. A message whose
    lease has run out can be reserved again.

    busy : number of messages in flight, by endpoint; no endpoint gets more than `each` at once
    known : by endpoint, True if it answers quickly, False if slowly; missing: unknown
    rooms : number of messages that may be reserved, by host; `each_host` if a host is missing
    """
    rows = await conn.execute(
        """
        with due as (
          select m.id, m.due_at, d.host,
                 coalesce((%(rooms)s ->> d.host)::int, %(each_host)s) as room,
                 row_number() over (partition by d.host, w.account_id order by m.nth, m.due_at)
                   as turn
          from watch_deliveries d join watchlists w on w.id = d.watchlist_id
          cross join lateral (
            select id, due_at, row_number() over (order by due_at) as nth from watch_messages
            where delivery_id = d.id and status = 'pending' and due_at <= now()
            order by due_at
            limit greatest(0, %(each)s - coalesce((%(busy)s ->> d.id)::int, 0))
          ) m
          where d.enabled
            and case (%(known)s ->> d.id)::bool when true then 'well' when false then 'unwell'
                                                else 'unknown' end = %(health)s
            and coalesce((%(rooms)s ->> d.host)::int, %(each_host)s) > 0
        ),
        placed as (
          select id, room, row_number() over (partition by host order by turn, due_at) as place
          from due
        ),
        taken as (
          select m.id from watch_messages m
          where m.id = any(array(
              select id from placed where place <= room order by place limit %(limit)s))
            and m.status = 'pending' and m.due_at <= now()
          for update skip locked
        )
        update watch_messages m
        set attempts = attempts + 1, due_at = now() + %(lease)s
        from taken, watch_deliveries d
        where m.id = taken.id and d.id = m.delivery_id
        returning m.id, m.delivery_id, d.host, m.kind, m.payload, m.attempts, m.failures, d.type,
                  d.url, d.secret, d.failing_since
        """,
        {
            "each": each, "busy": Jsonb(dict(busy)), "known": Jsonb(dict(known)), "health": health,
            "rooms": Jsonb(dict(rooms)), "each_host": each_host, "limit": limit, "lease": lease,
        },
        binary=True,
    )  # fmt: skip
    return [Claimed(*row) for row in await rows.fetchall()]


async def record(conn: Connection, outcomes: Sequence[AttemptOutcome]) -> None:
    """Log attempts to deliver messages, and update the state of the messages and endpoints
    accordingly."""
    if not outcomes:
        return
    columns = [list(column) for column in zip(*outcomes, strict=True)]
    # Locks endpoints before messages, the order in which a deletion locks them, to avoid deadlocks.
    await conn.execute(
        "select 1 from watch_deliveries where id = any(%s) order by id for no key update",
        (sorted({o.delivery_id for o in outcomes}),),
    )
    await conn.execute(
        """
        create temp table if not exists outcomes (
          message_id text, delivery_id text, attempt int, at timestamptz, seconds float8,
          status_code int, failure text, retry_in interval, off_reason text
        ) on commit drop
        """
    )
    await conn.execute(
        """
        insert into outcomes select * from unnest(
          %s::text[], %s::text[], %s::int[], %s::timestamptz[], %s::float8[], %s::int[],
          %s::text[], %s::interval[], %s::text[])
        """,
        columns,
    )
    await conn.execute(
        """
        insert into watch_attempts (message_id, attempt, at, status_code, failure, seconds)
        select message_id, attempt, at, status_code, failure, seconds
        from outcomes o where exists (select from watch_messages m where m.id = o.message_id)
        on conflict do nothing
        """
    )
    # A success always counts; a failure only if no other process has claimed the message since.
    await conn.execute(
        """
        update watch_messages m set
          status = case when o.failure is null then 'delivered'
                        when o.retry_in is null then 'failed' else 'pending' end,
          failures = m.failures + (o.failure is not null)::int,
          due_at = coalesce(now() + o.retry_in, m.due_at),
          ended_at = case when o.failure is null or o.retry_in is null then now() end
        from outcomes o
        where m.id = o.message_id and m.status = 'pending'
          and (o.failure is null or m.attempts = o.attempt)
        """
    )
    await conn.execute(
        """
        update watch_deliveries d set
          delivered_at = coalesce(o.delivered_at, d.delivered_at),
          failing_since = case when o.delivered_at is not null then null
                               else coalesce(d.failing_since, o.failed_at) end,
          enabled = d.enabled and o.off_reason is null,
          off_reason = coalesce(o.off_reason, d.off_reason)
        from (
          select delivery_id, max(at) filter (where failure is null) as delivered_at,
                 min(at) filter (where failure is not null) as failed_at,
                 max(off_reason) as off_reason
          from outcomes group by 1
        ) o
        where d.id = o.delivery_id
          and (o.off_reason is not null or o.delivered_at is null or d.failing_since is not null
               or d.delivered_at is null or d.delivered_at < o.delivered_at - interval '1 minute')
        """
    )
    await conn.execute("truncate outcomes")
    off = {o.delivery_id for o in outcomes if o.off_reason is not None}
    if off:
        await _end_pending(conn, list(off))


async def _end_pending(conn: Connection, delivery_ids: list[str]) -> None:
    await conn.execute(
        "update watch_messages set status = 'failed', ended_at = now()"
        " where delivery_id = any(%s) and status = 'pending'",
        (delivery_ids,),
    )


async def log(
    conn: Connection, delivery_id: str, *, limit: int, before: int | None
) -> list[Logged]:
    """At most `limit` messages to an endpoint, newest first, each with its attempts. `before`: the
    `seq` of the last message on the previous page."""
    async with conn.cursor(row_factory=class_row(Logged)) as cursor:
        await cursor.execute(
            """
            select m.id, m.seq, m.alert_id, m.kind, m.status, m.attempts, m.due_at, m.created_at,
                   m.ended_at, m.replays, coalesce(a.log, '[]') as log
            from watch_messages m left join lateral (
              select jsonb_agg(jsonb_build_object(
                       'attempt', attempt,
                       'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                       'status_code', status_code, 'failure', failure, 'seconds', seconds)
                     order by attempt) as log
              from watch_attempts where message_id = m.id
            ) a on true
            where m.delivery_id = %s and m.seq < coalesce(%s::bigint, 9223372036854775807)
            order by m.seq desc limit %s
            """,
            (delivery_id, before, limit),
        )
        return await cursor.fetchall()


async def prune(conn: Connection) -> None:
    """Delete messages that were delivered or given up more than `KEPT_FOR` ago; called on a
    schedule."""
    await conn.execute("delete from watch_messages where ended_at < now() - %s", (KEPT_FOR,))

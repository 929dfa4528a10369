"""The SQL of external series, their points and revisions.

Each change of a series' points stores a new number in the series' column `moved`, larger than all
numbers before. Writers of points hold one advisory lock until their transaction ends. So these
numbers become visible in ascending order, and a reader can follow all changes by number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from psycopg import AsyncConnection
from psycopg.rows import class_row

from augury.storage import locks
from augury.storage.database import columns

Connection = AsyncConnection[Any]

MOST_REVISIONS = 50
"""Number of earlier values that are kept of each point of a series: few enough for a page of 200
points to stay near a megabyte."""


class Series(NamedTuple):
    """An external series: numbers over time that an account provides. Either Augury fetches them
    from the source at `url`, or the account sends them (then `url` is None). `url` and `headers`,
    the HTTP headers sent to the source, are encrypted."""

    id: str
    account_id: str
    name: str
    kind: str
    source_type: str
    host: str | None
    url: bytes | None
    headers: bytes | None
    header_names: list[str]
    time_path: str | None
    value_path: str | None
    unit: str | None
    frequency: str | None
    refresh_every: timedelta | None
    etag: str | None
    last_modified: str | None
    fetched_at: datetime | None
    attempted_at: datetime | None
    failure: str | None
    failures: int
    due_at: datetime | None
    latest_time: datetime | None
    latest_value: float | None
    points: int
    created_at: datetime


class Point(NamedTuple):
    """A series' value at a time. `known_at`: when this value was stored."""

    time: datetime
    value: float
    known_at: datetime


class Revision(NamedTuple):
    """An earlier value of a series' point at `time`: stored at `known_at`, and replaced by another
    value at `replaced_at`."""

    time: datetime
    value: float
    known_at: datetime
    replaced_at: datetime


_SERIES = columns(Series._fields)


async def insert(conn: Connection, series: Series) -> None:
    await conn.execute(
        f"""
        insert into series ({columns(Series._fields[:14])}, due_at)
        values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,  # noqa: S608  (columns of this module)
        (*series[:14], series.due_at),
    )


class Overview(NamedTuple):
    """Figures on the external series of all accounts, for monitoring."""

    series: int
    latest_time: datetime | None
    late: int
    """Number of series that were last fetched more than two of their fetch intervals ago; for a
    series that was never fetched, its creation counts."""


async def overview(conn: Connection, now: datetime) -> Overview:
    """Figures on the series of all accounts: how many there are, the time of the most recent point
    in any of them, and how many series are late. A series whose last point lies in the future does
    not count for the most recent time."""
    cursor = await conn.execute(
        """
        select count(*), max(latest_time) filter (where latest_time <= %(now)s),
               count(*) filter (
                 where coalesce(fetched_at, created_at) < %(now)s - 2 * refresh_every)
        from series
        """,
        {"now": now},
    )
    row = await cursor.fetchone()
    return Overview(*row) if row else Overview(0, None, 0)


async def count(conn: Connection, account_id: str) -> int:
    """Number of series of an account. Locks the account until the transaction ends, so that no
    other transaction adds a series."""
    await conn.execute("select 1 from accounts where id = %s for no key update", (account_id,))
    cursor = await conn.execute("select count(*) from series where account_id = %s", (account_id,))
    row = await cursor.fetchone()
    return row[0] if row else 0


async def fetch(conn: Connection, account_id: str, series_id: str) -> Series | None:
    async with conn.cursor(row_factory=class_row(Series)) as cursor:
        await cursor.execute(
            f"select {_SERIES} from series where account_id = %s and id = %s",  # noqa: S608
            (account_id, series_id),
        )
        return await cursor.fetchone()


async def page(conn: Connection, account_id: str, *, limit: int, after: str | None) -> list[Series]:
    """An account's series, oldest first."""
    async with conn.cursor(row_factory=class_row(Series)) as cursor:
        await cursor.execute(
            f"select {_SERIES} from series where account_id = %s and id > %s order by id limit %s",  # noqa: S608
            (account_id, after or "", limit),
        )
        return await cursor.fetchall()


async def delete(conn: Connection, account_id: str, series_id: str) -> bool:
    cursor = await conn.execute(
        "delete from series where account_id = %s and id = %s", (account_id, series_id)
    )
    return cursor.rowcount == 1


async def claim_due(
    conn: Connection,
    limit: int,
    lease: timedelta,
    *,
    max_per_account: int,
    under_way: Mapping[str, int],
    max_per_host: int,
    host_capacity: Mapping[str, int],
) -> list[Series]:
    """Take up to `limit` series whose scheduled fetch is due, so that no other process takes them.
    They become due again after `lease`, unless their fetch has ended by then.

    Accounts take turns: the first series of each account, then the second of each, and so on. An
    account may have `max_per_account` fetches at a time. Its earlier fetches that still run count,
    too; `under_way` has their number for each account. At most `host_capacity[host]` series of one
    host are taken (`max_per_host` if the host is not in it), and accounts take turns at each host
    too. A series that waits for its host does not delay the other series of its account.
    """
    async with conn.cursor(row_factory=class_row(Series)) as cursor:
        await cursor.execute(
            f"""
            with due as (
              select id, account_id, host, due_at, coalesce(busy.n, 0) as busy,
                     coalesce(rooms.n, %(each_host)s) as room,
                     row_number() over (partition by host, account_id order by due_at, id) as nth
              from series
              left join unnest(%(busy)s::text[], %(counts)s::int[]) busy (account, n)
                on busy.account = account_id
              left join unnest(%(hosts)s::text[], %(rooms)s::int[]) rooms (name, n)
                on rooms.name = host
              where due_at <= now() and coalesce(busy.n, 0) < %(each)s
            ),
            placed as (
              select *, row_number() over (partition by host order by nth, due_at, id) as place
              from due
            ),
            turns as (
              select id, due_at, busy + row_number() over (
                       partition by account_id order by due_at, id) as turn
              from placed
              where place <= room
            )
            update series set due_at = now() + %(lease)s
            where id in (select s.id from series s join turns on turns.id = s.id
                         where turns.turn <= %(each)s and s.due_at <= now()
                         order by turns.turn, turns.due_at limit %(limit)s
                         for update of s skip locked)
            returning {_SERIES}
            """,  # noqa: S608
            {
                "busy": list(under_way), "counts": list(under_way.values()), "lease": lease,
                "each": max_per_account, "limit": limit, "each_host": max_per_host,
                "hosts": list(host_capacity), "rooms": list(host_capacity.values()),
            },
        )  # fmt: skip
        return await cursor.fetchall()


async def put_points(
    conn: Connection, series_id: str, points: Sequence[tuple[datetime, float]], now: datetime
) -> tuple[int, int]:
    """Add points to a series, given as (time, value) pairs, and change those whose value differs.
    Returns how many were added and how many changed. Each time occurs at most once in `points`.

    The old value of a changed point goes to `series_revisions`, which keeps the newest
    `MOST_REVISIONS` of each point.
    """
    if not points:
        return 0, 0
    await locks.wait(conn, locks.POINTS)
    given = {"id": series_id, "now": now, "times": [t for t, _ in points],
             "values": [v for _, v in points]}  # fmt: skip
    cursor = await conn.execute(
        """
        insert into series_revisions (series_id, time, value, known_at, replaced_at)
        select p.series_id, p.time, p.value, p.known_at, %(now)s
        from unnest(%(times)s::timestamptz[], %(values)s::float8[]) n (time, value)
        join series_points p on p.series_id = %(id)s and p.time = n.time
        where p.value <> n.value
        on conflict do nothing
        """,
        given,
    )
    if cursor.rowcount:
        await conn.execute(
            """
            delete from series_revisions r using (
              select time, known_at,
                     row_number() over (partition by time order by known_at desc) as nth
              from series_revisions where series_id = %(id)s and time = any(%(times)s)
            ) old
            where r.series_id = %(id)s and r.time = old.time and r.known_at = old.known_at
              and old.nth > %(most)s
            """,
            {**given, "most": MOST_REVISIONS},
        )
    cursor = await conn.execute(
        """
        insert into series_points as p (series_id, time, value, known_at)
        select %(id)s, time, value, %(now)s
        from unnest(%(times)s::timestamptz[], %(values)s::float8[]) n (time, value)
        on conflict (series_id, time) do update
          set value = excluded.value, known_at = excluded.known_at
          where p.value <> excluded.value
        returning xmax = 0
        """,
        given,
    )
    rows = await cursor.fetchall()
    added = sum(new for (new,) in rows)
    if rows:
        await conn.execute(
            """
            update series s set
              points = points + %s, moved = nextval('series_move'),
              latest_time = l.time, latest_value = l.value
            from (select time, value from series_points where series_id = %s
                  order by time desc limit 1) l
            where s.id = %s
            """,
            (added, series_id, series_id),
        )
    return added, len(rows) - added


async def note_success(
    conn: Connection,
    series_id: str,
    now: datetime,
    *,
    etag: str | None,
    last_modified: str | None,
    due_at: datetime | None,
) -> None:
    await conn.execute(
        """
        update series set fetched_at = %s, attempted_at = %s, failure = null, failures = 0,
               etag = %s, last_modified = %s, due_at = %s
        where id = %s
        """,
        (now, now, etag, last_modified, due_at, series_id),
    )


async def note_failure(
    conn: Connection, series_id: str, now: datetime, failure: str, due_at: datetime | None
) -> None:
    await conn.execute(
        """
        update series set attempted_at = %s, failure = %s, failures = failures + 1, due_at = %s
        where id = %s
        """,
        (now, failure, due_at, series_id),
    )


async def points(
    conn: Connection,
    series_id: str,
    *,
    start: datetime | None,
    end: datetime | None,
    limit: int,
    after: datetime | None = None,
) -> list[Point]:
    """At most `limit` of the series' points within [start, end), oldest first; with `after`, only
    those later than it."""
    async with conn.cursor(row_factory=class_row(Point)) as cursor:
        await cursor.execute(
            """
            select time, value, known_at from series_points
            where series_id = %s and time >= coalesce(%s, '-infinity'::timestamptz)
              and time < coalesce(%s, 'infinity'::timestamptz)
              and time > coalesce(%s, '-infinity'::timestamptz)
            order by time limit %s
            """,
            (series_id, start, end, after, limit),
        )
        return await cursor.fetchall()


async def revisions(
    conn: Connection, series_id: str, first: datetime, last: datetime
) -> list[Revision]:
    """Earlier values of the series' points within [first, last], ordered by the point's time and,
    for each point, from the oldest value to the newest."""
    async with conn.cursor(row_factory=class_row(Revision)) as cursor:
        await cursor.execute(
            """
            select time, value, known_at, replaced_at from series_revisions
            where series_id = %s and time between %s and %s order by time, known_at
            """,
            (series_id, first, last),
        )
        return await cursor.fetchall()


# Read by watchlists


class LatestValue(NamedTuple):
    """A series' last point, i.e. that with the latest time, and when its source last answered."""

    id: str
    name: str
    time: datetime | None
    value: float | None
    fetched_at: datetime | None


async def latest(conn: Connection, series_ids: Sequence[str]) -> dict[str, LatestValue]:
    rows = await conn.execute(
        "select id, name, latest_time, latest_value, fetched_at from series where id = any(%s)",
        (list(series_ids),),
        binary=True,
    )
    return {row[0]: LatestValue(*row) for row in await rows.fetchall()}


async def values_before(
    conn: Connection, lookups: Sequence[tuple[str, timedelta]]
) -> list[float | None]:
    """For each pair (id of a series, span) in `lookups`: the value that the series had at the time
    `span` before its last point. It is the value of the latest point at or before that time; None
    if there is none."""
    if not lookups:
        return []
    rows = await conn.execute(
        """
        select p.value
        from unnest(%s::text[], %s::interval[]) with ordinality a (series_id, span, n)
        left join series s on s.id = a.series_id
        left join lateral (
          select value from series_points
          where series_id = a.series_id and time <= s.latest_time - a.span
          order by time desc limit 1
        ) p on true
        order by a.n
        """,
        [list(column) for column in zip(*lookups, strict=True)],
        binary=True,
    )
    return [row[0] for row in await rows.fetchall()]


async def changed_since(conn: Connection, moved: int, limit: int) -> tuple[list[str], int]:
    """Ids of at most `limit` series whose points changed after change number `moved` (changes are
    numbered in ascending order), and the number of the last of these changes; `moved` if there are
    none."""
    rows = await conn.execute(
        "select id, moved from series where moved > %s order by moved limit %s", (moved, limit)
    )
    found = await rows.fetchall()
    return [id_ for id_, _ in found], found[-1][1] if found else moved

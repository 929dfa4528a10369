"""SQL of the sync: the stored state of each venue's syncs, and queries for markets that a sync has
to ask the venue about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import args_row
from psycopg.types.json import Jsonb

from augury.markets.records import PLATFORMS, Platform
from augury.venues.records import KnownMarket, StoredMarketRef

Connection = AsyncConnection[Any]

_TARGET = "id, platform_id, outcomes, status, resolution, token_ids, series_id, origin, created_at"


class SyncState(msgspec.Struct, frozen=True):
    """The stored state of one flow (kind of sync, e.g. "full" or "prices") of a venue. `cursor` is
    the checkpoint at which an interrupted run continues; None once the flow has finished."""

    cursor: dict[str, Any] | None = None
    started_at: datetime | None = None
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None


class VenueHealth(msgspec.Struct, frozen=True, kw_only=True):
    """When a venue was last synced, whether that failed, and how many of its markets are stored
    (`markets`). Times are in UTC."""

    platform: Platform
    markets: int
    succeeded_at: datetime | None
    age_seconds: float | None
    """Seconds since the last successful full or incremental sync; None before the first."""
    failed_at: datetime | None
    failure: str | None
    """Text of the venue's latest sync failure. None if there was no failure, or if the same kind of
    sync has succeeded since."""


def _target(*values: Any) -> StoredMarketRef:
    id_, platform_id, outcomes, status, resolution, tokens, series, origin, created = values
    return StoredMarketRef(
        id_,
        platform_id,
        tuple(outcomes),
        status,
        resolution,
        tuple(tokens),
        series,
        origin,
        created,
    )


async def load(conn: Connection, platform: Platform, flow: str) -> SyncState:
    """The stored state of a venue's flow (kind of sync, e.g. "full"); empty before its first
    run."""
    cursor = conn.cursor(row_factory=args_row(SyncState))
    await cursor.execute(
        "select cursor, started_at, succeeded_at, failed_at from sync_state"
        " where platform = %s and flow = %s",
        (platform, flow),
    )
    return await cursor.fetchone() or SyncState()


async def checkpoint(
    conn: Connection, platform: Platform, flow: str, cursor: dict[str, Any], at: datetime
) -> None:
    """Store the progress `cursor` of a flow (kind of sync, e.g. "full"), in the same transaction as
    the rows that the flow has written."""
    await conn.execute(
        """
        insert into sync_state (platform, flow, cursor, started_at, progressed_at)
        values (%(platform)s, %(flow)s, %(cursor)s, %(at)s, %(at)s)
        on conflict (platform, flow) do update set
          cursor = excluded.cursor, progressed_at = excluded.progressed_at,
          started_at = case when sync_state.cursor is null then excluded.started_at
                            else sync_state.started_at end
        """,
        {"platform": platform, "flow": flow, "cursor": Jsonb(cursor), "at": at},
    )


async def succeed(
    conn: Connection, platform: Platform, flow: str, started_at: datetime, stats: dict[str, Any]
) -> None:
    """Store that a flow (kind of sync, e.g. "full") has finished: its cursor and its failure are
    cleared."""
    await conn.execute(
        """
        insert into sync_state (platform, flow, started_at, progressed_at, succeeded_at, stats)
        values (%(platform)s, %(flow)s, %(at)s, now(), now(), %(stats)s)
        on conflict (platform, flow) do update set
          cursor = null, started_at = excluded.started_at, progressed_at = now(),
          succeeded_at = now(), failure = null, stats = excluded.stats
        """,
        {"platform": platform, "flow": flow, "at": started_at, "stats": Jsonb(stats)},
    )


async def fail(
    conn: Connection, platform: Platform, flow: str, failure: str, *, forget: bool = False
) -> None:
    """Store that a flow (kind of sync, e.g. "full") failed. Its cursor is kept for the next run,
    unless `forget`."""
    await conn.execute(
        """
        insert into sync_state (platform, flow, failed_at, failure)
        values (%(platform)s, %(flow)s, now(), %(failure)s)
        on conflict (platform, flow) do update set
          failed_at = now(), failure = excluded.failure,
          cursor = case when %(forget)s then null else sync_state.cursor end
        """,
        {"platform": platform, "flow": flow, "failure": failure[:500], "forget": forget},
    )


async def known_markets(conn: Connection, ids: Sequence[str]) -> dict[str, StoredMarketRef]:
    """The stored markets with the given ids, by id. Invented markets of the sample catalogue are
    left out."""
    cursor = conn.cursor(row_factory=args_row(_target))
    await cursor.execute(
        f"select {_TARGET} from markets where id = any(%s) and origin <> 'sample'",  # noqa: S608
        (list(ids),),
    )
    return {target.id: target for target in await cursor.fetchall()}


async def count_open(conn: Connection, platform: Platform) -> int:
    """Number of a venue's markets that are stored as active. Markets that were read from a file and
    invented markets (the sample) do not count."""
    row = await (
        await conn.execute(
            "select count(*) from markets"
            " where platform = %s and status = 'active' and origin = 'venue'",
            (platform,),
        )
    ).fetchone()
    return row[0] if row else 0


async def unseen(
    conn: Connection, platform: Platform, before: datetime, after_seq: int, limit: int
) -> list[tuple[int, StoredMarketRef]]:
    """A venue's active markets that were not observed since `before` and whose serial number
    (`seq`) is above `after_seq`: pairs of serial number and market, ascending.

    If a full listing began at `before`, these are the markets that it did not contain.
    """
    cursor = conn.cursor(row_factory=args_row(lambda seq, *rest: (seq, _target(*rest))))
    await cursor.execute(
        f"""
        select seq, {_TARGET} from markets
        where platform = %s and status = 'active' and origin <> 'sample'
          and coalesce(observed_at, '-infinity') < %s and seq > %s
        order by seq limit %s
        """,  # noqa: S608
        (platform, before, after_seq, limit),
    )
    return await cursor.fetchall()


async def due_for_prices(conn: Connection, platform: Platform, limit: int) -> list[StoredMarketRef]:
    """At most `limit` active markets of a venue whose prices are to be refreshed: half of them are
    the most traded ones, half those that were not observed for the longest time.

    The first half keeps popular markets fresh. Because of the second half, every active market gets
    its turn, however many there are.
    """
    cursor = conn.cursor(row_factory=args_row(_target))
    await cursor.execute(
        f"""
        (select {_TARGET} from markets
         where platform = %(platform)s and status = 'active' and origin <> 'sample'
         order by coalesce(volume_24h, 0) desc, volume desc nulls last, seq limit %(half)s)
        union
        (select {_TARGET} from markets
         where platform = %(platform)s and status = 'active' and origin <> 'sample'
         order by observed_at nulls first, seq limit %(half)s)
        """,  # noqa: S608
        {"platform": platform, "half": max(1, limit // 2)},
    )
    return await cursor.fetchall()


async def without_history(
    conn: Connection, platform: Platform, after_seq: int, limit: int
) -> list[tuple[int, StoredMarketRef]]:
    """A venue's active, traded markets that have no price history from the venue yet and whose
    serial number (`seq`) is above `after_seq`: pairs of serial number and market, ascending."""
    cursor = conn.cursor(row_factory=args_row(lambda seq, *rest: (seq, _target(*rest))))
    await cursor.execute(
        f"""
        select seq, {_TARGET} from markets m
        where platform = %s and status = 'active' and origin = 'venue' and volume > 0 and seq > %s
          and not exists (select from prices p where p.market_seq = m.seq
                          and p.source in ('history', 'candle'))
        order by seq limit %s
        """,  # noqa: S608
        (platform, after_seq, limit),
    )
    return await cursor.fetchall()


async def venue_health(conn: Connection) -> list[VenueHealth]:
    """For each venue, when it was last synced and whether that failed, from the stored state of its
    syncs."""
    rows = await (
        await conn.execute(
            """
            select p.platform,
                   (select count(*) from markets m
                    where m.platform = p.platform and m.origin <> 'sample'),
                   s.succeeded_at, extract(epoch from now() - s.succeeded_at)::float8,
                   s.failed_at, s.failure
            from unnest(%s::text[]) p (platform)
            left join lateral (
              -- Only listings count: a price refresh succeeds even if it had nothing to request.
              select max(succeeded_at) filter (where flow in ('full', 'incremental'))
                       as succeeded_at,
                     max(failed_at) as failed_at,
                     (array_agg(failure order by failed_at desc)
                      filter (where failure is not null
                              and failed_at > coalesce(succeeded_at, '-infinity')))[1] as failure
              from sync_state where platform = p.platform
            ) s on true
            """,
            (list(PLATFORMS),),
        )
    ).fetchall()
    return [
        VenueHealth(
            platform=platform,
            markets=markets,
            succeeded_at=succeeded_at,
            age_seconds=age,
            failed_at=failed_at,
            failure=failure,
        )
        for platform, markets, succeeded_at, age, failed_at, failure in rows
    ]


async def known_series(
    conn: Connection, ids: Sequence[str], events: Sequence[str], tokens: Sequence[str]
) -> list[KnownMarket]:
    """The stored markets to which the rows of a price file refer, by market id, by Kalshi event or
    by Polymarket token."""
    cursor = conn.cursor(row_factory=args_row(KnownMarket))
    await cursor.execute(
        """
        select id, outcomes, event_id, subtitle, token_ids from markets
        where origin <> 'sample'
          and (id = any(%s) or (platform = 'kalshi' and event_id = any(%s))
               or token_ids && %s::text[])
        """,
        (list(ids), list(events), list(tokens)),
    )
    return await cursor.fetchall()

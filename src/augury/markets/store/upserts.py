"""Writes whole markets to the catalogue. A newer state replaces an older one, with two exceptions.
A stored price stays if it was quoted later than the incoming one. A stored resolution stays if the
incoming state was observed at the same time and has none."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from augury.ids import market_uuid
from augury.markets import grouping
from augury.markets.grouping import Grouping
from augury.markets.records import Market, Strike
from augury.markets.sides import EventMember
from augury.markets.store.quarantine import LEAVE_HELD, screen
from augury.markets.store.sql import HEARD_AGAIN, SALIENCE, Connection, lock_for_ingest, scalar, sql


class UpsertSummary(msgspec.Struct, frozen=True):
    """What became of a batch of markets.

    `unchanged` also counts the records that were not stored: those older than the stored state of
    their market, those replaced by another record of the same market in the batch, and sample
    markets that were refused because there are real markets.
    """

    inserted: int = 0
    updated: int = 0
    unchanged: int = 0
    held: Counter[str] = msgspec.field(default_factory=Counter)
    """Number of quotes put into quarantine, by reason. Their markets also count as inserted,
    updated or unchanged."""


_INCOMING = (
    "id", "uuid", "platform", "platform_id", "question", "title", "subtitle", "description",
    "outcomes", "prices", "price_as_of", "status", "resolution", "created_at", "closes_at",
    "resolved_at", "event_id", "event_name", "series_id", "exclusive", "category", "tags",
    "volume", "volume_24h", "liquidity", "open_interest", "best_bid", "best_ask",
    "strike_kind", "strike_floor", "strike_cap", "url", "slug", "token_ids", "origin",
    "observed_at", "group_id", "group_name", "market_type",
)  # fmt: skip
"""Columns of a market that are written when it is inserted or updated. The other columns are its
serial and change numbers, links and update time."""

_INDEXED = (
    "question", "title", "subtitle", "description", "status", "event_id", "event_name",
    "series_id", "category", "tags", "outcomes", "group_id", "group_name", "market_type",
    "created_at", "closes_at", "resolved_at", "strike_kind", "strike_floor", "strike_cap", "url",
    "slug", "origin",
)  # fmt: skip
"""Columns that search indexes use. If one of them changes, the market gets a new `change` number,
so that the indexes read the market again. A change of the salience bucket (`sql.SALIENCE`: volume
and liquidity in coarse steps) has the same effect."""

_SILENT = frozenset({"observed_at", "price_as_of"})
"""Columns whose change does not count as an update of the market. They are stored, but if nothing
else changed, the market was merely observed again."""

_ARRAYS = {"outcomes": "text[]", "prices": "float8[]", "tags": "text[]", "token_ids": "text[]"}
_TYPES = {
    "uuid": "uuid", "price_as_of": "timestamptz", "created_at": "timestamptz",
    "closes_at": "timestamptz",
    "resolved_at": "timestamptz", "observed_at": "timestamptz", "exclusive": "bool",
    "volume": "float8", "volume_24h": "float8", "liquidity": "float8",
    "open_interest": "float8", "best_bid": "float8", "best_ask": "float8",
    "strike_floor": "float8", "strike_cap": "float8", **_ARRAYS,
}  # fmt: skip

_CREATE_INCOMING = """
create temp table if not exists incoming (
  ord int, {columns},
  seq bigint, changed bool, indexed bool, quoted bool
) on commit drop
"""


def _any_differs(columns: Iterable[str]) -> str:
    return " or ".join(f"i.{c} is distinct from m.{c}" for c in columns)


_BUCKET_MOVED = f"{SALIENCE.format(t='i')} is distinct from {SALIENCE.format(t='m')}"

# Keeps what is better known in the stored row: a resolution, if the incoming state was observed at
# the same time and has none; and a price that was quoted later than the incoming one.
_RECONCILE = """
with kept as (
  select i.id, m.status, m.resolution, m.resolved_at, m.prices, m.price_as_of, m.best_bid,
         m.best_ask,
         m.status = 'resolved' and i.observed_at is not distinct from m.observed_at
           and (i.status <> 'resolved' or i.resolution is null) as settled,
         coalesce(m.price_as_of > coalesce(i.price_as_of, i.observed_at), false)
           and m.outcomes = i.outcomes as quoted
  from incoming i join markets m using (id)
)
update incoming i set
  status      = case when k.settled then k.status else i.status end,
  resolution  = case when k.settled then k.resolution else i.resolution end,
  resolved_at = case when k.settled then k.resolved_at else i.resolved_at end,
  prices      = case when k.quoted then k.prices else i.prices end,
  price_as_of = case when k.quoted then k.price_as_of else i.price_as_of end,
  best_bid    = case when k.quoted then k.best_bid else i.best_bid end,
  best_ask    = case when k.quoted then k.best_ask else i.best_ask end
from kept k where k.id = i.id and (k.settled or k.quoted)
"""

_JUDGE = f"""
update incoming i set
  seq = m.seq,
  changed = {_any_differs(c for c in _INCOMING if c not in _SILENT)},
  indexed = {_any_differs(_INDEXED)} or {_BUCKET_MOVED},
  quoted = i.price_as_of is not null
           and (i.prices is distinct from m.prices
                or (i.price_as_of at time zone 'UTC')::date
                   is distinct from (m.price_as_of at time zone 'UTC')::date)
from markets m where m.id = i.id
"""  # noqa: S608  (columns of this module, no input)

_NOTE_LOOK = f"""
update markets m set observed_at = i.observed_at, price_as_of = i.price_as_of,
  moved = case when {HEARD_AGAIN.format(at="i.price_as_of")} then nextval('market_move')
               else m.moved end
from incoming i
where m.seq = i.seq and not i.changed
  and (i.observed_at is distinct from m.observed_at
       or i.price_as_of is distinct from m.price_as_of)
"""  # noqa: S608  (columns of this module, no input)

_UPDATE = f"""
update markets m set
  {", ".join(f"{c} = i.{c}" for c in _INCOMING if c != "id")},
  updated_at = now(),
  moved = nextval('market_move'),
  change = case when i.indexed then nextval('market_change') else m.change end
from incoming i where m.seq = i.seq and i.changed
"""  # noqa: S608

_INSERT = f"""
insert into markets ({", ".join(_INCOMING)})
select {", ".join(_INCOMING)} from incoming where seq is null order by ord
"""  # noqa: S608

# If the prices of two outcomes add up to 1, only the first is recorded; code that reads the prices
# takes the other as its complement.
_RECORD_QUOTES = """
insert into prices (market_seq, outcome, at, price, source, volume)
select m.seq, p.n - 1, i.price_as_of, p.price, i.source, i.volume
from (
  select id, price_as_of, prices, volume,
         case origin when 'venue' then 'snapshot' when 'dump' then 'dump:snapshot'
                     else 'sample' end as source
  from incoming where coalesce(quoted, price_as_of is not null)
) i
join markets m on m.id = i.id
cross join lateral unnest(i.prices) with ordinality p (price, n)
where p.price between 0 and 1 and (
  p.n = 1 or cardinality(i.prices) <> 2 or i.prices[1] is null
  or abs(i.prices[1] + i.prices[2] - 1) > 1e-9)
on conflict do nothing
"""

_MEMBER_COLUMNS = (
    "id", "platform", "question", "title", "subtitle", "outcomes", "prices", "status",
    "resolution", "event_id", "event_name", "exclusive", "strike_kind", "strike_floor",
    "strike_cap", "observed_at", "group_id", "group_name", "market_type",
)  # fmt: skip


class _StoredFields(NamedTuple):
    """A stored market with the fields from which its type and family are inferred, and with the
    type and family that are stored."""

    member: EventMember
    observed_at: datetime | None
    grouping: Grouping


async def upsert_markets(conn: Connection, markets: Sequence[Market]) -> UpsertSummary:
    """Insert and update markets as observed, within the caller's transaction.

    If the stored state of a market is newer than the one given here, it stays as it is. For every
    event in the batch, the types (how markets constrain each other) and families of all its
    markets, stored ones included, are inferred again. A changed price is also appended to the
    market's history, and an unchanged one once a day, so that a quiet market is not mistaken for
    one that is no longer observed. A quote that can't be right goes into quarantine.
    """
    if not markets:
        return UpsertSummary()
    await lock_for_ingest(conn)
    batch = await _writable(conn, _newest_each(markets))
    known = await _known_markets(conn, batch)
    batch = [m for m in batch if m.id not in known or _not_older(m, known[m.id].observed_at)]
    if not batch:
        return UpsertSummary(unchanged=len(markets))
    # In a thread, since it takes seconds for tens of thousands of markets and would block the loop.
    members = {**{i: k.member for i, k in known.items()}, **_members(batch)}
    inferred = await asyncio.to_thread(_infer, members)
    await _copy_incoming(conn, batch, inferred)
    await conn.execute(sql(LEAVE_HELD))
    await conn.execute(_RECONCILE)
    await conn.execute(sql(_JUDGE))
    await conn.execute(sql(_NOTE_LOOK))
    await _follow_labels(conn)
    updated = (await conn.execute(sql(_UPDATE))).rowcount
    inserted = (await conn.execute(sql(_INSERT))).rowcount
    await conn.execute(_RECORD_QUOTES)
    arrived = {m.id for m in batch}
    await _regroup(
        conn,
        {
            i: inferred[i]
            for i, k in known.items()
            if i not in arrived and inferred[i] != k.grouping
        },
    )
    held = await screen(conn, [m.id for m in batch])
    return UpsertSummary(inserted, updated, len(markets) - inserted - updated, held)


def _newest_each(markets: Sequence[Market]) -> list[Market]:
    """The newest record of each id; of two with the same time, the later one in the batch."""
    newest: dict[str, Market] = {}
    for market in markets:
        other = newest.get(market.id)
        if other is None or _not_older(market, other.observed_at):
            newest[market.id] = market
    return list(newest.values())


def _not_older(market: Market, seen: datetime | None) -> bool:
    """Whether `market` may replace a state observed at `seen` (None: at an unknown time).

    A market without a time may only replace a state without one.
    """
    return seen is None or (market.observed_at is not None and market.observed_at >= seen)


async def _writable(conn: Connection, batch: list[Market]) -> list[Market]:
    """Those markets of the batch that may be written. Sample markets and real markets are never
    stored together: real markets delete the sample, and sample markets are refused once there are
    real ones."""
    real = [m for m in batch if m.origin != "sample"]
    if real:
        await drop_sample(conn)
        return real
    has_real = "select exists (select from markets where origin <> 'sample')"
    return [] if (await scalar(conn, has_real)) else batch


async def drop_sample(conn: Connection) -> int:
    """Delete the sample, i.e. the invented markets with their prices. Returns the number of markets
    deleted.

    The caller must hold the ingest lock.
    """
    gone = await conn.execute(
        """
        with gone as (delete from markets where origin = 'sample' returning seq),
             points as (delete from prices where market_seq in (select seq from gone))
        insert into market_removals (seq) select seq from gone
        """
    )
    return gone.rowcount


async def _known_markets(conn: Connection, batch: Sequence[Market]) -> dict[str, _StoredFields]:
    """The stored states of the batch's markets, and of all other markets of the same events, by
    id."""
    columns = ", ".join(f"m.{c}" for c in _MEMBER_COLUMNS)
    ids = [m.id for m in batch]
    known = {
        k.member.id: k
        for k in await _fetch_known(conn, f"select {columns} from markets m where id = any(%s)",  # noqa: S608
                                    (ids,))
    }  # fmt: skip
    events = {(m.platform, m.event_id) for m in batch if m.event_id}
    events |= {(k.member.platform, k.member.event_id) for k in known.values() if k.member.event_id}
    if events:
        platforms, event_ids = zip(*sorted(events), strict=True)
        siblings = await _fetch_known(
            conn,
            f"""
            select {columns} from unnest(%s::text[], %s::text[]) e (platform, event_id)
            join markets m using (platform, event_id)
            """,  # noqa: S608
            (list(platforms), list(event_ids)),
        )
        known |= {k.member.id: k for k in siblings}
    return known


async def _fetch_known(conn: Connection, query: str, params: Sequence[Any]) -> list[_StoredFields]:
    rows = await (await conn.execute(sql(query), params, binary=True)).fetchall()
    return [
        _StoredFields(
            EventMember(
                id=row[0], platform=row[1], question=row[2], title=row[3], subtitle=row[4],
                outcomes=tuple(row[5]), prices=tuple(row[6]), status=row[7], resolution=row[8],
                event_id=row[9], event_name=row[10], exclusive=row[11],
                strike=Strike(kind=row[12], floor=row[13], cap=row[14]) if row[12] else None,
            ),
            row[15],
            Grouping(row[18], row[16], row[17]),
        )
        for row in rows
    ]  # fmt: skip


def _members(batch: Iterable[Market]) -> dict[str, EventMember]:
    return {
        m.id: EventMember(
            id=m.id, platform=m.platform, question=m.question, title=m.title,
            subtitle=m.subtitle, outcomes=m.outcomes, prices=m.prices, status=m.status,
            resolution=m.resolution, event_id=m.event_id, event_name=m.event_name,
            exclusive=m.exclusive, strike=m.strike,
        )
        for m in batch
    }  # fmt: skip


def _infer(members: dict[str, EventMember]) -> dict[str, Grouping]:
    events: dict[tuple[str, str], list[EventMember]] = defaultdict(list)
    for member in members.values():
        events[member.platform, member.event_id or f"\0{member.id}"].append(member)
    inferred: dict[str, Grouping] = {}
    for event in events.values():
        inferred |= grouping.infer(event)
    return inferred


async def _copy_incoming(
    conn: Connection, batch: Sequence[Market], inferred: dict[str, Grouping]
) -> None:
    columns = ", ".join(f"{c} {_TYPES.get(c, 'text')}" for c in _INCOMING)
    await conn.execute(sql(_CREATE_INCOMING.format(columns=columns)))
    await conn.execute("truncate incoming")
    async with conn.cursor() as cursor:
        copying = f"copy incoming (ord, {', '.join(_INCOMING)}) from stdin (format binary)"
        async with cursor.copy(sql(copying)) as copy:
            copy.set_types(["int4", *(_TYPES.get(c, "text") for c in _INCOMING)])
            for ord_, m in enumerate(batch):
                strike = m.strike
                group = inferred[m.id]
                await copy.write_row((
                    ord_, m.id, market_uuid(m.id), m.platform, m.platform_id, m.question,
                    m.title, m.subtitle, m.description, list(m.outcomes), list(m.prices),
                    m.price_as_of, m.status, m.resolution, m.created_at, m.closes_at,
                    m.resolved_at, m.event_id,
                    m.event_name, m.series_id, m.exclusive, m.category, list(m.tags), m.volume,
                    m.volume_24h, m.liquidity, m.open_interest, m.best_bid, m.best_ask,
                    strike.kind if strike else None, strike.floor if strike else None,
                    strike.cap if strike else None, m.url, m.slug, list(m.token_ids), m.origin,
                    m.observed_at, group.group_id, group.group_name, group.market_type,
                ))  # fmt: skip


async def _follow_labels(conn: Connection) -> None:
    """If a market's outcomes arrive in another order than stored, give its recorded prices the
    outcome numbers of the new order."""
    rows = await conn.execute(
        """
        delete from prices p using (
          select m.seq, m.outcomes as before, i.outcomes as after
          from incoming i join markets m using (id)
          where i.outcomes <> m.outcomes and i.outcomes @> m.outcomes
            and i.outcomes <@ m.outcomes and cardinality(i.outcomes) = cardinality(m.outcomes)
        ) moved
        where p.market_seq = moved.seq
        returning p.market_seq, array_position(moved.after, moved.before[p.outcome + 1]) - 1,
                  p.at, p.price, p.source, p.volume
        """
    )
    if points := await rows.fetchall():
        await conn.execute(
            """
            insert into prices (market_seq, outcome, at, price, source, volume)
            select * from unnest(%s::bigint[], %s::smallint[], %s::timestamptz[], %s::float8[],
                                 %s::text[], %s::float8[])
            on conflict do nothing
            """,
            [list(column) for column in zip(*points, strict=True)],
        )


async def _regroup(conn: Connection, moved: dict[str, Grouping]) -> None:
    """Store new types and families of markets that are not in the batch, but belong to an event of
    the batch."""
    if moved:
        await conn.execute(
            """
            update markets m
            set group_id = g.group_id, group_name = g.group_name, market_type = g.market_type,
                updated_at = now(), change = nextval('market_change')
            from unnest(%s::text[], %s::text[], %s::text[], %s::text[])
                 g (id, group_id, group_name, market_type)
            where m.id = g.id
            """,
            (
                list(moved),
                [g.group_id for g in moved.values()],
                [g.group_name for g in moved.values()],
                [g.market_type for g in moved.values()],
            ),
        )

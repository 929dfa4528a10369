"""The catalogue in PostgreSQL: the only SQL over markets, their removals and their prices.

Every writer of `markets` first takes one advisory lock, held until its transaction ends. So
`change` and `moved` numbers are taken and become visible in the same order, and a reader that has
seen number n will never again find a new row below n.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import args_row
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from augury.markets import grouping
from augury.markets.grouping import Grouping, Member
from augury.markets.records import (
    Market,
    MarketChange,
    MarketType,
    Origin,
    Platform,
    PricePoint,
    Status,
    Strike,
)

Connection: TypeAlias = AsyncConnection[Any]

INGEST_LOCK = 0x6175_6775_7279_0001
"""Key of the advisory lock: "augury" and a number."""

COPY_CHUNK = 250_000
"""Price points sent in one COPY, so that memory stays bounded whatever the import's size."""

Sort = Literal["volume", "closes_at", "updated_at"]


class UpsertSummary(msgspec.Struct, frozen=True):
    """What became of a batch of markets. `unchanged` counts stale and refused ones too."""

    inserted: int = 0
    updated: int = 0
    unchanged: int = 0


class AppendSummary(msgspec.Struct, frozen=True):
    """What became of a batch of price points."""

    added: int = 0
    duplicate: int = 0
    unknown_market: int = 0
    """Points of a market, or of an outcome, that the catalogue does not have."""
    refused: int = 0
    """Points whose price is no probability."""


class StoredMarket(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the catalogue. Fields, units and meaning as in `records.Market`."""

    seq: int
    id: str
    platform: Platform
    platform_id: str
    question: str
    title: str
    subtitle: str | None
    description: str | None
    outcomes: list[str]
    prices: list[float | None]
    price_as_of: datetime | None
    status: Status
    resolution: str | None
    created_at: datetime | None
    closes_at: datetime | None
    resolved_at: datetime | None
    event_id: str | None
    event_name: str | None
    series_id: str | None
    exclusive: bool | None
    group_id: str | None
    group_name: str | None
    market_type: MarketType
    category: str | None
    tags: list[str]
    volume: float | None
    volume_24h: float | None
    liquidity: float | None
    open_interest: float | None
    best_bid: float | None
    best_ask: float | None
    strike_kind: str | None
    strike_floor: float | None
    strike_cap: float | None
    url: str | None
    slug: str | None
    token_ids: list[str]
    origin: Origin
    observed_at: datetime | None
    updated_at: datetime
    linked_market_ids: list[str] = []


class IndexRow(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the catalogue's history as an index must follow it, in `change` order.

    With `removed` only `seq` holds: the market of that number is gone.
    """

    change: int
    seq: int
    removed: bool = False
    id: str = ""
    platform: Platform = "polymarket"
    question: str = ""
    title: str = ""
    subtitle: str | None = None
    description: str | None = None
    outcomes: list[str] = msgspec.field(default_factory=list)
    status: Status = "active"
    created_at: datetime | None = None
    closes_at: datetime | None = None
    resolved_at: datetime | None = None
    event_id: str | None = None
    event_name: str | None = None
    series_id: str | None = None
    group_id: str | None = None
    group_name: str | None = None
    market_type: MarketType = "binary"
    category: str | None = None
    tags: list[str] = msgspec.field(default_factory=list)
    volume: float | None = None
    volume_24h: float | None = None
    liquidity: float | None = None
    strike_kind: str | None = None
    strike_floor: float | None = None
    strike_cap: float | None = None
    url: str | None = None
    slug: str | None = None
    origin: Origin = "venue"


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of markets is narrowed to; None narrows nothing."""

    platform: Platform | None = None
    status: Status | None = None
    category: str | None = None
    event_id: str | None = None
    q: str | None = None
    closes_before: datetime | None = None
    closes_after: datetime | None = None
    min_volume: float | None = None


class Position(msgspec.Struct, frozen=True):
    """Where a page ended: the last row's value under the sort order, and its number.

    `value` is a float for volume, an ISO time for the others, None for a market without one.
    """

    value: float | str | None
    seq: int


class Bucket(NamedTuple):
    """The last price of one outcome inside one interval, which starts at `start`."""

    outcome: int
    start: datetime
    price: float


class PriceRow(NamedTuple):
    """One recorded price of one outcome."""

    outcome: int
    at: datetime
    price: float
    source: str


class PlatformCount(NamedTuple):
    """How many markets of one origin a venue has in one status, and how fresh they are."""

    platform: Platform
    status: Status
    origin: Origin
    markets: int
    observed_at: datetime | None
    price_as_of: datetime | None


_INCOMING = (
    "id", "platform", "platform_id", "question", "title", "subtitle", "description",
    "outcomes", "prices", "price_as_of", "status", "resolution", "created_at", "closes_at",
    "resolved_at", "event_id", "event_name", "series_id", "exclusive", "category", "tags",
    "volume", "volume_24h", "liquidity", "open_interest", "best_bid", "best_ask",
    "strike_kind", "strike_floor", "strike_cap", "url", "slug", "token_ids", "origin",
    "observed_at", "group_id", "group_name", "market_type",
)  # fmt: skip
"""Columns that ingest writes; the rest number and date the row."""

_INDEXED = (
    "question", "title", "subtitle", "description", "status", "event_id", "event_name",
    "series_id", "category", "tags", "outcomes", "group_id", "group_name", "market_type",
    "created_at", "closes_at", "resolved_at", "strike_kind", "strike_floor", "strike_cap", "url",
    "slug", "origin",
)  # fmt: skip
"""Columns whose change an index must hear of, beside the salience bucket."""

_SILENT = frozenset({"observed_at", "price_as_of"})
"""A newer look that finds nothing new is noted, but is no update of the market."""

_ARRAYS = {"outcomes": "text[]", "prices": "float8[]", "tags": "text[]", "token_ids": "text[]"}
_TYPES = {
    "price_as_of": "timestamptz", "created_at": "timestamptz", "closes_at": "timestamptz",
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

# The number of half decades of money: a tie-breaker need not follow every trade.
_BUCKETS = (
    "(floor(2 * log(1 + greatest(coalesce({volume}, 0), 0))),"
    " floor(2 * log(1 + greatest(coalesce({liquidity}, 0), 0))))"
)
_SALIENCE = _BUCKETS.format(volume="{t}.volume", liquidity="{t}.liquidity")
_SALIENCE_OF_NEWS = _BUCKETS.format(
    volume="coalesce(n.volume, m.volume)", liquidity="coalesce(n.liquidity, m.liquidity)"
)


def _any_differs(columns: Iterable[str]) -> str:
    return " or ".join(f"i.{c} is distinct from m.{c}" for c in columns)


_BUCKET_MOVED = f"{_SALIENCE.format(t='i')} is distinct from {_SALIENCE.format(t='m')}"

# What is already known better stays: a resolution against word of the same moment, and a
# price quoted later than the one that arrives.
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

_NOTE_LOOK = """
update markets m set observed_at = i.observed_at, price_as_of = i.price_as_of
from incoming i
where m.seq = i.seq and not i.changed
  and (i.observed_at is distinct from m.observed_at
       or i.price_as_of is distinct from m.price_as_of)
"""

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

# Two outcomes that add up to 1 say the same thing twice: the first is kept, readers take the
# other for its complement.
_RECORD_QUOTES = """
insert into prices (market_seq, outcome, at, price, source)
select m.seq, p.n - 1, i.price_as_of, p.price, i.source
from (
  select id, price_as_of, prices,
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


class _Known(NamedTuple):
    """A stored market as the inference sees it, and what it was found to be."""

    member: Member
    observed_at: datetime | None
    grouping: Grouping


def _sql(text: str) -> SQL:
    """SQL put together from this module's own constants; values always go as parameters."""
    return SQL(text)  # type: ignore[arg-type]


async def lock_for_ingest(conn: Connection) -> None:
    """Wait until no other transaction is writing markets, and keep others out until this ends."""
    await conn.execute("select pg_advisory_xact_lock(%s)", (INGEST_LOCK,))


async def upsert_markets(conn: Connection, markets: Sequence[Market]) -> UpsertSummary:
    """Bring the catalogue up to what was observed, within the caller's transaction.

    A market seen earlier than the stored state changes nothing. Types and groups are inferred
    anew for every event touched, stored members included. A changed price is also appended to
    the market's history, and an unchanged one once a day, so that a quiet market is not
    mistaken for one that nobody looked at.
    """
    if not markets:
        return UpsertSummary()
    await lock_for_ingest(conn)
    batch = await _make_room(conn, _newest_each(markets))
    known = await _known_kin(conn, batch)
    batch = [m for m in batch if m.id not in known or _not_older(m, known[m.id].observed_at)]
    if not batch:
        return UpsertSummary(unchanged=len(markets))
    # Seconds for tens of thousands of markets: not on the loop that serves requests meanwhile.
    members = {**{i: k.member for i, k in known.items()}, **_members(batch)}
    inferred = await asyncio.to_thread(_infer, members)
    await _copy_incoming(conn, batch, inferred)
    await conn.execute(_RECONCILE)
    await conn.execute(_sql(_JUDGE))
    await conn.execute(_NOTE_LOOK)
    await _follow_labels(conn)
    updated = (await conn.execute(_sql(_UPDATE))).rowcount
    inserted = (await conn.execute(_sql(_INSERT))).rowcount
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
    return UpsertSummary(inserted, updated, len(markets) - inserted - updated)


def _newest_each(markets: Sequence[Market]) -> list[Market]:
    """One record an id, the newest; of two of the same moment the later in the batch."""
    newest: dict[str, Market] = {}
    for market in markets:
        other = newest.get(market.id)
        if other is None or _not_older(market, other.observed_at):
            newest[market.id] = market
    return list(newest.values())


def _not_older(market: Market, seen: datetime | None) -> bool:
    """Whether `market` may replace a state seen at `seen`; an undated one only the undated."""
    return seen is None or (market.observed_at is not None and market.observed_at >= seen)


async def _make_room(conn: Connection, batch: list[Market]) -> list[Market]:
    """Real markets and the sample never stand side by side: the first real ones end it."""
    real = [m for m in batch if m.origin != "sample"]
    if real:
        await conn.execute(
            """
            with gone as (delete from markets where origin = 'sample' returning seq),
                 points as (delete from prices where market_seq in (select seq from gone))
            insert into market_removals (seq) select seq from gone
            """
        )
        return real
    has_real = "select exists (select from markets where origin <> 'sample')"
    return [] if (await _scalar(conn, has_real)) else batch


async def _scalar(conn: Connection, query: str, params: Sequence[Any] = ()) -> Any:
    row = await (await conn.execute(_sql(query), params)).fetchone()
    return row[0] if row else None


async def _known_kin(conn: Connection, batch: Sequence[Market]) -> dict[str, _Known]:
    """The stored states of the batch's markets and of all others of the same events, by id."""
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
        kin = await _fetch_known(
            conn,
            f"""
            select {columns} from unnest(%s::text[], %s::text[]) e (platform, event_id)
            join markets m using (platform, event_id)
            """,  # noqa: S608
            (list(platforms), list(event_ids)),
        )
        known |= {k.member.id: k for k in kin}
    return known


async def _fetch_known(conn: Connection, query: str, params: Sequence[Any]) -> list[_Known]:
    rows = await (await conn.execute(_sql(query), params, binary=True)).fetchall()
    return [
        _Known(
            Member(
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


def _members(batch: Iterable[Market]) -> dict[str, Member]:
    return {
        m.id: Member(
            id=m.id, platform=m.platform, question=m.question, title=m.title,
            subtitle=m.subtitle, outcomes=m.outcomes, prices=m.prices, status=m.status,
            resolution=m.resolution, event_id=m.event_id, event_name=m.event_name,
            exclusive=m.exclusive, strike=m.strike,
        )
        for m in batch
    }  # fmt: skip


def _infer(members: dict[str, Member]) -> dict[str, Grouping]:
    events: dict[tuple[str, str], list[Member]] = defaultdict(list)
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
    await conn.execute(_sql(_CREATE_INCOMING.format(columns=columns)))
    await conn.execute("truncate incoming")
    async with conn.cursor() as cursor:
        copying = f"copy incoming (ord, {', '.join(_INCOMING)}) from stdin (format binary)"
        async with cursor.copy(_sql(copying)) as copy:
            copy.set_types(["int4", *(_TYPES.get(c, "text") for c in _INCOMING)])
            for ord_, m in enumerate(batch):
                strike = m.strike
                kin = inferred[m.id]
                await copy.write_row((
                    ord_, m.id, m.platform, m.platform_id, m.question, m.title, m.subtitle,
                    m.description, list(m.outcomes), list(m.prices), m.price_as_of, m.status,
                    m.resolution, m.created_at, m.closes_at, m.resolved_at, m.event_id,
                    m.event_name, m.series_id, m.exclusive, m.category, list(m.tags), m.volume,
                    m.volume_24h, m.liquidity, m.open_interest, m.best_bid, m.best_ask,
                    strike.kind if strike else None, strike.floor if strike else None,
                    strike.cap if strike else None, m.url, m.slug, list(m.token_ids), m.origin,
                    m.observed_at, kin.group_id, kin.group_name, kin.market_type,
                ))  # fmt: skip


async def _follow_labels(conn: Connection) -> None:
    """Where a market's outcomes come in another order, its history moves along with the labels."""
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
                  p.at, p.price, p.source
        """
    )
    if points := await rows.fetchall():
        await conn.execute(
            """
            insert into prices (market_seq, outcome, at, price, source)
            select * from unnest(%s::bigint[], %s::smallint[], %s::timestamptz[], %s::float8[],
                                 %s::text[])
            on conflict do nothing
            """,
            [list(column) for column in zip(*points, strict=True)],
        )


async def _regroup(conn: Connection, moved: dict[str, Grouping]) -> None:
    """Give markets that did not arrive themselves the grouping their event now has."""
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


_CHANGE_COLUMNS = {
    "id": "text", "observed_at": "timestamptz", "status": "text", "resolution": "text",
    "resolved_at": "timestamptz", "prices": "float8[]", "price_as_of": "timestamptz",
    "best_bid": "float8", "best_ask": "float8", "volume": "float8", "volume_24h": "float8",
    "liquidity": "float8", "open_interest": "float8",
}  # fmt: skip

_CREATE_NEWS = """
create temp table if not exists news (
  ord int, {columns}, seq bigint, lifecycle bool, quote bool, indexed bool, changed bool,
  quoted bool
) on commit drop
"""

# Lifecycle and price age apart: a price refresh says nothing of the status and must not make
# a listing that is still under way look old.
_JUDGE_NEWS = f"""
with aged as (
  select n.ord, m.seq, coalesce(n.price_as_of, n.observed_at) as quoted_at,
         coalesce(n.observed_at >= m.observed_at, true)
           and not (m.status = 'resolved' and n.observed_at is not distinct from m.observed_at
                    and coalesce(n.status, 'resolved') <> 'resolved') as lifecycle,
         coalesce(cardinality(n.prices) = cardinality(m.outcomes), n.prices is null)
           and coalesce(n.prices[1], n.best_bid, n.best_ask, cardinality(n.prices)) is not null
           and coalesce(coalesce(n.price_as_of, n.observed_at) >= m.price_as_of, true) as quote
  from news n join markets m using (id)
)
update news n set
  seq = a.seq, lifecycle = a.lifecycle, quote = a.quote, price_as_of = a.quoted_at,
  indexed = a.lifecycle and (
    (coalesce(n.status, m.status), coalesce(n.resolved_at, m.resolved_at))
      is distinct from (m.status, m.resolved_at)
    or {_SALIENCE_OF_NEWS} is distinct from {_SALIENCE.format(t="m")}),
  changed = a.lifecycle and (
    coalesce(n.status, m.status), coalesce(n.resolution, m.resolution),
    coalesce(n.resolved_at, m.resolved_at), coalesce(n.volume, m.volume),
    coalesce(n.volume_24h, m.volume_24h), coalesce(n.liquidity, m.liquidity),
    coalesce(n.open_interest, m.open_interest)
  ) is distinct from (
    m.status, m.resolution, m.resolved_at, m.volume, m.volume_24h, m.liquidity, m.open_interest
  ) or a.quote and (
    coalesce(n.prices, m.prices), coalesce(n.best_bid, m.best_bid), coalesce(n.best_ask, m.best_ask)
  ) is distinct from (m.prices, m.best_bid, m.best_ask),
  quoted = a.quote and n.prices is not null and (n.prices is distinct from m.prices
                        or (a.quoted_at at time zone 'UTC')::date
                           is distinct from (m.price_as_of at time zone 'UTC')::date)
from aged a join markets m using (seq) where a.ord = n.ord
"""  # noqa: S608

_APPLY_NEWS = """
update markets m set
  status        = case when n.lifecycle then coalesce(n.status, m.status) else m.status end,
  resolution    = case when n.lifecycle then coalesce(n.resolution, m.resolution)
                       else m.resolution end,
  resolved_at   = case when n.lifecycle then coalesce(n.resolved_at, m.resolved_at)
                       else m.resolved_at end,
  observed_at   = case when n.lifecycle and n.status is not null then n.observed_at
                       else m.observed_at end,
  prices        = case when n.quote then coalesce(n.prices, m.prices) else m.prices end,
  price_as_of   = case when n.quote and n.prices is not null then n.price_as_of
                       else m.price_as_of end,
  best_bid      = case when n.quote then coalesce(n.best_bid, m.best_bid) else m.best_bid end,
  best_ask      = case when n.quote then coalesce(n.best_ask, m.best_ask) else m.best_ask end,
  volume        = case when n.lifecycle then coalesce(n.volume, m.volume) else m.volume end,
  volume_24h    = case when n.lifecycle then coalesce(n.volume_24h, m.volume_24h)
                       else m.volume_24h end,
  liquidity     = case when n.lifecycle then coalesce(n.liquidity, m.liquidity)
                       else m.liquidity end,
  open_interest = case when n.lifecycle then coalesce(n.open_interest, m.open_interest)
                       else m.open_interest end,
  updated_at    = case when n.changed then now() else m.updated_at end,
  moved         = case when n.changed then nextval('market_move') else m.moved end,
  change        = case when n.indexed then nextval('market_change') else m.change end
from news n
where m.seq = n.seq and (n.lifecycle or n.quote)
"""

_RECORD_NEWS = """
insert into prices (market_seq, outcome, at, price, source)
select n.seq, p.n - 1, n.price_as_of, p.price, 'snapshot'
from news n cross join lateral unnest(n.prices) with ordinality p (price, n)
where n.quoted and p.price between 0 and 1 and (
  p.n = 1 or cardinality(n.prices) <> 2 or n.prices[1] is null
  or abs(n.prices[1] + n.prices[2] - 1) > 1e-9)
on conflict do nothing
"""


async def apply_changes(conn: Connection, changes: Sequence[MarketChange]) -> int:
    """Apply news of known markets; returns how many markets it touched.

    None leaves what is there. News older than the stored state is dropped, its price apart: a
    price is judged by its own time. Several news of one market apply in the order of their
    times. Unknown markets are passed over.
    """
    if not changes:
        return 0
    await lock_for_ingest(conn)
    touched: set[str] = set()
    for round_ in _rounds(changes):
        touched.update(await _apply_round(conn, round_))
    return len(touched)


def _rounds(changes: Sequence[MarketChange]) -> list[list[MarketChange]]:
    """The news split so that each part holds one of a market, earlier before later."""
    rounds: list[list[MarketChange]] = []
    depth: dict[str, int] = {}
    for change in sorted(changes, key=lambda c: c.observed_at):
        at = depth.get(change.id, 0)
        depth[change.id] = at + 1
        if at == len(rounds):
            rounds.append([])
        rounds[at].append(change)
    return rounds


async def _apply_round(conn: Connection, changes: Sequence[MarketChange]) -> list[str]:
    columns = ", ".join(f"{c} {t}" for c, t in _CHANGE_COLUMNS.items())
    await conn.execute(_sql(_CREATE_NEWS.format(columns=columns)))
    await conn.execute("truncate news")
    async with conn.cursor() as cursor:
        copying = f"copy news (ord, {', '.join(_CHANGE_COLUMNS)}) from stdin (format binary)"
        async with cursor.copy(_sql(copying)) as copy:
            copy.set_types(["int4", *_CHANGE_COLUMNS.values()])
            for ord_, c in enumerate(changes):
                prices = None if c.prices is None else list(c.prices)
                await copy.write_row((
                    ord_, c.id, c.observed_at, c.status, c.resolution, c.resolved_at, prices,
                    c.price_as_of, c.best_bid, c.best_ask, c.volume, c.volume_24h,
                    c.liquidity, c.open_interest,
                ))  # fmt: skip
    await conn.execute(_JUDGE_NEWS)
    await conn.execute(_APPLY_NEWS)
    await conn.execute(_RECORD_NEWS)
    rows = await conn.execute("select id from news where seq is not null and (lifecycle or quote)")
    return [row[0] for row in await rows.fetchall()]


async def append_prices(conn: Connection, points: Sequence[PricePoint]) -> AppendSummary:
    """Add points to the price history; a point already there (same outcome and time) stays."""
    valid = [p for p in points if 0.0 <= p.price <= 1.0]
    added = unknown = 0
    for start in range(0, len(valid), COPY_CHUNK):
        chunk = valid[start : start + COPY_CHUNK]
        chunk_added, chunk_unknown = await _append_chunk(conn, chunk)
        added += chunk_added
        unknown += chunk_unknown
    return AppendSummary(
        added=added,
        duplicate=len(valid) - unknown - added,
        unknown_market=unknown,
        refused=len(points) - len(valid),
    )


async def _append_chunk(conn: Connection, points: Sequence[PricePoint]) -> tuple[int, int]:
    """Returns how many points were added and how many belong to nothing known."""
    ids = list({p.market_id for p in points})
    rows = await conn.execute(
        "select id, seq, cardinality(outcomes) from markets where id = any(%s)", (ids,)
    )
    known = {id_: (seq, outcomes) for id_, seq, outcomes in await rows.fetchall()}
    await conn.execute(
        """
        create temp table if not exists incoming_prices
          (market_seq bigint, outcome smallint, at timestamptz, price float8, source text)
        on commit drop
        """
    )
    await conn.execute("truncate incoming_prices")
    unknown = 0
    async with (
        conn.cursor() as cursor,
        cursor.copy("copy incoming_prices from stdin (format binary)") as copy,
    ):
        copy.set_types(["int8", "int2", "timestamptz", "float8", "text"])
        for p in points:
            seq, outcomes = known.get(p.market_id, (0, 0))
            if 0 <= p.outcome < outcomes:
                await copy.write_row((seq, p.outcome, p.at, p.price, p.source))
            else:
                unknown += 1
    result = await conn.execute(
        """
        insert into prices (market_seq, outcome, at, price, source)
        select market_seq, outcome, at, price, source from incoming_prices
        order by market_seq, outcome, at
        on conflict do nothing
        """
    )
    return result.rowcount, unknown


_INDEX_COLUMNS = tuple(f for f in IndexRow.__struct_fields__ if f != "removed")


async def changes_since(conn: Connection, change: int, limit: int) -> list[IndexRow]:
    """The next at most `limit` changes after number `change`, removals included, in order."""
    # Two queries see two snapshots; both stop at a number below which nothing can still appear.
    bounds = {"after": change, "upto": await last_change(conn), "limit": limit}
    async with conn.cursor(row_factory=args_row(_index_row), binary=True) as cursor:
        query = f"""
            select {", ".join(_INDEX_COLUMNS)} from markets
            where change > %(after)s and change <= %(upto)s order by change limit %(limit)s
            """  # noqa: S608
        await cursor.execute(_sql(query), bounds)
        rows = await cursor.fetchall()
    removals = await conn.execute(
        """
        select change, seq from market_removals
        where change > %(after)s and change <= %(upto)s order by change limit %(limit)s
        """,
        bounds,
    )
    rows += [IndexRow(change=c, seq=s, removed=True) for c, s in await removals.fetchall()]
    rows.sort(key=lambda row: row.change)
    return rows[:limit]


async def fetch_index_rows(conn: Connection, seqs: Sequence[int]) -> list[IndexRow]:
    """The present state of markets, as `changes_since` gives it, in the order of their numbers."""
    async with conn.cursor(row_factory=args_row(_index_row), binary=True) as cursor:
        query = f"select {', '.join(_INDEX_COLUMNS)} from markets where seq = any(%s) order by seq"  # noqa: S608
        await cursor.execute(_sql(query), (list(seqs),))
        return await cursor.fetchall()


async def set_links(conn: Connection, links: Mapping[int, Sequence[int]]) -> None:
    """Note in each market, by number, which others are the same contract on another venue."""
    await lock_for_ingest(conn)
    await conn.execute(
        """
        with given as (
          select seq, array(
            select m.id from jsonb_array_elements_text(g.others) o (other)
            join markets m on m.seq = o.other::bigint order by m.seq
          ) as ids
          from unnest(%s::bigint[], %s::jsonb[]) g (seq, others)
        )
        update markets m set linked_market_ids = given.ids
        from given where m.seq = given.seq and m.linked_market_ids <> given.ids
        """,
        (list(links), [Jsonb(list(others)) for others in links.values()]),
    )


async def unlink_all(conn: Connection) -> None:
    """Forget all links, before they are found anew."""
    await lock_for_ingest(conn)
    await conn.execute(
        "update markets set linked_market_ids = '{}' where linked_market_ids <> '{}'"
    )


def _index_row(*values: Any) -> IndexRow:
    return IndexRow(**dict(zip(_INDEX_COLUMNS, values, strict=True)))


async def last_change(conn: Connection) -> int:
    """The highest change number that is visible; 0 in an empty catalogue."""
    return await _scalar(
        conn,
        """
        select greatest((select coalesce(max(change), 0) from markets),
                        (select coalesce(max(change), 0) from market_removals))
        """,
    )


_STORED_COLUMNS = StoredMarket.__struct_fields__


def _stored(*values: Any) -> StoredMarket:
    return StoredMarket(**dict(zip(_STORED_COLUMNS, values, strict=True)))


async def _fetch_stored(conn: Connection, rest: str, params: dict[str, Any]) -> list[StoredMarket]:
    async with conn.cursor(row_factory=args_row(_stored), binary=True) as cursor:
        query = f"select {', '.join(_STORED_COLUMNS)} from markets {rest}"  # noqa: S608
        await cursor.execute(_sql(query), params)
        return await cursor.fetchall()


async def fetch(conn: Connection, ids: Sequence[str]) -> list[StoredMarket]:
    """The known ones among `ids`, each once, in the order asked for."""
    found = await _fetch_stored(conn, "where id = any(%(ids)s)", {"ids": list(ids)})
    by_id = {m.id: m for m in found}
    return [by_id[i] for i in dict.fromkeys(ids) if i in by_id]


async def fetch_related(conn: Connection, market: StoredMarket, limit: int) -> list[StoredMarket]:
    """Other markets of the same event, then of the same group, the most traded first."""
    return await _fetch_stored(
        conn,
        """
        where seq <> %(seq)s
          and ((platform = %(platform)s and event_id = %(event_id)s) or group_id = %(group_id)s)
        order by (platform = %(platform)s and event_id is not distinct from %(event_id)s) desc,
                 status, volume desc nulls last, seq
        limit %(limit)s
        """,
        {
            "seq": market.seq, "platform": market.platform, "event_id": market.event_id,
            "group_id": market.group_id, "limit": limit,
        },
    )  # fmt: skip


class _Order(NamedTuple):
    key: str
    descending: bool


_ORDERS: dict[Sort, _Order] = {
    "volume": _Order("coalesce(volume, -1)", True),
    "closes_at": _Order("coalesce(closes_at, 'infinity')", False),
    "updated_at": _Order("updated_at", True),
}


async def list_page(
    conn: Connection,
    filters: Filters,
    *,
    sort: Sort,
    limit: int,
    after: Position | None = None,
) -> list[StoredMarket]:
    """The next `limit` markets after a position. Markets without the sort's value come last.

    The page starts strictly after the position's (value, seq), so ties and rows that came or
    went since the page before neither repeat nor hide others.
    """
    order = _ORDERS[sort]
    conditions: list[str] = []
    params: dict[str, Any] = {"limit": limit}
    for name, condition in (
        ("platform", "platform = %(platform)s"),
        ("status", "status = %(status)s"),
        ("event_id", "event_id = %(event_id)s"),
        ("category", "lower(category) = lower(%(category)s)"),
        ("closes_before", "closes_at < %(closes_before)s"),
        ("closes_after", "closes_at > %(closes_after)s"),
        ("min_volume", "coalesce(volume, -1) >= %(min_volume)s"),
    ):
        value = getattr(filters, name)
        if value is not None:
            conditions.append(condition)
            params[name] = value
    for n, word in enumerate((filters.q or "").split()):
        conditions.append(f"question ilike %(q{n})s")
        params[f"q{n}"] = f"%{_literal(word)}%"
    if after is not None:
        value = after.value
        if value is None:
            value = -1.0 if sort == "volume" else "infinity"
        cast = "float8" if sort == "volume" else "timestamptz"
        comparison = "<" if order.descending else ">"
        conditions.append(f"({order.key}, seq) {comparison} (%(after)s::{cast}, %(after_seq)s)")
        params |= {"after": value, "after_seq": after.seq}
    where = f"where {' and '.join(conditions)}" if conditions else ""
    way = "desc" if order.descending else "asc"
    return await _fetch_stored(
        conn, f"{where} order by {order.key} {way}, seq {way} limit %(limit)s", params
    )


def _literal(word: str) -> str:
    """`word` with the pattern characters of LIKE taken as themselves."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def position(market: StoredMarket, sort: Sort) -> Position:
    """Where `market` stands under `sort`, for the page after it."""
    value = getattr(market, sort)
    return Position(value.isoformat() if isinstance(value, datetime) else value, market.seq)


async def history(
    conn: Connection,
    market_seq: int,
    *,
    start: datetime,
    end: datetime,
    interval_minutes: int,
) -> list[Bucket]:
    """The last price of each outcome in each interval that has one, within [start, end).

    Intervals are aligned to midnight UTC. Ordered by outcome and time.
    """
    rows = await conn.execute(
        """
        select distinct on (outcome, start)
               outcome, date_bin(%s, at, '2000-01-01T00:00:00Z') as start, price
        from prices where market_seq = %s and at >= %s and at < %s
        order by outcome, start, at desc
        """,
        (timedelta(minutes=interval_minutes), market_seq, start, end),
    )
    return [Bucket(*row) for row in await rows.fetchall()]


async def latest_prices(conn: Connection, market: StoredMarket, limit: int) -> list[PriceRow]:
    """The last `limit` recorded prices of each outcome, oldest first."""
    rows = await conn.execute(
        """
        select p.outcome, p.at, p.price, p.source
        from generate_series(0, %s) o cross join lateral (
          select * from prices where market_seq = %s and outcome = o order by at desc limit %s
        ) p
        order by p.at, p.outcome
        """,
        (len(market.outcomes) - 1, market.seq, limit),
    )
    return [PriceRow(*row) for row in await rows.fetchall()]


async def last_price_at(conn: Connection, market_seq: int) -> datetime | None:
    """When the market's price was last recorded."""
    return await _scalar(conn, "select max(at) from prices where market_seq = %s", (market_seq,))


async def counts_by_platform_status(conn: Connection) -> list[PlatformCount]:
    """How many markets there are, by venue, status and origin, and how fresh."""
    rows = await conn.execute(
        """
        select platform, status, origin, count(*), max(observed_at), max(price_as_of)
        from markets group by 1, 2, 3 order by 1, 2, 3
        """
    )
    return [PlatformCount(*row) for row in await rows.fetchall()]


async def is_empty(conn: Connection) -> bool:
    """Whether the catalogue holds no market at all."""
    return await _scalar(conn, "select not exists (select from markets)")


class Quote(NamedTuple):
    """What of a market can move, for those who watch it. Fields as in `records.Market`."""

    id: str
    seq: int
    platform: Platform
    question: str
    outcomes: list[str]
    prices: list[float | None]
    price_as_of: datetime | None
    status: Status
    resolution: str | None
    closes_at: datetime | None
    best_bid: float | None
    best_ask: float | None
    volume: float | None
    volume_24h: float | None
    url: str | None
    origin: Origin
    observed_at: datetime | None


async def quotes(conn: Connection, ids: Sequence[str]) -> dict[str, Quote]:
    """The known ones among `ids`, as they stand."""
    return {quote.id: quote for quote in await _quotes(conn, "id = any(%s)", list(ids))}


async def quotes_by_seq(conn: Connection, seqs: Sequence[int]) -> dict[int, Quote]:
    """The known ones among the markets of these numbers, as they stand."""
    return {quote.seq: quote for quote in await _quotes(conn, "seq = any(%s)", list(seqs))}


async def _quotes(conn: Connection, where: str, asked: list[Any]) -> list[Quote]:
    query = f"select {', '.join(Quote._fields)} from markets where {where}"  # noqa: S608
    rows = await conn.execute(_sql(query), (asked,), binary=True)
    return [Quote(*row) for row in await rows.fetchall()]


async def moved_since(conn: Connection, moved: int, limit: int) -> tuple[list[str], int]:
    """Ids of at most `limit` markets that moved after number `moved`, and how far that reaches."""
    rows = await conn.execute(
        "select id, moved from markets where moved > %s order by moved limit %s", (moved, limit)
    )
    found = await rows.fetchall()
    return [id_ for id_, _ in found], found[-1][1] if found else moved


async def members(conn: Connection, platform: str, event_id: str, limit: int) -> list[str]:
    """Ids of an event's markets, the most traded first."""
    rows = await conn.execute(
        "select id from markets where platform = %s and event_id = %s"
        " order by volume desc nulls last, seq limit %s",
        (platform, event_id, limit),
    )
    return [row[0] for row in await rows.fetchall()]


class PastPrices(NamedTuple):
    """A request for one outcome's prices at `now - span`, `now - 2 span`, ..."""

    market_seq: int
    outcome: int
    span: timedelta


PRICE_LASTS = timedelta(days=2)
"""How long a recorded price stands: an unchanged one is recorded anew each day."""


async def prices_before(
    conn: Connection, asked: Sequence[PastPrices], count: int, now: datetime
) -> list[list[float | None]]:
    """For each request its last `count` prices, oldest first; None where none stood."""
    if not asked:
        return []
    rows = await conn.execute(
        """
        select array_agg(p.price order by k desc)
        from unnest(%s::bigint[], %s::smallint[], %s::interval[])
             with ordinality a (market_seq, outcome, span, n)
        cross join generate_series(1, %s) k
        left join lateral (
          select price from prices
          where market_seq = a.market_seq and outcome = a.outcome
            and at <= %s::timestamptz - k * a.span and at > %s::timestamptz - k * a.span - %s
          order by at desc limit 1
        ) p on true
        group by a.n order by a.n
        """,
        (*(list(column) for column in zip(*asked, strict=True)), count, now, now, PRICE_LASTS),
        binary=True,
    )
    return [row[0] for row in await rows.fetchall()]

"""The price history in the database: adds price points, and reads them by interval, time or age."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from augury.markets.records import ORIGINS, PricePoint, ShownOrigin
from augury.markets.store.quarantine import screen
from augury.markets.store.reading import StoredMarket
from augury.markets.store.sql import Connection, lock_for_ingest, scalar
from augury.markets.volume import VolumeReading

COPY_CHUNK = 250_000
"""Largest number of price points sent to the database in one COPY, so that memory stays bounded
whatever the size of the import."""

PRICE_LASTS = timedelta(days=2)
"""How long a recorded price counts as the current one. An unchanged price is recorded once a day,
so after two days without a record the price is taken as unknown."""


class AppendSummary(msgspec.Struct, frozen=True):
    """What became of a batch of price points: how many were added, known already, or left out."""

    added: int = 0
    duplicate: int = 0
    unknown_market: int = 0
    """Number of points of a market or an outcome that is not in the catalogue; they are left
    out."""
    refused: int = 0
    """Number of points whose price is not between 0 and 1; they are left out."""


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


class PastPrices(NamedTuple):
    """A request for one outcome's prices in the past, at the times `now - span`, `now - 2 * span`,
    ..."""

    market_seq: int
    outcome: int
    span: timedelta


# Makes the newest appended point the market's quote, unless the stored quote, or the observation
# that there is none, is newer. Of two outcomes, a missing price is 1 minus the other; of several,
# prices up to a day older than the newest count. A 0 or 1 on an active market is no quote. Bid and
# ask are cleared, because they belong to the previous quote.
_FOLLOW_HISTORY = """
with newest as (
  select market_seq as seq, max(at) as at from incoming_prices group by 1
), latest as (
  select m.seq, n.at, m.outcomes, array_agg(
    case when m.status = 'active' and p.price in (0, 1) then null else p.price end order by o.n
  ) as prices
  from newest n join markets m using (seq)
  cross join lateral generate_series(0, cardinality(m.outcomes) - 1) o (n)
  left join lateral (
    select price from prices
    where market_seq = m.seq and outcome = o.n and at <= n.at
      and at > n.at - case when cardinality(m.outcomes) = 2 then interval '1 microsecond'
                           else interval '1 day' end
    order by at desc limit 1
  ) p on true
  where coalesce(m.price_as_of, m.observed_at, '-infinity') < n.at
  group by m.seq, n.at
), whole as (
  select seq, at, case
    when cardinality(prices) <> 2 then prices
    when prices[2] is null then array[prices[1], round((1 - prices[1])::numeric, 12)::float8]
    when prices[1] is null then array[round((1 - prices[2])::numeric, 12)::float8, prices[2]]
    else prices end as prices
  from latest
)
update markets m set
  prices = w.prices,
  price_as_of = case when array_remove(w.prices, null) <> '{}' then w.at end,
  best_bid = null, best_ask = null,
  updated_at = now(), moved = nextval('market_move')
from whole w where m.seq = w.seq
  and (array_remove(w.prices, null) <> '{}' or m.price_as_of is not null)
"""


async def append_prices(conn: Connection, points: Sequence[PricePoint]) -> AppendSummary:
    """Add points to the price history, except points whose outcome and time are stored already.

    A point that is newer than its market's quote becomes the quote, so that current prices are
    never older than the history.
    """
    await lock_for_ingest(conn)
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
    """Add points to the price history. Returns how many were added, and how many were left out
    because their market or outcome is unknown."""
    ids = list({p.market_id for p in points})
    rows = await conn.execute(
        "select id, seq, cardinality(outcomes) from markets where id = any(%s)", (ids,)
    )
    known = {id_: (seq, outcomes) for id_, seq, outcomes in await rows.fetchall()}
    await conn.execute(
        """
        create temp table if not exists incoming_prices
          (market_seq bigint, outcome smallint, at timestamptz, price float8, source text,
           volume float8)
        on commit drop
        """
    )
    await conn.execute("truncate incoming_prices")
    unknown = 0
    async with (
        conn.cursor() as cursor,
        cursor.copy("copy incoming_prices from stdin (format binary)") as copy,
    ):
        copy.set_types(["int8", "int2", "timestamptz", "float8", "text", "float8"])
        for p in points:
            seq, outcomes = known.get(p.market_id, (0, 0))
            if 0 <= p.outcome < outcomes:
                await copy.write_row((seq, p.outcome, p.at, p.price, p.source, p.volume))
            else:
                unknown += 1
    result = await conn.execute(
        """
        insert into prices (market_seq, outcome, at, price, source, volume)
        select market_seq, outcome, at, price, source, volume from incoming_prices
        order by market_seq, outcome, at
        on conflict do nothing
        """
    )
    await conn.execute(_FOLLOW_HISTORY)
    await screen(conn, ids)
    return result.rowcount, unknown


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


async def volume_readings(
    conn: Connection,
    market_seq: int,
    *,
    start: datetime,
    end: datetime,
    interval_minutes: int,
) -> list[VolumeReading]:
    """The last observation, in each interval, of a market's cumulative volume. An interval has up
    to two readings: one from the venue's candles, and one from other sources.

    Begins one interval before `start`, so that the volume traded in the first interval is known.
    """
    width = timedelta(minutes=interval_minutes)
    rows = await conn.execute(
        """
        select distinct on (bin, candle) at, volume, candle from (
          select at, volume, source = 'candle' as candle,
                 date_bin(%s, at - interval '1 microsecond', '2000-01-01T00:00:00Z') as bin
          from prices where market_seq = %s and volume is not null and at > %s and at <= %s
        ) known
        order by bin, candle, at desc
        """,
        (width, market_seq, start - width, end),
    )
    return [VolumeReading(*row) for row in await rows.fetchall()]


async def latest_prices(conn: Connection, market: StoredMarket, limit: int) -> list[PriceRow]:
    """The last `limit` recorded prices of each outcome of a market. The prices of all outcomes are
    in one list, by time."""
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
    """When the market's price was last recorded; None if never."""
    return await scalar(conn, "select max(at) from prices where market_seq = %s", (market_seq,))


class Spark(NamedTuple):
    """Daily prices of one outcome, oldest first, for a small chart.

    The last price is the one at the time `price_as_of`. The others are those at 1, 2, 3 ... days
    before that time. The price at a time is the last one recorded up to then. It is None if no
    price was recorded in the `PRICE_LASTS` (2 days) before that time."""

    market_id: str
    outcome: str
    price_as_of: datetime
    origin: ShownOrigin
    prices: list[float | None]


async def sparks(conn: Connection, market_ids: Sequence[str], days: int) -> list[Spark]:
    """For each of the given markets that has a quote, its last `days` daily prices, up to the time
    of that quote.

    The prices are of Yes if the market has that outcome, else of its first one. The markets come in
    no particular order.
    """
    rows = await conn.execute(
        """
        select m.id, m.outcomes[m.shown], m.price_as_of, m.origin, array_agg(
          case when m.complement then round((1 - p.price)::numeric, 12)::float8 else p.price end
          order by k desc)
        from (
          select id, seq, outcomes, price_as_of, origin, shown,
                 cardinality(outcomes) = 2 and shown = 2 as complement
          from (
            select *, coalesce(array_position(lower(outcomes::text)::text[], 'yes'), 1) as shown
            from markets where id = any(%s) and price_as_of is not null
          ) found
        ) m
        cross join generate_series(0, %s) k
        left join lateral (
          select price from prices
          where market_seq = m.seq and outcome = case when m.complement then 0 else m.shown - 1 end
            and at <= m.price_as_of - k * interval '1 day'
            and at > m.price_as_of - k * interval '1 day' - %s
          order by at desc limit 1
        ) p on true
        group by m.id, m.outcomes, m.shown, m.price_as_of, m.origin
        """,
        (list(market_ids), days - 1, PRICE_LASTS),
    )
    return [
        Spark(id_, outcome, at, ORIGINS[origin], prices)
        for id_, outcome, at, origin, prices in await rows.fetchall()
    ]


async def prices_before(
    conn: Connection, requests: Sequence[PastPrices], count: int, now: datetime
) -> list[list[float | None]]:
    """For each request, the outcome's prices at `count` earlier times, oldest first. The latest of
    these times is one `span` before `now`, the next one two spans before, and so on.

    The price at a time is the last one recorded before that time; None if it was recorded
    `PRICE_LASTS` or longer before.
    """
    if not requests:
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
        (*(list(column) for column in zip(*requests, strict=True)), count, now, now, PRICE_LASTS),
        binary=True,
    )
    return [row[0] for row in await rows.fetchall()]

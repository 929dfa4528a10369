"""Updates stored markets: stores changes that venues report, and links between a market and the
same contract on another venue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from psycopg.types.json import Jsonb

from augury.markets.records import MarketChange
from augury.markets.store.quarantine import screen
from augury.markets.store.sql import (
    HEARD_AGAIN,
    SALIENCE,
    SALIENCE_OF_NEWS,
    Connection,
    lock_for_ingest,
    sql,
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

# The status (lifecycle) and the price of a market have separate times: a price refresh says nothing
# about the status, and must not make a listing that is still being read look outdated.
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
    or {SALIENCE_OF_NEWS} is distinct from {SALIENCE.format(t="m")}),
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

_APPLY_NEWS = f"""
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
  moved         = case when n.changed
                         or n.quote and {HEARD_AGAIN.format(at="n.price_as_of")}
                       then nextval('market_move') else m.moved end,
  change        = case when n.indexed then nextval('market_change') else m.change end
from news n
where m.seq = n.seq and (n.lifecycle or n.quote)
"""  # noqa: S608  (columns of this module, no input)

_RECORD_NEWS = """
insert into prices (market_seq, outcome, at, price, source, volume)
select n.seq, p.n - 1, n.price_as_of, p.price, 'snapshot', n.volume
from news n cross join lateral unnest(n.prices) with ordinality p (price, n)
where n.quoted and p.price between 0 and 1 and (
  p.n = 1 or cardinality(n.prices) <> 2 or n.prices[1] is null
  or abs(n.prices[1] + n.prices[2] - 1) > 1e-9)
on conflict do nothing
"""


async def apply_changes(conn: Connection, changes: Sequence[MarketChange]) -> int:
    """Update stored markets with the changes that venues report. Returns the number of markets to
    which at least one change was applied.

    A field that is None leaves the stored value. The price of a change is stored unless the stored
    price is newer. The other fields are stored unless the stored state of the market is newer.
    Several changes of one market are applied in order of time. Changes of unknown markets are
    ignored.
    """
    if not changes:
        return 0
    await lock_for_ingest(conn)
    touched: set[str] = set()
    for round_ in _rounds(changes):
        touched.update(await _apply_round(conn, round_))
    await screen(conn, list(touched))
    return len(touched)


def _rounds(changes: Sequence[MarketChange]) -> list[list[MarketChange]]:
    """Split changes into rounds, each with at most one change per market, the earliest first."""
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
    await conn.execute(sql(_CREATE_NEWS.format(columns=columns)))
    await conn.execute("truncate news")
    async with conn.cursor() as cursor:
        copying = f"copy news (ord, {', '.join(_CHANGE_COLUMNS)}) from stdin (format binary)"
        async with cursor.copy(sql(copying)) as copy:
            copy.set_types(["int4", *_CHANGE_COLUMNS.values()])
            for ord_, c in enumerate(changes):
                prices = None if c.prices is None else list(c.prices)
                await copy.write_row((
                    ord_, c.id, c.observed_at, c.status, c.resolution, c.resolved_at, prices,
                    c.price_as_of, c.best_bid, c.best_ask, c.volume, c.volume_24h,
                    c.liquidity, c.open_interest,
                ))  # fmt: skip
    await conn.execute(_JUDGE_NEWS)
    await conn.execute(sql(_APPLY_NEWS))
    await conn.execute(_RECORD_NEWS)
    rows = await conn.execute("select id from news where seq is not null and (lifecycle or quote)")
    return [row[0] for row in await rows.fetchall()]


async def set_links(conn: Connection, links: Mapping[int, Sequence[int]]) -> None:
    """Store which markets are linked, i.e. are the same contract on two venues.

    links : serial number (`seq`) of a market -> serial numbers of the markets it is linked to
    """
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
        update markets m set linked_market_ids = given.ids, moved = nextval('market_move')
        from given where m.seq = given.seq and m.linked_market_ids <> given.ids
        """,
        (list(links), [Jsonb(list(others)) for others in links.values()]),
    )
    rows = await conn.execute("select id from markets where seq = any(%s)", (list(links),))
    await screen(conn, [row[0] for row in await rows.fetchall()])


async def unlink_all(conn: Connection) -> None:
    """Remove all links (between markets of the same contract), so that they can be found again from
    the start."""
    await lock_for_ingest(conn)
    await conn.execute(
        "update markets set linked_market_ids = '{}', moved = nextval('market_move')"
        " where linked_market_ids <> '{}'"
    )

"""The quarantine: quotes that can't be right are held here, outside the catalogue.

The checks (`quote_checks`) run in the transaction that writes quotes, after the write and before
the commit. A held quote is removed from its market (which then has no quote) and from the price
history, and stored in the table `quarantine` with its reason. It is held until the market gets a
later sound quote, or until the operator releases it; after a release, the same quote is accepted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from augury.markets import quote_checks
from augury.markets.freshness import COMPARABLE_WITHIN
from augury.markets.quote_checks import HoldReason, Reason, ScreenedQuote
from augury.markets.records import PricePoint
from augury.markets.store.sql import Connection, lock_for_ingest, sql

WHOLE_QUOTE = -1
"""Value of `Held.outcome` that stands for a market's whole quote. For a single recorded price in
quarantine, `Held.outcome` is the index of the price's outcome."""
_AT = "coalesce(m.price_as_of, m.observed_at, m.updated_at)"


# Removes the quote of an incoming market if this same quote is held already.
LEAVE_HELD = f"""
update incoming i set
  prices = array_fill(null::float8, array[cardinality(i.outcomes)]),
  price_as_of = null, best_bid = null, best_ask = null
from quarantine q
where q.market_id = i.id and q.outcome = {WHOLE_QUOTE} and q.released_at is null
  and q.at = coalesce(i.price_as_of, i.observed_at) and q.prices = i.prices
"""  # noqa: S608  (a constant of this module)


class Held(NamedTuple):
    """A quote, or a recorded price of one outcome, in quarantine."""

    market_id: str
    question: str
    outcome: int
    """Index of the outcome whose recorded price is in quarantine, or -1 (`WHOLE_QUOTE`) if the
    market's whole quote is."""
    at: datetime
    prices: list[float | None]
    best_bid: float | None
    best_ask: float | None
    source: str
    reason: Reason
    detail: str
    held_at: datetime


async def screen(conn: Connection, ids: Sequence[str]) -> Counter[str]:
    """Check the quotes of these markets, and put those that can't be right into quarantine. Returns
    how many were put there, by reason.

    All code that writes quotes calls this in its transaction. Other markets of the same events, and
    the same contracts on other venues, are checked too. Their quotes may also be put into
    quarantine.
    """
    if not ids:
        return Counter()
    quotes = await _suspects(conn, ids)
    small = [quote.id for quote in quotes if quote_checks.is_shrunken(quote)]
    held = await _hold(
        conn, quote_checks.wrong_quotes(quotes, await _before(conn, small) if small else {})
    )
    if any(quote.imported for quote in quotes):
        held += await _hold(conn, await _inconsistent_sums(conn, ids))
    held += await _hold(conn, await _twins(conn, ids))
    await conn.execute(
        """
        delete from quarantine q using markets m
        where m.id = any(%(ids)s) and q.market_id = m.id and q.outcome = %(whole)s
          and q.released_at is null and m.price_as_of > q.at
        """,
        {"ids": list(ids), "whole": WHOLE_QUOTE},
    )
    return held


async def _suspects(conn: Connection, ids: Sequence[str]) -> list[ScreenedQuote]:
    """The quotes of these markets that are to be checked one by one: quotes from an import, and
    quotes from a sync that are at a cent or less."""
    rows = await conn.execute(
        sql(f"""
        select id, platform, event_id, prices, best_bid, best_ask, {_AT}, origin = 'dump'
        from markets m
        where id = any(%s) and origin <> 'sample' and cardinality(prices) > 0
          and (price_as_of is not null or best_bid is not null or best_ask is not null)
          and (origin = 'dump' or coalesce(greatest(prices[1], best_bid, best_ask), 1) <= %s)
        """),  # noqa: S608
        (list(ids), quote_checks.MAX_SHRUNKEN),
        binary=True,
    )
    return [ScreenedQuote(*row) for row in await rows.fetchall()]


async def _before(conn: Connection, ids: Sequence[str]) -> dict[str, float]:
    """Market id -> the first outcome's last recorded price in the 30 days before the market's
    present quote. Markets without such a price are left out."""
    rows = await conn.execute(
        """
        select m.id, p.price from markets m cross join lateral (
          select price from prices
          where market_seq = m.seq and outcome = 0 and at < m.price_as_of
            and at > m.price_as_of - interval '30 days'
          order by at desc limit 1
        ) p
        where m.id = any(%s)
        """,
        (list(ids),),
    )
    return dict(await rows.fetchall())


async def _inconsistent_sums(conn: Connection, ids: Sequence[str]) -> dict[str, HoldReason]:
    """The quotes to put into quarantine because the prices of their imported event do not fit
    together: market id -> reason.

    Only events of which at most one market resolves Yes are checked. Their prices do not fit
    together if the bids of all markets sum to more than `quote_checks.MAX_SUM`. Nor do they if the
    event has at least `quote_checks.MIN_MEMBERS` markets and the asks sum to less than
    `quote_checks.MIN_SUM`.
    """
    rows = await conn.execute(
        """
        with touched as (
          select distinct platform, event_id from markets
          where id = any(%(ids)s) and event_id is not null and origin = 'dump'
            and (exclusive or market_type in ('sum_to_one', 'winner_take_all'))
        ), quoted as (
          select m.id, m.platform, m.event_id, prices,
            max(price_as_of) over (partition by platform, event_id) - price_as_of as behind,
            case when best_bid is null and best_ask is null then prices[1]
                 else coalesce(best_bid, 0) end as low,
            case when best_bid is null and best_ask is null then prices[1]
                 else coalesce(best_ask, 1) end as high
          from touched join markets m using (platform, event_id)
          where status = 'active' and cardinality(outcomes) = 2 and prices[1] is not null
            and (exclusive or market_type in ('sum_to_one', 'winner_take_all'))
        ), off as (
          select platform, event_id, count(*) as n, sum(prices[1]) as total from quoted
          where behind <= %(apart)s group by 1, 2
          having sum(low) > %(most)s or (count(*) >= %(members)s and sum(high) < %(least)s)
        )
        select id, n, total from off join quoted using (platform, event_id)
        where behind <= %(apart)s
        """,
        {
            "ids": list(ids), "most": quote_checks.MAX_SUM, "least": quote_checks.MIN_SUM,
            "members": quote_checks.MIN_MEMBERS, "apart": COMPARABLE_WITHIN,
        },
    )  # fmt: skip
    return {
        id_: HoldReason(
            "event_sum",
            f"At most one of the event's {n} markets can come true, but their prices sum to "
            f"{total:.3g}.",
        )
        for id_, n, total in await rows.fetchall()
    }


async def _twins(conn: Connection, ids: Sequence[str]) -> dict[str, HoldReason]:
    """The quotes to put into quarantine because two venues quote the same contract far apart
    (`quote_checks.are_apart`): market id -> reason.

    Both quotes are held, because it is not known which one is right.
    """
    rows = await conn.execute(
        """
        select m.id, m.prices[1], t.id, t.prices[1]
        from markets m cross join lateral unnest(m.linked_market_ids) linked (id)
        join markets t on t.id = linked.id
        where m.id = any(%(ids)s) and m.status = 'active' and t.status = 'active'
          and cardinality(m.outcomes) = 2 and cardinality(t.outcomes) = 2
          and abs(extract(epoch from m.price_as_of - t.price_as_of)) <= %(apart)s
        """,
        {"ids": list(ids), "apart": COMPARABLE_WITHIN.total_seconds()},
    )
    found: dict[str, HoldReason] = {}
    for one, price, other, others in await rows.fetchall():
        if quote_checks.are_apart(price, others):
            found[one] = HoldReason(
                "twin",
                f"Quoted at {price:g}. On another venue, the same contract or its exact opposite "
                f"({other}) is quoted at {others:g}.",
            )
            found[other] = HoldReason(
                "twin",
                f"Quoted at {others:g}. On another venue, the same contract or its exact opposite "
                f"({one}) is quoted at {price:g}.",
            )
    return found


async def _hold(conn: Connection, verdicts: Mapping[str, HoldReason]) -> Counter[str]:
    if not verdicts:
        return Counter()
    rows = await conn.execute(
        sql(f"""
        with picked as (
          select m.seq, m.id, {_AT} as at, m.prices, m.best_bid, m.best_ask, m.price_as_of,
            case m.origin when 'dump' then 'dump:snapshot' else 'snapshot' end as source,
            b.reason, b.detail
          from unnest(%(ids)s::text[], %(reasons)s::text[], %(details)s::text[])
               b (id, reason, detail)
          join markets m using (id)
          where (price_as_of is not null or best_bid is not null or best_ask is not null)
            and not exists (
              select from quarantine q where q.market_id = m.id and q.outcome = {WHOLE_QUOTE}
                and q.released_at is not null and q.prices = m.prices and q.at = {_AT})
        ), former as (
          delete from quarantine q using picked p
          where q.market_id = p.id and q.outcome = {WHOLE_QUOTE} and q.released_at is null
            and q.at <> p.at
        ), kept as (
          insert into quarantine (market_id, at, prices, best_bid, best_ask, source, reason, detail)
          select id, at, prices, best_bid, best_ask, source, reason, detail from picked
          on conflict (market_id, outcome, at) do update set
            prices = excluded.prices, best_bid = excluded.best_bid, best_ask = excluded.best_ask,
            reason = excluded.reason, detail = excluded.detail, released_at = null
        ), unrecorded as (
          delete from prices h using picked p where h.market_seq = p.seq and h.at = p.price_as_of
        ), taken as (
          update markets m set
            prices = array_fill(null::float8, array[cardinality(m.outcomes)]),
            price_as_of = null, best_bid = null, best_ask = null,
            updated_at = now(), moved = nextval('market_move')
          from picked p where m.seq = p.seq
        )
        select reason from picked
        """),  # noqa: S608
        {
            "ids": list(verdicts),
            "reasons": [verdict.reason for verdict in verdicts.values()],
            "details": [verdict.detail for verdict in verdicts.values()],
        },
    )
    return Counter(row[0] for row in await rows.fetchall())


async def hold_points(conn: Connection, points: Sequence[PricePoint], why: HoldReason) -> int:
    """Put price points into quarantine, for the reason `why`, instead of the price history. Returns
    how many of them were not yet in quarantine."""
    kept = await conn.execute(
        """
        insert into quarantine (market_id, outcome, at, prices, source, reason, detail)
        select market_id, outcome, at, array[price], source, %s, %s
        from unnest(%s::text[], %s::smallint[], %s::timestamptz[], %s::float8[], %s::text[])
             g (market_id, outcome, at, price, source)
        on conflict do nothing
        """,
        (
            why.reason, why.detail, [p.market_id for p in points],
            [p.outcome for p in points], [p.at for p in points], [p.price for p in points],
            [p.source for p in points],
        ),
    )  # fmt: skip
    return kept.rowcount


async def counts(conn: Connection) -> list[tuple[str, Reason, int]]:
    """How many quotes and recorded prices are in quarantine: one tuple (venue, reason, number) for
    each venue and reason."""
    rows = await conn.execute(
        """
        select split_part(market_id, ':', 1), reason, count(*) from quarantine
        where released_at is null group by 1, 2 order by 1, 2
        """
    )
    return [(venue, reason, count) for venue, reason, count in await rows.fetchall()]


async def held(
    conn: Connection, *, ids: Sequence[str] | None = None, reason: str | None = None, limit: int
) -> list[Held]:
    """At most `limit` of the quotes and recorded prices in quarantine. Whole quotes of markets come
    before single recorded prices; in each of these two groups, the latest held come first.

    ids : only those of these markets; None: of all markets
    reason : only those in quarantine for this reason; None: for any reason
    """
    rows = await conn.execute(
        """
        select q.market_id, coalesce(m.question, ''), outcome, at, q.prices, q.best_bid,
               q.best_ask, q.source, reason, detail, held_at
        from quarantine q left join markets m on m.id = q.market_id
        where released_at is null and (%(ids)s::text[] is null or q.market_id = any(%(ids)s))
          and (%(reason)s::text is null or reason = %(reason)s)
        order by outcome >= 0, held_at desc, q.market_id, outcome, at limit %(limit)s
        """,
        {"ids": None if ids is None else list(ids), "reason": reason, "limit": limit},
    )
    return [Held(*row) for row in await rows.fetchall()]


_RELEASED = """
with gone as (
  update quarantine set released_at = now()
  where released_at is null and (%(ids)s::text[] is null or market_id = any(%(ids)s))
    and (%(reason)s::text is null or reason = %(reason)s)
  returning *
), recorded as (
  insert into prices (market_seq, outcome, at, price, source)
  select m.seq, case when g.outcome < 0 then p.n - 1 else g.outcome end, g.at, p.price, g.source
  from gone g join markets m on m.id = g.market_id
  cross join lateral unnest(g.prices) with ordinality p (price, n)
  where p.price between 0 and 1
    and (g.outcome >= 0 or p.n = 1 or cardinality(g.prices) <> 2 or g.prices[1] is null)
  on conflict do nothing
), put_back as (
  update markets m set
    prices = g.prices,
    price_as_of = case when array_remove(g.prices, null) <> '{}' then g.at end,
    best_bid = g.best_bid, best_ask = g.best_ask,
    updated_at = now(), moved = nextval('market_move')
  from gone g
  where m.id = g.market_id and g.outcome < 0 and cardinality(g.prices) = cardinality(m.outcomes)
    and coalesce(m.price_as_of <= g.at, true)
)
select count(*) filter (where outcome < 0), count(*) filter (where outcome >= 0) from gone
"""


async def release(
    conn: Connection, *, ids: Sequence[str] | None = None, reason: str | None = None
) -> tuple[int, int]:
    """Take quotes and recorded prices out of quarantine: the quotes go back to their markets, the
    prices to the history. From then on, the same quotes are accepted.

    Returns the number of quotes and the number of recorded prices.

    ids : only quotes and prices of these markets; None: of all markets
    reason : only what is in quarantine for this reason; None: for any reason
    """
    await lock_for_ingest(conn)
    given: dict[str, Any] = {"ids": None if ids is None else list(ids), "reason": reason}
    row = await (await conn.execute(_RELEASED, given)).fetchone()
    return (row[0], row[1]) if row else (0, 0)

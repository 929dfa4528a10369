"""SQL on prices at regular time steps, and on the pairs of markets whose prices move together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from augury.relations.store.event_rows import Connection


class PricedStep(NamedTuple):
    """The last price of a market's first outcome within one time step."""

    seq: int
    """The market's number in the database (column `seq`)."""
    event: str
    """Id that is equal for the markets of one event. It is the id of the market's family (markets
    that differ e.g. only in a level or date). Without a family, it is the id of the event under
    which the venue lists the market; without that, the market's own id."""
    step: int
    """Number of the time step, counted from 0 at the beginning of 1970 (UTC). The length of a step
    is an argument of `priced_steps` (`seconds`)."""
    price: float
    """The last price of the market's first outcome (usually Yes) in the time step, as a
    probability, 0 to 1."""


async def priced_steps(
    conn: Connection, since: datetime, seconds: int, least: int
) -> list[PricedStep]:
    """The last price of each market in each time step from the time `since` on. Only markets with
    prices in at least `least` time steps are included.

    seconds : length of a time step
    """
    cursor = await conn.execute(
        """
        with steps as (
          select distinct on (market_seq, step) market_seq, price,
                 floor(extract(epoch from at) / %(seconds)s)::bigint as step
          from prices where outcome = 0 and at >= %(since)s
          order by market_seq, step, at desc
        ), busy as (
          select market_seq from steps group by market_seq having count(*) >= %(least)s
        )
        select s.market_seq, coalesce(m.group_id, m.event_id, m.id), s.step, s.price
        from steps s join busy using (market_seq) join markets m on m.seq = s.market_seq
        order by s.market_seq, s.step
        """,
        {"since": since, "seconds": seconds, "least": least},
        binary=True,
    )
    return [PricedStep(*row) for row in await cursor.fetchall()]


class CoMovementRow(NamedTuple):
    """A stored pair of markets, given by their database numbers, whose prices move together. The
    other fields are as in `comovement.MovingPair`."""

    first_seq: int
    second_seq: int
    lag_steps: int
    correlation: float
    steps: int
    q: float


async def replace_co_movements(
    conn: Connection, rows: Sequence[CoMovementRow], measured_at: datetime, markets: int
) -> None:
    """Store `rows` as the pairs of markets whose prices move together, and delete all pairs that
    were stored before.

    measured_at : time of the measurement
    markets : number of markets that were compared
    """
    await conn.execute("delete from relation_co_movements")
    async with conn.cursor().copy(
        "copy relation_co_movements"
        " (first_seq, second_seq, lag_steps, correlation, steps, q) from stdin"
    ) as copy:
        for row in rows:
            await copy.write_row(row)
    await conn.execute(
        """
        insert into relation_co_movement_state (measured_at, markets) values (%s, %s)
        on conflict (id) do update
        set measured_at = excluded.measured_at, markets = excluded.markets
        """,
        (measured_at, markets),
    )


async def co_movements_measured_at(conn: Connection) -> datetime | None:
    """When it was last measured which markets move together; None if never."""
    row = await (
        await conn.execute("select measured_at from relation_co_movement_state")
    ).fetchone()
    return row[0] if row else None


async def co_movements(conn: Connection) -> list[CoMovementRow]:
    """All stored pairs of markets whose prices move together."""
    cursor = await conn.execute(
        "select first_seq, second_seq, lag_steps, correlation, steps, q"
        " from relation_co_movements order by first_seq, second_seq",
        binary=True,
    )
    return [CoMovementRow(*row) for row in await cursor.fetchall()]


async def strongest_co_movements(conn: Connection, most: int) -> list[tuple[str, str]]:
    """The pairs of active markets whose prices move together, as pairs of ids, the strongest
    correlation first; at most `most` pairs."""
    cursor = await conn.execute(
        """
        select a.id, b.id from relation_co_movements c
        join markets a on a.seq = c.first_seq join markets b on b.seq = c.second_seq
        where a.status = 'active' and b.status = 'active'
        order by abs(c.correlation) desc, c.first_seq, c.second_seq limit %s
        """,
        (most,),
    )
    return [(one, other) for one, other in await cursor.fetchall()]

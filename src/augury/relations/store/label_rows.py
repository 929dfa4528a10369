"""SQL on labels: a language model's answers on how two events are related, and the operator's
decision on each."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Literal, NamedTuple

from augury.relations.store.event_rows import Connection

LabelRelation = Literal["causes", "caused_by", "correlated", "none"]
"""How the first event of a pair is related to the second, according to a language model. causes:
the first drives the second; caused_by: the second drives the first; correlated: they move together;
none: unrelated."""
LabelStatus = Literal["proposed", "confirmed", "rejected"]
"""What the operator decided on a language model's label; `proposed`: no decision yet."""


class LabelRow(NamedTuple):
    """A label: a language model's answer on how two events are related. Each event is given by one
    of its markets: by the market's database number (`first_seq`) and its id (`first_id`)."""

    id: int
    first_seq: int
    second_seq: int
    first_id: str
    second_id: str
    relation: LabelRelation
    sign: int
    """+1 if the probabilities of the two markets rise together, -1 if one falls when the other
    rises, 0 if unknown."""
    lag_days: int
    """Typical number of days from cause to effect."""
    reason: str
    model: str
    status: LabelStatus
    made_at: datetime


async def labels(conn: Connection) -> list[LabelRow]:
    """All labels (a language model's answers on how two events are related), the oldest first,
    including those with the relation "none"."""
    cursor = await conn.execute(
        """
        select l.id, l.first_seq, l.second_seq, a.id, b.id, l.relation, l.sign, l.lag_days,
               l.reason, l.model, l.status, l.made_at
        from relation_labels l
        join markets a on a.seq = l.first_seq join markets b on b.seq = l.second_seq
        order by l.id
        """
    )
    return [LabelRow(*row) for row in await cursor.fetchall()]


async def labels_state(conn: Connection) -> tuple[int, ...]:
    """Four numbers that change when a label (a language model's answer on a pair of events) is
    added, removed, confirmed or rejected: how many labels there are, the largest id, and the sums
    of the ids of confirmed and of rejected labels."""
    cursor = await conn.execute(
        """
        select count(*), coalesce(max(id), 0),
               coalesce(sum(id) filter (where status = 'confirmed'), 0)::bigint,
               coalesce(sum(id) filter (where status = 'rejected'), 0)::bigint
        from relation_labels
        """
    )
    row = await cursor.fetchone()
    assert row is not None
    return tuple(row)


async def labeled_pairs(conn: Connection, pairs: Collection[bytes]) -> set[bytes]:
    """Those of `pairs` (hashes of pairs of events, `LeadPair.key`) for which a label (a language
    model's answer on how the events are related) is stored."""
    cursor = await conn.execute("select pair from relation_labels where pair = any(%s)", (pairs,))
    return {row[0] for row in await cursor.fetchall()}


async def add_label(
    conn: Connection,
    pair: bytes,
    first_seq: int,
    second_seq: int,
    relation: LabelRelation,
    sign: int,
    lag_days: int,
    reason: str,
    model: str,
    made_at: datetime,
) -> None:
    """Store a language model's label for a pair of events, unless the pair already has one.

    pair : hash of the pair (`LeadPair.key`)
    first_seq, second_seq : database numbers of the markets that represented the first and the
        second event when the model was asked
    """
    await conn.execute(
        """
        insert into relation_labels
          (pair, first_seq, second_seq, relation, sign, lag_days, reason, model, made_at)
        values (%s, %s, %s, %s, %s, %s, %s, %s, %s) on conflict (pair) do nothing
        """,
        (pair, first_seq, second_seq, relation, sign, lag_days, reason, model, made_at),
    )


async def judge_labels(conn: Connection, ids: Collection[int], status: LabelStatus) -> int:
    """Store the operator's decision (`status`) on the labels with these `ids`. Returns how many of
    these labels exist."""
    cursor = await conn.execute(
        "update relation_labels set status = %s where id = any(%s)", (status, list(ids))
    )
    return cursor.rowcount


async def remove_labels(conn: Connection, model: str | None) -> int:
    """Remove all labels that the model called `model` gave, or all labels if `model` is None.
    Returns the number of removed labels."""
    cursor = await conn.execute(
        "delete from relation_labels where %(model)s::text is null or model = %(model)s",
        {"model": model},
    )
    return cursor.rowcount


async def leading_markets(conn: Connection, most: int) -> list[str]:
    """The id of each event's most traded active market, the largest volume first; at most `most`
    ids."""
    cursor = await conn.execute(
        """
        select id from (
          select distinct on (n.event_id) m.id, m.volume
          from relation_members r join relation_nodes n using (node)
          join markets m on m.seq = r.market_seq
          where m.status = 'active'
          order by n.event_id, m.volume desc nulls last, m.seq
        ) leads order by volume desc nulls last, id limit %s
        """,
        (most,),
    )
    return [row[0] for row in await cursor.fetchall()]

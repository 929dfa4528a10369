"""The state of each rule on each target, and which states are due for evaluation.

A pair is a rule and one of the targets that it applies to; each pair has one state. A target has
moved when the stored data of its markets or series changed since the last evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple

from augury.storage.database import columns
from augury.watchlists.rules import RuleState, Status
from augury.watchlists.store.reading import Connection, scalar


class RuleOnTarget(NamedTuple):
    """A rule and a watched target that it applies to, with the state of this pair (as in
    `RuleState`)."""

    rule_id: str
    target_id: str
    status: Status
    since: datetime | None
    alerting: bool
    armed: bool
    episode: int
    fired_at: datetime | None
    value: float | None
    label: str | None
    as_of: datetime | None
    reason: str | None
    evaluated_at: datetime | None

    def state(self) -> RuleState:
        """The stored state of this (rule, target) pair as a `RuleState`, which `rules.step` works
        with."""
        return RuleState(
            status=self.status, since=self.since, alerting=self.alerting, armed=self.armed,
            episode=self.episode, fired_at=self.fired_at,
            value=self.label if self.label is not None else self.value,
            as_of=self.as_of, reason=self.reason, evaluated_at=self.evaluated_at,
        )  # fmt: skip


_PAIR = columns(RuleOnTarget._fields, "s")


async def now(conn: Connection) -> datetime:
    """The database's current time."""
    return await scalar(conn, "select clock_timestamp()")


async def progress(conn: Connection, source: str) -> int:
    """How far the changes of markets or of series (`source`) have been evaluated: the sequence
    number of the last evaluated change. Its row is locked until the transaction ends, so that no
    other process can advance it."""
    return await scalar(
        conn, "select moved from watch_progress where source = %s for update", (source,)
    )


async def advance(conn: Connection, source: str, moved: int) -> None:
    await conn.execute("update watch_progress set moved = %s where source = %s", (moved, source))


async def watches_markets(conn: Connection) -> bool:
    """Whether any watchlist watches a market."""
    return await scalar(conn, "select exists (select from watch_members)")


async def targets_with_markets(conn: Connection, market_ids: Sequence[str]) -> list[str]:
    rows = await conn.execute(
        "select distinct target_id from watch_members where market_id = any(%s)",
        (list(market_ids),),
    )
    return [row[0] for row in await rows.fetchall()]


async def targets_with_series(conn: Connection, series_ids: Sequence[str]) -> list[str]:
    rows = await conn.execute(
        "select id from watch_targets where kind = 'series' and ref = any(%s)",
        (list(series_ids),),
    )
    return [row[0] for row in await rows.fetchall()]


async def due_watchlists(conn: Connection, moved_targets: Sequence[str], limit: int) -> list[str]:
    """Ids of the watchlists that have one of these targets, or one of the `limit` (rule, target)
    pairs that have been due for evaluation longest. The ids are sorted: every process locks
    watchlists in this order."""
    rows = await conn.execute(
        """
        select watchlist_id from watch_targets where id = any(%s)
        union
        select watchlist_id from (
          select watchlist_id from watch_states where due_at <= now() order by due_at limit %s
        ) due
        order by 1
        """,
        (list(moved_targets), limit),
    )
    return [row[0] for row in await rows.fetchall()]


async def lock_all(conn: Connection, watchlist_ids: Sequence[str]) -> dict[str, str]:
    """Lock the given watchlists, except those that have been deleted, until the transaction ends.
    Returns watchlist id -> id of its account, for the locked ones."""
    rows = await conn.execute(
        "select id, account_id from watchlists where id = any(%s) order by id for no key update",
        (list(watchlist_ids),),
    )
    return dict(await rows.fetchall())


async def pairs_of(conn: Connection, watchlist_id: str) -> list[RuleOnTarget]:
    """Each rule of a watchlist with each target that it applies to, and their state."""
    return await _pairs(conn, "s.watchlist_id = %s order by s.rule_id, s.target_id", watchlist_id)


async def pairs_due(
    conn: Connection, moved_targets: Sequence[str], watchlist_ids: Sequence[str], limit: int
) -> list[RuleOnTarget]:
    """The (rule, target) pairs to evaluate now. They are of two kinds:

    - every pair of a target in `moved_targets`: its data changed since the last evaluation;
    - at most `limit` pairs of the watchlists `watchlist_ids` that are due: the time has come to
      evaluate them again even if no new data have arrived.
    """
    return await _pairs(
        conn,
        """s.target_id = any(%s) or (s.rule_id, s.target_id) in (
          select rule_id, target_id from watch_states
          where due_at <= now() and watchlist_id = any(%s) order by due_at limit %s
        )""",
        list(moved_targets),
        list(watchlist_ids),
        limit,
    )


async def _pairs(conn: Connection, where: LiteralString, *params: Any) -> list[RuleOnTarget]:
    query = f"select {_PAIR} from watch_states s where {where}"  # noqa: S608
    rows = await conn.execute(query, params, binary=True)
    return [RuleOnTarget(*row) for row in await rows.fetchall()]


async def save_states(
    conn: Connection, states: Sequence[tuple[str, str, RuleState, datetime | None]]
) -> None:
    """Store the states of (rule, target) pairs, as (rule id, target id, state, time). The time says
    when the pair is evaluated again even if no new data have arrived; None: never."""
    if not states:
        return
    rows = [
        (
            rule_id, target_id, s.status, s.since, s.alerting, s.armed, s.episode, s.fired_at,
            s.value if isinstance(s.value, int | float) else None,
            s.value if isinstance(s.value, str) else None,
            s.as_of, s.reason, s.evaluated_at, due_at,
        )
        for rule_id, target_id, s, due_at in states
    ]  # fmt: skip
    await conn.execute(
        """
        update watch_states s set
          status = u.status, since = u.since, alerting = u.alerting, armed = u.armed,
          episode = u.episode, fired_at = u.fired_at, value = u.value, label = u.label,
          as_of = u.as_of, reason = u.reason, evaluated_at = u.evaluated_at,
          due_at = coalesce(u.due_at, 'infinity')
        from unnest(
          %b::text[], %b::text[], %b::text[], %b::timestamptz[], %b::bool[], %b::bool[], %b::int[],
          %b::timestamptz[], %b::float8[], %b::text[], %b::timestamptz[], %b::text[],
          %b::timestamptz[], %b::timestamptz[]
        ) u (rule_id, target_id, status, since, alerting, armed, episode, fired_at, value, label,
             as_of, reason, evaluated_at, due_at)
        where s.rule_id = u.rule_id and s.target_id = u.target_id
        """,
        [list(column) for column in zip(*rows, strict=True)],
    )

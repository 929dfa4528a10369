"""The SQL of watchlists: targets, rules, the states of both together, alerts.

Whoever changes a watchlist or evaluates it first locks its row, so that each of them happens as
if alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, LiteralString, NamedTuple, TypeVar

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from augury.storage.database import columns
from augury.watchlists.rules import FITS, Kind, Metric, Op, Rule, Severity, State, Status

Connection = AsyncConnection[Any]
T = TypeVar("T")

VOLUMES_KEPT = timedelta(days=15)
ALERTS_KEPT = timedelta(days=365)


class Watchlist(NamedTuple):
    """A watchlist and how much is in it."""

    id: str
    name: str
    description: str | None
    created_at: datetime
    updated_at: datetime
    targets: int
    rules: int
    firing: int


class Target(NamedTuple):
    """What is watched. `ref` is an id: of a market, an event, a series; an asset; or a query."""

    id: str
    watchlist_id: str
    kind: Kind
    ref: str
    outcome: str | None
    label: str | None
    resolved_at: datetime | None
    created_at: datetime


class StoredRule(NamedTuple):
    """A row of `watch_rules`; `span` is the window, `hold` the "for"."""

    id: str
    watchlist_id: str
    target_id: str | None
    name: str
    metric: Metric
    op: Op
    threshold: float | None
    label: str | None
    span: timedelta | None
    hold: timedelta
    cooldown: timedelta
    hysteresis: float
    severity: Severity
    expires_at: datetime | None
    created_at: datetime
    silenced_until: datetime | None = None

    def rule(self) -> Rule:
        """As the state machine takes it."""
        return Rule(
            id=self.id, name=self.name, metric=self.metric, op=self.op, threshold=self.threshold,
            label=self.label, span=self.span, hold=self.hold, cooldown=self.cooldown,
            hysteresis=self.hysteresis, severity=self.severity, expires_at=self.expires_at,
            silenced_until=self.silenced_until,
        )  # fmt: skip


class Pair(NamedTuple):
    """A rule and a target it holds for, with the state of both."""

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

    def state(self) -> State:
        """As the state machine takes it."""
        return State(
            status=self.status, since=self.since, alerting=self.alerting, armed=self.armed,
            episode=self.episode, fired_at=self.fired_at,
            value=self.label if self.label is not None else self.value,
            as_of=self.as_of, reason=self.reason, evaluated_at=self.evaluated_at,
        )  # fmt: skip


class Opened(msgspec.Struct, frozen=True):
    """An alert that fires now."""

    id: str
    account_id: str
    watchlist_id: str
    rule_id: str
    target_id: str
    episode: int
    severity: Severity
    value: float | str | None
    as_of: datetime | None
    fired_at: datetime
    record: dict[str, Any]


class Ended(NamedTuple):
    """The open alert of a rule and a target ends, with the value that was seen then."""

    rule_id: str
    target_id: str
    resolution: str
    at: datetime
    value: float | str | None


class Alert(NamedTuple):
    """A row of `alerts`."""

    id: str
    seq: int
    account_id: str
    watchlist_id: str
    rule_id: str
    target_id: str
    episode: int
    state: str
    severity: Severity
    value: float | None
    label: str | None
    as_of: datetime | None
    fired_at: datetime
    resolved_at: datetime | None
    resolution: str | None
    record: dict[str, Any]
    snoozed_until: datetime | None


_ALERT = columns(Alert._fields)
_RULE = columns(StoredRule._fields)
_TARGET = columns(Target._fields)
_OF_RULES: LiteralString = f"select {_RULE} from watch_rules"  # noqa: S608
_OF_TARGETS: LiteralString = f"select {_TARGET} from watch_targets"  # noqa: S608
_PAIR = columns(Pair._fields, "s")
_COUNTED: LiteralString = """
  select w.id, w.name, w.description, w.created_at, w.updated_at,
         (select count(*) from watch_targets t where t.watchlist_id = w.id) as targets,
         (select count(*) from watch_rules r where r.watchlist_id = w.id) as rules,
         (select count(*) from alerts a where a.watchlist_id = w.id and a.state = 'firing')
           as firing
  from watchlists w
"""


async def insert(
    conn: Connection, watchlist_id: str, account_id: str, name: str, description: str | None
) -> None:
    await conn.execute(
        "insert into watchlists (id, account_id, name, description) values (%s, %s, %s, %s)",
        (watchlist_id, account_id, name, description),
    )


async def count(conn: Connection, account_id: str) -> int:
    """How many watchlists an account has; nobody else adds one until the transaction ends."""
    await conn.execute("select 1 from accounts where id = %s for no key update", (account_id,))
    return await _scalar(
        conn, "select count(*) from watchlists where account_id = %s", (account_id,)
    )


async def fetch(conn: Connection, account_id: str, watchlist_id: str) -> Watchlist | None:
    async with conn.cursor(row_factory=class_row(Watchlist)) as cursor:
        await cursor.execute(
            f"{_COUNTED} where w.account_id = %s and w.id = %s",
            (account_id, watchlist_id),
        )
        return await cursor.fetchone()


async def page(
    conn: Connection, account_id: str, *, limit: int, after: str | None
) -> list[Watchlist]:
    """An account's watchlists, oldest first."""
    async with conn.cursor(row_factory=class_row(Watchlist)) as cursor:
        await cursor.execute(
            f"{_COUNTED} where w.account_id = %s and w.id > %s order by w.id limit %s",
            (account_id, after or "", limit),
        )
        return await cursor.fetchall()


async def lock(conn: Connection, account_id: str, watchlist_id: str) -> bool:
    """Have the account's watchlist to ourselves until the transaction ends; False: not theirs."""
    cursor = await conn.execute(
        "select 1 from watchlists where id = %s and account_id = %s for no key update",
        (watchlist_id, account_id),
    )
    return await cursor.fetchone() is not None


async def change(conn: Connection, watchlist_id: str, name: str, description: str | None) -> None:
    await conn.execute(
        "update watchlists set name = %s, description = %s, updated_at = now() where id = %s",
        (name, description, watchlist_id),
    )


async def delete(conn: Connection, watchlist_id: str) -> None:
    await conn.execute("delete from watchlists where id = %s", (watchlist_id,))


# Targets


async def same_target(
    conn: Connection, watchlist_id: str, kind: str, ref: str, outcome: str | None
) -> str | None:
    """The id of the watchlist's target on the same, if it has one."""
    cursor = await conn.execute(
        "select id from watch_targets where watchlist_id = %s and kind = %s and ref = %s"
        " and outcome is not distinct from %s limit 1",
        (watchlist_id, kind, ref, outcome),
    )
    row = await cursor.fetchone()
    return row[0] if row else None


async def insert_target(conn: Connection, target: Target, markets: Sequence[str]) -> None:
    """A target, its markets, and its state under every rule of the watchlist that fits it."""
    await conn.execute(
        "insert into watch_targets"
        " (id, watchlist_id, kind, ref, outcome, label, resolved_at, created_at)"
        " values (%s, %s, %s, %s, %s, %s, %s, %s)",
        target,
    )
    await set_members(conn, target.id, markets)
    await conn.execute(
        """
        insert into watch_states (rule_id, target_id, watchlist_id)
        select id, %s, watchlist_id from watch_rules
        where watchlist_id = %s and target_id is null and metric = any(%s)
        """,
        (target.id, target.watchlist_id, list(FITS[target.kind])),
    )


async def set_members(conn: Connection, target_id: str, markets: Sequence[str]) -> None:
    """What the target's markets are from now on."""
    await conn.execute(
        "delete from watch_members where target_id = %s and market_id <> all(%s)",
        (target_id, list(markets)),
    )
    await conn.execute(
        "insert into watch_members select %s, unnest(%s::text[]) on conflict do nothing",
        (target_id, list(markets)),
    )


async def note_members(conn: Connection, target_id: str, markets: Sequence[str]) -> None:
    """As `set_members`, for a look at a saved search or an event; who moved in is evaluated."""
    before = set(await target_members(conn, [target_id]))
    await conn.execute("update watch_targets set resolved_at = now() where id = %s", (target_id,))
    if before != {(target_id, market) for market in markets}:
        await set_members(conn, target_id, markets)
        await conn.execute(
            "update watch_states set due_at = now() where target_id = %s", (target_id,)
        )


async def to_resolve(conn: Connection, older_than: timedelta, limit: int) -> list[Target]:
    """Events and saved searches whose markets were not looked up for a while."""
    async with conn.cursor(row_factory=class_row(Target)) as cursor:
        await cursor.execute(
            f"""
            {_OF_TARGETS}
            where kind in ('event', 'search') and resolved_at < now() - %s
            order by resolved_at limit %s
            """,
            (older_than, limit),
        )
        return await cursor.fetchall()


async def target(conn: Connection, watchlist_id: str, target_id: str) -> Target | None:
    return await _one(conn, Target, _OF_TARGETS, watchlist_id, target_id)


async def targets(
    conn: Connection, watchlist_id: str, *, limit: int, after: str | None
) -> list[Target]:
    """The watchlist's targets, oldest first."""
    return await _page(conn, Target, _OF_TARGETS, watchlist_id, limit, after)


async def targets_of(conn: Connection, target_ids: Sequence[str]) -> dict[str, Target]:
    async with conn.cursor(row_factory=class_row(Target), binary=True) as cursor:
        await cursor.execute(
            f"{_OF_TARGETS} where id = any(%s)",
            (list(target_ids),),
        )
        return {t.id: t for t in await cursor.fetchall()}


async def target_members(conn: Connection, target_ids: Sequence[str]) -> list[tuple[str, str]]:
    """(target, market) of these targets."""
    rows = await conn.execute(
        "select target_id, market_id from watch_members where target_id = any(%s)"
        " order by target_id, market_id",
        (list(target_ids),),
    )
    return [(row[0], row[1]) for row in await rows.fetchall()]


async def delete_target(conn: Connection, watchlist_id: str, target_id: str) -> bool:
    """Remove it with the rules that were for it alone; their open alerts end."""
    await _end_alerts(conn, "target_id", target_id)
    await conn.execute(
        "with gone as (select id from watch_rules where target_id = %s)"
        " update alerts set state = 'resolved', resolved_at = now(), resolution = 'removed'"
        " where state = 'firing' and rule_id in (select id from gone)",
        (target_id,),
    )
    cursor = await conn.execute(
        "delete from watch_targets where watchlist_id = %s and id = %s", (watchlist_id, target_id)
    )
    return cursor.rowcount == 1


# Rules


async def insert_rule(conn: Connection, rule: StoredRule) -> None:
    """A rule, and its state with every target it holds for."""
    await conn.execute(
        """
        insert into watch_rules (id, watchlist_id, target_id, name, metric, op, threshold, label,
                                 span, hold, cooldown, hysteresis, severity, expires_at,
                                 created_at, silenced_until)
        values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        rule,
    )
    await conn.execute(
        """
        insert into watch_states (rule_id, target_id, watchlist_id)
        select %s, id, watchlist_id from watch_targets
        where watchlist_id = %s and id = coalesce(%s, id) and kind = any(%s)
        """,
        (
            rule.id,
            rule.watchlist_id,
            rule.target_id,
            [kind for kind, metrics in FITS.items() if rule.metric in metrics],
        ),
    )


async def rule(conn: Connection, watchlist_id: str, rule_id: str) -> StoredRule | None:
    return await _one(conn, StoredRule, _OF_RULES, watchlist_id, rule_id)


async def change_rule(conn: Connection, rule: StoredRule) -> None:
    """Store what may change of a rule; its states stay and are looked at anew."""
    await conn.execute(
        """
        update watch_rules set name = %(name)s, threshold = %(threshold)s, label = %(label)s,
               span = %(span)s, hold = %(hold)s, cooldown = %(cooldown)s,
               hysteresis = %(hysteresis)s, severity = %(severity)s, expires_at = %(expires_at)s
        where id = %(id)s
        """,
        rule._asdict(),
    )
    await conn.execute("update watch_states set due_at = now() where rule_id = %s", (rule.id,))


async def silence_rule(conn: Connection, rule_id: str, until: datetime | None) -> None:
    """Send nothing of a rule's alerts until then; None: send them again."""
    await conn.execute("update watch_rules set silenced_until = %s where id = %s", (until, rule_id))


async def snooze_alert(
    conn: Connection, watchlist_id: str, alert_id: str, until: datetime | None
) -> Alert | None:
    """Send nothing more about an alert until then; None when it isn't of this watchlist."""
    rows = await conn.execute(
        f"update alerts set snoozed_until = %s where watchlist_id = %s and id = %s"  # noqa: S608
        f" returning {_ALERT}",
        (until, watchlist_id, alert_id),
    )
    row = await rows.fetchone()
    return Alert(*row) if row else None


async def wake_alerts(conn: Connection, at: datetime) -> list[Alert]:
    """Open alerts whose snooze has ended; it is taken off them, so that each comes once."""
    rows = await conn.execute(
        "update alerts set snoozed_until = null where state = 'firing' and snoozed_until <= %s"  # noqa: S608
        f" returning {_ALERT}",
        (at,),
    )
    return [Alert(*row) for row in await rows.fetchall()]


async def pair_count(conn: Connection, watchlist_id: str) -> int:
    return await _scalar(
        conn, "select count(*) from watch_states where watchlist_id = %s", (watchlist_id,)
    )


async def counts(conn: Connection, watchlist_id: str) -> tuple[int, int]:
    """How many targets and rules a watchlist has."""
    rows = await conn.execute(
        "select (select count(*) from watch_targets where watchlist_id = %(id)s),"
        " (select count(*) from watch_rules where watchlist_id = %(id)s)",
        {"id": watchlist_id},
    )
    row = await rows.fetchone()
    assert row is not None
    return row[0], row[1]


async def rules(
    conn: Connection, watchlist_id: str, *, limit: int, after: str | None
) -> list[StoredRule]:
    """The watchlist's rules, oldest first."""
    return await _page(conn, StoredRule, _OF_RULES, watchlist_id, limit, after)


async def _one(
    conn: Connection, kind: type[T], of: LiteralString, watchlist_id: str, id: str
) -> T | None:
    async with conn.cursor(row_factory=class_row(kind)) as cursor:
        await cursor.execute(f"{of} where watchlist_id = %s and id = %s", (watchlist_id, id))
        return await cursor.fetchone()


async def _page(
    conn: Connection,
    kind: type[T],
    of: LiteralString,
    watchlist_id: str,
    limit: int,
    after: str | None,
) -> list[T]:
    async with conn.cursor(row_factory=class_row(kind)) as cursor:
        await cursor.execute(
            f"{of} where watchlist_id = %s and id > %s order by id limit %s",
            (watchlist_id, after or "", limit),
        )
        return await cursor.fetchall()


async def rules_of(conn: Connection, rule_ids: Sequence[str]) -> dict[str, Rule]:
    async with conn.cursor(row_factory=class_row(StoredRule), binary=True) as cursor:
        await cursor.execute(
            f"{_OF_RULES} where id = any(%s)",
            (list(rule_ids),),
        )
        return {stored.id: stored.rule() for stored in await cursor.fetchall()}


async def rules_for(conn: Connection, target_id: str) -> list[Rule]:
    """The rules that hold for a target."""
    async with conn.cursor(row_factory=class_row(StoredRule)) as cursor:
        await cursor.execute(
            f"""
            {_OF_RULES}
            where id in (select rule_id from watch_states where target_id = %s) order by id
            """,  # noqa: S608
            (target_id,),
        )
        return [stored.rule() for stored in await cursor.fetchall()]


async def delete_rule(conn: Connection, watchlist_id: str, rule_id: str) -> bool:
    """Remove it; its open alerts end."""
    await _end_alerts(conn, "rule_id", rule_id)
    cursor = await conn.execute(
        "delete from watch_rules where watchlist_id = %s and id = %s", (watchlist_id, rule_id)
    )
    return cursor.rowcount == 1


async def _end_alerts(conn: Connection, column: LiteralString, value: str) -> None:
    await conn.execute(
        f"update alerts set state = 'resolved', resolved_at = now(), resolution = 'removed'"  # noqa: S608
        f" where state = 'firing' and {column} = %s",
        (value,),
    )


# Evaluation


async def now(conn: Connection) -> datetime:
    """The database's time."""
    return await _scalar(conn, "select clock_timestamp()")


async def progress(conn: Connection, source: str) -> int:
    """How far evaluation has followed what moved; ours to advance until the transaction ends."""
    return await _scalar(
        conn, "select moved from watch_progress where source = %s for update", (source,)
    )


async def advance(conn: Connection, source: str, moved: int) -> None:
    await conn.execute("update watch_progress set moved = %s where source = %s", (moved, source))


async def watches_markets(conn: Connection) -> bool:
    """Whether any market is watched at all."""
    return await _scalar(conn, "select exists (select from watch_members)")


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
    """Watchlists with a target that moved, or a state whose time has come; in their lock order."""
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
    """Account by watchlist, of those that still exist, each locked as by `lock`."""
    rows = await conn.execute(
        "select id, account_id from watchlists where id = any(%s) order by id for no key update",
        (list(watchlist_ids),),
    )
    return dict(await rows.fetchall())


async def pairs_of(conn: Connection, watchlist_id: str) -> list[Pair]:
    """All pairs of one watchlist."""
    return await _pairs(conn, "s.watchlist_id = %s order by s.rule_id, s.target_id", watchlist_id)


async def pairs_due(
    conn: Connection, moved_targets: Sequence[str], watchlist_ids: Sequence[str], limit: int
) -> list[Pair]:
    """Pairs of these watchlists whose target moved or whose time has come."""
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


async def _pairs(conn: Connection, where: LiteralString, *params: Any) -> list[Pair]:
    query = f"select {_PAIR} from watch_states s where {where}"  # noqa: S608
    rows = await conn.execute(query, params, binary=True)
    return [Pair(*row) for row in await rows.fetchall()]


async def save_states(
    conn: Connection, states: Sequence[tuple[str, str, State, datetime | None]]
) -> None:
    """Store (rule, target, state, due at); never due again is None."""
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


async def open_alerts(conn: Connection, opened: Sequence[Opened]) -> list[Alert]:
    """Insert alerts that fire; the rows, in their order. One an episode, whoever comes first."""
    if not opened:
        return []
    rows = await conn.execute(
        f"""
        insert into alerts (id, account_id, watchlist_id, rule_id, target_id, episode, state,
                            severity, value, label, as_of, fired_at, record)
        select id, account_id, watchlist_id, rule_id, target_id, episode, 'firing', severity,
               value, label, as_of, fired_at, record
        from unnest(
          %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[], %s::text[],
          %s::float8[], %s::text[], %s::timestamptz[], %s::timestamptz[], %s::jsonb[]
        ) with ordinality u (id, account_id, watchlist_id, rule_id, target_id, episode, severity,
                             value, label, as_of, fired_at, record, n)
        order by n
        on conflict do nothing
        returning {_ALERT}
        """,  # noqa: S608
        [
            [o.id for o in opened], [o.account_id for o in opened],
            [o.watchlist_id for o in opened], [o.rule_id for o in opened],
            [o.target_id for o in opened], [o.episode for o in opened],
            [o.severity for o in opened],
            [o.value if isinstance(o.value, int | float) else None for o in opened],
            [o.value if isinstance(o.value, str) else None for o in opened],
            [o.as_of for o in opened], [o.fired_at for o in opened],
            [Jsonb(o.record) for o in opened],
        ],
    )  # fmt: skip
    return [Alert(*row) for row in await rows.fetchall()]


async def close_alerts(conn: Connection, ended: Sequence[Ended]) -> list[Alert]:
    """End open alerts; the rows."""
    if not ended:
        return []
    rows = await conn.execute(
        f"""
        update alerts a set state = 'resolved', resolved_at = u.at, resolution = u.resolution,
               record = a.record || u.more
        from unnest(%s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::jsonb[])
             u (rule_id, target_id, resolution, at, more)
        where a.state = 'firing' and a.rule_id = u.rule_id and a.target_id = u.target_id
        returning {columns(Alert._fields, "a")}
        """,  # noqa: S608
        [
            [e.rule_id for e in ended],
            [e.target_id for e in ended],
            [e.resolution for e in ended],
            [e.at for e in ended],
            [Jsonb({"resolved_value": e.value}) for e in ended],
        ],
    )
    return [Alert(*row) for row in await rows.fetchall()]


async def sample_volumes(
    conn: Connection, volumes: dict[str, float], now: datetime, apart: timedelta
) -> None:
    """Note how much was traded so far, at most once in `apart` a market."""
    await conn.execute(
        """
        insert into watch_volumes (market_id, at, volume)
        select u.id, %(now)s, u.volume from unnest(%(ids)s::text[], %(volumes)s::float8[])
             u (id, volume)
        where not exists (
          select from watch_volumes v where v.market_id = u.id and v.at > %(now)s - %(apart)s)
        on conflict do nothing
        """,
        {
            "ids": list(volumes), "volumes": list(volumes.values()), "now": now, "apart": apart,
        },
    )  # fmt: skip


async def volumes_before(
    conn: Connection, asked: Sequence[tuple[str, timedelta]], count: int, now: datetime
) -> list[list[float | None]]:
    """For each (market, span) its volume at `now - count span` ... `now - span`."""
    rows = await conn.execute(
        """
        select array_agg(v.volume order by k desc)
        from unnest(%s::text[], %s::interval[]) with ordinality a (market_id, span, n)
        cross join generate_series(1, %s) k
        left join lateral (
          select volume from watch_volumes
          where market_id = a.market_id and at <= %s::timestamptz - k * a.span
            and at > %s::timestamptz - k * a.span - greatest(a.span, interval '20 minutes')
          order by at desc limit 1
        ) v on true
        group by a.n order by a.n
        """,
        (*(list(column) for column in zip(*asked, strict=True)), count, now, now),
        binary=True,
    )
    return [row[0] for row in await rows.fetchall()]


# Alerts


async def alerts_page(
    conn: Connection,
    watchlist_id: str,
    *,
    state: str | None = None,
    severity: str | None = None,
    since: datetime | None = None,
    target_id: str | None = None,
    limit: int,
    before: int | None = None,
) -> list[Alert]:
    """Alerts, the latest first; `since` a time at which they fired."""
    async with conn.cursor(row_factory=class_row(Alert)) as cursor:
        await cursor.execute(
            f"""
            select {_ALERT} from alerts
            where watchlist_id = %(id)s and seq < %(before)s
              and (%(state)s::text is null or state = %(state)s)
              and (%(severity)s::text is null or severity = %(severity)s)
              and (%(since)s::timestamptz is null or fired_at >= %(since)s)
              and (%(target)s::text is null or target_id = %(target)s)
            order by seq desc limit %(limit)s
            """,  # noqa: S608
            {
                "id": watchlist_id, "before": before if before is not None else 2**63 - 1,
                "state": state, "severity": severity, "since": since, "target": target_id,
                "limit": limit,
            },
        )  # fmt: skip
        return await cursor.fetchall()


async def prune(conn: Connection) -> None:
    """Forget old samples and alerts that ended long ago; for a schedule."""
    await conn.execute("delete from watch_volumes where at < now() - %s", (VOLUMES_KEPT,))
    await conn.execute("delete from alerts where resolved_at < now() - %s", (ALERTS_KEPT,))


async def _scalar(conn: Connection, query: LiteralString, params: Sequence[Any] = ()) -> Any:
    row = await (await conn.execute(query, params)).fetchone()
    return row[0] if row else None

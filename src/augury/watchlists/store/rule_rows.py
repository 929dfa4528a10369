"""SQL for reading and writing rules. A rule applies to all targets of its watchlist that have the
rule's metric, or to one target."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import LiteralString, NamedTuple

from psycopg.rows import class_row

from augury.storage.database import columns
from augury.watchlists.rules import METRICS_BY_KIND, Metric, Op, Rule, Severity
from augury.watchlists.store.alert_rows import end_alerts
from augury.watchlists.store.reading import Connection, page_of, row_of


class StoredRule(NamedTuple):
    """A stored rule (an alert condition) of a watchlist; fields as in `rules.Rule`. With
    `target_id` None, the rule applies to every target that has the rule's metric."""

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
        """This rule as a `Rule`, the form in which rules are evaluated."""
        return Rule(
            id=self.id, name=self.name, metric=self.metric, op=self.op, threshold=self.threshold,
            label=self.label, span=self.span, hold=self.hold, cooldown=self.cooldown,
            hysteresis=self.hysteresis, severity=self.severity, expires_at=self.expires_at,
            silenced_until=self.silenced_until,
        )  # fmt: skip


_RULE = columns(StoredRule._fields)

_OF_RULES: LiteralString = f"select {_RULE} from watch_rules"  # noqa: S608


async def insert_rule(conn: Connection, rule: StoredRule) -> None:
    """Insert a rule, and an initial state for it on every target that it applies to."""
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
            [kind for kind, metrics in METRICS_BY_KIND.items() if rule.metric in metrics],
        ),
    )


async def rule(conn: Connection, watchlist_id: str, rule_id: str) -> StoredRule | None:
    return await row_of(conn, StoredRule, _OF_RULES, watchlist_id, rule_id)


async def change_rule(conn: Connection, rule: StoredRule) -> None:
    """Store the changed fields of a rule. The rule's states on targets are kept, and are due for
    evaluation at once."""
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
    """Send no messages about a rule's alerts until a time; None: send them again."""
    await conn.execute("update watch_rules set silenced_until = %s where id = %s", (until, rule_id))


async def rules(
    conn: Connection, watchlist_id: str, *, limit: int, after: str | None
) -> list[StoredRule]:
    """The watchlist's rules, oldest first."""
    return await page_of(conn, StoredRule, _OF_RULES, watchlist_id, limit, after)


async def rules_of(conn: Connection, rule_ids: Sequence[str]) -> dict[str, Rule]:
    async with conn.cursor(row_factory=class_row(StoredRule), binary=True) as cursor:
        await cursor.execute(
            f"{_OF_RULES} where id = any(%s)",
            (list(rule_ids),),
        )
        return {stored.id: stored.rule() for stored in await cursor.fetchall()}


async def rules_for(conn: Connection, target_id: str) -> list[Rule]:
    """The rules that apply to a target: rules for this target alone and, if this target has the
    rule's metric, rules for all targets."""
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
    """Delete a rule; its open alerts end. Returns False if the watchlist has no such rule."""
    await end_alerts(conn, "rule_id", rule_id)
    cursor = await conn.execute(
        "delete from watch_rules where watchlist_id = %s and id = %s", (watchlist_id, rule_id)
    )
    return cursor.rowcount == 1

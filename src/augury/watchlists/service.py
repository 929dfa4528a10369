"""Use cases of watchlists: create, read, change, delete and chart them and their contents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from augury.clock import Clock, now
from augury.deliveries.service import DeliveryService, NewEndpoint
from augury.deliveries.store import Endpoint
from augury.errors import Conflict, InvalidInput, NotFound
from augury.ids import new_id
from augury.markets import store as markets
from augury.storage.database import Database
from augury.watchlists import store
from augury.watchlists.chart import Chart, Marker, ThresholdLine
from augury.watchlists.evaluation import Evaluated, Evaluator
from augury.watchlists.history import step_of, target_history
from augury.watchlists.rule_checks import check_rule
from augury.watchlists.rule_trial import PREVIEW_POINTS, Preview, try_rule
from augury.watchlists.rules import METRICS_BY_KIND, Kind, Rule
from augury.watchlists.store import Alert, Connection, StoredRule, Target, Watchlist
from augury.watchlists.target_checks import asset_name, check_target

MOST_WATCHLISTS = 500
MOST_TARGETS = 5_000
MOST_RULES = 10_000
MOST_PAIRS = 20_000
"""Maximum number of (rule, target) pairs in one watchlist. A rule forms one pair with each target
that it applies to."""
MOST_ALERTS_SHOWN = 200

CHART_WINDOWS: Final = {"series": timedelta(days=366), "asset": timedelta(days=90)}
"""By kind of target: default length of the time that a chart shows; 7 days for other kinds."""
MOST_PREVIEWED = 20
"""If a rule applies to all targets of a watchlist, a preview tries it on at most this many of
them."""


class CreatedWatchlist(NamedTuple):
    """A new watchlist, and the endpoints of its alerts, each with its signing secret (if any)."""

    watchlist: Watchlist
    endpoints: list[tuple[Endpoint, str | None]]


class NewTarget(NamedTuple):
    """A target to add to a watchlist: what to watch. `kind` says whether `ref` is an id, an asset's
    name or a query."""

    kind: Kind
    ref: str
    outcome: str | None = None
    label: str | None = None


class WatchlistService:
    """Creates, reads, changes and deletes the watchlists of accounts, and what is in them."""

    def __init__(
        self,
        database: Database,
        evaluator: Evaluator,
        deliveries: DeliveryService,
        *,
        clock: Clock = now,
    ) -> None:
        self._database = database
        self._evaluator = evaluator
        self._deliveries = deliveries
        self._clock = clock

    async def create(
        self,
        account_id: str,
        name: str,
        description: str | None,
        endpoints: Sequence[NewEndpoint] = (),
    ) -> CreatedWatchlist:
        """Create a watchlist with endpoints for its alerts. If one endpoint is refused, nothing is
        created."""
        for n, new in enumerate(endpoints):
            self._deliveries.check(new, "body", "delivery", n)
        watchlist_id = new_id("wl")
        async with self._database.transaction() as conn:
            if await store.count(conn, account_id) >= MOST_WATCHLISTS:
                raise Conflict(
                    f"An account can have at most {MOST_WATCHLISTS} watchlists. Delete one first.",
                    code="too_many",
                )
            await store.insert(conn, watchlist_id, account_id, name, description)
            made = [await self._deliveries.add(conn, watchlist_id, new) for new in endpoints]
            return CreatedWatchlist(await self._fetch(conn, account_id, watchlist_id), made)

    async def page(self, account_id: str, *, limit: int, after: str | None) -> list[Watchlist]:
        """The account's watchlists, oldest first."""
        async with self._database.reading() as conn:
            return await store.page(conn, account_id, limit=limit, after=after)

    async def get(self, account_id: str, watchlist_id: str) -> Watchlist:
        async with self._database.reading() as conn:
            return await self._fetch(conn, account_id, watchlist_id)

    async def change(
        self, account_id: str, watchlist_id: str, changes: dict[str, str | None]
    ) -> Watchlist:
        """Change the `name` or `description` of a watchlist. A field that is not in `changes` keeps
        its value."""
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            found = await self._fetch(conn, account_id, watchlist_id)
            name = changes.get("name") or found.name
            description = changes.get("description", found.description)
            await store.change(conn, watchlist_id, name, description)
            return await self._fetch(conn, account_id, watchlist_id)

    async def delete(self, account_id: str, watchlist_id: str) -> None:
        """Delete the watchlist with its targets, rules, alerts and deliveries."""
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            await store.delete(conn, watchlist_id)

    # Targets

    async def add_target(
        self,
        account_id: str,
        watchlist_id: str,
        kind: Kind,
        ref: str,
        *,
        outcome: str | None = None,
        label: str | None = None,
    ) -> Target:
        """Add a target. The rules for all targets apply to it from the next evaluation on."""
        [target] = await self.add_targets(
            account_id, watchlist_id, [NewTarget(kind, ref, outcome, label)]
        )
        return target

    async def add_targets(
        self, account_id: str, watchlist_id: str, new: Sequence[NewTarget], *, bulk: bool = False
    ) -> list[Target]:
        """Add several targets. If one is refused, none is added. `bulk`: the error names the
        refused target by its index."""
        prepared: list[tuple[NewTarget, list[str]]] = []
        for n, one in enumerate(new):
            if one.kind == "asset":
                with _error_at_item("targets", n if bulk else None):
                    one = one._replace(ref=await asset_name(self._database, one.ref))
            elif one.kind == "market":
                one = one._replace(ref=await self._market_id(one.ref))
            prepared.append((one, await self._evaluator.members_of(one.kind, one.ref)))
        made: list[Target] = []
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            targets, _ = await store.counts(conn, watchlist_id)
            if targets + len(new) > MOST_TARGETS:
                raise Conflict(
                    f"A watchlist can have at most {MOST_TARGETS:,} targets. "
                    "Use another watchlist for more.",
                    code="too_many",
                )
            for n, (one, members) in enumerate(prepared):
                with _error_at_item("targets", n if bulk else None):
                    outcome = await check_target(
                        conn, account_id, one.kind, one.ref, one.outcome, members
                    )
                same = await store.same_target(conn, watchlist_id, one.kind, one.ref, outcome)
                if same is not None:
                    raise Conflict(
                        f"The watchlist already has this target: {one.kind} {one.ref} has the id "
                        f"{same}.",
                        code="duplicate_target",
                    )
                target = Target(
                    new_id("tgt"), watchlist_id, one.kind, one.ref, outcome, one.label,
                    self._clock(), self._clock(),
                )  # fmt: skip
                await store.insert_target(conn, target, members)
                made.append(target)
            await self._check_pairs(conn, watchlist_id)
        return made

    async def _market_id(self, ref: str) -> str:
        """The id of the market that `ref` names: by its id, a ticker, or the URL of its page. `ref`
        itself if it names no market."""
        async with self._database.reading() as conn:
            return (await markets.native_ids(conn, [ref])).get(ref, ref)

    async def targets(
        self, account_id: str, watchlist_id: str, *, limit: int, after: str | None
    ) -> list[Target]:
        async with self._database.reading() as conn:
            await self._fetch(conn, account_id, watchlist_id)
            return await store.targets(conn, watchlist_id, limit=limit, after=after)

    async def delete_target(self, account_id: str, watchlist_id: str, target_id: str) -> None:
        """Delete a target; its open alerts end with the resolution `removed`."""
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            if not await store.delete_target(conn, watchlist_id, target_id):
                raise NotFound("This watchlist has no target with this id.")

    # Rules

    async def add_rule(
        self, account_id: str, watchlist_id: str, rule: Rule, target_id: str | None
    ) -> StoredRule:
        """Add a rule for the target `target_id`. None: for all targets that have the rule's metric,
        also those added later."""
        [made] = await self.add_rules(account_id, watchlist_id, [(rule, target_id)])
        return made

    async def add_rules(
        self,
        account_id: str,
        watchlist_id: str,
        new: Sequence[tuple[Rule, str | None]],
        *,
        bulk: bool = False,
    ) -> list[StoredRule]:
        """Add rules, each with the id of a target or None (all targets). If one is refused, none is
        added. `bulk`: the error names the refused rule by its index."""
        for n, (rule, _) in enumerate(new):
            with _error_at_item("rules", n if bulk else None):
                check_rule(rule)
                self._check_expiry(rule.expires_at)
        made: list[StoredRule] = []
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            _, rules = await store.counts(conn, watchlist_id)
            if rules + len(new) > MOST_RULES:
                raise Conflict(
                    f"A watchlist can have at most {MOST_RULES:,} rules. "
                    "Use another watchlist for more.",
                    code="too_many",
                )
            for n, (rule, target_id) in enumerate(new):
                with _error_at_item("rules", n if bulk else None):
                    await self._check_fit(conn, watchlist_id, rule, target_id)
                stored = StoredRule(
                    new_id("rule"), watchlist_id, target_id, rule.name, rule.metric, rule.op,
                    rule.threshold, rule.label, rule.span, rule.hold, rule.cooldown,
                    rule.hysteresis, rule.severity, rule.expires_at, self._clock(),
                )  # fmt: skip
                await store.insert_rule(conn, stored)
                made.append(stored)
            await self._check_pairs(conn, watchlist_id)
        return made

    async def _check_fit(
        self, conn: Connection, watchlist_id: str, rule: Rule, target_id: str | None
    ) -> None:
        if target_id is None:
            return
        target = await store.target(conn, watchlist_id, target_id)
        if target is None:
            raise InvalidInput.at("body", "target_id", msg="This watchlist has no such target.")
        if rule.metric not in METRICS_BY_KIND[target.kind]:
            fitting = ", ".join(sorted(METRICS_BY_KIND[target.kind]))
            raise InvalidInput.at(
                "body",
                "metric",
                msg=f"A target of kind {target.kind} does not have this metric. It has: {fitting}.",
            )

    def _check_expiry(self, expires_at: datetime | None) -> None:
        if expires_at is not None and expires_at <= self._clock():
            raise InvalidInput.at("body", "expires_at", msg="Should be in the future.")

    async def rules(
        self, account_id: str, watchlist_id: str, *, limit: int, after: str | None
    ) -> list[StoredRule]:
        async with self._database.reading() as conn:
            await self._fetch(conn, account_id, watchlist_id)
            return await store.rules(conn, watchlist_id, limit=limit, after=after)

    async def change_rule(
        self, account_id: str, watchlist_id: str, rule_id: str, changes: dict[str, Any]
    ) -> StoredRule:
        """Change fields of a rule (see `StoredRule`); an open alert stays until it recovers."""
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            found = await store.rule(conn, watchlist_id, rule_id)
            if found is None:
                raise NotFound("This watchlist has no rule with this id.")
            changed = found._replace(**changes)
            check_rule(changed.rule())
            self._check_expiry(changes.get("expires_at"))
            await store.change_rule(conn, changed)
        return changed

    async def delete_rule(self, account_id: str, watchlist_id: str, rule_id: str) -> None:
        """Delete a rule; its open alerts end with the resolution `removed`."""
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            if not await store.delete_rule(conn, watchlist_id, rule_id):
                raise NotFound("This watchlist has no rule with this id.")

    async def preview(
        self, account_id: str, watchlist_id: str, rule: Rule, target_id: str | None, days: int
    ) -> Preview:
        """The alerts that `rule` would have opened in the last `days` days, for the target
        `target_id` or, if that is None, for the first `MOST_PREVIEWED` targets of the watchlist
        that have the rule's metric."""
        check_rule(rule)
        end = self._clock()
        start = end - timedelta(days=days)
        async with self._database.reading() as conn:
            await self._fetch(conn, account_id, watchlist_id)
            if target_id is not None:
                target = await store.target(conn, watchlist_id, target_id)
                if target is None:
                    raise InvalidInput.at(
                        "body", "target_id", msg="This watchlist has no such target."
                    )
                targets = [target]
            else:
                targets = await store.targets(conn, watchlist_id, limit=200, after=None)
            fitting = [one for one in targets if rule.metric in METRICS_BY_KIND[one.kind]][
                :MOST_PREVIEWED
            ]
            tried = [
                await try_rule(conn, account_id, target, rule, start, end) for target in fitting
            ]
        return Preview(start, end, step_of(end - start, PREVIEW_POINTS), tried)

    async def silence_rule(
        self, account_id: str, watchlist_id: str, rule_id: str, length: timedelta | None
    ) -> StoredRule:
        """Send no messages about the rule's alerts for `length`; None: end the silence."""
        until = self._clock() + length if length else None
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            found = await store.rule(conn, watchlist_id, rule_id)
            if found is None:
                raise NotFound("This watchlist has no rule with this id.")
            await store.silence_rule(conn, rule_id, until)
        return found._replace(silenced_until=until)

    async def snooze_alert(
        self, account_id: str, watchlist_id: str, alert_id: str, length: timedelta | None
    ) -> Alert:
        """Send no more messages about the alert for `length`; None: send them again."""
        until = self._clock() + length if length else None
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            found = await store.snooze_alert(conn, watchlist_id, alert_id, until)
        if found is None:
            raise NotFound("This watchlist has no alert with this id.")
        return found

    # Evaluation and alerts

    async def evaluate(
        self, account_id: str, watchlist_id: str
    ) -> tuple[datetime, list[Evaluated], list[Alert]]:
        """Evaluate all rules of a watchlist now. Returns the time of the evaluation, the state of
        each (rule, target) pair, and the open alerts."""
        done = await self._evaluator.evaluate(account_id, watchlist_id)
        if done is None:
            raise _no_watchlist()
        async with self._database.reading() as conn:
            firing = await store.alerts_page(
                conn, watchlist_id, state="firing", limit=MOST_ALERTS_SHOWN
            )
        return *done, firing

    async def alerts(
        self,
        account_id: str,
        watchlist_id: str,
        *,
        state: str | None,
        severity: str | None,
        since: datetime | None,
        limit: int,
        before: int | None,
    ) -> list[Alert]:
        """A watchlist's alerts, latest first. `since`: only alerts fired then or later; `before`:
        only alerts with a lower `seq` (for the next page)."""
        async with self._database.reading() as conn:
            await self._fetch(conn, account_id, watchlist_id)
            return await store.alerts_page(
                conn, watchlist_id, state=state, severity=severity, since=since, limit=limit,
                before=before,
            )  # fmt: skip

    async def chart(
        self,
        account_id: str,
        watchlist_id: str,
        target_id: str,
        *,
        start: datetime | None,
        end: datetime | None,
    ) -> Chart:
        """A target's values over [start, end), with the thresholds of its rules and its alerts."""
        end = end or self._clock()
        async with self._database.reading() as conn:
            await self._fetch(conn, account_id, watchlist_id)
            target = await store.target(conn, watchlist_id, target_id)
            if target is None:
                raise NotFound("This watchlist has no target with this id.")
            start = start or end - CHART_WINDOWS.get(target.kind, timedelta(days=7))
            if start >= end:
                raise InvalidInput.at("query", "start", msg="start must be before end.")
            title, unit, lines, shown, origin = await target_history(
                conn, account_id, target, start, end
            )
            rules = await store.rules_for(conn, target_id)
            alerts = await store.alerts_page(
                conn, watchlist_id, since=start, target_id=target_id, limit=MOST_ALERTS_SHOWN
            )
        thresholds = [
            ThresholdLine(rule.name, rule.op, rule.threshold, rule.severity)
            for rule in rules
            if rule.metric == shown and rule.threshold is not None
        ]
        markers = [
            Marker(
                alert.fired_at,
                alert.resolved_at,
                alert.id,
                alert.severity,
                alert.record["trigger"]["name"],
                alert.value if alert.record["trigger"]["metric"] == shown else None,
            )
            for alert in reversed(alerts)
            if alert.fired_at < end
        ]
        return Chart(title, unit, start, end, lines, thresholds, markers, origin)

    async def _fetch(self, conn: Connection, account_id: str, watchlist_id: str) -> Watchlist:
        found = await store.fetch(conn, account_id, watchlist_id)
        if found is None:
            raise _no_watchlist()
        return found

    async def _lock(self, conn: Connection, account_id: str, watchlist_id: str) -> None:
        if not await store.lock(conn, account_id, watchlist_id):
            raise _no_watchlist()

    async def _check_pairs(self, conn: Connection, watchlist_id: str) -> None:
        if await store.pair_count(conn, watchlist_id) > MOST_PAIRS:
            raise Conflict(
                f"A watchlist can have at most {MOST_PAIRS:,} pairs of a rule and a target that it "
                "applies to. Use another watchlist for more.",
                code="too_many",
            )


@contextmanager
def _error_at_item(name: str, n: int | None) -> Iterator[None]:
    """If the block raises InvalidInput, add to the error's location that item `n` of the request's
    list `name` was refused. With `n` None, the error is not changed."""
    try:
        yield
    except InvalidInput as error:
        if n is None or isinstance(error.detail, str):
            raise
        raise InvalidInput(
            [{**issue, "loc": ["body", name, n, *issue["loc"][1:]]} for issue in error.detail]
        ) from None


def _no_watchlist() -> NotFound:
    return NotFound("No watchlist of yours has this id.")

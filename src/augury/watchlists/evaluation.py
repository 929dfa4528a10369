"""Evaluates rules: reads values, updates states, opens and ends alerts, queues their messages.

All of it happens in one transaction that locks each watchlist involved. So concurrent evaluations
have the same result as one after the other, and alerts are stored together with their messages.

A market or series has moved when its stored data changed since the last evaluation. A pair is a
rule and one of the targets that it applies to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import structlog
from prometheus_client import Counter, Histogram

from augury.clock import Clock, isoformat
from augury.deliveries import store as deliveries
from augury.deliveries.service import payload
from augury.deliveries.store import Outgoing
from augury.ids import new_id
from augury.markets import store as markets
from augury.markets.records import PLATFORMS
from augury.series import store as series
from augury.storage.database import Database
from augury.watchlists import store, wording
from augury.watchlists.facts import Measurement
from augury.watchlists.observe import Observer
from augury.watchlists.rules import Rule, RuleState, due, step
from augury.watchlists.store import Alert, Connection, EndedAlert, OpenedAlert, RuleOnTarget, Target

log = structlog.get_logger(__name__)

EVALUATED = Counter("augury_rules_evaluated", "Evaluations of a rule on a target.")
ALERTS = Counter(
    "augury_alerts",
    "Alerts that opened or ended, by event: fired, recovered or expired.",
    ["event"],
)
SECONDS = Histogram("augury_evaluation_seconds", "Duration of one evaluation of rules, in seconds.")

MOVED_AT_ONCE = 20_000
"""One transaction evaluates the rules (alert conditions) of at most this many changed markets, and
of at most this many changed external series. Chosen by hand."""
DUE_AT_ONCE = 5_000
"""Some (rule, target) pairs are evaluated although the target has no new data, because time alone
may have changed the result. One transaction evaluates at most this many such pairs. Chosen by
hand."""
MAX_MARKETS = 100
"""If a target is an event or a saved search, at most this many of its markets are watched."""
LOOK_UP_AFTER = timedelta(minutes=5)
"""The markets that belong to a watched event or saved search are looked up again after this
time."""
_LOOK_UPS = 200
"""Maximum number of watched events and saved searches whose markets are looked up in one run."""
_MAX_TRANSACTIONS = 50
"""Maximum number of transactions in one call of `Evaluator.tick`."""
_YIELD = 250
"""Number of (rule, target) pairs after which an evaluation pauses, so that the event loop can serve
requests."""

Search = Callable[[str, int], Awaitable[list[str]]]
"""Finds markets: takes a query and a number n, returns the ids of the n best markets for the
query."""

REMINDER = "alert.reminder"
"""Type of the message about an alert that was snoozed (sent no messages for a time). It is sent
when the snooze ends, if the alert's condition still holds."""


class Evaluated(NamedTuple):
    """A rule (an alert condition) and a watched target, with the rule's state on this target after
    an evaluation."""

    rule: Rule
    target: Target
    state: RuleState
    origin: str | None = None
    """Where the evaluated value comes from: `live`, `import` or `sample`; None if nothing is
    known."""


class Evaluator:
    """Evaluates the rules (alert conditions) of watchlists: on request, when the data of watched
    markets or series change, and when time alone may change a result.

    Any number of processes can share the work.
    """

    def __init__(
        self,
        database: Database,
        observer: Observer,
        search: Search,
        *,
        wake: Callable[[], None] = lambda: None,
        clock: Clock | None = None,
    ) -> None:
        """`wake` is called when there may be new messages to deliver. Without a `clock`, the
        database's time is used, so that processes with different clocks agree on when to
        evaluate."""
        self._database = database
        self._observer = observer
        self._search = search
        self._wake = wake
        self._clock = clock

    async def evaluate(
        self, account_id: str, watchlist_id: str
    ) -> tuple[datetime, list[Evaluated]] | None:
        """Evaluate all rules of a watchlist now. Returns the time of the evaluation, and each
        (rule, target) pair with its state; None if the account has no such watchlist."""
        async with self._database.transaction() as conn:
            if not await store.lock(conn, account_id, watchlist_id):
                return None
            at = await self._now(conn)
            pairs = await store.pairs_of(conn, watchlist_id)
            evaluated = await self._apply(conn, pairs, {watchlist_id: account_id}, at)
        self._wake()
        return at, evaluated

    async def tick(self) -> int:
        """Evaluate the (rule, target) pairs whose target has new data since the last call, and
        those whose result may have changed with time alone. Returns how many pairs were
        evaluated."""
        pair_count = 0
        for _ in range(_MAX_TRANSACTIONS):
            count, more = await self._one_tick()
            pair_count += count
            if count:
                self._wake()
            if not more:
                break
        return pair_count

    async def _now(self, conn: Connection) -> datetime:
        return self._clock() if self._clock is not None else await store.now(conn)

    async def _one_tick(self) -> tuple[int, bool]:
        async with self._database.transaction() as conn:
            # `progress` locks its row, so ticks of several processes take turns.
            market_position = await store.progress(conn, "markets")
            moved, market_reach = await markets.moved_since(conn, market_position, MOVED_AT_ONCE)
            series_position = await store.progress(conn, "series")
            moved_series, series_reach = await series.changed_since(
                conn, series_position, MOVED_AT_ONCE
            )
            targets: list[str] = []
            if moved and await store.watches_markets(conn):
                targets += await store.targets_with_markets(conn, moved)
            if moved_series:
                targets += await store.targets_with_series(conn, moved_series)
            candidates = await store.due_watchlists(conn, targets, DUE_AT_ONCE)
            count = 0
            if candidates:
                accounts = await store.lock_all(conn, candidates)
                pairs = await store.pairs_due(conn, targets, list(accounts), DUE_AT_ONCE)
                at = await self._now(conn)
                count = len(await self._apply(conn, pairs, accounts, at))
            if market_reach != market_position:
                await store.advance(conn, "markets", market_reach)
            if series_reach != series_position:
                await store.advance(conn, "series", series_reach)
        more = len(moved) == MOVED_AT_ONCE or len(moved_series) == MOVED_AT_ONCE
        return count, more or count >= DUE_AT_ONCE + len(targets)

    async def look_up_members(self) -> None:
        """Look up which markets now belong to the watched events and saved searches, for those that
        were not looked up within `LOOK_UP_AFTER`."""
        async with self._database.reading() as conn:
            stale = await store.targets_to_look_up(conn, LOOK_UP_AFTER, _LOOK_UPS)
        for target in stale:
            found = await self.members_of(target.kind, target.ref)
            async with self._database.transaction() as conn:
                await store.lock_all(conn, [target.watchlist_id])
                if await store.target(conn, target.watchlist_id, target.id) is not None:
                    await store.note_members(conn, target.id, found)

    async def members_of(self, kind: str, ref: str) -> list[str]:
        """Ids of the markets that belong to a target of this kind (`ref`: a market's or event's id,
        or a search query); none for a series or an asset."""
        if kind == "market":
            return [ref]
        if kind == "search":
            return await self._search(ref, MAX_MARKETS)
        if kind == "event":
            platform, _, event_id = ref.partition(":")
            if platform not in PLATFORMS:
                return []
            async with self._database.reading() as conn:
                return await markets.members(conn, platform, event_id, MAX_MARKETS)
        return []

    async def _apply(
        self,
        conn: Connection,
        pairs: Sequence[RuleOnTarget],
        accounts: dict[str, str],
        at: datetime,
    ) -> list[Evaluated]:
        """Evaluate (rule, target) pairs and store their states, alerts and messages. Returns the
        pairs with their new states. The pairs' watchlists must be locked.

        accounts : account id by watchlist id
        """
        if not pairs:
            return []
        with SECONDS.time():
            rules = await store.rules_of(conn, list({p.rule_id for p in pairs}))
            targets = await store.targets_of(conn, list({p.target_id for p in pairs}))
            known = [
                (pair, rules[pair.rule_id], targets[pair.target_id])
                for pair in pairs
                if pair.rule_id in rules and pair.target_id in targets
            ]
            measurements = await self._observer.measure(conn, [(r, t) for _, r, t in known], at)
            evaluated, saved, opened, closed = [], [], [], []
            for n, ((pair, rule, target), measurement) in enumerate(
                zip(known, measurements, strict=True)
            ):
                if n % _YIELD == 0:
                    await asyncio.sleep(0)
                state, event = step(rule, pair.state(), measurement.observation, at)
                saved.append(
                    (
                        rule.id,
                        target.id,
                        state,
                        due(rule, state, at, measurement.observation.valid_until),
                    )
                )
                evaluated.append(Evaluated(rule, target, state, measurement.origin))
                if event == "fired":
                    account_id = accounts[target.watchlist_id]
                    opened.append(_opened(account_id, rule, target, state, measurement, at))
                elif event is not None:
                    ended = EndedAlert(
                        rule.id, target.id, event, state.evaluated_at or at, state.value
                    )
                    closed.append(ended)
                if event is not None:
                    ALERTS.labels(event).inc()
            await store.save_states(conn, saved)
            await self._send_changes(
                conn,
                await store.open_alerts(conn, opened),
                await store.close_alerts(conn, closed),
                at,
            )
        EVALUATED.inc(len(evaluated))
        return evaluated

    async def remind(self) -> int:
        """Send a reminder of each open alert whose snooze (time without messages) has ended, unless
        its rule was silenced when it fired. Returns the number of alerts whose snooze has ended."""
        async with self._database.transaction() as conn:
            at = await self._now(conn)
            woken = await store.wake_alerts(conn, at)
            await _send(conn, [(REMINDER, a) for a in woken if not is_silenced(a)], at)
        if woken:
            self._wake()
        return len(woken)

    async def _send_changes(
        self, conn: Connection, fired: list[Alert], ended: list[Alert], at: datetime
    ) -> None:
        to_send = [("alert.fired", alert) for alert in fired if not is_silenced(alert)]
        to_send += [
            ("alert.resolved", alert)
            for alert in ended
            # The end of an alert is sent only if it is neither silenced nor still snoozed.
            if not is_silenced(alert) and (alert.snoozed_until is None or alert.snoozed_until <= at)
        ]
        await _send(conn, to_send, at)


async def _send(conn: Connection, to_send: list[tuple[str, Alert]], at: datetime) -> None:
    if not to_send:
        return
    endpoints = await deliveries.of_watchlists(
        conn, list({alert.watchlist_id for _, alert in to_send})
    )
    messages = []
    for kind, alert in to_send:
        to = endpoints.get(alert.watchlist_id)
        if to:
            text = payload(kind, alert_fields(alert), at)
            # One message per alert and kind; only reminders may repeat, one for each snooze.
            about = None if kind == REMINDER else alert.id
            messages += [Outgoing(new_id("msg"), one, about, kind, text) for one in to]
    await deliveries.enqueue(conn, messages)


def _opened(
    account_id: str,
    rule: Rule,
    target: Target,
    state: RuleState,
    measurement: Measurement,
    at: datetime,
) -> OpenedAlert:
    quote = measurement.quote
    about = quote.question if quote is not None else target.label or measurement.name or target.ref
    market = None
    source: dict[str, Any] = {"as_of": _iso(state.as_of)}
    if quote is not None:
        market = {
            "id": quote.id,
            "platform": quote.platform,
            "question": quote.question,
            "outcome": measurement.outcome,
            "status": quote.status,
            "platform_url": quote.url,
        }
        source |= {
            "status": quote.status,
            "origin": measurement.origin,
            "observed_at": _iso(quote.observed_at),
            "price_as_of": _iso(quote.price_as_of),
        }
    record = {
        "title": f"{rule.name}: {about}"[:300],
        "summary": wording.summary(rule, state.value),
        "market": market,
        "target": {
            "id": target.id, "kind": target.kind, "ref": target.ref, "label": target.label,
        },
        "trigger": {
            "rule_id": rule.id, "name": rule.name, "metric": rule.metric, "op": rule.op,
            "threshold": rule.label if rule.label is not None else rule.threshold,
            "window_seconds": rule.window.total_seconds() if rule.window else None,
            "for_seconds": rule.hold.total_seconds(),
        },
        "evidence": measurement.evidence,
        "source_status": source,
        "origin": measurement.origin,
        "next_action": _next_action(rule, target, quote is not None),
        "silenced": rule.silenced_until is not None and at < rule.silenced_until,
    }  # fmt: skip
    return OpenedAlert(
        id=new_id("alr"),
        account_id=account_id,
        watchlist_id=target.watchlist_id,
        rule_id=rule.id,
        target_id=target.id,
        episode=state.episode,
        severity=rule.severity,
        value=state.value,
        as_of=state.as_of,
        fired_at=state.fired_at or at,
        record=record,
    )


def _next_action(rule: Rule, target: Target, has_market: bool) -> str:
    chart = f"/v1/watchlists/{target.watchlist_id}/targets/{target.id}/chart"
    match rule.metric:
        case "staleness":
            return "Check whether the source still answers. Its other values may be old, too."
        case "status":
            return "See how the market resolved and remove rules that still watch it."
        case "divergence":
            return f"Compare the resolution rules of both markets before you trade; see {chart}."
        case "probability_change" | "probability_zscore" | "volume_spike":
            return f"Look for the news behind the move; see {chart}."
        case "hours_to_close":
            return "If you want to trade this market, do so before it closes."
    return f"Look at {'the market and ' if has_market else ''}{chart}."


def is_silenced(alert: Alert) -> bool:
    """Whether the rule was silenced when the alert fired, so that nothing is sent about the
    alert."""
    return bool(alert.record.get("silenced"))


def alert_fields(alert: Alert) -> dict[str, Any]:
    """An alert as a dict of JSON fields, as API callers and receivers of webhooks get it."""
    return {
        "id": alert.id,
        "watchlist_id": alert.watchlist_id,
        "rule_id": alert.rule_id,
        "target_id": alert.target_id,
        "episode": alert.episode,
        "state": alert.state,
        "severity": alert.severity,
        "value": alert.label if alert.label is not None else alert.value,
        "as_of": _iso(alert.as_of),
        "fired_at": _iso(alert.fired_at),
        "resolved_at": _iso(alert.resolved_at),
        "resolution": alert.resolution,
        "resolved_value": None,
        "silenced": False,
        "snoozed_until": _iso(alert.snoozed_until),
        "origin": None,
        **alert.record,
    }


def _iso(moment: datetime | None) -> str | None:
    return isoformat(moment) if moment is not None else None

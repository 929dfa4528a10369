"""Watchlists and what is in them: made, read, changed, deleted, charted."""

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
from augury.markets.records import ORIGINS, SHOWN_ORIGINS
from augury.markets.service import INTERVALS, MAX_INTERVALS, to_series
from augury.rvol import store as rvol
from augury.series import store as series
from augury.storage.database import Database
from augury.watchlists import preview, store
from augury.watchlists.chart import Chart, Line, Marker, Threshold, standing
from augury.watchlists.evaluation import Evaluated, Evaluator
from augury.watchlists.rules import FITS, SPANS, Kind, Rule
from augury.watchlists.store import Alert, Connection, StoredRule, Target, Watchlist

MOST_WATCHLISTS = 500
MOST_TARGETS = 5_000
MOST_RULES = 10_000
MOST_PAIRS = 20_000
"""Rules times targets of one watchlist."""
MOST_ALERTS_SHOWN = 200

_SHORTEST_SPAN = timedelta(minutes=5)
_LONGEST_SPAN = {
    "probability_change": timedelta(days=366),
    "probability_zscore": timedelta(days=7),
    "volume_spike": timedelta(days=1),
    "series_change": timedelta(days=366),
}
_BOUNDS = {
    "probability": (0.0, 1.0),
    "probability_change": (-1.0, 1.0),
    "spread": (0.0, 1.0),
    "divergence": (0.0, 1.0),
}
CHART_WINDOWS: Final = {"series": timedelta(days=366), "asset": timedelta(days=90)}
"""What a chart shows of what moves once a day or a month; of markets 7 days."""
_CHART_POINTS = 600
_PRICE_STANDS = timedelta(hours=26)
"""An unchanged price is recorded anew once a day; longer ago, and nobody looked."""
_CHART_POINTS_READ = 20_000
MOST_PREVIEWED = 20
"""Targets of a watchlist that a rule without a target is tried on."""
_PREVIEW_POINTS, _PREVIEW_SHOWN = 3_000, 1_000
"""Points of a market that a rule is tried on, and that the answer shows."""


class Made(NamedTuple):
    """A new watchlist, its endpoints and their signing secrets."""

    watchlist: Watchlist
    endpoints: list[tuple[Endpoint, str | None]]


class NewTarget(NamedTuple):
    """A target to be."""

    kind: Kind
    ref: str
    outcome: str | None = None
    label: str | None = None


class Tried(NamedTuple):
    """What a rule would have done with one target."""

    target: Target
    name: str
    reason: str | None
    points: list[preview.Point]
    episodes: list[preview.Episode]
    origin: str | None = None


class Preview(NamedTuple):
    """What a rule would have done in [start, end)."""

    start: datetime
    end: datetime
    step: timedelta
    targets: list[Tried]


class WatchlistService:
    """The use cases over one database."""

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
    ) -> Made:
        """A new watchlist with its endpoints: all or nothing."""
        for n, new in enumerate(endpoints):
            self._deliveries.check(new, "body", "delivery", n)
        watchlist_id = new_id("wl")
        async with self._database.transaction() as conn:
            if await store.count(conn, account_id) >= MOST_WATCHLISTS:
                raise Conflict(
                    f"An account has at most {MOST_WATCHLISTS} watchlists.", code="too_many"
                )
            await store.insert(conn, watchlist_id, account_id, name, description)
            made = [await self._deliveries.add(conn, watchlist_id, new) for new in endpoints]
            return Made(await self._fetch(conn, account_id, watchlist_id), made)

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
        """Another `name` or `description`; what is not named stays."""
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            found = await self._fetch(conn, account_id, watchlist_id)
            name = changes.get("name") or found.name
            description = changes.get("description", found.description)
            await store.change(conn, watchlist_id, name, description)
            return await self._fetch(conn, account_id, watchlist_id)

    async def delete(self, account_id: str, watchlist_id: str) -> None:
        """The watchlist is gone with its targets, rules, alerts and deliveries."""
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
        """Watch something; its rules see it from the next evaluation on."""
        [target] = await self.add_targets(
            account_id, watchlist_id, [NewTarget(kind, ref, outcome, label)]
        )
        return target

    async def add_targets(
        self, account_id: str, watchlist_id: str, new: Sequence[NewTarget], *, bulk: bool = False
    ) -> list[Target]:
        """Watch several things: all of them, or with the first that is refused none.

        `bulk`: an issue says which one it is of.
        """
        prepared: list[tuple[NewTarget, list[str]]] = []
        for n, one in enumerate(new):
            if one.kind == "asset":
                with _placed("targets", n if bulk else None):
                    one = one._replace(ref=await self._asset(one.ref))
            elif one.kind == "market":
                one = one._replace(ref=await self._market_id(one.ref))
            prepared.append((one, await self._evaluator.members_of(one.kind, one.ref)))
        made: list[Target] = []
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            targets, _ = await store.counts(conn, watchlist_id)
            if targets + len(new) > MOST_TARGETS:
                raise Conflict(
                    f"A watchlist has at most {MOST_TARGETS:,} targets.", code="too_many"
                )
            for n, (one, members) in enumerate(prepared):
                with _placed("targets", n if bulk else None):
                    outcome = await self._check_target(
                        conn, account_id, one.kind, one.ref, one.outcome, members
                    )
                same = await store.same_target(conn, watchlist_id, one.kind, one.ref, outcome)
                if same is not None:
                    raise Conflict(
                        f"The watchlist has this target already: {one.kind} {one.ref} is {same}.",
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
        """The own id of a market named in any form; what names none stays as it is."""
        async with self._database.reading() as conn:
            return (await markets.native_ids(conn, [ref])).get(ref, ref)

    async def _asset(self, ref: str) -> str:
        """The asset as it is spelled here, whatever the case it was asked in."""
        async with self._database.reading() as conn:
            covered = [] if "\0" in ref else await rvol.asset_names(conn)
        found = next((name for name in covered if name.casefold() == ref.casefold()), None)
        if found is None:
            valid = ", ".join(covered[:50])
            hint = f"Covered: {valid}." if valid else "None is covered yet: augury rvol import."
            raise InvalidInput.at("body", "ref", msg=f"There is no such asset. {hint}")
        return found

    async def _check_target(
        self,
        conn: Connection,
        account_id: str,
        kind: Kind,
        ref: str,
        outcome: str | None,
        members: list[str],
    ) -> str | None:
        """The outcome as the market spells it."""
        if outcome is not None and kind in ("series", "asset"):
            raise InvalidInput.at("body", "outcome", msg=f"A target of kind {kind} has none.")
        if kind == "series" and await series.fetch(conn, account_id, ref) is None:
            raise InvalidInput.at("body", "ref", msg="There is no series with this id.")
        if kind not in ("market", "event"):
            return outcome
        quotes = await markets.quotes(conn, members)
        if not quotes:
            what = "market with this id" if kind == "market" else "event with a market here"
            hint = "" if kind == "market" else "; write it as polymarket:<id> or kalshi:<ticker>"
            raise InvalidInput.at("body", "ref", msg=f"There is no {what}{hint}.")
        if outcome is None:
            return None
        names = {name for quote in quotes.values() for name in quote.outcomes}
        found = next(
            (name for name in sorted(names) if name.casefold() == outcome.casefold()), None
        )
        if found is None:
            valid = ", ".join(sorted(names)[:20])
            raise InvalidInput.at("body", "outcome", msg=f"Should be one of: {valid}.")
        return found

    async def targets(
        self, account_id: str, watchlist_id: str, *, limit: int, after: str | None
    ) -> list[Target]:
        async with self._database.reading() as conn:
            await self._fetch(conn, account_id, watchlist_id)
            return await store.targets(conn, watchlist_id, limit=limit, after=after)

    async def delete_target(self, account_id: str, watchlist_id: str, target_id: str) -> None:
        """Stop watching it; its open alerts end as removed."""
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            if not await store.delete_target(conn, watchlist_id, target_id):
                raise NotFound("There is no target with this id.")

    # Rules

    async def add_rule(
        self, account_id: str, watchlist_id: str, rule: Rule, target_id: str | None
    ) -> StoredRule:
        """A rule for one target, or with None for every target it fits, now and later."""
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
        """Several rules: all of them, or with the first that is refused none."""
        for n, (rule, _) in enumerate(new):
            with _placed("rules", n if bulk else None):
                check_rule(rule)
                self._check_expiry(rule.expires_at)
        made: list[StoredRule] = []
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            _, rules = await store.counts(conn, watchlist_id)
            if rules + len(new) > MOST_RULES:
                raise Conflict(f"A watchlist has at most {MOST_RULES:,} rules.", code="too_many")
            for n, (rule, target_id) in enumerate(new):
                with _placed("rules", n if bulk else None):
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
            raise InvalidInput.at("body", "target_id", msg="There is no such target here.")
        if rule.metric not in FITS[target.kind]:
            fitting = ", ".join(sorted(FITS[target.kind]))
            raise InvalidInput.at(
                "body",
                "metric",
                msg=f"A target of kind {target.kind} has these metrics: {fitting}.",
            )

    def _check_expiry(self, expires_at: datetime | None) -> None:
        if expires_at is not None and expires_at <= self._clock():
            raise InvalidInput.at("body", "expires_at", msg="Should be a time to come.")

    async def rules(
        self, account_id: str, watchlist_id: str, *, limit: int, after: str | None
    ) -> list[StoredRule]:
        async with self._database.reading() as conn:
            await self._fetch(conn, account_id, watchlist_id)
            return await store.rules(conn, watchlist_id, limit=limit, after=after)

    async def change_rule(
        self, account_id: str, watchlist_id: str, rule_id: str, changes: dict[str, Any]
    ) -> StoredRule:
        """Other values of a rule's fields (as in `StoredRule`). Where it stands with its targets
        is kept: an alert that is open stays so until the changed rule ends it."""
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            found = await store.rule(conn, watchlist_id, rule_id)
            if found is None:
                raise NotFound("There is no rule with this id.")
            changed = found._replace(**changes)
            check_rule(changed.rule())
            self._check_expiry(changes.get("expires_at"))
            await store.change_rule(conn, changed)
        return changed

    async def delete_rule(self, account_id: str, watchlist_id: str, rule_id: str) -> None:
        """The rule is gone; its open alerts end as removed."""
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            if not await store.delete_rule(conn, watchlist_id, rule_id):
                raise NotFound("There is no rule with this id.")

    async def preview(
        self, account_id: str, watchlist_id: str, rule: Rule, target_id: str | None, days: int
    ) -> Preview:
        """What `rule` would have done in the last `days` with one target, or with the first
        `MOST_PREVIEWED` that it fits. Nothing is stored."""
        check_rule(rule)
        end = self._clock()
        start = end - timedelta(days=days)
        async with self._database.reading() as conn:
            await self._fetch(conn, account_id, watchlist_id)
            if target_id is not None:
                target = await store.target(conn, watchlist_id, target_id)
                if target is None:
                    raise InvalidInput.at("body", "target_id", msg="There is no such target here.")
                targets = [target]
            else:
                targets = await store.targets(conn, watchlist_id, limit=200, after=None)
            fitting = [one for one in targets if rule.metric in FITS[one.kind]][:MOST_PREVIEWED]
            tried = [
                await self._try(conn, account_id, target, rule, start, end) for target in fitting
            ]
        return Preview(start, end, _step_of(end - start, _PREVIEW_POINTS), tried)

    async def _try(
        self,
        conn: Connection,
        account_id: str,
        target: Target,
        rule: Rule,
        start: datetime,
        end: datetime,
    ) -> Tried:
        name = target.label or target.ref
        if rule.metric not in preview.RECORDED:
            told = "No history of this metric is recorded: it can't be tried on the past."
            return Tried(target, name, told, [], [])
        since = start - preview.lookback(rule)
        name, _, lines, _, origin = await self._lines(
            conn, account_id, target, since, end, most=_PREVIEW_POINTS
        )
        if rule.metric == "rvol_ratio":
            lines = [_ratio(*lines)]
        elif target.kind == "asset":
            lines = lines[:1]
        values = [preview.measured(rule, line.points, start) for line in lines]
        points = values[0] if len(values) == 1 else preview.foremost(rule, values)
        if not any(value is not None for _, value in points):
            return Tried(target, name, "Nothing is recorded of it in this window.", [], [])
        episodes = preview.replay(rule, points)
        thinned = points[:: max(1, -(-len(points) // _PREVIEW_SHOWN))]
        return Tried(target, name, None, thinned, episodes, origin)

    async def silence_rule(
        self, account_id: str, watchlist_id: str, rule_id: str, length: timedelta | None
    ) -> StoredRule:
        """Send nothing of the rule's alerts for `length`; None: send them again."""
        until = self._clock() + length if length else None
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            found = await store.rule(conn, watchlist_id, rule_id)
            if found is None:
                raise NotFound("There is no rule with this id.")
            await store.silence_rule(conn, rule_id, until)
        return found._replace(silenced_until=until)

    async def snooze_alert(
        self, account_id: str, watchlist_id: str, alert_id: str, length: timedelta | None
    ) -> Alert:
        """Send nothing more about the alert for `length`; None: send it again."""
        until = self._clock() + length if length else None
        async with self._database.transaction() as conn:
            await self._lock(conn, account_id, watchlist_id)
            found = await store.snooze_alert(conn, watchlist_id, alert_id, until)
        if found is None:
            raise NotFound("There is no alert with this id.")
        return found

    # Evaluation and alerts

    async def evaluate(
        self, account_id: str, watchlist_id: str
    ) -> tuple[datetime, list[Evaluated], list[Alert]]:
        """Evaluate now; every state, and the alerts that are open."""
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
        """The watchlist's alerts, the latest first."""
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
        """A target's values over [start, end), with its rules' thresholds and its alerts."""
        end = end or self._clock()
        async with self._database.reading() as conn:
            await self._fetch(conn, account_id, watchlist_id)
            target = await store.target(conn, watchlist_id, target_id)
            if target is None:
                raise NotFound("There is no target with this id.")
            start = start or end - CHART_WINDOWS.get(target.kind, timedelta(days=7))
            if start >= end:
                raise InvalidInput.at(
                    "query", "start", msg="The window should start before its end."
                )
            title, unit, lines, shown, origin = await self._lines(
                conn, account_id, target, start, end
            )
            rules = await store.rules_for(conn, target_id)
            alerts = await store.alerts_page(
                conn, watchlist_id, since=start, target_id=target_id, limit=MOST_ALERTS_SHOWN
            )
        thresholds = [
            Threshold(rule.name, rule.op, rule.threshold, rule.severity)
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

    async def _lines(
        self,
        conn: Connection,
        account_id: str,
        target: Target,
        start: datetime,
        end: datetime,
        *,
        most: int = _CHART_POINTS,
    ) -> tuple[str, str, list[Line], str, str | None]:
        """Title, unit, lines, the metric that these are the values of, and their origin. `most`:
        points of a market's line."""
        title = target.label or target.ref
        if target.kind == "series":
            found = await series.fetch(conn, account_id, target.ref)
            points = await series.points(
                conn, target.ref, start=start, end=end, limit=_CHART_POINTS_READ
            )
            name = found.name if found else target.ref
            line = Line(name, [(point.time, point.value) for point in points])
            unit = (found.unit or "") if found else ""
            return target.label or name, unit, [line], "series_value", "live"
        if target.kind == "asset":
            forecast, realized = await rvol.volatility_history(conn, target.ref, start, end)
            lines = [Line("Forecast, annualized", forecast), Line("Realized", realized)]
            known = await rvol.volatility(conn, [target.ref])
            origin = known[target.ref].origin if target.ref in known else None
            return title, "volatility", lines, "rvol_forecast", origin
        interval = _step_of(end - start, most)
        minutes = int(interval / timedelta(minutes=1))
        if (end - start) / interval > MAX_INTERVALS:
            raise InvalidInput.at("query", "start", msg="The window is at most 27 years long.")
        members = [market for _, market in await store.target_members(conn, [target.id])]
        quotes = await markets.quotes(conn, members)
        lines = []
        for market_id in members[:8]:
            quote = quotes.get(market_id)
            if quote is None or (target.outcome and target.outcome not in quote.outcomes):
                continue
            outcome = quote.outcomes.index(target.outcome) if target.outcome else 0
            buckets = await markets.history(
                conn, quote.seq, start=start, end=end, interval_minutes=minutes
            )
            line = to_series(buckets, len(quote.outcomes), interval)[outcome]
            line = standing(line, _PRICE_STANDS)
            name = quote.outcomes[outcome] if len(members) == 1 else quote.question
            lines.append(Line(name, line))
        if target.label is None and len(quotes) == 1:
            title = next(iter(quotes.values())).question
        origins = {ORIGINS[quote.origin] for quote in quotes.values()}
        origin = next((o for o in SHOWN_ORIGINS if o in origins), None)
        return title, "probability", lines, "probability", origin

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
                f"Rules times targets of a watchlist are at most {MOST_PAIRS:,}; "
                "make another watchlist.",
                code="too_many",
            )


def _step_of(window: timedelta, most: int) -> timedelta:
    """The shortest interval of which the window has at most `most`."""
    fitting = (m for m in INTERVALS if window / timedelta(minutes=m) <= most)
    return timedelta(minutes=next(fitting, 1440))


def _ratio(forecast: Line, realized: Line) -> Line:
    """Realized over forecast volatility, where both are known."""
    known = dict(realized.points)
    points = [
        (at, None if not value or known.get(at) is None else (known[at] or 0.0) / value)
        for at, value in forecast.points
    ]
    return Line("Realized over forecast", points)


@contextmanager
def _placed(name: str, n: int | None) -> Iterator[None]:
    """Say of which one of several an issue is; None: of the only one."""
    try:
        yield
    except InvalidInput as error:
        if n is None or isinstance(error.detail, str):
            raise
        raise InvalidInput(
            [{**issue, "loc": ["body", name, n, *issue["loc"][1:]]} for issue in error.detail]
        ) from None


def _no_watchlist() -> NotFound:
    return NotFound("There is no watchlist with this id.")


def check_rule(rule: Rule) -> None:
    """Refuse what makes no sense although each part does."""
    is_status = rule.metric == "status"
    if is_status != (rule.label is not None):
        raise InvalidInput.at(
            "body",
            "value",
            msg="Should be active, closed or resolved." if is_status else "Should be a number.",
        )
    if is_status and rule.op not in ("eq", "ne"):
        raise InvalidInput.at("body", "op", msg="A status is compared with eq or ne.")
    least, most = _BOUNDS.get(rule.metric, (float("-inf"), float("inf")))
    if rule.threshold is not None and not least <= rule.threshold <= most:
        raise InvalidInput.at(
            "body", "value", msg=f"Should be from {least:g} to {most:g} for this metric."
        )
    if rule.span is not None:
        longest = _LONGEST_SPAN.get(rule.metric)
        if longest is None:
            with_one = ", ".join(SPANS)
            raise InvalidInput.at(
                "body", "window", msg=f"Only these metrics have a window: {with_one}."
            )
        if not _SHORTEST_SPAN <= rule.span <= longest:
            raise InvalidInput.at(
                "body", "window", msg=f"Should be from 5m to {longest.days}d for this metric."
            )
    if rule.hysteresis and rule.op in ("eq", "ne"):
        raise InvalidInput.at("body", "hysteresis", msg="Has no meaning with eq and ne.")

"""The service of realized volatility: stores daily measures, issues forecasts, computes what was
realized, scores, and answers the API."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import numpy as np

from augury.clock import Clock, now
from augury.rvol import calendars, garch, issuing, sample, scorecard, selection, store
from augury.rvol.calendars import Calendar, calendar, date_of, day_number
from augury.rvol.learning import Checkpoint
from augury.rvol.members import MODELS
from augury.rvol.panel import Panel, fingerprint, pack
from augury.rvol.store import CoveredAsset, DayRow, RowFilters, RowPosition
from augury.settings import Settings
from augury.storage.database import Database

SETTLE_AFTER = timedelta(days=3)
"""A realized variance is preliminary until this long after the end of its target window (the days
that it covers), because prices may still be corrected. Afterwards it is final."""
LIVE_WITHIN = timedelta(hours=24)
"""A forecast published within this time after its day's close counts as live, a later one as a
replay (made afterwards, from only the data up to that day)."""
ACTUALS_DAYS = 750
"""A refresh computes realized variances only for target windows (the days that a forecast covers)
that start at most this many days before the newest day with data."""
ASSETS_PER_TRANSACTION = 50
"""Number of assets whose realized variances are stored in one transaction."""
MAX_CACHED_ANSWERS, MAX_CACHED_BYTES = 256, 256 * 1024
"""Limits of the cache of API answers: the number of cached answers, and the size of each in bytes.
Larger answers are not cached."""
ALIASES = ("champion", "latest", "stable")

Report = Callable[[str, int, int], None]
"""Callback that shows progress: called after each day of a refresh with the family of the assets
(e.g. `crypto`), the number of days done, and the number of days in all."""


class RefreshOutcome(msgspec.Struct):
    """What a refresh of the volatility forecasts did: how many sets (all forecasts of one class of
    assets for one day) and forecasts were issued, and how many realized variances were added
    (`actuals`) and revised."""

    sets: int = 0
    forecasts: int = 0
    actuals: int = 0
    revised: int = 0
    latest: datetime | None = None
    """The newest `as_of` among the forecasts issued by the refresh."""
    promoted: str | None = None
    """The model that became the champion (the model served by default); None if the champion stayed
    the same."""


class RvolService:
    """Takes in daily measures, issues forecasts of realized volatility and answers the API."""

    def __init__(self, database: Database, settings: Settings, *, clock: Clock = now) -> None:
        self.database = database
        self._clock = clock
        self.horizons: tuple[int, ...] = settings.rvol_horizons
        self._replay = settings.rvol_replay_days
        self._known: dict[str, Checkpoint] = {}
        """Key: family and calendar, e.g. `crypto@24/7`. Value: the checkpoint (what the models keep
        of earlier days) from which the next day is forecast."""
        self._answers: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._version = -1

    # --- data in ---------------------------------------------------------------------------

    async def ensure_sample(self) -> bool:
        """Store the sample data (simulated coins). Returns False if there are assets already."""
        async with self.database.reading() as conn:
            if await store.assets(conn):
                return False
        last = calendar(calendars.ALWAYS).day_at(int(self._clock().timestamp()))
        made = await asyncio.to_thread(sample.generate, last)
        async with self.database.transaction() as conn:
            await store.lock(conn)
            if await store.assets(conn):
                return False
            await store.put_assets(
                conn,
                (
                    CoveredAsset(
                        asset=s.asset, display_name=f"{s.name} (sample)", target_family="crypto",
                        calendar=calendars.ALWAYS, minutes=sample.BAR_MINUTES, origin="sample",
                    )
                    for s in made
                ),
            )  # fmt: skip
            await store.put_days(conn, [row for s in made for row in _sample_rows(s)])
            await store.invalidate_answers(conn)
        # The newest forecasts at once; the past is replayed by the next refresh.
        await self.refresh(replay=1)
        return True

    async def drop_sample(self) -> bool:
        """Delete all sample data (simulated coins). Returns False if there were none."""
        async with self.database.transaction() as conn:
            await store.lock(conn)
            dropped = await store.drop_sample(conn)
            if dropped:
                await store.invalidate_answers(conn)
        return dropped

    async def put_measures(
        self, assets: Sequence[CoveredAsset], rows: Sequence[DayRow]
    ) -> tuple[int, int]:
        """Store assets and their daily measures; sample data are removed. Returns the numbers of
        new and of changed days."""
        async with self.database.transaction() as conn:
            await store.lock(conn)
            await store.drop_sample(conn)
            await store.put_assets(conn, assets)
            done = await store.put_days(conn, rows)
            await store.invalidate_answers(conn)
        return done

    # --- publishing ------------------------------------------------------------------------

    async def refresh(
        self, *, replay: int | None = None, report: Report | None = None
    ) -> RefreshOutcome:
        """Issue missing forecasts, newest day first, then store realized variances. Idempotent.

        The forecasts of one day, for all assets of one family and calendar, are published in one
        transaction. `replay`: number of latest days to issue forecasts for; default: from the
        settings.
        """
        outcome = RefreshOutcome()
        async with self.database.reading() as conn:
            covered = await store.assets(conn, inactive=False)
        await self._register()
        for family, name in sorted({(a.target_family, a.calendar) for a in covered}):
            on = await asyncio.to_thread(calendar, name)  # loading one takes a second
            await self._issue(family, on, outcome, replay or self._replay, report)
            await self._realize(family, on, outcome)
        if outcome.sets or outcome.actuals or outcome.revised:
            outcome.promoted = await self._promote()
        return outcome

    async def _register(self) -> None:
        version = issuing.model_version()
        async with self.database.transaction() as conn:
            for model_id in MODELS:
                if model_id == "garch" and not garch.available():
                    continue
                await store.put_model(
                    conn,
                    model_id,
                    version,
                    code=issuing.code_hash(),
                    families=issuing.families_of(model_id),
                    members=issuing.members_of(model_id),
                    training=issuing.TRAINING,
                )
            named = await store.aliases(conn)
            for alias in ALIASES:
                if alias not in named:
                    fixed = version if alias == "stable" else None
                    await store.set_alias(conn, alias, "blend", fixed, "the first version")

    async def _issue(
        self, family: str, on: Calendar, outcome: RefreshOutcome, replay: int, report: Report | None
    ) -> None:
        async with self.database.reading() as conn:
            sampled = await store.sample_assets(conn)
        given, known_at = await self._panel(family, on)
        if not given.assets:
            return
        last = int(max(given.days[i, n - 1] for i, n in enumerate(given.lengths)))
        candidates = np.unique(given.days[(given.days <= last) & (given.days > last - 3 * replay)])
        candidates = candidates[::-1][:replay]
        async with self.database.reading() as conn:
            done = await store.issued_days(conn, _key(family, on), date_of(int(candidates[-1])))
        missing = {
            int(day): [
                a for a in _assets_with_data(given, int(day)) if a not in done.get(date_of(day), ())
            ]
            for day in candidates
        }
        todo = [day for day, names in missing.items() if names]
        version = issuing.model_version()
        key = _key(family, on)
        since = self._known.get(key)
        if len(todo) > 1 and (since is None or since.day >= todo[-1]):
            # For several days the oldest is computed first, because the others then start from its
            # checkpoint.
            _, since = await asyncio.to_thread(issuing.issue, given, on, self.horizons, todo[-1])
        for n, day in enumerate(todo):
            names = missing[day]
            made, known = await asyncio.to_thread(
                issuing.issue, given, on, self.horizons, day, since
            )
            if n == 0 and known is not None:
                self._known[key] = known
            inputs = await asyncio.to_thread(
                lambda cut: fingerprint(issuing.without_empty_assets(cut)), given.cut(day)
            )
            hours = on.hours(day)
            late = self._clock() - calendars.utc_time(hours[1] if hours else 0)
            async with self.database.transaction() as conn:
                await store.lock(conn)
                if not sampled <= await store.sample_assets(conn):
                    # The sample was removed meanwhile: forecasts made from it must not be published
                    # for a real asset of the same name.
                    return
                added = await store.publish(
                    conn,
                    [f for f in made if f.asset in set(names)],
                    family=key,
                    day=date_of(day),
                    issued="live" if late <= LIVE_WITHIN else "replay",
                    known_at=known_at,
                    inputs=inputs,
                    model_version=version,
                    assets=names,
                )
                await store.invalidate_answers(conn)
            outcome.sets += 1
            outcome.forecasts += added
            if made and (outcome.latest is None or made[0].as_of > outcome.latest):
                outcome.latest = made[0].as_of
            if report is not None:
                report(family, n + 1, len(todo))

    async def _realize(self, family: str, on: Calendar, outcome: RefreshOutcome) -> None:
        async with self.database.transaction() as conn:
            await store.lock(conn)
            changed = await store.changed_from(conn, family, on.name)
            if changed is None:
                return
            known_at = await store.clock(conn)
            given = _packed(await store.series(conn, family, on.name), on)
        if not given.assets:
            return
        last = int(max(given.days[i, n - 1] for i, n in enumerate(given.lengths)))
        first = max(day_number(changed) - 2 * max(self.horizons) - 7, last - ACTUALS_DAYS)
        at, settle = self._clock(), SETTLE_AFTER.total_seconds()
        # A few assets at a time, because a thousand have millions of windows.
        for start in range(0, len(given.assets), ASSETS_PER_TRANSACTION):
            some = given.only(range(start, min(start + ASSETS_PER_TRANSACTION, len(given.assets))))
            made = await asyncio.to_thread(
                issuing.actuals, some, on, self.horizons,
                first=first, now=int(at.timestamp()), settle=int(settle),
            )  # fmt: skip
            async with self.database.transaction() as conn:
                await store.lock(conn)
                done = await store.put_actuals(conn, made, now=at, settle=settle, known_at=known_at)
                await store.invalidate_answers(conn)
            outcome.actuals += done.added
            outcome.revised += done.revised

    async def _promote(self) -> str | None:
        """Update where the aliases point. `champion`: to the model that beats the champion, if
        there is one (`scorecard.challenger`). `latest`: to the champion's newest version. `stable`:
        to its newest version with scored forecasts for at least `scorecard.MIN_SCORED_DAYS` days;
        if there is none, this alias does not change.

        Returns the new champion; None if the champion stays the same."""
        async with self.database.transaction() as conn:
            await store.lock(conn)
            named = await store.aliases(conn)
            champion = named.get("champion", ("blend", None))[0]
            scored = await store.scored(conn, RowFilters())
            better = await asyncio.to_thread(scorecard.challenger, scored, champion)
            if better is not None:
                await store.set_alias(
                    conn, "champion", better, None, f"lower QLIKE than {champion}, |t| > 2"
                )
                champion = better
            await store.set_alias(conn, "latest", champion, None, "the champion's newest version")
            proven = await store.proven_version(conn, champion, scorecard.MIN_SCORED_DAYS)
            if proven is not None:
                await store.set_alias(
                    conn, "stable", champion, proven,
                    f"the newest version with {scorecard.MIN_SCORED_DAYS} scored origins",
                )  # fmt: skip
            if better is not None:
                await store.invalidate_answers(conn)
        return better

    async def _panel(
        self, family: str, on: Calendar, known_at: datetime | None = None
    ) -> tuple[Panel, datetime]:
        """The daily measures of all assets of a family (e.g. crypto) that trade on the calendar
        `on`, as they were known at `known_at` (None: now). Returns the measures and this time."""
        async with self.database.transaction() as conn:
            await store.lock(conn)  # so that no other writer's work is read by halves
            at = known_at or await store.clock(conn)
            return _packed(await store.series(conn, family, on.name, known_at=known_at), on), at

    async def recompute(self, set_id: int) -> tuple[str, list[issuing.VarianceForecast]]:
        """Recompute the published forecasts of one day, the set `set_id`, from the data known when
        they were made. Returns the hash of these data, and the forecasts."""
        async with self.database.reading() as conn:
            family, day, known_at = await store.published_set(conn, set_id)
        name, _, on = family.partition("@")
        given, _ = await self._panel(name, calendar(on), known_at)
        made, _ = await asyncio.to_thread(
            issuing.issue, given, calendar(on), self.horizons, day_number(day)
        )
        return fingerprint(issuing.without_empty_assets(given.cut(day_number(day)))), made

    # --- answers ---------------------------------------------------------------------------

    async def answer(self, key: tuple[Any, ...], make: Callable[[], Awaitable[Any]]) -> Any:
        """What `make` returns, cached under `key` until new data are published."""
        async with self.database.reading() as conn:
            version = await store.version(conn)
        if version != self._version:
            self._answers.clear()
            self._version = version
        if key in self._answers:
            self._answers.move_to_end(key)
            return self._answers[key]
        made = await make()
        # Not cached: an answer read before another call saw a newer version, and large answers.
        body = made[0] if isinstance(made, tuple) else made
        if version == self._version and len(body) <= MAX_CACHED_BYTES:
            self._answers[key] = made
            if len(self._answers) > MAX_CACHED_ANSWERS:
                self._answers.popitem(last=False)
        return made

    async def models(self, model_id: str | None = None) -> list[tuple[store.Model, list[str]]]:
        """All versions of one model or of all models, each with the aliases that point to it
        now."""
        async with self.database.reading() as conn:
            found = await store.models(conn)
            named = await store.aliases(conn)
        if model_id is not None:
            selection.check("model_id", model_id, {m.model_id for m in found})
            found = [m for m in found if m.model_id == model_id]
        newest: dict[str, str] = {}
        for model in found:
            newest.setdefault(model.model_id, model.model_version)
        return [
            (
                m,
                [
                    alias
                    for alias in ALIASES
                    if alias in named
                    and named[alias][0] == m.model_id
                    and (named[alias][1] or newest[m.model_id]) == m.model_version
                ],
            )
            for m in found
        ]

    async def assets(self, *, inactive: bool = False) -> list[CoveredAsset]:
        """Covered assets, sorted by name."""
        async with self.database.reading() as conn:
            return await store.assets(conn, inactive=inactive)

    async def forecasts(
        self,
        *,
        model: str | None,
        model_version: str | None,
        asset: str | None,
        horizon: str | None,
        start: datetime | None = None,
        end: datetime | None = None,
        limit: int,
        after: RowPosition | None = None,
        latest: bool = False,
        by_column: bool = False,
    ) -> store.Page:
        """A page of forecasts (`store.FORECAST_FIELDS`). Without `model`: of the default model."""
        async with self.database.reading() as conn:
            chosen = await selection.chosen_model(conn, model, model_version)
            filters = RowFilters(
                model_id=chosen.model_id, model_version=chosen.model_version, start=start, end=end,
                **await selection.subject(conn, asset, horizon, self.horizons),
            )  # fmt: skip
            return await store.forecasts(
                conn, filters, limit=limit, after=after, latest=latest, by_column=by_column
            )

    async def actuals(
        self,
        *,
        asset: str | None,
        horizon: str | None,
        start: datetime | None,
        end: datetime | None,
        limit: int,
        after: RowPosition | None,
        by_column: bool = False,
    ) -> store.Page:
        """A page of realized variances, with the fields `store.ACTUAL_FIELDS`. If given, `asset`,
        `horizon`, and `start` and `end` (first and last `as_of`) limit which ones are returned.
        `after`: position of the last row of the page before. `by_column`: return one list per field
        instead of one row per variance."""
        async with self.database.reading() as conn:
            subject = await selection.subject(conn, asset, horizon, self.horizons)
            filters = RowFilters(start=start, end=end, **subject)
            return await store.actuals(conn, filters, limit=limit, after=after, by_column=by_column)

    async def features(
        self,
        *,
        asset: str | None,
        horizon: str | None,
        feature_set_id: str | None,
        limit: int,
        after: RowPosition | None,
    ) -> list[tuple[Any, ...]]:
        """The groups of regressors (feature families) behind the newest forecasts of the model
        `blend`, as tuples (asset, horizon, as_of, version of the model, {feature family: [value,
        contribution]}, origin of the data). The contribution is what the family adds to the natural
        log of the forecast variance, compared with a typical day."""
        if feature_set_id is not None:
            selection.check("feature_set_id", feature_set_id, {issuing.FEATURE_SET})
        async with self.database.reading() as conn:
            subject = await selection.subject(conn, asset, horizon, self.horizons)
            filters = RowFilters(model_id="blend", **subject)
            return await store.feature_rows(conn, filters, limit=limit, after=after)

    async def scorecard(
        self,
        *,
        asset: str | None = None,
        horizon: str | None = None,
        model: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
    ) -> list[dict[str, Any]]:
        """Scores of one or all models against realized variance: by asset and over all assets."""
        async with self.database.reading() as conn:
            chosen = None if model is None else await selection.chosen_model(conn, model, None)
            subject = await selection.subject(conn, asset, horizon, self.horizons)
            found = await store.scored(conn, RowFilters(start=start, end=end, **subject))
        rows = await asyncio.to_thread(scorecard.rows, found)
        return [r for r in rows if chosen is None or r["model_id"] == chosen.model_id]


def _key(family: str, on: Calendar) -> str:
    return f"{family}@{on.name}"


def _packed(series: dict[str, store.MeasureSeries], on: Calendar) -> Panel:
    return pack({a: (s.days, s.measures) for a, s in series.items()}, continuous=on.continuous)


def _assets_with_data(given: Panel, day: int) -> list[str]:
    """Names of the assets that have data for the day (days since 1970-01-01)."""
    return [given.assets[i] for i in np.flatnonzero((given.days == day).any(axis=1))]


def _sample_rows(made: sample.SampleDays) -> list[DayRow]:
    m = made.measures
    return [
        DayRow(
            made.asset, date_of(day), True, float(m.rv[n]), float(m.bv[n]), float(m.rsv_neg[n]),
            float(m.rsv_pos[n]), float(m.medrv[n]), float(m.rk[n]), float(m.rq[n]),
            float(m.tq[n]), float(m.open_to_close[n]), 0.0, float(made.paths[n, -1]),
            sample.BARS_A_DAY, sample.BARS_A_DAY, 0, 0, False,
        )
        for n, day in enumerate(made.days)
    ]  # fmt: skip

"""Reads the current value of each rule's metric, with a few queries for all rules together."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta

from augury.markets import store as markets
from augury.markets.freshness import AgeRule
from augury.markets.store import PastPrices, Quote
from augury.rvol.store import Volatility
from augury.series import store as series
from augury.watchlists import store
from augury.watchlists.facts import (
    SPIKE_WINDOWS,
    ZSCORE_WINDOWS,
    Measurement,
    MetricFacts,
    QuotedOutcome,
)
from augury.watchlists.rules import Rule
from augury.watchlists.store import Connection, Target

_YIELD = 250
"""Number of (rule, target) pairs after which the measuring pauses, so that the event loop can serve
requests."""
SAMPLES_APART = timedelta(minutes=10)
"""A market's cumulative volume is stored at most once in this time. Chosen by hand."""

FindTwins = Callable[[Connection, Collection[int]], Awaitable[dict[int, list[tuple[int, bool]]]]]
"""A function that finds the same contract on the other venue. It gets the sequence numbers
(`Quote.seq`) of markets. It returns, for each, pairs of the other market's sequence number and
whether the two are inverted (Yes of one is No of the other)."""
ReadVolatility = Callable[[Connection, Sequence[str]], Awaitable[dict[str, Volatility]]]
"""A function that gets names of assets and returns, by name, the latest forecast and realized
volatility of each. Assets without a forecast are left out."""


async def no_twins(conn: Connection, seqs: Collection[int]) -> dict[int, list[tuple[int, bool]]]:
    return {}


async def no_volatility(conn: Connection, assets: Sequence[str]) -> dict[str, Volatility]:
    return {}


class Observer:
    """Reads the current values of the metrics of many (rule, target) pairs at once."""

    def __init__(
        self,
        *,
        find_twins: FindTwins = no_twins,
        volatility: ReadVolatility = no_volatility,
        age: AgeRule = AgeRule(),
    ) -> None:
        """`find_twins` finds the same contract on the other venue, `volatility` reads the
        volatility of assets, and `age` says which prices are too old."""
        self._find_twins = find_twins
        self._volatility = volatility
        self._age = age

    async def measure(
        self, conn: Connection, pairs: Iterable[tuple[Rule, Target]], now: datetime
    ) -> list[Measurement]:
        """The current value of the metric for each (rule, target) pair, in the order of `pairs`."""
        pairs = list(pairs)
        facts = await self._facts(conn, pairs, now)
        measurements = []
        for n, (rule, target) in enumerate(pairs):
            if n % _YIELD == 0:
                await asyncio.sleep(0)
            measurements.append(facts.measure(rule, target))
        return measurements

    async def _facts(
        self, conn: Connection, pairs: list[tuple[Rule, Target]], now: datetime
    ) -> MetricFacts:
        targets = {target.id: target for _, target in pairs}
        of_markets = [t for t in targets.values() if t.kind not in ("series", "asset")]
        members: dict[str, list[str]] = defaultdict(list)
        if of_markets:
            for target_id, market_id in await store.target_members(
                conn, [t.id for t in of_markets]
            ):
                members[target_id].append(market_id)
        ids = {market_id for found in members.values() for market_id in found}
        quotes = await markets.quotes(conn, list(ids)) if ids else {}
        sides = {t.id: _sides(t, members[t.id], quotes) for t in of_markets}
        facts = MetricFacts(now, sides, self._age)
        await self._read_past(conn, facts, pairs)
        await self._read_links(conn, facts, pairs)
        await self._read_series(conn, facts, pairs)
        assets = {t.ref for t in targets.values() if t.kind == "asset"}
        if assets:
            facts.volatility = await self._volatility(conn, list(assets))
        return facts

    async def _read_past(
        self, conn: Connection, facts: MetricFacts, pairs: list[tuple[Rule, Target]]
    ) -> None:
        changes: set[PastPrices] = set()
        moves: set[PastPrices] = set()
        volumes: set[tuple[str, timedelta]] = set()
        traded: dict[str, float] = {}
        for rule, target in pairs:
            window = rule.window
            if window is None:
                continue
            for quote, outcome in facts.sides.get(target.id, ()):
                # Often only the first of two outcomes has recorded prices, so both are read.
                recorded = range(2) if len(quote.outcomes) == 2 else (outcome,)
                if rule.metric == "probability_change":
                    changes.update(PastPrices(quote.seq, n, window) for n in recorded)
                elif rule.metric == "probability_zscore":
                    moves.update(PastPrices(quote.seq, n, window) for n in recorded)
                elif rule.metric == "volume_spike" and quote.volume is not None:
                    volumes.add((quote.id, window))
                    traded[quote.id] = quote.volume
        for wanted, count in ((changes, 1), (moves, ZSCORE_WINDOWS)):
            ordered = list(wanted)
            found = await markets.prices_before(conn, ordered, count, facts.now)
            for (seq, outcome, window), prices in zip(ordered, found, strict=True):
                facts.past[seq, outcome, window, count] = prices
        if volumes:
            ordered_volumes = list(volumes)
            found = await store.volumes_before(conn, ordered_volumes, SPIKE_WINDOWS, facts.now)
            facts.volumes = dict(zip(ordered_volumes, found, strict=True))
            await store.sample_volumes(conn, traded, facts.now, SAMPLES_APART)

    async def _read_links(
        self, conn: Connection, facts: MetricFacts, pairs: list[tuple[Rule, Target]]
    ) -> None:
        wanted = {
            side.quote.seq
            for rule, target in pairs
            if rule.metric == "divergence"
            for side in facts.sides.get(target.id, ())
        }
        if wanted:
            facts.twins = await self._find_twins(conn, wanted)
            others = {other for found in facts.twins.values() for other, _ in found}
            facts.others = await markets.quotes_by_seq(conn, list(others)) if others else {}

    async def _read_series(
        self, conn: Connection, facts: MetricFacts, pairs: list[tuple[Rule, Target]]
    ) -> None:
        refs = {target.ref for _, target in pairs if target.kind == "series"}
        if not refs:
            return
        facts.series = await series.latest(conn, list(refs))
        windows = list(
            {
                (target.ref, rule.window)
                for rule, target in pairs
                if rule.metric == "series_change" and rule.window is not None
            }
        )
        found = await series.values_before(conn, windows)
        facts.series_before = dict(zip(windows, found, strict=True))


def _sides(target: Target, market_ids: list[str], quotes: dict[str, Quote]) -> list[QuotedOutcome]:
    sides = []
    for market_id in market_ids:
        quote = quotes.get(market_id)
        if quote is None:
            continue
        if target.outcome is None:
            sides.append(QuotedOutcome(quote, 0))
        elif target.outcome in quote.outcomes:
            sides.append(QuotedOutcome(quote, quote.outcomes.index(target.outcome)))
    return sides

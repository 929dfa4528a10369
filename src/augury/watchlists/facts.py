"""Computes the value of each rule's metric from the stored data that an evaluation has read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from augury.clock import isoformat
from augury.markets.freshness import AgeRule, are_comparable
from augury.markets.records import ORIGINS
from augury.markets.store import Quote
from augury.rvol.store import Volatility
from augury.series import store as series
from augury.watchlists import measures, wording
from augury.watchlists.rules import HOUR, Observation, Rule
from augury.watchlists.store import Target

ZSCORE_WINDOWS = 96
"""The metric `probability_zscore` compares the price moves of this many time windows, the current
one included. Chosen by hand."""
SPIKE_WINDOWS = 72
"""The metric `volume_spike` compares the traded volumes of this many time windows, the current one
included. Chosen by hand."""


@dataclass
class Measurement:
    """The value of a rule's metric on a watched target, with the data that it was computed from."""

    observation: Observation
    quote: Quote | None = None
    outcome: str | None = None
    evidence: list[dict[str, Any]] = field(default_factory=list)
    name: str | None = None
    """Name of the watched series; None for other kinds of target."""
    source: str | None = None
    """Where the value of a series or an asset comes from, e.g. `live`; None for markets."""

    @property
    def origin(self) -> str | None:
        """Where the value comes from (e.g. `live`); None if nothing is known of the target."""
        return ORIGINS[self.quote.origin] if self.quote is not None else self.source


class QuotedOutcome(NamedTuple):
    """One outcome (e.g. Yes) of one market; `outcome` is its index in the market's outcomes."""

    quote: Quote
    outcome: int

    @property
    def price(self) -> float | None:
        return price_of(self.quote, self.outcome)

    @property
    def label(self) -> str:
        return self.quote.outcomes[self.outcome]


def price_of(quote: Quote, outcome: int) -> float | None:
    """An outcome's price. If it is unknown and the market has two outcomes, 1 minus the price of
    the other outcome. None if that is unknown, too, or if there are more outcomes."""
    price = quote.prices[outcome]
    if price is None and len(quote.prices) == 2:
        other = quote.prices[1 - outcome]
        return None if other is None else round(1 - other, 12)
    return price


class MetricFacts:
    """The stored data from which an evaluation computes the metrics of all (rule, target) pairs."""

    def __init__(self, now: datetime, sides: dict[str, list[QuotedOutcome]], age: AgeRule) -> None:
        """`now`: time of the evaluation. `sides`: id of a target -> the outcomes of markets that it
        watches. `age`: which prices are too old. The other attributes are empty at first. The code
        that reads the stored data fills them before the first call of `measure`."""
        self.now = now
        self.age = age
        self.sides = sides
        self.past: dict[tuple[int, int, timedelta, int], list[float | None]] = {}
        self.volumes: dict[tuple[str, timedelta], list[float | None]] = {}
        self.twins: dict[int, list[tuple[int, bool]]] = {}
        self.others: dict[int, Quote] = {}
        self.series: dict[str, series.LatestValue] = {}
        self.series_before: dict[tuple[str, timedelta], float | None] = {}
        self.volatility: dict[str, Volatility] = {}

    def measure(self, rule: Rule, target: Target) -> Measurement:
        """The current value of the rule's metric on the target, or the reason why there is none."""
        if target.kind == "series":
            measurement = self._series(rule, target)
            measurement.source = "live"
            return measurement
        if target.kind == "asset":
            measurement = self._asset(rule, target)
            known = self.volatility.get(target.ref)
            measurement.source = known.origin if known is not None else None
            return measurement
        sides = self.sides.get(target.id, [])
        if not sides:
            unknown = wording.NO_MARKET if target.kind == "market" else wording.NO_MEMBERS
            return Measurement(Observation(reason=unknown))
        measurements = [self._market(rule, side) for side in sides]
        if len(measurements) == 1:
            return measurements[0]
        return _foremost(rule, measurements)

    def _market(self, rule: Rule, side: QuotedOutcome) -> Measurement:
        quote = side.quote
        measurement = Measurement(Observation(reason=""), quote, side.label)
        if rule.metric == "hours_to_close" and (ended := self._closed(quote)) is not None:
            measurement.observation = Observation(reason=ended, has_ended=True)
            return measurement
        if rule.metric != "staleness" and (why := self._too_old(rule, quote)) is not None:
            measurement.observation = Observation(reason=why)
            return measurement
        compute: Callable[[Rule, QuotedOutcome, Measurement], float | str | Observation | None]
        compute = getattr(self, f"_{rule.metric}")
        found = compute(rule, side, measurement)
        if isinstance(found, Observation):
            measurement.observation = found
            return measurement
        as_of = quote.price_as_of if rule.metric in _OF_PRICES else quote.observed_at
        measurement.observation = Observation(
            value=found, as_of=as_of, valid_until=self.age.until(quote, self.now)
        )
        if rule.metric in _OF_PRICES and side.price is not None:
            measurement.evidence.insert(0, _price(quote, side.label, side.price))
        return measurement

    def _closed(self, quote: Quote) -> str | None:
        """A sentence saying that the market has closed; None if its close is ahead or not known."""
        if quote.status != "active":
            return wording.already_ended(quote.status)
        if quote.closes_at is not None and quote.closes_at <= self.now:
            return wording.PAST_CLOSE
        return None

    def _too_old(self, rule: Rule, quote: Quote) -> str | None:
        """Why the market's data are too old for the rule, as a sentence; None if they are not."""
        standing = self.age.standing(quote, self.now)
        if standing.stale:
            return standing.why
        # A closed or resolved market keeps its last price, which is not stale but may be too old.
        quoted = any(price is not None for price in quote.prices)
        if rule.metric in _OF_PRICES and quoted and self.age.is_old(quote.price_as_of, self.now):
            return self.age.why_old(quote.price_as_of, self.now)
        return None

    def _probability(
        self, rule: Rule, side: QuotedOutcome, measurement: Measurement
    ) -> float | Observation:
        return side.price if side.price is not None else _UNQUOTED

    def _probability_change(
        self, rule: Rule, side: QuotedOutcome, measurement: Measurement
    ) -> float | Observation:
        if side.price is None:
            return _UNQUOTED
        window = rule.window or HOUR
        before = self._before(side, window, 1)[0]
        if before is None:
            return Observation(reason=wording.NO_PAST_PRICE)
        at = isoformat(self.now - window)
        measurement.evidence.append({"kind": "earlier_price", "value": before, "as_of": at})
        return round(side.price - before, 12)

    def _probability_zscore(
        self, rule: Rule, side: QuotedOutcome, measurement: Measurement
    ) -> float | Observation:
        if side.price is None:
            return _UNQUOTED
        window = rule.window or HOUR
        past = self._before(side, window, ZSCORE_WINDOWS)
        score = measures.zscore([*past, side.price])
        if score is None:
            return Observation(reason=wording.TOO_FEW_MOVES)
        at = isoformat(self.now - window)
        measurement.evidence.append({"kind": "earlier_price", "value": past[-1], "as_of": at})
        return score

    def _volume_24h(
        self, rule: Rule, side: QuotedOutcome, measurement: Measurement
    ) -> float | Observation:
        found = side.quote.volume_24h
        return found if found is not None else Observation(reason=wording.NO_DAILY_VOLUME)

    def _volume_spike(
        self, rule: Rule, side: QuotedOutcome, measurement: Measurement
    ) -> float | Observation:
        if side.quote.volume is None:
            return Observation(reason=wording.NO_VOLUME)
        past = self.volumes[side.quote.id, rule.window or HOUR]
        found = measures.spike([*past, side.quote.volume])
        if found is None:
            return Observation(reason=wording.TOO_FEW_VOLUMES)
        return found

    def _spread(
        self, rule: Rule, side: QuotedOutcome, measurement: Measurement
    ) -> float | Observation:
        bid, ask = side.quote.best_bid, side.quote.best_ask
        if bid is None or ask is None:
            return Observation(reason=wording.NO_SPREAD)
        return round(ask - bid, 12)

    def _divergence(
        self, rule: Rule, side: QuotedOutcome, measurement: Measurement
    ) -> float | Observation:
        if side.price is None:
            return _UNQUOTED
        if len(side.quote.outcomes) != 2:
            return Observation(reason=wording.NOT_TWO_OUTCOMES)
        others = []
        apart = None
        for seq, inverted in self.twins.get(side.quote.seq, ()):
            other = self.others.get(seq)
            if other is None or other.status != "active" or len(other.outcomes) != 2:
                continue
            if self._too_old(rule, other) is not None:
                continue
            if not are_comparable(side.quote.price_as_of, other.price_as_of):
                apart = other
                continue
            same = 1 - side.outcome if inverted else side.outcome
            if (price := price_of(other, same)) is not None:
                others.append(price)
                measurement.evidence.append(_price(other, other.outcomes[same], price))
        found = measures.divergence(side.price, others)
        if found is None and apart is not None:
            return Observation(reason=wording.PRICES_APART)
        if found is None:
            return Observation(reason=wording.NOTHING_TO_COMPARE)
        return round(found, 12)

    def _hours_to_close(
        self, rule: Rule, side: QuotedOutcome, measurement: Measurement
    ) -> float | Observation:
        if side.quote.closes_at is None:
            return Observation(reason=wording.NO_CLOSE)
        return Observation(value=(side.quote.closes_at - self.now) / HOUR, as_of=self.now)

    def _status(self, rule: Rule, side: QuotedOutcome, measurement: Measurement) -> str:
        return side.quote.status

    def _staleness(self, rule: Rule, side: QuotedOutcome, measurement: Measurement) -> Observation:
        updated_at = _last_update(side.quote)
        if updated_at is None:
            return Observation(reason=wording.NEVER_CONFIRMED)
        return _age(self.now, updated_at)

    def _before(self, side: QuotedOutcome, window: timedelta, count: int) -> list[float | None]:
        quote, outcome = side
        known = self.past[quote.seq, outcome, window, count]
        if len(quote.outcomes) != 2:
            return known
        other = self.past[quote.seq, 1 - outcome, window, count]
        return [
            a if a is not None or b is None else round(1 - b, 12)
            for a, b in zip(known, other, strict=True)
        ]

    def _series(self, rule: Rule, target: Target) -> Measurement:
        found = self.series.get(target.ref)
        if found is None or found.time is None or found.value is None:
            return Measurement(Observation(reason=wording.NO_POINTS))
        point = {
            "kind": "series",
            "id": found.id,
            "value": found.value,
            "as_of": isoformat(found.time),
        }
        if rule.metric == "staleness":
            updated_at = found.fetched_at or found.time
            return Measurement(_age(self.now, updated_at), evidence=[point], name=found.name)
        if rule.metric == "series_value":
            return Measurement(
                Observation(value=found.value, as_of=found.time), evidence=[point], name=found.name
            )
        window = rule.window or HOUR
        before = self.series_before[found.id, window]
        if before is None:
            return Measurement(Observation(reason=wording.NO_EARLIER_POINT))
        earlier = {
            "kind": "earlier_value",
            "value": before,
            "as_of": isoformat(found.time - window),
        }
        change = Observation(value=found.value - before, as_of=found.time)
        return Measurement(change, evidence=[point, earlier], name=found.name)

    def _asset(self, rule: Rule, target: Target) -> Measurement:
        found = self.volatility.get(target.ref)
        if found is None:
            return Measurement(Observation(reason=wording.NO_VOLATILITY))
        evidence: list[dict[str, Any]] = [
            {"kind": "rvol_forecast", "value": found.forecast, "as_of": isoformat(found.as_of)}
        ]
        if rule.metric == "staleness":
            return Measurement(_age(self.now, found.as_of), evidence=evidence)
        if rule.metric == "rvol_forecast":
            return Measurement(
                Observation(value=found.forecast, as_of=found.as_of), evidence=evidence
            )
        if found.realized is None or found.completed is None or not found.expected:
            return Measurement(Observation(reason=wording.NO_COMPLETED_WINDOW))
        since = isoformat(found.completed)
        evidence = [
            {"kind": "rvol_forecast", "value": found.expected, "as_of": since},
            {"kind": "rvol_realized", "value": found.realized, "as_of": since},
        ]
        ratio = Observation(value=found.realized / found.expected, as_of=found.as_of)
        return Measurement(ratio, evidence=evidence)


_UNQUOTED = Observation(reason=wording.NO_QUOTE)
_OF_PRICES = frozenset(
    {"probability", "probability_change", "probability_zscore", "spread", "divergence"}
)


def _last_update(quote: Quote) -> datetime | None:
    return max(filter(None, (quote.observed_at, quote.price_as_of)), default=None)


def _age(now: datetime, updated_at: datetime) -> Observation:
    return Observation(value=max(0.0, (now - updated_at).total_seconds()), as_of=now)


def _price(quote: Quote, outcome: str, price: float) -> dict[str, Any]:
    as_of = isoformat(quote.price_as_of) if quote.price_as_of else None
    return {
        "kind": "price",
        "id": quote.id,
        "outcome": outcome,
        "value": price,
        "as_of": as_of,
    }


def _foremost(rule: Rule, measurements: list[Measurement]) -> Measurement:
    """The measurement, among those of one target's markets, whose value is furthest toward or
    beyond the rule's threshold.

    Its `as_of` is set to the latest of all `measurements`, so that the target's time never goes
    back.
    """
    known = [
        measurement for measurement in measurements if measurement.observation.value is not None
    ]
    if not known:
        return measurements[0]

    def reach(measurement: Measurement) -> float:
        value = measurement.observation.value
        assert value is not None
        if rule.op in ("eq", "ne") or isinstance(value, str):
            return float(rule.holds(value))
        return -value if rule.op in ("lt", "lte", "crosses_below") else value

    first = max(known, key=reach)
    newest = max(
        (measurement.observation.as_of for measurement in known if measurement.observation.as_of),
        default=None,
    )
    until = min(
        (
            measurement.observation.valid_until
            for measurement in known
            if measurement.observation.valid_until
        ),
        default=None,
    )
    observation = Observation(value=first.observation.value, as_of=newest, valid_until=until)
    return Measurement(observation, first.quote, first.outcome, first.evidence)

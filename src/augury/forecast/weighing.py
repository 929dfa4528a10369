"""Weighs the markets that tell something about one question, and makes an estimate from them, with
its evidence. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from augury.forecast import bounds, distribution, doubt, explain, judged_bounds, pool, rungs
from augury.forecast.bearing import Bearing
from augury.forecast.evidence import Estimate, Evidence, Role
from augury.forecast.exclusive_ways import (
    are_apart,
    event_bounds,
    event_of,
    summed_places,
    ways_by_event,
)
from augury.forecast.normalize import Reading
from augury.forecast.roles import (
    MAX_DEADLINE_EXTRA,
    are_contrary,
    differ_by_deadline,
    direct_markets,
    in_order,
    is_about,
    is_hint,
    is_of_a_member,
    is_related,
    is_rung,
    is_same_except,
    is_sure,
    limits_of,
    orders_of,
    says_never,
    stands_alone,
)
from augury.forecast.spans import in_span
from augury.forecast.threshold_order import mixes_day_and_any_time
from augury.forecast.view import View
from augury.propositions.proposition import Proposition, Threshold

FAVORITES_SUM: Final = 0.5
"""If the prices of a contender's rivals sum to at least this probability, the estimate for the
contender (which has no market of its own) is at most the rivals' average price. With a smaller sum
there is no such limit, because the contender may be a favorite itself. Chosen by hand."""
HALF_LIFE_DAYS: Final = 4.0
"""Half-life, in days, of a market's weight: the weight is halved each time the price gets this much
older. Chosen by hand."""


class Weighing:
    """Makes the estimate for one question from `bearings`. Each bearing is the result of comparing
    one market outcome (e.g. the Yes of a market) with the question."""

    def __init__(
        self, reading: Reading, question: View, bearings: Sequence[Bearing], at: datetime
    ) -> None:
        self._reading = reading
        self._asked: Proposition = reading.proposition
        self._question = question
        self._bearings = bearings
        self._at = at
        self._limits = bounds.Bounds()
        """Bounds that logic puts on the probability of Yes to the question as it was asked, i.e.
        with its negations."""

    def estimate(self) -> Estimate:
        """The estimate that the markets give, kept within the bounds that logic sets."""
        direct = direct_markets(self._bearings, self._at.date())
        span = in_span(self._asked, direct, self._bearings, self._at.date())
        if span is not None:
            return self._bounded(*span, "deadlines", "span")
        if direct:
            return self._from_direct(direct)
        ordered = [b for b in self._bearings if b.relation in bounds.ORDERED]
        self._limits = bounds.bounds(
            (b.relation, b.market.price(b.outcome) or 0.0) for b in ordered
        )
        found = self._estimate()
        if not ordered:
            return found if found.count("direct", "bound") else self._by_judge() or found
        proven = {b.key for b in ordered}
        bounding = (one for one in found.evidence if one.counts and one.role == "bound")
        if any((one.market.seq, one.outcome) in proven for one in bounding):
            return found
        return self._by_deadline(ordered) or self._by_logic(ordered)

    def _by_judge(self) -> Estimate | None:
        """Estimate from markets whose prices bound the answer according to the judge, but not by
        logic or the hand-written rules; None if there are none."""
        self._limits, sure = judged_bounds.bounds_of(self._bearings)
        return self._by_logic(sure, "judged") if sure else None

    def _by_logic(self, ordered: list[Bearing], told: str = "") -> Estimate:
        low, high = self._limits.low, self._limits.high
        if not self._asked.positive:
            low, high = 1 - high, 1 - low
        return self._bounded(ordered, pool.within(low, high), low, high, "bounds", told)

    def _estimate(self) -> Estimate:
        related = [b for b in self._bearings if b.sets_bound or is_related(b.fit)]
        if related:
            best = related[0].fit.content
            related = [
                b for b in related if b.sets_bound or b.fit.rival or b.fit.content >= best - 0.65
            ]
            sure = [
                b for b in related if (is_sure(b.fit) if b.sets_bound is None else b.sets_bound)
            ]
            if not self._asked.threshold and (found := self._by_parts(sure, need_complete=True)):
                return found
            levels = (self._by_threshold, self._by_stage)
            by_level = levels if self._asked.threshold else (self._by_parts_or_stage,)
            for attempt in (self._by_deadline, *by_level, self._by_rivals):
                if (found := attempt(sure)) is not None:
                    return found
            alone = stands_alone(related[0], self._bearings)
            hints = [b for b in related if is_hint(b.fit, alone=alone and b is related[0])]
            if hints:
                return self._by_proxy(hints)
        return Estimate(
            evidence=(),
            error=explain.NOTHING,
            reasoning=explain.nothing(self._reading, len(self._bearings)),
            fallbacks=("no_relevant_market",),
        )

    def with_distribution(self, estimate: Estimate) -> Estimate:
        """The estimate, with a distribution over levels or days added if there are markets on other
        levels or deadlines than the question's."""
        if estimate.probability is None or not estimate.count("direct", "bound"):
            return estimate
        p = estimate.probability if self._asked.positive else 1 - estimate.probability
        found = self._over_levels(p) or self._over_days(p)
        return replace(estimate, distribution=found) if found else estimate

    def _over_levels(self, p: float) -> distribution.Distribution | None:
        asked, way = self._asked.threshold, rungs.way(self._asked)
        if asked is None or way is None:
            return None
        found = rungs.by_level(
            self._asked, way, self._bearings, lambda b: is_rung(b.fit, "threshold")
        )
        return distribution.by_level(
            {level: b.positive for level, b in found.items()}, rungs.level(self._asked, way), p,
            upward=way == "above", label=distribution.level_label(asked.unit),
        )  # fmt: skip

    def _over_days(self, p: float) -> distribution.Distribution | None:
        end = self._asked.window.end
        if end is None or self._asked.window.kind != "by":
            return None
        series = [
            b for b in self._bearings
            if b.fit.gap and b.fit.extra <= MAX_DEADLINE_EXTRA and rungs.is_deadline(b)
            and is_rung(b.fit, "window")
        ]  # fmt: skip
        found = rungs.by_day(
            (b for b in series if differ_by_deadline(series[0], b)),
            self._at.date(),
            lambda b: end - timedelta(days=round(b.fit.gap)),
        )
        return distribution.by_day({day: b.positive for day, b in found.items()}, end, p)

    # Weights

    def _weight(self, b: Bearing) -> float:
        weight = 0.5 ** (b.age / HALF_LIFE_DAYS) * math.exp(4 * (b.fit.score - self._best))
        bid, ask = b.market.best_bid, b.market.best_ask
        if bid is not None and ask is not None and ask > bid:
            weight /= 1 + 10 * (ask - bid)
        traded = (b.market.liquidity or 0.0) + (b.market.volume or 0.0) / 10
        return weight * (1 + math.log1p(traded) / 5)

    @property
    def _best(self) -> float:
        exact = (b.fit.score for b in self._bearings if b.exact)
        return next(exact, self._bearings[0].fit.score)

    # Estimates

    def _from_direct(self, direct: list[Bearing]) -> Estimate:
        weights = [self._weight(b) for b in direct]
        chances = [b.positive for b in direct]
        p = pool.pooled(chances, weights)
        total = sum(weights)
        evidence = [
            self._evidence(b, "direct", w / total) for b, w in zip(direct, weights, strict=True)
        ]
        evidence += self._beside(direct)
        lead = direct[max(range(len(direct)), key=lambda i: weights[i])]
        contrary = [b for b in self._bearings if any(are_contrary(b, one) for one in direct)]
        doubts = doubt.Doubts(
            match=doubt.of_match(lead.fit),
            disagreement=pool.spread(
                [*chances, *(b.positive for b in contrary)],
                [*weights, *(self._weight(b) for b in contrary)],
            ),
            age=sum(b.age * w for b, w in zip(direct, weights, strict=True)) / total,
            half_spread=doubt.half_spread(lead),
            days_left=self._days_left(lead),
            direct=len(direct),
            slack=0.0,
            platform=lead.market.platform,
        )
        made = self._made(p, evidence, doubts, "direct", lead=evidence[direct.index(lead)])
        return replace(made, confidence=min(made.confidence, round(lead.confidence_limit, 4)))

    def _by_deadline(self, related: list[Bearing]) -> Estimate | None:
        """Estimate from markets with other deadlines. None if there are no such markets, or if the
        question is about a single day."""
        end = self._asked.window.end
        if end is None or self._asked.window.kind == "on":
            return None
        series = [
            b for b in related
            if b.fit.window in ("implies", "implied") and is_same_except(b.fit, "window")
            and b.fit.gap and is_about(b) and (b.sets_bound or b.fit.extra <= MAX_DEADLINE_EXTRA)
        ]  # fmt: skip
        if not series:
            return None
        series = in_order([b for b in series if differ_by_deadline(series[0], b)])
        lasts = series[0].fit.lasting
        asked = (end - self._at.date()).days
        points = [
            (asked - b.fit.gap, 1 - b.positive if lasts else b.positive, self._weight(b))
            for b in series if asked - b.fit.gap > 0
        ]  # fmt: skip
        if not points or asked <= 0:
            return None
        p, lower, upper = pool.by_deadline(points, float(asked))
        if lasts:  # what has not happened by then has lasted till then
            p, lower, upper = 1 - p, 1 - upper, 1 - lower
        return self._bounded(series, p, lower, upper, "deadlines")

    def _by_threshold(self, related: list[Bearing]) -> Estimate | None:
        """Estimate from markets on the same quantity, but at other levels than the one in the
        question. None if there are none."""
        asked = self._asked.threshold
        if asked is None or self._asked.predicate == "ranks":
            return None
        ladder = [
            b for b in related
            if b.fit.threshold in ("implies", "implied", "excludes")
            and is_same_except(b.fit, "threshold") and b.view.proposition.threshold is not None
        ]  # fmt: skip
        moments = [b for b in ladder if mixes_day_and_any_time(self._asked, b.view.proposition)]
        ladder = [b for b in ladder if b not in moments]
        if moments and not ladder:
            best = max(moments, key=lambda b: b.fit.score)
            found = pool.convert_day_and_reach(
                best.positive, on_the_day=self._asked.predicate == "value"
            )
            return self._bounded([best], *found, "thresholds")
        if not ladder:
            return None
        if (found := self._by_ranges(asked, ladder)) is not None:
            return found
        upward = math.isinf(asked.high) or asked.low == asked.high
        if not upward and not math.isinf(asked.low):
            return self._by_bounds(ladder, "thresholds")
        at = asked.low if upward else asked.high
        points = []
        used = []
        for b in ladder:
            t = b.view.proposition.threshold
            assert t is not None
            if upward and math.isinf(t.high):
                points.append((t.low, b.positive, self._weight(b)))
            elif not upward and math.isinf(t.low):
                # "below" is mirrored, so that larger levels are again less likely
                points.append((-t.high, b.positive, self._weight(b)))
            else:
                continue
            used.append(b)
        if not used:
            return self._by_bounds(ladder, "thresholds")
        p, lower, upper = pool.by_threshold(points, at if upward else -at)
        return self._bounded(used, p, lower, upper, "thresholds")

    def _by_ranges(self, asked: Threshold, ladder: list[Bearing]) -> Estimate | None:
        """Estimate from markets of one event whose ranges do not overlap. The answer is at least
        the sum of the prices inside the question's range, and at most 1 minus the sum of those
        outside it. None if there are no such markets."""
        if self._asked.predicate not in ("value", "counts"):
            return None  # a value that touches a level once may end in another range
        best = max(ladder, key=lambda b: b.fit.content)
        event = event_of(best)
        ranges = [
            b for b in self._bearings
            if event_of(b) == event
            and b.fit.threshold in ("implied", "excludes", "differs")
            and is_same_except(b.fit, "threshold") and not b.turned
            and b.view.proposition.threshold is not None
            and b.view.proposition.predicate == self._asked.predicate
        ]  # fmt: skip
        if len(ranges) < 2 or not are_apart(ranges):
            return None
        inside = [b for b in ranges if b.fit.threshold == "implied"]
        outside = [b for b in ranges if b.fit.threshold == "excludes"]
        lower = min(1 - pool.PROBABILITY_EDGE, sum(b.positive for b in inside))
        left = 1 - sum(b.positive for b in outside)
        if asked.low >= 1 and self._asked.predicate == "counts":
            never = [b for b in self._bearings if event_of(b) == event and says_never(b)]
            left -= sum(1 - b.positive for b in never)
            outside += never
        around = [b for b in ladder if b.fit.threshold == "implies" and not b.turned]
        upper = max(lower, min([left, *(b.positive for b in around)]))
        if not inside and not outside:
            return None
        p = pool.within(lower, upper)
        return self._bounded([*around, *inside, *outside], p, lower, upper, "parts")

    def _by_parts(self, related: list[Bearing], *, need_complete: bool = False) -> Estimate | None:
        """Estimate from markets on mutually exclusive cases of the event (a rate cut by 25 basis
        points, by 50) or of its opposite. Cases of the event limit the answer from below, cases of
        the opposite from above (`event_bounds`). None if there is no such market.

        need_complete : if True, the result is also None if the markets do not cover every case
        """
        by_event = [(*event_bounds(ways), ways) for ways in ways_by_event(related, self._bearings)]
        if not by_event:
            return None
        # Only the event with the narrowest bounds: two venues may list the same cases.
        lower, upper, used = min(by_event, key=lambda one: one[1] - one[0])
        if need_complete and lower < upper:
            return None
        # A case without a market may be the likeliest: the width of the bounds allows for it.
        return self._bounded(used, pool.within(lower, upper), lower, upper, "parts")

    def _by_parts_or_stage(self, related: list[Bearing]) -> Estimate | None:
        """The estimate by `_by_parts` (mutually exclusive cases) or by `_by_stage` (e.g. other
        stages of the contest): the one with the narrower bounds. None if there is neither."""
        found = filter(None, (self._by_parts(related), self._by_stage(related)))
        return min(found, key=lambda one: one.bounds[1] - one.bounds[0], default=None)

    def _by_stage(self, related: list[Bearing]) -> Estimate | None:
        """Estimate from markets that ask about another stage of the contest for the same contender.
        If there are none, from markets that are stricter than the question in level, window of time
        or stage, and looser in none of these three; or the other way round. The prices of all these
        markets bound the answer. None if there are no such markets either."""
        bounds = [
            b for b in related
            if is_same_except(b.fit, "stage") and b.fit.stage in ("implies", "implied")
            and is_about(b) and not is_of_a_member(self._asked, b)
        ]  # fmt: skip
        if not bounds:
            bounds = [
                b for b in related
                if is_about(b)
                and {b.fit.window, b.fit.threshold, b.fit.stage} <= {
                    "same", "unsaid", "implies", "implied"}
                and b.fit.choice in ("same", "unsaid") and b.fit.edition != "differs"
                and len({b.fit.window, b.fit.threshold, b.fit.stage} & {"implies", "implied"}) == 1
            ]  # fmt: skip
        if not bounds:
            return None
        best = max(bounds, key=lambda b: b.fit.content).view.proposition.choice
        bounds = [b for b in bounds if not best or b.view.proposition.choice == best]
        return self._by_bounds(bounds, "stages")

    def _by_bounds(self, bounds: list[Bearing], kind: str) -> Estimate | None:
        below = [b for b in bounds if "implied" in orders_of(b.fit)]
        above = [b for b in bounds if "implies" in orders_of(b.fit)]
        excluding = [b for b in bounds if "excludes" in orders_of(b.fit)]
        lower = max((b.positive for b in below), default=0.0)
        lower = max(lower, min(min((b.positive for b in above), default=1.0), summed_places(below)))
        upper = min((b.positive for b in above), default=1.0)
        upper = min([upper, *(1 - b.positive for b in excluding)])
        used = [*below, *above, *excluding]
        return self._bounded(used, pool.within(lower, upper), lower, upper, kind) if used else None

    def _by_rivals(self, related: list[Bearing]) -> Estimate | None:
        """Estimate from the prices of rivals (other contenders in the contest): 30% of the
        probability that the rivals leave over, i.e. of 1 minus the sum of their prices. If this sum
        is at least `FAVORITES_SUM`, the estimate is at most the rivals' average price. None if
        there are no rivals."""
        if self._asked.indefinite:
            return None  # the question names a class, to which one of the rivals may belong
        rivals = [b for b in related if b.fit.rival and b.fit.window in ("same", "unsaid")]
        if not rivals:
            return None
        taken = min(0.999, sum(b.positive for b in rivals))
        upper = 1 - max(b.positive for b in rivals)
        left = min(upper, max(pool.PROBABILITY_EDGE, 1 - taken))
        p = 0.3 * left
        # At most the rivals' average, unless favorites are missing: the contender may be one.
        if taken >= FAVORITES_SUM:
            p = min(p, taken / len(rivals))
        return self._bounded(rivals, max(pool.PROBABILITY_EDGE, p), 0.0, upper, "rivals")

    def _by_proxy(self, related: list[Bearing]) -> Estimate:
        """The estimate if no market bounds the answer: the price of the related market that fits
        the question best, as a hint."""
        best = related[:3]
        weights = [self._weight(b) for b in best]
        p = pool.pooled([b.positive for b in best[:1]], weights[:1])
        evidence = [self._evidence(b, "proxy" if b.fit.content >= 1.0 else "weak", w / sum(weights))
                    for b, w in zip(best, weights, strict=True)]  # fmt: skip
        doubts = doubt.Doubts(
            match=min(1.0, 0.3 + doubt.of_match(best[0].fit)), disagreement=0.0, age=best[0].age,
            half_spread=doubt.half_spread(best[0]), days_left=self._days_left(best[0]), direct=0,
            slack=0.3, platform=best[0].market.platform,
        )  # fmt: skip
        return self._made(p, evidence, doubts, "proxy", fallbacks=("nearest_market",))

    def _bounded(
        self, used: list[Bearing], p: float, lower: float, upper: float, kind: str, told: str = ""
    ) -> Estimate:
        nearest = sorted(used, key=lambda b: (abs(b.fit.gap), -b.fit.score, b.market.id))[:6]
        weights = [self._weight(b) for b in nearest]
        total = sum(weights)
        evidence = [
            self._evidence(b, "bound", w / total, judged=told == "judged")
            for b, w in zip(nearest, weights, strict=True)
        ]
        doubts = doubt.Doubts(
            match=doubt.of_match(nearest[0].fit),
            disagreement=0.0,
            age=min(b.age for b in nearest),
            half_spread=doubt.half_spread(nearest[0]),
            days_left=self._days_left(nearest[0]),
            direct=0,
            slack=max(0.05, min(1.0, upper - lower)),
            platform=nearest[0].market.platform,
        )
        low, high = (lower, upper) if self._asked.positive else (1 - upper, 1 - lower)
        made = self._made(p, evidence, doubts, told or kind, fallbacks=(f"from_{kind}",))
        return replace(made, limits=(round(low, 6), round(high, 6)))

    def _made(
        self,
        positive: float,
        evidence: list[Evidence],
        doubts: doubt.Doubts,
        kind: str,
        *,
        lead: Evidence | None = None,
        fallbacks: tuple[str, ...] = (),
    ) -> Estimate:
        pooled = positive if self._asked.positive else 1 - positive
        p = round(pool.clip(self._limits.clamped(pooled)), 6)
        lower, upper = doubt.interval(p, doubts)
        lower, upper = round(lower, 4), round(upper, 4)
        lower, upper = min(p, lower), max(p, upper)
        return Estimate(
            evidence=tuple(evidence),
            probability=p,
            lower=lower,
            upper=upper,
            confidence=doubt.confidence(doubts),
            reasoning=explain.reasoning(
                self._reading, p, lower, upper, evidence, kind, pooled=pooled
            ),
            fallbacks=fallbacks,
            decisive=lead,
        )

    def _evidence(self, b: Bearing, role: Role, weight: float, *, judged: bool = False) -> Evidence:
        if judged and b.judged_order is not None:
            return judged_bounds.evidence(b, b.judged_order.relation, weight)
        p = b.positive if self._asked.positive else 1 - b.positive
        flipped = b.turned if self._asked.positive else not b.turned
        low, high = limits_of(b.fit, b.positive) if role == "bound" else (0.0, 1.0)
        if not self._asked.positive:
            low, high = 1 - high, 1 - low
        return Evidence(
            market=b.market, outcome=b.outcome, role=role, flipped=flipped,
            probability=round(p, 6), age=b.age, fit=max(0.0, min(1.0, b.fit.score / 3)),
            weight=weight, relation=explain.relation(b.fit, role, flipped), low=round(low, 6),
            high=round(high, 6),
        )  # fmt: skip

    def _beside(self, direct: list[Bearing]) -> list[Evidence]:
        """Up to four markets that are about the same things as the markets `direct`, which ask the
        question itself. They are shown with the answer, with a weight of 0."""
        known = {b.key for b in direct}
        least = max(1.3, direct[0].fit.content - 0.6)
        others = [
            b for b in self._bearings
            if b.key not in known and b.fit.content >= least
        ]  # fmt: skip
        return [
            self._evidence(b, "bound" if orders_of(b.fit) & {"implies", "implied", "excludes"}
                           else "proxy", 0.0)
            for b in others[:4]
        ]  # fmt: skip

    def _days_left(self, b: Bearing) -> float | None:
        end = self._asked.window.end
        if end is not None and self._asked.window.text:
            return max(0.0, float((end - self._at.date()).days))
        if b.market.closes_at is None:
            return None
        return max(0.0, (b.market.closes_at - self._at).total_seconds() / 86_400)

"""From a question and the markets of the moment to an estimate. Pure: the same in, the same out.

Every market is read into parts, compared with the question, and given its role. Direct markets
are pooled; where there is none, ladders of deadlines and thresholds, stages and rival contenders
bound the answer; where nothing is about the same things there is no answer.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from augury.forecast import (
    bounds,
    cues,
    distribution,
    doubt,
    explain,
    judging,
    opinion,
    outcomes,
    pool,
    rungs,
    verbatim,
    words,
)
from augury.forecast.bearing import Bearing, Compared
from augury.forecast.coverage import is_said
from augury.forecast.evidence import Estimate, Evidence, Role, Snapshot
from augury.forecast.match import Comparison, compare
from augury.forecast.normalise import Reading, normalise
from augury.forecast.rejected import rejected
from augury.forecast.view import Rarity, View, view
from augury.language import vocabulary
from augury.matching.judge import Judge
from augury.relations.logic import relate
from augury.relations.proposition import Proposition
from augury.remembered import remembered
from augury.search.text import is_number

Embed = Callable[[Sequence[str]], NDArray[np.float32]]

DIRECT_SCORE: Final = 1.15
DIRECT_CONTENT: Final = 0.95
DIRECT_ASKED: Final = 0.36
"""Below one of these a market is not taken to ask the question itself."""
DIRECT_LIKENESS: Final = -0.9
AS_GOOD: Final = 0.3
"""Markets whose score comes so near to the best are about the same."""
KIN_CONTENT: Final = 0.85
KIN_ASKED: Final = 0.34
"""Least likeness of a market that bounds or informs the answer."""
BOUND_LIKENESS: Final = -0.9
STAGE_LIKENESS: Final = -2.3
HINT_LIKENESS: Final = -2.6
LONE_LIKENESS: Final = -3.2
APART: Final = 0.8
EXCLUDED: Final = 2.9
"""Least likeness, in log-odds, of a market that bounds the answer, that tells how far the same
contender comes, and that is taken as a hint: among others, and where nothing else comes within
`APART` of it. What excludes the question's event has lost `EXCLUDED` for that. The page has what
they give and cost with the market asked about taken away."""
FOREIGN: Final = 0.8
"""A market with a name of so much weight that the question does not say is about something else:
the Florida Panthers' Stanley Cup says nothing of Florida's hurricanes."""
SERIES_EXTRA: Final = 0.9
"""A market with another deadline that has so telling a word of its own is of another series."""
OUTDONE: Final = 0.4
"""By so much more content another market outdoes one that no part tells from the question."""
ALL: Final = 0.99
MOST: Final = 0.75
"""A market that names the first share of what is asked about outdoes one that names less than the
second."""
FAVOURITES: Final = 0.5
"""Least that the markets of a contest's contenders sum to, for one without a market to be taken for
no better than they are on average."""
TWIN_GAP: Final = 0.1
"""Markets whose prices differ by more do not ask the same, whatever their words."""
HALF_LIFE: Final = 4.0
"""Days in which a price loses half its weight."""
COMPARED: Final = 24
"""Best markets that are compared with each other."""
SIBLING_LOSS: Final = 0.6
"""Score that a market loses when the question names nothing of what tells it from its kin."""
READ: Final = 8_000
"""Markets of which what was read is kept in memory (3 kB each); of another one only its title is
embedded again, in 40 us."""


RARITIES: Final = 32 << 20
"""Bytes for the rarities of terms that are kept."""


class Engine:
    """Compares and weighs; keeps what it has read of markets."""

    def __init__(self, embed: Embed, rarity: Rarity, judge: Judge | None = None) -> None:
        """Without `judge` the rules alone decide what a market is to a question."""
        self.judge = judge
        self._embed = embed
        self._rarity = remembered(RARITIES)(rarity)
        # Packed: views are half a million objects for the interpreter to look through, in pauses
        # of tenths of a second.
        self._known: OrderedDict[bytes, tuple[bytes, NDArray[np.float32]]] = OrderedDict()

    def answer(self, reading: Reading, markets: Sequence[Snapshot], at: datetime) -> Estimate:
        """The estimate of the rules alone, as the markets stand at `at`."""
        return self.estimate(self.compare(reading, markets, at))

    def compare(self, reading: Reading, markets: Sequence[Snapshot], at: datetime) -> Compared:
        """Each market read into parts and held against the question."""
        question = self._view(reading)
        bearings = self._bearings(question, reading, markets, at)
        return Compared(reading, markets, at, question, bearings)

    def estimate(
        self,
        compared: Compared,
        opinions: opinion.Opinions = opinion.NONE,
        verdicts: judging.Verdicts = judging.NONE,
    ) -> Estimate:
        """The estimate that the compared markets give for the question.

        opinions : a language model's, on the markets of the brief, as checked (`opinion.heard`)
        verdicts : the judge's, on the markets of its brief (`brief`)
        """
        reading, markets, at = compared.reading, compared.markets, compared.at
        bearings = compared.bearings
        verbatim_asked = any(b.exact for b in bearings)
        if len(reading.either) == 2 and not verbatim_asked:
            parts = [self.answer(part, markets, at) for part in reading.parts(at)]
            return _either(reading, parts)
        if reading.side is None and not verbatim_asked and outcomes.asks(reading.effective):
            found = outcomes.answer(reading, bearings, at)
            return replace(found, rejected=rejected(bearings, found))
        positive = reading.proposition.positive
        if verdicts and self.judge is not None:
            bearings = judging.applied(bearings, verdicts, self.judge, positive=positive)
            bearings.sort(key=_order)
        if opinions:
            bearings = opinion.applied(bearings, opinions, verdicts, positive=positive)
            bearings.sort(key=_order)
        weighing = _Weighing(reading, compared.question, bearings, at)
        estimate = weighing.estimate()
        if reading.wider and not estimate.count("direct", "bound"):
            part = self.answer(normalise(reading.wider, at), markets, at)
            if part.count("direct"):
                return _narrower(part)
        estimate = weighing.spread_out(estimate)
        return replace(estimate, rejected=rejected(bearings, estimate))

    def asks_verbatim(self, reading: Reading, markets: Sequence[Snapshot]) -> bool:
        """Whether the question is in the words of one of the markets."""
        return any(
            verbatim.denied(reading.core, market.question, market.outcomes) is not None
            for market in markets
        )

    def brief(self, compared: Compared) -> judging.Brief | None:
        """What judge and language model have to read of a question; None where they have no say."""
        reading = compared.reading
        if len(reading.either) == 2 or outcomes.asks(reading.effective):
            return None
        shortlist = self.judge.shortlist if self.judge is not None else None
        return judging.brief(compared, vocabulary.default(), shortlist)

    def _view(self, reading: Reading) -> View:
        vector = self._embed([reading.effective])[0]
        return view(cues.read(reading.proposition, reading.effective), vector, self._rarity)

    def _bearings(
        self, question: View, reading: Reading, markets: Sequence[Snapshot], at: datetime
    ) -> list[Bearing]:
        found: list[Bearing] = []
        for market, views in zip(markets, self._read(markets), strict=True):
            asks_no = verbatim.denied(reading.core, market.question, market.outcomes)
            for outcome, read in zip(words.sides(market), views, strict=True):
                price = market.price(outcome)
                if price is None or market.price_at is None:
                    continue
                fit = compare(question, read, at.date())
                turned = read.proposition.positive == fit.opposed
                if asks_no is not None:  # in its own words: however the two were read
                    turned = (asks_no != reading.denied) == reading.proposition.positive
                age = max(0.0, (at - market.price_at).total_seconds() / 86_400)
                positive = 1 - price if turned else price
                exact = asks_no is not None
                found.append(Bearing(market, outcome, read, fit, positive, turned, age, exact))
        found.sort(key=_order)
        return [
            _related(reading, b) if n < COMPARED else b
            for n, b in enumerate(_told_apart(question, found))
        ]

    def _read(self, markets: Sequence[Snapshot]) -> list[list[View]]:
        """Each market's sides, ready to be compared."""
        digests = [words.digest(market) for market in markets]
        missing = {d: m for d, m in zip(digests, markets, strict=True) if d not in self._known}
        if missing:
            vectors = self._embed([market.question for market in missing.values()])
            for (digest, market), vector in zip(missing.items(), vectors, strict=True):
                kept = market.words if market.digest == digest else None
                self._known[digest] = kept or words.packed(market), vector.copy()
        for digest in digests:
            self._known.move_to_end(digest)  # what is asked about most stays longest
        found = [
            [view(one, vector, self._rarity) for one in words.unpacked(packed)]
            for packed, vector in map(self._known.__getitem__, digests)
        ]
        while len(self._known) > READ:
            self._known.popitem(last=False)
        return found


def _related(reading: Reading, b: Bearing) -> Bearing:
    """With the word of logic, which says too which way round a market that asks the same does."""
    if b.exact:
        return b
    relation = relate(reading.proposition, b.view.proposition)
    if relation not in bounds.SAME:
        return replace(b, relation=relation) if relation != "none" else b
    price = b.market.price(b.outcome) or 0.0
    turned = (relation == "complement") == reading.proposition.positive
    return replace(b, relation=relation, turned=turned, positive=1 - price if turned else price)


def _order(b: Bearing) -> tuple[float, float, str, int]:
    return -b.fit.score, b.age, b.market.id, b.outcome


def _told_apart(question: View, found: list[Bearing]) -> list[Bearing]:
    """The best again in their order, after a look at what tells them from each other.

    Markets of one pattern differ in a name ("Will Russia capture X"). A question that does not
    say that name is not the market's, however many words they share.
    """
    near, rest = found[:COMPARED], found[COMPARED:]
    judged = []
    for b in near:
        own = b.view.proposition.terms
        telling: set[str] = set()
        for other in near:
            if other is b or other.view.proposition.predicate != b.view.proposition.predicate:
                continue
            theirs = other.view.proposition.terms
            if not _same_parts(b.view.proposition, other.view.proposition):
                continue  # a date, a level or a place tells them apart
            if own != theirs and 2 * len(own & theirs) >= len(own | theirs):
                telling |= {t for t in own - other.view.covers if not is_number(t)}
        weights = {t: b.view.weights.get(t, 0.0) for t in telling}
        total = sum(weights.values())
        if total > 0.3:
            missed = sum(w for t, w in weights.items() if not is_said(t, question))
            lost = SIBLING_LOSS * max(0.0, missed / total - 0.4) / 0.6
            b = replace(
                b, fit=replace(b.fit, score=b.fit.score - lost, content=b.fit.content - lost)
            )
        judged.append(b)
    return sorted(judged, key=_order) + rest


def _same_parts(a: Proposition, b: Proposition) -> bool:
    return (a.threshold, a.stage) == (b.threshold, b.stage)


def _clamped(found: Estimate, limits: bounds.Bounds) -> Estimate:
    """An estimate brought within the bounds of logic."""
    if found.probability is None:
        return found
    p = round(min(1 - pool.EDGE, max(pool.EDGE, limits.clamped(found.probability))), 6)
    if p == found.probability:
        return found
    return replace(
        found, probability=p, lower=min(p, found.lower or 0.0), upper=max(p, found.upper or 1.0)
    )


def _narrower(win: Estimate) -> Estimate:
    """A win by so much, from the chance of the win: at most as likely."""
    most = win.probability or 0.0
    p = round(max(pool.EDGE, pool.within(0.0, most)), 6)
    return replace(
        win, probability=p, lower=0.0, upper=max(p, win.upper or most), decisive=None,
        confidence=min(win.confidence, MARGIN_CONFIDENCE), distribution=None,
        evidence=tuple(
            replace(one, role="bound", low=0.0, high=one.probability)
            if one.role == "direct" else one
            for one in win.evidence
        ),
        reasoning=f"A win by so much is a win, which bounds it. {win.reasoning}",
        fallbacks=("from_wider",),
    )  # fmt: skip


MARGIN_CONFIDENCE: Final = 0.4
"""Most confidence in a margin of which only the win has a market."""


def _either(reading: Reading, parts: Sequence[Estimate]) -> Estimate:
    """One of two will do: their chances added, for only one can have it."""
    known = [part for part in parts if part.probability is not None]
    if len(known) < len(parts):
        return parts[0] if parts[0].probability is None else parts[1]
    p = min(1 - pool.EDGE, sum(part.probability or 0.0 for part in parts))
    lower = min(p, sum(part.lower or 0.0 for part in parts))
    upper = max(p, min(1 - pool.EDGE, sum(part.upper or 0.0 for part in parts)))
    evidence = tuple(
        replace(one, weight=one.weight / len(parts), probability=one.probability)
        for part in parts for one in part.evidence
    )  # fmt: skip
    named = " or ".join(reading.either)
    return Estimate(
        evidence=evidence, probability=round(p, 6), lower=round(lower, 4), upper=round(upper, 4),
        confidence=min(part.confidence for part in parts),
        distribution=distribution.named({
            name: round(part.probability or 0.0, 6)
            for name, part in zip(reading.either, parts, strict=True)
        }),
        reasoning=f"Either of {named} will do, and both can't have it, so their chances are added. "
        + " ".join(part.reasoning for part in parts),
        fallbacks=("sum_of_alternatives",),
    )  # fmt: skip


class _Weighing:
    """One question's evidence being weighed."""

    def __init__(
        self, reading: Reading, question: View, bearings: Sequence[Bearing], at: datetime
    ) -> None:
        self._reading = reading
        self._asked: Proposition = reading.proposition
        self._question = question
        self._bearings = bearings
        self._at = at

    def estimate(self) -> Estimate:
        """What the evidence amounts to, within what logic allows."""
        direct = self._direct()
        if direct:
            return self._from_direct(direct)
        ordered = [b for b in self._bearings if b.relation in bounds.ORDERED]
        found = self._estimate()
        if not ordered:
            return found
        limits = bounds.bounds((b.relation, b.market.price(b.outcome) or 0.0) for b in ordered)
        if not found.count("bound"):
            return self._by_logic(ordered, limits)
        return _clamped(found, limits)

    def _by_logic(self, ordered: list[Bearing], limits: bounds.Bounds) -> Estimate:
        low, high = limits.low, limits.high
        if not self._asked.positive:
            low, high = 1 - high, 1 - low
        return self._bounded(ordered, pool.within(low, high), low, high, "bounds")

    def _estimate(self) -> Estimate:
        kin = [b for b in self._bearings if _is_kin(b.fit)]
        if kin:
            best = kin[0].fit.content
            kin = [b for b in kin if b.fit.rival or b.fit.content >= best - 0.65]
            sure = [b for b in kin if _bounds(b.fit)]
            for attempt in (self._by_deadline, self._by_threshold, self._by_stage, self._by_rivals):
                if (found := attempt(sure)) is not None:
                    return found
            alone = self._stands_alone(kin[0])
            hints = [b for b in kin if _is_hint(b.fit, alone=alone and b is kin[0])]
            if hints:
                return self._by_proxy(hints)
        return Estimate(
            evidence=(),
            error=explain.NOTHING,
            reasoning=explain.nothing(self._reading, len(self._bearings)),
            fallbacks=("no_relevant_market",),
        )

    def spread_out(self, estimate: Estimate) -> Estimate:
        """With the distribution that other thresholds or deadlines of the same event give."""
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
            self._asked, way, self._bearings, lambda b: _is_rung(b.fit, "threshold")
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
            if b.fit.gap and b.fit.extra <= SERIES_EXTRA and rungs.is_deadline(b)
            and _is_rung(b.fit, "window")
        ]  # fmt: skip
        found = rungs.by_day(
            (b for b in series if _are_series(series[0], b)),
            self._at.date(),
            lambda b: end - timedelta(days=round(b.fit.gap)),
        )
        return distribution.by_day({day: b.positive for day, b in found.items()}, end, p)

    # Roles

    def _direct(self) -> list[Bearing]:
        good = [
            b for b in self._bearings
            if b.exact or b.relation in bounds.SAME
            or (_is_direct(b.fit) and b.relation not in bounds.ORDERED)
        ]  # fmt: skip
        if not good:
            return []
        if exact := [b for b in good if b.exact] or [b for b in good if b.relation in bounds.SAME]:
            best = exact[0]
            return [best, *self._twins(best, [b for b in good if b is not best])]
        best = good[0]
        own = best.view.proposition.terms  # its own event at another level does not outdo it
        others = (b for b in self._bearings if b.view.proposition.terms != own)
        if any(_outdoes(b.fit, best.fit) for b in others):
            return []
        return [best, *self._twins(best, good[1:])]

    def _twins(self, best: Bearing, others: list[Bearing]) -> list[Bearing]:
        return [b for b in others if b.fit.score >= best.fit.score - AS_GOOD
                and _are_twins(best, b, self._at.date())][:5]  # fmt: skip

    def _stands_alone(self, best: Bearing) -> bool:
        """Whether nothing but its own family is nearly as likely to be meant."""
        own = best.view.proposition.terms
        return all(
            b.fit.likeness <= best.fit.likeness - APART
            for b in self._bearings
            if b.view.proposition.terms != own
        )

    def _weight(self, b: Bearing) -> float:
        weight = 0.5 ** (b.age / HALF_LIFE) * math.exp(4 * (b.fit.score - self._best))
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
        doubts = doubt.Doubts(
            match=_match_doubt(lead.fit),
            disagreement=pool.spread(chances, weights),
            age=sum(b.age * w for b, w in zip(direct, weights, strict=True)) / total,
            spread=_half_spread(lead),
            days_left=self._days_left(lead),
            direct=len(direct),
            slack=0.0,
            platform=lead.market.platform,
        )
        made = self._made(p, evidence, doubts, "direct", lead=evidence[direct.index(lead)])
        return replace(made, confidence=min(made.confidence, round(lead.share, 4)))

    def _by_deadline(self, kin: list[Bearing]) -> Estimate | None:
        """Other deadlines of the same event; what is asked of one day has none."""
        end = self._asked.window.end
        if end is None or self._asked.window.kind == "on":
            return None
        series = [
            b for b in kin
            if b.fit.window in ("implies", "implied") and _same_but(b.fit, "window")
            and b.fit.gap and b.fit.content >= DIRECT_CONTENT
            and b.fit.extra <= SERIES_EXTRA
        ]  # fmt: skip
        if not series:
            return None
        series = [b for b in series if _are_series(series[0], b)]
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

    def _by_threshold(self, kin: list[Bearing]) -> Estimate | None:
        """Other thresholds of the same quantity."""
        asked = self._asked.threshold
        if asked is None:
            return self._by_parts(kin)
        if self._asked.predicate == "ranks":
            return None
        ladder = [
            b for b in kin
            if b.fit.threshold in ("implies", "implied", "excludes")
            and _same_but(b.fit, "threshold") and b.view.proposition.threshold is not None
        ]  # fmt: skip
        if not ladder:
            return None
        if (found := self._by_ranges(ladder)) is not None:
            return found
        upward = math.isinf(asked.high) or asked.low == asked.high
        if not upward and not math.isinf(asked.low):
            return None
        at = asked.low if upward else asked.high
        points = []
        used = []
        for b in ladder:
            t = b.view.proposition.threshold
            assert t is not None
            if upward and math.isinf(t.high):
                points.append((t.low, b.positive, self._weight(b)))
            elif not upward and math.isinf(t.low):
                # "below": mirrored, so that more is again less likely
                points.append((-t.high, b.positive, self._weight(b)))
            else:
                continue
            used.append(b)
        if not used:
            return self._by_bounds(ladder, "thresholds")
        p, lower, upper = pool.by_threshold(points, at if upward else -at)
        return self._bounded(used, p, lower, upper, "thresholds")

    def _by_ranges(self, ladder: list[Bearing]) -> Estimate | None:
        """Ranges of one event that leave nothing out and do not overlap: those inside of what is
        asked, added up."""
        if self._asked.predicate not in ("value", "counts"):
            return None  # what is touched once may lie in another range at the end
        best = max(ladder, key=lambda b: b.fit.content)
        event = best.market.platform, best.market.event_id
        ranges = [
            b for b in self._bearings
            if (b.market.platform, b.market.event_id) == event and event[1]
            and b.fit.threshold in ("implied", "excludes", "differs")
            and _same_but(b.fit, "threshold") and not b.turned
            and b.view.proposition.threshold is not None
            and b.view.proposition.predicate == self._asked.predicate
        ]  # fmt: skip
        if len(ranges) < 2 or not _are_apart(ranges):
            return None
        inside = [b for b in ranges if b.fit.threshold == "implied"]
        outside = [b for b in ranges if b.fit.threshold == "excludes"]
        lower = min(1 - pool.EDGE, sum(b.positive for b in inside))
        upper = max(lower, 1 - sum(b.positive for b in outside))
        if not inside and not outside:
            return None
        p = pool.within(lower, upper)
        return self._bounded([*inside, *outside], p, lower, upper, "parts")

    def _by_parts(self, kin: list[Bearing]) -> Estimate | None:
        """Ways for it to happen of which only one comes true, and what comes true if it does not:
        a cut by 25 or by 50 points, no change, a rise."""
        found = [
            b for b in kin
            if b.fit.threshold in ("implied", "excludes") and _same_but(b.fit, "threshold")
            and not b.fit.opposed
        ]  # fmt: skip
        events: dict[tuple[str, str | None], list[Bearing]] = {}
        for b in found:
            events.setdefault((b.market.platform, b.market.event_id), []).append(b)
        if not events:
            return None
        for b in self._bearings:  # what excludes it need not be told in like words
            ways = events.get((b.market.platform, b.market.event_id))
            if (
                ways and b.market.event_id and b not in ways
                and b.fit.threshold == "excludes" and _same_but(b.fit, "threshold")
            ):  # fmt: skip
                ways.append(b)
        # The event whose ways tell most; those of two venues are the same ways twice.
        told = [(*_told(ways), ways) for ways in events.values()]
        lower, upper, used = min(told, key=lambda t: t[1] - t[0])
        # A way without a market may be the likeliest of all: the gap says how much is not told.
        return self._bounded(used, pool.within(lower, upper), lower, upper, "parts")

    def _by_stage(self, kin: list[Bearing]) -> Estimate | None:
        """How far the same contender comes; a market that asks a little more or less."""
        bounds = [
            b for b in kin
            if _same_but(b.fit, "stage") and b.fit.stage in ("implies", "implied")
            and b.fit.content >= DIRECT_CONTENT
        ]  # fmt: skip
        if not bounds:
            bounds = [
                b for b in kin
                if b.fit.content >= DIRECT_CONTENT
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
        below = [b for b in bounds if "implied" in _orders(b.fit)]
        above = [b for b in bounds if "implies" in _orders(b.fit)]
        excluding = [b for b in bounds if "excludes" in _orders(b.fit)]
        lower = max((b.positive for b in below), default=0.0)
        lower = max(lower, min(_least(above), _apart(below)))
        upper = min((b.positive for b in above), default=1.0)
        upper = min([upper, *(1 - b.positive for b in excluding)])
        if not (below or above or excluding):
            return None
        return self._bounded(
            [*below, *above, *excluding], pool.within(lower, upper), lower, upper, kind
        )

    def _by_rivals(self, kin: list[Bearing]) -> Estimate | None:
        """Only others of the same contest have markets: what they leave is shared."""
        if self._asked.indefinite:
            return None  # one of those named may be meant
        rivals = [b for b in kin if b.fit.rival and b.fit.window in ("same", "unsaid")]
        if not rivals:
            return None
        taken = min(0.999, sum(b.positive for b in rivals))
        upper = 1 - max(b.positive for b in rivals)
        left = min(upper, max(pool.EDGE, 1 - taken))
        p = 0.3 * left
        # No better than they are on average, unless favourites are missing: it may be one of them.
        if taken >= FAVOURITES:
            p = min(p, taken / len(rivals))
        return self._bounded(rivals, max(pool.EDGE, p), 0.0, upper, "rivals")

    def _by_proxy(self, kin: list[Bearing]) -> Estimate:
        """Nothing bounds the answer; the nearest market informs it."""
        best = kin[:3]
        weights = [self._weight(b) for b in best]
        p = pool.pooled([b.positive for b in best[:1]], weights[:1])
        evidence = [self._evidence(b, "proxy" if b.fit.content >= 1.0 else "weak", w / sum(weights))
                    for b, w in zip(best, weights, strict=True)]  # fmt: skip
        doubts = doubt.Doubts(
            match=min(1.0, 0.3 + _match_doubt(best[0].fit)), disagreement=0.0, age=best[0].age,
            spread=_half_spread(best[0]), days_left=self._days_left(best[0]), direct=0, slack=0.3,
            platform=best[0].market.platform,
        )  # fmt: skip
        return self._made(p, evidence, doubts, "proxy", fallbacks=("nearest_market",))

    def _bounded(
        self, used: list[Bearing], p: float, lower: float, upper: float, kind: str
    ) -> Estimate:
        nearest = sorted(used, key=lambda b: (abs(b.fit.gap), -b.fit.score, b.market.id))[:6]
        weights = [self._weight(b) for b in nearest]
        total = sum(weights)
        evidence = [
            self._evidence(b, "bound", w / total) for b, w in zip(nearest, weights, strict=True)
        ]
        doubts = doubt.Doubts(
            match=_match_doubt(nearest[0].fit),
            disagreement=0.0,
            age=min(b.age for b in nearest),
            spread=_half_spread(nearest[0]),
            days_left=self._days_left(nearest[0]),
            direct=0,
            slack=max(0.05, min(1.0, upper - lower)),
            platform=nearest[0].market.platform,
        )
        return self._made(p, evidence, doubts, kind, fallbacks=(f"from_{kind}",))

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
        p = positive if self._asked.positive else 1 - positive
        p = round(min(1 - pool.EDGE, max(pool.EDGE, p)), 6)
        lower, upper = doubt.interval(p, doubts)
        lower, upper = round(lower, 4), round(upper, 4)
        lower, upper = min(p, lower), max(p, upper)
        return Estimate(
            evidence=tuple(evidence),
            probability=p,
            lower=lower,
            upper=upper,
            confidence=doubt.confidence(doubts),
            reasoning=explain.reasoning(self._reading, p, lower, upper, evidence, kind),
            fallbacks=fallbacks,
            decisive=lead,
        )

    # Pieces

    def _evidence(self, b: Bearing, role: Role, weight: float) -> Evidence:
        p = b.positive if self._asked.positive else 1 - b.positive
        flipped = b.turned if self._asked.positive else not b.turned
        low, high = _limits(b.fit, b.positive) if role == "bound" else (0.0, 1.0)
        if not self._asked.positive:
            low, high = 1 - high, 1 - low
        return Evidence(
            market=b.market, outcome=b.outcome, role=role, flipped=flipped,
            probability=round(p, 6), age=b.age, fit=max(0.0, min(1.0, b.fit.score / 3)),
            weight=weight, relation=explain.relation(b.fit, role, flipped), low=round(low, 6),
            high=round(high, 6),
        )  # fmt: skip

    def _beside(self, direct: list[Bearing]) -> list[Evidence]:
        """Kin of the direct markets: shown, without weight."""
        known = {(b.market.seq, b.outcome) for b in direct}
        least = max(1.3, direct[0].fit.content - 0.6)
        others = [
            b for b in self._bearings
            if (b.market.seq, b.outcome) not in known and b.fit.content >= least
        ]  # fmt: skip
        return [
            self._evidence(b, "bound" if _orders(b.fit) & {"implies", "implied", "excludes"}
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


def _told(ways: Sequence[Bearing]) -> tuple[float, float]:
    """Between which chances the ways of one event, and what excludes them, put the question."""
    inside = [b for b in ways if b.fit.threshold == "implied"]
    chances = [b.positive for b in inside]
    lower = sum(chances) if _are_parts(inside) else max(chances, default=0.0)
    outside = sum(b.positive for b in ways if b.fit.threshold == "excludes")
    lower = min(1 - pool.EDGE, lower)
    return lower, max(lower, 1 - min(outside, 1.0))


def _are_parts(ways: Sequence[Bearing]) -> bool:
    """Whether no two of them can both come true: other amounts of one thing."""
    amounts = {frozenset(t for t in b.view.proposition.terms if is_number(t)) for b in ways}
    levels = [b.view.proposition.threshold for b in ways]
    open_ended = sum(t is not None and math.isinf(t.high) for t in levels)
    return len(ways) > 1 and open_ended <= 1 and len(amounts) + open_ended >= len(ways)


def _are_apart(ranges: Sequence[Bearing]) -> bool:
    """Whether no two of them can both come true, and one at least has two ends."""
    levels = sorted(
        {(t.low, t.high) for b in ranges if (t := b.view.proposition.threshold) is not None}
    )
    pairs = pairwise(levels)
    return len(levels) > 1 and all(
        high <= low and not (math.isinf(first) and math.isinf(last))
        for (first, high), (low, last) in pairs
    ) and any(not math.isinf(low) and not math.isinf(high) for low, high in levels)  # fmt: skip


def _least(above: Sequence[Bearing]) -> float:
    return min((b.positive for b in above), default=1.0)


def _apart(below: Sequence[Bearing]) -> float:
    """The chances of single places added up: second and third are two ways into the top three."""
    places: dict[float, float] = {}
    for b in below:
        p = b.view.proposition
        if p.predicate == "wins":
            places[1.0] = max(places.get(1.0, 0.0), b.positive)
        elif p.predicate == "ranks" and p.threshold and p.threshold.low == p.threshold.high:
            places[p.threshold.low] = max(places.get(p.threshold.low, 0.0), b.positive)
    return sum(places.values())


def _is_direct(c: Comparison) -> bool:
    return (
        c.same and c.score >= DIRECT_SCORE and c.content >= DIRECT_CONTENT
        and c.asked >= DIRECT_ASKED and c.likeness >= DIRECT_LIKENESS and c.foreign < FOREIGN
    )  # fmt: skip


def _outdoes(kin: Comparison, direct: Comparison) -> bool:
    """Whether another market is so much more about the same things that it must be the one meant,
    though it asks for another deadline, level or stage."""
    says_all = kin.asked >= ALL and direct.asked < MOST
    return (
        (says_all or kin.content >= direct.content + OUTDONE) and kin.missing <= direct.missing
        and kin.extra <= direct.extra and bool(_orders(kin) & {"implies", "implied"})
        and kin.choice in ("same", "unsaid") and kin.edition != "differs"
    )  # fmt: skip


def _are_series(best: Bearing, other: Bearing) -> bool:
    """Whether two markets ask for the same event, by two days."""
    a, b = best.view.proposition, other.view.proposition
    return (
        other.fit.content >= best.fit.content - 0.25 and other.fit.opposed == best.fit.opposed
        and other.fit.lasting == best.fit.lasting and a.predicate == b.predicate
        and a.positive == b.positive
    )  # fmt: skip


def _is_kin(c: Comparison) -> bool:
    return c.rival or (c.content >= KIN_CONTENT and c.asked >= KIN_ASKED)


def _bounds(c: Comparison) -> bool:
    """Whether it is surely enough about the same thing for logic to follow from its price."""
    staged = c.stage in ("implies", "implied") and c.choice == "same"
    if not staged and not c.rival and c.foreign >= FOREIGN:
        return False
    told = c.likeness + (EXCLUDED if c.threshold == "excludes" else 0.0)
    return c.rival or told >= (STAGE_LIKENESS if staged else BOUND_LIKENESS)


def _is_hint(c: Comparison, *, alone: bool) -> bool:
    """Whether it may be about the same thing, and no part but a doubtful one says otherwise.

    alone : nothing else comes near it
    """
    if c.choice in ("excludes", "differs") or c.edition == "differs":
        return False
    if c.same and alone:
        return c.likeness >= LONE_LIKENESS
    return c.likeness >= HINT_LIKENESS and c.foreign < FOREIGN


def _are_twins(a: Bearing, b: Bearing, at: date) -> bool:
    """Whether two markets ask the same as each other: what is on two venues, not two of a kind."""
    there, back = compare(a.view, b.view, at), compare(b.view, a.view, at)
    return (
        there.same and back.same and a.fit.opposed == b.fit.opposed
        and min(there.asked, there.named) >= 0.9
        and (a.view.proposition.threshold is None) == (b.view.proposition.threshold is None)
        and _deadline(a) == _deadline(b)
        and abs(a.positive - b.positive) <= TWIN_GAP
    )  # fmt: skip


def _deadline(b: Bearing) -> date | None:
    window = b.view.proposition.window
    return window.end if window.text else None


def _orders(c: Comparison) -> set[str]:
    return {c.window, c.threshold, c.stage, c.choice}


def _is_rung(c: Comparison, part: str) -> bool:
    """Whether it asks the same of another level or by another day."""
    return (
        getattr(c, part) in ("implies", "implied") and _same_but(c, part) and not c.opposed
        and c.content >= DIRECT_CONTENT and _bounds(c)
    )  # fmt: skip


def _same_but(c: Comparison, but: str) -> bool:
    """No part but one tells the two apart."""
    return c.edition != "differs" and all(
        getattr(c, part) in ("same", "opposite", "unsaid")
        for part in ("window", "threshold", "stage", "choice")
        if part != but
    )


def _limits(c: Comparison, positive: float) -> tuple[float, float]:
    """Between which chances a market puts the question's proposition."""
    orders = _orders(c)
    if "excludes" in orders:
        return 0.0, 1 - positive
    if "implied" in orders and "implies" not in orders:
        return positive, 1.0
    if "implies" in orders and "implied" not in orders:
        return 0.0, positive
    return 0.0, 1.0


def _match_doubt(c: Comparison) -> float:
    """0 where question and market are told in the same words, to 1."""
    return max(0.0, min(1.0, (2.3 - c.content) / 1.6))


def _half_spread(b: Bearing) -> float:
    bid, ask = b.market.best_bid, b.market.best_ask
    if bid is None or ask is None or not 0 < bid < ask < 1:
        return 0.0
    return (pool.logit(ask) - pool.logit(bid)) / 2

"""Makes an estimate from a question and the markets as they stood at one moment. Pure.

Every market is read into parts (subject, level, deadline ...), compared with the question, and
given its role as evidence. The prices of direct markets, which ask the question itself, are pooled.
Without a direct market, markets with other deadlines or levels, on other stages or on rival
contenders bound the answer; otherwise the nearest market gives a hint. If no market is about the
same things, there is no answer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from augury.caches import cached
from augury.forecast import (
    bounds,
    cues,
    described,
    horizons,
    judging,
    open_questions,
    opinion,
    outcomes,
    trust,
    verbatim,
    words,
)
from augury.forecast.bearing import Bearing, Compared
from augury.forecast.coverage import is_said
from augury.forecast.evidence import Estimate, Snapshot
from augury.forecast.match import compare
from augury.forecast.normalize import Reading
from augury.forecast.rejected import rejected
from augury.forecast.view import Rarity, View, view
from augury.forecast.weighing import Weighing
from augury.language import vocabulary
from augury.language.offices import asked_mentions
from augury.logic.relate import relate
from augury.matching.judge import Judge
from augury.propositions.proposition import EVENTS, Proposition
from augury.propositions.windows import has_ended
from augury.search.text import is_number

Embed = Callable[[Sequence[str]], NDArray[np.float32]]

MAX_COMPARED: Final = 24
"""Each market outcome is compared with the question. The best matches, at most this many, are then
also compared with each other, and their logical relation to the question is derived. Chosen by
hand."""
SIBLING_LOSS: Final = 0.6
"""Some markets differ from each other only by a name ("Will Russia capture X"). If the question
does not say this name, up to this many points are subtracted from the market's `Comparison.score`
(a number up to 3.8), and as many from its `Comparison.content` (a number up to 2.6). Both numbers
say how well the market matches the question. Chosen by hand."""
MARKETS_KEPT: Final = 8_000
"""Largest number of markets for which two things are kept in memory: the parts (subject, level ...)
read from the market's text, and the vector of its title. Both together take 3 kB per market. For
any other market, the parts come from the database or are read again, and the vector is computed
again (40 microseconds)."""
RARITY_BYTES: Final = 32 << 20
"""Largest size, in bytes, of the cache that says how rare each term is (`view.Rarity`)."""


class Engine:
    """Compares markets with a question and makes an estimate from the markets' prices. Keeps in
    memory what it has read of the markets' texts."""

    def __init__(self, embed: Embed, rarity: Rarity, judge: Judge | None = None) -> None:
        """embed : computes the vectors of texts
        rarity : says how rare a term is
        judge : the trained model; None: the hand-written rules (`match`) alone assign the markets'
        roles
        """
        self.judge = judge
        self._embed = embed
        self._rarity = cached(RARITY_BYTES)(rarity)
        # Kept packed: as views they would be half a million objects, which the garbage collector
        # would scan in pauses of tenths of a second.
        self._known: OrderedDict[bytes, tuple[bytes, NDArray[np.float32]]] = OrderedDict()

    def answer(self, reading: Reading, markets: Sequence[Snapshot], at: datetime) -> Estimate:
        """The estimate for a question (`reading`) from the markets as they stand at `at`, by
        hand-written rules alone: neither the judge (the trained model) nor a language model is
        asked."""
        return self.estimate(self.compare(reading, markets, at))

    def compare(
        self, reading: Reading, markets: Sequence[Snapshot], at: datetime, *, past: bool = False
    ) -> Compared:
        """The question (`reading`) compared with the outcomes of each market, part by part
        (subject, level, deadline ...), as of the moment `at`. `past`: a market whose deadline is
        over may answer a question that names no time."""
        question = self._view(reading)
        bearings = self._bearings(question, reading, markets, at)
        return Compared(reading, markets, at, question, bearings, past)

    def estimate(
        self,
        compared: Compared,
        opinions: opinion.Opinions = opinion.NONE,
        verdicts: judging.Verdicts = judging.NONE,
    ) -> Estimate:
        """The estimate that the compared markets give for the question.

        opinions : a language model's opinions on markets, those that passed the checks
        (`opinion.checked`)
        verdicts : what the judge (`matching.judge`) says of the markets that `brief` chose
        """
        reading, at = compared.reading, compared.at
        bearings = compared.bearings
        verbatim_asked = any(b.exact for b in bearings)
        if reading.side is None and not verbatim_asked and open_questions.asks(reading.effective):
            found = outcomes.answer(reading, bearings, at)
            return replace(found, rejected=rejected(bearings, found))
        positive = reading.proposition.positive
        if verdicts and self.judge is not None:
            bearings = judging.applied(bearings, verdicts, self.judge, positive=positive)
            bearings.sort(key=_order)
        if opinions:
            bearings = opinion.applied(bearings, opinions, verdicts, positive=positive)
            bearings.sort(key=_order)
        # Only now, because the judge also reads markets that are over: it compares all markets.
        if not compared.past and horizons.names_no_time(reading):
            bearings = [b for b in bearings if b.exact or not _is_over(b, at.date())]
        weighing = Weighing(reading, compared.question, bearings, at)
        estimate = weighing.estimate()
        if verdicts and not opinions:
            known = trust.signs(estimate, compared, verdicts)
            estimate = trust.trusted(estimate, known, trust.default())
        estimate = weighing.with_distribution(estimate)
        return replace(estimate, rejected=rejected(bearings, estimate))

    def asks_verbatim(self, reading: Reading, markets: Sequence[Snapshot]) -> bool:
        """Whether the question is the title of one of the markets, word for word or with one "not"
        added or left out (`verbatim`)."""
        return any(
            verbatim.asks_for_no(reading.core, market.question, market.outcomes) is not None
            for market in markets
        )

    def with_guesses(self, reading: Reading, at: datetime) -> Reading:
        """A question, with guesses of what it describes without naming it. Takes some milliseconds
        of one core, so it runs in a thread."""
        named = asked_mentions(reading.judged, vocabulary.default(), at.date())
        guesses = described.default(self._embed).guesses(reading.judged, named)
        return replace(reading, guesses=tuple(guesses))

    def brief(self, compared: Compared) -> judging.Brief | None:
        """What the judge (`matching.judge`) and a language model read for a question: the
        question's text and the texts of the markets that match it best. None if neither is asked:
        for open questions ("who", "how many"), and for questions that name nothing that a market
        could be about."""
        reading = compared.reading
        named = reading.proposition.terms
        if not named or open_questions.asks(reading.effective):
            return None
        if self.judge is None:
            return judging.brief(compared, vocabulary.default())
        return judging.brief(compared, vocabulary.default(), self.judge.shortlist)

    def _view(self, reading: Reading) -> View:
        vector = self._embed([reading.effective])[0]
        return view(cues.read(reading.proposition, reading.effective), vector, self._rarity)

    def _bearings(
        self, question: View, reading: Reading, markets: Sequence[Snapshot], at: datetime
    ) -> list[Bearing]:
        found: list[Bearing] = []
        for market, views in zip(markets, self._read(markets), strict=True):
            asks_no = verbatim.asks_for_no(reading.core, market.question, market.outcomes)
            for outcome, read in zip(words.sides(market), views, strict=True):
                price = market.price(outcome)
                if price is None or market.price_at is None:
                    continue
                fit = compare(question, read, at.date())
                turned = read.proposition.positive == fit.opposed
                if (
                    asks_no is not None
                ):  # the question is the market's title, so its words decide the side
                    turned = (asks_no != reading.denied) == reading.proposition.positive
                age = max(0.0, (at - market.price_at).total_seconds() / 86_400)
                positive = 1 - price if turned else price
                exact = asks_no is not None
                found.append(Bearing(market, outcome, read, fit, positive, turned, age, exact))
        found.sort(key=_order)
        return [
            _related(reading, b) if n < MAX_COMPARED else b
            for n, b in enumerate(_with_siblings_penalized(question, found))
        ]

    def _read(self, markets: Sequence[Snapshot]) -> list[list[View]]:
        """For each market, one view for each of its outcomes that are compared (`words.sides`). A
        view has all that was read from a text, in a form that can be compared with other texts."""
        digests = [words.digest(market) for market in markets]
        missing = {d: m for d, m in zip(digests, markets, strict=True) if d not in self._known}
        if missing:
            vectors = self._embed([market.question for market in missing.values()])
            for (digest, market), vector in zip(missing.items(), vectors, strict=True):
                kept = market.words if market.digest == digest else None
                self._known[digest] = kept or words.packed(market), vector.copy()
        for digest in digests:
            self._known.move_to_end(digest)  # the least recently used are dropped first
        found = [
            [view(one, vector, self._rarity) for one in words.unpacked(packed)]
            for packed, vector in map(self._known.__getitem__, digests)
        ]
        while len(self._known) > MARKETS_KEPT:
            self._known.popitem(last=False)
        return found


def _related(reading: Reading, b: Bearing) -> Bearing:
    """The comparison `b` with the logical relation between question and market outcome filled in.
    If logic finds that the outcome asks the same or the opposite, logic also decides whether the
    outcome's price is turned into 1 minus the price. `b` is unchanged if the question is the
    market's title."""
    if b.exact:
        return b
    relation = relate(reading.proposition, b.view.proposition)
    if relation not in bounds.SAME:
        return replace(b, relation=relation) if relation != "none" else b
    price = b.market.price(b.outcome) or 0.0
    turned = (relation == "complement") == reading.proposition.positive
    return replace(b, relation=relation, turned=turned, positive=1 - price if turned else price)


def _is_over(b: Bearing, day: date) -> bool:
    """Whether the market `b` asks about an event and its deadline has passed on `day`. A deadline
    counts as passed only from the second day after it, because in the market's time zone the day
    of the deadline may end later. False for markets that ask about no event or name no deadline."""
    asked = b.view.proposition
    return (
        asked.predicate in EVENTS and asked.window.kind in ("by", "on")
        and has_ended(asked.window, day - timedelta(days=1))
    )  # fmt: skip


def _order(b: Bearing) -> tuple[float, float, str, int]:
    return -b.fit.score, b.age, b.market.id, b.outcome


def _with_siblings_penalized(question: View, found: list[Bearing]) -> list[Bearing]:
    """The comparisons `found` in a new order, after the best of them were compared with each other.

    Some markets differ only in a name ("Will Russia capture X"). If the question does not say this
    name, the market loses up to `SIBLING_LOSS` points of its score, even if the question says many
    other words of the market.
    """
    near, rest = found[:MAX_COMPARED], found[MAX_COMPARED:]
    judged = []
    for b in near:
        own = b.view.proposition.terms
        telling: set[str] = set()
        for other in near:
            if other is b or other.view.proposition.predicate != b.view.proposition.predicate:
                continue
            theirs = other.view.proposition.terms
            if not _same_parts(b.view.proposition, other.view.proposition):
                continue  # they differ in a level or a stage, not only in a name
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

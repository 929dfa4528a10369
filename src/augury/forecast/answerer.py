"""Answers a question from given markets: they are compared with it, the judge (the trained model)
reads the best of them, and the estimate is made from their prices.

The judge reads in a thread, for a limited number of questions at the same time.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Final, NamedTuple

from augury.forecast import grade, horizons, judging, qualifiers
from augury.forecast.bearing import Compared
from augury.forecast.engine import Engine
from augury.forecast.evidence import Estimate, Snapshot
from augury.forecast.normalize import Reading, normalize

Lap = Callable[[str], None]
"""Function that a forecast calls at the end of each of its steps, with the name of the step
("gather", "judge" ...)."""
JUDGED_AT_ONCE: Final = max(1, (os.cpu_count() or 1) // 2)
"""The judge (the trained model) reads the markets of at most this many forecasts at the same time.
That is half the number of processor cores, because each forecast keeps two cores busy. If it were
more, no forecast would end sooner, and searches would have to wait longer."""


class FirstAnswer(NamedTuple):
    """The markets gathered for a question, and the estimate before a language model is asked."""

    markets: Sequence[Snapshot]
    estimate: Estimate
    compared: Compared | None = None
    """The question compared with the markets. None if the estimate is not that of the whole
    question: it has no single answer, or it was split into two parts ("Will A or B win?")."""
    verdicts: judging.Verdicts = judging.NONE
    until: date | None = None
    """For a question that names no date: the deadline for which it is answered (`horizons`). None
    for other questions, and if no deadline was found."""


def _no_lap(name: str) -> None: ...


def _asks_the_way(estimate: Estimate, reading: Reading, wider: str) -> bool:
    """Whether an answer takes into account that the question asks for one way in which the event
    happens, e.g. a win "by 5 points". Both of the following must be true:

    - Its probability may be shown in the public answer (`grade.is_shown`).
    - It rests on a market that asks the question and names this way, too. In an answer without
      `Estimate.trust`, a market that asks the question is taken to name the way.

    wider : the question without the way in which it has to happen ("Will X win?")
    """
    one = estimate.decisive
    if one is None or not grade.is_shown(estimate):
        return False
    title = " ".join(filter(None, (one.market.question, one.market.subtitle)))
    return estimate.trust is None or qualifiers.is_asked(title, reading.core, wider)


class Answerer:
    """Answers questions from the markets that it is given."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turns = asyncio.Semaphore(JUDGED_AT_ONCE)

    async def answer(
        self,
        reading: Reading,
        markets: Sequence[Snapshot],
        at: datetime,
        lap: Lap = _no_lap,
        *,
        past: bool = False,
    ) -> FirstAnswer:
        """The estimate for a question from these markets, by the hand-written rules and the
        verdicts of the judge (the trained model). If the question is about an event and names no
        date, it is answered for one of the deadlines that the markets name (`horizons`). If it
        asks whether something happens in one particular way ("win by 5 points"), and no market
        names this way, the answer to the wider question ("win") is an upper bound (`qualifiers`).

        lap : called at the end of each step
        past : also answer from markets whose deadline is over
        """
        found = await self._answer(reading, markets, at, lap, past=past)
        if reading.wider is None or _asks_the_way(found.estimate, reading, reading.wider):
            return found
        asked = replace(normalize(reading.wider, at), guesses=reading.guesses)
        if not asked.proposition.positive:
            return found
        wide = await self._answer(asked, markets, at, lap, past=past)
        if wide.estimate.decisive is None or not grade.is_shown(wide.estimate):
            return found
        return FirstAnswer(markets, qualifiers.narrowed(wide.estimate))

    async def _answer(
        self, reading: Reading, markets: Sequence[Snapshot], at: datetime, lap: Lap, *, past: bool
    ) -> FirstAnswer:
        found = await self.answer_as_asked(reading, markets, at, lap, past=past)
        if self._engine.judge is None or not horizons.names_no_time(reading):
            return found
        assert found.compared is not None
        if horizons.is_undated(found.estimate, found.compared.bearings):
            return found
        return await self._over_deadlines(found, found.compared, self._engine.judge.limits, lap)

    async def answer_as_asked(
        self,
        reading: Reading,
        markets: Sequence[Snapshot],
        at: datetime,
        lap: Lap = _no_lap,
        *,
        past: bool = False,
    ) -> FirstAnswer:
        """The estimate for a question as it stands: unlike in `answer`, no deadline is added to it,
        and no condition on how something happens ("win by 5 points") is left out. The result always
        has `compared`."""
        compared = self._engine.compare(reading, markets, at, past=past)
        verdicts = await self._read(compared, lap)
        estimate = self._engine.estimate(compared, verdicts=verdicts)
        return FirstAnswer(markets, estimate, compared, verdicts)

    async def _over_deadlines(
        self, found: FirstAnswer, undated: Compared, limits: Mapping[str, float], lap: Lap
    ) -> FirstAnswer:
        """The answer to a question that names no date, with the deadline for which it holds.

        Deadlines that its markets name (`horizons.deadlines`) are tried one after the other, the
        latest first. Each one is added to the question, and the question is asked again. The first
        answer from a market that asks the question with its deadline is returned. If there is none,
        markets may still bound the answer. The bounded answer with the latest deadline is then
        returned. If there is no such answer either, `found` is returned.

        found, undated : the answer without a deadline, and the comparison that it was made from
        limits : lowest probabilities at which the judge's verdicts count (`Judge.limits`)
        lap : called at the end of each step
        """
        at = undated.at
        bounded: FirstAnswer | None = None
        for end in horizons.deadlines(undated, found.verdicts):
            reading = horizons.until(undated, end)
            compared = self._engine.compare(reading, found.markets, at, past=undated.past)
            verdicts = await self._read(compared, lap)
            estimate = self._engine.estimate(compared, verdicts=verdicts)
            answer = FirstAnswer(
                found.markets,
                horizons.for_deadline(estimate, end, at.date()),
                compared,
                verdicts,
                end,
            )
            if horizons.is_found(answer.estimate, verdicts, undated, found.verdicts, limits):
                return answer
            if bounded is None and found.estimate.grade == estimate.grade == "bounded":
                bounded = answer
        if bounded is not None:
            return bounded
        last = horizons.furthest(found.estimate, undated.bearings, at.date())
        if last is None:
            return found
        return found._replace(
            estimate=horizons.for_deadline(found.estimate, last, at.date()), until=last
        )

    async def _read(self, compared: Compared, lap: Lap) -> judging.Verdicts:
        """The verdicts of the judge (the trained model) on the markets that match the question
        best. Empty if the judge is not used, e.g. for open questions ("who", "how many")."""
        trained = self._engine.judge
        brief = self._engine.brief(compared) if trained is not None else None
        if brief is None or trained is None:
            return judging.NONE
        async with self._turns:
            verdicts = await asyncio.to_thread(brief.judged, trained)
        lap("judge")
        return verdicts

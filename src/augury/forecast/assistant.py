"""What a language model may help with in one forecast, under one deadline.

It may put an ill-put question in plain words, say whether a market whose role is in doubt asks the
same, and rephrase a reason. Each proposal is checked by rules of ours (`rewording`, `opinion`); a
model is asked only for what it has shown that it can do (`LanguageModel.qualified`). Where there is
no answer in time, or none that passes, the forecast is what it is without a model.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

import msgspec

from augury.forecast.bearing import Bearing, Compared
from augury.forecast.engine import Engine
from augury.forecast.evidence import Estimate
from augury.forecast.judging import NONE, Verdicts
from augury.forecast.normalise import Reading
from augury.forecast.opinion import Opinions, Verdict
from augury.forecast.rewording import LONGEST, masked, rephrased, reworded, unsure
from augury.llm.service import LanguageModel, NoAnswer
from augury.llm.task import LONGEST as LONGEST_TEXT
from augury.llm.task import Control, Task, plain

T = TypeVar("T", bound=msgspec.Struct)


GLANCE: Final = 0.1
"""Seconds to find out whether a model may be used: enough where its answers are kept."""


class Rewrite(msgspec.Struct, forbid_unknown_fields=True):
    question: Annotated[str, msgspec.Meta(max_length=LONGEST)]
    asks_opposite: bool


class MatchAnswer(msgspec.Struct, forbid_unknown_fields=True):
    answer: Verdict


class Wording(msgspec.Struct, forbid_unknown_fields=True):
    text: str


def _match(question: str, market: str, answer: Verdict) -> Control[MatchAnswer]:
    data = _matched(question, market, "Yes", "", "2026-11-21")
    return Control(data, lambda said: said.answer == answer)


def _matched(question: str, market: str, outcome: str, rules: str, today: str) -> dict[str, str]:
    return {
        "question": plain(question), "market": plain(market), "outcome": plain(outcome, 60),
        "rules": plain(rules, 240), "today": today,
    }  # fmt: skip


def _rewrite(question: str, *words: str, opposite: bool = False) -> Control[Rewrite]:
    def right(said: Rewrite) -> bool:
        told = said.question.casefold()
        return said.asks_opposite == opposite and all(word in told for word in words)

    return Control({"text": question, "today": "2026-11-21"}, right)


MATCH: Final = Task(
    name="match",
    version=1,
    instructions=(
        "Compare a question with an outcome of a market. Answer same if they are settled the same"
        " way by the same facts; opposite if one is Yes exactly when the other is No; different if"
        " anything else tells them apart (who, what, level, date, place); else unsure."
    ),
    answer=MatchAnswer,
    max_tokens=24,
    controls=(
        _match("Will the Harbour Bridge reopen by June 2027?",
               "Harbour Bridge open to traffic before July 2027?", "same"),
        _match("Will Lena Ortiz be elected mayor of Novara?",
               "Will Lena Ortiz lose the Novara mayoral election?", "opposite"),
        _match("Will the Falcons win the 2027 cup?", "Will the Ravens win the 2027 cup?",
               "different"),
        _match("Will copper trade above $12,000 in 2027?", "Will copper hit $15,000 in 2027?",
               "different"),
        _match("Will the Selva dam stay closed through 2027?",
               "Will the Selva dam open before 2028?", "opposite"),
        _match("Does Orbit Labs go public in 2027?", "Orbit Labs IPO by December 31, 2027?",
               "same"),
        _match("Will the strike at Norport end by May 1, 2027?",
               "Will the strike at Norport end by December 1, 2027?", "different"),
        _match("Will anyone but Haruto Abe lead the Reform Party in 2028?",
               "Will Haruto Abe lead the Reform Party in 2028?", "opposite"),
        _match("Will Lake Mira freeze over this winter?",
               "Will Lake Mira be completely frozen at any time this winter?", "same"),
        _match("Will the Senate of Arvandia pass the water bill?",
               "Will the president of Arvandia sign the water bill?", "different"),
    ),
    needed=0.9,
)  # fmt: skip

REWRITE: Final = Task(
    name="rewrite",
    version=1,
    instructions=(
        "Put what the text asks as one short question that begins with Will and can be answered"
        " Yes or No. Use only words, names, numbers and dates of the text; leave none of its names,"
        " numbers and dates out. asks_opposite is true where the text asks whether something does"
        " not happen, and then the question says not."
    ),
    answer=Rewrite,
    max_tokens=120,
    controls=(
        _rewrite("so um the Harbour Bridge, reopening by June 2027, any chance of that?",
                 "will", "harbour bridge", "june 2027"),
        _rewrite("I doubt it but Lena Ortiz elected mayor of Novara in 2027??",
                 "will", "lena ortiz", "novara", "2027"),
        _rewrite("odds please: copper not reaching $12,000 in 2027", "will", "not", "12,000",
                 "2027", opposite=True),
        _rewrite("Friend says Orbit Labs goes public before 2028. Thoughts?", "will",
                 "orbit labs", "2028"),
        _rewrite("The Falcons. The 2027 cup. Winning it. Yes or no?", "will", "falcons", "2027"),
    ),
)  # fmt: skip

WORDING: Final = Task(
    name="wording",
    version=1,
    instructions=(
        "Write the text again so that it reads more smoothly, in the same sentences and with the"
        " same words where you can. {1}, {2} and so on stand for names and figures: keep each of"
        " them, once, in this order. Add nothing."
    ),
    answer=Wording,
    max_tokens=300,
)


class Assistant:
    """Helps with forecasts by one model.

    Parameters
    ----------
    deadline
        Seconds that it may add to one forecast in all.
    replays
        Help with forecasts as of the past too. A model may know what came later, so that only an
        evaluation that asks for it does this.
    """

    def __init__(
        self, model: LanguageModel, *, deadline: float = 2.0, replays: bool = False
    ) -> None:
        self._model = model
        self._deadline = deadline
        self.replays = replays

    async def prepare(self) -> dict[str, bool]:
        """Find out now what the model can be used for; by task."""
        tasks = [task for task in (REWRITE, MATCH, WORDING) if self._model.does(task.name)]
        return {task.name: await self._model.qualified(task) for task in tasks}

    def sitting(self, at: datetime) -> Sitting:
        """Help with one forecast, from now on."""
        return Sitting(self._model, at, time.monotonic() + self._deadline)


class Sitting:
    """One forecast being helped with. `used` names what the model had a part in."""

    def __init__(self, model: LanguageModel, at: datetime, ends_at: float) -> None:
        self._model = model
        self._at = at
        self._ends_at = ends_at
        self.used: list[str] = []

    async def reading(self, reading: Reading) -> Reading:
        """The reading of a question that was hardly understood, in plain words if that helps."""
        if not unsure(reading):
            return reading
        said = await self._ask(REWRITE, {"text": reading.normalized, "today": self._today})
        if said is None:
            return reading
        found = reworded(reading, said.question.strip(), said.asks_opposite, self._at)
        if found is None:
            return reading
        self.used.append("language_model_rewrite")
        return found

    async def estimate(
        self,
        engine: Engine,
        compared: Compared,
        estimate: Estimate,
        verdicts: Verdicts = NONE,
    ) -> Estimate:
        """The estimate after a second opinion on what was in doubt, its reasons smoothed."""
        if await self._may(MATCH) and (
            opinions := await self._opinions(compared.reading, engine.doubtful(compared))
        ):
            second = engine.estimate(compared, opinions, verdicts)
            if second != estimate:
                self.used.append("language_model_match")
                estimate = second
        if estimate.probability is not None:
            estimate = replace(estimate, reasoning=await self._smoothed(estimate.reasoning))
        if self.used:
            estimate = replace(estimate, fallbacks=(*estimate.fallbacks, *self.used))
        return estimate

    async def _opinions(self, reading: Reading, doubtful: Sequence[Bearing]) -> Opinions:
        asked = [
            self._ask(
                MATCH,
                _matched(
                    reading.effective, b.market.question, b.market.outcomes[b.outcome],
                    b.market.description or "", self._today,
                ),
            )
            for b in doubtful
        ]  # fmt: skip
        said = await asyncio.gather(*asked)
        return {
            (b.market.seq, b.outcome): one.answer
            for b, one in zip(doubtful, said, strict=True)
            if one is not None and one.answer != "unsure"
        }

    async def _smoothed(self, reasoning: str) -> str:
        text, fixed = masked(reasoning)
        if len(text) >= LONGEST_TEXT:
            return reasoning
        said = await self._ask(WORDING, {"text": text})
        told = rephrased(text, said.text, fixed) if said is not None else None
        if told is None or told == reasoning:
            return reasoning
        self.used.append("language_model_wording")
        return told

    @property
    def _today(self) -> str:
        return self._at.date().isoformat()

    async def _may(self, task: Task[Any]) -> bool:
        if not self._model.does(task.name):
            return False
        left = min(GLANCE, self._ends_at - time.monotonic())
        try:
            async with asyncio.timeout(left):
                return await self._model.qualified(task)
        except TimeoutError:
            return False  # it goes on being examined

    async def _ask(self, task: Task[T], data: dict[str, Any]) -> T | None:
        if not await self._may(task):
            return None
        left = self._ends_at - time.monotonic()
        if left <= 0:
            return None
        try:
            return await self._model.ask(task, data, deadline=left)
        except NoAnswer:
            return None

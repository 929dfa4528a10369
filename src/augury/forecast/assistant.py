"""Lets a language model help with forecasts, within a time limit for each.

The model may reword a badly worded question, give its opinion on the markets that the judge
(`matching.judge`) reads, and rephrase the reasoning of an answer. Each proposal is checked by rules
(`rewording`, `opinion`). A model is used for a task only if it answers enough of the task's control
questions correctly (`LanguageModel.qualified`). Proposals that come too late or fail the checks
change nothing: the forecast is then the same as without a model.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec

from augury.forecast import opinion
from augury.forecast.bearing import Compared
from augury.forecast.engine import Engine
from augury.forecast.evidence import Estimate
from augury.forecast.judging import NONE, Verdicts
from augury.forecast.normalize import Reading
from augury.forecast.opinion import NO_OPINIONS, CheckedOpinions, Opinion
from augury.forecast.rewording import WordedParts, masked, rephrased, reworded, unsure
from augury.forecast.tasks import MATCH, REWRITE, WORDING, match_input, opinions_by_position
from augury.llm.service import LanguageModel, NoAnswer
from augury.llm.task import MAX_TEXT_CHARACTERS, Task, Unusable

T = TypeVar("T", bound=msgspec.Struct)


MAX_TEST_WAIT_SECONDS: Final = 0.1
"""A language model may do a task for a forecast only if it has passed the test for this task
(control questions with known answers). The forecast waits at most this many seconds for the result
of the test; then it goes on without the model. Looking up the stored result of an earlier test
takes less time than this. Chosen by hand."""


class Assistant:
    """Lets one language model help with forecasts.

    Parameters
    ----------
    deadline
        Largest number of seconds that the model may add to one forecast.
    replays
        Whether the model helps with replays (forecasts as of a past moment), too. True only in
        evaluations, because the model may know what happened after that moment.
    """

    def __init__(
        self, model: LanguageModel, *, deadline: float = 2.0, replays: bool = False
    ) -> None:
        self._model = model
        self._deadline = deadline
        self.replays = replays

    async def prepare(self) -> dict[str, bool]:
        """Test the language model now on each task that is switched on, with control questions
        whose answers are known. Returns by task name: True if the model answered enough of them
        correctly to be used for the task."""
        tasks = [task for task in (REWRITE, MATCH, WORDING) if self._model.does(task.name)]
        return {task.name: await self._model.qualified(task) for task in tasks}

    def assist(self, at: datetime) -> Assistance:
        """Begin the language model's help with one forecast: returns the object that gives it. The
        time limit starts with this call. `at`: the moment that the forecast describes."""
        return Assistance(self._model, at, time.monotonic() + self._deadline)


class Assistance:
    """A language model's help with one forecast, within one time limit. `used` names the steps in
    which a proposal of the model was accepted, e.g. `language_model_rewrite`."""

    def __init__(self, model: LanguageModel, at: datetime, ends_at: float) -> None:
        self._model = model
        self._at = at
        self._ends_at = ends_at
        self.used: list[str] = []

    async def reading(self, reading: Reading) -> Reading:
        """What is understood of a question, with the language model's help. `reading` is what the
        hand-written rules understood of it. The model rewords the question only if they understood
        almost nothing of it. Returns what the rules understand of the rewording if it passes the
        checks, else `reading`."""
        if not unsure(reading):
            return reading
        answer = await self._ask(REWRITE, {"text": reading.normalized, "today": self._today})
        if answer is None:
            return reading
        parts = WordedParts(answer.asks_opposite, answer.last_day, answer.level)
        found = reworded(reading, answer.question.strip(), parts, self._at)
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
        """The estimate with the language model's help: the model gives opinions on the markets
        (whether each asks the question), and rewords the reasoning. Only opinions and rewordings
        that pass the checks are used.

        estimate : the estimate without the language model
        verdicts : what the judge (the trained model, `matching.judge`) says of the markets
        """
        opinions = await self._opinions(engine, compared, verdicts)
        sentence = ""
        if opinions.taken:
            second = engine.estimate(compared, opinions.taken, verdicts)
            if second != estimate:
                self.used.append("language_model_match")
                sentence = opinion.opinion_sentence(
                    opinions.taken, estimate, second, compared.reading.question
                )
                estimate = second
        if estimate.probability is not None:
            estimate = replace(estimate, reasoning=await self._smoothed(estimate.reasoning))
        refused = tuple(map(opinion.refusal_sentence, opinions.refused))
        return replace(
            estimate,
            reasoning=" ".join(filter(None, (estimate.reasoning, sentence))),
            fallbacks=(*estimate.fallbacks, *self.used, *(["opinion_refused"] if refused else [])),
            warnings=(*estimate.warnings, *refused),
        )

    async def _opinions(
        self, engine: Engine, compared: Compared, verdicts: Verdicts
    ) -> CheckedOpinions:
        """The language model's opinions on the markets that the judge (`matching.judge`) reads for
        the question: those that passed the checks and those that were refused. Empty if the model
        is not asked or gives no usable answer in time."""
        if not await self._may(MATCH):
            return NO_OPINIONS
        brief = engine.brief(compared)
        if brief is None or not opinion.worth_asking(brief, compared.bearings, verdicts):
            return NO_OPINIONS
        answer = await self._ask(MATCH, match_input(brief.asked, brief.markets, self._today))
        try:
            found = opinions_by_position(answer, len(brief.markets)) if answer is not None else {}
        except Unusable:
            return NO_OPINIONS
        return opinion.checked(
            brief, {n: Opinion(one.asks, one.why) for n, one in found.items()}, verdicts,
            asked=compared.reading.proposition,
        )  # fmt: skip

    async def _smoothed(self, reasoning: str) -> str:
        text, fixed = masked(reasoning)
        if len(text) >= MAX_TEXT_CHARACTERS:
            return reasoning
        answer = await self._ask(WORDING, {"text": text})
        smoothed = rephrased(text, answer.text, fixed) if answer is not None else None
        if smoothed is None or smoothed == reasoning:
            return reasoning
        self.used.append("language_model_wording")
        return smoothed

    @property
    def _today(self) -> str:
        return self._at.date().isoformat()

    async def _may(self, task: Task[Any]) -> bool:
        if not self._model.does(task.name):
            return False
        left = min(MAX_TEST_WAIT_SECONDS, self._ends_at - time.monotonic())
        try:
            async with asyncio.timeout(left):
                return await self._model.qualified(task)
        except TimeoutError:
            return False  # the control questions go on in the background

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

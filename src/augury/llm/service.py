"""Asks a language model within a deadline and a daily budget, and stores its answers.

The rest of Augury works without it: every caller has to be able to go on without an answer.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, TypeVar

import httpx2
import msgspec
import psycopg
import structlog
from prometheus_client import Counter, Gauge, Histogram

from augury.clock import Clock, now
from augury.errors import AuguryError
from augury.llm import store
from augury.llm.endpoint import CompletionFailed, ModelEndpoint
from augury.llm.store import Cost
from augury.llm.task import Data, Task, Unusable
from augury.net.breaker import Breaker
from augury.net.flights import Flights, GivenUp
from augury.setting_values import LlmTask
from augury.settings import Settings
from augury.storage.database import Database

log = structlog.get_logger(__name__)

REQUESTS = Counter(
    "augury_llm_requests",
    "Questions to the language model, by task and outcome.",
    ["task", "outcome"],
)
SECONDS = Histogram(
    "augury_llm_request_seconds",
    "Seconds the language model took to answer in full.",
    ["task"],
    buckets=(0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60),
)
TOKENS = Counter(
    "augury_llm_tokens", "Tokens counted against the language model's daily budget.", ["task"]
)
BREAKER = Gauge(
    "augury_llm_breaker_open",
    "1 while requests to the language model are paused because it failed repeatedly, else 0.",
)
QUALIFIED = Gauge(
    "augury_llm_qualified",
    "1 if the language model got enough of the task's control questions right, else 0.",
    ["task"],
)

ANSWER_LIFETIME: Final = timedelta(days=90)
"""How long a stored answer is used before the model is asked again."""
NO_ANSWER_LIFETIME: Final = timedelta(days=1)
"""How long it is remembered that the model gave no usable answer to an input, before the model is
asked again."""
AT_ONCE: Final = 4
"""Maximum number of requests to the language model's endpoint at the same time."""
MAX_PENDING: Final = 64
"""Largest number of requests to the language model that are running or waiting, taken together. Any
further request fails at once."""
OVERHEAD_TOKENS: Final = 64
"""Number of tokens added to the estimated length of each request, because the model's chat template
adds text to it."""
BYTES_A_TOKEN: Final = 12
"""Largest plausible average number of bytes per token, for texts in any language. If an endpoint
reports so few tokens that the average is larger, its report is ignored."""

T = TypeVar("T", bound=msgspec.Struct)


class NoAnswer(Exception):
    """Raised when the model gave no usable answer; `outcome` says why.

    Outcomes: waiting (too many requests), timeout, unusable (the text is no answer to the task),
    cap (the daily budget is used up), breaker (paused after repeated failures), throttled (the
    endpoint asked for a pause), no_store (the database, in which spending is counted, is
    unreachable), or an outcome of `endpoint.CompletionFailed`.
    """

    def __init__(self, outcome: str, text: str, *, retry_in: float | None = None) -> None:
        """`retry_in`: seconds after which it is worth asking again."""
        super().__init__(f"The language model {text}.")
        self.outcome, self.retry_in = outcome, retry_in


@dataclass
class Examination:
    """How a model did on the controls of a task, i.e. on test inputs with known answers."""

    task: LlmTask
    of: int
    """Number of controls (test inputs with known answers) that the model was asked."""
    usable: int = 0
    """Number of the model's texts that could be read as an answer to the task, right or wrong."""
    right: int = 0
    passed: bool = False
    seconds: list[float] = field(default_factory=list)
    """Seconds that each answer took; close to 0 for a stored answer."""


class LanguageModel:
    """One language model at one endpoint. All tasks use it. The stored answers and the count of the
    day's spending are in PostgreSQL, so all processes share them."""

    def __init__(
        self,
        database: Database,
        endpoint: ModelEndpoint,
        *,
        tasks: frozenset[LlmTask],
        timeout: float = 60.0,
        cap: Cost,
        price_in: float = 0.0,
        price_out: float = 0.0,
        clock: Clock = now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`tasks`: the tasks for which the operator lets the model be used. `timeout`: maximum time
        for one request, in seconds. `cap`: maximum number of tokens and amount of money that may be
        spent in a UTC day. `price_in`, `price_out`: prices per million tokens sent and received."""
        self.model = endpoint.model
        self._database = database
        self._endpoint = endpoint
        self._tasks = tasks
        self._timeout = timeout
        self._cap = cap
        self._price_in, self._price_out = price_in, price_out
        self._clock, self._monotonic = clock, monotonic
        self._breaker = Breaker(monotonic)
        self._paused_until = float("-inf")
        self._places = asyncio.Semaphore(AT_ONCE)
        self._flights = Flights[Any]()
        self._verdicts: dict[str, bool] = {}
        self._examinations = Flights[bool | None]()

    @classmethod
    def of(
        cls,
        settings: Settings,
        database: Database,
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> LanguageModel | None:
        """The model that the settings name; None if they name none."""
        if settings.llm_url is None:
            return None
        endpoint = ModelEndpoint(
            settings.llm_url, settings.llm_model, key=settings.llm_key,
            format=settings.llm_format, transport=transport,
        )  # fmt: skip
        return cls(
            database,
            endpoint,
            tasks=frozenset(settings.llm_tasks),
            timeout=settings.llm_timeout,
            cap=Cost(settings.llm_daily_tokens, round(settings.llm_daily_cost * 1e9)),
            price_in=settings.llm_price_in,
            price_out=settings.llm_price_out,
        )

    async def aclose(self) -> None:
        """Cancel the running requests and close the connections."""
        await self._flights.close()
        await self._examinations.close()
        await self._endpoint.aclose()

    def does(self, task: LlmTask) -> bool:
        """Whether the operator's settings allow using the model for this task."""
        return task in self._tasks

    async def ask(self, task: Task[T], data: Data, *, deadline: float | None = None) -> T:
        """The model's answer to `data`, which is an input of `task`: the stored answer if there is
        one, else a new one. Equal requests that run at the same time are sent only once.

        When `deadline` (seconds) passes, the caller gets NoAnswer, but the request goes on and its
        answer is stored.

        Raises
        ------
        NoAnswer
            The model gave no answer, or none before the deadline.
        """
        key = task.key(self.model, data)
        if key not in self._flights and len(self._flights) >= MAX_PENDING:
            REQUESTS.labels(task.name, "waiting").inc()
            raise NoAnswer("waiting", "is busy", retry_in=1.0)
        try:
            async with asyncio.timeout(deadline):
                return await self._flights.join(key, lambda: self._fly(task, data, key))
        except TimeoutError:
            REQUESTS.labels(task.name, "late").inc()
            raise NoAnswer("timeout", "did not answer in time") from None
        except GivenUp:
            raise NoAnswer("timeout", "gave no answer before Augury stopped") from None

    async def qualified(self, task: Task[Any]) -> bool:
        """Whether the model answers enough of the task's controls (test inputs with known answers)
        correctly. True for a task without controls; False if the model can't be asked now.

        Each process tests the model on a task once. If the model's answer to a control is already
        stored, the test uses this answer and does not ask again. The test may take long, and goes
        on if the caller stops waiting.
        """
        if not task.controls:
            return True
        if (verdict := self._verdicts.get(task.name)) is not None:
            return verdict
        try:
            return bool(await self._examinations.join(task.name, lambda: self._examine(task)))
        except GivenUp:
            return False

    async def spent_today(self) -> store.Spending:
        """The calls, tokens and money spent on the model today (UTC)."""
        async with self._database.reading() as conn:
            return await store.spent(conn, self._clock().date())

    async def prune(self) -> None:
        """Delete stored answers that are too old to be used again (`ANSWER_LIFETIME`)."""
        async with self._database.transaction() as conn:
            await store.forget(conn, self._clock() - ANSWER_LIFETIME)

    # One question

    async def _fly(self, task: Task[T], data: Data, key: bytes) -> T:
        outcome = "failed"
        try:
            answer, outcome = await self._answer(task, data, key)
            return answer
        except NoAnswer as error:
            outcome = error.outcome
            raise
        except (AuguryError, psycopg.Error) as error:
            # Without the database spending cannot be counted, so the model is not asked.
            outcome = "no_store"
            raise NoAnswer(
                "no_store",
                "was not asked, because the database, in which its cost is counted, is unreachable",
            ) from error
        finally:
            REQUESTS.labels(task.name, outcome).inc()

    async def _answer(self, task: Task[T], data: Data, key: bytes) -> tuple[T, str]:
        at = self._clock()
        async with self._database.reading() as conn:
            kept = await store.answer(
                conn, key, useful_since=at - ANSWER_LIFETIME, useless_since=at - NO_ANSWER_LIFETIME
            )
        if kept is not None:
            return self._read(task, kept.text), "cached"
        async with self._places:
            text = await self._request(task, data)
        try:
            answer = task.read(text)
        except Unusable:
            await self._keep(task, key, None)
            raise NoAnswer("unusable", "gave no usable answer") from None
        await self._keep(task, key, text)
        return answer, "ok"

    def _read(self, task: Task[T], text: str | None) -> T:
        try:
            if text is not None:
                return task.read(text)
        except Unusable:
            pass  # the shape has changed since
        raise NoAnswer("unusable", "gave no usable answer")

    async def _keep(self, task: Task[T], key: bytes, text: str | None) -> None:
        async with self._database.reading() as conn:
            await store.keep(conn, key, task.name, self.model, text, self._clock())

    async def _request(self, task: Task[T], data: Data) -> str:
        messages = task.messages(data)
        sent = sum(len(message["content"].encode()) for message in messages)
        self._admit()
        healthy: bool | None = None
        try:
            day = self._clock().date()
            # No tokenizer makes more tokens than bytes. The schema may be sent in
            # addition to the messages.
            schema = len(json.dumps(task.schema))
            booked = self._cost(sent + schema + OVERHEAD_TOKENS, task.max_tokens)
            async with self._database.reading() as conn:
                if not await store.book(conn, day, booked, self._cap):
                    raise NoAnswer("cap", "has used up its budget for today")
            used = booked
            try:
                began = time.perf_counter()
                done = await self._endpoint.complete(
                    messages, task.schema, max_tokens=task.max_tokens, deadline=self._timeout
                )
                SECONDS.labels(task.name).observe(time.perf_counter() - began)
                healthy = True
                used = self._used(sent, done.tokens_in, done.tokens_out, booked, done.text)
                return done.text
            except CompletionFailed as error:
                healthy = error.healthy
                self._paused_until = max(self._paused_until, self._monotonic() + error.pause)
                if not error.charged:
                    used = Cost(0, 0)
                log.info("language_model_failed", task=task.name, reason=str(error))
                raise NoAnswer(error.outcome, str(error), retry_in=error.pause or None) from None
            finally:
                TOKENS.labels(task.name).inc(used.tokens)
                if used != booked:
                    async with self._database.reading() as conn:
                        await store.settle(conn, day, booked, used)
        finally:
            self._breaker.record(healthy)
            BREAKER.set(self._breaker.is_open)

    def _admit(self) -> None:
        pause = self._paused_until - self._monotonic()
        if pause > 0:
            raise NoAnswer("throttled", "asked for fewer requests", retry_in=pause)
        if not self._breaker.admits():
            raise NoAnswer(
                "breaker", "failed repeatedly and is paused for 30 s",
                retry_in=self._breaker.retry_in(),
            )  # fmt: skip

    def _cost(self, tokens_in: int, tokens_out: int) -> Cost:
        # A price per million tokens is the price of one token in millionths.
        nanos = 1000 * (tokens_in * self._price_in + tokens_out * self._price_out)
        return Cost(tokens_in + tokens_out, -int(-nanos // 1))

    def _used(
        self, sent: int, tokens_in: int | None, tokens_out: int | None, booked: Cost, text: str
    ) -> Cost:
        """The cost of a call, from the numbers of tokens that the endpoint reports. If the report
        is missing or not credible, `booked`, the estimate from before the call, is returned."""
        if tokens_in is None or tokens_out is None:
            return booked
        if tokens_in * BYTES_A_TOKEN < sent or tokens_out * BYTES_A_TOKEN < len(text.encode()):
            return booked
        return self._cost(tokens_in, tokens_out)

    # Controls

    async def examine(self, task: Task[Any]) -> Examination:
        """Test the model on the controls of a task (inputs with known answers), one after the
        other. An unusable answer counts as wrong.

        Raises
        ------
        NoAnswer
            The model could not be asked.
        """
        found = Examination(task.name, len(task.controls))
        for control in task.controls:
            began = time.perf_counter()
            try:
                answer = await self.ask(task, control.data)
            except NoAnswer as error:
                if error.outcome != "unusable":
                    raise
            else:
                found.usable += 1
                found.right += bool(control.right(answer))
            found.seconds.append(time.perf_counter() - began)
        found.passed = found.right >= task.needed * found.of
        return found

    async def _examine(self, task: Task[Any]) -> bool | None:
        try:
            found = await self.examine(task)
        except NoAnswer:
            return None
        self._verdicts[task.name] = found.passed
        QUALIFIED.labels(task.name).set(found.passed)
        log.info(
            "language_model_tested", task=task.name, model=self.model, correct=found.right,
            questions=found.of, passed=found.passed,
        )  # fmt: skip
        return found.passed

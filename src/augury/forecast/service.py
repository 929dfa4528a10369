"""Makes forecasts: understands the question, gathers markets, weighs them, and stores the answer
for the scorecard.

The stages come as an async iterator (`stages`), so that a stream can show each one. Closing the
iterator cancels the work. All stages work as of the same moment, now or an earlier one. Only the
look-up of markets reads the database.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

import psycopg
import structlog
from prometheus_client import Counter

from augury.clock import Clock, isoformat, now
from augury.errors import AuguryError, InvalidInput, UpstreamFailed
from augury.forecast import (
    channels,
    coordination,
    described,
    grade,
    horizons,
    judging,
    nulls,
    scoring,
    store,
    trust,
)
from augury.forecast.answerer import Answerer, FirstAnswer
from augury.forecast.assistant import Assistant
from augury.forecast.compound import Parts
from augury.forecast.engine import Engine
from augury.forecast.evidence import Estimate, Snapshot
from augury.forecast.flights import Flight
from augury.forecast.graph import graph_of
from augury.forecast.joint import joined
from augury.forecast.made import Forecast
from augury.forecast.normalize import Reading, normalize
from augury.forecast.remembering import issued
from augury.graph.schemas import PublicCausalGraph
from augury.graph.service import GraphService, QuestionForecast
from augury.ids import new_id
from augury.jobs import queue
from augury.jobs.worker import Job
from augury.language import vocabulary
from augury.markets.freshness import AgeRule
from augury.matching import judge
from augury.search.service import SearchService
from augury.storage.database import Database
from augury.storage.failures import as_unavailable

if TYPE_CHECKING:
    from augury.forecast.full_schemas import FullForecast

log = structlog.get_logger(__name__)

MADE = Counter(
    "augury_forecasts",
    "Forecasts for the present (not for a past time), including those for causal graphs.",
    ["grade"],
)

SEARCH_DEPTH: Final = 150
"""For a question, at most this many hits, the best ones, are taken from the search by words, and as
many from the search by vectors."""
REPLAY_SEARCH_DEPTH: Final = 400
"""`SEARCH_DEPTH` for an answer as of an earlier moment. It is larger, because most of the markets
found were not open at that moment."""
MARKETS_COMPARED: Final = 80
"""At most this many markets are compared with one question. In a test with 780 questions, the
market asked about was among the first 60 for all but 2."""
REPLAY_MARKETS_COMPARED: Final = 160
"""`MARKETS_COMPARED` for an answer as of an earlier moment."""
FORECASTS_AT_ONCE: Final = 4
"""Largest number of forecasts worked on at the same time. It is half of the database connections
that a process has by default. Further forecasts wait before they take a connection or memory for
markets."""
MAKE: Final = "forecast.make"
RUNS_KEPT: Final = timedelta(days=30)
SCORED_AT_ONCE: Final = 5_000
SCORECARD_SIZE: Final = 100_000
SCORECARD_SECONDS: Final = 60.0

StageName = Literal["normalized", "search", "evidence", "estimate"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A finished step of a forecast (search, estimate ...), with its result as JSON data."""

    name: StageName
    data: dict[str, Any]


class ForecastService:
    """Answers questions from one catalogue of markets and its search index."""

    def __init__(
        self,
        database: Database,
        search: SearchService,
        graphs: GraphService | None = None,
        *,
        assistant: Assistant | None = None,
        age: AgeRule = AgeRule(),
        clock: Clock = now,
    ) -> None:
        """graphs : draws causal graphs; None: the graph of an answer shows only its evidence
        assistant : a language model that helps where the hand-written rules are unsure
        age : the rule that says which prices are too old
        """
        self._database = database
        self._graphs = graphs
        if graphs is not None:
            graphs.forecaster = self.question_forecast
        self._search = search
        self._clock = clock
        self.age = age
        self._assistant = assistant
        self._engine = Engine(search.embedder.embed, search.embedder.rarity, judge.default())
        self._answerer = Answerer(self._engine)
        self._under_way: dict[str, Flight[Forecast]] = {}
        self._working: dict[str, Flight[Forecast]] = {}
        self._drawing: dict[tuple[str, datetime], Flight[PublicCausalGraph | None]] = {}
        self._scorecard: tuple[float, dict[str, Any]] | None = None
        self._turns = asyncio.Semaphore(FORECASTS_AT_ONCE)

    async def forecast(
        self,
        question: str,
        *,
        as_of: datetime | None = None,
        labels: channels.ChannelLabels = channels.NONE,
    ) -> Forecast:
        """The answer to a question as of `as_of`, or as of now.

        Concurrent calls with the same question share one computation. Only answers as of now are
        remembered for the scorecard: a replay could be made with hindsight.
        """
        if as_of is not None:
            return await self.forecast_unstored(question, as_of)
        flight = self._under_way.get(question)
        if flight is None:
            flight = self._under_way[question] = Flight(
                asyncio.create_task(self._issue(question)),
                lambda: self._under_way.pop(question, None),
            )
        forecast = await flight.join()
        await self._count(labels)
        return forecast

    async def stages(
        self,
        question: str,
        *,
        as_of: datetime | None = None,
        leave_out: frozenset[str] = frozenset(),
    ) -> AsyncGenerator[Stage | Forecast]:
        """Make a forecast step by step: yields each `Stage` when it is finished, and last the
        `Forecast`. `leave_out`: ids of markets that are treated as if they did not exist."""
        at = as_of or self._clock()
        timings: dict[str, float] = {}
        began = time.perf_counter()

        def lap(name: str) -> None:
            nonlocal began
            ended = time.perf_counter()
            timings[name] = round(timings.get(name, 0.0) + (ended - began) * 1000, 3)
            began = ended

        self.refuse_future(as_of)
        if not described.is_loaded():  # asked while the service starts
            await asyncio.to_thread(described.default, self._search.embedder.embed)
        reading = normalize(question, at)
        help = self._assistant
        assistance = help.assist(at) if help and (as_of is None or help.replays) else None
        if assistance is not None:
            reading = await assistance.reading(reading)
        lap("normalize")
        yield Stage("normalized", reading.shown())
        replay = as_of is not None
        # Nothing is yielded while a turn is held: a slow reader of the stream blocks no one.
        async with self._turns:
            reading = await asyncio.to_thread(self._engine.with_guesses, reading, at)
            found = await self._first(question, reading, at, leave_out, replay=replay, lap=lap)
        estimate, seen = found.estimate, len(found.markets)
        yield Stage("search", {"search_query": reading.effective, "markets": seen})
        if found.compared is not None:
            if assistance is not None:
                estimate = await assistance.estimate(
                    self._engine, found.compared, estimate, found.verdicts
                )
                if found.until is not None and horizons.DEADLINE_MARKER not in estimate.fallbacks:
                    estimate = horizons.for_deadline(estimate, found.until, at.date())
            del found  # frees the markets: the next steps may wait for another turn
            if estimate.decisive is None and nulls.is_over(reading, at):
                # Markets about later times say nothing about a time that is over.
                estimate = nulls.over(reading, estimate)
            if estimate.probability is None and not leave_out:
                async with self._turns:
                    estimate = await self._explained(reading, estimate, at, replay=replay)
        lap("estimate")
        for one in estimate.evidence:
            yield Stage("evidence", one.shown())
        yield Stage("estimate", estimate.shown())
        if not replay and not leave_out:
            MADE.labels(estimate.grade).inc()
        yield Forecast(reading, estimate, at, seen, replay, timings)

    async def _first(
        self,
        question: str,
        reading: Reading,
        at: datetime,
        leave_out: frozenset[str],
        *,
        replay: bool,
        lap: Callable[[str], None],
    ) -> FirstAnswer:
        """The markets for a question, and the estimate before a language model is asked.

        A question that is a market's title is neither refused nor split. Nor is a question that a
        market surely asks as it stands (`trust.asks_whole`), unless it has a condition."""
        markets = await self._gather(reading, at, replay=replay)
        if leave_out:
            markets = [market for market in markets if market.id not in leave_out]
        lap("gather")
        if self._engine.asks_verbatim(reading, markets):
            return await self._answerer.answer(reading, markets, at, lap)
        if (estimate := nulls.depending(question)) is not None:
            return FirstAnswer(markets, estimate)
        parts = coordination.parts(reading) or coordination.first_of(reading, at)
        blocked = nulls.blocked(reading, is_split=parts is not None)
        if parts is None and blocked is None:
            return await self._answerer.answer(reading, markets, at, lap)
        whole = await self._answerer.answer_as_asked(reading, markets, at, lap)
        if trust.asks_whole(whole.estimate):
            return whole
        if blocked is not None:
            return FirstAnswer(markets, blocked)
        assert parts is not None
        found = FirstAnswer(*await self._of_parts(parts, at, replay=replay))
        lap("gather")
        return found

    def refuse_future(self, as_of: datetime | None) -> None:
        """Raise `InvalidInput` (422) if `as_of` is later than now."""
        now = self._clock()
        if as_of is not None and as_of > now:
            raise InvalidInput.at(
                "body", "as_of", type="as_of_in_future",
                msg=f"as_of is in the future: {isoformat(as_of)}. Give a time up to"
                f" now ({isoformat(now.replace(microsecond=0))}), or leave it out to ask as"
                " of now.",
            )  # fmt: skip

    async def _of_parts(
        self, parts: Parts, at: datetime, *, replay: bool
    ) -> tuple[list[Snapshot], Estimate]:
        """Answer each part of a question ("A or B") that can be asked alone. Returns their markets
        and the joint answer."""
        markets: dict[str, Snapshot] = {}
        answers: list[Estimate] = []
        exclusive = parts.rivals
        for question in parts.questions:
            reading = await asyncio.to_thread(
                self._engine.with_guesses, normalize(question, at), at
            )
            exclusive &= reading.proposition.exclusive
            found = await self._gather(reading, at, replay=replay)
            markets |= {market.id: market for market in found}
            answer = (await self._answerer.answer(reading, found, at)).estimate
            if answer.probability is None:
                answer = await self._explained(reading, answer, at, replay=replay)
            answers.append(answer)
        return list(markets.values()), joined(parts, answers, exclusive=exclusive)

    async def _explained(
        self, reading: Reading, estimate: Estimate, at: datetime, *, replay: bool
    ) -> Estimate:
        """Add to an estimate without a probability the reason why it has none: for example, that a
        market asked the question, but is closed, resolved or without a recent price.

        at : the moment that the answer describes
        replay : whether that time is in the past, so that markets are taken as they were known then
        """
        if estimate.null is not None and estimate.null.kind not in nulls.REPLACEABLE:
            return estimate
        if not nulls.is_understood(reading):
            return nulls.with_reason(estimate, "not_understood", nulls.not_understood())
        hits = await self._search.gather(
            judging.search_text(reading, vocabulary.default(), at.date()), depth=SEARCH_DEPTH
        )
        async with self._database.reading() as conn:
            known = await store.known_markets(
                conn, [hit.key for hit in hits[:MARKETS_COMPARED]], at, replay=replay
            )
        out = {
            seq: one for seq, one in known.items()
            if one.status != "active" or self.age.is_old(one.priced_at, at)
            or (one.market.closes_at is not None and one.market.closes_at <= at)
        }  # fmt: skip
        old = [one.market for one in out.values()]
        asked = (await self._answerer.answer(reading, old, at, past=True)).estimate
        if asked.decisive is None:
            return nulls.with_reason(estimate, "no_market", estimate.reasoning)
        found = out[asked.decisive.market.seq]
        return nulls.explained(estimate, nulls.reason_not_answered(asked, found, at))

    async def without(self, question: str, as_of: datetime, leave_out: frozenset[str]) -> Forecast:
        """The answer as of `as_of`, as if the markets with the ids `leave_out` did not exist."""
        return await self._last(self.stages(question, as_of=as_of, leave_out=leave_out))

    async def question_forecast(self, question: str) -> QuestionForecast:
        """The forecast for the node in the middle of a question's causal graph: the probability in
        the public answer (None if that has none), and the time of its newest price."""
        forecast = await self.forecast_unstored(question, None)
        return QuestionForecast(grade.public(forecast.estimate).probability, forecast.data_as_of)

    async def draw(self, forecast: Forecast) -> PublicCausalGraph | None:
        """The causal graph of a forecast; None if the forecast has no evidence. The graph of a
        forecast as of a past time shows the evidence, but no causes or consequences. Concurrent
        calls for the same forecast share one drawing."""
        key = (forecast.reading.question, forecast.as_of)
        flight = self._drawing.get(key)
        if flight is None:
            flight = self._drawing[key] = Flight(
                asyncio.create_task(graph_of(self._graphs, forecast)),
                lambda: self._drawing.pop(key, None),
            )
        return await flight.join()

    async def issue(
        self, forecast: Forecast, labels: channels.ChannelLabels = channels.NONE
    ) -> None:
        """Store a forecast that was made with `stages`, so that the scorecard can score it later,
        and count it by its channel if the request names one. A replay (a forecast as of an earlier
        time) is not stored.

        labels : describe the channel by which the question came, from the request's headers
        """
        if not forecast.replay:
            await self._remember(forecast)
        await self._count(labels)

    async def _issue(self, question: str) -> Forecast:
        forecast = await self._worked_out(question)
        await self._remember(forecast)
        return forecast

    async def _worked_out(self, question: str) -> Forecast:
        """The answer as of now. Concurrent calls with the same question share one computation."""
        flight = self._working.get(question)
        if flight is None:
            flight = self._working[question] = Flight(
                asyncio.create_task(self.forecast_unstored(question, None)),
                lambda: self._working.pop(question, None),
            )
        return await flight.join()

    async def forecast_unstored(self, question: str, as_of: datetime | None) -> Forecast:
        """Forecast a question as of `as_of` (None: now), through all stages. The work is not shared
        with other callers, and the forecast is not stored for the scorecard."""
        try:
            return await self._last(self.stages(question, as_of=as_of))
        except Exception as error:
            raise failure(error) from error

    async def _last(self, all_stages: AsyncGenerator[Stage | Forecast]) -> Forecast:
        async with aclosing(all_stages) as stages:
            async for stage in stages:
                if isinstance(stage, Forecast):
                    return stage
        raise AssertionError("the last stage of a forecast should be the forecast itself")

    async def _gather(self, reading: Reading, at: datetime, *, replay: bool) -> list[Snapshot]:
        """Markets found for a question, open and with a fresh price at `at`; best match first."""
        hits = await self._search.gather(
            judging.search_text(reading, vocabulary.default(), at.date()),
            depth=REPLAY_SEARCH_DEPTH if replay else SEARCH_DEPTH,
            statuses=None if replay else ("active",),
            open_at=at.timestamp(),
        )
        most = REPLAY_MARKETS_COMPARED if replay else MARKETS_COMPARED
        found: list[Snapshot] = []
        async with self._database.reading() as conn:
            # Each market lies elsewhere on disk, so hits are read in parts until enough are found.
            for start in range(0, len(hits), most):
                part = [hit.key for hit in hits[start : start + most]]
                read = await store.snapshots(
                    conn, part, at, oldest=self.age.oldest(at), replay=replay
                )
                found += [read[key] for key in part if key in read]
                if len(found) >= most:
                    break
        return found[:most]

    async def _remember(self, forecast: Forecast) -> None:
        async with self._database.reading() as conn:
            await store.remember(conn, issued(forecast))

    async def _count(self, labels: channels.ChannelLabels) -> None:
        if any(labels):
            async with self._database.reading() as conn:
                await store.count_channel(conn, labels)

    async def make(
        self, question: str, *, as_of: datetime | None, include_graph: bool, account_id: str | None
    ) -> FullForecast:
        """Make a forecast in full (with all its evidence), keep it for the account, return it."""
        if as_of is None:
            forecast = await self._worked_out(question)
        else:
            forecast = await self.forecast_unstored(question, as_of)
        graph = await self.draw(forecast) if include_graph else None
        answer = self.full(forecast, new_id("fc"), graph)
        async with self._database.transaction() as conn:
            # One transaction: a forecast is kept for the scorecard only if the account has it.
            if not forecast.replay:
                await store.remember(conn, issued(forecast))
            await queue.add_finished(
                conn, MAKE, _asked(question, as_of, include_graph), answer.model_dump(mode="json"),
                job_id=answer.id, account_id=account_id,
            )  # fmt: skip
        return answer

    async def start(
        self, question: str, *, as_of: datetime | None, include_graph: bool, account_id: str | None
    ) -> queue.JobRecord:
        """Queue a full forecast, i.e. one with all its evidence. Returns the job that will make
        it."""
        request = _asked(question, as_of, include_graph)
        async with self._database.transaction() as conn:
            made = await queue.enqueue(conn, MAKE, request, account_id=account_id, prefix="fc")
            record = await queue.fetch(conn, made)
        assert record is not None
        return record

    async def perform(self, job: Job) -> dict[str, Any]:
        """Make a forecast that `start` queued, and return it as JSON data."""
        stated = job.request["as_of"]
        as_of = datetime.fromisoformat(stated) if stated else None
        forecast = await self.forecast(job.request["question"], as_of=as_of)
        graph = await self.draw(forecast) if job.request["include_graph"] else None
        return self.full(forecast, job.id, graph).model_dump(mode="json")

    async def fetch(self, forecast_id: str) -> queue.JobRecord | None:
        """The job that makes or made the forecast with this id, of any account; None if unknown."""
        async with self._database.reading() as conn:
            return await queue.fetch(conn, forecast_id)

    def full(
        self, forecast: Forecast, forecast_id: str, graph: PublicCausalGraph | None
    ) -> FullForecast:
        """The forecast in the shape in which `/v1/forecasts` returns it."""
        from augury.forecast import full_schemas

        return full_schemas.full(forecast, forecast_id, self._clock(), graph=graph, age=self.age)

    async def score(self) -> None:
        """Store the outcomes of forecasts whose markets have been resolved, and delete old runs."""
        async with self._database.transaction() as conn:
            if changed := await store.score_resolved(conn, SCORED_AT_ONCE):
                log.info("forecasts_scored", forecasts=changed)
                self._scorecard = None
            await store.forget_runs(conn, self._clock() - RUNS_KEPT)

    async def scorecard(self) -> dict[str, Any]:
        """How good past forecasts were, compared with market prices; at most one minute old."""
        if self._scorecard is None or time.monotonic() - self._scorecard[0] > SCORECARD_SECONDS:
            self._scorecard = time.monotonic(), await scorecard(self._database)
        return self._scorecard[1]

    async def decided(
        self, *, limit: int, after: tuple[datetime, str] | None = None
    ) -> list[store.DecidedRow]:
        """At most `limit` forecasts whose questions have been decided, the latest resolution first.
        The scorecard counts the latest of them (`SCORECARD_SIZE`).

        after : (time of the resolution, id) of the last forecast on the previous page; None: the
            first page
        """
        async with self._database.reading() as conn:
            return await store.decided(conn, limit=limit, after=after)


async def scorecard(database: Database) -> dict[str, Any]:
    """How good past forecasts were, compared with market prices; computed from the database now."""
    async with database.reading() as conn:
        rows = await store.scored(conn, SCORECARD_SIZE)
        issued, answered = await store.counts(conn)
    return scoring.scorecard(rows, issued=issued, answered=answered)


def _asked(question: str, as_of: datetime | None, include_graph: bool) -> dict[str, Any]:
    return {
        "question": question,
        "as_of": as_of and as_of.isoformat(),
        "include_graph": include_graph,
    }


def failure(error: Exception) -> Exception:
    """The error to report to the caller of a failed forecast. The service's own errors and timeouts
    are returned unchanged; an unavailable database becomes 503, any other error 502."""
    if isinstance(error, AuguryError | TimeoutError):
        return error
    if isinstance(error, psycopg.Error | OSError) and (away := as_unavailable(error)) is not None:
        return away
    log.exception("forecast_failed")
    return UpstreamFailed(
        "The forecast failed because of an error in the service. Try again; the log has the cause.",
        code="forecast_failed",
    )

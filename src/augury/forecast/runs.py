"""Runs: up to 1,000 questions of an account, answered in the background, two questions at a
time."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from augury.clock import Clock, isoformat, now
from augury.errors import NotFound, UpstreamFailed
from augury.forecast import schemas, store
from augury.forecast.remembering import issued
from augury.forecast.service import ForecastService
from augury.ids import new_id
from augury.jobs import queue
from augury.jobs.worker import Job
from augury.storage.database import Database

if TYPE_CHECKING:
    from augury.forecast.made import Forecast

RUN: Final = "forecast.run"
QUESTIONS_AT_ONCE: Final = 2
"""Number of questions of a run that are answered at the same time. Two, so that the markets of one
question are gathered while the judge (the trained model) reads those of another."""


class RunService:
    """Queues runs and answers their questions. A run is a list of up to 1,000 questions of one
    account."""

    def __init__(
        self, database: Database, forecasts: ForecastService, *, clock: Clock = now
    ) -> None:
        self._database = database
        self._forecasts = forecasts
        self._clock = clock

    async def start(
        self,
        questions: list[dict[str, Any]],
        *,
        include_graph: bool,
        account_id: str | None,
        full: bool = False,
    ) -> str:
        """Queue many questions ({question, as_of}) as one run, to be answered in the background,
        and return the run's id.

        full : give each answer the shape of `FullForecast` instead of that of the public answer
        """
        run_id = new_id("run")
        async with self._database.transaction() as conn:
            request = {"run_id": run_id, "full": full}
            job_id = await queue.enqueue(conn, RUN, request, account_id=account_id)
            await store.add_run(conn, run_id, account_id, job_id, questions, include_graph)
        return run_id

    async def fetch(self, run_id: str, account_id: str | None) -> store.Run:
        """The run (a list of questions answered in the background) with this id, if it belongs to
        this account. Raises `NotFound` for unknown ids and for ids of other accounts alike."""
        async with self._database.reading() as conn:
            run = await store.fetch_run(conn, run_id) if run_id.isascii() else None
        if run is None or run.account_id != account_id:
            raise NotFound("No run of yours has this id.")
        return run

    async def answers(self, run_id: str, after: int, limit: int) -> list[tuple[int, Any]]:
        """Stored answers of a run (a list of questions), as (position of the question, answer): the
        first `limit` of those whose position is greater than `after`."""
        async with self._database.reading() as conn:
            return await store.answers(conn, run_id, after, limit)

    async def perform(self, job: Job) -> dict[str, Any]:
        """Answer the questions of a run (a list of questions) that have no answer yet; an
        interrupted run continues where it stopped. Returns the number of questions with an answer,
        as {"answered": n}."""
        run_id = str(job.request["run_id"])
        async with self._database.reading() as conn:
            run = await store.fetch_run(conn, run_id)
            done = await store.answered_places(conn, run_id)
        if run is None:
            return {"answered": 0}
        places = iter([(n, one) for n, one in enumerate(run.questions) if n not in done])
        reported_at = time.monotonic()

        async def work() -> None:
            nonlocal reported_at
            for place, asked in places:
                forecast, answer = await self._answer(run, asked)
                async with self._database.transaction() as conn:
                    # One transaction: the scorecard gets a forecast only if it is stored as answer.
                    kept = await store.add_answer(conn, run_id, place, answer)
                    if kept and forecast is not None and not forecast.replay:
                        await store.remember(conn, issued(forecast))
                done.add(place)
                if time.monotonic() - reported_at > 1:
                    reported_at = time.monotonic()
                    counts = {"answered": len(done), "of": len(run.questions)}
                    await job.progress("answering", counts)

        workers = [asyncio.create_task(work()) for _ in range(QUESTIONS_AT_ONCE)]
        try:
            await asyncio.gather(*workers)
        finally:
            for one in workers:
                one.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return {"answered": len(done)}

    async def _answer(
        self, run: store.Run, asked: dict[str, Any]
    ) -> tuple[Forecast | None, dict[str, Any]]:
        """Forecast one question of a run. Returns the forecast and the answer to store, as JSON
        data; if the forecast fails, None and an answer that gives the error."""
        started = time.perf_counter()
        stated = asked.get("as_of")
        as_of = datetime.fromisoformat(stated) if stated else None
        try:
            forecast = await self._forecasts.forecast_unstored(asked["question"], as_of)
            graph = await self._forecasts.draw(forecast) if run.include_graph else None
            if run.full:
                return forecast, self._forecasts.full(forecast, new_id("fc"), graph).model_dump(
                    mode="json"
                )
            made = schemas.response(
                forecast, asked["question"], new_id("req"), graph=graph,
                seconds=time.perf_counter() - started,
            )  # fmt: skip
            return forecast, made.model_dump(mode="json")
        except UpstreamFailed as error:
            answer = {"question": asked["question"], "error": str(error)}
            if run.full:
                answer |= {
                    "id": new_id("fc"), "status": "failed", "as_of": stated,
                    "created_at": isoformat(self._clock()), "error_code": error.error_code,
                }  # fmt: skip
            return None, answer

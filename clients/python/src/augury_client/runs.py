"""Runs: many questions, answered in the background."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio

from augury_client import frames
from augury_client import models as m
from augury_client.async_api import AsyncForecasts
from augury_client.errors import TimedOut, WorkFailed
from augury_client.sync_api import Forecasts
from augury_client.transport import Progress

_ENDS = ("succeeded", "failed", "canceled")
_POLLS = (0.1, 0.2, 0.5, 1.0)


class Bar:
    """Progress for people: tqdm's bar where it is installed, else a line on standard error."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
        except ModuleNotFoundError:
            self._bar: Any = None
        else:
            self._bar = tqdm(unit=" questions")

    def __call__(self, done: int, of: int) -> None:
        if self._bar is None:
            end = "\n" if done >= of else ""
            print(f"\r{done} of {of} questions answered", end=end, file=sys.stderr, flush=True)
            return
        self._bar.total = of
        self._bar.update(done - self._bar.n)
        if done >= of:
            self._bar.close()


def _told(progress: bool | Progress) -> Progress:
    if progress is True:
        return Bar()
    if progress is False:
        return lambda done, of: None
    return progress


def _ended(run: m.ForecastRun) -> bool:
    if run.status in ("failed", "canceled"):
        raise WorkFailed(f"The run {run.id} {run.status}: {run.error or 'no reason given'}.")
    return run.status in _ENDS


class _Started:
    """A run that the service has accepted."""

    def __init__(self, started: m.RunStarted) -> None:
        self.id = started.run_id

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"


class Run(_Started):
    """A run that the service has accepted; its id can be stored and used later."""

    def __init__(self, forecasts: Forecasts, started: m.RunStarted) -> None:
        super().__init__(started)
        self._forecasts = forecasts

    def state(self) -> m.ForecastRun:
        """The progress of the run, and its first answers."""
        return self._forecasts.run(self.id)

    def wait(self, *, progress: bool | Progress = False, timeout: float | None = None) -> Run:
        """Wait until all questions are answered. `progress`: True for a bar, or a function that is
        called with (done, of)."""
        tell, until = _told(progress), timeout and time.monotonic() + timeout
        for turn in range(sys.maxsize):
            state = self._forecasts.run(self.id, limit=1)
            tell(state.answered, state.questions)
            if _ended(state):
                return self
            if until and time.monotonic() > until:
                raise TimedOut(f"The run {self.id} is not done in {timeout:g} s.", "Wait longer.")
            time.sleep(_POLLS[min(turn, len(_POLLS) - 1)])
        return self

    def __iter__(self) -> Iterator[m.RunAnswer]:
        """The answers so far, in the order of the questions."""
        cursor = None
        while True:
            page = self._forecasts.run(self.id, limit=200, cursor=cursor)
            yield from page.results
            if (cursor := page.next_cursor) is None:
                return

    def to_polars(self) -> Any:
        """The answers as a polars DataFrame."""
        return frames.polars()(frames.columns(list(self)))

    def to_pandas(self) -> Any:
        """The answers as a pandas DataFrame."""
        return frames.pandas()(frames.columns(list(self)))

    def to_arrow(self) -> Any:
        """The answers as an Arrow table."""
        return frames.arrow()(frames.columns(list(self)))


class AsyncRun(_Started):
    """A run that the service has accepted; its id can be stored and used later."""

    def __init__(self, forecasts: AsyncForecasts, started: m.RunStarted) -> None:
        super().__init__(started)
        self._forecasts = forecasts

    async def state(self) -> m.ForecastRun:
        """The progress of the run, and its first answers."""
        return await self._forecasts.run(self.id)

    async def wait(
        self, *, progress: bool | Progress = False, timeout: float | None = None
    ) -> AsyncRun:
        """Wait until all questions are answered. `progress`: True for a bar, or a function that is
        called with (done, of)."""
        tell, until = _told(progress), timeout and time.monotonic() + timeout
        for turn in range(sys.maxsize):
            state = await self._forecasts.run(self.id, limit=1)
            tell(state.answered, state.questions)
            if _ended(state):
                return self
            if until and time.monotonic() > until:
                raise TimedOut(f"The run {self.id} is not done in {timeout:g} s.", "Wait longer.")
            await anyio.sleep(_POLLS[min(turn, len(_POLLS) - 1)])
        return self

    async def __aiter__(self) -> AsyncIterator[m.RunAnswer]:
        """The answers so far, in the order of the questions."""
        cursor = None
        while True:
            page = await self._forecasts.run(self.id, limit=200, cursor=cursor)
            for answer in page.results:
                yield answer
            if (cursor := page.next_cursor) is None:
                return

    async def to_polars(self) -> Any:
        """The answers as a polars DataFrame."""
        return frames.polars()(frames.columns([one async for one in self]))

    async def to_pandas(self) -> Any:
        """The answers as a pandas DataFrame."""
        return frames.pandas()(frames.columns([one async for one in self]))

    async def to_arrow(self) -> Any:
        """The answers as an Arrow table."""
        return frames.arrow()(frames.columns([one async for one in self]))

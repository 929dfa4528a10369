"""Asks a language model about many items, one after the other, and counts what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Literal, TypeVar

import msgspec

from augury.llm.service import LanguageModel, NoAnswer
from augury.llm.task import Data, Task, Unusable

MAX_PAUSE_SECONDS: Final = 60.0
"""If the language model's endpoint asks for a pause, a run waits at most this many seconds before
its next request."""
MAX_FAILURES: Final = 5
"""Number of failed requests in a row after which a run (asking about many items) ends."""

Ended = Literal["all asked", "limit", "cap", "not qualified", "failing"]
Progress = Callable[[int, int], None]
"""Called with the number of items done and the number of items in all."""
Item = TypeVar("Item")
T = TypeVar("T", bound=msgspec.Struct)


class AskReport(msgspec.Struct, kw_only=True):
    """The result of a run in which a language model was asked about many items."""

    model: str
    ended: Ended = "all asked"
    """Why the run ended. "limit": as many items were asked about as the caller allows. "cap": the
    day's budget is used up. "not qualified": the model did not get enough control questions (with
    known answers) right, or could not be tested on them. "failing": `MAX_FAILURES` requests in a
    row failed."""
    unusable: int = 0
    """Number of the model's answers that could not be used."""
    failed: int = 0
    """Number of requests that got no answer."""
    why: str | None = None
    """Why the last failed request failed (the run may have gone on after it), or why the model is
    not qualified to be asked. None if neither happened."""
    tokens_today: int = 0


async def is_qualified(model: LanguageModel, task: Task[Any], report: AskReport) -> bool:
    """Whether the model may be asked; if not, the report says why."""
    if await model.qualified(task):
        return True
    report.ended = "not qualified"
    report.why = (
        "The model could not be tested on the control questions (with known answers), or did not "
        "get enough of them right."
    )
    return False


async def ask_each(
    model: LanguageModel,
    task: Task[T],
    items: Sequence[Item],
    report: AskReport,
    *,
    data: Callable[[Item], Data],
    keep: Callable[[Item, T], Awaitable[None]],
    limit: int,
    progress: Progress | None = None,
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
) -> None:
    """Ask the model about the first `limit` items. Ends early if the day's budget is used up, or
    after `MAX_FAILURES` failures in a row. `report` is updated with the failures and with the
    reason for the end.

    Parameters
    ----------
    data
        Returns what the model is told about an item.
    keep
        Stores the answer to an item; raises `Unusable` if the answer can't be used.
    """
    asked = items[:limit]
    failures = 0
    for nth, item in enumerate(asked):
        if progress is not None:
            progress(nth, len(asked))
        try:
            await _ask(model, task, item, report, data, keep)
            failures = 0
        except NoAnswer as error:
            report.failed += 1
            failures += 1
            report.why = str(error)
            if error.outcome == "cap" or failures == MAX_FAILURES:
                report.ended = "cap" if error.outcome == "cap" else "failing"
                return
            if error.retry_in is not None:
                await sleep(min(MAX_PAUSE_SECONDS, error.retry_in))
    if progress is not None:
        progress(len(asked), len(asked))
    if len(items) > limit:
        report.ended = "limit"


async def _ask(
    model: LanguageModel,
    task: Task[T],
    item: Item,
    report: AskReport,
    data: Callable[[Item], Data],
    keep: Callable[[Item, T], Awaitable[None]],
) -> None:
    try:
        await keep(item, await model.ask(task, data(item)))
    except Unusable:
        report.unusable += 1
    except NoAnswer as error:
        if error.outcome != "unusable":
            raise
        report.unusable += 1

"""Limits of time that hold on a machine that is slow or busy, and waiting within them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from time import monotonic, sleep, thread_time
from typing import Any, TypeVar

PATIENCE = 90.0
"""Longest wait, in seconds, for what takes a quiet machine less than a few. Even with three workers
on two cores, some of them halted, only a fault takes longer."""
SLACK = 15.0
"""Seconds that something may end later than it is given, where the fault would last much longer."""
T = TypeVar("T")
_REFERENCE = 0.0075
"""Processor seconds of `_work` on the machine that the limits in tests were set on, when quiet."""
_TEXT = json.dumps([{"id": n, "title": f"number {n}", "price": n / 7} for n in range(3_000)])


async def until(
    condition: Callable[[], Awaitable[T] | T],
    what: str,
    seconds: float = PATIENCE,
    every: float = 0.05,
) -> T:
    """Ask `condition`, which may be asynchronous, until its answer is truthy; return that answer.

    what : what is waited for; the failure names it
    seconds : longest wait; then an AssertionError is raised
    every : pause before the next time that `condition` is asked, in seconds
    """
    deadline, last = monotonic() + seconds, None
    try:
        async with asyncio.timeout(seconds):
            while True:
                asked: Any = condition()
                last = await asked if isawaitable(asked) else asked
                if last:
                    return last
                if monotonic() >= deadline:  # the condition may swallow a cancellation
                    raise TimeoutError
                await asyncio.sleep(every)
    except TimeoutError:
        assert monotonic() < deadline, f"not within {seconds:g} s: {what}; last answer {last!r}"
        raise


def wait_until(
    condition: Callable[[], T], what: str, seconds: float = PATIENCE, every: float = 0.05
) -> T:
    """The same as `until`, for tests that are not asynchronous."""
    deadline = monotonic() + seconds
    while not (last := condition()):
        assert monotonic() < deadline, f"not within {seconds:g} s: {what}; last answer {last!r}"
        sleep(every)
    return last


def slower() -> float:
    """How many times slower this processor is now than the one the limits were set on; >= 1.

    The slowest of three runs, each of some milliseconds: what is compared with it takes longer
    and meets more of what else the machine does.
    """
    return max(1.0, max(_work() for _ in range(3)) / _REFERENCE)


def _work() -> float:
    """Processor seconds of a fixed piece of work: JSON, dicts, strings and sorting."""
    began = thread_time()
    rows = json.loads(_TEXT)
    rows.sort(key=lambda row: (row["title"][::-1], row["price"]))
    json.dumps(rows)
    return thread_time() - began

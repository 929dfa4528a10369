"""A task that several callers wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Flight(Generic[T]):
    """An asyncio task that several callers wait for. It is canceled once no caller waits any
    more."""

    def __init__(self, task: asyncio.Task[T], done: Callable[[], Any]) -> None:
        """task : the task to wait for
        done : called when the task has ended: with a result, with an error or by cancellation
        """
        self._task = task
        self._waiting = 0
        task.add_done_callback(lambda _: done())

    async def join(self) -> T:
        """Wait for the task and return its result. If this caller is canceled and no other waits,
        the task is canceled, too."""
        self._waiting += 1
        try:
            return await asyncio.shield(self._task)
        finally:
            self._waiting -= 1
            if not self._waiting and not self._task.done():
                self._task.cancel()

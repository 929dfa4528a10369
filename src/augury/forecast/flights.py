"""One piece of work that many wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Flight(Generic[T]):
    """One piece of work that many wait for; it ends early once nobody does."""

    def __init__(self, task: asyncio.Task[T], done: Callable[[], Any]) -> None:
        """`done` is called when the work has ended, however it ended."""
        self._task = task
        self._waiting = 0
        task.add_done_callback(lambda _: done())

    async def join(self) -> T:
        """Wait with the others for what the work gives."""
        self._waiting += 1
        try:
            return await asyncio.shield(self._task)
        finally:
            self._waiting -= 1
            if not self._waiting and not self._task.done():
                self._task.cancel()

"""Single flight: of equal calls at the same time only one is made, and all callers get its
result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class GivenUp(Exception):
    """Raised to callers that wait for a shared call, if `Flights.close` has canceled the call."""


class Flights(Generic[T]):
    """The calls that are running now, each under a key. Another call under the same key joins the
    running one and gets its result."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[T]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._tasks

    async def join(self, key: Hashable, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of the running call under `key`; `start` begins one if there is none.

        The call goes on when a caller stops waiting, since others may wait for it.

        Raises
        ------
        GivenUp
            `close` has canceled the call.
        """
        flight = self._tasks.get(key)
        if flight is None:
            flight = self._tasks[key] = asyncio.create_task(start())
            flight.add_done_callback(lambda done: self._landed(key, done))
        try:
            return await asyncio.shield(flight)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if flight.cancelled() and not (task is not None and task.cancelling()):
                raise GivenUp from None
            raise

    def _landed(self, key: Hashable, flight: asyncio.Task[T]) -> None:
        self._tasks.pop(key, None)
        if not flight.cancelled():
            flight.exception()  # retrieved, even if every caller has stopped waiting

    async def close(self) -> None:
        """Cancel all running calls."""
        flights = list(self._tasks.values())
        for flight in flights:
            flight.cancel()
        await asyncio.gather(*flights, return_exceptions=True)

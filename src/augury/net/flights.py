"""Single flight: equal calls at the same time are one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class GivenUp(Exception):
    """The call was ended with the client, not by whoever waits for it."""


class Flights(Generic[T]):
    """The calls under way, by what makes them equal."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[T]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._tasks

    async def join(self, key: Hashable, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What the call under `key` gives; it is started where none is under way.

        A call outlives a caller that gives up: others may wait for it.

        Raises
        ------
        GivenUp
            The calls were closed meanwhile.
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
            flight.exception()  # seen, even when every caller has given up

    async def close(self) -> None:
        """End all calls under way."""
        flights = list(self._tasks.values())
        for flight in flights:
            flight.cancel()
        await asyncio.gather(*flights, return_exceptions=True)

"""Follows the catalogue's changes: what is made of markets, one process at a time.

Changes are taken in batches, each in one transaction together with the number of its last
change, so that a crash repeats nothing and loses nothing.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Final

from augury.clock import pause
from augury.storage.database import Database
from augury.storage.locks import LockKey

BATCH: Final = 2_000
"""Changes read and written at a time."""
LOOK_EVERY: Final = 1.0
"""Seconds between looks for changes while there are none."""
LEAD_EVERY: Final = 10.0
"""Seconds between tries to become the one process that does it."""

Progress = Callable[[int], None]


class Follower(ABC):
    """Keeps something up to the catalogue."""

    LOCK: ClassVar[LockKey]
    """Of the lock that the one process holds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @abstractmethod
    async def _begin(self) -> None:
        """Make ready; begin anew what another version built, or what another catalogue left."""

    @abstractmethod
    async def _step(self) -> int:
        """Follow the next at most `BATCH` changes; how many there were."""

    async def catch_up(self, progress: Progress | None = None) -> int | None:
        """Follow all changes there are; how many, or None if another process is already doing
        this."""
        async with self._database.leading(self.LOCK) as leads:
            if not leads:
                return None
            await self._begin()
            done = 0
            while count := await self._step():
                done += count
                if progress:
                    progress(count)
            return done

    async def follow(self, stop: asyncio.Event) -> None:
        """Follow changes as they come, until `stop`."""
        while not stop.is_set():
            async with self._database.leading(self.LOCK) as leads:
                if leads:
                    await self._begin()
                    while not stop.is_set():
                        if await self._step() < BATCH:
                            await pause(stop, LOOK_EVERY)
            await pause(stop, LEAD_EVERY)

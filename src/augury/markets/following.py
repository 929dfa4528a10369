"""Base class for code that follows the changes of markets, so that data derived from markets (e.g.
links between the same contracts on two venues) stay up to date.

One process at a time follows the changes, in batches. Each batch is one transaction, which also
stores the sequence number of the batch's last change. So after a crash no change is lost or
processed twice.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Final

from augury.clock import pause
from augury.storage.database import Database
from augury.storage.locks import LockKey

BATCH_CHANGES: Final = 2_000
"""Largest number of changes of markets that are processed in one transaction."""
LOOK_EVERY: Final = 1.0
"""Seconds between two checks for changes of markets. After a check that found a full batch
(`BATCH_CHANGES`), the next one follows at once."""
LEAD_EVERY: Final = 10.0
"""Only one process at a time follows the changes of markets. Any other process tries to take over
once in this many seconds."""

Progress = Callable[[int], None]


class Follower(ABC):
    """Base class for code that follows the changes of markets, and so keeps what is derived from
    markets (e.g. links between the same contracts on two venues) up to date. One process at a
    time follows the changes."""

    LOCK: ClassVar[LockKey]
    """Key of the lock that a process holds while it follows the changes of markets."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @abstractmethod
    async def _begin(self) -> None:
        """Prepare to follow changes.

        Derived data from another version of the code or from another catalogue is cleared, to be
        built again from the first change.
        """

    @abstractmethod
    async def _step(self) -> int:
        """Process the next changes, at most `BATCH_CHANGES`. Returns their number."""

    async def catch_up(self, progress: Progress | None = None) -> int | None:
        """Process all pending changes of markets. Returns their number, or None if another process
        already follows the changes."""
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
        """Process changes of markets as they arrive, until `stop` is set."""
        while not stop.is_set():
            async with self._database.leading(self.LOCK) as leads:
                if leads:
                    await self._begin()
                    while not stop.is_set():
                        if await self._step() < BATCH_CHANGES:
                            await pause(stop, LOOK_EVERY)
            await pause(stop, LEAD_EVERY)

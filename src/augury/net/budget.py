"""How many bytes strangers' servers may send on behalf of one caller. In memory, per process."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta


class Budget:
    """So many bytes within a span; what is spent comes back at a steady rate (a leaking bucket)."""

    def __init__(
        self, most: int, span: timedelta, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._rate = most / span.total_seconds()
        self._monotonic = monotonic
        self._spent: dict[str, tuple[float, float]] = {}

    def left(self, who: str) -> int:
        """Bytes that `who` may still receive."""
        spent = self._now(who)
        if not spent:
            self._spent.pop(who, None)
        return max(0, int(self._most - spent))

    def spend(self, who: str, size: int) -> None:
        """Count bytes that came, the last ones beyond the budget too."""
        self._spent[who] = self._monotonic(), self._now(who) + size

    def _now(self, who: str) -> float:
        at, spent = self._spent.get(who, (0.0, 0.0))
        return max(0.0, spent - (self._monotonic() - at) * self._rate)

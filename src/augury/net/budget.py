"""How much may pass for one caller, to one host or to one address: bytes, messages, connections.

In memory, per process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

_MANY = 10_000
"""Spenders from which on it is looked for those to be forgotten."""


class Budget:
    """So much within a span; what is spent comes back at a steady rate (a leaking bucket)."""

    def __init__(
        self, most: int, span: timedelta, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.most = most
        self._rate = most / span.total_seconds()
        self._monotonic = monotonic
        self._spent: dict[str, tuple[float, float]] = {}

    def left(self, who: str) -> int:
        """What `who` may still spend."""
        return max(0, int(self.most - self._now(who)))

    def spenders(self) -> list[str]:
        """Those who have less left than all. Others are forgotten."""
        for who in [who for who in self._spent if not self._now(who)]:
            del self._spent[who]
        return list(self._spent)

    def spend(self, who: str, size: int) -> None:
        """Count what passed, the last of it beyond the budget too."""
        if len(self._spent) >= _MANY and who not in self._spent:
            self.spenders()
        self._spent[who] = self._monotonic(), self._now(who) + size

    def _now(self, who: str) -> float:
        at, spent = self._spent.get(who, (0.0, 0.0))
        return max(0.0, spent - (self._monotonic() - at) * self._rate)

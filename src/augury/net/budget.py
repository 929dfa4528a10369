"""Budgets of bytes, messages or connections, for one caller, one host or one address.

Kept in memory, per process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

_MANY = 10_000
"""If this many spenders (callers, hosts or addresses) are in memory and a new one comes, those that
have their whole budget left are removed from memory first."""


class Budget:
    """A budget of `most` units (e.g. bytes) per time `span` for each spender (a caller, host or
    address). What is spent becomes available again at a steady rate (leaky bucket)."""

    def __init__(
        self, most: int, span: timedelta, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.most = most
        self._rate = most / span.total_seconds()
        self._monotonic = monotonic
        self._spent: dict[str, tuple[float, float]] = {}

    def left(self, who: str) -> int:
        """How much of its budget the spender `who` (a caller, host or address) has left, in the
        budget's unit, e.g. bytes."""
        return max(0, int(self.most - self._now(who)))

    def spenders(self) -> list[str]:
        """The names of all spenders (callers, hosts or addresses) that have less than their whole
        budget left. Forgets the others, to free memory."""
        for who in [who for who in self._spent if not self._now(who)]:
            del self._spent[who]
        return list(self._spent)

    def spend(self, who: str, size: int) -> None:
        """Count `size` units of the budget (e.g. bytes) as spent by `who`, even if this exceeds the
        budget; callers check `left` themselves."""
        if len(self._spent) >= _MANY and who not in self._spent:
            self.spenders()
        self._spent[who] = self._monotonic(), self._now(who) + size

    def _now(self, who: str) -> float:
        at, spent = self._spent.get(who, (0.0, 0.0))
        return max(0.0, spent - (self._monotonic() - at) * self._rate)

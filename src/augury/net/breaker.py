"""A circuit breaker: stops requests for a while to a source that keeps failing."""

from __future__ import annotations

import time
from collections.abc import Callable

FAILURES_TO_OPEN = 5
PROBE_AFTER = 30.0
"""Seconds that an open circuit breaker waits before it lets one request through."""


class Breaker:
    """A circuit breaker: it opens, i.e. holds requests back, after `FAILURES_TO_OPEN` failures in a
    row. `PROBE_AFTER` seconds later it lets one request through as a probe: success closes it,
    failure starts the wait again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._opened_at: float | None = None
        self._probing = False

    @property
    def is_open(self) -> bool:
        """Whether requests are held back (also while a probe is running)."""
        return self._opened_at is not None

    def admits(self) -> bool:
        """Whether a request may be sent now. An open breaker admits one request every
        `PROBE_AFTER` seconds, as a probe."""
        if self._opened_at is None:
            return True
        if self._probing or self._clock() - self._opened_at < PROBE_AFTER:
            return False
        self._probing = True
        return True

    def retry_in(self) -> float:
        """Seconds until an open breaker admits its next probe; 0 if the breaker is closed."""
        if self._opened_at is None:
            return 0.0
        return max(0.0, PROBE_AFTER - (self._clock() - self._opened_at))

    def record(self, healthy: bool | None) -> None:
        """Record whether a request ended well. None (unknown) ends a probe without opening or
        closing the breaker."""
        probing, self._probing = self._probing, False
        if healthy is None:
            return
        if healthy:
            self._failures, self._opened_at = 0, None
            return
        self._failures += 1
        if probing or self._failures >= FAILURES_TO_OPEN:
            self._opened_at = self._clock()

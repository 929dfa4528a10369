"""The generic cell rate algorithm, in whole microseconds: the Python version of the SQL
function `augury_take`.

Each key (a limit and a caller) has one number, its theoretical arrival time `tat`. A request at
`now` is let through when
`max(tat, now) + interval - now <= burst * interval`, and then moves `tat` on by one interval. A
refused request changes nothing, so a caller that waits `retry_after` is let through. (ITU-T I.371;
the form used by throttled and redis-cell.)
"""

from __future__ import annotations

import re
from typing import NamedTuple

from augury.errors import SetupProblem

_UNITS = {"s": 1, "sec": 1, "min": 60, "h": 3600, "d": 86400}
_RATE = re.compile(r"(\d{1,9})\s*/\s*(s|sec|min|h|d)", re.ASCII)


class Rate(NamedTuple):
    """A limit on requests: one per `interval` at a steady pace, up to `burst` at once."""

    interval: int
    """Microseconds between two requests of a caller that sends evenly at exactly the permitted
    rate, rounded up."""
    burst: int
    text: str = ""
    """The rate as written in the settings: "10/s"."""

    @classmethod
    def parse(cls, text: str, *, burst: int | None = None) -> Rate:
        """Parse a rate such as "10/s", "10/min" or "60/h". `burst`: number of requests that may
        come at once; None: the number in the text, here 10, 10 or 60."""
        found = _RATE.fullmatch(text.strip())
        if found is None or int(found[1]) == 0:
            raise SetupProblem(f"{text!r} is not a rate; write it like 10/s, 60/min or 100/h.")
        count, period = int(found[1]), _UNITS[found[2]] * 1_000_000
        return cls(-(-period // count), burst or count, f"{count}/{found[2]}")


class Decision(NamedTuple):
    """Whether one request is allowed, and the state of its limit afterwards."""

    allowed: bool
    retry_after: float
    """Seconds to wait until a request is allowed; 0 if this one was allowed."""
    remaining: int
    """Number of requests that are allowed right now."""
    reset: float
    """Seconds until the caller may again send `burst` requests at once."""


def take(tat: int | None, now: int, rate: Rate) -> tuple[int, Decision]:
    """Ask for one request at `now` (microseconds) with a key whose theoretical arrival time is
    `tat` (microseconds; None: a new key). Returns the key's new arrival time, and whether the
    request is allowed."""
    interval, burst = rate.interval, rate.burst
    window = interval * burst
    # The upper bound (now + window) corrects a key whose rate was raised, or after the clock was
    # set back.
    base = now if tat is None else min(max(tat, now), now + window)
    allowed = base + interval - now <= window
    if allowed:
        base += interval
    return base, Decision(
        allowed=allowed,
        retry_after=0.0 if allowed else (base + interval - window - now) / 1e6,
        remaining=(now + window - base) // interval,
        reset=(base - now) / 1e6,
    )

"""Days and sessions: when a market's day begins and ends, and which days a horizon covers.

A market that never closes has UTC days. Others have the sessions of their exchange, holidays and
early closes included, from the package `exchange_calendars`, which is imported at first use.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

import numpy as np

from augury.errors import InvalidInput
from augury.rvol.panel import Bools, Ints

ALWAYS = "24/7"
EPOCH = date(1970, 1, 1)
DAY_SECONDS = 86_400
_FIRST = "1990-01-01"


def day_number(day: date) -> int:
    """The day number of a date: days since 1970-01-01."""
    return (day - EPOCH).days


def date_of(number: int) -> date:
    """The date of a day number (days since 1970-01-01)."""
    return EPOCH + timedelta(days=int(number))


def utc_time(seconds: int) -> datetime:
    """The time that is this many seconds after 1970, in UTC."""
    return datetime.fromtimestamp(int(seconds), UTC)


def by_calendar(horizon: int) -> bool:
    """Whether a horizon, in days, counts calendar days even if the market trades in sessions.
    Multiples of 7 and of 30 do; all others, e.g. 1, 5 and 22, count sessions."""
    return horizon % 7 == 0 or horizon % 30 == 0


@dataclass(frozen=True)
class Calendar:
    """The trading days of a market, ascending, with the times in seconds since 1970 at which
    trading opens and closes. The arrays are empty for the calendar `24/7`, on which every UTC day
    is a trading day."""

    name: str
    days: Ints = field(repr=False)
    opens: Ints = field(repr=False)
    closes: Ints = field(repr=False)
    early: Bools = field(repr=False)

    @property
    def continuous(self) -> bool:
        return self.name == ALWAYS

    @property
    def per_year(self) -> int:
        """Number of trading days in a year, by which variances are annualized: 365 or 252."""
        return 365 if self.continuous else 252

    def hours(self, day: int) -> tuple[int, int] | None:
        """When trading opens and closes on `day` (days since 1970-01-01), in seconds since 1970;
        None if there is no trading on that day."""
        if self.continuous:
            return day * DAY_SECONDS, (day + 1) * DAY_SECONDS
        at = self._place(day)
        return None if at is None else (int(self.opens[at]), int(self.closes[at]))

    def is_early(self, day: int) -> bool:
        """Whether the exchange closes earlier than usual on `day` (days since 1970-01-01)."""
        at = None if self.continuous else self._place(day)
        return at is not None and bool(self.early[at])

    def days_of(self, start: int, end: int) -> Ints:
        """Day numbers (days since 1970-01-01) of the trading days that close after `start` and not
        later than `end`, both in seconds since 1970. On a market that never closes, a day is left
        out unless it also begins within this span."""
        if self.continuous:
            return np.arange(-(-start // DAY_SECONDS), end // DAY_SECONDS, dtype=np.int64)
        return self.days[(self.closes > start) & (self.closes <= end)]

    def window(self, day: int, horizon: int) -> tuple[int, int]:
        """The target window of a forecast, i.e. the days that it covers: their number, and when the
        last of them ends, in seconds since 1970. `day` is in days since 1970-01-01, `horizon` in
        days.

        The window starts at the close of `day`. The number of days is 0 if the window has no
        session, e.g. in a week of holidays.
        """
        if self.continuous:
            return horizon, (day + horizon + 1) * DAY_SECONDS
        at = int(np.searchsorted(self.days, day, side="right"))
        if by_calendar(horizon):
            last = int(np.searchsorted(self.days, day + horizon, side="right"))
        else:
            last = at + horizon
        last = min(last, len(self.days))
        steps = last - at
        end = self.closes[last - 1] if steps else (day + horizon + 1) * DAY_SECONDS
        return steps, int(end)

    def day_at(self, seconds: int) -> int:
        """Day number of the last trading day that had closed by `seconds` since 1970; -1 if none
        had."""
        if self.continuous:
            return seconds // DAY_SECONDS - 1
        at = int(np.searchsorted(self.closes, seconds, side="right")) - 1
        return int(self.days[at]) if at >= 0 else -1

    def _place(self, day: int) -> int | None:
        at = int(np.searchsorted(self.days, day))
        return at if at < len(self.days) and self.days[at] == day else None


_NONE: Any = np.empty(0, dtype=np.int64)


@lru_cache(maxsize=32)
def calendar(name: str) -> Calendar:
    """The calendar of an exchange by its ISO 10383 code, or `24/7`.

    Raises
    ------
    InvalidInput
        No calendar has this name.
    """
    if name == ALWAYS:
        return Calendar(name, _NONE, _NONE, _NONE, _NONE.astype(bool))
    import exchange_calendars
    from exchange_calendars.errors import InvalidCalendarName

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # raised by pandas
            try:
                found = exchange_calendars.get_calendar(name, start=_FIRST)
            except ValueError:  # the sessions of this exchange are known only from a later day on
                found = exchange_calendars.get_calendar(name)
    except InvalidCalendarName:
        raise InvalidInput(
            f"There is no exchange calendar {name!r}. Use 24/7 or an exchange's code, like XNYS."
        ) from None
    seconds = 10**9
    sessions = found.sessions_nanos // (DAY_SECONDS * seconds)
    early = np.isin(sessions, found.early_closes.asi8 // (DAY_SECONDS * seconds))
    return Calendar(
        name, sessions, found.opens_nanos // seconds, found.closes_nanos // seconds, early
    )

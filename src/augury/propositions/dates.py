"""A date that a text names, and the days that it covers. Pure."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Final, Literal

import msgspec

YEAR: Final = r"(?:19|20)\d\d(?!\d)"
"""Pattern for a year in digits, 1900 to 2099."""
Precision = Literal["day", "week", "month", "quarter", "year", "decade"]
Days = tuple[date | None, date | None, Precision, bool]
"""The days that a date covers: the first day, the day after the last one, the precision ("day",
"month" ...), and whether the date is vague. Both days are None if they can't be told."""


class WrittenDate(msgspec.Struct, frozen=True):
    """One date as a text has it: its position in the text, the preposition before it, and the days
    that it covers."""

    span: tuple[int, int]
    relation: str
    """Preposition before the date in its simplest form ("no later than" is "by"): by, before,
    until, after, from, to, and, in or on; empty if there is none."""
    edge: Literal["", "start", "end"]
    start: date | None
    end: date | None
    precision: Precision
    clock: tuple[int, int] | None
    vague: bool = False
    season: bool = False


def a_day(day: date) -> Days:
    """The `Days` of a single day: the day, the day after it, the precision "day", and False (not
    vague)."""
    return day, day + timedelta(1), "day", False


def day_number(said: str) -> int:
    """The number that an ordinal says: "1st" -> 1, "the 14th" -> 14."""
    return int(re.sub(r"\D", "", said))


_LATE: Final = timedelta(45)
"""Longest time after a market's close at which a date without a year may lie: venues close some
markets before the last day that the text names."""


def yearless(
    precision: Precision, month: int, day: int, year: str | None, anchor: date | None,
    floor: date | None,
) -> Days:  # fmt: skip
    """The `Days` of a day, month or quarter. If `year` is None, the year is the one that brings the
    date nearest to a market's close or, in a question, the first one in which the date is not over.

    precision : day, month or quarter
    month, day : of the first day
    anchor : the market's close, or the day on which the question was asked
    floor : if `year` is None, the date is not over before this day; for a question it equals
        `anchor`
    """
    if year is not None:
        return *_bounds(precision, int(year), month, day), precision, False
    if anchor is None:
        return None, None, precision, True
    bounds = []
    for candidate in (anchor.year - 1, anchor.year, anchor.year + 1):
        try:
            bounds.append(_bounds(precision, candidate, month, day))
        except ValueError:  # 29 February
            continue
    coming = [b for b in bounds if floor is None or b[1] > floor]
    if floor is not None and floor == anchor:
        start, end = min(coming or bounds[-1:])
    else:
        held = coming or bounds
        # A market does not wait for a day after its close.
        held = [b for b in held if b[0] <= anchor + _LATE] or held
        start, end = min(held, key=lambda b: abs((b[1] - anchor).days))
    return start, end, precision, False


def _bounds(precision: Precision, year: int, month: int, day: int) -> tuple[date, date]:
    start = date(year, month, day)
    if precision == "day":
        return start, start + timedelta(1)
    return start, month_after(start, 3 if precision == "quarter" else 1)


def month_after(day: date, months: int) -> date:
    """The same day of the month `months` months later, or that month's last day if it has no such
    day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def later(day: date, count: int, unit: str) -> date:
    """The day that lies `count` days, weeks, months or years after `day`, or before it if `count`
    is negative.

    unit : day, week, month or year, also in the plural
    """
    if unit.startswith(("day", "week")):
        return day + timedelta(count * (7 if unit.startswith("week") else 1))
    return month_after(day, count * (12 if unit.startswith("year") else 1))

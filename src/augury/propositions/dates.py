"""Dates that a text names ("June 2026", "Q3"), and the days that they cover. Pure."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Final, Literal

import msgspec

YEAR: Final = r"(?:19|20)\d\d(?!\d)"
"""Source of a regular expression for a year in digits, 1900 to 2099."""
DAY: Final = r"\d{1,2}(?!\d)(?:st|nd|rd|th)?"
"""Source of a regular expression for a day of the month in digits, also as an ordinal: "7", "7th".
`day_number` gives its number."""
Precision = Literal["day", "week", "month", "quarter", "year", "decade"]
"""How exactly a text gives a date: "June 2026" has the precision month. A range of days counts as a
week."""
Days = tuple[date | None, date | None, Precision, bool]
"""The days that a date covers, as (first day, day after the last one, precision, whether the date
is vague). Both days are None if the text does not tell them."""


class WrittenDate(msgspec.Struct, frozen=True):
    """A date as it is written in a text: where it stands, the preposition before it, and the days
    that it covers."""

    span: tuple[int, int]
    """Positions in the text of the date's first character and after its last one."""
    relation: str
    """Word before the date, usually one of these: "by", "before", "until", "after", "from", "to",
    "and" (as in "between May and June"), "in", "on". Most other words are replaced by the one of
    these that means the same ("no later than" is "by"). But before "early", "mid" and "late", some
    words stay as they are ("since"). Empty if there is no such word."""
    boundary: Literal["", "start", "end"]
    """Whether only the beginning or the end of the date is meant: "start" for "the start of June",
    "end" for "the end of June"; empty if the whole date is meant."""
    start: date | None
    """The date's first day: for "March 2026", March 1, 2026. None if the text does not tell the
    first day."""
    end: date | None
    """The day after the date's last day: for "March 2026", April 1, 2026. None if the text does not
    tell the last day."""
    precision: Precision
    clock: tuple[int, int] | None
    """Start and end of the time of day that the text names, in minutes after midnight; equal for a
    single moment. A time zone in the text is ignored. None if the text names no time of day."""
    vague: bool = False
    """True if it is not certain which days are meant, e.g. in "mid-June"."""
    season: bool = False
    """Whether the date is a season that is named by two years: "2025-26"."""


def a_day(day: date) -> Days:
    """The days (`Days`) that a date of a single day covers: `day` itself."""
    return day, day + timedelta(1), "day", False


def day_number(ordinal: str) -> int:
    """The number of a day that is written as an ordinal: "1st" -> 1, "the 14th" -> 14."""
    return int(re.sub(r"\D", "", ordinal))


_LATE: Final = timedelta(45)
"""If a market's text names a date without a year, a year has to be chosen. The date's first day
should come at most this long after the market's close. A year in which it comes later is chosen
only if no other year is possible. The limit is above 0 because venues close some markets before the
last day that the text names. Chosen by hand."""


def yearless(
    precision: Precision, month: int, day: int, year: str | None, anchor: date | None,
    floor: date | None,
) -> Days:  # fmt: skip
    """The days (`Days`) covered by a date (a day, month or quarter) that may have no year in the
    text.

    If the text names no year, one is chosen: for a market, the year that brings the date nearest to
    the market's close; for a question, the first year in which the date is not yet over.

    precision : day, month or quarter
    month, day : month and day of the month on which the date begins
    year : the year in digits; None if the text names none
    anchor : the market's close, or the day on which the question was asked
    floor : a date without a year gets a year in which its last day is this day or later; None: any
        year. For a question, `floor` equals `anchor`
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
    """The day that lies `count` units of time after `day`, or before it if `count` is negative.

    unit : "day", "week", "month" or "year", also in the plural
    """
    if unit.startswith(("day", "week")):
        return day + timedelta(count * (7 if unit.startswith("week") else 1))
    return month_after(day, count * (12 if unit.startswith("year") else 1))

"""Months and holidays by name, for all code that reads dates from text. Pure."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
"""Names of the months in lower case; month n (1 to 12) is at index n - 1."""
SHORT_MONTHS: Final = {**{name[:3]: name for name in MONTHS if len(name) > 3}, "sept": "september"}
"""Short name of a month -> full name of the month, both in lower case and without a period: "sept"
-> "september"."""
MONTH_NUMBERS: Final = {name: n for n, name in enumerate(MONTHS, 1)} | {
    short: MONTHS.index(name) + 1 for short, name in SHORT_MONTHS.items()
}
"""Long or short name of a month in lower case -> number of the month, 1 to 12."""
MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
"""Pattern for the long or short name of a month in lower case, without a period. It also matches
the beginning of a longer word."""


def month(name: str) -> int:
    """The number of a month, 1 to 12, by its long or short name in any case: "Sept." -> 9.

    Raises
    ------
    KeyError
        `name` is not the name of a month.
    """
    return MONTH_NUMBERS[name.strip().rstrip(".").casefold()]


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    """The date of the nth `weekday` (0: Monday) of a month; of the last one if `nth` is 0."""
    if nth == 0:
        last = date(year, month, monthrange(year, month)[1])
        return last - timedelta((last.weekday() - weekday) % 7)
    first = date(year, month, 1)
    return first + timedelta((weekday - first.weekday()) % 7 + 7 * (nth - 1))


def election_day(year: int) -> date:
    """Election day in the United States in a year: the Tuesday after the first Monday of
    November."""
    return nth_weekday(year, 11, 0, 1) + timedelta(1)


def easter(year: int) -> date:
    """Easter Sunday of the western churches, by the anonymous Gregorian algorithm."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * k) // 451
    month, day = divmod(h + k - 7 * m + 114, 31)
    return date(year, month, day + 1)


_HOLIDAYS: Final[dict[str, Callable[[int], date]]] = {
    "newyears": lambda year: date(year, 1, 1),
    "newyearseve": lambda year: date(year, 12, 31),
    "christmas": lambda year: date(year, 12, 25),
    "christmaseve": lambda year: date(year, 12, 24),
    "halloween": lambda year: date(year, 10, 31),
    "valentines": lambda year: date(year, 2, 14),
    "stpatricks": lambda year: date(year, 3, 17),
    "independence": lambda year: date(year, 7, 4),
    "fourthofjuly": lambda year: date(year, 7, 4),
    "4thofjuly": lambda year: date(year, 7, 4),
    "julyfourth": lambda year: date(year, 7, 4),
    "juneteenth": lambda year: date(year, 6, 19),
    "veterans": lambda year: date(year, 11, 11),
    "memorial": lambda year: nth_weekday(year, 5, 0, 0),
    "labor": lambda year: nth_weekday(year, 9, 0, 1),
    "thanksgiving": lambda year: nth_weekday(year, 11, 3, 4),
    "election": election_day,
    "easter": easter,
    "eastersun": easter,
}
"""Name of a holiday -> function that returns the holiday's date in a given year, as in the United
States. The name is in lower case, has only letters and digits, and no "day" at its end:
"newyears"."""


def holiday(name: str, year: int) -> date:
    """The date of a holiday in a year, by a name such as "New Year's Eve" or "4th of July".

    Raises
    ------
    KeyError
        `name` is not the name of a holiday that is known.
    """
    letters = "".join(c for c in name.casefold() if c.isalnum()).replace("xmas", "christmas")
    return _HOLIDAYS[letters.removesuffix("day")](year)

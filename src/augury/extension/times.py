"""Finds the day and time of a game in a text. Pure."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from augury.language import calendar
from augury.search.text import fold


class Start(NamedTuple):
    """When a game begins, as far as it is known."""

    day: date
    """Day of the game in its local calendar, or in UTC if only that is known."""
    at: datetime | None
    exact: bool
    """True if `day` is the day of the game itself. False if it is only near that day, e.g. the date
    of an article on the game."""


_ZONES: Final = {
    "et": "America/New_York", "est": "America/New_York", "edt": "America/New_York",
    "ct": "America/Chicago", "cst": "America/Chicago", "cdt": "America/Chicago",
    "mt": "America/Denver", "mst": "America/Denver", "mdt": "America/Denver",
    "pt": "America/Los_Angeles", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles",
    "utc": "UTC", "gmt": "UTC", "z": "UTC", "bst": "Europe/London", "uk time": "Europe/London",
    "cet": "Europe/Berlin", "cest": "Europe/Berlin", "eet": "Europe/Athens",
    "eest": "Europe/Athens", "ist": "Asia/Kolkata", "jst": "Asia/Tokyo", "kst": "Asia/Seoul",
    "aest": "Australia/Sydney", "aedt": "Australia/Sydney", "brt": "America/Sao_Paulo",
}  # fmt: skip
EASTERN: Final = ZoneInfo("America/New_York")
_DAYS: Final = tuple[str, ...]("monday tuesday wednesday thursday friday saturday sunday".split())
_MONTH = rf"(?P<month{{n}}>{calendar.MONTH})\.?"
DAY = re.compile(
    r"(?<!\d)(?P<year1>20\d\d)[-/.](?P<m1>\d\d?)[-/.](?P<d1>\d\d?)(?!\d)"
    rf"|\b{_MONTH.format(n=2)}\s+(?P<d2>\d\d?)(?:st|nd|rd|th)?\b(?:,?\s+(?P<year2>20\d\d))?"
    rf"|\b(?P<d3>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format(n=3)}\b(?:,?\s+(?P<year3>20\d\d))?"
    r"|(?<![\d/])(?P<m4>\d\d?)/(?P<d4>\d\d?)(?:/(?P<year4>20\d\d|\d\d))?(?![\d/])"
)
_CLOCK = re.compile(
    r"\b(?P<h>\d\d?)(?:[:.](?P<min>\d\d))?\s?(?P<half>[ap]\.?m\.?)?\s*\(?"
    rf"(?P<zone>{'|'.join(sorted(_ZONES, key=len, reverse=True))})\b"
)
_NUMBER = re.compile(
    r"\b(?:game|gm)\s*(?P<n>[12])\b(?!\s*winner)|(?P<second>second game|nightcap|game two)"
    r"|(?P<first>first game|opener of|game one)"
)


def start_of(text: str, now: datetime, *, exact: bool = True) -> Start | None:
    """When the game that a text is about begins: the day, and the time of day if the text gives one
    with a time zone; None if it names no day. A date without a year is taken as the one nearest to
    `now`.

    `exact`: whether the text states the day of the game itself, and not e.g. the date of an
    article; it is only copied to `Start.exact`.
    """
    folded = fold(text)
    day = _day(folded, now)
    if day is None:
        return None
    clock = _CLOCK.search(folded)
    at = None
    if clock is not None and int(clock["h"]) < 24 and int(clock["min"] or 0) < 60:
        hour = int(clock["h"])
        if clock["half"]:
            hour = hour % 12 + (12 if clock["half"].startswith("p") else 0)
        zone = ZoneInfo(_ZONES[clock["zone"]])
        local = datetime(day.year, day.month, day.day, hour, int(clock["min"] or 0), tzinfo=zone)
        at = local.astimezone(UTC)
    return Start(day, at, exact)


def _day(folded: str, now: datetime) -> date | None:
    for found in DAY.finditer(folded):
        year = found["year1"] or found["year2"] or found["year3"] or found["year4"]
        month = found["m1"] or found["m4"]
        if month is None:
            month = calendar.month(found["month2"] or found["month3"])
        number = found["d1"] or found["d2"] or found["d3"] or found["d4"]
        if (day := _nearest(year, int(month), int(number), now)) is not None:
            return day
    for word, ahead in (("tonight", 0), ("today", 0), ("tomorrow", 1), ("yesterday", -1)):
        if re.search(rf"\b{word}\b", folded):
            return (now.astimezone(EASTERN) + timedelta(days=ahead)).date()
    for number, word in enumerate(_DAYS):
        if re.search(rf"\b{word}\b", folded):
            today = now.astimezone(EASTERN).date()
            return today + timedelta(days=(number - today.weekday()) % 7)
    return None


def _nearest(year: str | None, month: int, day: int, now: datetime) -> date | None:
    try:
        if year is not None:
            return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
        years = (now.year - 1, now.year, now.year + 1)
        return min((date(y, month, day) for y in years), key=lambda d: abs(d - now.date()))
    except ValueError:
        return None


def number_of(text: str) -> int | None:
    """Which game of a doubleheader (1 or 2) a text is about; None if it does not say."""
    found = _NUMBER.search(fold(text))
    if found is None:
        return None
    return int(found["n"]) if found["n"] else 2 if found["second"] else 1

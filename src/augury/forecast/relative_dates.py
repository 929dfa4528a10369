"""Rewrites the times in a question to dates as markets write them. Pure.

"Before June is out", "between now and year-end", "by the midterms" and "within a month" become
dates, counted from the day on which the question is asked. This module has no rules for times that
`propositions.written_dates` can already read.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date
from typing import Final

from augury.language import calendar, numerals
from augury.propositions.dates import later

_MON: Final = calendar.MONTH
_YEAR: Final = r"(?:19|20)\d\d"
_SPAN: Final = rf"(?:{_MON}(?:,?\s+{_YEAR})?|{_YEAR})"
"""Matches a month, a month with its year, or a year: "June", "June 2027", "2027"."""
_CURRENT: Final = r"(?:the|this)\s+(?:year|month|quarter|decade)"
_OVER: Final = (
    r"(?:(?:is|are|has|have|was)\s+)?(?:out|over|up|through|done|finished|ended|passed|ends|closes|"
    r"finishes|concludes|expires|runs\s+out)"
)
_UPON: Final = (
    r"by|before|until|till|through|thru|on|after|ahead\s+of|prior\s+to|past|as\s+of|come|since"
)
_UNTIL: Final = r"by|before|until|till|through|thru|ahead\s+of|prior\s+to|come"
_FEASTS: Final = (
    r"new\s+year'?s\s+(?:day|eve)|christmas(?:\s+(?:day|eve))?|halloween|memorial\s+day|labor\s+day|"
    r"thanksgiving|independence\s+day|election\s+day"
)
_COUNTS: Final = {"a": 1, "an": 1, **numerals.COUNTS}

Rewrite = str | Callable[[re.Match[str], date], str]


def dated(text: str, on: date) -> str:
    """The text with its times written as dates, counted from the day `on`: "within a month", asked
    on May 3, 2026 -> "by June 3, 2026"."""
    for pattern, rewrite in _RULES:
        if callable(rewrite):
            text = pattern.sub(lambda found, to=rewrite: to(found, on), text)
        else:
            text = pattern.sub(rewrite, text)
    return text


def _rule(pattern: str, rewrite: Rewrite) -> tuple[re.Pattern[str], Rewrite]:
    return re.compile(pattern, re.I), rewrite


def _written(day: date) -> str:
    return f"{calendar.MONTHS[day.month - 1].title()} {day.day}, {day.year}"


def _current(unit: str, on: date) -> str:
    """The current year, month, quarter or decade (`unit`) on the day `on`, as text. A quarter is
    given by its last month and a decade by its last year: for May 3, 2026, "June 2026" and
    "2029"."""
    if unit == "month":
        return f"{calendar.MONTHS[on.month - 1].title()} {on.year}"
    if unit == "quarter":
        return f"{calendar.MONTHS[(on.month - 1) // 3 * 3 + 2].title()} {on.year}"
    return str(on.year if unit == "year" else on.year // 10 * 10 + 9)


def _end_of(found: re.Match[str], on: date) -> str:
    return f"{found['lead']}the end of {_current(found['unit'].casefold(), on)}"


def _last_day(found: re.Match[str], on: date) -> str:
    month, _, year = found["span"].replace(",", "").partition(" ")
    if month.isdecimal():
        return _written(date(int(month), 12, 31))
    number = calendar.month(month)
    in_year = int(year) if year else on.year + (number < on.month)
    return _written(date(in_year, number, monthrange(in_year, number)[1]))


def _later(found: re.Match[str], on: date) -> str:
    """The date that replaces a span of time. The span begins on the day of asking (`on`): "within a
    month", asked on May 3, 2026 -> "by June 3, 2026"."""
    number = (found["n"] or "one").casefold()
    count = int(number) if number.isdecimal() else _COUNTS[number]
    return f"by {_written(later(on, count, found['unit'].casefold()))}"


def _feast(found: re.Match[str], on: date) -> str:
    waits = re.match(_UNTIL, found["lead"], re.I) is not None
    if not waits and not found["name"].casefold().startswith(("new", "christ", "hallow")):
        return found[0]  # "ballots that arrive after election day": whenever that is
    name, year = found["name"], found["year"]
    years = [int(year)] if year else [on.year, on.year + 1]
    day = next(d for y in years if (d := calendar.holiday(name, y)) >= on or year)
    return f"{found['lead']}{_written(day)}"


def _midterms(found: re.Match[str], on: date) -> str:
    years = [int(found["year"])] if found["year"] else range(on.year, on.year + 5)
    coming = next((d for y in years if (d := calendar.election_day(y)) >= on and y % 4 == 2), None)
    return f"{found['lead']}{_written(coming)}" if coming else found[0]


_RULES: Final = (
    _rule(r"\bcalendar\s+(?:year\s+)?(?=(?:19|20)\d\d)|\bsome\s?time\s+(?=this|in|during|before|by)", ""),
    _rule(r"\b(?:any\s?time\s+|at\s+any\s+(?:time|point)\s+)?(?:between|from)\s+now\s+"
          r"(?:and|until|till|to|through|thru)\s+", "by "),
    # Spans that are over.
    _rule(rf"\bbefore\s+(?P<span>{_SPAN})\s+{_OVER}\b", r"by the end of \g<span>"),
    _rule(rf"\b(?P<lead>before\s+)(?:the|this)\s+(?P<unit>year|month|quarter|decade)\s+{_OVER}\b",
          lambda f, on: f"by the end of {_current(f['unit'].casefold(), on)}"),
    _rule(rf"\b(?:once|when|as|after)\s+(?P<span>{_SPAN})\s+{_OVER}\b", r"at the end of \g<span>"),
    _rule(r"\b(?:once|when|as|after)\s+(?:the|this)\s+(?P<unit>year|month|quarter|decade)\s+"
          rf"{_OVER}\b", lambda f, on: f"at the end of {_current(f['unit'].casefold(), on)}"),
    _rule(r"\b(?P<lead>(?:by|before|until|till|through|at|to)\s+)(?:the\s+)?(?:very\s+)?"
          r"(?:end|close|turn|finish)\s+of\s+(?:the|this)\s+(?P<unit>year|month|quarter|decade)\b",
          _end_of),
    _rule(r"\b(?P<lead>(?:by|before|until|till|through|at)\s+)(?:the\s+)?(?P<unit>month|quarter|"
          r"decade)(?:'s)?[\s-]+end\b", _end_of),
    _rule(r"\b(?:this|the\s+present)\s+decade\b",
          lambda f, on: f"by the end of {_current('decade', on)}"),
    _rule(rf"\bend-(?={_SPAN}\b)", "the end of "),
    _rule(rf"\bthe\s+(?:last|final)\s+day\s+of\s+(?P<span>{_SPAN})\b", _last_day),
    _rule(rf"\bthe\s+first(?:\s+day)?\s+of\s+(?P<month>{_MON})\b(?:,?\s+(?P<year>{_YEAR}))?",
          lambda f, _: f"{f['month']} 1" + (f", {f['year']}" if f["year"] else "")),
    _rule(rf"\b(?P<lead>(?:{_UNTIL})\s+)(?:the\s+)?(?:middle\s+of\s+|mid(?:-|\s+))(?P<month>{_MON})\b(?:,?\s+(?P<year>{_YEAR}))?(?!\s+(?:meeting|decision))",
          lambda f, _: f"{f['lead']}{f['month']} 15" + (f", {f['year']}" if f["year"] else "")),
    _rule(rf"\b(?:the\s+)?(?:middle\s+of\s+|mid-?(?:\s?year)?\s?|mid-?point\s+of\s+)(?:year\s+)?(?P<year>{_YEAR})\b",
          r"June 30, \g<year>"),
    _rule(r"\b(?P<lead>by|before)\s+(?:the\s+)?mid-?year\b",
          lambda f, on: f"{f['lead']} June 30, {on.year + (on.month > 6)}"),
    _rule(rf"\bthe\s+(?P<which>last|final|first)\s+(?:3|three)\s+months\s+of\s+(?P<year>{_YEAR})\b",
          lambda f, _: f"{'Q1' if f['which'].casefold() == 'first' else 'Q4'} {f['year']}"),
    # Spans as a whole.
    _rule(r"\b(?:(?:over|in|during|for|throughout|through|within|all)\s+)?(?:all\s+of\s+)?the\s+"
          r"(?:course|whole|rest|remainder|entirety|balance|span|length)\s+of\s+"
          rf"(?P<span>{_SPAN}|(?:the|this)\s+(?:year|month))\b",
          lambda f, _: "in " + re.sub(r"^the\s", "this ", f["span"], flags=re.I)),
    _rule(rf"\b(?:in|over|during)\s+what\s+(?:remains|is\s+left)\s+of\s+(?P<span>{_SPAN})\b", r"in \g<span>"),
    _rule(rf"\ball\s+(?:of\s+|through(?:out)?\s+|during\s+)?(?P<span>{_SPAN})(?:\s+long)?\b", r"in \g<span>"),
    _rule(rf"\bthroughout\s+(?P<span>{_SPAN})\b", r"in \g<span>"),
    _rule(rf"\b(?:until|till)\s+(?:the\s+(?:start|beginning)\s+of\s+)?(?P<span>{_YEAR}(?!-)|{_SPAN}\s+or\s+(?:later|after|beyond))\b",
          lambda f, _: "before " + re.split(r"\s+or\s+", f["span"])[0]),
    # What the calendar calls by a name.
    _rule(rf"\bbefore\s+(?:the\s+)?calendar\s+(?:turns|flips|rolls)\s+(?:over\s+)?(?:to|into)\s+(?P<year>{_YEAR})\b",
          r"before \g<year>"),
    _rule(r"\b(?P<lead>before|until|till|by)\s+(?:the\s+)?(?:new\s+year|turn\s+of\s+the\s+year)\b(?!')",
          lambda _, on: f"before {on.year + 1}"),
    _rule(rf"\b(?P<lead>(?:{_UPON})\s+)(?:the\s+)?(?P<name>new\s+year'?s\s+(?:day|eve)|christmas(?:\s+(?:day|eve))?|"
          r"halloween|valentine'?s\s+day|st\.?\s+patrick'?s\s+day|independence\s+day|fourth\s+of\s+july|july\s+fourth|"
          rf"memorial\s+day|labor\s+day|thanksgiving|election\s+day)\b(?:,?\s+(?:in\s+|of\s+)?(?P<year>{_YEAR}))?", _feast),
    _rule(rf"\b(?P<lead>(?:by|before|until|ahead\s+of|prior\s+to)\s+)(?:the\s+)?(?P<year>{_YEAR}\s+)?midterms?(?:\s+elections?)?\b",
          _midterms),
    # What lasts to a day, and a day that comes.
    _rule(rf"\b(?P<verb>(?:gets?|makes?\s+it|goes|lasts?|holds?\s+on|survives?)\s+)(?:up\s+|all\s+the\s+way\s+)?to\s+"
          rf"(?=(?:the\s+)?(?:{_FEASTS}|{_MON}(?!\s+\d))\b)", r"\g<verb>until "),
    _rule(rf"\bwhen\s+(?P<day>{_FEASTS})\s+(?:comes|arrives|rolls\s+around)\b", r"by \g<day>"),
    # From now on.
    _rule(r"\b(?:within|(?:with)?in\s+the\s+(?:next|coming)|over\s+the\s+(?:next|coming)|during\s+the\s+(?:next|coming))\s+"
          rf"(?:(?P<n>\d{{1,3}}|{'|'.join(_COUNTS)})\s+)?(?P<unit>day|week|month|year)s?\b(?:\s+from\s+now)?(?!\s+of\b|-)", _later),
)  # fmt: skip

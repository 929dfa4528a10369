"""Finds the dates in a text: "March 31", "2026", "May 3 at 4 PM", "this quarter". Pure.

A date without a year gets a year. In a market's text, it is the year that brings the date nearest
to the market's close. In a question, it is the first year in which the date is not yet over on the
day when the question is asked.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final, Literal

from augury.language import calendar, numerals
from augury.propositions.dates import (
    DAY,
    YEAR,
    Days,
    WrittenDate,
    a_day,
    day_number,
    later,
    month_after,
    yearless,
)
from augury.propositions.time_words import dates_in_words, with_modifiers

_MON = rf"{calendar.MONTH}\b\.?"
_HOUR = r"\d{1,2}(?::\d\d)?\s?[ap]\.?m\b\.?|noon\b|midnight\b"
_CLOCK: Final = re.compile(
    rf"(?P<from>{_HOUR})(?:\s?(?:-|–|to)\s?(?P<to>{_HOUR}))?(?:\s?(?:e[sd]?t|utc|eastern)\b)?",
    re.I,
)
_RELATION = (
    r"(?P<relation>on\s+or\s+before|no\s+later\s+than|not\s+later\s+than|later\s+than|prior\s+to|"
    r"ahead\s+of|up\s+to|by|before|until|till|through|thru|after|since|past|beyond|from|between|"
    r"to|and|in|during|throughout|for|on|of|as\s+of|at|within|when)\s+"
)
_EDGE = r"(?P<edge>(?:the\s+)?(?:very\s+)?(?:end|start|beginning|close|turn|finish)\s+of\s+)"
_OF = rf"(?:(?:of|in)\s+)?(?P<{{0}}>{YEAR}|(?:this|next)\s+year\b)"
"""Template of a regular expression for a year after a day or month (" 2026", " of next year").
`_OF.format(name)` gives the expression, with a group called `name` for the year."""
_MENTION: Final = re.compile(
    rf"(?:\b{_RELATION})?(?:{_EDGE})?(?:the\s+)?(?:month\s+of\s+|year\s+(?=(?:19|20)\d))?"
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
    r"(?P<week>week\s+(?:of|ending|beginning|starting)(?:\s+on)?\s+)?"
    r"(?:"
    r"\b(?P<iso>(?:19|20)\d\d(?P<sep>[-/.])\d\d(?P=sep)\d\d)(?:t[\d:.]+z?)?\b"
    r"|\b(?P<us>\d{1,2}/\d{1,2}/(?:(?:19|20)\d\d|\d\d))\b"
    r"|(?<![\d.,$€£])\b(?P<dots>\d{1,2}\.\d{1,2}\.(?:19|20)\d\d)\b"
    rf"|(?<![\d/])\b(?P<my_m>0?[1-9]|1[0-2])/(?P<my_y>{YEAR})\b(?!/)"
    rf"|\b(?P<md>{_MON})(?:\s+|-(?=\d+-\d))(?P<d>{DAY})(?![%.]\d|%|:|,\d)"
    rf"(?:\s?[-–]\s?(?P<md2>{_MON}\s+)?(?P<d2>{DAY}))?(?:(?:,?\s+|-){_OF.format('mdy')})?"
    rf"|\b(?P<short_d>\d\d)[\s-](?P<short_m>{_MON})[\s-]['’]?(?P<short_y>[23]\d)"
    r"(?![\d:%.]|\s?[ap]\.?m|\s+minutes)"
    rf"|\b(?P<dm_d>{DAY})[\s-]+(?:of\s+)?(?P<dm>{_MON})(?!\s+\d{{1,2}}(?!\d|:|\s?[ap]\.?m))"
    rf"(?:(?:,?\s+|-){_OF.format('dmy')})?"
    rf"|\b(?P<my>{_MON})(?!-a-)(?:(?:,?\s+|-){_OF.format('myy')})?"
    rf"|\bq(?P<q>[1-4])(?:\s+(?:of\s+)?(?P<qy>{YEAR}))?\b"
    rf"|\b(?P<nq>first|second|third|fourth|1st|2nd|3rd|4th|(?:last|final)(?=\s+quarter\s+of\s+{YEAR}))\s+quarter(?:\s+(?:of\s+)?(?P<nqy>{YEAR}))?"
    rf"|\bh(?P<h>[12])\s+(?P<hy>{YEAR})"
    rf"|\b(?P<nh>first|second|last|final)\s+half\s+of\s+(?P<nhy>{YEAR})"
    r"|(?<![\d.,$€£-])(?P<s1>(?:19|20)\d\d)\s?[-–—/]\s?(?P<s2>(?:19|20)?\d\d)(?![\d%]|[.,]\d|-)"
    r"|(?<![\d.,$€£#-])(?<!more\sthan\s)(?<!less\sthan\s)(?<!fewer\sthan\s)(?<!above\s)"
    r"(?<!higher\sthan\s)(?<!lower\sthan\s)(?<!below\s)(?<!hits\s)(?<!over\s)(?<!under\s)"
    r"(?<!at\sleast\s)(?<!surpass\s)(?<!beneath\s)"
    r"(?<!hit\s)(?<!reach\s)(?<!russell\s)(?<!project\s)(?<!runner\s)(?<!exactly\s)"
    rf"\b(?P<y>(?:19|20)\d\d)(?![\d%]|[.,]\d|\s?(?:{_HOUR})|\s+(?:people|dollars?|points?|"
    r"deaths?|cases|votes?|seats|jobs|goals|tweets|posts|times)\b)\b"
    r"(?P<over>(?:'s)?\s+(?:ends|is\s+over|finishes|concludes|closes|year[\s-]?end)\b)?"
    r"|\b(?P<decade>(?:19|20)\d0)['’]?s\b"
    rf"|\byear[\s-]?end\s+(?:of\s+)?(?P<yey>{YEAR})"
    r"|\b(?P<rel>this\s+(?:calendar\s+)?(?:year|month|week|quarter)|next\s+(?:year|month|week)|"
    r"(?:the\s+)?year[\s-]end|year's\s+end|today|tomorrow|tonight|"
    rf"(?:the\s+)?(?:next|coming)\s+(?P<n>\d{{1,3}}|{numerals.COUNT})\s+"
    r"(?P<nu>days?|weeks?|months?|years?))\b"
    r")",
    re.I,
)
_HINT: Final = re.compile(
    rf"\b{_MON}|(?<!\d){YEAR}|(?<!\d)(?:19|20)\d0['’]?s|\d/\d|\bq[1-4]\b|\bh[12]\s|\b(?:quarter|half|years?|months?|weeks?|days|"
    r"today|tomorrow|tonight)\b",
    re.I,
)
"""Matches at least a part of every date ("Mar", "2026", "week"). A text without a match has no
date; this check is much faster than the search for dates."""
_SUPERLATIVE: Final = re.compile(
    r"\b(?:first|\w{2,}est|most|worst|best|least|record|only|never)\b(?:\W+\w+){0,4}\W*\Z", re.I
)
"""Matches words before "since" that compare with the past: "first time" in "the first time since
2021". A date after such words names no window of time."""
_MEETING: Final = re.compile(r"\s+(?:[a-z]+\s+){0,2}meeting\b", re.I)
"""Matches "meeting" after a date. "After the March meeting" means the decision of that meeting, not
the time after March, so the preposition "after" is dropped."""
_REACH: Final = 60
"""Dates are searched only in a part of the text: from this number of characters before the first
match of `_HINT` (a part of a date) to as many after the last one."""
_ORDER: Final = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4,
                 "4th": 4, "last": 4, "final": 4}  # fmt: skip
_SIMPLE: Final = {
    "on or before": "by", "no later than": "by", "not later than": "by", "until": "until",
    "till": "until", "through": "by", "thru": "by", "up to": "until", "ahead of": "before",
    "prior to": "before", "later than": "after", "past": "after", "beyond": "after",
    "since": "after", "between": "from", "during": "in", "throughout": "in", "for": "in",
    "of": "", "at": "on", "as of": "on", "within": "in", "when": "on",
}  # fmt: skip


def written_dates(
    text: str, anchor: date | None, *, opened: date | None = None, asked: bool = False
) -> list[WrittenDate]:
    """The dates in `text`, from left to right. A date without a year gets a year. In a
    market's text, it is the year that brings the date nearest to the market's close. In a question,
    it is the first year in which the date's last day is the day of asking or later.

    anchor : the market's close or, for a question, the day on which it was asked
    opened : day on which the market was opened. A date without a year gets a year in which its last
        day is this day or later. Not used for a question.
    asked : whether the text is a user's question and not a market's
    """
    floor = anchor if asked else opened
    words = dates_in_words(text, anchor, floor, asked=asked)
    hints = [match.start() for match in _HINT.finditer(text)]
    if not hints:
        return sorted(words, key=lambda one: one.span)
    first, last = max(0, hints[0] - _REACH), hints[-1] + _REACH
    dates = [
        with_modifiers(m, text) for match in _MENTION.finditer(text, first, last)
        if not any(one.span[0] < match.end() and match.start() < one.span[1] for one in words)
        and (m := _mention(match, anchor, floor, asked=asked))
    ]  # fmt: skip
    return sorted([*dates, *words], key=lambda one: one.span)


def _mention(
    match: re.Match[str], anchor: date | None, floor: date | None, *, asked: bool
) -> WrittenDate | None:
    preposition = " ".join((match["relation"] or "").casefold().split())
    relation = _SIMPLE.get(preposition, preposition)
    boundary: Literal["", "start", "end"] = ""
    if match["edge"]:
        boundary = "end" if re.search(r"end|close|finish", match["edge"], re.I) else "start"
    if preposition == "since" and _SUPERLATIVE.search(match.string[: match.start()]):
        return None
    if match["week"] and floor is not None:
        floor -= timedelta(6)  # the week of last Monday is not over
    days = _days(match, anchor, floor, asked=asked)
    if days is None or (match["md"] and _names_event(match)):
        return None
    start, end, precision, vague = days
    if match["my"] and not match["myy"] and not preposition and not boundary:
        word = match["my"]
        if word.casefold() in ("may", "march", "mar") and not word[0].isupper():
            return None  # it may be a verb: no preposition or capital letter shows a month
        if word.casefold() == "may" and match.start() == 0:
            return None
    if match["over"] or match["yey"] or (match["rel"] or "").casefold().endswith("end"):
        boundary = "end"
    if match["week"] and start is not None:
        ending = "ending" in match["week"].casefold()
        start, end = (start - timedelta(6), end) if ending else (start, start + timedelta(7))
        precision = "week"
    clock, stop = _clock(match)
    if relation == "after" and _MEETING.match(match.string, stop):
        relation = ""
    return WrittenDate(
        (match.start(), stop), relation, boundary, start, end, precision, clock, vague,
        match["s1"] is not None,
    )  # fmt: skip


_EVENT_DAYS: Final = frozenset({(1, 6), (10, 7), (9, 11), (6, 4)})
"""Days, as (month, day), whose date also names a past event: January 6, the riot. If the day has no
year and a word such as "riot" follows, it is not read as a date."""
_EVENT: Final = re.compile(
    r"(?:th)?[\s-]+(?:\w+\s+)?(?:committee|pardon|riot|defendant|attack|insurrection|hearing|panel|prosecut|"
    r"investigat|inquiry|commission|hostage|massacre|convict|prisoner|protest|offender|case)", re.I
)  # fmt: skip


def _names_event(match: re.Match[str]) -> bool:
    """Whether a day is part of the name of a past event: "the January 6 committee"."""
    day = calendar.month(match["md"]), day_number(match["d"])
    return day in _EVENT_DAYS and not match["mdy"] and bool(_EVENT.match(match.string, match.end()))


def _clock(match: re.Match[str]) -> tuple[tuple[int, int] | None, int]:
    """Read the time of day right after a date. Returns two things: the time as (from, to) in
    minutes after midnight, None if there is none; and the position in the text after date and
    time."""
    text, stop = match.string, match.end()
    lead = re.compile(r",?\s+(?:at\s+|@\s+)?").match(text, stop)
    found = _CLOCK.match(text, lead.end()) if lead else None
    if found is None:
        return None, stop
    start = _minutes(found["from"])
    return (start, _minutes(found["to"]) if found["to"] else start), found.end()


def _minutes(hour: str) -> int:
    plain = hour.casefold().replace(".", "").replace(" ", "")
    if plain in ("noon", "midnight"):
        return 720 if plain == "noon" else 0
    digits, _, rest = plain[:-2].partition(":")
    return (int(digits) % 12 + (12 if plain.endswith("pm") else 0)) * 60 + int(rest or 0)


def _days(
    match: re.Match[str], anchor: date | None, floor: date | None, *, asked: bool
) -> Days | None:
    """The days that a date covers (`Days`); None if there is no such date ("February 30").

    match : a match of `_MENTION`
    anchor, floor, asked : as in `dates.yearless` and `written_dates`
    """
    try:
        if match["iso"] or match["us"] or match["dots"] or match["my_m"]:
            return _in_digits(match)
        if match["md"]:
            return _span_of_days(match, anchor, floor)
        if match["dm"]:
            month, day = calendar.month(match["dm"]), day_number(match["dm_d"])
            return yearless("day", month, day, _year(match["dmy"], anchor), anchor, floor)
        if match["short_d"]:
            month = calendar.month(match["short_m"])
            return a_day(date(2000 + int(match["short_y"]), month, int(match["short_d"])))
        if match["my"]:
            month = calendar.month(match["my"])
            return yearless("month", month, 1, _year(match["myy"], anchor), anchor, floor)
        quarter = match["q"] or match["nq"]
        if quarter:
            number = int(quarter) if quarter.isdecimal() else _ORDER[quarter.casefold()]
            year = match["qy"] or match["nqy"]
            return yearless("quarter", 3 * number - 2, 1, year, anchor, floor)
        half = match["h"] or match["nh"]
        if half:
            year = int(match["hy"] or match["nhy"])
            first = half.casefold() in ("1", "first")
            start = date(year, 1 if first else 7, 1)
            return start, date(year, 7, 1) if first else date(year + 1, 1, 1), "quarter", False
        if match["s1"]:
            one, two = int(match["s1"]), int(match["s2"])
            two = two if two > 99 else one // 100 * 100 + two
            if two not in (one, one + 1):
                return None
            return date(two, 1, 1), date(two + 1, 1, 1), "year", False
        if match["y"] or match["yey"]:
            year = int(match["y"] or match["yey"])
            return date(year, 1, 1), date(year + 1, 1, 1), "year", False
        if match["decade"]:
            year = int(match["decade"])
            return date(year, 1, 1), date(year + 10, 1, 1), "decade", False
        return _relative(match, anchor, asked=asked)
    except ValueError:
        return None


def _in_digits(match: re.Match[str]) -> Days:
    """The days that a date in digits covers: "2026-06-30", "6/30/2026", "30.06.2026" or
    "06/2026"."""
    if match["iso"]:
        return a_day(date.fromisoformat(match["iso"].replace(match["sep"], "-")))
    if match["my_m"]:
        start = date(int(match["my_y"]), int(match["my_m"]), 1)
        return start, month_after(start, 1), "month", False
    one, two, year = (int(part) for part in re.split(r"[/.]", match["us"] or match["dots"]))
    # With dots the day comes first, with slashes the month, unless there is no such month.
    day, month = (one, two) if match["dots"] or one > 12 else (two, one)
    return a_day(date(year if year > 99 else 2000 + year, month, day))


def _year(words: str | None, anchor: date | None) -> str | None:
    """The year, in digits, that the words of a text name: "2027" -> "2027", "next year" -> the year
    after that of `anchor`. None if there are no words, or if `anchor` is needed but None."""
    if words is None or words.isdecimal():
        return words
    return str(anchor.year + words.casefold().startswith("next")) if anchor else None


def _span_of_days(match: re.Match[str], anchor: date | None, floor: date | None) -> Days:
    month, day = calendar.month(match["md"]), day_number(match["d"])
    year = _year(match["mdy"], anchor)
    if not match["d2"]:
        return yearless("day", month, day, year, anchor, floor)
    month2 = calendar.month(match["md2"]) if match["md2"] else month
    last = yearless("day", month2, day_number(match["d2"]), year, anchor, floor)
    if last[1] is None:
        return last
    first = date(last[1].year, month, day)
    if first >= last[1]:
        first = date(last[1].year - 1, month, day)
    return first, last[1], "week", False


def _relative(match: re.Match[str], anchor: date | None, *, asked: bool) -> Days | None:
    words = " ".join(match["rel"].casefold().split()).removeprefix("the ")
    if anchor is None:
        return None, None, "year" if "year" in words else "month", True
    if not asked:
        # A market that says "this year" means the year in which it closes, but it may close at the
        # first moment of the next year.
        anchor -= timedelta(1)
    if words.startswith(("today", "tonight")):
        return a_day(anchor)
    if words == "tomorrow":
        return a_day(anchor + timedelta(1))
    if match["n"]:
        count = numerals.count(match["n"])
        unit = match["nu"].casefold()
        end = later(anchor, count, unit)
        if unit.startswith(("day", "week")):
            return anchor, end + timedelta(1), "week", True
        return anchor, end, "month", True
    ahead = int(words.startswith("next"))
    if "year" in words:
        year = anchor.year + ahead
        return date(year, 1, 1), date(year + 1, 1, 1), "year", False
    if "quarter" in words:
        start = date(anchor.year, (anchor.month - 1) // 3 * 3 + 1, 1)
        return start, month_after(start, 3), "quarter", False
    if "month" in words:
        start = month_after(anchor.replace(day=1), ahead)
        return start, month_after(start, 1), "month", False
    start = anchor - timedelta(anchor.weekday()) + timedelta(7 * ahead)
    return start, start + timedelta(7), "week", not asked

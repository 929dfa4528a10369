"""Finds the dates in a text, and the window of time that they make: "by March 31", "in 2026", "on
May 3 at 4 PM", "from June 1 to June 7". Pure.

The end of a window is the day after its last day, so that "by March 31" and "before April 1" are
the same window. A date without a year gets the year that brings it nearest to the market's close
or, in a question, the first year in which it is not over on the day of asking.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, Literal

import msgspec

from augury.language import calendar, numerals
from augury.propositions.dates import (
    YEAR,
    Days,
    Precision,
    WrittenDate,
    a_day,
    day_number,
    later,
    month_after,
    yearless,
)
from augury.propositions.time_words import dates_in_words, with_modifiers

WindowKind = Literal["by", "in", "on", "after", "open"]


class Window(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The time in which something has to happen, or at which a value counts.

    - `by`: at any time from the opening of the question until `end`;
    - `in`: from `start` until `end`, a span longer than a day;
    - `on`: on the day that begins at `start`, at the time `clock` if the text names one;
    - `after`: not before `start`;
    - `open`: the text names no time; `end` is then the market's close, if that is known.
    """

    kind: WindowKind = "open"
    start: date | None = None
    """First day of the window. None: the window begins when the question is opened, or it is not
    known when it begins."""
    end: date | None = None
    """First day after the window. None: the window has no end, or it is not known when it ends."""
    clock: tuple[int, int] | None = None
    """Times of day at which the window begins and ends, in minutes after midnight as the text
    writes them (a time zone is ignored); equal for a single moment. None if the text names no time
    of day."""
    precision: Precision = "day"
    since: date | None = None
    """Day on which the market was opened or the question was asked. The event that the market or
    question is about had not happened by then."""
    vague: bool = False
    """Whether the words can mean two windows ("by June": the start or the end of June), or the year
    is not known."""
    years: frozenset[int] = frozenset()
    """Years that the text names alone, without a day or month, as the edition of a contest: 2026
    for "the 2026 election" and for "the 2025-26 season"."""
    text: str = ""
    """The words of the text from which the window was read."""


def has_ended(window: Window, day: date) -> bool:
    """Whether a window of time that a text names has certainly ended before `day`. False if the
    text names no time or a vague one."""
    is_named = window.text and not window.vague and window.kind in ("by", "in", "on")
    return bool(is_named) and window.end is not None and window.end <= day


_MON = rf"{calendar.MONTH}\b\.?"
_D = r"\d{1,2}(?!\d)(?:st|nd|rd|th)?"
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
    rf"|\b(?P<md>{_MON})(?:\s+|-(?=\d+-\d))(?P<d>{_D})(?![%.]\d|%|:|,\d)"
    rf"(?:\s?[-–]\s?(?P<md2>{_MON}\s+)?(?P<d2>{_D}))?(?:(?:,?\s+|-){_OF.format('mdy')})?"
    rf"|\b(?P<short_d>\d\d)[\s-](?P<short_m>{_MON})[\s-]['’]?(?P<short_y>[23]\d)"
    r"(?![\d:%.]|\s?[ap]\.?m|\s+minutes)"
    rf"|\b(?P<dm_d>{_D})[\s-]+(?:of\s+)?(?P<dm>{_MON})(?!\s+\d{{1,2}}(?!\d|:|\s?[ap]\.?m))"
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
"""Matches words before "since" that compare with the past. "The first time since 2021" then names
no window."""
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
    """The dates in `text`, from left to right. A date without a year gets the year that brings it
    nearest to a market's close or, in a question, the first year in which it has not passed on the
    day of asking.

    anchor : the market's close or, for a question, the day on which it was asked
    opened : day on which the market was opened; a date without a year gets a year in which it is
        not over before this day
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
"""Days, as (month, day), after which past events are named: the January 6 riot."""
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


_COARSENESS: Final = {"day": 0, "week": 1, "month": 2, "quarter": 3, "year": 4, "decade": 5}
"""Precision of a date -> how coarse it is; of several dates the finest one makes the window."""


def window(
    found: Sequence[WrittenDate],
    text: str,
    *,
    anchor: date | None = None,
    since: date | None = None,
    contest: bool = False,
) -> Window:
    """The window of time that the dates of a text make together; a window of kind `open` if they
    make none.

    found : the dates of the text, from `written_dates`
    anchor : the market's close
    since : day on which the market was opened or the question was asked
    contest : whether the text is about a contest. A year alone ("the 2026 election") then names the
        edition of the contest and is no window
    """
    years = frozenset(
        m.start.year
        for m in found
        if m.precision == "year" and m.start and (m.season or m.relation in ("", "in", "on"))
        and not m.boundary
    )  # fmt: skip
    candidates = [_window_of(m, text, anchor) for m in _joined(found, text)]
    if contest:
        candidates = [w for w in candidates if w.kind in ("by", "after") or w.precision != "year"]
    if not candidates:
        return Window(end=anchor, since=since, years=years)
    order = {"by": 0, "after": 1}
    best = min(candidates, key=lambda w: (order.get(w.kind, 2), _COARSENESS[w.precision]))
    return msgspec.structs.replace(best, since=since, years=years)


def _within_month(m: WrittenDate, text: str) -> WrittenDate:
    """A day, extended to the range that it begins or ends, if the other end of the range is a
    number without a month: "June 1 to 7", "between the 1st and the 7th of June", "1-7 June". Any
    other date is returned unchanged."""
    if m.precision != "day" or m.start is None or m.boundary:
        return m
    behind = _LAST_DAY.match(text, m.span[1])
    if behind and (m.relation == "from" or (m.relation in ("", "in") and behind["how"] != "and")):
        year = int(behind["y"] or m.start.year)
        days, span = (m.start.day, day_number(behind["d"])), (m.span[0], behind.end())
    elif m.relation in ("to", "and", "until", "by", "") and (
        before := _FIRST_DAY.search(text[: m.span[0]])
    ):
        if bool(before["dash"]) == bool(m.relation):
            return m
        year = m.start.year
        days, span = (day_number(before[0]), m.start.day), (before.start(), m.span[1])
    else:
        return m
    if not 0 < days[0] < days[1] <= monthrange(year, m.start.month)[1]:
        return m
    first, last = (date(year, m.start.month, day) for day in days)
    return WrittenDate(span, "in", "", first, last + timedelta(1), "week", m.clock, m.vague)


_LAST_DAY: Final = re.compile(
    rf"\s+(?P<how>to|through|thru|until|till|and)\s+(?:the\s+)?(?P<d>{_D})(?:,?\s+(?P<y>{YEAR}))?"
    r"(?=\s*(?:[?,;:!)]|\.(?!\d)|\Z)|\s+(?:in|at|on|for|or|and|with|inclusive)\b)",
    re.I,
)
"""Matches, right after a day, the last day of a range in the same month: "to 7" in "from June 1 to
7". A number with a noun or a unit ("to 7 percent") is not matched."""
_FIRST_DAY: Final = re.compile(
    rf"(?:\b(?:from|between)\s+(?:the\s+)?{_D}\s+|(?<![\d.-])\b{_D}(?P<dash>\s?[-–]\s?))\Z", re.I
)
"""Matches, right before a day, the first day of a range in the same month: "from 1" in "from 1 to 7
June"."""


def _joined(found: Sequence[WrittenDate], text: str) -> list[WrittenDate]:
    """The dates of a text, with the two ends of a range joined to one date: "from March 3 to
    March 9"."""
    out: list[WrittenDate] = []
    for m in (_within_month(one, text) for one in found):
        if out and out[-1].relation in ("from", "", "in") and (last := out[-1]):
            gap = text[last.span[1] : m.span[0]]
            joins = m.relation in ("to", "and", "until", "by") and last.relation == "from"
            dash = not m.relation and re.fullmatch(r"\s*[-–—]\s*", gap) is not None
            runs = last.start is None or m.end is None or last.start < m.end
            either = (
                m.precision == last.precision != "day"
                and last.relation == "in" and m.relation in ("", "and")
                and re.fullmatch(r"\s*(?:or|/)?\s*", gap) is not None
            )  # fmt: skip
            if runs and either:
                out[-1] = msgspec.structs.replace(
                    last, span=(last.span[0], m.span[1]), end=m.end, vague=last.vague or m.vague
                )
                continue
            if runs and last.relation != "in" and ((joins and not gap.strip()) or dash):
                clock = (last.clock[0], m.clock[1]) if last.clock and m.clock else None
                out[-1] = WrittenDate(
                    (last.span[0], m.span[1]), "in", "", last.start, m.end, "week", clock,
                    last.vague or m.vague,
                )  # fmt: skip
                continue
        out.append(m)
    return out


def _window_of(m: WrittenDate, text: str, anchor: date | None) -> Window:
    start, end, words = m.start, m.end, text[m.span[0] : m.span[1]].strip()

    def made(kind: WindowKind, start: date | None, end: date | None, vague: bool) -> Window:
        whole = kind == "by" and m.clock == (1439, 1439)  # 11:59 PM is the day's end
        return Window(
            kind=kind, start=start, end=end, clock=None if whole else m.clock,
            precision=m.precision, vague=m.vague or vague, text=words,
        )  # fmt: skip

    if m.relation in ("by", "before", "until"):
        if m.boundary == "start" or (m.relation == "before" and m.boundary != "end"):
            return made("by", None, start, False)
        if m.precision == "day" or m.boundary == "end" or end is None or start is None:
            if m.relation == "until" and m.precision == "day" and not m.boundary:
                return made("by", None, end, True)
            return made("by", None, end, False)
        # "by June" means the start or the end of June, whichever is nearer to the market's close.
        if anchor is None:
            return made("by", None, end, True)
        near_start = abs((start - anchor).days) < abs((end - anchor).days)
        edge = start if near_start else end
        return made("by", None, edge, abs((edge - anchor).days) > 3)
    if m.relation == "after" or (m.relation == "from" and m.precision != "week"):
        return made("after", end if m.relation == "after" else start, None, False)
    if m.boundary == "end" and end is not None:
        # "at the end of 2026" means its last day.
        return made("on", end - timedelta(1), end, False)
    if m.boundary == "start" and start is not None:
        return made("on", start, start + timedelta(1), True)
    return made("on" if m.precision == "day" else "in", start, end, False)

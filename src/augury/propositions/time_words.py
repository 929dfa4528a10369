"""Finds dates that are given in words (weekdays, holidays, seasons, durations, ends of periods),
and words around a date that change what it means ("by 5 PM on June 30", "mid-June", "June 30 or
earlier"). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from typing import Final

import msgspec

from augury.language import calendar, numerals
from augury.propositions.dates import YEAR, Days, WrittenDate, a_day, later, month_after, yearless

_PREPOSITION = (
    r"(?P<relation>no\s+later\s+than|by|before|until|till?|after|from|on|over|during|in|for|this|"
    r"next|come|at)"
)
_SIMPLE: Final = {
    "no later than": "by", "till": "until", "til": "until", "over": "on", "during": "in",
    "for": "on", "this": "on", "next": "on", "come": "on", "at": "on",
}  # fmt: skip
_DATED: Final = frozenset({"no later than", "by", "before", "until", "till", "after", "on", "from"})
"""Prepositions after which the name of a holiday counts as a date even without a year: "by
Christmas", but not "for" as in "All I Want for Christmas"."""
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SHORT: Final = {"eod": "day", "eow": "week", "eom": "month", "eoq": "quarter", "eoy": "year"}
_FEW: Final = {"a": 1, "an": 1, "couple": 2}
_SEASONS: Final = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
"""Season -> number of the month (1 to 12) in which the season begins in the northern hemisphere."""


_HOLIDAY = (
    r"(?:christmas|xmas)(?:\s+(?:eve|day))?|new\s+year['’]?s(?:\s+(?:eve|day))?(?!\s+resolution)|"
    r"halloween|valentine['’]?s(?:\s+day)?|(?:fourth|4th)\s+of\s+july|independence\s+day|juneteenth|"
    r"veterans\s+day|thanksgiving(?:\s+day)?|labor\s+day|memorial\s+day|easter(?:\s+sunday)?"
)
_IN_WORDS: Final = re.compile(
    rf"(?:\b{_PREPOSITION}\s+)?(?:the\s+)?(?:end\s+of\s+)?\b(?:"
    rf"(?P<holiday>{_HOLIDAY})(?!\s+(?:island|bunny|parade|sales?|movie|album|rockin|special))"
    rf"(?:,?\s+(?P<hy>{YEAR}))?"
    r"|(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?:\s+(?:night|morning|evening|"
    r"afternoon)(?!\s+(?:football|live|fever|baseball)))?"
    r"(?!\s+(?:night|the\s+13)|,?\s*(?:\d|[a-z]+\.?\s+\d))"
    r"|(?P<weekend>weekend)"
    r"|(?P<close>(?:end|close)\s+of\s+(?:the\s+)?(?P<period>day|week|month|quarter|year)"
    r"(?!\s+(?:on|of)\b)|"
    r"eo[dwmqy]|(?:the\s+)?(?:year|month|week)\s+(?:is\s+out|is\s+over|ends))"
    r"|(?P<season>spring|summer|fall|autumn|winter)(?:\s+(?:of\s+)?(?P<sy>" + YEAR + r"))?"
    r")\b",
    re.I,
)
_DURATION: Final = re.compile(
    rf"\b(?:(?P<within>within|inside|in\s+(?:under|less\s+than))\s+(?:the\s+next\s+)?"
    rf"|(?:in|during|over)\s+the\s+(?:next|coming)\s+)?"
    rf"(?P<n>\d{{1,3}}|{numerals.COUNT}|an?|couple\s+of)\s+"
    r"(?P<unit>hours?|days?|weeks?|months?|years?)(?P<now>\s+from\s+(?:now|today))?\b",
    re.I,
)
_PART_OF_MONTH: Final = re.compile(
    rf"(?:\b{_PREPOSITION}\s+)?(?:the\s+)?\b(?P<nth>first|1st|second|2nd|third|3rd|fourth|4th|last|final)\s+"
    r"(?:(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?P<week>week)|(?P<weekend>weekend))"
    rf"\s+(?:of|in)\s+(?P<month>{calendar.MONTH})\b\.?(?:,?\s+(?:of\s+)?(?P<year>{YEAR}))?",
    re.I,
)
_NTH: Final = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "last": 0, "final": 0,
}  # fmt: skip
"""Ordinal of a weekday or week in a month -> number, as `calendar.nth_weekday` takes it: 1 is the
first, 0 the last."""
_DAY_ALONE: Final = re.compile(
    r"\b(?P<relation>no\s+later\s+than|by|before|until|till?|after|on)\s+the\s+(?P<day>\d{1,2})(?:st|nd|rd|th)"
    r"(?:\s+of\s+(?:the|this|(?P<next>next))\s+month)?(?=\s*[?.!,;:)]|\s*\Z|\s+(?:or|and|at)\b)",
    re.I,
)
_WAY: Final = re.compile(r"(?:(?:after|before|from|of|following|prior\s+to)\s+)?(?:the\s+)?", re.I)
"""Matches the preposition and the article at the beginning of a date ("after the"), or an empty
text."""
_AWAY: Final = re.compile(
    rf"(?:\b(?P<lead>no\s+later\s+than|within|(?:in|during|over)\s+the|by|before|until|on|in|"
    rf"more\s+than|at\s+least)\s+)?(?:the\s+)?"
    rf"(?P<n>\d{{1,3}}|{numerals.COUNT}|an?)\s+(?P<unit>day|week|month|year)s?\s+"
    r"(?P<way>after|before|from|of|following|prior\s+to)\s+(?:the\s+)?\Z",
    re.I,
)
_LEADS: Final = tuple(
    (re.compile(rf"(?:{before})[\s,]*\Z", re.I), relation)
    for before, relation in (
        (r"\b(?:between|from)\s+(?:now|today)(?:\s+(?:and|to|until|till|through))?", "by"),
        (r"\b(?:no\s+(?:earlier|sooner)\s+than|starting(?:\s+(?:on|from))?|\bon\s+or)", "from"),
        (r"\b(?:at\s+the\s+latest(?:\s+(?:on|by))?|b4|up\s+to\s+and\s+including|til|by)", "by"),
    )
)
"""Pairs of a pattern for words right before a date, and the simple preposition for which they
stand: "no earlier than" -> "from", "b4" -> "by"."""
_CLOCK_LEAD: Final = re.compile(
    r"\b(?P<relation>by|before|until|till?|no\s+later\s+than|prior\s+to)\s+(?:the\s+)?"
    r"(?P<clock>\d{1,2}(?::\d\d)?\s?[ap]\.?m\.?|noon|midnight|(?:market\s+)?(?:close|open)|"
    r"(?:close|end)\s+of\s+(?:business|play|(?:the\s+)?day|trading|market))"
    r"(?:\s+(?:e[sd]?t|utc|gmt|p[sd]?t|eastern)(?:\s+time)?)?[\s,]*\Z",
    re.I,
)
_TRAILS: Final = (
    (re.compile(r"\s+(?:or\s+(?:earlier|sooner|before)|at\s+the\s+latest)\b", re.I), "by"),
    (re.compile(r"\s+(?:or\s+(?:later|after)|onwards?)\b", re.I), "from"),
)
_PART: Final = re.compile(
    r"(?:\b(?P<relation>by|before|until|after|since|from|in|around|at)\s+)?(?:the\s+)?"
    r"\b(?P<part>early|mid|late|middle\s+of|end)[\s-]+\Z",
    re.I,
)
_HINT: Final = re.compile(
    r"day\b|weekend|\beo[dwmqy]\b|\b(?:end|close)\s+of\b|spring|summer|fall|autumn|winter|hours?\b|"
    r"weeks?\b|months?\b|years?\b|days\b|christmas|xmas|halloween|valentine|july|"
    r"juneteenth|thanksgiving|easter|new\s+year|\bthe\s+\d{1,2}(?:st|nd|rd|th)\b",
    re.I,
)
"""Matches at least a part of every date in words ("next week", "Christmas") that `dates_in_words`
can find. In a text without a match the slower searches are skipped."""
_REACH: Final = 48
"""Words that change the meaning of a date ("mid-", "by 5 PM on") are looked for in this number of
characters before the date."""


def dates_in_words(
    text: str, anchor: date | None, floor: date | None, *, asked: bool
) -> list[WrittenDate]:
    """The dates that a text gives in words ("next Friday", "the end of the year"), adjusted by the
    words around them (`with_modifiers`). Empty if `anchor` is None.

    anchor : the market's close, or the day on which a question was asked
    floor : a date without a year gets a year in which it ends on this day or later; None: no such
        limit. For a question, `floor` equals `anchor`
    asked : whether the text is a user's question and not a market's
    """
    if anchor is None or not _HINT.search(text):
        return []
    parts = list(_parts_of_months(text, anchor, floor))
    named = _named(text, anchor, floor, asked=asked)
    found = parts + [one for one in named if not any(_overlap(one, part) for part in parts)]
    if asked:
        found += [*_durations(text, anchor), *_days_alone(text, anchor)]
    return [with_modifiers(one, text) for one in found]


def _overlap(one: WrittenDate, other: WrittenDate) -> bool:
    return one.span[0] < other.span[1] and other.span[0] < one.span[1]


def _parts_of_months(text: str, anchor: date, floor: date | None) -> Iterator[WrittenDate]:
    """Find the parts of months that a text names: "the first Monday in June", "the last week of
    March"."""
    for match in _PART_OF_MONTH.finditer(text):
        preposition = " ".join((match["relation"] or "").casefold().split())
        nth = _NTH[match["nth"].casefold()]
        month = calendar.month(match["month"])
        first, end = yearless("month", month, 1, match["year"], anchor, floor)[:2]
        if first is None or end is None:
            continue
        if match["weekday"] or match["weekend"]:
            weekday = _WEEKDAYS.index((match["weekday"] or "sat")[:3].casefold())
            start = calendar.nth_weekday(first.year, month, weekday, nth)
            stop = start + timedelta(2 if match["weekend"] else 1)
        else:
            start = first + timedelta(7 * (nth - 1)) if nth else end - timedelta(7)
            stop = start + timedelta(7)
        day = match["weekday"] is not None
        relation = _SIMPLE.get(preposition, preposition) or "in"
        if relation in ("on", "in"):
            relation = "on" if day else "in"
        # People count the weeks of a month in more than one way.
        boundary = "end" if relation == "by" else "start" if relation == "before" else ""
        precision = "day" if day else "week"
        yield WrittenDate(match.span(), relation, boundary, start, stop, precision, None, not day)


def _days_alone(text: str, anchor: date) -> Iterator[WrittenDate]:
    """Find the days that a text names only by number: "by the 15th" means the first 15th of a month
    on or after `anchor`."""
    for match in _DAY_ALONE.finditer(text):
        first = anchor.replace(day=1)
        preposition = " ".join(match["relation"].casefold().split())
        number = int(match["day"])
        if match["next"] or number < anchor.day:
            first = month_after(first, 1)
        with suppress(ValueError):  # no such day in that month
            start, end, precision, _ = a_day(first.replace(day=number))
            relation = _SIMPLE.get(preposition, preposition)
            # The market on a game and whoever asks may count the day in different time zones.
            vague = relation == "on"
            yield WrittenDate(match.span(), relation, "", start, end, precision, None, vague)


def _named(text: str, anchor: date, floor: date | None, *, asked: bool) -> Iterator[WrittenDate]:
    for match in _IN_WORDS.finditer(text):
        preposition = " ".join((match["relation"] or "").casefold().split())
        relation = _SIMPLE.get(preposition, preposition)
        boundary = "end" if re.search(r"\bend\s+of\s+\Z", text[: _core(match)], re.I) else ""
        days: Days | None = None
        if match["holiday"]:
            if preposition not in _DATED and not match["hy"]:
                continue  # "All I Want for Christmas" is a song
            days = _holiday(match["holiday"], match["hy"], anchor, floor)
        elif match["season"]:
            if match["sy"] or preposition in ("this", "next", "by", "before"):
                days = _season(match, anchor, floor, is_present=preposition == "this")
                relation = "in" if preposition in ("this", "next", "") else relation
        elif asked and match["close"]:
            days, relation = _period_end(match, anchor), "by" if relation == "" else relation
            relation = "by" if relation in ("before", "until") else relation
        elif asked and match["weekend"] and preposition in ("this", "next", "on", "over", "by"):
            start = anchor + timedelta((5 - anchor.weekday()) % 7 + 7 * (preposition == "next"))
            days = start, start + timedelta(2), "week", True
            relation = "by" if relation == "by" else "in"
        elif asked and match["weekday"] and (preposition or _is_last(match, text)):
            ahead = (_WEEKDAYS.index(match["weekday"][:3].casefold()) - anchor.weekday()) % 7
            day = anchor + timedelta(ahead + 7 * (preposition == "next" and ahead < 4))
            relation = relation or "on"
            # The market on a game and whoever asks may count the day in different time zones.
            days = day, day + timedelta(1), "day", relation == "on"
        if days is not None:
            start, end, precision, vague = days
            yield WrittenDate(match.span(), relation, boundary, start, end, precision, None, vague)


def _core(match: re.Match[str]) -> int:
    """Where the name of the time starts in the text, e.g. "Christmas" in "by Christmas"."""
    names = ("holiday", "weekday", "weekend", "close", "season")
    return next(match.start(name) for name in names if match[name])


def _is_last(match: re.Match[str], text: str) -> bool:
    return not text[match.end() :].strip(" ?.!")


def _holiday(name: str, year: str | None, anchor: date, floor: date | None) -> Days:
    if year is not None:
        return a_day(calendar.holiday(name, int(year)))
    days = [calendar.holiday(name, anchor.year + n) for n in (-1, 0, 1)]
    coming = [one for one in days if floor is None or one >= floor]
    if floor == anchor:
        return a_day(min(coming))
    return a_day(min(coming or days, key=lambda one: abs((one - anchor).days)))


def _season(match: re.Match[str], anchor: date, floor: date | None, *, is_present: bool) -> Days:
    month = _SEASONS[match["season"].casefold()]
    start = yearless("month", month, 1, match["sy"], anchor, floor)[0]
    if start is None:
        return None, None, "quarter", True
    before = month_after(start, -12)
    if is_present and not match["sy"] and before <= anchor < month_after(before, 3):
        start = before  # "this winter", asked in January
    return start, month_after(start, 3), "quarter", True


def _period_end(match: re.Match[str], anchor: date) -> Days:
    close = match["close"].casefold()
    period = (match["period"] or "").casefold()
    period = period or _SHORT.get(close) or close.removeprefix("the ").split()[0]
    if period == "day":
        return a_day(anchor)
    if period == "week":
        return a_day(anchor + timedelta(6 - anchor.weekday()))
    months = {"month": 1, "quarter": 3, "year": 12}[period]
    first = date(anchor.year, (anchor.month - 1) // months * months + 1, 1)
    return a_day(month_after(first, months) - timedelta(1))


def _durations(text: str, anchor: date) -> Iterator[WrittenDate]:
    for match in _DURATION.finditer(text):
        if not (match["within"] or match["now"] or match[0][:2].casefold() in ("in", "du", "ov")):
            continue
        if match["within"] and re.match(r"\s+(?:of|after|before)\b", text[match.end() :], re.I):
            continue  # counted from another event, not from now
        number = match["n"].casefold()
        count = _FEW[number[:6]] if number[:6] in _FEW else numerals.count(number)
        unit = match["unit"].casefold()
        if unit.startswith("hour"):
            end = anchor + timedelta(-(-count // 24))
        else:
            end = later(anchor, count, unit)
        yield WrittenDate(match.span(), "by", "end", anchor, end + timedelta(1), "week", None, True)


def with_modifiers(m: WrittenDate, text: str) -> WrittenDate:
    """The date `m`, adjusted by the words around it in `text`. Such words are e.g. a time of day
    before the date ("by 5 PM on June 30"), a part of it ("mid-June"), a distance from it ("two
    weeks after June 1"), or "or earlier" after it. Without such words the date is returned
    unchanged."""
    start, stop = m.span
    before, after = text[max(0, start - _REACH) : start], text[stop:]
    if m.precision == "day" and (moved := _away(m, text)):
        return moved
    if (
        m.precision == "day"
        and m.relation in ("on", "", "of")
        and (clock := _CLOCK_LEAD.search(before))
    ):
        first = re.match(r"12(?::00)?\s?a", clock["clock"], re.I) or clock["clock"] == "open"
        kept = "before" if first and clock["relation"].casefold() != "by" else "by"
        return _moved(m, start - len(before) + clock.start(), stop, kept)
    for pattern, relation in _TRAILS:
        if m.relation in ("on", "", "in") and (trail := pattern.match(after)):
            return _moved(m, start, stop + trail.end(), relation)
    if (
        m.relation == ""
        and m.precision != "day"
        and (part := _PART.search(before))
        and (part["relation"] or part["part"].casefold() != "end")
    ):  # "end" without a preposition may be a verb
        return _part(m, start - len(before) + part.start(), part)
    for pattern, relation in _LEADS:
        if (lead := pattern.search(before)) and (
            m.relation in ("", "on", "and")
            or (m.relation, relation) in (("after", "from"), ("by", "by"))
        ):
            return _moved(m, start - len(before) + lead.start(), stop, relation)
    return m


def _away(m: WrittenDate, text: str) -> WrittenDate | None:
    """What the words before the date `m` make of it: a day some time before or after it ("two weeks
    after June 1"), or the time between that day and the date ("within two weeks of June 1"). None
    if no such words stand before the date."""
    led = _WAY.match(text, m.span[0])
    until = led.end() if led else m.span[0]
    found = _AWAY.search(text[:until], max(0, m.span[0] - _REACH))
    if found is None or m.start is None or m.end is None:
        return None
    number = found["n"].casefold()
    count = _FEW[number] if number in _FEW else numerals.count(number)
    way = -1 if found["way"].casefold().startswith(("before", "prior")) else 1
    day = later(m.start, way * count, found["unit"].casefold())
    lead = " ".join((found["lead"] or "").casefold().split())
    if lead.endswith(("within", " the")):
        first, last = sorted((m.start, day))
        return WrittenDate(
            (found.start(), m.span[1]), "in", "", first, last + timedelta(1), "week", None, True
        )
    outer = {"more than": "after", "at least": "from"} if way > 0 else _EARLIER
    relation = {"no later than": "by", "in": "on", "": "on", **outer}.get(lead, lead)
    span = found.start(), m.span[1]
    return WrittenDate(span, relation, "", day, day + timedelta(1), "day", None, True)


_EARLIER: Final = {"more than": "before", "at least": "by"}
"""A time span can be counted back from a day: "a week before June 30" is June 23. Words before such
a span -> the preposition that says the same of the earlier day. "At least a week before June 30"
means by June 23; "more than a week before June 30" means before June 23."""


def _moved(m: WrittenDate, start: int, stop: int, relation: str) -> WrittenDate:
    return msgspec.structs.replace(m, span=(start, stop), relation=relation)


def _part(m: WrittenDate, at: int, part: re.Match[str]) -> WrittenDate:
    """Narrow the date `m` to the part that the word before it names: the first, middle or last
    third for "early", "mid" or "late". For "end", the date keeps its days and is marked as meaning
    only their end (`WrittenDate.boundary`).

    at : position in the text at which the words of `part` begin
    part : match of `_PART`, e.g. "by mid-"
    """
    preposition = " ".join((part["relation"] or "").casefold().split())
    which = part["part"].casefold()
    if m.start is None or m.end is None:
        return m
    if which == "end":
        return msgspec.structs.replace(
            m, span=(at, m.span[1]), relation=preposition, boundary="end"
        )
    third = (m.end - m.start) / 3
    nth = {"early": 0, "late": 2}.get(which, 1)
    start = m.start + timedelta((third * nth).days)
    end = m.end if nth == 2 else m.start + timedelta((third * (nth + 1)).days)
    boundary = "end" if preposition in ("by", "before", "until") else ""
    return msgspec.structs.replace(
        m, span=(at, m.span[1]), relation="by" if boundary else preposition, boundary=boundary,
        start=start, end=end, vague=True,
    )  # fmt: skip

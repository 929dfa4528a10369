"""Makes the window of time from the dates of a text: "by March 31", "in 2026", "on May 3 at 4 PM",
"from June 1 to June 7". Pure.

The end of a window is the day after its last day, so that "by March 31" and "before April 1" are
the same window.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final, Literal

import msgspec

from augury.propositions.dates import DAY, YEAR, Precision, WrittenDate, day_number

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
    """Times of day at which the window begins and ends, in minutes after midnight; equal for a
    single moment. A time zone in the text is ignored. None if the text names no time of day."""
    precision: Precision = "day"
    since: date | None = None
    """Day on which the market was opened or the question was asked. The event that the market or
    question is about had not happened by then."""
    vague: bool = False
    """Whether the words can mean two windows ("by June": the start or the end of June), or the year
    is not known."""
    years: frozenset[int] = frozenset()
    """Years that the text names without a day or month. In a text about a contest they name its
    edition: 2026 in "the 2026 election" and in "the 2025-26 season"."""
    text: str = ""
    """The words of the text from which the window was read."""


def has_ended(window: Window, day: date) -> bool:
    """Whether a window of time that a text names has certainly ended before `day`. False if the
    text names no time or a vague one."""
    is_named = window.text and not window.vague and window.kind in ("by", "in", "on")
    return bool(is_named) and window.end is not None and window.end <= day


_COARSENESS: Final = {"day": 0, "week": 1, "month": 2, "quarter": 3, "year": 4, "decade": 5}
"""Precision of a date -> its rank; a smaller rank is finer. If a text names several windows of the
same kind, e.g. "by June 3" and "by 2027", the one with the finest date is used ("by June 3")."""


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
    """Extend the day `m` to a range if the text gives the other end of the range as a number
    without a month: the "7" in "June 1 to 7", the "1st" in "between the 1st and the 7th of June",
    the "1" in "1-7 June". Any other date is returned unchanged."""
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
    rf"\s+(?P<how>to|through|thru|until|till|and)\s+(?:the\s+)?(?P<d>{DAY})(?:,?\s+(?P<y>{YEAR}))?"
    r"(?=\s*(?:[?,;:!)]|\.(?!\d)|\Z)|\s+(?:in|at|on|for|or|and|with|inclusive)\b)",
    re.I,
)
"""Matches the last day of a range within one month, at the beginning of the text that stands after
the range's first day: " to 7" after "from June 1". A number with a noun or a unit (" to 7 percent")
is not matched."""
_FIRST_DAY: Final = re.compile(
    rf"(?:\b(?:from|between)\s+(?:the\s+)?{DAY}\s+|(?<![\d.-])\b{DAY}(?P<dash>\s?[-–]\s?))\Z", re.I
)
"""Matches the first day of a range within one month, at the end of the text that stands before the
range's last day: "from 1 " before "to 7 June", or "1-" before "7 June"."""


def _joined(found: Sequence[WrittenDate], text: str) -> list[WrittenDate]:
    """The dates of a text. The two ends of a range are merged into one date that covers the range:
    "from March 3 to March 9". So are two periods joined by "or": "in March or April"."""
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

"""How a question's window of time relates to a market's. Pure."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from msgspec import structs

from augury.forecast.order import Order
from augury.propositions.proposition import CONTESTS, Proposition
from augury.propositions.windows import Window

_REVERSED: Final[dict[Order, Order]] = {"implies": "implied", "implied": "implies"}
"""Relation between two deadlines -> the reversed one, which counts if the question asks whether
something lasts. Usually the earlier deadline implies the later one: what happens by May happens by
June. For what lasts it is the other way round: what lasts until June lasts until May."""
_MAX_DAYS_TO_CLOSE: Final = 400
"""A market on a contest may name no date and close after the question's window. It can still be
about the same contest if it closes at most this many days later. Chosen by hand."""


def window_order(
    ours: Proposition, theirs: Proposition, closes: date | None, at: date, *, lasting: bool
) -> tuple[Order, float]:
    """How the question's window of time (`ours`) relates to the market's (`theirs`), and the number
    of days from the market's deadline to the question's (negative: the market's is later; 0: no
    difference that counts).

    closes : day on which the market closes
    at : day on which the question is asked
    lasting : the question asks if something lasts until a day, i.e. is so on every day before it
    """
    q, m = ours.window, theirs.window
    if lasting and q.text and {q.kind, m.kind} <= {"on", "by", "open"}:
        q = structs.replace(q, kind="by", start=None)
        m = structs.replace(m, kind="by", start=None) if m.text else m
        order, gap = _window_of(q, m, ours, theirs, closes, at)
        return _REVERSED.get(order, order), gap
    return _window_of(q, m, ours, theirs, closes, at)


def _window_of(
    q: Window, m: Window, ours: Proposition, theirs: Proposition, closes: date | None, at: date
) -> tuple[Order, float]:
    if not q.text or (q.end is None and q.start is None):
        return "unsaid", 0.0
    if q.kind == "after" or m.kind == "after":
        if q.kind == m.kind and q.start == m.start:
            return "same", 0.0
        if q.kind == "by" and q.end and m.start and m.start >= q.end:
            return "differs", 0.0  # what comes after April 30 does not come by then
        if m.kind == "after" and _within(q, m.start):
            return "same", 0.0  # "after the January meeting"
        if m.kind == "after" and m.start is None:  # "after the season"
            return ("same" if closes and _within(q, closes) else "unsaid"), 0.0
        return "differs", 0.0
    # The day of a game may come from the market's id; it says more than the close, which leaves
    # time for delays.
    asked_end, named_end = q.end, m.end if m.text or m.kind == "on" else None
    if asked_end is None:
        return "unsaid", 0.0
    if named_end is None:
        return _to_close(q, asked_end, closes, contest=_about_contest(ours, theirs))
    gap = (asked_end - named_end).days
    if abs(gap) <= (0 if q.kind == m.kind == "on" else 1):
        ahead = any(w.start is not None and w.start > at for w in (q, m))
        if q.kind == "in" and m.kind == "in" and q.start != m.start and ahead:
            return "differs", 0.0
        if (
            {q.kind, m.kind} == {"on", "by"} and ours.threshold is None and ours.positive
            and "leaves" not in (ours.predicate, theirs.predicate)
        ):  # fmt: skip
            return ("implies" if q.kind == "on" else "implied"), 0.0
        return "same", 0.0
    if q.kind == "on" or m.kind == "on":
        cumulative = ours.predicate not in ("value", "rises") and theirs.predicate not in (
            "value", "rises")  # fmt: skip
        if not cumulative or (q.kind == "on" and m.kind == "on"):
            return "differs", float(gap)
    if m.kind == "in" and m.start is not None and asked_end <= m.start:
        return "differs", float(gap)
    if q.kind == "in" and q.start is not None and named_end <= q.start:
        return "differs", float(gap)
    return ("implied" if gap > 0 else "implies"), float(gap)


def _to_close(q: Window, end: date, closes: date | None, *, contest: bool) -> tuple[Order, float]:
    """Compare the question's window of time `q`, which ends on the day `end`, with a market that
    names no date; the market's close, `closes`, serves as its deadline. Returns how the two relate,
    and the number of days from the market's deadline to the question's. The number is negative if
    the market's deadline is later. It is 0 unless the relation is `implies` or `implied`.

    contest : whether question or market is about a contest
    """
    if closes is None:
        return "unsaid", 0.0
    gap = (end - closes).days
    if q.kind in ("in", "on") and _within(q, closes):
        return "same", 0.0
    if q.kind in ("in", "on") and -_MAX_DAYS_TO_CLOSE <= gap < 0 and contest:
        return "unsaid", 0.0
    if -7 <= gap <= (200 if q.kind in ("in", "on") else 45):
        return "same" if -2 <= gap <= 7 else "unsaid", 0.0
    return ("implied" if gap > 0 else "implies"), float(gap)


def _about_contest(ours: Proposition, theirs: Proposition) -> bool:
    """Whether the question or the market is about a contest, which is decided on a certain day. The
    market may close long after that day, to allow for delays; its later close must then not be read
    as asking about a later contest."""
    contests = {ours.predicate, theirs.predicate} & CONTESTS
    return bool(contests) and not {ours.predicate, theirs.predicate} & {"leaves", "rises"}


def _within(w: Window, day: date | None) -> bool:
    return (
        day is not None and w.end is not None
        and (w.start or w.end - timedelta(31)) <= day <= w.end + timedelta(1)
    )  # fmt: skip

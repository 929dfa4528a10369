"""How two windows of time relate, and which joint outcomes are therefore impossible for an event in
one window and the same event in the other. Pure.

Example: "X happens in May" can't be true if "X happens in 2026" is false.
"""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple

from augury.logic.joint_outcomes import FT, TF, TT
from augury.propositions.proposition import Proposition
from augury.propositions.windows import Window

WindowOrder = Literal["equal", "inside", "contains", "overlap", "apart", "unknown"]
_DAY: Final = 1440

_ONCE: Final = frozenset({"die", "ipo", "dissolv"})
"""Terms (stems) of events that happen at most once: "die"."""


def occurrences(a: Proposition, b: Proposition) -> int:
    """The joint outcomes (bits TT, TF, FT, FF) that "X happens" in the window of `a` and "X
    happens" in the window of `b` can't have: TF if the window of `a` lies within that of `b`."""
    match window_order(a.window, b.window):
        case "equal":
            return TF | FT
        case "inside":
            return TF
        case "contains":
            return FT
        case "apart":
            once = a.predicate == "leaves" or a.terms & _ONCE
            return TT if once else 0
        case _:
            return 0


class _Span(NamedTuple):
    low: float
    """First minute of the window, counted from day 0 of `date.toordinal`; -inf if the window begins
    when the market is opened or the question is asked."""
    high: float
    since: float
    """Minute at which the market was opened or the question was asked, counted from day 0 of
    `date.toordinal`; -inf if unknown."""


def _span(w: Window) -> _Span | None:
    since = w.since.toordinal() * _DAY if w.since else -math.inf
    if w.vague:
        return None
    if w.kind == "by" and w.end is not None:
        high = w.end.toordinal() * _DAY
        if w.clock is not None:
            high += w.clock[1] - _DAY
        return _Span(-math.inf, high, since)
    if w.kind in ("in", "on") and w.start is not None and w.end is not None:
        low, high = w.start.toordinal() * _DAY, w.end.toordinal() * _DAY
        if w.clock is not None and w.kind == "on":
            start, stop = w.clock
            low, high = low + start, low + stop + (_DAY if stop < start else 0)
        return _Span(low, high, since)
    if w.kind == "after" and w.start is not None:
        return _Span(w.start.toordinal() * _DAY, math.inf, since)
    return None


def window_order(a: Window, b: Window) -> WindowOrder:
    """How the window of time `a` relates to `b`: "inside" means that `a` lies within `b`, "unknown"
    that the relation can't be told.

    A question is opened before its event has happened. Therefore "in 2026" and "by the end of 2026"
    are the same window if one of them is asked in 2026; if both are asked in 2025, they are not.
    """
    if a.kind == "open" and b.kind == "open":
        if a.end == b.end:
            return "equal"
        near = a.end is not None and b.end is not None and abs((a.end - b.end).days) <= 2
        return "equal" if near else "unknown"
    one, two = _span(a), _span(b)
    if one is None or two is None or one.high <= two.since or two.high <= one.since:
        return "unknown"  # one window was over before the other question was opened
    if one.high <= two.low or two.high <= one.low:
        # Two windows can be the same single moment, which is then not apart from itself.
        return "equal" if (one.low, one.high) == (two.low, two.high) else "apart"
    inside, contains = _within(one, two), _within(two, one)
    if inside and contains:
        return "equal"
    if inside:
        return "inside"
    if contains:
        return "contains"
    low = max(s.low if s.low > -math.inf else s.since for s in (one, two))
    return "overlap" if -math.inf < low < min(one.high, two.high) else "unknown"


def _within(a: _Span, b: _Span) -> bool:
    """Whether everything that happens within span `a` also happens within span `b`, given that the
    event had not happened when the later of the two questions was opened."""
    starts = max(a.since, b.since) if a.low == -math.inf else a.low
    return a.high <= b.high and (b.low == -math.inf or starts >= b.low)


def starts_after_opening(a: Window, b: Window) -> bool:
    """For a window of kind `by` (any time until a day) and a window of another kind: whether the
    other window starts no earlier than the question with the `by` window was opened. False if one
    of these two days is not known. True if both windows are of kind `by` or neither is.

    This matters for levels: an event is asked about only before it has happened, but a level may
    have been reached before.
    """
    for one, other in ((a, b), (b, a)):
        if one.kind == "by" and other.kind != "by":
            opened = one.since
            if opened is None or other.start is None or other.start < opened:
                return False
    return True

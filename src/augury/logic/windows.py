"""How two windows of time relate, and what follows for "an event happens in one window" and "it
happens in the other": which joint outcomes (combinations of truth values) are impossible. Pure.

Example: "X happens in May 2026" can't be true if "X happens in 2026" is false.
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
"""Terms (stemmed words) of events that happen at most once: "die"."""


def impossible_occurrences(a: Proposition, b: Proposition) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions: "X happens
    in the window of `a`" and "X happens in the window of `b`". For example, TF (true, false) is
    impossible if the window of `a` lies within that of `b`."""
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
    """First minute of the window, in minutes since day 0 of `date.toordinal`; -inf if the window
    begins when the market is opened or the question is asked."""
    high: float
    """End of the window, in minutes since day 0 of `date.toordinal`; inf if it has none."""
    since: float
    """Time at which the market was opened or the question was asked, in minutes since day 0 of
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
    """How the window of time `a` relates to the window `b`. "inside" means that `a` lies within
    `b`. "unknown" means that it can't be told how the two relate.

    Whoever asks about an event knows that it has not happened yet. So in a question asked in 2026,
    "by the end of 2026" can only mean 2026. It is the same window as "in 2026", even if only one of
    the two questions is asked in 2026. If both are asked in 2025, "by the end of 2026" also covers
    the rest of 2025, and the windows differ.
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
    """Whether an event that happens within span `a` must also happen within span `b`. Each span
    belongs to a question; it is assumed that the event had not happened yet when the second of the
    two questions was opened."""
    starts = max(a.since, b.since) if a.low == -math.inf else a.low
    return a.high <= b.high and (b.low == -math.inf or starts >= b.low)


def starts_after_opening(a: Window, b: Window) -> bool:
    """Whether the windows of two questions can be compared. Both questions ask whether a level is
    reached in their window.

    A window of kind `by` runs from the opening of its question until a day. If only one of the two
    windows is of this kind, the other one must start at that opening or later. The result is False
    if it starts earlier, or if its start or the opening is not known. In all other cases the result
    is True.

    This matters for levels only: nobody asks about an event after it has happened, but a level may
    have been reached before.
    """
    for one, other in ((a, b), (b, a)):
        if one.kind == "by" and other.kind != "by":
            opened = one.since
            if opened is None or other.start is None or other.start < opened:
                return False
    return True

"""Which joint outcomes (combinations of truth values) of two propositions on amounts are
impossible: "above 5" and "below 3" can't both be true. Pure.

A proposition is about one of three things: the value of a quantity at a time; whether a quantity
reaches a level at any time in a window; or the number of events.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from augury.logic.joint_outcomes import FF, FT, TF, TT, exchanged
from augury.logic.windows import WindowOrder, starts_after_opening, window_order
from augury.propositions.proposition import Proposition, Threshold
from augury.propositions.windows import Window

_CONTINUOUS: Final = frozenset({"usd", "eur", "gbp"})
"""Units of quantities that can take any value, not only whole numbers."""


class Range(NamedTuple):
    """An interval of values from `low` to `high`. `low_in`: whether `low` itself belongs to the
    interval; `high_in`: whether `high` does."""

    low: float
    low_in: bool
    high: float
    high_in: bool


def impossible_amounts(a: Proposition, b: Proposition) -> int:
    """The joint outcomes that two propositions on amounts of the same thing can't have, as a union
    of the bits TT, TF, FT and FF (see `joint_outcomes`): TT (both true) for "above 5" and "below
    3"."""
    p, q = a.threshold, b.threshold
    if p is None or q is None:
        return 0
    if p.unit != q.unit and "none" not in (p.unit, q.unit):
        return 0
    unit = q.unit if p.unit == "none" else p.unit
    counts = a.predicate == "counts"
    if counts != (b.predicate == "counts"):
        return 0
    # A half ("over 3.5") lies between two whole numbers.
    whole = counts or (unit == "degrees" and _integral(p) and _integral(q))
    continuous = unit in _CONTINUOUS or "touches" in (a.predicate, b.predicate)
    one = _range(p, whole=whole, continuous=continuous)
    two = _range(q, whole=whole, continuous=continuous)
    order = window_order(a.window, b.window)
    if "touches" in (a.predicate, b.predicate) and not starts_after_opening(a.window, b.window):
        return 0
    if a.predicate == b.predicate == "touches":
        return _touches(one, two, order)
    if counts:
        return _impossible_for_counts(one, two, order)
    if a.predicate == b.predicate == "value":
        if order != "equal":
            return 0
        return (
            whole_values(one, two, least=-math.inf)
            if whole
            else _impossible_for_one_value(one, two)
        )
    if a.predicate == "touches":
        return exchanged(_value_and_touch(two, one, b.window, a.window))
    return _value_and_touch(one, two, a.window, b.window)


def _range(t: Threshold, *, whole: bool, continuous: bool) -> Range:
    """The range of values of a threshold, with its ends normalized so that two ranges can be
    compared.

    whole : the values are whole numbers; the ends become the smallest and the largest whole number
        in the range ("over 3.5" -> from 4)
    continuous : the values are prices, or levels to reach; both ends then belong to the range, so
        "above 100" and "at least 100" give the same range
    """
    low, high, low_in, high_in = t.low, t.high, t.low_in, t.high_in
    if whole:
        if math.isfinite(low):
            low, low_in = (math.ceil(low) if low_in else math.floor(low) + 1), True
        if math.isfinite(high):
            high, high_in = (math.floor(high) if high_in else math.ceil(high) - 1), True
    elif continuous:
        low_in = high_in = True
    return Range(low, low_in, high, high_in)


def _integral(t: Threshold) -> bool:
    return all(math.isinf(x) or x == int(x) for x in (t.low, t.high))


def _subset(a: Range, b: Range) -> bool:
    low = a.low > b.low or (a.low == b.low and (b.low_in or not a.low_in))
    high = a.high < b.high or (a.high == b.high and (b.high_in or not a.high_in))
    return low and high


def _disjoint(a: Range, b: Range) -> bool:
    """Whether two intervals have no number in common, not counting a shared end. "66,000-68,000"
    and "68,000-70,000" are disjoint, because the venue's rules give 68,000 to only one of them.

    Exception: if one of the intervals is a single number, a shared end is not ignored. The two are
    then disjoint only if the other interval does not contain this number: "exactly 5" and "at most
    5" are not disjoint, "exactly 5" and "below 5" are.
    """
    first, second = sorted((a, b))
    if first.low == first.high == second.low:
        return not (first.low_in and second.low_in)
    if first.high == second.low == second.high:
        return not (first.high_in and second.low_in)
    return first.high <= second.low


def _complement(a: Range) -> Range | None:
    """All numbers outside of the interval `a`, if they form one interval, i.e. if `a` has no lower
    or no upper bound; else None."""
    if math.isinf(a.high):
        return Range(-math.inf, True, a.low, not a.low_in)
    if math.isinf(a.low):
        return Range(a.high, not a.high_in, math.inf, True)
    return None


def _impossible_for_one_value(p: Range, q: Range) -> int:
    """The combinations of truth values that are impossible for the propositions "the value is in
    `p`" and "the same value is in `q`", as a union of the bits TT, TF, FT and FF (first letter: the
    first proposition)."""
    impossible = 0
    if _disjoint(p, q):
        impossible |= TT
    if _subset(p, q):
        impossible |= TF
    if _subset(q, p):
        impossible |= FT
    rest = _complement(p)
    if rest is not None and _cover_all(p, q) and (
        _subset(rest, q) or (math.isinf(p.high) and q.low == -math.inf and q.high >= p.low)
        or (math.isinf(p.low) and math.isinf(q.high) and q.low <= p.high)
    ):  # fmt: skip
        impossible |= FF
    if impossible & TF and impossible & FT:
        return TF | FT
    return impossible


def _cover_all(p: Range, q: Range) -> bool:
    """Whether two intervals together cover all numbers, e.g. "above 3" and "below 5". One of them
    must have no upper bound and the other no lower bound; else False."""
    up, down = (p, q) if math.isinf(p.high) else (q, p)
    if not (math.isinf(up.high) and math.isinf(down.low)):
        return False
    if up.low < down.high:
        return True
    return up.low == down.high and (up.low_in or down.high_in)


def _touches(p: Range, q: Range, order: WindowOrder) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions: "the quantity
    gets into `p` at some time in one window" and "it gets into `q` at some time in another window".

    order : how the first window relates to the second ("inside": the first lies within the second)
    """
    if (p.low, p.high) == (q.low, q.high) and order == "equal":
        return TF | FT
    if p.low == p.high or q.low == q.high:
        return 0  # "hit 50" does not say from which side
    if math.isinf(p.high) != math.isinf(q.high):
        meets = order in ("equal", "inside", "contains", "overlap")
        return FF if meets and _cover_all(p, q) else 0
    impossible = 0
    if order in ("equal", "inside") and _subset(p, q):
        impossible |= TF
    if order in ("equal", "contains") and _subset(q, p):
        impossible |= FT
    return impossible


def _value_and_touch(value: Range, touch: Range, at: Window, window: Window) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions: "the quantity
    is in `value` at the time `at`" and "it gets into `touch` at some time in `window`". 0 if `at`
    is not a day or moment within `window`."""
    if at.kind != "on" or touch.low == touch.high:
        return 0
    if window_order(at, window) not in ("inside", "equal"):
        return 0
    impossible = TF if _subset(value, touch) else 0
    rest = _complement(value)
    if rest is not None and _subset(rest, touch):
        impossible |= FF
    return impossible


def _impossible_for_counts(p: Range, q: Range, order: WindowOrder) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions: "the number
    of events in one window is in `p`" and "the number of these events in another window is in `q`".
    A window that contains the other has at least as many events.

    order : how the first window relates to the second ("inside": the first lies within the second)
    """
    if order == "equal":
        return whole_values(p, q)
    if order == "inside":
        return _ordered_counts(p, q)
    if order == "contains":
        return exchanged(_ordered_counts(q, p))
    return 0


_Runs = list[tuple[float, float]]
"""A set of whole numbers as closed intervals, each as (smallest, largest)."""


def _parts(r: Range, least: float) -> tuple[_Runs, _Runs]:
    """The whole numbers from `least` on, divided into those in the range `r` and those outside of
    it. Each part is a list of closed intervals."""
    low, high = max(r.low, least), r.high
    inside: _Runs = [(low, high)] if low <= high else []
    outside: _Runs = [(least, low - 1)] if low > least else []
    if math.isfinite(high):
        outside.append((high + 1, math.inf))
    return inside, outside


def whole_values(p: Range, q: Range, *, least: float = 0.0) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions: "the number
    is in `p`" and "the same number is in `q`". It is a whole number that is at least `least`."""

    def meet(one: _Runs, two: _Runs) -> bool:
        return any(max(a[0], b[0]) <= min(a[1], b[1]) for a in one for b in two)

    return _impossible_counts(p, q, meet, least)


def _ordered_counts(p: Range, q: Range) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions: "the number
    of events in the narrower window is in `p`" and "the number of events in the wider window is in
    `q`". The first number is at most the second."""

    def meet(one: _Runs, two: _Runs) -> bool:
        return any(a[0] <= b[1] for a in one for b in two)

    return _impossible_counts(p, q, meet, 0.0)


def _impossible_counts(
    p: Range, q: Range, meet: Callable[[_Runs, _Runs], bool], least: float
) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions: "the first
    number is in `p`" and "the second number is in `q`". Both are whole numbers, at least `least`.

    meet : says how the two numbers are related. It is called with two sets of whole numbers, and
        returns whether the first number can be in the first set while the second number is in the
        second set
    """
    (p_in, p_out), (q_in, q_out) = _parts(p, least), _parts(q, least)
    if not (p_in and p_out and q_in and q_out):
        return 0  # one of the two is always true or always false, so it was misread
    impossible = 0
    for outcome, one, two in (
        (TT, p_in, q_in), (TF, p_in, q_out), (FT, p_out, q_in), (FF, p_out, q_out),
    ):  # fmt: skip
        if not meet(one, two):
            impossible |= outcome
    return impossible

"""How the level that a question names relates to the level that a market names: the same, higher,
lower, overlapping ... Pure.

`q` is what was read from the question, `m` what was read from the market.
"""

from __future__ import annotations

import math
import re
from typing import Final

import msgspec

from augury.forecast.cues import WARMTH
from augury.forecast.order import Order
from augury.forecast.view import View
from augury.propositions.proposition import Proposition, Threshold
from augury.search.text import is_number, is_year, term, terms

ELSE_WEIGHT: Final = 0.4
"""Suppose that the question names a level and the market names none. If the market has a term of at
least this weight that the question lacks, it counts as being about another quantity. Weights
(`View.weights`), 0.08 to 1.8, say how telling a term is. Chosen by hand."""
MAX_COUNT: Final = 1_000.0
"""From this amount on, a number is never taken as a count of things (goals, wins) but as a quantity
that varies continuously, e.g. a price. Chosen by hand."""
_BY_STRENGTH: Final = frozenset(terms("earthquake hurricane tornado geomagnetic"))
"""Terms (word stems) of events whose number is a strength ("a magnitude 7 earthquake"): a stronger
event satisfies a question about a weaker one."""
_STRONGEST: Final = 10.0
"""Largest number that is taken as the strength of an earthquake, a hurricane or the like; a larger
one is something else, e.g. a count."""
_WORDED: Final = {
    float(n): term(word)
    for n, word in enumerate("two three four five six seven eight nine ten".split(), 2)
}
_FORTUNES: Final = {1e9: term("billionaire"), 1e12: term("trillionaire")}
_TICK: Final = 1e-5
"""Two levels count as the same if they differ by at most this fraction of the larger one: "below
6,800" and "below 6,799.99"."""
_ON: Final = re.compile(r"(?:on|at|as\s+of)\b", re.I)
"""Matches words such as "on" and "at" at the beginning of a date on which something holds ("on June
30", "at the end of June"). A date that is a deadline begins with other words ("by June 30")."""
_DISTRICT: Final = re.compile(r"cd[a-z]{2}(?:\d{1,2}|al)")


def threshold_order(q: View, m: View, extra: float) -> Order:
    """How the level that the question (`q`) names relates to the level that the market (`m`) names,
    e.g. `implies`: Yes to the question implies Yes to the market.

    Finishing places, groups, the direction and period of a change, daily highs and lows, and
    districts are compared as well. The result is `unsaid` if the levels say nothing about the
    relation (e.g. because neither text names one), and the other things do not differ.

    extra : weight of the market's most telling term that the question does not name
    """
    ours, theirs = q.proposition, m.proposition
    order = _levels(_as_extreme(ours, q.extreme or m.extreme), theirs, m.context)
    if order in ("implied", "implies") and _has_unread_figure(ours, theirs):
        order = "differs"  # a figure is no less a level for not being read
    if order == "unsaid" and (
        (q.places and m.places and not q.places & m.places)
        or (q.group and m.group and q.group != m.group)
    ):
        order = "differs"
    # The market names an amount ("a cut by 25 bps"), the question none ("a cut").
    amount = order == "implied" and (theirs.threshold is None or move(theirs) is not None)
    if (order == "unsaid" or amount) and _other_course(q.polar_results, m.polar_results):
        order = "excludes"
    if (
        order == "implies" and theirs.threshold is None
        and ours.predicate in ("value", "touches") and extra >= ELSE_WEIGHT
    ):  # fmt: skip
        order = "differs"  # another event does not tell where the quantity stands
    if {"annual", "monthly"} <= q.modifiers ^ m.modifiers:
        order = "differs"  # a rise over a year says nothing of one over a month
    if q.extreme * m.extreme < 0:
        order = "differs"  # a day's low says little of its high
    if order == "unsaid" and _districts(q) != _districts(m):
        order = "differs"  # the House is not one of its seats
    return order


def _has_unread_figure(ours: Proposition, theirs: Proposition) -> bool:
    """Whether one of two propositions has a level, and the other has none but names a number that
    the first one does not name ("getting to 190")."""
    bare, leveled = (ours, theirs) if ours.threshold is None else (theirs, ours)
    if bare.threshold is not None or leveled.threshold is None:
        return False
    if "bps" in bare.terms | {leveled.threshold.unit}:
        return False  # by how much a rate moves is compared elsewhere
    return any(len(t) > 1 for t in _figures(bare) - leveled.terms)


def _figures(p: Proposition) -> frozenset[str]:
    """The numbers among the terms of a proposition, years aside."""
    return frozenset(t for t in p.terms if is_number(t) and not is_year(t))


def _as_extreme(ours: Proposition, extreme: int) -> Proposition:
    """The question's assertion (`ours`), with "touches 69" read as "the day's high is 69 or more"
    (or "the low is 69 or less") if question or market are about a day's high or low. Else
    unchanged.

    extreme : 1 for a high, -1 for a low, 0 for neither
    """
    level = ours.threshold
    if not extreme or level is None or ours.predicate != "touches" or level.low != level.high:
        return ours
    low, high = (level.low, math.inf) if extreme > 0 else (-math.inf, level.high)
    return msgspec.structs.replace(
        ours, predicate="value", threshold=Threshold(low, high, True, True, level.unit)
    )


def _other_course(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether question and market name different directions of a quantity (up, down, no change), so
    that they exclude each other.

    ours, theirs : the results that question and market name, as in `View.polar_results`
    """
    q = {side for side in ours if side.startswith("course")}
    m = {side for side in theirs if side.startswith("course")}
    return bool(q and m) and q != m


def _districts(of: View) -> frozenset[str]:
    return frozenset(t for t in of.weights if _DISTRICT.fullmatch(t))


def _levels(ours: Proposition, theirs: Proposition, ruled: frozenset[str]) -> Order:
    q, m = ours.threshold, theirs.threshold
    if ours.predicate == "ranks" or theirs.predicate == "ranks":
        return "unsaid"
    if q is None or m is None:
        if (order := _moves(ours, theirs)) is not None:
            return order
        if q is None and m is None:
            return _numbers(ours, theirs, ruled)
        if q is not None:  # the question names a level, the market none
            return "unsaid" if _names_number(q, theirs, ruled) else "implies"
        return "unsaid" if m is not None and _names_number(m, ours, frozenset()) else "implied"
    if (ours.predicate == "counts" and m.unit != "none" and not _is_money(q, m)) or (
        theirs.predicate == "counts" and q.unit != "none" and not _is_money(m, q)
    ):
        return "differs"  # three cuts are no level of three percent
    degrees = "degrees" in (q.unit, m.unit) and (
        q.unit == m.unit or bool(ours.terms & theirs.terms & WARMTH)
    )
    if degrees or _counts(ours, theirs):
        q, m = _whole(q), _whole(m)
        if (math.isinf(q.low) and math.isinf(m.high) and q.high + 1 == m.low) or (
            math.isinf(m.low) and math.isinf(q.high) and m.high + 1 == q.low
        ):
            return "opposite"  # "seven or fewer" and "eight or more"
    if ours.predicate == theirs.predicate == "touches":
        if _side_is_unknown(q, m) or _side_is_unknown(m, q):
            return "differs"
        q, m = _directed(q, m), _directed(m, q)
    elif mixes_day_and_any_time(ours, theirs):
        touched = ours.predicate == "touches"
        q, m = (_directed(q, m), m) if touched else (q, _directed(m, q))
    return _of_moments(compare_ranges(q, m), ours, theirs)


def _is_money(bare: Threshold, other: Threshold) -> bool:
    """Whether the level `bare` has no unit ("over 400m") but is an amount of money: it is too large
    to count things (`MAX_COUNT`), and the `other` level is in dollars."""
    finite = [end for end in (bare.low, bare.high) if not math.isinf(end)]
    return other.unit == "usd" and bare.unit == "none" and min(finite, default=0.0) >= MAX_COUNT


def mixes_day_and_any_time(ours: Proposition, theirs: Proposition) -> bool:
    """Whether one of two propositions says where a quantity stands on a given day ("above 100 on
    June 30"), and the other that it reaches a level at any time in a window."""
    return any(
        (one.predicate, other.predicate) == ("value", "touches") and one.window.kind == "on"
        and _ON.match(one.window.text) is not None
        for one, other in ((ours, theirs), (theirs, ours))
    )  # fmt: skip


def _of_moments(order: Order, ours: Proposition, theirs: Proposition) -> Order:
    """How question and market relate if one asks for a quantity's level on a certain day, and the
    other whether the quantity reaches a level at any time in a window. Whatever is above 100 on a
    day in the window has reached 100; but what has reached 100 may be below 100 on that day.

    order : how the two relate by their levels alone
    """
    if mixes_day_and_any_time(ours, theirs):
        stands = ours.predicate == "value"
        bound: Order = "implies" if stands else "implied"
        return bound if order in ("same", bound) else "differs"
    if (ours.predicate, theirs.predicate) == ("touches", "value"):
        # "Reaches more than 4 in 2026": it may be down to 3 at another time.
        return "differs" if order in ("opposite", "excludes") else order
    return order


def _moves(ours: Proposition, theirs: Proposition) -> Order | None:
    """How question and market are related, judged only by the amount by which a rate moves in each
    ("by 75 bps").

    - Both name an amount, and the two differ: the result of `compare_ranges`.
    - Only the question names one, and the market names no number (a year does not count): `implies`
      (a cut by 75 points is a cut).
    - Any other case: None. Other functions decide it.
    """
    q, m = move(ours), move(theirs)
    if q is not None and m is not None:
        order = compare_ranges(q, m)
        return None if order == "same" else order
    named = bool(_figures(theirs))
    return "implies" if q is not None and theirs.threshold is None and not named else None


def move(p: Proposition) -> Threshold | None:
    """The size of the rate move that a proposition states, in basis points (hundredths of a
    percentage point), up or down alike: exactly 75 for "by 75 bps", 50 or more for "by 50+ bps".
    None if it states none."""
    if p.threshold is not None:
        return p.threshold if p.threshold.unit == "bps" or "bps" in p.terms else None
    exact = [_strength(t) for t in _figures(p)]
    if "bps" not in p.terms or len(exact) != 1 or math.isinf(exact[0]):
        return None
    return Threshold(exact[0], exact[0], True, True, "bps")


def _counts(ours: Proposition, theirs: Proposition) -> bool:
    """Whether the levels of question and market are counts of things ("3 goals"). Half numbers are
    counts, too: "over 12.5 wins"."""
    if ours.predicate == theirs.predicate == "counts":
        return True
    levels = [t for t in (ours.threshold, theirs.threshold) if t is not None]
    if any(t.unit != "none" for t in levels):
        return False
    ends = [x for t in levels for x in (t.low, t.high) if not math.isinf(x)]
    halves = any(x % 1 == 0.5 for x in ends) and all(x * 2 % 1 == 0 for x in ends)
    counted = "counts" in (ours.predicate, theirs.predicate) and all(x % 1 == 0 for x in ends)
    return (halves or counted) and max(map(abs, ends), default=0.0) < MAX_COUNT


def _whole(t: Threshold) -> Threshold:
    """The threshold `t` of a count (or of degrees), with limits that belong to the range:
    "more than 25" becomes "26 or more"."""
    low = t.low if t.low_in or math.isinf(t.low) else math.floor(t.low) + 1
    high = t.high if t.high_in or math.isinf(t.high) else math.ceil(t.high) - 1
    return Threshold(low, high, True, True, t.unit)


def _side_is_unknown(t: Threshold, other: Threshold) -> bool:
    """Whether the direction of `t` is unknown. "Hits X" is a threshold of one value that does not
    say whether the quantity rises or falls to X. `other` is a threshold that names its direction,
    such as "dips to 5". If `other` is "dips to 5", the quantity is now above 5. So "hits 4" must be
    a fall (the result is False), but "hits 6" may be a rise or a fall (True). Also False if `t` is
    a range or `other` is one value."""
    if t.low != t.high or other.low == other.high:
        return False
    if math.isinf(other.low):
        return t.high > other.high and not _nearly_equal(t.high, other.high)
    return math.isinf(other.high) and t.low < other.low and not _nearly_equal(t.low, other.low)


def _directed(t: Threshold, other: Threshold) -> Threshold:
    """The range of values that "hits $5" (`t`, one value) stands for. The words do not say from
    which side the value is reached. They are read as "5 or less" if `other`, the threshold to
    compare with, has only an upper end ("dips to 4"), else as "5 or more". A range `t` is returned
    unchanged."""
    if t.low != t.high:
        return t
    if math.isinf(other.low) and not math.isinf(other.high):
        return Threshold(-math.inf, t.high, True, True, t.unit)
    return Threshold(t.low, math.inf, True, True, t.unit)


def _numbers(ours: Proposition, theirs: Proposition, ruled: frozenset[str]) -> Order:
    """How the question and the market are related, judged by the numbers in their subjects. Levels
    (e.g. of a price) are compared elsewhere. A market with another number is usually about
    something else: `differs`. But strengths can be compared: an earthquake of 8 `implies` one of 7.
    `unsaid`: the numbers do not say how the two are related.

    ruled : terms of the market's event name and rules. If the question has a number of more than 3
        characters that is neither in the market's subject nor among these terms, the result is
        `differs`
    """
    q, m = _figures(ours), _figures(theirs)
    if len(q) == len(m) == 1 and ours.terms & theirs.terms & _BY_STRENGTH:
        strength, other = _strength(*q), _strength(*m)
        if max(strength, other) <= _STRONGEST and strength != other:
            return "implies" if strength > other else "implied"
    if not q and m and "bps" in theirs.terms:
        return "implied"  # a cut of 25 basis points is a cut
    if {t for t in q if len(t) > 3} - m - ruled:
        return "differs"  # a level that the market says nothing of
    return "differs" if q and m and not q & m else "unsaid"


def _strength(term: str) -> float:
    """The number that a term stands for, e.g. 7 for "7" in "a magnitude 7 earthquake"; infinity if
    the term is not a plain number ("157mph")."""
    try:
        return float(term)
    except ValueError:
        return math.inf


def _names_number(t: Threshold, p: Proposition, ruled: frozenset[str]) -> bool:
    """Whether the proposition `p` names the number of the threshold `t`. The number may be among
    the proposition's terms, in figures or as a word. If it is above 20 or not whole, it may also be
    in `ruled` (terms of the market's event name and rules)."""
    numbers = {x for x in (t.low, t.high) if not math.isinf(x)}
    return any(
        f"{x:g}" in p.terms or _WORDED.get(x, "") in p.terms or _FORTUNES.get(x, "") in p.terms
        or (f"{x:g}" in ruled and (x != int(x) or x > 20)) for x in numbers
    )  # fmt: skip


def compare_ranges(q: Threshold, m: Threshold) -> Order:
    """How the question's range of values (`q`, the values that mean Yes) relates to the market's
    (`m`): "above 120" implies "above 100"."""
    low, high = _nearly_equal(q.low, m.low), _nearly_equal(q.high, m.high)
    if low and high:
        return "same"
    if (math.isinf(q.high) and math.isinf(m.low) and _nearly_equal(q.low, m.high)) or (
        math.isinf(q.low) and math.isinf(m.high) and _nearly_equal(q.high, m.low)
    ):
        return "opposite"
    if (low or q.low >= m.low) and (high or q.high <= m.high):
        return "implies"
    if (low or q.low <= m.low) and (high or q.high >= m.high):
        return "implied"
    if q.low > m.high or m.low > q.high:
        return "excludes"
    return "differs"


def _nearly_equal(a: float, b: float) -> bool:
    return a == b or (not math.isinf(a) and not math.isinf(b)
                      and abs(a - b) <= _TICK * max(abs(a), abs(b)))  # fmt: skip

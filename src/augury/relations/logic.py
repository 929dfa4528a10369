"""What one proposition says about another, by logic alone. Pure and conservative: in doubt, none.

Two propositions relate when they speak of one thing (the same terms, or the caller says so) and
differ in parts that can be compared: thresholds, windows, stages and places, choices of a contest,
polarity. Each rule names the joint outcomes of the two that cannot be; the relation follows.

Examples
--------
>>> from datetime import date
>>> from augury.relations.proposition import read_question
>>> day = date(2026, 11, 21)
>>> a = read_question("Will Bitcoin reach $150k by March 31, 2027?", day)
>>> b = read_question("Will Bitcoin stay below $120k through June 30, 2027?", day)
>>> relate(a, b)
'excludes'
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from augury.relations.proposition import Proposition, Threshold
from augury.relations.teams import DRAWLESS
from augury.relations.windows import Window
from augury.relations.wording import LEAGUES, OFFICES, PARTIES, STAGES

Relation = Literal[
    "implies", "implied_by", "equivalent", "excludes", "complement", "covers", "none"
]
"""Of a to b: `implies` (a, therefore b), `implied_by`, `equivalent`, `excludes` (never both),
`complement` (exactly one of the two), `covers` (at least one of the two), `none` (nothing known).

Bounds for probabilities: implies P(a) <= P(b); excludes P(a) + P(b) <= 1; covers P(a) + P(b) >= 1;
complement P(a) + P(b) = 1.
"""

TT: Final = 1
TF: Final = 2
FT: Final = 4
FF: Final = 8
"""Joint outcomes of (a, b) as bits."""

_RELATIONS: Final[dict[int, Relation]] = {
    0: "none", TF: "implies", FT: "implied_by", TF | FT: "equivalent", TT: "excludes",
    FF: "covers", TT | FF: "complement",
}  # fmt: skip
_INVERSE: Final[dict[Relation, Relation]] = {"implies": "implied_by", "implied_by": "implies"}


def relate(a: Proposition, b: Proposition, *, matched: bool = False) -> Relation:
    """How `a` stands to `b`.

    `matched`: the caller knows that both speak of the same subject (and the same choice of it),
    though their words differ; thresholds, windows, places and polarity still decide.
    """
    return _RELATIONS.get(impossible(a, b, matched=matched), "none")


def inverse(relation: Relation) -> Relation:
    """How b stands to a, given how a stands to b."""
    return _INVERSE.get(relation, relation)


def impossible(a: Proposition, b: Proposition, *, matched: bool = False) -> int:
    """The joint outcomes of (a, b) that cannot be, as a union of TT, TF, FT and FF; 0: none."""
    if a.unclear or b.unclear:
        return 0
    cells = _positive(a, b, matched=matched)
    if not a.positive:
        cells = _swapped(cells, ((TT, FT), (TF, FF)))
    if not b.positive:
        cells = _swapped(cells, ((TT, TF), (FT, FF)))
    return cells


def _swapped(cells: int, pairs: tuple[tuple[int, int], ...]) -> int:
    out = 0
    for one, other in pairs:
        out |= other if cells & one else 0
        out |= one if cells & other else 0
    return out


_CONTEST: Final = frozenset({"wins", "nominated", "advances", "ranks"})
AMOUNTS: Final = frozenset({"value", "touches", "counts"})


def _positive(a: Proposition, b: Proposition, *, matched: bool) -> int:
    """The impossible outcomes of the two assertions, polarity apart."""
    if a.predicate in _CONTEST and b.predicate in _CONTEST:
        return _contest(a, b, matched=matched)
    if not (matched or same_subject(a, b)):
        return 0
    if a.predicate in AMOUNTS and b.predicate in AMOUNTS:
        return _amounts(a, b)
    if a.predicate != b.predicate or a.threshold != b.threshold or a.stage != b.stage:
        return 0
    if a.edition != b.edition:
        return 0
    if a.predicate == "rises":
        return TF | FT if _between(a.window, b.window) == "equal" else 0
    return _occurrences(a, b)


def same_subject(a: Proposition, b: Proposition) -> bool:
    """Whether both speak of the same thing and the same choice of it, by their terms."""
    if a.lead != b.lead or not a.terms or a.indefinite != b.indefinite or a.fixture != b.fixture:
        return False
    if a.choice and b.choice and a.choice != b.choice:
        return False
    return a.terms == b.terms


# Events in time

_ONCE: Final = frozenset({"die", "ipo", "dissolv"})
"""Terms of what happens at most once."""


def _occurrences(a: Proposition, b: Proposition) -> int:
    """Something happens in one window, and in another."""
    match _between(a.window, b.window):
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


_Between = Literal["equal", "inside", "contains", "overlap", "apart", "unknown"]
_DAY: Final = 1440


class _Span(NamedTuple):
    low: float
    """Minute at which the window opens; -inf: with the question."""
    high: float
    since: float
    """Minute at which the question was opened; -inf: unknown."""


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


def _between(a: Window, b: Window) -> _Between:
    """How one window lies to another.

    A question is opened before its event has happened, so that "in 2026", asked in 2026, and
    "by the end of 2026" are one window; asked in 2025 they are not.
    """
    if a.kind == "open" and b.kind == "open":
        if a.end == b.end:
            return "equal"
        near = a.end is not None and b.end is not None and abs((a.end - b.end).days) <= 2
        return "equal" if near else "unknown"
    one, two = _span(a), _span(b)
    if one is None or two is None or one.high <= two.since or two.high <= one.since:
        return "unknown"  # the one was over before the other was asked
    if one.high <= two.low or two.high <= one.low:
        # Two moments of the same minute are one; a moment is not apart from itself.
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
    """Whether whatever falls into `a` falls into `b`."""
    starts = max(a.low, a.since) if a.low == -math.inf else a.low
    return a.high <= b.high and (b.low == -math.inf or starts >= b.low)


def _after_opening(a: Window, b: Window) -> bool:
    """Whether a span with a first day lies behind the opening of one without.

    What happens is asked only while it has not; a level may have been reached before.
    """
    for one, other in ((a, b), (b, a)):
        if one.kind == "by" and other.kind != "by":
            opened = one.since
            if opened is None or other.start is None or other.start < opened:
                return False
    return True


# Amounts

_CONTINUOUS: Final = frozenset({"usd", "eur", "gbp"})


class _Range(NamedTuple):
    low: float
    low_in: bool
    high: float
    high_in: bool


def _range(t: Threshold, *, whole: bool, continuous: bool) -> _Range:
    """The interval with its ends made comparable: whole numbers closed, prices without ends."""
    low, high, low_in, high_in = t.low, t.high, t.low_in, t.high_in
    if whole:
        if math.isfinite(low):
            low, low_in = (math.ceil(low) if low_in else math.floor(low) + 1), True
        if math.isfinite(high):
            high, high_in = (math.floor(high) if high_in else math.ceil(high) - 1), True
    elif continuous:
        low_in = high_in = True
    return _Range(low, low_in, high, high_in)


def _amounts(a: Proposition, b: Proposition) -> int:
    p, q = a.threshold, b.threshold
    if p is None or q is None:
        return 0
    if p.unit != q.unit and "none" not in (p.unit, q.unit):
        return 0
    unit = q.unit if p.unit == "none" else p.unit
    counts = a.predicate == "counts"
    if counts != (b.predicate == "counts"):
        return 0
    # Half a unit is a line between whole numbers: "over 3.5".
    whole = counts or (unit == "degrees" and _integral(p) and _integral(q))
    continuous = unit in _CONTINUOUS or "touches" in (a.predicate, b.predicate)
    one = _range(p, whole=whole, continuous=continuous)
    two = _range(q, whole=whole, continuous=continuous)
    between = _between(a.window, b.window)
    if "touches" in (a.predicate, b.predicate) and not _after_opening(a.window, b.window):
        return 0
    if a.predicate == b.predicate == "touches":
        return _touches(one, two, between)
    if counts:
        return _counts(one, two, between)
    if a.predicate == b.predicate == "value":
        if between != "equal":
            return 0
        return _whole_values(one, two, least=-math.inf) if whole else _values(one, two)
    if a.predicate == "touches":
        return _swapped_sides(_value_and_touch(two, one, b.window, a.window))
    return _value_and_touch(one, two, a.window, b.window)


def _integral(t: Threshold) -> bool:
    return all(math.isinf(x) or x == int(x) for x in (t.low, t.high))


def _swapped_sides(cells: int) -> int:
    return _swapped(cells, ((TF, FT),)) | cells & (TT | FF)


def _subset(a: _Range, b: _Range) -> bool:
    low = a.low > b.low or (a.low == b.low and (b.low_in or not a.low_in))
    high = a.high < b.high or (a.high == b.high and (b.high_in or not a.high_in))
    return low and high


def _disjoint(a: _Range, b: _Range) -> bool:
    """Whether the two have no more than an end in common.

    Buckets share their ends ("66,000-68,000", "68,000-70,000"): the venue's rules give the point
    to one of them.
    """
    first, second = sorted((a, b))
    if first.low == first.high == second.low:
        return not (first.low_in and second.low_in)
    if first.high == second.low == second.high:
        return not (first.high_in and second.low_in)
    return first.high <= second.low


def _complement(a: _Range) -> _Range | None:
    """What is left, where that is one interval."""
    if math.isinf(a.high):
        return _Range(-math.inf, True, a.low, not a.low_in)
    if math.isinf(a.low):
        return _Range(a.high, not a.high_in, math.inf, True)
    return None


def _values(p: _Range, q: _Range) -> int:
    """Two intervals of one value."""
    cells = 0
    if _disjoint(p, q):
        cells |= TT
    if _subset(p, q):
        cells |= TF
    if _subset(q, p):
        cells |= FT
    rest = _complement(p)
    if rest is not None and _joined(p, q) and (
        _subset(rest, q) or (math.isinf(p.high) and q.low == -math.inf and q.high >= p.low)
        or (math.isinf(p.low) and math.isinf(q.high) and q.low <= p.high)
    ):  # fmt: skip
        cells |= FF
    if cells & TF and cells & FT:
        return TF | FT
    return cells


def _joined(p: _Range, q: _Range) -> bool:
    """Whether two opposite half-lines leave no number between them."""
    up, down = (p, q) if math.isinf(p.high) else (q, p)
    if not (math.isinf(up.high) and math.isinf(down.low)):
        return False
    if up.low < down.high:
        return True
    return up.low == down.high and (up.low_in or down.high_in)


def _touches(p: _Range, q: _Range, between: _Between) -> int:
    """A level to be reached in one window, and another in another."""
    if (p.low, p.high) == (q.low, q.high) and between == "equal":
        return TF | FT
    if p.low == p.high or q.low == q.high:
        return 0  # "hit 50": from which side is not said
    if math.isinf(p.high) != math.isinf(q.high):
        meets = between in ("equal", "inside", "contains", "overlap")
        return FF if meets and _joined(p, q) else 0
    cells = 0
    if between in ("equal", "inside") and _subset(p, q):
        cells |= TF
    if between in ("equal", "contains") and _subset(q, p):
        cells |= FT
    return cells


def _value_and_touch(value: _Range, touch: _Range, at: Window, window: Window) -> int:
    """A value at one moment, and a level reached at any time of a window with that moment in it."""
    if at.kind != "on" or touch.low == touch.high:
        return 0
    if _between(at, window) not in ("inside", "equal"):
        return 0
    cells = TF if _subset(value, touch) else 0
    rest = _complement(value)
    if rest is not None and _subset(rest, touch):
        cells |= FF
    return cells


def _counts(p: _Range, q: _Range, between: _Between) -> int:
    """Numbers of events in windows; the wider window has at least as many."""
    if between == "equal":
        return _whole_values(p, q)
    if between == "inside":
        return _ordered_counts(p, q)
    if between == "contains":
        return _swapped_sides(_ordered_counts(q, p))
    return 0


_Runs = list[tuple[float, float]]


def _parts(r: _Range, least: float) -> tuple[_Runs, _Runs]:
    """The whole numbers in the range, and those outside it, as closed runs from `least`."""
    low, high = max(r.low, least), r.high
    inside: _Runs = [(low, high)] if low <= high else []
    outside: _Runs = [(least, low - 1)] if low > least else []
    if math.isfinite(high):
        outside.append((high + 1, math.inf))
    return inside, outside


def _whole_values(p: _Range, q: _Range, *, least: float = 0.0) -> int:
    """Two ranges of one whole number that is `least` or more."""

    def meet(one: _Runs, two: _Runs) -> bool:
        return any(max(a[0], b[0]) <= min(a[1], b[1]) for a in one for b in two)

    return _cells(p, q, meet, least)


def _ordered_counts(p: _Range, q: _Range) -> int:
    """`p` of the narrower window, `q` of the wider: possible where some n <= m fit."""

    def meet(one: _Runs, two: _Runs) -> bool:
        return any(a[0] <= b[1] for a in one for b in two)

    return _cells(p, q, meet, 0.0)


def _cells(p: _Range, q: _Range, meet: Callable[[_Runs, _Runs], bool], least: float) -> int:
    (p_in, p_out), (q_in, q_out) = _parts(p, least), _parts(q, least)
    if not (p_in and p_out and q_in and q_out):
        return 0  # true or false whatever happens: misread
    cells = 0
    for cell, one, two in (
        (TT, p_in, q_in), (TF, p_in, q_out), (FT, p_out, q_in), (FF, p_out, q_out),
    ):  # fmt: skip
        if not meet(one, two):
            cells |= cell
    return cells


# Contests


def _contest(a: Proposition, b: Proposition, *, matched: bool) -> int:
    """Winners, nominees, stages and places of one contest, or of two that follow each other."""
    if a.fixture != b.fixture or not (a.choice and b.choice):
        return 0
    if a.window.kind in ("by", "after") or b.window.kind in ("by", "after"):
        timed = a.predicate == b.predicate and a.threshold == b.threshold and a.stage == b.stage
        same = matched or (same_subject(a, b) and a.edition == b.edition)
        return _occurrences(a, b) if timed and same else 0
    if not _same_edition(a, b, matched=matched):
        return 0
    same_choice = a.choice == b.choice and not (a.indefinite or b.indefinite)
    same_contest = bool(a.contest) and a.contest == b.contest
    if matched or (same_choice and same_contest):
        return _one_choice(a, b)
    if same_choice:
        return _stages(a, b) or _nomination(a, b)
    if same_contest and not a.indefinite and not b.indefinite and _rivals(a, b):
        # One of the two wins a game that knows no draw.
        return TT | FF if a.fixture and a.contest & DRAWLESS and _are_sides(a, b) else TT
    return 0


def _are_sides(a: Proposition, b: Proposition) -> bool:
    return (a.choice | b.choice) <= a.contest and len(a.contest) == 3


def _same_edition(a: Proposition, b: Proposition, *, matched: bool) -> bool:
    if a.fixture:  # a game is told by its day
        return a.window.kind == "on" and _between(a.window, b.window) == "equal"
    fine = [p.window for p in (a, b) if p.window.kind in ("in", "on")]
    fine = [w for w in fine if w.precision != "year"]
    if len(fine) == 2 and _between(*fine) != "equal":
        return False  # another week's chart, another day's show
    if len(fine) == 1 and not (a.contest & b.contest & OFFICES):
        return False
    if a.edition is not None and b.edition is not None:
        return a.edition == b.edition
    if a.edition is None and b.edition is None:
        ends = a.window.end, b.window.end
        return ends[0] is None or ends[1] is None or abs((ends[0] - ends[1]).days) <= 60
    known, other = (a, b) if a.edition is not None else (b, a)
    if not matched or known.edition is None:
        return False
    since = other.window.since
    return since is not None and since.year in (known.edition - 1, known.edition)


def _one_choice(a: Proposition, b: Proposition) -> int:
    """The same choice in the same contest: stages and places."""
    if a.predicate == b.predicate:
        if a.predicate == "ranks" and a.threshold and b.threshold:
            return _places(a.threshold, b.threshold)
        if a.predicate == "advances" and a.stage != b.stage:
            return _order(_height(a), _height(b))
        return TF | FT
    predicates = {a.predicate, b.predicate}
    if predicates == {"wins", "ranks"}:
        first = Threshold(1, 1)
        p, q = a.threshold or first, b.threshold or first
        return _places(p, q)
    if predicates == {"wins", "advances"}:
        return _order(_height(a), _height(b))
    return 0


def _places(p: Threshold, q: Threshold) -> int:
    if p.low < 1 or q.low < 1:
        return 0
    one = _Range(p.low - 1, True, p.high - 1, True)
    two = _Range(q.low - 1, True, q.high - 1, True)
    return _whole_values(one, two)


def _height(p: Proposition) -> int:
    return STAGES.get(p.stage or p.predicate, 0)


def _order(one: int, two: int) -> int:
    """Whoever reaches the later stage has reached the earlier."""
    if not one or not two:
        return 0
    if one == two:
        return TF | FT
    return TF if one > two else FT


def _stages(a: Proposition, b: Proposition) -> int:
    """Stages of a league's season, whose rounds have names of their own."""
    one, two = _season(a), _season(b)
    if one is None or two is None or one[0] != two[0]:
        return 0
    return _order(one[1], two[1])


_PLAYOFFS, _ROUND_TWO, _CONFERENCE_FINAL, _CONFERENCE, _TITLE = 1, 2, 3, 4, 5


def _season(p: Proposition) -> tuple[str, int] | None:
    """The league and the stage of its season that is reached: playoffs 1 .. title 5."""
    for league, trophy, conferences in LEAGUES:
        if not p.contest & (trophy | {league, "afc", "nfc"} & (conferences | trophy | {league})):
            continue
        rest = p.contest - trophy - {league}
        inside = bool(rest & conferences)
        rest = rest - conferences - {"final", "confer", "leagu", "season", "playoff", "pro"}
        if rest:
            return None
        if p.predicate == "wins":
            return league, _CONFERENCE if inside else _TITLE
        if p.predicate != "advances":
            return None
        if p.stage == "playoffs":
            return league, _PLAYOFFS
        if p.stage == "semifinal" and inside:
            return league, _ROUND_TWO
        if p.stage == "final":
            return league, _CONFERENCE_FINAL if inside else _CONFERENCE
        return None
    return None


_OF_ELECTIONS: Final = frozenset({"general", "us", "primari", "nomin", "the"})


def _nomination(a: Proposition, b: Proposition) -> int:
    """Who wins an election was nominated for it, where the party is named."""
    if {a.predicate, b.predicate} != {"nominated", "wins"}:
        return 0
    nominee, winner = (a, b) if a.predicate == "nominated" else (b, a)
    party = nominee.contest & PARTIES
    if not party or (winner.contest & PARTIES) - party or winner.contest & {"primari", "round"}:
        return 0
    office = nominee.contest - PARTIES - _OF_ELECTIONS
    if not office or office != winner.contest - PARTIES - _OF_ELECTIONS:
        return 0
    return FT if nominee is a else TF


def _rivals(a: Proposition, b: Proposition) -> bool:
    """Whether two choices of one contest cannot both have it."""
    if a.choice & b.choice or a.predicate != b.predicate:
        return False
    if not a.fixture and _alike(a.choice, b.choice):
        return False
    if bool(a.choice & PARTIES) != bool(b.choice & PARTIES):
        return False  # a party and one of its people
    if a.predicate == "ranks":
        p, q = a.threshold, b.threshold
        return p is not None and p == q and p.low == p.high and a.exclusive and b.exclusive
    return a.predicate in ("wins", "nominated") and a.exclusive and b.exclusive


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two names may be one in short: "UConn" and "Connecticut", "PSG" and its words."""
    if any(":" in word for word in one | other):
        return False  # teams by their keys
    pieces = {word[n : n + 4] for word in one for n in range(len(word) - 3)}
    if any(word[n : n + 4] in pieces for word in other for n in range(len(word) - 3)):
        return True
    for short, long in ((one, other), (other, one)):
        if len(short) == 1 and len(long) > 1:
            [initials] = short
            if sorted(initials) == sorted(word[0] for word in long):
                return True
    return False

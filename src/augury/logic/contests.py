"""Which joint outcomes (combinations of truth values) of two propositions on contests (who wins, is
nominated, reaches a stage or a rank) are impossible: two teams can't both win a title. Pure."""

from __future__ import annotations

from typing import Final

from augury.logic.amounts import Range, whole_values
from augury.logic.joint_outcomes import FF, FT, TF, TT
from augury.logic.windows import impossible_occurrences, window_order
from augury.propositions.proposition import Proposition, Threshold
from augury.propositions.teams import DRAWLESS
from augury.propositions.wording import LEAGUES, OFFICES, PARTIES, STAGES

_PLAYOFFS, _ROUND_TWO, _CONFERENCE_FINAL, _CONFERENCE, _TITLE = 1, 2, 3, 4, 5
_OF_ELECTIONS: Final = frozenset({"general", "us", "primari", "nomin", "the"})
"""Terms (stemmed words) that occur in texts about elections and do not tell which office is
elected, e.g. "general" and "primari" (primary)."""


def impossible_contests(a: Proposition, b: Proposition, *, matched: bool) -> int:
    """Which combinations of truth values two propositions on contests can't have, as a union of the
    bits TT (both true), TF, FT and FF (see `joint_outcomes`); 0 if none is known to be impossible.
    For "A wins the title" and "B wins the title" the result is TT.

    Both must be on the same contest, or the contest of one must lead to that of the other (a
    nomination to an election).

    matched : the caller knows that both are about the same contender in the same contest, although
        their words may differ
    """
    if a.fixture != b.fixture or not (a.choice and b.choice):
        return 0
    if a.window.kind in ("by", "after") or b.window.kind in ("by", "after"):
        timed = a.predicate == b.predicate and a.threshold == b.threshold and a.stage == b.stage
        same = matched or (a.same_subject(b) and a.edition == b.edition)
        return impossible_occurrences(a, b) if timed and same else 0
    if not _same_edition(a, b, matched=matched):
        return 0
    same_choice = a.choice == b.choice and not (a.indefinite or b.indefinite)
    same_contest = bool(a.contest) and a.contest == b.contest
    if matched or (same_choice and same_contest):
        return _one_choice(a, b)
    if same_choice:
        return _stages(a, b) or _nomination(a, b)
    if same_contest and not a.indefinite and not b.indefinite and _rivals(a, b):
        # In a game without draws exactly one of the two sides wins.
        return TT | FF if a.fixture and a.contest & DRAWLESS and _are_sides(a, b) else TT
    return 0


def _are_sides(a: Proposition, b: Proposition) -> bool:
    return (a.choice | b.choice) <= a.contest and len(a.contest) == 3


def _same_edition(a: Proposition, b: Proposition, *, matched: bool) -> bool:
    if a.fixture:  # games of the same sides differ by their day
        return a.window.kind == "on" and window_order(a.window, b.window) == "equal"
    fine = [p.window for p in (a, b) if p.window.kind in ("in", "on")]
    fine = [w for w in fine if w.precision != "year"]
    if len(fine) == 2 and window_order(*fine) != "equal":
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
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions on how far the
    same contender gets in one contest. For "it wins" and "it finishes second" the result is TT."""
    if a.predicate == b.predicate:
        if a.predicate == "ranks" and a.threshold and b.threshold:
            return _ranks(a.threshold, b.threshold)
        if a.predicate == "advances" and a.stage != b.stage:
            return _order(_height(a), _height(b))
        return TF | FT
    predicates = {a.predicate, b.predicate}
    if predicates == {"wins", "ranks"}:
        first = Threshold(1, 1)
        p, q = a.threshold or first, b.threshold or first
        return _ranks(p, q)
    if predicates == {"wins", "advances"}:
        return _order(_height(a), _height(b))
    return 0


def _ranks(p: Threshold, q: Threshold) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions: "the
    contender's rank is in `p`" and "the same contender's rank is in `q`"."""
    if p.low < 1 or q.low < 1:
        return 0
    one = Range(p.low - 1, True, p.high - 1, True)
    two = Range(q.low - 1, True, q.high - 1, True)
    return whole_values(one, two)


def _height(p: Proposition) -> int:
    return STAGES.get(p.stage or p.predicate, 0)


def _order(one: int, two: int) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions: "a
    contender reaches stage `one`" and "the same contender reaches stage `two`". Whoever reaches the
    later stage has reached the earlier one. A larger number is a later stage; with an unknown stage
    (0) nothing is impossible."""
    if not one or not two:
        return 0
    if one == two:
        return TF | FT
    return TF if one > two else FT


def _stages(a: Proposition, b: Proposition) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions on how far the
    same team gets in a league's season; 0 if they are not about the same league. For "it wins the
    Super Bowl" and "it wins the conference" the result is TF, because the conference is won first.
    """
    one, two = _season(a), _season(b)
    if one is None or two is None or one[0] != two[0]:
        return 0
    return _order(one[1], two[1])


def _season(p: Proposition) -> tuple[str, int] | None:
    """For a proposition on how far a team gets in a league's season ("the Lakers reach the final"):
    the league, and the stage as a number from 1 (playoffs) to 5 (title). None for any other
    proposition."""
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


def _nomination(a: Proposition, b: Proposition) -> int:
    """Which joint outcomes (bits TT, TF, FT, FF) are impossible for two propositions: "a party
    nominates the candidate" and "the candidate wins the election". Whoever wins was nominated. 0,
    i.e. none, if the first names no party, if the second names another party, or if they are about
    different offices."""
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
    """Whether two propositions on one contest claim the same result for two different contenders,
    and only one contender can have this result. The result is a win, a nomination or a certain
    rank."""
    if a.choice & b.choice or a.predicate != b.predicate:
        return False
    if not a.fixture and _may_be_short_for(a.choice, b.choice):
        return False
    if bool(a.choice & PARTIES) != bool(b.choice & PARTIES):
        return False  # a party and a candidate, who may be of that party
    if a.predicate == "ranks":
        p, q = a.threshold, b.threshold
        return p is not None and p == q and p.low == p.high and a.exclusive and b.exclusive
    return a.predicate in ("wins", "nominated") and a.exclusive and b.exclusive


def _may_be_short_for(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one of two names may be short for the other: they share four letters in a row
    ("UConn", "Connecticut"), or one consists of the initials of the other ("PSG").

    one, other : the terms (stemmed words) of the names
    """
    if any(":" in word for word in one | other):
        return False  # keys of teams, which are unambiguous
    pieces = {word[n : n + 4] for word in one for n in range(len(word) - 3)}
    if any(word[n : n + 4] in pieces for word in other for n in range(len(word) - 3)):
        return True
    for short, long in ((one, other), (other, one)):
        if len(short) == 1 and len(long) > 1:
            [initials] = short
            if sorted(initials) == sorted(word[0] for word in long):
                return True
    return False

"""How the question's contest relates to the market's: the contender, the stage, the year. Pure.

In all functions, `q` is the question and `m` the market, each as a `View`: what was read of its
text.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from augury.forecast.coverage import distinctive_terms, is_said, share
from augury.forecast.order import Order
from augury.forecast.threshold_order import compare_ranges
from augury.forecast.view import View
from augury.propositions.proposition import CONTESTS, Proposition
from augury.propositions.wording import STAGES
from augury.search.text import term, terms

TELLING_WEIGHT: Final = 0.8
"""Question and market are taken to be about different contests if the market's contest has a term
of at least this weight that the question lacks. The weight (`View.weights`) says how telling a term
is, from 0.08 to 1.8. Chosen by hand."""
_LEAGUE_TITLES: Final = frozenset(terms("nba finals; super bowl; world series; stanley cup"))
_HALF_TITLES: Final = frozenset({"confer", "afc", "nfc", "pennant", "eastern", "western"})
_ACTS: Final = tuple(
    frozenset(terms(words))
    for words in (
        "acquire buy purchase takeover merger merge", "ipo", "explode explosion", "land landing",
        "die death", "marry wedding", "divorce", "bankrupt bankruptcy", "assassinate",
    )
)  # fmt: skip
"""Acts (acquiring, dying, landing ...), each as the set of words that name it. A question and a
market that name different acts are about different things, however many names they share."""
_BEFORE: Final = term("before")
"""The term "before". A proposition with this term asks which of two things comes first ("A before
B"). The "before" of a date ("before June 1") is not among a proposition's terms."""


def stage_order(q: View, m: View) -> Order:
    """How the result that the question (`q`) asks about relates to the result that the market (`m`)
    asks about, as an `Order`. Results are winning a contest, finishing in some place, reaching some
    stage, being nominated. Example: the question asks about winning, the market about reaching the
    final: `implies`."""
    ours, theirs = q.proposition, m.proposition
    order = _result_order(ours, theirs)
    if order == "same" and _other_contest(q, m):
        order = _title_order(q, m)
    if q.places & m.places and order in ("unsaid", "differs"):
        order = "same"
    elif "ranks" in (ours.predicate, theirs.predicate) and (
        ours.predicate not in CONTESTS or theirs.predicate not in CONTESTS
    ):
        order = "differs"
    if (
        q.enters != m.enters and order in ("same", "unsaid", "differs")
        and (theirs if q.enters else ours).predicate in CONTESTS
    ):  # fmt: skip
        order = "implied" if q.enters else "implies"  # who wins a contest takes part in it
    return order


def _result_order(ours: Proposition, theirs: Proposition) -> Order:
    q, m = _result_of(ours), _result_of(theirs)
    if q is None or m is None:
        return "unsaid"
    kind_q, far_q = q
    kind_m, far_m = m
    if kind_q == kind_m == "place" and ours.threshold and theirs.threshold:
        return compare_ranges(ours.threshold, theirs.threshold)
    if {kind_q, kind_m} == {"place", "win"}:
        place = ours.threshold if kind_q == "place" else theirs.threshold
        if place is None or place.low > 1:
            return "excludes"
        if place.high == 1:
            return "same"
        return "implies" if kind_q == "win" else "implied"
    if kind_q == kind_m and kind_q in ("win", "nominee", "shortlist"):
        return "same"
    if {kind_q, kind_m} <= {"stage", "win"}:
        if far_q == far_m:
            return "same"
        return "implies" if far_q > far_m else "implied"
    if {kind_q, kind_m} == {"shortlist", "win"}:
        return "implies" if kind_q == "win" else "implied"
    if {kind_q, kind_m} == {"nominee", "win"}:
        return "implies" if kind_q == "win" else "implied"
    return "differs"


def _result_of(p: Proposition) -> tuple[str, int] | None:
    match p.predicate:
        case "wins":
            return "win", STAGES["wins"]
        case "nominated":
            return "nominee", 0
        case "shortlisted":
            return "shortlist", 0
        case "advances":
            return "stage", STAGES.get(p.stage or "", 0)
        case "ranks":
            return "place", 0
    return None


def _other_contest(q: View, m: View) -> bool:
    """Whether question and market name two different contests, e.g. a league's title and a
    division's. They do if the question has less than 40% of the words that name the market's
    contest, and the market less than 40% of those that name the question's. Words count by
    weight."""
    ours, theirs = q.proposition.contest, m.proposition.contest
    return bool(
        ours and theirs and share(theirs, q.covers, m) < 0.4 and share(ours, m.covers, q) < 0.4
    )


def _title_order(q: View, m: View) -> Order:
    """How winning the question's contest (`q`) relates to winning the market's (`m`), if the two
    contests differ. A league's champion has also won a conference. So `implies` if the question is
    about a league's title and the market about a conference's; `implied` the other way round; else
    `differs`."""
    ours, theirs = q.proposition.contest, m.proposition.contest
    if ours & _LEAGUE_TITLES and theirs & _HALF_TITLES:
        return "implies"
    if theirs & _LEAGUE_TITLES and ours & _HALF_TITLES:
        return "implied"
    return "differs"


def choice_order(q: View, m: View) -> Order:
    """How the question (`q`) and the market (`m`) relate by contender (X in "Will X win?") and by
    act (to acquire, to die ...): `same` (the same contender), `excludes` (two contenders of whom
    only one can win), `differs` (another contender or another act), or `unsaid` (the texts leave
    open whether the contender is the same)."""
    ours, theirs = q.proposition, m.proposition
    order = _contenders(q, m)
    if order == "unsaid" and _other_subject(q, m):
        order = "excludes" if ours.predicate == theirs.predicate else "differs"
    if (q.second and not m.second and _BEFORE not in theirs.terms) or (
        _BEFORE in theirs.terms - ours.terms
        and not q.second
        and theirs.terms - q.covers - {_BEFORE}
    ):
        order = "differs"  # which of two comes first tells little about when either comes
    if (mine := _acts(ours)) and (other := _acts(theirs)) and not mine & other:
        order = "differs"  # a company that is acquired does not thereby go public
    return order


def _contenders(q: View, m: View) -> Order:
    """How the question's contender (`q`) relates to the market's (`m`): `same`, `excludes` (two
    contenders of whom only one can win), `differs` (any other two), or `unsaid` (the texts leave
    open whether the contender is the same)."""
    theirs = distinctive_terms(m.proposition.choice, m)
    if not theirs:
        if q.proposition.indefinite:
            return "unsaid"
        ours = distinctive_terms(q.proposition.choice, q)
        known = not ours or any(is_said(t, m) or t in m.context for t in ours)
        return "unsaid" if known else "differs"
    part = share(theirs, q.covers, m)
    if part >= 0.5 and (m.last is None or is_said(m.last, q)):
        return "same"
    if part >= 0.4 and m.last is not None and is_said(m.last, q):
        return "same"
    if part >= 0.5 and distinctive_terms(q.proposition.choice, q) <= m.covers:
        return "same"
    ours = distinctive_terms(q.proposition.choice, q)
    if (not ours and theirs & q.covers) or (ours and share(ours, m.covers, q) >= 0.5):
        return "unsaid"
    exclusive = m.proposition.exclusive and q.proposition.predicate == m.proposition.predicate
    return "excludes" if exclusive and ours else "differs"


def _other_subject(q: View, m: View) -> bool:
    """Whether question and market are about different subjects (X in "Will X ..."): each names a
    subject, and neither text has a word of the other's subject."""
    return bool(
        q.subject and m.subject
        and not any(is_said(t, m) for t in q.subject) and not any(is_said(t, q) for t in m.subject)
    )  # fmt: skip


def _acts(p: Proposition) -> frozenset[int]:
    return frozenset(n for n, words in enumerate(_ACTS) if words & p.terms)


def edition_order(ours: Proposition, theirs: Proposition, closes: date | None) -> Order:
    """How the years of two contests relate: the question's (`ours`) and the market's (`theirs`). If
    both name a year, the result is `same` or `differs`. If only the question does, the year in
    which the market closes (`closes`) counts: `differs` if it is two or more years from the
    question's year. In all other cases the result is `unsaid`."""
    q, m = ours.edition, theirs.edition
    if q is None:
        return "unsaid"
    if m is not None:
        return "same" if q == m else "differs"
    if closes is None:
        return "unsaid"
    return "unsaid" if abs(closes.year - q) <= 1 else "differs"


def is_rival(q: View, m: View, choice: Order, stage: Order, edition: Order) -> bool:
    """Whether the market (`m`) asks about a rival of the question's (`q`) contender: about another
    contender in the same contest, where only one of the two can win. `choice`, `stage` and
    `edition`: how question and market relate by contender, by stage and by year."""
    ours = q.proposition.contest - q.subject
    theirs = m.proposition.contest - m.subject
    unique = m.proposition.exclusive or m.unique
    return bool(
        choice == "excludes" and stage in ("same", "unsaid") and edition != "differs"
        and ours and theirs and not q.proposition.indefinite and unique
        and share(ours, m.covers, q) >= 0.6 and share(theirs, q.covers, m) >= 0.6
        and not _lacks_telling_term(theirs, m, q)
    )  # fmt: skip


def _lacks_telling_term(contest: frozenset[str], source: View, other: View) -> bool:
    """Whether the text `other` lacks a telling term of the contest that the text `source` is about.
    If it does, the two texts are about different contests, e.g. different seats or awards.

    contest : the terms of the contest
    source : the text that gives the terms their weights; a term is telling if its weight is at
        least `TELLING_WEIGHT`
    other : the text that is checked
    """
    return any(
        source.weights.get(t, 0.0) >= TELLING_WEIGHT
        and not is_said(t, other)
        and t not in other.context
        for t in contest
    )

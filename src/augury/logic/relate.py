"""The relation between two propositions that follows by logic alone.

Pure and conservative: in doubt the relation is "none". Two propositions can be related if they are
about the same subject (they have the same terms, or the caller says so) and differ only in parts
that can be compared: thresholds, windows, stages and ranks, contenders, polarity. Each rule says
which joint outcomes (combinations of truth values) of the two are impossible; the relation follows
from these.

Examples
--------
>>> from datetime import date
>>> from augury.propositions.reading import read_question
>>> day = date(2026, 11, 21)
>>> a = read_question("Will Bitcoin reach $150k by March 31, 2027?", day)
>>> b = read_question("Will Bitcoin stay below $120k through June 30, 2027?", day)
>>> relate(a, b)
'excludes'
"""

from __future__ import annotations

from typing import Final

from augury.logic.amounts import impossible_amounts
from augury.logic.contests import impossible_contests
from augury.logic.joint_outcomes import (
    FT,
    TF,
    Relation,
    negated_first,
    negated_second,
    relation_of,
)
from augury.logic.windows import impossible_occurrences, window_order
from augury.propositions.proposition import AMOUNTS, Proposition

_DECIDED: Final = frozenset({"wins", "nominated", "advances", "ranks"})
"""Predicates that say who wins a contest or how far somebody gets in it. Two propositions with such
predicates, equal or different ones, can exclude or imply each other
(`contests.impossible_contests`)."""


def relate(a: Proposition, b: Proposition, *, matched: bool = False) -> Relation:
    """The logical relation of proposition `a` to proposition `b`: "implies", "excludes" ...; "none"
    if no relation is certain.

    matched : the caller knows that both are about the same subject (and the same contender),
        although their words may differ; only the other parts are then compared
    """
    return relation_of(impossible(a, b, matched=matched))


def impossible(a: Proposition, b: Proposition, *, matched: bool = False) -> int:
    """The joint outcomes that two propositions can't have, as a union of the bits TT, TF (`a` true,
    `b` false), FT and FF; 0 if none is known to be impossible.

    matched : the caller knows that both propositions are about the same subject, although their
        words may differ
    """
    if a.unclear or b.unclear:
        return 0
    outcomes = _without_negations(a, b, matched=matched)
    if not a.positive:
        outcomes = negated_first(outcomes)
    if not b.positive:
        outcomes = negated_second(outcomes)
    return outcomes


def _without_negations(a: Proposition, b: Proposition, *, matched: bool) -> int:
    """The joint outcomes (bits TT, TF, FT, FF) that two propositions can't have if both are read
    without their negations: "X does not win" as "X wins".

    matched : the caller knows that both are about the same subject, although their words may differ
    """
    if a.predicate in _DECIDED and b.predicate in _DECIDED:
        return impossible_contests(a, b, matched=matched)
    if not (matched or a.same_subject(b)):
        return 0
    if a.predicate in AMOUNTS and b.predicate in AMOUNTS:
        return impossible_amounts(a, b)
    if (a.predicate, a.threshold, a.stage, a.edition) != (
        b.predicate, b.threshold, b.stage, b.edition,
    ):  # fmt: skip
        return 0
    if a.predicate == "rises":
        return TF | FT if window_order(a.window, b.window) == "equal" else 0
    return impossible_occurrences(a, b)

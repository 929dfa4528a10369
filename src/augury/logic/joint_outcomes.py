"""Joint outcomes (combinations of truth values) of two propositions as bits, and the logical
relation that follows if some of them are impossible. Pure.

Example: if "a true, b false" (TF) is impossible, a implies b.
"""

from __future__ import annotations

from typing import Final, Literal

Relation = Literal[
    "implies", "implied_by", "equivalent", "excludes", "complement", "covers", "none"
]
"""Logical relation of proposition a to proposition b: `implies` (if a is true, b is), `implied_by`
(if b is true, a is), `equivalent` (both true or both false), `excludes` (never both true),
`complement` (exactly one true), `covers` (at least one true), `none` (nothing known).

What follows for their probabilities: implies P(a) <= P(b); excludes P(a) + P(b) <= 1; covers P(a) +
P(b) >= 1; complement P(a) + P(b) = 1. """

ORDERS: Final[tuple[Relation, ...]] = ("implies", "implied_by", "excludes", "covers")
"""The relations of a to b by which the probability of b bounds that of a without fixing it. In this
order, P(a) is at most P(b), at least P(b), at most 1 - P(b), at least 1 - P(b)."""

TT: Final = 1
TF: Final = 2
FT: Final = 4
FF: Final = 8
"""TT, TF, FT and FF are the joint outcomes of two propositions a and b. The first letter says
whether a is true (T) or false (F), the second letter says the same of b. Each outcome is one bit,
so that `|` combines several outcomes into a set."""

_RELATION_BY_IMPOSSIBLE: Final[dict[int, Relation]] = {
    0: "none", TF: "implies", FT: "implied_by", TF | FT: "equivalent", TT: "excludes",
    FF: "covers", TT | FF: "complement",
}  # fmt: skip
_IMPOSSIBLE: Final = {relation: bits for bits, relation in _RELATION_BY_IMPOSSIBLE.items()}
_INVERSE: Final[dict[Relation, Relation]] = {"implies": "implied_by", "implied_by": "implies"}


def relation_of(impossible: int) -> Relation:
    """The logical relation of a to b, given the joint outcomes that they can't have. For example,
    if only TF (a true, b false) is impossible, the result is "implies"; if nothing follows, "none".

    impossible : a union of the bits TT, TF, FT and FF
    """
    return _RELATION_BY_IMPOSSIBLE.get(impossible, "none")


def inverse(relation: Relation) -> Relation:
    """The relation of b to a, given the relation of a to b: "implies" -> "implied_by"."""
    return _INVERSE.get(relation, relation)


def of_denied_first(relation: Relation) -> Relation:
    """The relation of the negation of a to b, given the relation of a to b: "implies" -> "covers"
    (if a implies b, then "not a" or b is true)."""
    return relation_of(negated_first(_IMPOSSIBLE[relation]))


def of_denied_second(relation: Relation) -> Relation:
    """The relation of a to the negation of b, given the relation of a to b: "implies" -> "excludes"
    (if a implies b, then a and "not b" are never both true)."""
    return relation_of(negated_second(_IMPOSSIBLE[relation]))


def negated_first(outcomes: int) -> int:
    """Rewrite a set of joint outcomes of (a, b) as the same set for (not a, b): the bit TF (a true,
    b false) becomes FF.

    outcomes : a union of the bits TT, TF, FT and FF
    """
    return (outcomes & (TT | TF)) << 2 | (outcomes & (FT | FF)) >> 2


def negated_second(outcomes: int) -> int:
    """Rewrite a set of joint outcomes of (a, b) as the same set for (a, not b): the bit TF (a true,
    b false) becomes TT.

    outcomes : a union of the bits TT, TF, FT and FF
    """
    return (outcomes & (TT | FT)) << 1 | (outcomes & (TF | FF)) >> 1


def exchanged(outcomes: int) -> int:
    """Rewrite a set of joint outcomes of (a, b) as the same set for (b, a): the bit TF (a true, b
    false) becomes FT.

    outcomes : a union of the bits TT, TF, FT and FF
    """
    return outcomes & (TT | FF) | (outcomes & TF) << 1 | (outcomes & FT) >> 1

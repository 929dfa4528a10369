"""Joint outcomes of two propositions as bits, and the logical relation that follows if some of them
are impossible. Pure.

Example: if "a true, b false" (TF) is impossible, a implies b.
"""

from __future__ import annotations

from typing import Final, Literal

Relation = Literal[
    "implies", "implied_by", "equivalent", "excludes", "complement", "covers", "none"
]
"""Logical relation of proposition a to proposition b: `implies` (if a, then b), `implied_by` (if b,
then a), `equivalent` (both true or both false), `excludes` (never both), `complement` (exactly one
of the two), `covers` (at least one of the two), `none` (nothing known).

Bounds for probabilities: implies P(a) <= P(b); excludes P(a) + P(b) <= 1; covers P(a) + P(b) >= 1;
complement P(a) + P(b) = 1.
"""


TT: Final = 1
TF: Final = 2
FT: Final = 4
FF: Final = 8
"""TT, TF, FT, FF: the joint outcomes of two propositions (a, b), as bits that can be combined with
`|`. TF: a is true and b is false."""

_RELATIONS: Final[dict[int, Relation]] = {
    0: "none", TF: "implies", FT: "implied_by", TF | FT: "equivalent", TT: "excludes",
    FF: "covers", TT | FF: "complement",
}  # fmt: skip
_INVERSE: Final[dict[Relation, Relation]] = {"implies": "implied_by", "implied_by": "implies"}


def relation_of(impossible: int) -> Relation:
    """The logical relation of a to b that follows if the joint outcomes in `impossible` (a union of
    the bits TT, TF, FT, FF) can't happen: TF -> "implies"; "none" if nothing follows."""
    return _RELATIONS.get(impossible, "none")


def inverse(relation: Relation) -> Relation:
    """The relation of b to a, given the relation of a to b: "implies" -> "implied_by"."""
    return _INVERSE.get(relation, relation)


def negated_first(cells: int) -> int:
    """The joint outcomes `cells` of (a, b), written as bits of (not a, b): TF becomes FF."""
    return (cells & (TT | TF)) << 2 | (cells & (FT | FF)) >> 2


def negated_second(cells: int) -> int:
    """The joint outcomes `cells` of (a, b), written as bits of (a, not b): TF becomes TT."""
    return (cells & (TT | FT)) << 1 | (cells & (TF | FF)) >> 1


def exchanged(cells: int) -> int:
    """The joint outcomes `cells` of (a, b), written as bits of (b, a): TF becomes FT."""
    return cells & (TT | FF) | (cells & TF) << 1 | (cells & FT) >> 1

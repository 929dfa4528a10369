"""Counts the verdicts on how pairs of factors are related (`judged`), and compares them with the
edges and links of the factor base. Pure.

A factor is something in the world that markets are about. An edge says that one factor drives
another, a link that two factors move together and neither drives the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from augury.relations.causal.judged import Code, PairVerdict, side_of

if TYPE_CHECKING:
    from augury.relations.causal.judged import Judged
    from augury.relations.causal.knowledge import Base

EdgeKind = Literal["drives", "driven_by", "moves_with"]
"""How an edge or link of the factor base joins one factor to another: the first factor drives the
second, is driven by the second, or moves with the second."""

AGREEING: Final[Mapping[EdgeKind, frozenset[Code]]] = {
    "drives": frozenset({"effect"}),
    "driven_by": frozenset({"cause"}),
    "moves_with": frozenset({"driver", "rival", "part"}),
}
"""Relation stated by an edge (one factor drives another) or a link (two factors move together) of
the factor base -> codes of the verdicts (`judged.Code`) that agree with it."""


def judged_block(verdict: PairVerdict | None, kind: EdgeKind) -> dict[str, Any] | None:
    """The verdict on two factors in the form in which the API shows it at the edge or link that
    joins them; None if nobody judged the pair.

    kind : how the factor base joins the two factors; the field `agrees` says whether the verdict
        states the same relation
    """
    if verdict is None:
        return None
    return {
        "verdict": verdict.code,
        "strength": verdict.strength,
        "sign": verdict.sign,
        "readers": verdict.readers,
        "source": "own" if verdict.is_own else "shipped",
        "agrees": verdict.code in AGREEING[kind],
    }


class EdgeCounts(msgspec.Struct):
    """Counts that show how far the edges (one factor drives another) and links (two factors move
    together) of the factor base agree with the readers who judged the same pairs of factors.

    A pattern is a template from which many factors are made: one for each team, country etc. So
    the factors of two patterns may be joined by many edges with the same meaning. From one pattern
    to another, at most two edges are counted: the first between factors about the same team (or
    country ...), and the first between factors about different teams. The same holds for links.
    """

    edges: int = 0
    """Number of edges and links that people wrote in the factor base."""
    judged: int = 0
    """Number of edges and links for which there is a verdict on the pair of their two factors."""
    same_relation: int = 0
    """Number of edges and links that state the same relation as the verdict on their two
    factors."""
    opposite_sign: int = 0
    """Number of the edges and links counted in `same_relation` whose sign ("+" or "-") is the
    opposite of the verdict's."""
    none: int = 0
    """Number of edges and links for which the verdict says that their two factors are unrelated
    (code "none")."""


class JudgedCounts(msgspec.Struct):
    """How many pairs of factors (things in the world that markets are about) have been judged, by
    verdict, strength and domain."""

    pairs: int
    """Number of judged pairs of factors. A pair of patterns counts as one, although it stands for
    many pairs of factors (e.g. one for each team)."""
    by_verdict: dict[str, int]
    """Relation that the verdict states (`judged.Code`) -> number of judged pairs."""
    by_strength: dict[str, int]
    """Strength of the relation that the verdict states, from 0 (unrelated) to 3 (a main driver) ->
    number of judged pairs."""
    by_domain: dict[str, int]
    """Domain (subject area, e.g. "macro") of a factor -> number of judged pairs. A pair with
    factors of two domains counts in both."""
    judged_twice: int
    """Number of pairs that two readers judged. If their verdicts differed, a third reader settled
    the difference."""
    own: int
    """Number of pairs of factors with a verdict that the operator of this installation accepted."""
    own_over_shipped: int
    """Number of pairs of factors that have both a verdict of the operator and one shipped with this
    version."""
    own_same_relation: int
    """Number of pairs of factors on which the operator's verdict and the one shipped with this
    version state the same relation. At most `own_over_shipped`."""
    against_edges: EdgeCounts


def counts(base: Base, judged: Judged, shipped: Iterable[PairVerdict]) -> JudgedCounts:
    """Count the judged pairs of factors, and compare the verdicts with the edges and links of the
    factor base.

    base : the factor base with all verdicts in use, the shipped ones and the operator's own
    judged : the verdicts of `base`, looked up by factor
    shipped : the verdicts shipped with this version
    """
    verdicts = base.verdicts
    domains = {f.key: f.domain for f in base.factors.values()}
    domains |= {f.pattern: f.domain for f in base.factors.values()}
    touching = [
        {domains[end] for end in (verdict.one, verdict.other) if end in domains}
        for verdict in verdicts
    ]
    own = [verdict for verdict in verdicts if verdict.is_own]
    before = {verdict.pair: verdict for verdict in shipped}
    again = [(verdict, before[verdict.pair]) for verdict in own if verdict.pair in before]
    return JudgedCounts(
        pairs=len(verdicts),
        by_verdict=_ranked(verdict.code for verdict in verdicts),
        by_strength=_ranked(str(verdict.strength) for verdict in verdicts),
        by_domain=_ranked(domain for found in touching for domain in found),
        judged_twice=sum(verdict.readers > 1 for verdict in verdicts),
        own=len(own),
        own_over_shipped=len(again),
        own_same_relation=sum(
            mine.code == (theirs if mine.one == theirs.one else theirs.from_other_side()).code
            for mine, theirs in again
        ),
        against_edges=_against_edges(base, judged),
    )


def _ranked(found: Iterable[str]) -> dict[str, int]:
    return dict(Counter(found).most_common())


def _against_edges(base: Base, judged: Judged) -> EdgeCounts:
    numbers = {key: number for number, key in enumerate(base.factors, 1)}
    done = EdgeCounts()
    for one, other, kind, sign in _written(base):
        done.edges += 1
        verdict = judged.verdict(numbers[one], numbers[other])
        if verdict is None:
            continue
        done.judged += 1
        if verdict.code in AGREEING[kind]:
            done.same_relation += 1
            done.opposite_sign += verdict.sign != "0" and verdict.sign != sign
        done.none += verdict.code == "none"
    return done


def _written(base: Base) -> Iterator[tuple[str, str, EdgeKind, str]]:
    """The edges and links that people wrote, as (key of a factor, key of the other factor, kind,
    sign).

    A pattern gives one factor for each entity of a list (e.g. each team). The same edge may
    therefore occur many times, once for each entity. So only the first of the edges (or links) of
    one kind between the factors of two patterns is included. If both patterns are over the same
    list, two are included: the first one between factors about the same team, and the first one
    between factors about different teams."""
    seen: set[Sequence[str]] = set()
    ties: list[tuple[str, str, EdgeKind, str]] = [
        (edge.cause, edge.effect, "drives", edge.sign) for edge in base.edges if not edge.inherited
    ]
    ties.extend((link.one, link.other, "moves_with", link.sign) for link in base.links)
    for one, other, kind, sign in ties:
        ends = base.factors[one], base.factors[other]
        place = (ends[0].pattern, ends[1].pattern, side_of(*ends), kind)
        if place not in seen:
            seen.add(place)
            yield one, other, kind, sign

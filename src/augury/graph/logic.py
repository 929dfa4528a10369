"""Logical edges between the nodes of a causal graph, e.g. "A implies B". Pure.

The label of a node is a question. The labels of two nodes are read as propositions, and
`logic.relate` says which combinations of their answers are impossible. A logical edge is a hard
constraint on the two probabilities, not a cause. It may point against the causal edge between the
same nodes: winning the title implies winning the conference title, which is one of its causes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from augury.graph.strength import logical, strength
from augury.graph.view import DrawnEdge
from augury.logic import relate as logic
from augury.propositions.proposition import Proposition

MAX_LOGICAL_EDGES: Final = 8
"""Largest number of logical edges (such as "A implies B") in one graph. Edges at the question's
node are preferred, then those with stronger relations (implications before exclusions)."""


class NodeClaim(NamedTuple):
    """What a node of a causal graph asserts: its label (a question), and the proposition that the
    label was read as."""

    node: str
    label: str
    proposition: Proposition
    market: str | None
    """Id of the market whose question is the node's label; None if the label is the question that
    the graph was drawn for."""
    linked: frozenset[str] = frozenset()
    """Ids of the markets on other venues that are the same contract as `market`."""


class _Wording(NamedTuple):
    relationship: str
    polarity: Literal["positive", "negative"]
    sentence: str


_WORDINGS: Final[dict[str, _Wording]] = {
    "implies": _Wording("implies", "positive", "If “{a}” comes true, so does “{b}”."),
    "equivalent": _Wording(
        "is the same as", "positive", "“{a}” and “{b}” either both come true or both do not."
    ),
    "excludes": _Wording("excludes", "negative", "“{a}” and “{b}” cannot both come true."),
    "complement": _Wording(
        "is the opposite of", "negative", "Exactly one of “{a}” and “{b}” comes true."
    ),
    "covers": _Wording("or else", "negative", "At least one of “{a}” and “{b}” comes true."),
}
_ORDER: Final = ("equivalent", "complement", "implies", "covers", "excludes")


def edges(claims: Sequence[NodeClaim]) -> list[DrawnEdge]:
    """The logical edges (such as "A implies B") among nodes: at most `MAX_LOGICAL_EDGES`, without
    implications that follow from two others.

    claims : what each node asserts, in the order in which nodes are shown, the question first
    """
    found = [
        (kind, one, other)
        for at, first in enumerate(claims)
        for second in claims[at + 1 :]
        if (directed := _related(first, second)) is not None
        for kind, one, other in (directed,)
    ]
    follows = {(one.node, other.node) for kind, one, other in found if kind == "implies"}
    nodes = [one.node for one in claims]
    kept = [
        (kind, one, other)
        for kind, one, other in found
        if kind != "implies" or not _between(follows, nodes, one.node, other.node)
    ]
    first = claims[0].node if claims else ""
    kept.sort(key=lambda f: (first not in (f[1].node, f[2].node), _ORDER.index(f[0])))
    return [_edge(*one) for one in kept[:MAX_LOGICAL_EDGES]]


def merged(known: Iterable[DrawnEdge], hard: Sequence[DrawnEdge]) -> list[DrawnEdge]:
    """All edges of a graph: those in `known`, then the logical ones in `hard`. If a logical edge
    joins two nodes, an edge that only says that they move together is dropped, because the logical
    edge says more."""
    related = {frozenset((edge.source, edge.target)) for edge in hard}
    soft = [
        edge
        for edge in known
        if edge.edge_type != "co_movement" or frozenset((edge.source, edge.target)) not in related
    ]
    return soft + list(hard)


def _related(one: NodeClaim, other: NodeClaim) -> tuple[str, NodeClaim, NodeClaim] | None:
    same = other.market is not None and other.market in one.linked
    kind = logic.relate(one.proposition, other.proposition, matched=same)
    if kind == "none":
        return None
    return ("implies", other, one) if kind == "implied_by" else (kind, one, other)


def _between(follows: set[tuple[str, str]], nodes: Sequence[str], source: str, target: str) -> bool:
    return any((source, n) in follows and (n, target) in follows for n in nodes)


def _edge(kind: str, one: NodeClaim, other: NodeClaim) -> DrawnEdge:
    relationship, polarity, sentence = _WORDINGS[kind]
    return DrawnEdge(
        one.node, other.node, relationship,
        strength(logical(1 if polarity == "positive" else -1)),
        f"By logic, not by cause: {sentence.format(a=one.label, b=other.label)}",
        "logical", polarity, 1.0, True, None,
        tuple(market for market in (one.market, other.market) if market is not None),
    )  # fmt: skip

"""Logical edges between the nodes of a causal graph, e.g. "A implies B". Pure.

The labels of two nodes, which are questions of markets, are read as propositions, and
`logic.relate` says which of their joint outcomes are impossible. A logical edge is a hard
constraint on the two probabilities, not a cause. It may point against the causal edge between the
same nodes: a title implies the conference title that led to it.
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
node are taken first, then stronger relations (implications before exclusions)."""


class NodeClaim(NamedTuple):
    """A node of the causal graph, its label (a question), and the label read as a proposition."""

    node: str
    label: str
    proposition: Proposition
    market: str | None
    """Id of the market whose question is the label; None if the label is the question that the
    graph was drawn for."""
    linked: frozenset[str] = frozenset()
    """Ids of the markets on other venues that are the same contract as `market`."""


class _Said(NamedTuple):
    relationship: str
    polarity: Literal["positive", "negative"]
    told: str


_SAID: Final[dict[str, _Said]] = {
    "implies": _Said("implies", "positive", "If “{a}” comes true, so does “{b}”."),
    "equivalent": _Said("is the same as", "positive", "“{a}” and “{b}” come true together or not."),
    "excludes": _Said("excludes", "negative", "“{a}” and “{b}” cannot both come true."),
    "complement": _Said(
        "is the opposite of", "negative", "Exactly one of “{a}” and “{b}” comes true."
    ),
    "covers": _Said("or else", "negative", "At least one of “{a}” and “{b}” comes true."),
}
_ORDER: Final = ("equivalent", "complement", "implies", "covers", "excludes")


def edges(told: Sequence[NodeClaim]) -> list[DrawnEdge]:
    """The logical edges (such as "A implies B") among nodes: at most `MAX_LOGICAL_EDGES`, without
    implications that follow from two others.

    told : what each node asserts, in the order in which nodes are shown, the question first
    """
    found = [
        (kind, one, other)
        for at, first in enumerate(told)
        for second in told[at + 1 :]
        if (directed := _related(first, second)) is not None
        for kind, one, other in (directed,)
    ]
    follows = {(one.node, other.node) for kind, one, other in found if kind == "implies"}
    nodes = [one.node for one in told]
    kept = [
        (kind, one, other)
        for kind, one, other in found
        if kind != "implies" or not _between(follows, nodes, one.node, other.node)
    ]
    first = told[0].node if told else ""
    kept.sort(key=lambda f: (first not in (f[1].node, f[2].node), _ORDER.index(f[0])))
    return [_edge(*one) for one in kept[:MAX_LOGICAL_EDGES]]


def merged(known: Iterable[DrawnEdge], hard: Sequence[DrawnEdge]) -> list[DrawnEdge]:
    """All edges of a graph: those in `known`, then the logical ones in `hard`. An edge that only
    says that both nodes move together is dropped if a logical edge joins the same nodes, because
    the logical one says more."""
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
    relationship, polarity, told = _SAID[kind]
    return DrawnEdge(
        one.node, other.node, relationship,
        strength(logical(1 if polarity == "positive" else -1)),
        f"By logic, not by cause: {told.format(a=one.label, b=other.label)}",
        "logical", polarity, 1.0, True, None,
        tuple(market for market in (one.market, other.market) if market is not None),
    )  # fmt: skip

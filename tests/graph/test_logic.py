"""Edges of logic, against the worlds of the truth-table oracle."""

from __future__ import annotations

from datetime import date

import pytest
from tests.logic.oracle import Case, cases

from augury.graph import logic
from augury.graph.view import DrawnEdge
from augury.propositions.reading import read, read_question


def told(case: Case) -> list[logic.NodeClaim]:
    return [
        logic.NodeClaim(node, s.wording["question"], read(**s.wording), f"polymarket:{node}")
        for node, s in (("one", case.one), ("two", case.two))
    ]


def breaks(case: Case, edge: DrawnEdge) -> bool:
    """Whether some world shows what the edge says cannot be."""
    truths = {"one": case.one.truth, "two": case.two.truth}
    source, target = truths[edge.source], truths[edge.target]
    forbidden = {
        "implies": source & ~target,
        "is the same as": source ^ target,
        "excludes": source & target,
        "is the opposite of": ~(source ^ target),
        "or else": ~source & ~target,
    }
    return bool(forbidden[edge.relationship].any())


@pytest.mark.heavy
def test_a_hard_edge_holds_in_every_world_and_none_is_missing() -> None:
    seen: set[str] = set()
    for case in cases(seed=31, n=600):
        edges = logic.edges(told(case))
        assert len(edges) == (case.relation != "none"), case
        for edge in edges:
            assert not breaks(case, edge), (edge, case.one.wording, case.two.wording)
            assert edge.hard_constraint
            assert edge.edge_type == "logical"
            assert edge.lag_days is None
            seen.add(edge.relationship)
    assert len(seen) == 5


def question(node: str, text: str) -> logic.NodeClaim:
    return logic.NodeClaim(node, text, read_question(text, date(2026, 11, 21)), None)


LADDER = [
    question("question", "Will Bitcoin reach $200k by June 30, 2027?"),
    question("a", "Will Bitcoin reach $150k by June 30, 2027?"),
    question("b", "Will Bitcoin reach $150k by December 31, 2027?"),
    question("c", "Will the Lakers win the 2027 NBA Finals?"),
]


def test_the_stronger_implies_the_weaker_and_what_follows_is_not_told_twice() -> None:
    assert [(e.source, e.relationship, e.target) for e in logic.edges(LADDER)] == [
        ("question", "implies", "a"),
        ("a", "implies", "b"),
    ]
    backwards = [LADDER[1], LADDER[0]]
    [edge] = logic.edges(backwards)
    assert (edge.source, edge.target, edge.polarity) == ("question", "a", "positive")
    assert edge.description.startswith("By logic, not by cause: If “Will Bitcoin reach $200k")


def test_rivals_exclude_each_other_and_the_edges_are_bounded() -> None:
    teams = ("Lakers", "Celtics", "Bucks", "Heat", "Suns", "Bulls", "Nets", "Jazz")
    rivals = [question(name, f"Will the {name} win the 2027 NBA Finals?") for name in teams]
    edges = logic.edges(rivals)
    assert len(edges) == logic.MAX_LOGICAL_EDGES
    assert all(edge.source == "Lakers" for edge in edges[:7])  # the question's own first
    assert {(edge.relationship, edge.polarity) for edge in edges} == {("excludes", "negative")}


def test_where_logic_speaks_moving_together_is_not_said_as_well() -> None:
    soft = DrawnEdge("a", "b", "moves with", 0.5, "Rivals.", "co_movement", "negative", 0.5, False,
                None, ())  # fmt: skip
    cause = DrawnEdge("b", "a", "raises", 0.5, "It helps.", "causal", "positive", 0.5, False, 3, ())
    hard = DrawnEdge("b", "a", "excludes", 1.0, "", "logical", "negative", 1.0, True, None, ())
    assert logic.merged([soft, cause], [hard]) == [cause, hard]
    assert logic.merged([soft, cause], []) == [soft, cause]

"""The drawing of a graph: direction, polarity, bounds, and honesty about cycles."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec

from augury.graph import view
from augury.graph.service import MAX_DIRECT_MARKETS, shown_once
from augury.markets.store import StoredMarket
from augury.relations.causal.parts import Factor
from augury.relations.causal.paths import Step

FACTORS = {
    n: Factor(f"f{n}", f"Factor {n}", "it is higher", "test", (), (), (), f"f{n}", None)
    for n in range(1, 40)
}


def market(number: int, *, event: str | None = None, price: float | None = 0.3) -> StoredMarket:
    fields = dict.fromkeys(StoredMarket.__struct_fields__)
    known = {
        "seq": number, "id": f"polymarket:{number}", "platform": "polymarket",
        "question": f"Question {number}?", "outcomes": ["Yes", "No"],
        "prices": [price, None if price is None else 1 - price], "event_id": event,
    }  # fmt: skip
    return StoredMarket(**{**fields, **known})  # type: ignore[arg-type]


def found(
    number: int, factor: int, *way: Step, yes_direction: int = 1, score: float = 0.9
) -> view.ReachedMarket:
    return view.ReachedMarket(market(number), "upstream", score, factor, yes_direction, way)


def step(source: int, target: int, sign: int = 1, lag: int = 5, weight: float = 1.0) -> Step:
    return Step(source, target, weight, sign, lag, f"{source} with {target}.")


def asked(yes_direction: int = 1) -> view.CentralQuestion:
    return view.CentralQuestion("Will it?", (market(99),), None, [(1, 0.9)], yes_direction)


def test_causes_point_at_the_question_and_effects_away_from_it() -> None:
    cause = found(1, 2, step(1, 2))
    effect = view.ReachedMarket(market(2), "downstream", 0.8, 3, 1, (step(1, 3),))
    graph = view.draw(asked(), [cause, effect], FACTORS, [])
    assert [(e.source, e.target, e.relationship) for e in graph.edges] == [
        ("f2", "question", "raises"),
        ("question", "f3", "raises"),
    ]
    assert [node.id for node in graph.nodes] == ["question", "f2", "f3"]


def test_polarity_is_that_of_the_markets_shown_not_of_the_factors() -> None:
    def polarity(sign: int, yes_direction: int, question: int) -> str:
        graph = view.draw(
            asked(question),
            [found(1, 2, step(1, 2, sign), yes_direction=yes_direction)],
            FACTORS,
            [],
        )
        return graph.edges[0].polarity

    assert polarity(1, 1, 1) == "positive"
    assert polarity(-1, 1, 1) == "negative"
    assert polarity(-1, -1, 1) == "positive"
    assert polarity(1, 1, -1) == "negative"
    assert polarity(1, 0, 1) == "unknown"


def test_a_second_step_hangs_on_the_first_where_that_is_shown() -> None:
    first, second = step(1, 2), step(2, 3, lag=7)
    graph = view.draw(asked(), [found(1, 2, first), found(2, 3, first, second)], FACTORS, [])
    assert ("f3", "f2") in {(e.source, e.target) for e in graph.edges}
    alone = view.draw(asked(), [found(2, 3, first, second)], FACTORS, [])
    [edge] = alone.edges
    assert (edge.source, edge.target, edge.lag_days) == ("f3", "question", 12)
    assert edge.description.startswith("Through Factor 2: ")


def test_markets_of_one_event_share_a_node() -> None:
    way = step(1, 2)
    same = [
        view.ReachedMarket(market(n, event="e"), "upstream", 0.9 - n / 100, 2, 1, (way,))
        for n in range(1, 9)
    ]
    other = view.ReachedMarket(market(50, event="x"), "upstream", 0.1, 2, 1, (way,))
    graph = view.draw(asked(), [*same, other], FACTORS, [])
    node = graph.nodes[1]
    assert len(node.markets) == view.MOST_MARKETS
    assert {m.event_id for m in node.markets} == {"e"}
    assert node.probability == 0.3


def test_no_quote_is_no_probability() -> None:
    one = view.ReachedMarket(market(1, price=None), "upstream", 0.9, 2, 1, (step(1, 2),))
    assert view.draw(asked(), [one], FACTORS, []).nodes[1].probability is None


def test_a_person_can_read_it() -> None:
    many = [found(n, n, step(1, n), score=1 / n) for n in range(2, 39)]
    graph = view.draw(asked(), many, FACTORS, [])
    assert len(graph.nodes) == 1 + view.MOST_PER_RELATION


def test_a_cycle_says_its_lag_or_is_left_out() -> None:
    shown = [found(1, 2, step(1, 2)), found(2, 3, step(1, 3))]
    slow = view.draw(asked(), shown, FACTORS, [step(2, 3, lag=0), step(3, 2, lag=9)])
    # the same two factors: the stronger direction stands
    assert len([e for e in slow.edges if "question" not in (e.source, e.target)]) == 1

    three = [*shown, found(3, 4, step(1, 4))]
    round_trip = [step(2, 3, lag=1), step(3, 4, lag=2), step(4, 2, lag=3)]
    graph = view.draw(asked(), three, FACTORS, round_trip)
    assert sum("one round takes about 6 days" in e.description for e in graph.edges) == 1
    at_once = [step(a, b, lag=0) for a, b in ((2, 3), (3, 4), (4, 2))]
    graph = view.draw(asked(), three, FACTORS, at_once)
    assert len(graph.warnings) == 1
    assert len(graph.edges) == 5


def test_the_picture_holds_every_node_and_edge_and_no_markup_of_a_market() -> None:
    from xml.etree import ElementTree

    from augury.graph.picture import svg
    from augury.graph.schemas import graph as wire_graph

    cause = view.ReachedMarket(
        msgspec.structs.replace(market(1), question="Will <b>it</b> & more?"),
        "upstream", 0.9, 2, 1, (step(1, 2),),
    )  # fmt: skip
    effect = view.ReachedMarket(market(2), "downstream", 0.8, 3, 1, (step(1, 3),))
    drawn = view.draw(asked(), [cause, effect], FACTORS, [])
    root = ElementTree.fromstring(svg(wire_graph(drawn)))
    text = " ".join(element.text or "" for element in root.iter())
    assert "Will <b>it</b> & more?" in text
    assert "30%" in text
    titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == [edge.description for edge in drawn.edges]


def test_markets_shown_at_the_question_are_at_no_other_node() -> None:
    def results(*names: str) -> list[Any]:
        return [SimpleNamespace(id=name) for name in names]

    best = ["a", "b", "c", "d"]
    assert len(best) == MAX_DIRECT_MARKETS
    kept = shown_once({"direct": results(*best, "e"), "upstream": results("x", "b", "e")})
    assert {name: [r.id for r in found] for name, found in kept.items()} == {
        "direct": [*best, "e"], "upstream": ["x", "e"],
    }  # fmt: skip


def test_the_picture_has_a_title_a_legend_a_date_and_its_texts_in_their_boxes() -> None:
    from datetime import UTC, datetime
    from xml.etree import ElementTree

    from augury.graph.picture import BOX_WIDTH, PADDING, SAMPLE_MARK, _width, _wrapped, svg
    from augury.graph.schemas import graph as wire_graph

    long = "W" * 90 + " Donaudampfschifffahrtsgesellschaft " + "Kuala Lumpur 吉隆坡 " * 9
    cause = view.ReachedMarket(
        msgspec.structs.replace(market(1), question=long), "upstream", 0.9, 2, 1, (step(1, 2),)
    )
    drawn = view.draw(asked(), [cause], FACTORS, [])
    at = datetime(2026, 11, 22, 5, 30, tzinfo=UTC)
    root = ElementTree.fromstring(svg(wire_graph(drawn), as_of=at, sample=True))
    text = " ".join(element.text or "" for element in root.iter())
    assert asked().label in text
    assert "2026-11-22 05:30 UTC" in text
    assert SAMPLE_MARK in text
    assert "makes more likely" in text
    assert SAMPLE_MARK not in svg(wire_graph(drawn), as_of=at)
    for line in _wrapped(long, BOX_WIDTH - 2 * PADDING, 3):
        assert line
        assert _width(line, 12) <= BOX_WIDTH - 2 * PADDING

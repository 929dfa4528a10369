"""The classes that the judge learns: a complement is the opposite, another matter is neither."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training" / "judge"))

from labels import CLASSES, bounding, target  # pyright: ignore[reportMissingImports]


def _candidate(**more: Any) -> dict[str, Any]:
    return {
        "id": "polymarket:1", "outcome": 0, "outcomes": ["Yes", "No"], "question": "Will it rain?",
        "terms": frozenset({"rain"}), "parts": ("None", None), "end": None, **more,
    }  # fmt: skip


def _label(kind: str, candidate: dict[str, Any], *, denied: bool = False) -> str | None:
    one = {
        "qid": "q-1", "kind": kind, "market_id": "polymarket:1", "candidates": [_candidate()],
        "denied": denied,
    }  # fmt: skip
    label = target(one, candidate)
    return None if label is None else CLASSES[label]


@pytest.mark.parametrize(
    ("kind", "outcome", "expected"),
    [
        ("p", 0, "same"), ("n", 0, "opposite"), ("p", 1, "opposite"), ("n", 1, "same"),
        ("ge", 0, "other"), ("le", 0, "other"), ("x", 0, "other"), ("u", 0, "other"),
    ],
)  # fmt: skip
def test_the_own_market(kind: str, outcome: int, expected: str) -> None:
    assert _label(kind, _candidate(outcome=outcome)) == expected


def test_of_a_question_in_a_frame_that_denies_the_judge_reads_what_stands_in_it() -> None:
    """ "Is it false that it will stay dry?" asks for rain; the judge reads "stay dry"."""
    assert _label("p", _candidate(), denied=True) == "opposite"
    assert _label("n", _candidate(), denied=True) == "same"
    assert _label("x", _candidate(), denied=True) == "other"


def test_another_market_is_other_and_a_twin_is_left_out() -> None:
    other = _candidate(id="kalshi:2", question="Will it snow?", terms=frozenset({"snow"}))
    twin = _candidate(id="kalshi:3", question="Rain?")
    assert _label("p", other) == "other"
    assert _label("p", twin) is None


def test_a_reader_says_what_a_market_beside_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        ("q-1", "kalshi:2"): "same",
        ("q-1", "kalshi:3"): "unsure",
        ("q-1", "kalshi:4"): "other",
    }
    monkeypatch.setattr("labels._readers", lambda: said)
    snow = _candidate(id="kalshi:2", question="Will it snow?", terms=frozenset({"snow"}))
    assert _label("x", snow) == "same"
    assert _label("x", snow, denied=True) == "opposite"
    assert _label("x", snow | {"outcome": 1}) == "opposite"
    assert _label("x", snow | {"id": "kalshi:3"}) is None
    assert _label("p", snow | {"id": "kalshi:4"}) == "other"
    assert _label("x", snow | {"id": "kalshi:5"}) == "other"


@pytest.mark.parametrize(
    ("kind", "order", "expected"),
    [
        ("ge", "implied", 1), ("ge", "implies", 0), ("le", "implies", 1), ("p", "implied", 0),
        ("x", "implies", None), ("ge", "", None),
    ],
)  # fmt: skip
def test_the_own_market_bounds_in_the_right_order_alone(
    kind: str, order: str, expected: int | None
) -> None:
    one = {
        "qid": "q-1", "kind": kind, "market_id": "polymarket:1", "candidates": [_candidate()],
        "denied": False, "group": "e:rain",
    }  # fmt: skip
    assert bounding(one, _candidate(event_id="rain"), order) == expected


@pytest.mark.parametrize(
    ("event", "own", "expected"),
    [
        ("rain", ("implies", "none", False), 1),  # a level of the same ladder, in the same order
        ("rain", ("implied", "none", False), 0),
        ("rain", ("", "none", False), None),
        ("snow", ("implies", "implies", False), 1),  # logic is certain, though the event is another
        ("snow", ("implied", "implied_by", True), 0),
        ("snow", ("implies", "none", True), None),  # may bound it
        ("snow", ("implies", "none", False), 0),
        ("snow", ("", "none", True), 0),
    ],
)
def test_another_market_bounds_as_the_own_market_says(
    event: str, own: tuple[str, str, bool], expected: int | None
) -> None:
    other = _candidate(id="kalshi:2", question="Will it snow?", terms=frozenset({"snow"}))
    other |= {"event_id": event, "own": own}
    one = {
        "qid": "q-1", "kind": "p", "market_id": "polymarket:1", "candidates": [_candidate()],
        "denied": False, "group": "e:rain",
    }  # fmt: skip
    assert bounding(one, other, "implies") == expected
    assert bounding(one | {"kind": "le"}, other, "implies") is None
    assert bounding(one | {"kind": "x"}, other, "implies") == (None if event == "rain" else 0)
    assert bounding(one, other, "") is None

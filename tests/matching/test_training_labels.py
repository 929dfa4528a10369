"""The classes that the judge learns: a complement is the opposite, another matter is neither."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training" / "judge"))

from labels import CLASSES, UNORDERED, order, relation, target  # pyright: ignore[reportMissingImports]


def _candidate(**more: Any) -> dict[str, Any]:
    return {
        "id": "polymarket:1", "outcome": 0, "outcomes": ["Yes", "No"], "question": "Will it rain?",
        "terms": frozenset({"rain"}), "parts": ("None", None), "end": None, **more,
    }  # fmt: skip


def _label(kind: str, candidate: dict[str, Any], *, denied: bool = False) -> str | None:
    label = target(_asked(kind, denied=denied), candidate)
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


def _asked(kind: str, *, denied: bool = False) -> dict[str, Any]:
    return {
        "qid": "q-1", "kind": kind, "market_id": "polymarket:1", "candidates": [_candidate()],
        "denied": denied, "group": "e:rain",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "denied", "outcome", "expected"),
    [
        ("ge", False, 0, "implied_by"), ("le", False, 0, "implies"), ("ex", False, 0, "excludes"),
        ("cv", False, 0, "covers"), ("o", False, 0, "other"), ("u", False, 0, "other"),
        ("x", False, 0, None),  # another day or level may follow
        ("ge", True, 0, "excludes"), ("le", True, 0, "covers"), ("ex", True, 0, "implied_by"),
        ("ge", False, 1, "covers"), ("le", False, 1, "excludes"), ("le", False, 2, None),
    ],
)  # fmt: skip
def test_the_own_market_bounds_as_the_kind_says(
    kind: str, denied: bool, outcome: int, expected: str | None
) -> None:
    assert order(_asked(kind, denied=denied), _candidate(outcome=outcome)) == expected


@pytest.mark.parametrize(
    ("event", "own", "expected"),
    [
        ("rain", ("implies", "none", False), "implies"),  # a level of the same ladder
        ("rain", ("", "none", False), None),
        ("snow", ("implies", "implies", False), "implies"),  # logic is certain
        ("snow", ("implied", "equivalent", True), None),
        ("snow", ("implies", "none", True), None),  # may bound it
        ("snow", ("implies", "none", False), "other"),
        ("snow", ("", "none", True), "other"),
    ],
)
def test_another_market_bounds_as_the_own_market_says(
    event: str, own: tuple[str, str, bool], expected: str | None
) -> None:
    other = _candidate(id="kalshi:2", question="Will it snow?", terms=frozenset({"snow"}))
    other |= {"event_id": event, "own": own}
    assert order(_asked("p"), other) == expected
    of_complement = "covers" if expected == "implies" else expected
    assert order(_asked("n"), other) == of_complement
    assert order(_asked("le"), other) is None
    assert order(_asked("x"), other) == (None if event == "rain" else "other")


def test_where_an_order_is_not_known_it_may_still_be_known_that_nothing_is_asked() -> None:
    other = _candidate(id="kalshi:2", question="Will it snow?", terms=frozenset({"snow"}))
    other |= {"event_id": "rain", "own": ("", "none", False)}
    assert relation(_asked("p"), other) == UNORDERED
    assert relation(_asked("p"), _candidate()) == CLASSES.index("same")
    assert relation(_asked("ge"), other) is None  # another day may be what was asked
    assert relation(_asked("ge"), other | {"event_id": "snow"}) == UNORDERED
    assert relation(_asked("o"), other | {"event_id": "snow"}) is None


@pytest.mark.parametrize(
    ("said", "denied", "outcome", "expected"),
    [
        ("implies", False, 0, "implies"), ("excludes", False, 0, "excludes"),
        ("implies", False, 1, "excludes"), ("implies", True, 0, "covers"),
        ("nothing", False, 0, "other"), ("nothing", True, 1, "other"),
        ("other", False, 0, None),  # something else, which may be ordered
        ("unsure", False, 0, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["p", "ge", "x", "f"])
def test_a_reader_says_how_a_question_is_ordered_with_a_market_beside_it(
    monkeypatch: pytest.MonkeyPatch, kind: str, said: str, denied: bool, outcome: int,
    expected: str | None,
) -> None:  # fmt: skip
    monkeypatch.setattr("labels._readers", lambda: {("q-1", "kalshi:2"): said})
    other = _candidate(id="kalshi:2", question="Will it snow?", terms=frozenset({"snow"}))
    other |= {"event_id": "snow", "own": ("", "none", False), "outcome": outcome}
    assert order(_asked(kind, denied=denied), other) == expected


@pytest.mark.parametrize(
    ("said", "asks", "expected"),
    [
        ("implies", 0, "implies"), ("nothing", 0, "other"), ("other", 0, None),
        ("same", None, None), ("unsure", None, None),
    ],
)  # fmt: skip
def test_a_reader_says_how_a_near_miss_is_ordered_with_its_market(
    monkeypatch: pytest.MonkeyPatch, said: str, asks: int | None, expected: str | None
) -> None:
    monkeypatch.setattr("labels._readers", lambda: {("q-1", "polymarket:1"): said})
    assert target(_asked("x"), _candidate()) == asks
    assert order(_asked("x"), _candidate()) == expected
    assert order(_asked("ge"), _candidate()) == "implied_by"  # its writer knows


def test_of_a_question_without_a_market_only_readers_know(monkeypatch: pytest.MonkeyPatch) -> None:
    other = _candidate(id="kalshi:2", event_id="snow", own=("", "none", False))
    asked = _asked("f") | {"market_id": ""}
    assert relation(asked, other) is None
    monkeypatch.setattr("labels._readers", lambda: {("q-1", "kalshi:2"): "covers"})
    assert relation(asked, other) == CLASSES.index("covers")

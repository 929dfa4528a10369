"""The classes that the judge learns: a complement is the opposite, another matter is neither."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "training" / "judge"))

from labels import CLASSES, target  # pyright: ignore[reportMissingImports]


def _candidate(**more: Any) -> dict[str, Any]:
    return {
        "id": "polymarket:1", "outcome": 0, "outcomes": ["Yes", "No"], "question": "Will it rain?",
        "terms": frozenset({"rain"}), "parts": ("None", None), "end": None, **more,
    }  # fmt: skip


def _label(kind: str, candidate: dict[str, Any]) -> str | None:
    one = {"kind": kind, "market_id": "polymarket:1", "candidates": [_candidate()]}
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


def test_another_market_is_other_and_a_twin_is_left_out() -> None:
    other = _candidate(id="kalshi:2", question="Will it snow?", terms=frozenset({"snow"}))
    twin = _candidate(id="kalshi:3", question="Rain?")
    assert _label("p", other) == "other"
    assert _label("p", twin) is None

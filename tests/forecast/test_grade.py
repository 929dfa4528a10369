"""Hints are no probability of the closed answer; what is asked is, or bounded closely enough."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.forecast.conftest import CATALOGUE
from tests.forecast.snapshots import snapshot

from augury.forecast.evidence import Estimate, Evidence, Role
from augury.forecast.grade import (
    LOOSE_WARNING,
    MIN_HINT_CONFIDENCE,
    MIN_LEFT_PROBABILITY,
    WIDEST_BOUNDS,
    is_loose,
    public,
)
from augury.forecast.trust import MIN_TRUST


def estimate(role: Role, confidence: float = 0.3) -> Estimate:
    market = snapshot(CATALOGUE[0])
    return Estimate(
        evidence=(Evidence(market, 0, role, False, 0.4, 0.5, 0.8, 1.0, "is about it", 0.0, 0.6),),
        probability=0.4, lower=0.2, upper=0.6, confidence=confidence, reasoning="So it is.",
    )  # fmt: skip


@pytest.mark.parametrize(("role", "grade"), [("direct", "asked"), ("bound", "bounded")])
def test_what_is_asked_or_bounded_stands(role: Role, grade: str) -> None:
    made = estimate(role)
    assert made.grade == grade
    assert public(made) is made


@pytest.mark.parametrize("role", ["proxy", "weak"])
def test_a_hint_is_told_in_words_alone(role: Role) -> None:
    made = estimate(role)
    shown = public(made)
    assert (made.grade, made.probability) == ("hinted", 0.4)
    assert (shown.probability, shown.lower, shown.confidence) == (None, None, 0.0)
    assert shown.null is not None
    assert shown.null.kind == "hint_only"
    assert made.evidence[0].market.question in shown.reasoning
    assert shown.evidence == made.evidence
    assert public(estimate(role, MIN_HINT_CONFIDENCE)).probability == 0.4


def bounded(low: float, high: float, way: str = "from_thresholds") -> Estimate:
    [one] = estimate("bound").evidence
    held = replace(one, low=low, high=high)
    return replace(estimate("bound"), evidence=(held,), fallbacks=(way,))


def test_bounds_that_leave_too_much_room_say_so() -> None:
    near, wide = bounded(0.05, 0.05 + WIDEST_BOUNDS - 0.01), bounded(0.05, 0.96)
    assert public(near) is near
    shown = public(wide)
    assert (shown.probability, shown.grade) == (0.4, "bounded")
    assert shown.reasoning.endswith(LOOSE_WARNING)
    assert (is_loose(near), is_loose(wide)) == (False, True)


def test_what_is_left_by_rivals_that_take_most_is_told_in_words_alone() -> None:
    few = bounded(0.0, MIN_LEFT_PROBABILITY - 0.1, "from_rivals")
    shown = public(few)
    assert (few.grade, shown.grade) == ("bounded", "none")
    assert (shown.probability, shown.lower, shown.confidence) == (None, None, 0.0)
    assert shown.null is not None
    assert shown.null.kind == "bounds_only"
    assert "between 0.0% and 40%" in shown.reasoning
    assert few.evidence[0].market.question in shown.reasoning
    assert shown.fallbacks == ("from_rivals", "bounds_withheld")
    assert shown.evidence == few.evidence
    most = public(bounded(0.0, MIN_LEFT_PROBABILITY + 0.1, "from_rivals"))
    assert most.probability == 0.4
    assert most.reasoning.endswith(LOOSE_WARNING)


def test_bounds_that_contradict_each_other_are_told_in_order() -> None:
    [one] = estimate("bound").evidence
    both = (replace(one, low=0.6, high=1.0), replace(one, high=0.4))
    assert replace(estimate("bound"), evidence=both).bounds == (0.4, 0.6)


def test_no_evidence_has_no_grade() -> None:
    assert Estimate(evidence=()).grade == "none"


@pytest.mark.parametrize("role", ["direct", "bound"])
def test_an_answer_of_a_kind_that_was_often_wrong_is_told_in_words_alone(role: Role) -> None:
    made = replace(estimate(role), trust=MIN_TRUST - 0.01)
    shown = public(made)
    assert (made.probability, shown.probability, shown.confidence) == (0.4, None, 0.0)
    assert shown.null is not None
    assert shown.null.kind == "doubtful"
    assert made.evidence[0].market.question in shown.reasoning
    assert public(replace(made, trust=MIN_TRUST)).probability == 0.4

"""Hints are no probability of the closed answer; what is asked or bounded is."""

from __future__ import annotations

import pytest
from tests.forecast.conftest import CATALOGUE
from tests.forecast.test_words import snapshot

from augury.forecast.evidence import Estimate, Evidence, Role
from augury.forecast.grade import MIN_HINT_CONFIDENCE, public


def estimate(role: Role, confidence: float = 0.3) -> Estimate:
    market = snapshot(CATALOGUE[0])
    return Estimate(
        evidence=(Evidence(market, 0, role, False, 0.4, 0.5, 0.8, 1.0, "is about it"),),
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


def test_no_evidence_has_no_grade() -> None:
    assert Estimate(evidence=()).grade == "none"

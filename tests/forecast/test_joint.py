"""Parts of a question are joined within what logic allows, also where one has no answer."""

from __future__ import annotations

import pytest

from augury.forecast.compound import Parts, parts
from augury.forecast.evidence import Estimate
from augury.forecast.joint import joined


def answer(p: float, trust: float | None = None) -> Estimate:
    return Estimate(evidence=(), probability=p, lower=p, upper=p, confidence=0.9, trust=trust)


MISSING = Estimate(evidence=(), error="No.")
EITHER = Parts("either", ("Trump", "Vance"), ("Will Trump win?", "Will Vance win?"))
BOTH = Parts("both", ("Bitcoin", "Ethereum"), ("Will Bitcoin rise?", "Will Ethereum rise?"))


def test_neither_is_the_complement_of_either() -> None:
    asked = parts("Will neither Ada nor Bela end up as the nominee?")
    assert asked is not None
    assert (asked.connective, asked.names, asked.denied) == ("either", ("Ada", "Bela"), True)
    assert asked.questions[0] == "Will Ada end up as the nominee?"
    found = joined(asked, [answer(0.5), answer(0.3)], exclusive=True)
    assert found.probability == pytest.approx(0.2)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= 0.2 <= found.upper


def test_parts_are_joined_within_what_logic_allows() -> None:
    added = joined(EITHER, [answer(0.3), answer(0.5)], exclusive=True)
    assert added.probability == pytest.approx(0.8)
    assert added.distribution is not None
    assert sum(part.probability for part in added.distribution) == pytest.approx(1)
    loose = joined(EITHER, [answer(0.3), answer(0.5)], exclusive=False)
    assert (loose.lower, loose.upper) == (0.5, 0.8)
    assert 0.5 <= (loose.probability or 0) <= 0.8
    joint = joined(BOTH, [answer(0.7), answer(0.6)], exclusive=False)
    assert (joint.lower, joint.upper) == (0.3, 0.6)


def test_three_parts_are_joined_as_two_are() -> None:
    three = Parts("both", ("A", "B", "C"), ("A?", "B?", "C?"))
    found = joined(three, [answer(0.9), answer(0.8), answer(0.7)], exclusive=False)
    assert found.limits == (0.4, 0.7)
    assert found.probability == pytest.approx((0.9 * 0.8 * 0.7 + 0.7) / 2)


def test_a_part_without_an_answer_leaves_a_bound() -> None:
    joint = joined(BOTH, [answer(0.7), MISSING], exclusive=False)
    assert joint.limits == (0.0, 0.7)
    assert 0 < (joint.probability or 0) < 0.7
    assert joint.confidence < 0.5
    either = joined(EITHER, [answer(0.7), MISSING], exclusive=True)
    assert either.limits == (0.7, 1.0)
    assert joined(EITHER, [MISSING, MISSING], exclusive=True).probability is None


def test_the_first_part_alone_leaves_a_bound() -> None:
    asked = Parts("both", ("A", "then B"), ("A?",), rivals=False)
    joint = joined(asked, [answer(0.6)], exclusive=False)
    assert joint.limits == (0.0, 0.6)
    assert joint.reasoning.startswith('Both of "A" and "then B" have to come true')
    assert " For that part: " in joint.reasoning
    assert joined(asked, [MISSING], exclusive=False).probability is None


def test_a_doubtful_part_counts_as_one_without_an_answer() -> None:
    joint = joined(BOTH, [answer(0.7, trust=0.9), answer(0.6, trust=0.1)], exclusive=False)
    assert joint.limits == (0.0, 0.7)
    assert joint.trust == 0.9

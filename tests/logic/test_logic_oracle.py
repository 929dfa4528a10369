"""R16: relations of generated pairs against truth tables; `-m slow` runs the 5,000."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.logic.oracle import Case, cases

from augury.logic.joint_outcomes import inverse
from augury.logic.relate import relate
from augury.propositions.reading import read


def wrong(case: Case) -> str | None:
    a, b = read(**case.one.wording), read(**case.two.wording)
    found, back = relate(a, b), relate(b, a)
    if found == case.relation and back == inverse(found):
        return None
    texts = case.one.wording["question"], case.two.wording["question"]
    return f"{case.domain}: {found} / {back} instead of {case.relation}: {texts}"


def check(seed: int, n: int) -> None:
    pairs = cases(seed, n)
    assert [text for case in pairs if (text := wrong(case))] == []
    # The sample is no pushover: every relation occurs, none alone makes up the most of it.
    seen = Counter(case.relation for case in pairs)
    assert len(seen) == 7
    assert max(seen.values()) < 0.6 * n


def test_relations_agree_with_the_truth_tables() -> None:
    check(seed=16, n=500)


@pytest.mark.slow
def test_five_thousand_relations_agree_with_the_truth_tables() -> None:
    check(seed=2027, n=5_000)

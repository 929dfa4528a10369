"""Scores against judged markets."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.search.evaluate import JudgedQuery, dcg, mean, ndcg10, none_share, per_query, summary

JUDGED = JudgedQuery.of(
    {
        "qid": "x1",
        "query": "snow in oslo",
        "form": "keywords",
        "domain": "weather",
        "labels": [
            {"id": "a", "relation": "direct", "grade": 3, "why": ""},
            {"id": "b", "relation": "direct", "grade": 2, "why": ""},
            {"id": "c", "relation": "upstream", "grade": 3, "why": ""},
        ],
        "none": ["n", "m"],
    }
)


def test_dcg_by_hand() -> None:
    assert dcg([3, 0, 2]) == pytest.approx(3 + 2 / log2(4))


def test_the_ideal_order_scores_one() -> None:
    assert ndcg10(["a", "b", "c", "n"], JUDGED, "direct") == pytest.approx(1)


def test_another_order_by_hand() -> None:
    ideal = 3 + 2 / log2(3)
    assert ndcg10(["b", "c", "a"], JUDGED, "direct") == pytest.approx((2 + 3 / log2(4)) / ideal)


def test_unjudged_and_repeated_markets_take_no_place() -> None:
    assert ndcg10(["?", "a", "a", "??", "b"], JUDGED, "direct") == pytest.approx(1)


def test_a_grade_counts_in_its_own_dimension_only() -> None:
    assert ndcg10(["a", "b"], JUDGED, "upstream") == 0
    assert ndcg10(["c"], JUDGED, "upstream") == 1


def test_nothing_judged_in_a_dimension_is_no_score() -> None:
    assert ndcg10(["a"], JUDGED, "correlated") is None


def test_none_share_looks_at_the_judged_top_ten() -> None:
    assert none_share(["n", "?", "a", "m", "b"], JUDGED) == pytest.approx(0.5)
    assert none_share(["?"], JUDGED) is None


def test_summary_averages_over_queries_that_have_the_dimension() -> None:
    other = JudgedQuery("x2", "rain", "keywords", "weather", {"a": ("correlated", 1)})
    scores = [
        per_query({"direct": ["a", "b"], "upstream": ["c"]}, JUDGED),
        per_query({"direct": ["a"]}, other),
    ]
    found = summary(scores)
    assert found["queries"] == 2
    assert found["ndcg10"]["direct"] == pytest.approx(1)
    assert found["ndcg10"]["correlated"] == 0
    assert found["ndcg10"]["downstream"] is None
    assert found["none_share"]["direct"] == 0


def test_mean_of_nothing_is_unknown() -> None:
    assert mean([None, None]) is None


@given(st.permutations(["a", "b", "c", "n", "m", "?"]))
def test_scores_lie_between_zero_and_one(ranking: list[str]) -> None:
    score = ndcg10(ranking, JUDGED, "direct")
    assert score is not None
    assert 0 <= score <= 1 + 1e-12

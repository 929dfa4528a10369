"""Queries for one time of a question that has several."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from augury.search.instances import Instance, draw, is_of

TITLES = [
    ("a1", "Will Ireland win Eurovision 2025?"),
    ("a2", "Will Ireland win Eurovision 2026?"),
    ("b1", "Fed decision in March 2026? — Hold"),
    ("b2", "Fed decision in June 2026? — Hold"),
    ("c1", "Will it snow in Oslo in 2026?"),
    ("d1", "How many of 2025 and 2026?"),
    *((f"e{n}-{year}", f"Will Team {chr(65 + n)} win the Cup {year}?")
      for n in range(12) for year in (2025, 2026)),
]  # fmt: skip


def test_one_query_for_each_question_of_several_times() -> None:
    drawn = draw(TITLES)
    assert draw(reversed(TITLES)) == drawn
    questions = [asked.market.partition("-")[0].rstrip("12") for asked in drawn]
    assert {"a", "b"} < set(questions)
    assert not {"c", "d"} & set(questions)
    assert sum(one.startswith("e") for one in questions) == 6
    fed = next(asked for asked in drawn if asked.market.startswith("b"))
    assert (fed.year, len(fed.months)) == (2026, 1)
    assert "Hold" not in fed.query


@pytest.mark.parametrize(
    ("texts", "closes", "expected"),
    [
        (["Fed decision in March 2026?"], None, True),
        (["Fed decision in March?", "Fed 2026"], None, True),
        (["Fed decision in March?"], datetime(2026, 3, 18, tzinfo=UTC), True),
        (["Fed decision?"], datetime(2027, 1, 2, tzinfo=UTC), True),
        (["Fed decision?"], datetime(2027, 2, 2, tzinfo=UTC), False),
        (["Fed decision in June 2026?"], None, False),
        (["Fed decision in March 2025?"], datetime(2026, 3, 18, tzinfo=UTC), True),
        (["Fed decision in March 2023?"], datetime(2026, 3, 18, tzinfo=UTC), False),
        (["Fed decision in March?"], None, False),
    ],
)
def test_of_the_asked_time(texts: list[str], closes: datetime | None, expected: bool) -> None:
    asked = Instance("x", "fed march 2026", 2026, frozenset({3}))
    assert is_of(asked, texts, closes) is expected

"""Questions in plain words: which way round they are asked, and what is left of them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.forecast.normalise import normalise

AT = datetime(2026, 11, 21, tzinfo=UTC)

POSITIVE = [
    "Will the Fed cut rates in December?",
    "Is Ann Lee going to be the next chair of the committee?",
    "What are the odds that Ecuador leaves the pact by June 2027?",
    "Does the bill pass before March 1, 2027?",
    "Will Norway finish third or better at the 2027 World Cup?",
    "Will the unemployment rate exceed 5% in January 2027?",
]
NEGATIVE = [
    "Will the Fed fail to cut rates in December?",
    "Will anyone other than Ann Lee chair the committee in 2027?",
    "Will 2026 end without a new trade pact?",
    "Will March 2027 come and go with no ceasefire in Sudan?",
    "Will the Jets miss the 2027 NHL playoffs?",
    "Will oil stay below $100 through June 2027?",
    "Will the minister hang on as finance minister past June 30, 2027?",
    "Will Norway finish fourth or worse at the 2027 World Cup?",
    "Will the index fall outside the 3.1 to 3.4 range in January 2027?",
    "Will the singer avoid being charged by June 2027?",
    "Will the president skip the summit in May 2027?",
    "Will Chile be knocked out of the 2027 Women's World Cup before the semifinals?",
    "Will the phone still be unreleased at the end of June 2027?",
    "Will no new member join the bloc before 2028?",
    "Will Ann Lee be replaced as the Green nominee in Ohio's 9th District?",
    "Will Chile's cup run stop short of the semifinals in 2027?",
    "Will Foxglove Labs still not have gone public when July 2027 arrives?",
]


@pytest.mark.parametrize("question", POSITIVE)
def test_a_question_is_taken_as_it_is_asked(question: str) -> None:
    assert normalise(question, AT).proposition.positive


@pytest.mark.parametrize("question", NEGATIVE)
def test_a_question_for_the_opposite_is_told(question: str) -> None:
    reading = normalise(question, AT)
    assert not reading.proposition.positive
    assert reading.reason
    assert "does not happen" in reading.reason


def test_the_opposite_of_a_deadline_has_the_same_deadline() -> None:
    by = normalise("Will Ann Lee resign by June 30, 2027?", AT).proposition.window
    past = normalise("Will June 30, 2027 pass without Ann Lee resigning?", AT).proposition.window
    assert by.end == past.end == date(2027, 7, 1)


@pytest.mark.parametrize(
    ("said", "figure"),
    [("half a percentage point", 50), ("a quarter point", 25), ("75 basis points", 75)],
)
def test_figures_in_words(said: str, figure: float) -> None:
    reading = normalise(f"Will the Fed cut rates by {said} or more in March 2027?", AT)
    threshold = reading.proposition.threshold
    assert threshold is not None
    assert threshold.low == figure
    assert f"{figure} bps" in reading.effective


def test_hundreds_in_words_and_the_day_a_month_arrives() -> None:
    reading = normalise("Could ether sink to eighteen hundred dollars in March 2027?", AT)
    assert reading.proposition.threshold is not None
    assert reading.proposition.threshold.high == 1800
    reading = normalise("Will Ann Lee have resigned when June 2027 arrives?", AT)
    assert reading.proposition.window.end == date(2027, 6, 1)


def test_an_untouched_question_says_so() -> None:
    reading = normalise("Will it rain in Oslo on May 3, 2027?", AT)
    assert not reading.rewritten
    assert reading.effective == reading.question


@given(st.text(max_size=500))
def test_any_text_is_read(text: str) -> None:
    reading = normalise(text, AT)
    assert reading.question == text
    reading.shown()


@pytest.mark.slow
@given(st.lists(st.sampled_from(POSITIVE + NEGATIVE), min_size=1, max_size=6).map(" ".join))
def test_long_questions_are_read_in_time(text: str) -> None:
    normalise(text[:500], AT)

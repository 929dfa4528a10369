"""Amounts in people's words, written in the one way that the reader of quantities knows."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.forecast.normalize import normalize
from augury.forecast.outcomes import asks
from augury.forecast.threshold_order import compare_ranges
from augury.language.amounts import normalized
from augury.propositions.proposition import Proposition
from augury.propositions.reading import read

AT = datetime(2027, 1, 10, 12, tzinfo=UTC)


def asked(question: str) -> Proposition:
    return normalize(question, AT).proposition


@pytest.mark.parametrize(
    ("said", "figures"),
    [
        ("half a million people", "0.5 million people"),
        ("three quarters of a trillion", "0.75 trillion"),
        ("a quarter of a billion", "0.25 billion"),
        ("two and a half billion", "2.5 billion"),
        ("more than a dozen launches", "more than 12 launches"),
        ("half a dozen cuts", "6 cuts"),
        ("three dozen goals", "36 goals"),
        ("five hundred and twelve seats", "512 seats"),
        ("fifteen hundred dollars", "$1500"),
        ("four hundred billion dollars", "$400 billion"),
        ("at least twenty-five launches", "at least 25 launches"),
        ("eighty grand", "80000"),
        ("170 grand", "170k"),
        ("over 500 mil FDV", "over 500 million FDV"),
        ("1.5 bil or more", "1.5 billion or more"),
        ("350 bucks", "$350"),
        ("the one-buck level", "the $1 level"),
        ("75 cents", "$0.75"),
        ("a sub-4% rate", "a below 4% rate"),
        ("24,000-plus", "24,000 or more"),
        ("41°F or colder", "41°F or lower"),
        ("5 inches and up", "5 inches or higher"),
        ("stay in single digits", "stay less than 10"),
        ("reach triple figures", "reach at least 100"),
        # no amount, or none that is told
        ("eggs at $6 a dozen", "eggs at $6 a dozen"),
        ("a couple hundred people", "a couple hundred people"),
        ("a few million", "a few million"),
        ("Dollar General", "Dollar General"),
        ("3 million", "3 million"),
        ("between March 3 and 9", "between March 3 and 9"),
        ("over/under 45.5", "over/under 45.5"),
        ("above four percent", "above 4 percent"),
        ("twenty-five percent", "25 percent"),
        ("below .3%", "below 0.3%"),
        ("above 25.000 points", "above 25,000 points"),
        ("hits one hundred and seventy thousand dollars", "hits $170 thousand"),
        ("a hundred and five thousand", "105 thousand"),
        ("two thousand five hundred points", "2500 points"),
        ("one million two hundred thousand", "1200 thousand"),
        ("one point five trillion", "1.5 trillion"),
        ("four and three quarter percent", "4.75 percent"),
        ("between two and a half and three trillion", "between 2.5 and 3 trillion"),
        ("between forty and fifty", "between 40 and 50"),
        ("a million and a half", "1.5 million"),
        ("a buck fifty", "$1.50"),
        ("a few hundred thousand", "a few hundred thousand"),
        ("six or seven cuts", "six or seven cuts"),
        ("1.500.000 euros", "1,500,000 euros"),
        ("exceed 100 000 USD", "exceed 100,000 USD"),
        ("gas at $3.000", "gas at $3.000"),
        ("above 150.000 yen", "above 150.000 yen"),
        ("GPT 4.125", "GPT 4.125"),
    ],
)
def test_numbers_in_words_become_figures(said: str, figures: str) -> None:
    assert normalized(said).replace("170000", "170k") == figures


@pytest.mark.parametrize(
    ("said", "joined"),
    [
        ("finish at 13 or fewer, or else at 17 or more", "finish not between 14 and 16"),
        ("be 29°F or colder, or else 32°F or warmer", "be not between 30 and 31 degrees"),
        ("be either below 23,500 or at 24,000-plus", "be not between 23,500 and 24,000"),
        ("be under 5 or over 7", "be not between 5 and 7"),
        ("be either at most 4 or at least 6", "be not exactly 5"),
        (
            "come in under 4.6 or over 4.8 million",
            "come in not between 4.6 million and 4.8 million",
        ),
        ("close at 6,600 or more but under 6,800", "close between 6,600 and 6,800"),
        ("be above $60k but below $70k", "be between $60k and $70k"),
        ("be more than 4 but fewer than 8", "be between 5 and 7"),
        ("be outside the 60k to 70k range", "be not between 60k and 70k"),
        ("be within a range of 3% to 4% range", "be between 3% and 4%"),
        # two bounds that are no range
        ("be above 5 or below 3 or above 9", "be above 5 or not between 3 and 9"),
        ("above 7 and below 5", "above 7 and below 5"),
    ],
)
def test_two_bounds_become_a_range_or_what_lies_outside(said: str, joined: str) -> None:
    assert normalized(said) == joined


@pytest.mark.heavy
@given(low=st.integers(2, 400), width=st.integers(1, 50))
def test_outside_is_the_complement_of_inside(low: int, width: int) -> None:
    high = low + width
    outside = asked(f"Will the count be {low - 1} or fewer, or else {high + 1} or more?")
    inside = asked(f"Will the count be {low} or more but no more than {high}?")
    assert outside.threshold is not None
    assert inside.threshold is not None
    assert compare_ranges(outside.threshold, inside.threshold) == "same"
    assert (outside.positive, inside.positive) == (False, True)


@given(level=st.integers(2, 900))
def test_the_same_count_in_two_wordings(level: int) -> None:
    title = "How many launches will there be in 2027?"
    line = f"Over {level - 1}.5 launches"
    market = read(f"{title} — {line}", title=title, subtitle=line, opened=date(2027, 1, 1))
    question = asked(f"Will there be {level} launches or more in 2027?")
    assert market.threshold is not None
    assert question.threshold is not None
    assert market.threshold.low == level - 0.5
    assert question.threshold.low == level


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    normalized(text)


def test_a_clause_of_time_makes_no_open_question() -> None:
    assert asks("When June wraps up, is the top model from Acme?") is None
    assert asks("When is the launch?") == "day"
    assert asks("When, if ever, will Acme go public?") == "day"

"""Questions in plain words: which way round they are asked, and what is left of them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.forecast.normalize import normalize

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
    "Will Chile's cup run stop short of the semifinals in 2027?",
    "Will Foxglove Labs still not have gone public when July 2027 arrives?",
]


@pytest.mark.parametrize("question", POSITIVE)
def test_a_question_is_taken_as_it_is_asked(question: str) -> None:
    assert normalize(question, AT).proposition.positive


@pytest.mark.parametrize("question", NEGATIVE)
def test_a_question_for_the_opposite_is_told(question: str) -> None:
    reading = normalize(question, AT)
    assert not reading.proposition.positive
    assert reading.reason
    assert "does not happen" in reading.reason


@pytest.mark.parametrize(
    "question",
    [
        "Will June 30, 2027 pass without Ann Lee resigning?",
        "Will 30 June 2027 come and go without Ann Lee resigning?",
        "Will the end of June 2027 pass with no resignation of Ann Lee?",
        "Does June 2027 end without Ann Lee resigning?",
    ],
)
def test_the_opposite_of_a_deadline_has_the_same_deadline(question: str) -> None:
    by = normalize("Will Ann Lee resign by June 30, 2027?", AT).proposition
    past = normalize(question, AT).proposition
    assert by.window.end == past.window.end == date(2027, 7, 1)
    assert (by.window.kind, by.positive) == (past.window.kind, not past.positive)


@pytest.mark.parametrize(
    ("said", "figure"),
    [("half a percentage point", 50), ("a quarter point", 25), ("75 basis points", 75)],
)
def test_figures_in_words(said: str, figure: float) -> None:
    reading = normalize(f"Will the Fed cut rates by {said} or more in March 2027?", AT)
    threshold = reading.proposition.threshold
    assert threshold is not None
    assert threshold.low == figure
    assert f"{figure} bps" in reading.effective


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("Will the Fed raise by half a percent or more in September?", "50 bps"),
        ("did the ECB lower rates a quarter percent", "25 bps"),
        ("will the fed hike .25% in June", "25 bps"),
        ("Will the Bank of Japan raise rates by 0.5% in June?", "50 bps"),
        ("will the fed jack rates up 50 or more in september", "50 bps"),
        ("Will the Fed do a jumbo hike, half a point or bigger, in September?", "50 bps or more"),
    ],
)
def test_steps_of_a_rate_are_basis_points(text: str, figure: str) -> None:
    assert figure in normalize(text, AT).effective


@pytest.mark.parametrize(
    "text",
    [
        "Will inflation rise 0.5% in June?",
        "Will Trump raise tariffs by 25% in June?",
        "Will the Fed cut rates to 3.50 in 2026?",
        "Will the Fed lower its balance sheet by 50 billion?",
        "Will the Fed make 50 or more cuts?",
    ],
)
def test_other_amounts_are_no_steps_of_a_rate(text: str) -> None:
    assert "bps" not in normalize(text, AT).effective


def test_hundreds_in_words_and_the_day_a_month_arrives() -> None:
    reading = normalize("Could ether sink to eighteen hundred dollars in March 2027?", AT)
    assert reading.proposition.threshold is not None
    assert reading.proposition.threshold.high == 1800
    reading = normalize("Will Ann Lee have resigned when June 2027 arrives?", AT)
    assert reading.proposition.window.end == date(2027, 6, 1)


def test_an_untouched_question_says_so() -> None:
    reading = normalize("Will it rain in Oslo on May 3, 2027?", AT)
    assert not reading.rewritten
    assert reading.effective == reading.question


@given(st.text(max_size=500))
def test_any_text_is_read(text: str) -> None:
    reading = normalize(text, AT)
    assert reading.question == text
    reading.shown()


@pytest.mark.slow
@given(st.lists(st.sampled_from(POSITIVE + NEGATIVE), min_size=1, max_size=6).map(" ".join))
def test_long_questions_are_read_in_time(text: str) -> None:
    normalize(text[:500], AT)


@pytest.mark.parametrize(
    "question",
    [
        "Will a non-Green be elected mayor of Zenda in 2027?",
        "Will an opponent of Ann Lee win the 2027 Zenda mayoral election?",
        "Does March 2027 end with the Zenda tunnel yet to open?",
        "Will Zenda leave the treaty unsigned through 2027?",
        "Will the talks lead to no ceasefire in 2027?",
        "Will Zenda hold off on an export ban until 2028 or later?",
        "Will Ann Lee make it through 2027 as finance minister?",
        "Is Ann Lee still in Downing Street after June 2027?",
        "Will the new phone be nowhere to be seen by the end of June 2027?",
    ],
)
def test_more_ways_of_not_happening(question: str) -> None:
    assert not normalize(question, AT).proposition.positive


@pytest.mark.parametrize(
    "question",
    [
        "Does nobody but Ann Lee win the 2027 Zenda mayoral election?",
        "Does Zenda lose control of the Hentzau islands in 2027?",
        "Will Zenda United drop down to the Championship in 2027?",
        "Will the Greens keep the House in 2028?",
    ],
)
def test_what_sounds_like_not_happening_and_is_not(question: str) -> None:
    assert normalize(question, AT).proposition.positive


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Will the Jets win Super Bowl LXIV?", "Will the Jets win 2030 Super Bowl?"),
        ("Does it go hike, hold and hold in 2027?", "Does it hike–pause–pause in 2027?"),
        ("Will the Greens win the 4th district of Iowa in 2028?",
         "Will the Greens win Iowa's 4th District in 2028?"),
    ],
)  # fmt: skip
def test_numbers_and_orders_are_written_as_markets_do(said: str, meant: str) -> None:
    assert normalize(said, AT).effective == meant


def test_a_word_that_looks_like_the_place_of_a_quote_stays() -> None:
    read = normalize('Will "Dune Three" beat qzqb in 2027?', AT)
    assert '"Dune Three"' in read.effective
    assert "qzqb" in read.effective.casefold()


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("Will the Fed make no change to interest rates in June?", True),
        (
            "What's the likelihood that the Fed makes no change in rates when it meets in June?",
            True,
        ),
        ("fed leaving rates alone in June?", True),
        ("Will the Fed change rates in June?", False),
        ("Will the Fed not make any change to rates in June?", False),
    ],
)
def test_rates_that_stay_are_no_change(question: str, same: bool) -> None:
    found = normalize(question, AT).proposition
    assert "nochang" in found.terms or not same
    assert found.positive is same

"""Questions of more than one proposition: nothing of them is dropped in silence."""

from __future__ import annotations

import pytest

from augury.forecast.compound import condition, parts, private_subject, second_act


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Will Vance win in 2028 if Trump endorses him?", "if Trump endorses him"),
        ("If Trump endorses him, will Vance win?", "If Trump endorses him"),
        ("Assuming the Fed cuts, will Bitcoin hit $150k?", "Assuming the Fed cuts"),
        ("Will oil hit $100 unless OPEC raises output?", "unless OPEC raises output"),
        ("I wonder if Vance will win in 2028", None),
        ("If Vance wins in 2028?", None),
        ("Will it look as if a deal was made by June?", None),
        ("Will Vance win in 2028?", None),
        ("Given a rate cut, will Bitcoin hit $150k?", "Given a rate cut"),
        ("Given how he fell out with Trump, will Musk back a Democrat?", None),
        ("Is the Millennium Prize given out in 2027?", None),
        ("hurricanes haven't given us a thing, does one hit Florida by fall", None),
        ("Freddie Mac ipo not until 2027 or later, if ever", None),
    ],
)
def test_conditions_are_found(question: str, expected: str | None) -> None:
    assert condition(question) == expected


@pytest.mark.parametrize(
    ("question", "connective", "names"),
    [
        ("Will Trump or Vance win the 2028 election?", "either", ("Trump", "Vance")),
        ("Will either Arsenal or Man City win the league?", "either", ("Arsenal", "Man City")),
        ("Will either google or openai release a model?", "either", ("google", "openai")),
        ("Will at least one of Trump and Vance run in 2028?", "either", ("Trump", "Vance")),
        ("Will both Bitcoin and Ethereum hit new highs in 2027?", "both", ("Bitcoin", "Ethereum")),
        ("Will Bitcoin and Ethereum both hit new highs?", "both", ("Bitcoin", "Ethereum")),
    ],
)
def test_two_questions_in_one_are_told_apart(
    question: str, connective: str, names: tuple[str, str]
) -> None:
    found = parts(question)
    assert found is not None
    assert (found.connective, found.names) == (connective, names)
    assert all(name in one for name, one in zip(names, found.questions, strict=True))


@pytest.mark.parametrize(
    "question",
    ["Will Russia and Ukraine sign a peace deal?", "Will Trump and Putin meet in 2027?",
     "Will Bitcoin hit $150,000 or more?", "Will the Fed raise or cut rates?"],
)  # fmt: skip
def test_what_two_do_together_is_one_question(question: str) -> None:
    assert parts(question) is None


def test_a_second_act_is_found() -> None:
    listed = second_act("Will Inter, Zenda and Arden all three win?")
    assert listed == "Zenda and Arden all three win"
    assert second_act("Will Inter, Zenda or Arden win?") is None
    assert second_act("Will Starmer lose the vote and resign by June?") == "resign by June"
    assert second_act("Will Trinidad and Tobago win?") is None


@pytest.mark.parametrize(
    ("question", "whose"),
    [
        ("Will my cousin Taylor get married by June?", "my cousin"),
        ("Is my cousin's tech job safe this year?", "my cousin"),
        ("would my old landlord win the election", "my landlord"),
        ("Will Vance win in 2028, my friend?", None),
        ("Will the Fed cut rates before my sister's wedding?", None),
        ("my cousin gets married this year?", "my cousin"),
        ("My uncle swears Vance wins in 2028", None),
        ("my kid lives in a Sounders jersey, will they win the cup", None),
        ("My landlord says the Fed won't cut even once in 2027. Is he right?", None),
        ("The Jays win a hundred games, or is my grandpa dreaming?", None),
    ],
)
def test_what_is_ones_own_is_no_markets_matter(question: str, whose: str | None) -> None:
    assert private_subject(question) == whose

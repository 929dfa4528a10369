"""What stands around a question, taken off and counted."""

from __future__ import annotations

import pytest

from augury.forecast.framing import Framed, framed


@pytest.mark.parametrize(
    ("question", "core"),
    [
        ("Is it false that the Fed will cut?", "Will the Fed cut?"),
        ("Would it be a mistake to bet on the Fed cutting?", "Will the Fed cutting?"),
        ("Am I wrong to think the Fed won't cut?", "Will the Fed not cut?"),
        ("Are people wrong who say the Fed will cut?", "Will the Fed cut?"),
        (
            'Would anyone who says "the Fed will cut in June" be mistaken?',
            "Will the Fed cut in June",
        ),
        ("The Fed will cut in June - is that wrong?", "Will The Fed cut in June"),
        ("Wrong to assume that the Fed will cut?", "Will the Fed cut?"),
        ("Will it turn out wrong that the Fed will cut?", "Will the Fed cut?"),
        ("I doubt that the Fed will cut", "Will the Fed cut"),
        ("I don't think the Fed will cut", "Will the Fed cut"),
        ("Is it highly unlikely that the Fed will cut?", "Will the Fed cut?"),
        ("Is the Fed unlikely to cut in June?", "Will the Fed cut in June?"),
        ("How unlikely is it that the Fed will cut?", "Will the Fed cut?"),
    ],
)
def test_a_frame_that_denies_is_counted(question: str, core: str) -> None:
    assert framed(question) == Framed(core, denied=True, changed=True, judged=core)


@pytest.mark.parametrize(
    ("question", "core"),
    [
        ("Am I right that the Fed will cut?", "Will the Fed cut?"),
        ("Is the Fed likely to cut in June?", "Will the Fed cut in June?"),
        ("I doubt that it is unlikely that the Fed will cut", "Will the Fed cut"),
        ("Would you be correct to expect the Fed will not cut?", "Will the Fed not cut?"),
        ("do u reckon the Fed will cut?", "Will the Fed cut?"),
        ("Does anyone believe the Fed will cut?", "Will the Fed cut?"),
        ("Isn't there any world where the Fed will cut?", "Will the Fed cut?"),
        ("I think the Fed won't cut", "Will the Fed not cut"),
        ("Is it wrong to say that it is false that the Fed will cut?", "Will the Fed cut?"),
    ],
)
def test_a_frame_that_agrees_or_denies_twice_changes_nothing(question: str, core: str) -> None:
    read = framed(question)
    assert (read.core, read.denied) == (core, False)


@pytest.mark.parametrize(
    "question",
    [
        "Is Trump wrong that tariffs raise prices?",
        "Will the forecast be wrong about snow?",
        "Will it be a mistake for Apple to launch a foldable phone?",
        "Is it wrong to eat meat?",
        "Will a wrong call decide the final?",
        "Will the mistake cost the Bears the game?",
    ],
)
def test_words_of_the_question_itself_are_no_frame(question: str) -> None:
    assert not framed(question).denied


@pytest.mark.parametrize(
    ("told", "core"),
    [
        # what is told of the asker goes, with all its denials
        ("I took out a loan and would rather not lose my coins. What are the odds that Bitcoin"
         " drops to $35,000?", "Will Bitcoin drops to $35,000?"),
        ("my boss is losing it. does the Fed cut rates in June 2026?",
         "Does the Fed cut rates in June 2026?"),
        # what names something stays behind the question
        ("I inherited silver that I will never sell. Could the price fall to $45 or lower?",
         "Could the price fall to $45 or lower? I inherited silver that I will sell."),
        ("They were not good against Arden. How likely is it that Novak United wins on Saturday?",
         "Will Novak United wins on Saturday? They were good against Arden."),
        # no preamble
        ("NBA: Will the Lakers win the title?", "NBA: Will the Lakers win the title?"),
        ("Will the Fed cut rates in June? I would not bet on it.",
         "Will the Fed cut rates in June?"),
        ("St. Louis vs. Dallas: does St. Louis win on Saturday?",
         "St. Louis vs. Dallas: does St. Louis win on Saturday?"),
    ],
)  # fmt: skip
def test_what_is_told_before_a_question_denies_nothing(told: str, core: str) -> None:
    found = framed(told)
    assert found.core == core
    assert not found.denied

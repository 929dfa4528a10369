"""Who does what to whom."""

from __future__ import annotations

import pytest

from augury.language.entities import mentions
from augury.language.vocabulary import default
from augury.matching.actors import acts, swapped


def is_swapped(question: str, title: str) -> bool:
    ours, theirs = (acts(text, mentions(text, default())) for text in (question, title))
    return swapped(ours, theirs)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Will Ghislaine Maxwell pardon Donald Trump?", "Will Trump pardon Ghislaine Maxwell?"),
        ("Will Iran strike Israel in June?", "Israel strikes Iran by June 30?"),
        ("will cuba invade the us", "U.S. invasion of Cuba?"),
        ("Will Anthropic be bought by OpenAI?", "Anthropic acquires OpenAI?"),
        ("Will Vance replace Trump?", "Will Trump replace Vance?"),
        ("does solana do better than ethereum", "Will Ethereum outperform Solana in 2027?"),
    ],
)
def test_parts_are_swapped(question: str, title: str) -> None:
    assert is_swapped(question, title)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("will israel be attacked by iran", "Iran attacks Israel?"),
        ("Will Russia be sanctioned by the EU?", "EU sanctions Russia?"),
        ("Will Iran strike Israel and Israel strike Iran?", "Israel strikes Iran by June 30?"),
        # two teams in one game are the two ends of one question
        ("Do the Lakers beat the Celtics?", "Will the Celtics beat the Lakers?"),
        ("Will Trump and Putin meet?", "Will Putin and Trump meet?"),
    ],
)
def test_parts_are_the_same(question: str, title: str) -> None:
    assert not is_swapped(question, title)

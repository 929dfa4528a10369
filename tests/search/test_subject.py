"""What a question is about, and what it only supposes."""

from __future__ import annotations

import pytest

from augury.search.subject import split


@pytest.mark.parametrize(
    ("text", "about", "condition"),
    [
        ("what happens to oil if Iran closes Hormuz?", "oil", "Iran closes Hormuz"),
        ("What will happen to gold when the dollar falls", "gold", "the dollar falls"),
        ("what happens with the Fed should Powell go", "the Fed", "Powell go"),
        ("what would a shutdown do to Trump's approval", "Trump's approval", "a shutdown"),
        ("What does a Warsh Fed mean for bitcoin?", "bitcoin", "a Warsh Fed"),
        ("how would tariffs affect inflation", "inflation", "tariffs"),
        ("impact of the war on oil prices", "oil prices", "the war"),
        ("If Starmer goes, who becomes prime minister?", "who becomes prime minister",
         "Starmer goes"),
        ("will the yen fall if the BOJ waits", "will the yen fall", "the BOJ waits"),
    ],
)  # fmt: skip
def test_a_condition_is_set_apart(text: str, about: str, condition: str) -> None:
    assert split(text) == (about, condition)


@pytest.mark.parametrize(
    "text",
    [
        "what if China stops buying treasuries", "Will the Fed cut rates in June?",
        "Oil tumbles as Iran agrees to talks", "One Battle After Another wins best picture",
        "bitcoin or gold, which does better", "Trump or Vance, which one runs", "If", "", "  ",
        "when will GTA VI come out", "if " * 300,
    ],
)  # fmt: skip
def test_what_supposes_nothing_stays_whole(text: str) -> None:
    assert split(text).condition == ""

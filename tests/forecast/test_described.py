"""What a question describes instead of naming it is guessed, never taken as named."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from augury.forecast import described
from augury.forecast.described import DescriptionIndex
from augury.language.offices import asked_mentions
from augury.language.vocabulary import Vocabulary, default
from augury.search.embedding import Embedder

DAY = date(2026, 3, 1)
MARKETS = (
    "Putin out as President of Russia by June 30? | closes Jun 30 2026",
    "Will Victor Wembanyama win MVP? | closes Jul 01 2026",
    "Will OpenAI announce an IPO before 2027? | closes Dec 31 2026 | Kanye West is in the rules.",
)


@pytest.fixture(scope="module")
def index() -> DescriptionIndex:
    return described.default(Embedder.load().embed)


def guesses(
    index: DescriptionIndex, question: str, markets: tuple[str, ...] = MARKETS
) -> list[str]:
    return index.guesses(question, asked_mentions(question, default(), DAY), markets)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Will the man in the Kremlin be gone by summer?", "Vladimir Putin"),
        ("does the outfit behind ChatGPT go public this year", "OpenAI"),
        ("Does the tall French centre from San Antonio take the trophy?", "Victor Wembanyama"),
    ],
)
def test_what_is_described_is_guessed(index: DescriptionIndex, question: str, meant: str) -> None:
    assert meant in guesses(index, question)


def test_only_what_a_market_names_is_guessed(index: DescriptionIndex) -> None:
    question = "Will the man in the Kremlin be gone by summer?"
    assert guesses(index, question, MARKETS[1:]) == []
    assert guesses(index, question, ()) == []
    assert "Kanye West" not in guesses(index, "does the rapper once called Yeezus sing?")


def test_what_is_named_is_no_guess(index: DescriptionIndex) -> None:
    assert "Vladimir Putin" not in guesses(index, "Will Putin, the man in the Kremlin, resign?")
    assert guesses(index, "") == []


def test_an_index_of_another_vocabulary_is_not_used(tmp_path: Path) -> None:
    known = [entity for entity in default().entities if entity.name != "Vladimir Putin"]
    index = DescriptionIndex(Embedder.load().embed, Vocabulary(known), folder=tmp_path)
    names = {entity.name for entity in index.entities}
    assert "Vladimir Putin" not in names
    assert "OpenAI" in names

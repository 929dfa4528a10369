"""What a question describes instead of naming it is guessed, never taken as named."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time
from pathlib import Path

import pytest

from augury.forecast import described
from augury.forecast.described import DescriptionIndex, Guess
from augury.forecast.judging import search_text
from augury.forecast.normalize import normalize
from augury.language.offices import asked_mentions
from augury.language.vocabulary import Vocabulary, default
from augury.search.embedding import Embedder

DAY = date(2026, 3, 1)
NOON = datetime.combine(DAY, time(12), UTC)
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
    found = index.guesses(question, asked_mentions(question, default(), DAY))
    return described.names_to_read(found, markets)


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


def test_the_search_looks_for_the_likeliest_guesses(index: DescriptionIndex) -> None:
    question = "Does the outfit behind ChatGPT go public this year?"
    found = index.guesses(question, ())
    assert [one.probability for one in found] == sorted(
        (g.probability for g in found), reverse=True
    )
    searched = described.names_to_search(found)
    assert "OpenAI" in searched
    assert len(searched) <= described.MAX_GUESSES_SEARCHED
    unlikely = [one._replace(probability=0.1) for one in found]
    assert described.names_to_search(unlikely) == []
    reading = normalize(question, NOON)
    assert "OpenAI" not in search_text(reading, default(), DAY)
    guessed = replace(reading, guesses=tuple(found))
    assert search_text(guessed, default(), DAY).startswith(reading.effective)
    assert "OpenAI" in search_text(guessed, default(), DAY)


def test_a_market_has_the_probability_of_the_likeliest_guess_that_it_names(
    index: DescriptionIndex,
) -> None:
    putin = next(e for e in index.entities if e.name == "Vladimir Putin")
    russia = next(e for e in index.entities if e.name == "Russia")
    found = [Guess(putin, 0.6), Guess(russia, 0.3)]
    titles = ["Putin out as President of Russia?", "Will Russia test a weapon?", "Will X win MVP?"]
    assert described.named_probabilities(found, titles) == [0.6, 0.3, 0.0]
    assert described.named_probabilities([], titles) == [0.0, 0.0, 0.0]


def test_an_index_of_another_vocabulary_is_not_used(tmp_path: Path) -> None:
    known = [entity for entity in default().entities if entity.name != "Vladimir Putin"]
    index = DescriptionIndex(Embedder.load().embed, Vocabulary(known), folder=tmp_path)
    names = {entity.name for entity in index.entities}
    assert "Vladimir Putin" not in names
    assert "OpenAI" in names

"""Spellings of a chat, written out before a question is read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from augury.forecast.normalize import normalize
from augury.language.spelling import written_out

AT = datetime(2026, 5, 13, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("the guardians wont win", "the guardians won't win"),
        ("Isnt Arden out?", "Isn't Arden out?"),
        ("she aint gonna run", "she ain't going to run"),
        ("over w/o a deal", "over without a deal"),
        ("out w/ a deal", "out with a deal"),
        ("next wk or this yr", "next week or this year"),
        ("b4 june, or tmrw", "before june, or tomorrow"),
        # names, symbols and what is quoted
        ("CANT listed by june", "CANT listed by june"),
        ('will "Dont Stop" top the chart', 'will "Dont Stop" top the chart'),
        ("w/e that means", "w/e that means"),
        ("a 10-yr yield", "a 10-yr yield"),
    ],
)
def test_a_chat_s_spelling_is_written_out(said: str, meant: str) -> None:
    assert written_out(said) == meant


@pytest.mark.parametrize(
    "question",
    [
        "the guardians wont win the world series",
        "does lebron get to october w/o retiring",
        "powell aint gonna resign by june",
        "trump doesnt resign by june",
        "is the next champion someone who isnt arsenal",
    ],
)
def test_a_denial_without_its_apostrophe_is_one(question: str) -> None:
    assert not normalize(question, AT).proposition.positive

"""Denials that deny nothing: questions that begin with one, and tags."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from augury.forecast.normalize import normalize
from augury.language.asking import affirmed

AT = datetime(2026, 3, 1, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Isn't the Fed going to cut in March?", "Is the Fed going to cut in March?"),
        ("Won't Trump resign?", "Will Trump resign?"),
        ("won't bitcoin hit 100k by june", "will bitcoin hit 100k by june"),
        ("Hasn't Bitcoin hit 100k yet?", "Has Bitcoin hit 100k yet?"),
        ("Ain't they winning it?", "Is they winning it?"),
        ("Can't the Mets win it all?", "Can the Mets win it all?"),
        ("I hold some. Isn't gold going to fall?", "I hold some. Is gold going to fall?"),
        ("honestly, isn't the fed done?", "honestly, is the fed done?"),
        ("i doubt it but won't bill barr turn up", "i doubt it but will bill barr turn up"),
        ("No \u2014 isn't Toy Story 5 going to win?", "No \u2014 is Toy Story 5 going to win?"),
        # tags
        ("Bitcoin hits 100k by June, doesn't it?", "Bitcoin hits 100k by June?"),
        ("He stays without being impeached, doesn't he", "He stays without being impeached"),
        ("Trump won't resign, will he?", "Trump won't resign?"),
        ("Evans is retiring, isn't he. Does Rabb win?", "Evans is retiring. Does Rabb win?"),
    ],
)  # fmt: skip
def test_what_denies_nothing_goes(said: str, meant: str) -> None:
    assert affirmed(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "won't resign before June?",
        "bitcoin won't hit 100k by june",
        "why won't he?",
        "Will the Fed cut or won't it?",
        "Don't Look Up wins Best Picture?",
        "Can't Buy Me Love on the chart?",
        '"Won\'t Back Down" hits number one?',
        "Trump said he isn't there.",
        "they're weak so won't make it",
    ],
)
def test_what_denies_stays(said: str) -> None:
    assert affirmed(said) == said


@pytest.mark.parametrize(
    ("said", "positive"),
    [
        ("isnt the fed gonna cut rates in march", True),
        ("Bitcoin hits 100k by June, doesn't it?", True),
        ("Won't resign before June, Trump?", False),
        ("Isn't going to happen, a Fed cut in March?", False),
        ("It's not going to rain in NYC tomorrow, is it?", False),
    ],
)
def test_the_sense_is_read(said: str, positive: bool) -> None:
    reading = normalize(said, AT)
    assert reading.proposition.positive is positive

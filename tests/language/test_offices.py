"""An office in a question means whoever holds it on the day of asking."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest

from augury.forecast.judging import search_text
from augury.forecast.normalize import normalize
from augury.language.offices import asked_mentions
from augury.language.vocabulary import default
from augury.matching import features, pairs

DAY = date(2026, 4, 18)


def holders(question: str, day: date = DAY) -> list[str]:
    found = asked_mentions(question, default(), day)
    return [one.holder.name for one in found if one.holder is not None]


@pytest.mark.parametrize(
    ("question", "person"),
    [
        ("Will the British PM resign by June?", "Keir Starmer"),
        ("is florida's governor going to run for president", "Ron DeSantis"),
        ("Does Trump still fire the Fed chair?", "Jerome Powell"),
        ("Has the President of the United States left office?", "Donald Trump"),
        ("Will Tesla CEO step down", "Elon Musk"),
    ],
)
def test_an_office_means_its_holder(question: str, person: str) -> None:
    assert holders(question) == [person]


@pytest.mark.parametrize(
    "question",
    [
        "Will Kevin Hassett be the next Fed chair?",
        "Is Kevin Hassett the Fed chair fired by nobody?",
        "Who will be the UK prime minister?",
        "Is Starmer out as UK prime minister?",
        "Does Keir Starmer leave Downing Street?",
        "Does the British PM, Keir Starmer, resign?",
        "Who wins the Governor of Florida race?",
    ],
)
def test_an_office_that_somebody_may_get_means_nobody(question: str) -> None:
    assert holders(question) == []


def test_the_holder_is_the_one_of_the_day_of_asking() -> None:
    question = "Will the British PM resign by June?"
    assert holders(question, date(2023, 5, 1)) == ["Rishi Sunak"]
    assert holders(question, date(1999, 5, 1)) == []


def test_search_and_judge_see_the_holder() -> None:
    question = "Will the British PM resign by June?"
    reading = normalize(question, datetime.combine(DAY, time(), UTC))
    assert search_text(reading, default(), DAY).endswith("Keir Starmer")
    assert "British PM = Keir Starmer" in pairs.question_text(question, default(), DAY)
    market = features.read_names("Starmer out by June 30?", default())
    for asked_on, shared in ((DAY, 1), (None, 0)):
        asked = features.read_names(question, default(), asked_on=asked_on)
        row = features.name_features(asked, [market])[0]
        assert row[features.TEXT_FEATURES.index("entities_shared")] == shared

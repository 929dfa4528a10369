"""Questions that ask for several things are taken apart; what is one thing is left whole."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from augury.forecast.compound import Parts
from augury.forecast.coordination import first_of, parts
from augury.forecast.normalize import normalize

NOW = datetime(2026, 4, 18, 12, tzinfo=UTC)


def split(question: str) -> Parts | None:
    return parts(normalize(question, NOW))


@pytest.mark.parametrize(
    ("question", "connective", "questions"),
    [
        ("Will Elena Rybakina win at least one of Wimbledon and the US Open in 2026?", "either",
         ("Will Elena Rybakina win Wimbledon in 2026?",
          "Will Elena Rybakina win the US Open in 2026?")),
        ("will america agree a new trade deal with either pakistan or bangladesh by new year",
         "either", ("Will america agree a new trade deal with pakistan by new year?",
                    "Will america agree a new trade deal with bangladesh by new year?")),
        ("Will Inter, PSG and Arsenal all win their league?", "both",
         ("Will Inter win their league?", "Will PSG win their league?",
          "Will Arsenal win their league?")),
        ("trump or vance saying anything about it before sept 1", "either",
         ("trump saying anything about it before sept 1?",
          "vance saying anything about it before sept 1?")),
        ("Will Democrats win the House and the Senate?", "both",
         ("Will Democrats win House?", "Will Democrats win the Senate?")),
        ("Will DiCaprio win Best Actor and One Battle After Another win Best Picture at the 2026"
         " Oscars?", "both",
         ("Will DiCaprio win Best Actor at the 2026 Oscars?",
          "Will One Battle After Another win Best Picture at the 2026 Oscars?")),
        ("Could Jacob Ryan take the nomination and then win the seat in November?", "both",
         ("Could Jacob Ryan take the nomination?",
          "Could Jacob Ryan win the seat in November?")),
    ],
)  # fmt: skip
def test_several_things_are_asked_one_by_one(
    question: str, connective: str, questions: tuple[str, ...]
) -> None:
    found = split(question)
    assert found is not None
    assert (found.connective, found.questions) == (connective, questions)


@pytest.mark.parametrize(
    "question",
    ["Will Trinidad and Tobago win?", "Will Bosnia and Herzegovina win Group B?",
     "Will Russia and Ukraine sign a peace deal?", "Will the Fed cut or hike in June?",
     "Will the Dodgers and Yankees meet in the World Series?",
     "Will BTC or ETH hit a new high first?",
     "does either dune or the new spidey have a bigger weekend than doomsday",
     "Will the Heat not win both games and the cup?"],
)  # fmt: skip
def test_one_thing_is_left_whole(question: str) -> None:
    assert split(question) is None


def test_a_frame_that_denies_denies_the_whole() -> None:
    found = split("Is it false that both Arsenal and Inter win their leagues?")
    assert found is not None
    assert (found.connective, found.denied) == ("both", True)


def test_only_rivals_may_exclude_each_other() -> None:
    who = split("Will either eizenkot or bennett be israel's next prime minister?")
    what = split("Will she win both Wimbledon and the US Open?")
    assert who is not None
    assert what is not None
    assert (who.rivals, what.rivals) == (True, False)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Will Ada be impeached by the House and then convicted by the Senate, all this year?",
         "Will Ada be impeached by the House this year?"),
        ("We live in Zenda and like Bela. Will he win the primary in August and then also win in"
         " November?", "We live in Zenda and like Bela. Will he win the primary in August?"),
        ("Will Acme go public before the year ends and close its first day above 50 billion?",
         "Will Acme go public by the end of 2026?"),
    ],
)  # fmt: skip
def test_the_first_of_two_things_is_asked_alone(question: str, first: str) -> None:
    found = first_of(normalize(question, NOW), NOW)
    assert found is not None
    assert (found.connective, found.questions) == ("both", (first,))


@pytest.mark.parametrize(
    "question", ["Will Ada win the vote?", "Will Ada not be impeached and then convicted?"]
)
def test_one_thing_or_a_denial_has_no_first_part(question: str) -> None:
    assert first_of(normalize(question, NOW), NOW) is None

"""Words that turn a question round: by class, and only for the predicates they turn."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from augury.forecast import cues
from augury.forecast.match import compare
from augury.forecast.normalize import normalize
from augury.forecast.polarity import turns
from augury.forecast.view import View, view
from augury.propositions.reading import read

AT = datetime(2026, 11, 21, tzinfo=UTC)
VECTOR = np.full(4, 0.5, np.float32)


def _question(text: str) -> View:
    reading = normalize(text, AT)
    words = cues.read(reading.proposition, reading.effective)
    return view(words, VECTOR, lambda _: 12.0)


def _market(text: str) -> View:
    words = cues.read(read(text, closes=AT.date(), opened=AT.date()), text)
    return view(words, VECTOR, lambda _: 12.0)


OPPOSITES = [
    ("Will anything stop Ann Lee from winning the 2027 Turner Prize?",
     "Will Ann Lee win the 2027 Turner Prize?"),
    ("Will Chile keep its border open through June 30, 2027, with no closure?",
     "Chile closes its border by June 30, 2027?"),
    ("Will Chile put off signing the pact past June 30, 2027?",
     "Will Chile sign the pact by June 30, 2027?"),
    ("Will Chile leave the pact unsigned through June 30, 2027?",
     "Will Chile sign the pact by June 30, 2027?"),
    ("Will the jury leave Ann Lee off the shortlist for the 2027 Turner Prize?",
     "Will Ann Lee be nominated for the 2027 Turner Prize?"),
    ("Will Ann Lee be left out of the lineup for the 2027 Turner Prize?",
     "Will Ann Lee be nominated for the 2027 Turner Prize?"),
    ("Will the trial of Ann Lee with Bo Kim still be unfinished when June 30, 2027 is past?",
     "Will the trial of Ann Lee with Bo Kim be finished by June 30, 2027?"),
    ("Will the high in Lima on June 3, 2027 be 71 degrees or less or 74 or more?",
     "Will the high in Lima on June 3, 2027 be between 72 and 73 degrees?"),
    ("Will Chile add 90,000 jobs or fewer in June 2027?",
     "Will Chile add more than 90,000 jobs in June 2027?"),
    ("Will the pact die in parliament in 2027?", "Will parliament pass the pact in 2027?"),
    ("Will the high in Lima on June 3, 2027 stay at 72 degrees or lower?",
     "Will the high in Lima on June 3, 2027 be 73 degrees or above?"),
    ("Will Ann Lee be beaten in Ohio's mayoral primary in 2027?",
     "Will Ann Lee win the 2027 Ohio mayoral primary?"),
    ("Will a rival pip Ann Lee to the 2027 Turner Prize?",
     "Will Ann Lee win the 2027 Turner Prize?"),
    ("Will Chile keep its frigates out of the strait through June 30, 2027?",
     "Will Chile send frigates through the strait by June 30, 2027?"),
    ("Will Peru keep Chad from annexing the island through June 2027?",
     "Will Chad annex the island by June 30, 2027?"),
    ("Will Ann Lee be missing from the guest list?", "Will Ann Lee be on the guest list?"),
    ("Will Foxglove Labs stay independent through 2027?",
     "Will Foxglove Labs be acquired by December 31, 2027?"),
    ("Will July arrive with Ann Lee and Bo Kim still unmarried?",
     "Will Ann Lee and Bo Kim get married by June 30?"),
    ("Will Ann Lee lose the position of prime minister of Peru before July 2027?",
     "Will Ann Lee remain prime minister of Peru through June 30, 2027?"),
    ("Will Chad keep its border from any closure through June 30, 2027?",
     "Chad closes its border by June 30, 2027?"),
]  # fmt: skip
SAME = [
    ("Is the court going to rule that the count has to stop on June 30, 2027?",
     "Will the court rule that the count has to stop by June 30, 2027?"),
    ("Does Ann Lee go home with the 2027 Turner Prize?", "Will Ann Lee win the 2027 Turner Prize?"),
    ("Does Zenda United add another Harvest Cup in 2027?",
     "Will Zenda United win the 2027 Harvest Cup?"),
    ("Does Chile agree to cede what it still holds of Tarapaca by June 30, 2027?",
     "Will Chile agree to cede Tarapaca by June 30, 2027?"),
    ("Will Ann Lee lose her place as the richest singer before 2028?",
     "Ann Lee no longer the richest singer before 2028?"),
    ("Will the jury put Ann Lee on the shortlist for the 2027 Turner Prize?",
     "Will Ann Lee be nominated for the 2027 Turner Prize?"),
    ("Is Chancellor Ann Lee out by June 30, 2027?", "Ann Lee out as chancellor by June 30, 2027?"),
    ("Will Foxglove Labs still not have gone public when July 2027 arrives?",
     "Will Foxglove Labs not IPO before July 2027?"),
    ("Will Ann Lee bring home the 2027 Turner Prize?", "Will Ann Lee win the 2027 Turner Prize?"),
    ("Will the prize go to Another Day's Ann Lee?", "Will Ann Lee win the prize?"),
    ("Will Ann Lee attend the summit, to be held no later than June 30, 2027?",
     "Will Ann Lee attend the summit by June 30, 2027?"),
    ("Will Ann Lee remain mayor of Lima without interruption through June 30, 2027?",
     "Will Ann Lee remain mayor of Lima through June 30, 2027?"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "market"), OPPOSITES)
def test_an_opposite_in_other_words_is_turned(question: str, market: str) -> None:
    assert compare(_question(question), _market(market), AT.date()).flipped


@pytest.mark.parametrize(("question", "market"), SAME)
def test_what_only_sounds_like_an_opposite_is_not(question: str, market: str) -> None:
    assert not compare(_question(question), _market(market), AT.date()).flipped


def test_a_word_under_a_not_turns_nothing() -> None:
    assert "loses" in turns("Will Ann Lee be beaten?")
    assert "loses" not in turns("Will Ann Lee not be beaten?")
    assert "others" not in turns("Will One Battle After Another win?")


def test_what_lasts_longer_is_less_likely() -> None:
    market = _market("Will Chile reopen its embassy in Chad by June 30, 2027?")
    asked = "Will Chile's embassy in Chad stay closed through {} 31, 2027?"
    shorter, longer = (
        compare(_question(asked.format(month)), market, AT.date()) for month in ("May", "July")
    )
    assert (shorter.flipped, longer.flipped) == (True, True)
    assert (shorter.window, longer.window) == ("implied", "implies")


@pytest.mark.parametrize(
    ("question", "market"),
    [
        # initials, of people and parties
        ("Will ABC be elected governor of Lima in 2027?",
         "Will Ann Beatriz-Corto be elected governor of Lima in 2027?"),
        ("Will Frente Nuevo win the most seats in Lima in 2027?",
         "Will FN win the most seats in Lima in 2027?"),
        # another alphabet's names in ours
        ("Does Kharkovets fall to the army by June 30, 2027?",
         "Will the army capture Kharkivets by June 30, 2027?"),
        # nicknames
        ("Do the Reggae Boyz win the 2027 Harvest Cup?", "Will Jamaica win the 2027 Harvest Cup?"),
        ("Will the Canes win the 2027 Harvest Cup?",
         "Will the Carolina Hurricanes win the 2027 Harvest Cup?"),
    ],
)  # fmt: skip
def test_a_name_is_known_in_another_form(question: str, market: str) -> None:
    fit = compare(_question(question), _market(market), AT.date())
    assert fit.same
    assert fit.likeness > 0
    assert fit.foreign == 0


def test_being_in_a_contest_is_less_than_winning_it() -> None:
    winner = _market("Will Norway win the 2027 World Cup?")
    enters = _market("Will Norway qualify for the 2027 World Cup?")
    asked = _question("Will Norway make it to the 2027 World Cup?")
    assert compare(asked, winner, AT.date()).stage == "implied"
    assert compare(asked, enters, AT.date()).same
    missed = _question("Will Norway miss out on the 2027 World Cup?")
    assert compare(missed, winner, AT.date()).stage == "implied"
    assert compare(missed, enters, AT.date()).flipped


@pytest.mark.parametrize(
    ("question", "market"),
    [
        ("Will another company be worth more than Corvex on June 30, 2027?",
         "Will Corvex be the most valuable company in the world on June 30, 2027?"),
        ("Will some other film open bigger than Lumen in 2027?",
         "Will Lumen have the biggest opening of 2027?"),
        ("Will Graustark's Lumen be out before Ruritania's Zephyr?",
         "Will Ruritania's Zephyr be out before Graustark's Lumen?"),
        ("Will the number of storms in 2027 be under 16 or over 20?",
         "Will the number of storms in 2027 be between 16 and 20?"),
    ],
)  # fmt: skip
def test_another_first_is_the_opposite(question: str, market: str) -> None:
    assert compare(_question(question), _market(market), AT.date()).flipped


def test_awards_with_like_names_are_two() -> None:
    asked = _question("Will Ann Lee be the 2027 DPOY?")
    right = compare(
        asked, _market("Will Ann Lee win 2027 Defensive Player of the Year?"), AT.date()
    )
    wrong = compare(asked, _market("Will Ann Lee win the 2027 MVP?"), AT.date())
    assert right.likeness > wrong.likeness + 1


def test_a_rise_of_a_month_is_not_that_of_a_year() -> None:
    market = _market("Will prices be up over 3% for the year ending in June 2027?")
    asked = _question("Will prices be up over 0.3% in the month of June 2027?")
    assert compare(asked, market, AT.date()).threshold == "differs"

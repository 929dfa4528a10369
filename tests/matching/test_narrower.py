"""A market on one case does not answer a question that leaves the case open."""

from __future__ import annotations

import pytest

from augury.language.entities import mentions
from augury.language.vocabulary import default, folded_words
from augury.matching.narrower import is_one_case, names_place

MEETINGS = [
    f"Will Trump and Putin meet next in {place}?" for place in ("Hungary", "China", "Qatar")
]


def one_case(question: str, title: str, others: list[str], *, indefinite: bool = False) -> bool:
    known = default()
    asked = frozenset(key for one in mentions(question, known) for key in one.keys)
    return is_one_case(
        title,
        mentions(title, known),
        folded_words(question),
        asked,
        others,
        indefinite=indefinite,
        names_place=names_place(mentions(question, known)),
    )


@pytest.mark.parametrize("title", MEETINGS)
def test_a_meeting_in_one_place_is_one_way_to_meet(title: str) -> None:
    assert one_case("will trump and putin meet before july", title, MEETINGS)


def test_a_question_that_names_the_place_asks_for_it() -> None:
    assert not one_case("will trump and putin meet in China next", MEETINGS[1], MEETINGS)


def test_a_question_that_names_a_place_is_compared_elsewhere() -> None:
    races = [f"Who will win the Senate race in {state}?" for state in ("New Hampshire", "Maine")]
    assert not one_case("do Democrats win the New Hampshire Senate race", races[0], races)


def test_the_places_of_a_game_are_its_teams() -> None:
    games = [f"San Francisco at {city}" for city in ("Colorado", "Houston")]
    assert not one_case("do the giants win on the 3rd", games[0], games)


def test_a_place_that_no_other_market_changes_may_go_unsaid() -> None:
    title = "Will the next diplomatic meeting be in Pakistan?"
    assert not one_case("next diplomatic meeting held there", title, [title])


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("will any country leave NATO", "Will the United Kingdom leave NATO in 2026?"),
        ("does a canadian team lift the cup", "Will the Edmonton Oilers win the Stanley Cup?"),
    ],
)
def test_one_member_is_not_the_class(question: str, title: str) -> None:
    assert one_case(question, title, [], indefinite=True)
    assert not one_case(question, title, [])


def test_a_member_that_the_question_names_stays() -> None:
    assert not one_case(
        "a win for the Oilers", "Will the Edmonton Oilers win?", [], indefinite=True
    )

"""What may stand in a graph: nothing of the past, and no namesake. All titles are invented."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

import pytest

from augury.graph.exclusion import is_namesake, is_past

AT = datetime(2026, 11, 22, tzinfo=UTC)


class Titled(NamedTuple):
    question: str
    event_name: str | None = None
    closes_at: datetime | None = None
    created_at: datetime | None = None


@pytest.mark.parametrize(
    "question",
    [
        "Will a new country buy Bitcoin in 2024?",
        "Will Freedonia join the customs union before June 2025?",
        "Does the bridge open by March 31, 2026?",
        "Will the 2022-23 season be cut short?",
    ],
)
def test_a_title_of_an_earlier_date_is_past(question: str) -> None:
    assert is_past(Titled(question), AT)


@pytest.mark.parametrize(
    "question",
    [
        "Will a new country buy Bitcoin in 2027?",
        "Will a new country buy Bitcoin?",
        "Will rain fall after March 31, 2026?",
        "Will the bridge that was built in 2019 close by December 31, 2026?",
        "Will AC Freedonia 1912 win the cup?",
        "Will Freedonia join by November 22, 2026?",
    ],
)
def test_what_is_still_to_come_is_not_past(question: str) -> None:
    assert not is_past(Titled(question), AT)


def test_a_close_before_now_is_past_whatever_the_title_says() -> None:
    assert is_past(Titled("Will it rain in 2030?", closes_at=datetime(2026, 11, 1, tzinfo=UTC)), AT)


def test_where_the_question_names_no_date_its_event_does() -> None:
    assert is_past(Titled("Will Freedonia win?", "Song contest of 2023"), AT)
    assert not is_past(Titled("Will Freedonia win in 2027?", "Song contest of 2023"), AT)


def test_what_closes_later_may_be_about_what_is_only_now_reported() -> None:
    closes = datetime(2026, 12, 5, tzinfo=UTC)
    assert not is_past(Titled("Jobs added in October 2026?", closes_at=closes), AT)
    assert is_past(Titled("Jobs added in October 2024?", closes_at=closes), AT)
    # A year in somebody's name is no date of the market's.
    assert not is_past(Titled("Will “Ballads: 2024 Cast” win a prize?", closes_at=closes), AT)


def test_a_person_is_no_country_of_the_same_name() -> None:
    words = ("jordan", "offic")
    assert is_namesake(Titled("Will Michael Jordan take office?"), "Jordan's government", words)
    assert not is_namesake(Titled("Will the king of Jordan leave?"), "Jordan's government", words)


def test_a_question_on_another_place_than_its_event_is_not_about_the_events() -> None:
    factor = "Chinese invasion of Taiwan"
    other = Titled("Will Freedonia's ally recognize Somaliland?", "Who will recognize Taiwan?")
    assert is_namesake(other, factor, ())
    assert not is_namesake(Titled("Will Taiwan be blockaded?", "Taiwan in 2027"), factor, ())
    assert not is_namesake(Titled("Before 2028?", "Who will recognize Taiwan?"), factor, ())


def test_a_factor_without_a_name_has_no_namesakes() -> None:
    assert not is_namesake(Titled("Will Michael Jordan retire?"), "Retirements", ("retir",))

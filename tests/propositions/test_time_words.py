"""Times in words, and words around a date that change what it means."""

from __future__ import annotations

from datetime import date

import pytest

from augury.propositions.reading import read_question
from augury.propositions.windows import Window, window
from augury.propositions.written_dates import written_dates

DAY = date(2026, 5, 13)
"""A Wednesday."""


def asked(text: str) -> Window:
    return read_question(f"Will it rain in Arden {text}?", DAY).window


def day(month: int, of_month: int, year: int = 2026) -> date:
    return date(year, month, of_month)


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("by 11:59 PM ET on June 30, 2026", day(7, 1)),
        ("before 12:00 AM ET on July 1", day(7, 1)),
        ("before market close on June 30", day(7, 1)),
        ("no later than close of business June 12", day(6, 13)),
        ("by end June", day(7, 1)),
        ("on June 19 or earlier", day(6, 20)),
        ("June 19 at the latest", day(6, 20)),
        ("til June 30", day(7, 1)),
        ("between now and June 30", day(7, 1)),
        ("between now and the end of the year", day(1, 1, 2027)),
        ("by the Fourth of July", day(7, 5)),
        ("before Thanksgiving", day(11, 26)),
        ("by Labor Day", day(9, 8)),
        ("by Easter 2027", day(3, 29, 2027)),
        ("by Friday", day(5, 16)),
        ("by the end of the week", day(5, 18)),
        ("by end of month", day(6, 1)),
        ("by EOY", day(1, 1, 2027)),
    ],
)
def test_a_deadline_is_read_as_people_say_it(said: str, end: date) -> None:
    found = asked(said)
    assert (found.kind, found.end, found.vague) == ("by", end, False)


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("by mid-June", day(6, 21)),
        ("by early 2027", day(5, 2, 2027)),
        ("by late August", day(9, 1)),
        ("by fall 2026", day(12, 1)),
        ("within 48 hours", day(5, 16)),
        ("within 6 months", day(11, 14)),
        ("a month from now", day(6, 14)),
    ],
)
def test_a_deadline_that_is_not_exact_is_vague(said: str, end: date) -> None:
    found = asked(said)
    assert (found.kind, found.end, found.vague) == ("by", end, True)


@pytest.mark.parametrize(
    ("said", "kind", "start", "end"),
    [
        ("on Sunday night", "on", day(5, 17), day(5, 18)),
        ("on Friday, May 15", "on", day(5, 15), day(5, 16)),
        ("this weekend", "in", day(5, 16), day(5, 18)),
        ("in the week of May 11", "in", day(5, 11), day(5, 18)),
        ("in early July", "in", day(7, 1), day(7, 11)),
        ("this summer", "in", day(6, 1), day(9, 1)),
        ("this spring", "in", day(3, 1), day(6, 1)),
        ("next spring", "in", day(3, 1, 2027), day(6, 1, 2027)),
        ("in the last quarter of 2026", "in", day(10, 1), day(1, 1, 2027)),
        ("in June or July", "in", day(6, 1), day(8, 1)),
        ("in Q3 or Q4 2026", "in", day(7, 1), day(1, 1, 2027)),
        ("on or after June 30", "after", day(6, 30), None),
        ("no earlier than June 30", "after", day(6, 30), None),
        ("on 31-Dec-2026", "on", day(12, 31), day(1, 1, 2027)),
        ("on Jun-30-2026", "on", day(6, 30), day(7, 1)),
        ("on 30 Jun 26", "on", day(6, 30), day(7, 1)),
        ("on 14.06.2026", "on", day(6, 14), day(6, 15)),
        ("on 30/06/2026", "on", day(6, 30), day(7, 1)),
        ("on 2026/06/30", "on", day(6, 30), day(7, 1)),
        ("in 06/2026", "in", day(6, 1), day(7, 1)),
        ("in Dec-2026", "in", day(12, 1), day(1, 1, 2027)),
        ("in June of next year", "in", day(6, 1, 2027), day(7, 1, 2027)),
        ("on 5 March next year", "on", day(3, 5, 2027), day(3, 6, 2027)),
        ("at year-end 2027", "on", day(12, 31, 2027), day(1, 1, 2028)),
        ("by 2027 year-end", "by", None, day(1, 1, 2028)),
        ("in the 2030s", "in", day(1, 1, 2030), day(1, 1, 2040)),
        ("before the 2030s", "by", None, day(1, 1, 2030)),
        ("on the first Monday in June", "on", day(6, 1), day(6, 2)),
        ("by the second Friday of July", "by", None, day(7, 11)),
        ("in the last week of June", "in", day(6, 24), day(7, 1)),
        ("by the 15th", "by", None, day(5, 16)),
        ("by the 10th", "by", None, day(6, 11)),
        ("on the 20th of next month", "on", day(6, 20), day(6, 21)),
        ("two weeks after June 1", "on", day(6, 15), day(6, 16)),
        ("within two weeks of June 1", "in", day(6, 1), day(6, 16)),
        ("in the 10 days after June 1", "in", day(6, 1), day(6, 12)),
        ("at least a week before June 30", "by", None, day(6, 24)),
        ("more than a month after June 30", "after", day(7, 31), None),
    ],
)
def test_other_times_in_words(said: str, kind: str, start: date | None, end: date | None) -> None:
    found = asked(said)
    assert (found.kind, found.start, found.end) == (kind, start, end)


@pytest.mark.parametrize(
    "question",
    [
        "Will the Russell 2000 hit 3000?",
        "Will more than 2000 people move to Arden?",
        "Will unemployment in Arden hit its highest level since 2021?",
        "Will the Thursday Night Football game go over 50 points?",
        "Will Good Friday be a holiday in Arden?",
        "Will he serve 3 years in prison?",
        "Will the strike in Arden last over 30 days?",
        "Will Summer Walker marry?",
        "Will a song called All I Want for Christmas lead?",
    ],
)
def test_names_counts_and_comparisons_are_no_times(question: str) -> None:
    assert read_question(question, DAY).window.kind == "open"


def test_a_title_names_no_day_relative_to_a_reader() -> None:
    title = "Will Ode say it by Friday, within 48 hours, or by EOY?"
    assert window(written_dates(title, DAY, opened=DAY), title, anchor=DAY).kind == "open"


@pytest.mark.parametrize(
    "question",
    [
        "Will the January 6 pardons be overturned?",
        "Will Mar-a-Lago be raided?",
        "Will Iran sign by the 15th amendment?",
    ],
)
def test_a_date_in_a_name_is_no_date(question: str) -> None:
    assert read_question(question, DAY).window.kind == "open"


def test_a_score_is_no_part_of_a_date() -> None:
    found = read_question("Will Arsenal beat Chelsea 3-1 June 5?", DAY).window
    assert (found.kind, found.start) == ("on", day(6, 5))

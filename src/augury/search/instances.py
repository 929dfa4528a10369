"""Test queries that name one year or month of a recurring question. Pure.

They are drawn from a catalogue's own titles, to measure whether search puts a market of the
requested year or month first.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple

from augury.language import calendar
from augury.search.aliases import STOP_WORDS
from augury.search.text import fold

SEED: Final = 17
MAX_PER_PATTERN: Final = 6
"""Largest number of test queries drawn from questions that differ only in their subject, year and
month. For example, all questions "Will ~ win Eurovision?", where ~ is the subject, together give at
most this many."""

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MONTH = re.compile(rf"\b{calendar.MONTH}\b")
_SUBJECT = re.compile(r"^will (?:the )?.{1,60}? (?=(?:win|be|become|qualify|finish|have|reach)\b)")
_WORD = re.compile(r"[\w.$%']+")


class Instance(NamedTuple):
    """A test query made from the title of a market on a question that recurs every year or month.
    The query names one year, or some months of one year."""

    market: str
    """Id of the market from whose title the query was made."""
    query: str
    year: int
    months: frozenset[int]
    """Months (1 to 12) that the query names with the year; empty if it names the year alone."""


def draw(titles: Iterable[tuple[str, str]]) -> list[Instance]:
    """Make test queries from the questions that recur in several years or months among `titles`
    (pairs of market id and title). Each of these questions gives one query, but questions that
    differ only in their subject give at most `MAX_PER_PATTERN`. A query is the title itself, its
    keywords or its names, in turn (`FORMS`). The same titles always give the same queries."""
    asked: dict[str, dict[tuple[int, frozenset[int]], list[tuple[str, str]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for market, title in titles:
        text = fold(title.partition(" — ")[0])
        years = {int(year) for year in _YEAR.findall(text)}
        if len(years) == 1:
            blank = " ".join(re.findall(r"[^\W\d]+", _MONTH.sub(" ", text)))
            asked[blank][years.pop(), _months(text)].append((market, title))
    dice = random.Random(SEED)
    found: list[Instance] = []
    shapes: dict[str, int] = defaultdict(int)
    several = sorted(blank for blank, times in asked.items() if len(times) > 1)
    for blank in dice.sample(several, len(several)):
        shape = _SUBJECT.sub("~ ", blank)
        shapes[shape] += 1
        if shapes[shape] > MAX_PER_PATTERN:
            continue
        times = asked[blank]
        (year, months) = dice.choice(sorted(times, key=lambda t: (t[0], sorted(t[1]))))
        market, title = min(times[year, months])
        query = FORMS[len(found) % len(FORMS)](title.partition(" — ")[0])
        found.append(Instance(market, query, year, months))
    return found


def _words(title: str) -> list[str]:
    """Words and amounts as written ("Trump's", "$1.5", "4.25%"), without a period at their end."""
    found = (word.rstrip(".$") for word in _WORD.findall(title))
    return [word for word in found if any(map(str.isalnum, word))]


def _keywords(title: str) -> str:
    return " ".join(word for word in _words(title) if fold(word) not in STOP_WORDS)


def _names(title: str) -> str:
    """The capitalized words and the numbers of a title, without its first word: "Will Ireland win
    Eurovision in 2026?" -> "Ireland Eurovision 2026". If these are fewer than two, its keywords."""
    words = _words(title)[1:]
    kept = [
        word
        for word in words
        if (word[0].isupper() or word[0].isdigit()) and fold(word) not in STOP_WORDS
    ]
    return " ".join(kept) if len(kept) > 1 else _keywords(title)


FORMS: Final = (str, _keywords, _names)
"""Functions that turn a title into a test query: the title unchanged, its keywords, or its names.
Successive queries use the functions in turn."""


def is_of(asked: Instance, texts: Iterable[str], closes_at: datetime | None) -> bool:
    """Whether a market is about the year and months that the query `asked` names. `texts`: the
    market's question and its event's name.

    No, if the texts name months, but none of the requested ones. Else yes, if the texts name the
    requested year. Else the market must close in the requested year or in the January after it. If
    the texts name any other years, one of these must be the year before the requested one, as in
    "2025-26" if 2026 is requested.
    """
    text = fold(" ; ".join(texts))
    years = {int(year) for year in _YEAR.findall(text)}
    months = _months(text)
    if asked.months and months and not asked.months & months:
        return False
    if asked.year in years:
        return True
    if closes_at is None or (years and asked.year - 1 not in years):
        return False
    return closes_at.year == asked.year or (closes_at.year, closes_at.month) == (asked.year + 1, 1)


def _months(text: str) -> frozenset[int]:
    return frozenset(calendar.month(name) for name in _MONTH.findall(text))

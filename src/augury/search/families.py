"""Puts search results that are variants of one question into one row: the candidates of a contest,
the levels of one quantity (a ladder), or several dates. Pure.

Markets with the same `records.family_key` are a family: the markets of one event, or questions that
differ only in a date and either a subject or a level. One member represents the family. The other
members follow in the order in which people read such a list: contests by price and volume, ladders
by level, dates by date. In all three, active markets come before the others; in a contest, those
that the query names ("Vance or Rubio") then come first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal, Protocol, TypeVar

import msgspec

from augury.language import calendar
from augury.language.numerals import COUNTS, FACTOR, FACTORS
from augury.search.records import family_key
from augury.search.text import fold, terms

Kind = Literal["contest", "ladder", "dates"]

NEAR_SCORE: Final = 0.7
"""A market may represent its family (e.g. the markets of one event) in a list of results only if
its score is at least this share (0 to 1) of the family's best score. Chosen by hand."""


class FoundMember(msgspec.Struct, frozen=True, gc=False):
    """A market that a search found but that has no row of its own: another market of its family
    (e.g. of the same event), or about the same thing (`repeats`), represents it."""

    id: str
    label: str
    """Text that distinguishes the market from the others of its family (e.g. of the same event),
    such as "Matteo Zuppi"; its whole question if nothing shorter does, or if the market is not of
    the family."""
    status: str
    price: float | None
    """Price (0 to 1) of the market's first outcome, usually Yes; None: no quote."""
    closes_at: datetime | None


class FoundFamily(msgspec.Struct, frozen=True, gc=False):
    """The family (e.g. the markets of one event) that one row of a list of results stands for."""

    kind: Kind
    label: str
    """Text that distinguishes the market shown in the row from the others of its family, such as
    "Matteo Zuppi"."""
    size: int
    """Number of the family's markets among the results of one relation (`direct`, `upstream`, ...),
    including the market shown in the row."""
    more: list[FoundMember]
    """The family's other markets that the search found."""


class Foldable(Protocol):
    """The fields of a search result that are read to put the markets of one family (e.g. of one
    event) into one row."""

    @property
    def id(self) -> str: ...
    @property
    def platform(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def outcomes(self) -> list[str]: ...
    @property
    def status(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def current_prices(self) -> dict[str, float | None] | None: ...
    @property
    def closes_at(self) -> datetime | None: ...
    @property
    def volume(self) -> float | None: ...
    @property
    def event_id(self) -> str | None: ...


R = TypeVar("R", bound=Foldable)


def folded(query: str, rows: Sequence[R]) -> list[tuple[R, float, FoundFamily | None]]:
    """Put the markets of each family (e.g. of one event) into one row. `rows`: results, best first.

    Returns a tuple for each family, ordered by the families' best results: the result that
    represents the family, the family's best score, and the family itself (None if only one of
    `rows` belongs to it). Only results whose score is near the best (`NEAR_SCORE`) can represent
    the family. The one whose label has the largest number of words in common with `query` is taken.
    """
    families: dict[str, list[R]] = {}
    for row in rows:
        key = family_key(row.platform, row.event_id, row.question)
        families.setdefault(key, []).append(row)
    place = {row.id: n for n, row in enumerate(rows)}
    groups = [group for members in families.values() for group in _split(members)]
    groups.sort(key=lambda group: place[group[0].id])
    asked = set(terms(query))
    return [_one(asked, members) for members in groups]


def _one(asked: set[str], members: list[R]) -> tuple[R, float, FoundFamily | None]:
    best = members[0].score
    members = _without_copies(members)
    if len(members) == 1:
        return members[0], best, None
    labels = dict(zip((m.id for m in members), _labels(members), strict=True))
    kind = _kind(list(labels.values()), members)
    shared = set.intersection(*(set(terms(m.question)) for m in members))
    own = asked - shared  # "best AI model" names no "Z.ai"
    said = {m.id: set(terms(labels[m.id])) for m in members}
    named = {m.id: len(own & said[m.id]) for m in members}
    places = {m.id: n for n, m in enumerate(sorted(members, key=_order(kind, labels)))}
    # The member whose label shares most words with the query represents the family. Ties go to a
    # label of which the query has every word ("hottest", not "second-hottest"), then to active
    # members, then in a ladder to the first result (its ends say least), then by `places`.
    near = [m for m in members if m.score >= NEAR_SCORE * members[0].score]
    head = min(
        near,
        key=lambda m: (
            -named[m.id], not (said[m.id] and said[m.id] <= asked), m.status != "active",
            0 if kind == "ladder" else places[m.id],
        ),
    )  # fmt: skip
    # In "red sox or yankees", "sox" is said of the one shown and names no White Sox.
    left = own - said[head.id]

    def unnamed(m: R) -> tuple[bool, bool]:
        """Whether the query does not have the whole label, and no word that the one shown lacks."""
        if kind != "contest":
            return False, False
        return not (named[m.id] and said[m.id] <= asked), not left & said[m.id]

    others = sorted(
        (m for m in members if m is not head),
        key=lambda m: (m.status != "active", unnamed(m), places[m.id]),
    )
    more = [FoundMember(m.id, labels[m.id], m.status, price(m), m.closes_at) for m in others]
    return head, best, FoundFamily(kind, labels[head.id], len(members), more)


def _without_copies(members: list[R]) -> list[R]:
    """`members` without copies: a venue sometimes lists a question again. If several members have
    the same question, and at least one of them has a quote, those without a quote are left out."""
    asked: dict[str, list[R]] = {}
    for row in members:
        asked.setdefault(row.question, []).append(row)
    return [
        row
        for row in members
        if price(row) is not None or all(price(other) is None for other in asked[row.question])
    ]


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MONTH = re.compile(rf"\b{calendar.MONTH}\b")
_DAY = r"\d{1,2}(?:st|nd|rd|th)?\b"
_DATE = re.compile(
    rf"\b{calendar.MONTH}\b\.?(?:\s{_DAY})?|\b{_DAY}(?= (?:of )?{calendar.MONTH}\b)"
    r"|\b(?:19|20)\d\d\b"
)


def _split(members: list[R]) -> list[list[R]]:
    """Split a family without an event into one family for each year and month that its questions
    name, and return these families. For example, a contest in 2026 and a contest in 2027 are two
    families. So are the levels that a price may reach in June and those for July. If the questions
    differ only in their dates, they stay one family."""
    if members[0].event_id or len(members) == 1:
        return [members]
    texts = [fold(row.question) for row in members]
    if len(set(map(_without_dates, texts))) == 1:
        return [members]
    of_one_time: dict[tuple[str, ...], list[R]] = {}
    for row, text in zip(members, texts, strict=True):
        named = (*_YEAR.findall(text), *_MONTH.findall(text))
        of_one_time.setdefault(named, []).append(row)
    return list(of_one_time.values())


def _without_dates(text: str) -> str:
    return " ".join(_DATE.sub(" ", text).split())


def price(row: Foldable) -> float | None:
    """Price (0 to 1) of the market's first outcome; None if it has no quote."""
    prices = row.current_prices or {}
    return prices.get(row.outcomes[0]) if row.outcomes else None


def _order(kind: Kind, labels: dict[str, str]):
    def key(row: Foldable) -> tuple[float | str | bool, ...]:
        closed = row.status != "active"
        if kind == "ladder":
            return (closed, _level(labels[row.id]) or 0.0, row.id)
        if kind == "dates":
            closes = row.closes_at.timestamp() if row.closes_at else float("inf")
            # Open ones: the nearest date first. Closed ones: the latest date first.
            return (closed, -closes if closed else closes, row.id)
        known = price(row)
        return (closed, 1 if known is None else -known, -(row.volume or 0), row.id)

    return key


def _kind(labels: list[str], members: Sequence[Foldable]) -> Kind:
    texts = [fold(label) for label in labels]
    questions = [fold(row.question) for row in members]
    if texts == questions:  # nothing shorter tells the members apart
        texts = [_without_dates(text) for text in texts]
        of_dates = len(set(texts)) == 1
    else:
        of_dates = all(map(_is_date, texts))
    if of_dates and len({row.closes_at for row in members}) > 1:
        return "dates"
    if all(_level(text) is not None for text in texts) and len(set(texts)) == len(texts):
        return "ladder"
    return "contest"


def _is_date(label: str) -> bool:
    return bool(re.search(rf"\b{calendar.MONTH}\b", label) or _YEAR.search(label))


_LEVEL = re.compile(rf"([-−]?)[$€£]?\s?(\d[\d,]*(?:\.\d+)?)\s?({FACTOR})?(?![a-z])")


def _level(label: str) -> float | None:
    text = fold(label)
    found = _LEVEL.search(text)
    if found is None:
        counted = text.partition(" ")[0]
        return 0.0 if counted == "no" else COUNTS.get(counted)
    value = float(found[2].replace(",", "")) * FACTORS.get(found[3] or "", 1)
    return -value if found[1] else value


def _labels(members: Sequence[Foldable]) -> list[str]:
    """A label for each of the markets of one family: its question without the words that all
    questions share at the start and at the end ("Will Ann win?", "Will Bob win?" -> "Ann", "Bob").
    If two such labels are equal or one is empty, the day on which each market closes is used; if
    two days are equal or one is unknown, the whole questions are used."""
    texts = [row.question.split() for row in members]
    shortest = min(map(len, texts))
    start = 0
    while start < shortest and len({text[start] for text in texts}) == 1:
        start += 1
    end = 0
    while end < shortest - start and len({text[-1 - end] for text in texts}) == 1:
        end += 1
    labels = [" ".join(text[start : len(text) - end]).strip("—-–:,;? ") for text in texts]
    if all(labels) and len(set(labels)) == len(labels):
        return labels
    days = [f"{row.closes_at:%Y-%m-%d}" if row.closes_at else "" for row in members]
    if all(days) and len(set(days)) == len(days):
        return days
    return [row.question for row in members]

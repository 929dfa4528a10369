"""Search results by family: one row a contest, a ladder or a question with several dates. Pure.

A family is what `records.family_key` names: a venue's event, or one question with other blanks. Its
best member stands for it; the others follow in the order in which people read such a list: contests
by price and volume, ladders by level, dates by date, the open ones first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal, Protocol, TypeVar

import msgspec

from augury.language import calendar
from augury.language.numerals import FACTOR, FACTORS
from augury.search.records import family_key
from augury.search.text import fold, terms

Kind = Literal["contest", "ladder", "dates"]

FOUND: Final = 2
"""Results that are looked at for each row asked for. At 5 the console took 119 ms from key to rows
at the median and 555 ms at the 95th percentile, at 2 83 and 125 (39,449 markets, idle machine)."""
NEAR: Final = 0.7
"""Share of the best member's score from which another one may stand for the family."""


class FoundMember(msgspec.Struct, frozen=True, gc=False):
    """A further member of a family that a search found."""

    id: str
    label: str
    """What tells it from the others: "Matteo Zuppi"; its question where nothing else does."""
    status: str
    price: float | None
    """Of its first outcome, in most cases Yes."""
    closes_at: datetime | None


class FoundFamily(msgspec.Struct, frozen=True, gc=False):
    """What a row stands for besides its own market."""

    kind: Kind
    label: str
    """What tells the row's own market from the others."""
    size: int
    """Members that the search found in this relation, the row's own among them."""
    more: list[FoundMember]
    """The others."""


class Foldable(Protocol):
    """What folding reads of a result."""

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
    """The rows one a family, in their order; each with its family's best score, and with the
    family where it has more than one member among the rows."""
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
    if len(members) == 1:
        return members[0], best, None
    labels = dict(zip((m.id for m in members), _labels(members), strict=True))
    kind = _kind(list(labels.values()), members)
    named = {m.id: len(asked & set(terms(labels[m.id]))) for m in members}
    places = {m.id: n for n, m in enumerate(sorted(members, key=_order(kind, labels)))}
    # What the query names of the members' own words decides; else how people order such lists,
    # and of a ladder, whose ends say least, the score.
    near = [m for m in members if m.score >= NEAR * best]
    head = min(
        near,
        key=lambda m: (
            -named[m.id], m.status != "active", -m.score if kind == "ladder" else 0, places[m.id],
        ),
    )  # fmt: skip
    others = sorted((m for m in members if m is not head), key=lambda m: places[m.id])
    more = [FoundMember(m.id, labels[m.id], m.status, price(m), m.closes_at) for m in others]
    return head, best, FoundFamily(kind, labels[head.id], len(members), more)


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DATE = re.compile(rf"\b{calendar.MONTH}\b\.?|\b\d+(?:st|nd|rd|th)?\b")


def _split(members: list[R]) -> list[list[R]]:
    """Where no event names a family, its contests of several years are several; one subject is one
    family however many dates it has."""
    if members[0].event_id or len(members) == 1:
        return [members]
    texts = [fold(row.question) for row in members]
    if len({" ".join(_DATE.sub(" ", text).split()) for text in texts}) == 1:
        return [members]
    contests: dict[tuple[str, ...], list[R]] = {}
    for row, text in zip(members, texts, strict=True):
        contests.setdefault(tuple(_YEAR.findall(text)), []).append(row)
    return list(contests.values())


def price(row: Foldable) -> float | None:
    """The price of the first outcome."""
    prices = row.current_prices or {}
    return prices.get(row.outcomes[0]) if row.outcomes else None


def _order(kind: Kind, labels: dict[str, str]):
    def key(row: Foldable) -> tuple[float | str | bool, ...]:
        closed = row.status != "active"
        if kind == "ladder":
            return (closed, _level(labels[row.id]) or 0.0, row.id)
        if kind == "dates":
            closes = row.closes_at.timestamp() if row.closes_at else float("inf")
            # The nearest to come first; of those gone the latest.
            return (closed, -closes if closed else closes, row.id)
        known = price(row)
        return (closed, -1 if known is None else -known, -(row.volume or 0), row.id)

    return key


def _kind(labels: list[str], members: Sequence[Foldable]) -> Kind:
    texts = [fold(label) for label in labels]
    if len({row.closes_at for row in members}) > 1 and all(map(_is_date, texts)):
        return "dates"
    if all(_level(text) is not None for text in texts) and len(set(texts)) == len(texts):
        return "ladder"
    return "contest"


def _is_date(label: str) -> bool:
    return bool(re.search(rf"\b{calendar.MONTH}\b", label) or _YEAR.search(label))


_LEVEL = re.compile(rf"([-−]?)[$€£]?\s?(\d[\d,]*(?:\.\d+)?)\s?({FACTOR})?(?![a-z])")


def _level(label: str) -> float | None:
    found = _LEVEL.search(fold(label))
    if found is None:
        return None
    value = float(found[2].replace(",", "")) * FACTORS.get(found[3] or "", 1)
    return -value if found[1] else value


def _labels(members: Sequence[Foldable]) -> list[str]:
    """What of each question the others do not share; the day of the close where that is nothing,
    and the whole question where not even that tells one from another."""
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

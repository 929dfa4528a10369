"""Whether a market may stand in a graph: it looks forward, and is about what led to it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Final, Protocol

from augury.language.entities import mentions
from augury.language.vocabulary import Entity, default
from augury.relations.windows import WrittenDate
from augury.relations.windows import mentions as dates
from augury.search.text import title_terms


class Titled(Protocol):
    """What of a market is read: `markets.store.StoredMarket`."""

    @property
    def question(self) -> str: ...
    @property
    def event_name(self) -> str | None: ...
    @property
    def closes_at(self) -> datetime | None: ...
    @property
    def created_at(self) -> datetime | None: ...


def is_past(market: Titled, at: datetime) -> bool:
    """Whether a market says nothing of what is to come, even if its venue has not decided it yet:
    its close, or every date that its question names, lies before `at`. Where the question names no
    date, those of its event count. Of a market that closes later, only dates that something
    happens in or by, once their reports should be out ("jobs in July" is asked until September)."""
    if market.closes_at is not None and market.closes_at < at:
        return True
    anchor = market.closes_at.date() if market.closes_at else None
    opened = market.created_at.date() if market.created_at else None
    said = _dates(market.question, anchor, opened)
    if not said and market.event_name:
        said = _dates(market.event_name, anchor, opened)
    if anchor is not None:
        return (
            bool(said)
            and all(one.relation in _WITHIN for one in said)
            and _are_over(said, at.date() - REPORTED)
        )
    return _are_over(said, at.date() - GRACE)


GRACE: Final = timedelta(days=1)
"""A date is its venue's, which may be a day behind."""
REPORTED: Final = timedelta(days=60)
"""Days by which what happened in a span is known and counted."""
EARLIEST: Final = 2000
"""An earlier year stands in a name: "AC Monza 1912"."""
_WITHIN: Final = frozenset({"by", "before", "until", "in", "on"})
_SINCE: Final = frozenset({"after", "from"})
"""Behind such a date there is no end."""


@lru_cache(maxsize=8_192)
def _dates(text: str, anchor: date | None, opened: date | None) -> tuple[WrittenDate, ...]:
    return tuple(
        one
        for one in dates(text, anchor, opened=opened)
        if one.end is not None and one.end.year > EARLIEST
    )


def _are_over(said: Sequence[WrittenDate], day: date) -> bool:
    return bool(said) and all(
        not one.vague and one.relation not in _SINCE and one.end is not None and one.end <= day
        for one in said
    )


def is_namesake(market: Titled, factor: str, words: Collection[str]) -> bool:
    """Whether a market only sounds like the factor it was found by.

    Either the words that led to it name somebody else there ("Jordan" the player for the
    country), or its event's name speaks of the factor while its question names another of the
    same kind and not that one ("recognize Somaliland" among markets on Taiwan).

    Parameters
    ----------
    factor
        The factor's name.
    words
        Terms of the market's question by which it names the factor; none where its event's name
        alone does.
    """
    if not words:
        return _is_of_another(market, factor)
    for one, terms in _named(factor):
        for term in terms & set(words):
            here = [entity for entity, names in _named(market.question) if term in names]
            if here and all(_differ(one, entity) for entity in here):
                return True
    return False


_GROUPS: Final = {
    "person": "person", "place": "place", "company": "company", "product": "company",
    "coin": "coin", "commodity": "commodity",
}  # fmt: skip
"""Kinds that no two things of one name share: a team and a race do share a place's."""


def _differ(one: Entity, other: Entity) -> bool:
    groups = _GROUPS.get(one.kind), _GROUPS.get(other.kind)
    tied = one.name in other.of or other.name in one.of
    return None not in groups and groups[0] != groups[1] and not tied


def _is_of_another(market: Titled, factor: str) -> bool:
    """Whether the event names somebody or something of the factor, and the question others of the
    same kind and not that one."""
    mine: dict[str, set[str]] = defaultdict(set)
    for entity, _ in _named(market.question):
        mine[entity.kind].add(entity.key)
    about = frozenset(title_terms(factor))
    return any(
        entity.kind in _GROUPS
        and terms <= about
        and mine[entity.kind]
        and entity.key not in mine[entity.kind]
        for entity, terms in _named(market.event_name or "")
    )


@lru_cache(maxsize=8_192)
def _named(text: str) -> Sequence[tuple[Entity, frozenset[str]]]:
    """The entities of a text, each with the terms it was named by."""
    return tuple(
        (entity, frozenset(title_terms(one.text)))
        for one in mentions(text, default())
        for entity in one.entities
    )

"""Decides whether a market may be shown in a causal graph at the node of a factor: it must be about
the future, and really about that factor. Pure.

A factor is something in the world that markets are about, e.g. a country or a policy rate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Final, Protocol

from augury.language.entities import mentions
from augury.language.vocabulary import Entity, default
from augury.propositions.dates import WrittenDate
from augury.propositions.written_dates import written_dates as dates
from augury.search.text import title_terms


class Titled(Protocol):
    """The fields of a market that are needed to decide whether it may be shown in a causal graph.
    `markets.store.StoredMarket` has them."""

    @property
    def question(self) -> str: ...
    @property
    def event_name(self) -> str | None: ...
    @property
    def closes_at(self) -> datetime | None: ...
    @property
    def created_at(self) -> datetime | None: ...


def is_past(market: Titled, at: datetime) -> bool:
    """Whether a market says nothing about the future, although its venue may not have resolved it
    yet: it closed before `at`, or all dates in its question are past. If the question has no date,
    the dates in its event's name are used.

    If the market closes after `at`, the rule is stricter. A date counts as past only
    `REPORTED_AFTER` (60 days) after its end: "jobs in July" counts as undecided until the end of
    September. And each date must be a deadline or a time for something to happen ("by May 1", "in
    July"); otherwise the market is not past.
    """
    if market.closes_at is not None and market.closes_at < at:
        return True
    anchor = market.closes_at.date() if market.closes_at else None
    opened = market.created_at.date() if market.created_at else None
    written = _dates(market.question, anchor, opened)
    if not written and market.event_name:
        written = _dates(market.event_name, anchor, opened)
    if anchor is not None:
        return (
            bool(written)
            and all(one.relation in _WITHIN for one in written)
            and _are_over(written, at.date() - REPORTED_AFTER)
        )
    return _are_over(written, at.date() - GRACE_AFTER_DATE)


GRACE_AFTER_DATE: Final = timedelta(days=1)
"""If a market's close is unknown, a date in its text counts as past only when this much time has
gone by since the end of that date: the date that a venue gives may be a day early. Chosen by
hand."""
REPORTED_AFTER: Final = timedelta(days=60)
"""If a market has not closed yet, a date in its text counts as past only when this much time has
gone by since the end of that date: by then, what happened up to the date is known and reported.
Chosen by hand."""
LATEST_IGNORED_YEAR: Final = 2000
"""Dates of this year or earlier are ignored, because such a year is usually part of a name ("AC
Monza 1912"). The year of a date is that of `WrittenDate.end`, the day after the date."""
_WITHIN: Final = frozenset({"by", "before", "until", "in", "on"})
_SINCE: Final = frozenset({"after", "from"})
"""Words that make a date the beginning of a period without an end ("after May 1"). Such a date
never counts as past."""


@lru_cache(maxsize=8_192)
def _dates(text: str, anchor: date | None, opened: date | None) -> tuple[WrittenDate, ...]:
    return tuple(
        one
        for one in dates(text, anchor, opened=opened)
        if one.end is not None and one.end.year > LATEST_IGNORED_YEAR
    )


def _are_over(dates: Sequence[WrittenDate], day: date) -> bool:
    return bool(dates) and all(
        not one.vague and one.relation not in _SINCE and one.end is not None and one.end <= day
        for one in dates
    )


def is_namesake(market: Titled, factor: str, words: Collection[str]) -> bool:
    """Whether a market was found through a factor (something in the world that markets are about,
    e.g. a country) by mistake, because its text names something else.

    There are two cases. First, words in the question that can name the factor mean something else
    of the same name: "Jordan" is the player, not the country. Second, only the event's name refers
    to the factor, and the question names something else of the same kind: "recognize Somaliland" in
    an event about Taiwan.

    Parameters
    ----------
    factor
        The factor's name.
    words
        Terms in the market's question that name the factor; empty if only its event's name does.
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
"""Kind of an entity (a person, place ... that a text names) -> group of kinds. Two entities with
the same name are different things if they are of different groups. Kinds without a group are not
compared: a team, for example, may be called by the name of its city."""


def _differ(one: Entity, other: Entity) -> bool:
    groups = _GROUPS.get(one.kind), _GROUPS.get(other.kind)
    tied = one.name in other.of or other.name in one.of
    return None not in groups and groups[0] != groups[1] and not tied


def _is_of_another(market: Titled, factor: str) -> bool:
    """Whether a market is about another entity (e.g. a person or place) than the one that the
    factor named `factor` is about. For example, Ann is named by the factor and by the market's
    event, but the market's question names only Bob.

    More exactly: an entity in the event's name is also in the factor's name, and the question names
    entities of the same kind, but not this one.
    """
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
    """The entities (people, places, companies ...) that a text may name. Each comes with the terms
    (stemmed words) of the passage that names it."""
    return tuple(
        (entity, frozenset(title_terms(one.text)))
        for one in mentions(text, default())
        for entity in one.entities
    )

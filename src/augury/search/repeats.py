"""Limits how many rows of a list of related markets are about one factor (a thing in the world,
such as the price of gold): an earlier row lists the markets of further ones in `also`. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

import msgspec

from augury.search.families import Foldable, FoundFamily, FoundMember, price

MOST_OF_FACTOR: Final = 2
"""If each family of markets has one row, a list of related markets has at most this many rows about
one factor (e.g. the price of gold). Without this limit, a reader called 31% of the rows of thirty
queries repetitions, most of them levels or dates of one quantity. Chosen by hand."""
MIN_NEXT_SCORE: Final = 0.4
"""A place that becomes free is only given to a row with at least this score (0 to 1): the chance
that it belongs in the list, reduced for a family or factor that the list has already, or if it is
not live. Of 39 such rows, a reader found 9 without bearing on the query; of 87 with a smaller
score, 51."""
MOST_REPEATS: Final = 20
"""One row has at most this many markets in `also`."""


class Repeatable(Foldable, Protocol):
    """The fields of a search result that are read to find results that repeat each other."""

    @property
    def twin_ids(self) -> list[str]: ...
    @property
    def family(self) -> FoundFamily | None: ...


R = TypeVar("R", bound=Repeatable)


def merged(
    rows: Sequence[R], factors: Mapping[str, int], questions: Mapping[str, str], most: int
) -> list[R]:
    """At most `most` of `rows` (best first), with at most `MOST_OF_FACTOR` about each factor. The
    last row about a factor lists the markets of those left out in `also` (`MOST_REPEATS`). Rows
    beyond the first `most` have to reach `MIN_NEXT_SCORE`. A row with the same contract on another
    venue as an earlier row does not count among the rows about its factor.

    factors : market id -> id of the factor through which the market was found; 0 or missing: none
    questions : market id -> question of the market, for all markets of the rows' families
    """
    kept: list[Any] = []
    places: dict[int, list[int]] = {}
    also: dict[int, list[FoundMember]] = {}
    twins: set[str] = set()
    for n, row in enumerate(rows):
        factor = 0 if row.id in twins else factors.get(row.id, 0)
        about = places.setdefault(factor, []) if factor else []
        if len(about) >= MOST_OF_FACTOR:
            also.setdefault(about[-1], []).extend(_members(row, questions))
            continue
        if len(kept) == most or (n >= most and row.score < MIN_NEXT_SCORE):
            continue
        about.append(len(kept))
        kept.append(row)
        twins.update(row.twin_ids)
    for place, members in also.items():
        kept[place] = msgspec.structs.replace(kept[place], also=members[:MOST_REPEATS])
    return kept


def _members(row: Repeatable, questions: Mapping[str, str]) -> list[FoundMember]:
    """The market that a row shows and the others of its family, each with its whole question."""
    first = FoundMember(row.id, row.question, row.status, price(row), row.closes_at)
    others = row.family.more if row.family else []
    return [first, *(msgspec.structs.replace(one, label=questions[one.id]) for one in others)]

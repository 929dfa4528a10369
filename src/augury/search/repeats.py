"""Limits how many rows of a list of related markets are about one factor (a thing in the world,
such as the price of gold): the markets of further rows are named in an earlier row. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

import msgspec

from augury.search.families import Foldable, FoundFamily, FoundMember, price

MOST_OF_FACTOR: Final = 2
"""If each family of markets has one row, a list of related markets has at most this many rows about
one factor (e.g. the price of gold). Readers of thirty queries called 31% of the rows of such lists
repetitions, most of them levels or dates of one quantity. Chosen by hand."""
MIN_NEXT_SCORE: Final = 0.4
"""A place that becomes free is only given to a row of which the estimated chance that it belongs in
the list is at least this (0 to 1). A reader found 9 of 39 such rows without bearing on the query,
of those with a smaller chance 51 of 87."""
MOST_REPEATS: Final = 20
"""One row names at most this many markets that would repeat it."""


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
    """At most `most` of `rows` (best first), and at most `MOST_OF_FACTOR` about each factor. The
    last of these names the markets of the rows that are left out in `also`. A row with the same
    contract on another venue as an earlier row stays, and does not count.

    factors : market id -> id of the factor through which the market was found; 0 or missing: none
    questions : market id -> question of the market, for all markets of the rows' families
    """
    kept: list[R] = []
    told: dict[int, list[int]] = {}
    also: dict[int, list[FoundMember]] = {}
    twins: set[str] = set()
    for n, row in enumerate(rows):
        factor = factors.get(row.id, 0)
        places = told.setdefault(factor, [])
        counts = factor > 0 and row.id not in twins
        if counts and len(places) >= MOST_OF_FACTOR:
            also.setdefault(places[-1], []).extend(_members(row, questions))
            continue
        if len(kept) == most or (n >= most and row.score < MIN_NEXT_SCORE):
            continue
        if counts:
            places.append(len(kept))
        kept.append(row)
        twins.update(row.twin_ids)
    for place, members in also.items():
        kept[place] = _with(kept[place], members[:MOST_REPEATS])
    return kept


def _with(row: Any, also: list[FoundMember]) -> Any:
    return msgspec.structs.replace(row, also=also)


def _members(row: Repeatable, questions: Mapping[str, str]) -> list[FoundMember]:
    """The market that a row shows and the others of its family, each with its whole question."""
    first = FoundMember(row.id, row.question, row.status, price(row), row.closes_at)
    others = row.family.more if row.family else []
    return [first, *(msgspec.structs.replace(one, label=questions[one.id]) for one in others)]

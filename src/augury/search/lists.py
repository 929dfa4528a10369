"""Fifth stage of a search: make one ranked list per relation. Decision trees fitted on judged
queries give a market its grade for the list `direct`, and its chance of belonging to each of the
other lists. Prices and dates say which markets of one family (e.g. of one event) come first."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.search.engine import STATUSES
from augury.search.members import (
    EQUAL_SCORE,
    CurrentPrices,
    Members,
    Positions,
    first_families,
    in_reading_order,
    live_first,
)
from augury.search.rank import by_grade, names_past_year, of_another_time
from augury.search.related import NOTHING, Lookup, Ranked, Relation
from augury.search.relating import Related, is_meant
from augury.search.schemas import Dimension
from augury.search.understanding import Understood

NEAR_CHANCE: Final = 0.45
"""In a list of related markets, the markets of one family (e.g. of one event) are put in reading
order, e.g. by date. Only markets whose score is at least this share (0 to 1) of the family's best
score take part. All but the few best markets of a family have reduced scores: they were multiplied
by `FAMILY_SHARE` and `SUBJECT_SHARE` (of `augury.relations.rank`). `NEAR_CHANCE` is smaller than
their product, so that markets with a reduced score can take part, too. Chosen by hand."""
RELATED_DEPTH: Final = 40
"""For a list of related markets, this many more markets than requested are put in the order in
which people read them. This order can move a market up within its family (e.g. its event): the
likeliest candidate of a contest comes first. So such a market gets into the list even if its score
alone is a little too low. Chosen by hand."""
SPARE_FAMILIES: Final = 5
"""If each family (e.g. each event) becomes one row, the list `direct` keeps this many more families
than rows were requested, because some families turn out to be closed. The lists of related markets
keep all, because further rows about one factor are put into one (`repeats`)."""
MOST_OF_FAMILY: Final = 20
"""Largest number of markets of one family (e.g. of one event) that one row stands for."""

DEAD_SHARE: Final = 0.5
"""If markets of any status are searched and the query names no time, a market that is not live
(`Members.live`) is ordered as if it had this share (0 to 1) of its score. A settled question says
nothing about the future, but may be the one that was meant. In a search for active markets only,
markets that are not live come after all others. Chosen by hand."""

Quoting = Callable[[NDArray[np.int64]], CurrentPrices]
"""A function that returns the current prices of the markets with the given database numbers."""


class Hit(NamedTuple):
    """A market in a ranked list. `key`: the market's number; `score`: the higher, the earlier the
    market stands in the list; `change`: sequence number of the database change with which the
    market was indexed; `factor_id`: the id of the factor (e.g. a policy rate) through which the
    market was found, 0 if there is none and always 0 in the list `direct` (markets on the question
    itself); `reason`: why the market is in the list, if that is known."""

    key: int
    change: int
    score: float
    factor_id: int = 0
    reason: str | None = None


class Lists(NamedTuple):
    """The ranked markets of a search, one list per requested relation (`direct`, ...)."""

    understood: Understood
    hits: dict[Dimension, list[Hit]]
    lookup: Lookup = NOTHING


def rank(related: Related, quoting: Quoting, at: datetime) -> Lists:
    """Make the ranked lists of a search, one per relation (`direct`, `upstream`, ...). A market in
    `direct` may also be in one of the other lists (`PoolReading.rank`).

    If the search asks for one row per family (`fold`), the lists still hold several markets of a
    family. A later step (`presenting.folded`) puts them into one row.

    at : the current time
    """
    understood, reading, wanted = related.understood, related.reading, related.understood.wanted
    ranking = related.ranking
    by_trees = ranking.by_title or bool((related.own > 0).any())
    if by_trees and (grades := reading.direct()) is not None:
        last = of_another_time(understood.query, related.direct_candidates.records)
        ranking = by_grade(related.direct_candidates, grades, last, reading.direct_floor)
    keys, changes = related.hits.keys, related.hits.payload["change"]
    members = _members(related, quoting(keys), at)
    hits: dict[Dimension, list[Hit]] = {}
    pool, order = related.pool, ranking.order
    kept = (related.own[order] > 0) | is_meant(pool.matched_weight[order], pool.dense[order])
    order, scores = order[kept], ranking.scores[kept]
    if set(wanted.dimensions) != {"direct"}:
        direct = np.zeros(len(keys), np.float32)
        direct[order] = scores
        for relation, found in reading.rank(direct).items():
            hits[relation] = _hits(relation, found, related, members)
    if "direct" not in wanted.dimensions:
        return Lists(understood, hits, related.lookup)
    rows = wanted.top_k + SPARE_FAMILIES
    order, scores = _arranged(order, scores, members, understood, families=rows)
    listed = (keys[order].tolist(), changes[order].tolist(), scores.tolist())
    why = reading.direct_reasons(order)
    hits["direct"] = [Hit(*one, reason=text) for *one, text in zip(*listed, why, strict=True)]
    return Lists(understood, hits, related.lookup)


def _hits(relation: Relation, found: Ranked, related: Related, members: Members) -> list[Hit]:
    """The list of results that are related to the query by `relation`, e.g. `upstream`. It is
    ordered by `_arranged`."""
    top_k, fold = related.understood.wanted.top_k, related.understood.wanted.fold
    order, scores = _arranged(
        found.positions, found.scores, members, related.understood,
        equal=NEAR_CHANCE, depth=top_k + RELATED_DEPTH,
    )  # fmt: skip
    if not fold:
        order, scores = order[:top_k], scores[:top_k]
    factors = dict(zip(found.positions.tolist(), found.factor_ids.tolist(), strict=True))
    keys, changes = related.hits.keys, related.hits.payload["change"]
    return [
        Hit(
            int(keys[at]), int(changes[at]), score, factors[at],
            related.reading.reason(relation, at, factors[at]),
        )
        for at, score in zip(order.tolist(), scores.tolist(), strict=True)
    ]  # fmt: skip


def _arranged(
    order: Positions,
    scores: NDArray[np.float32],
    members: Members,
    understood: Understood,
    *,
    equal: float = EQUAL_SCORE,
    depth: int | None = None,
    families: int | None = None,
) -> tuple[Positions, NDArray[np.float32]]:
    """The positions in `order` and their `scores` as a list shows them. Markets that are not live
    are moved down (`live_first`). Then the markets of each family are sorted among themselves, e.g.
    the candidates of a contest by price (`in_reading_order`). If the caller wants one row per
    family (`fold`), only markets of the first `families` are kept; None: of all. `depth`: only this
    many positions are considered; None: all."""
    order, scores = live_first(order, scores, members, _dead_share(understood))
    order, scores = order[:depth], scores[:depth]
    order = in_reading_order(order, scores, members, equal)
    if not understood.wanted.fold:
        return order, scores
    places = first_families(order, members, families, MOST_OF_FAMILY)
    return order[places], scores[places]


def _members(related: Related, found: CurrentPrices, at: datetime) -> Members:
    payload, now = related.hits.payload, at.timestamp()
    is_open = (payload["closes"] == 0) | (payload["closes"] > now)
    live = found.current & is_open & (related.hits.status == STATUSES.index("active"))
    live &= ~names_past_year(payload, at.year)
    return Members(payload, related.pool.matched_weight, found.prices, live, now)


def _dead_share(understood: Understood) -> float:
    """The share (0 to 1) of its score that a market keeps if it is not live, when the markets are
    ordered: 0 if only active markets are searched, 1 if the query names a time, else
    `DEAD_SHARE`."""
    if understood.wanted.status == "active":
        return 0.0
    return 1.0 if understood.query.names_time else DEAD_SHARE

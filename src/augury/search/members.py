"""Reorders the markets of one family (e.g. of one event) within a ranked list, as people read them:
the candidates of a contest by falling price; the dates of one question by time, the next date
first; the levels of one quantity by how near their price is to 50%, the nearest first. Pure numpy.

The ranking can't tell such markets apart: "Will Ann win the race?" is as directly about the race as
"Will Bob win the race?". Markets exchange places only with markets of their own family. So each
place in the list still belongs to the same family and has the same score. Before this reordering,
`live_first` moves down those markets that are over or no longer quoted."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.search.rank import place_in_family
from augury.search.records import MAX_TERMS

Positions = NDArray[np.intp]
Keys = tuple[NDArray[Any], ...]

EQUAL_SCORE: Final = 0.9
"""Markets of one family (e.g. of one event) exchange places only if they match the query about
equally well: their scores must be at least this share (0 to 1) of the family's best score. A market
that the query names has a much higher score than the others, so it stays first. Chosen by reading
the results of some twenty queries."""
NAMED_STEP: Final = 0.02
"""When the markets of a family (e.g. of one event) are compared, the weight (0 to 1) of the query's
words in each market's text is rounded to a multiple of this number, so that small differences do
not count. Chosen by hand."""

_BITS: Final = np.uint32(1) << np.arange(MAX_TERMS, dtype=np.uint32)


class CurrentPrices(NamedTuple):
    """Current prices of several markets, taken from their quotes; each array has one entry per
    market."""

    prices: NDArray[np.float64]
    """Price of the first outcome (usually Yes), 0 to 1; NaN: no quote, or not two outcomes."""
    current: NDArray[np.bool_]
    """Whether the market has a quote that is no older than `AgeRule.max_age`."""


class Members(NamedTuple):
    """What decides in which order the markets of one family (e.g. of one event) are listed. Each
    array has one entry per candidate market."""

    payload: NDArray[Any]
    """Records with at least the fields of `augury.search.records.RECORD`."""
    named: NDArray[np.float32]
    """Summed weight (0 to 1) of the query's words that occur in the market's question or event's
    name."""
    prices: NDArray[np.float64]
    """Price of the market's first outcome, usually Yes, 0 to 1; NaN: no quote."""
    live: NDArray[np.bool_]
    """Whether the market is active, has not reached its close, and has a current quote. False, too,
    if it names only past years and its close is unknown."""
    now: float
    """The current time, in epoch seconds."""


def in_reading_order(
    order: Positions, scores: NDArray[np.floating], members: Members, equal: float = EQUAL_SCORE
) -> Positions:
    """The positions in `order` (of candidate markets, best first), with the markets of each family
    sorted among themselves: the candidates of a contest by falling price, the dates of a question
    by time, the levels of a quantity by how near their price is to 50%. Whether a market is live,
    and how well the query's words fit it, count before these criteria.

    Parameters
    ----------
    scores
        Score of each position in `order`, in descending order.
    equal
        A market changes places only if its score is at least this share of the best score in its
        family.
    """
    if not len(order):
        return order
    _, first, group = np.unique(
        members.payload["family"][order], return_index=True, return_inverse=True
    )
    near = scores >= equal * scores[first[group]]
    places = np.flatnonzero(near & (np.bincount(group, near)[group] > 1))
    if not len(places):
        return order
    leads = np.searchsorted(places, first[group[places]])
    of_families, group = order[places], group[places]
    reading = np.lexsort((places, *_keys(of_families, group, leads, members), group))
    out = order.copy()
    out[places[np.argsort(group, kind="stable")]] = of_families[reading]
    return out


def live_first(
    order: Positions, scores: NDArray[np.float32], members: Members, share: float
) -> tuple[Positions, NDArray[np.float32]]:
    """Move markets that are not live further down in the list. They are ordered as if they had only
    `share` (0 to 1) of their score; with 0, they come after all live markets. If no market is live,
    nothing changes. Returns the new `order` and `scores`. Scores never rise along the list."""
    live = members.live[order]
    if not live.any() or live.all():
        return order, scores
    places = np.argsort(-np.where(live, scores, share * scores), kind="stable")
    return order[places], np.minimum.accumulate(scores[places])


def first_families(
    order: Positions, members: Members, most: int | None, most_of_each: int
) -> Positions:
    """The markets that stay in a list when its families are folded. Only the best families stay, at
    most `most` of them (None: all). Of each of these, the first `most_of_each` markets stay.
    Returns their places in `order`, ascending."""
    families = members.payload["family"][order]
    place = place_in_family(families)
    best = families[place == 0][:most]
    return np.flatnonzero(np.isin(families, best) & (place < most_of_each))


def _keys(of_families: Positions, group: Positions, leads: Positions, members: Members) -> Keys:
    """Keys by which the markets of each family are sorted. The least important key comes first, as
    `numpy.lexsort` takes them. `group`: number of each market's family; `leads`: index of the
    family's first market."""
    records = members.payload[of_families]
    prices, closes = members.prices[of_families], records["closes"].astype(np.float64)
    known = ~np.isnan(prices)

    def differs(values: NDArray[Any]) -> NDArray[np.bool_]:
        return np.bincount(group, (values != values[leads]).any(axis=1))[group] > 0

    of_levels = differs(records["numbers"])
    # Of a question's terms, those that are numbers, years or months.
    marks = (records["marks"][:, None] & _BITS) > 0
    times = differs(np.sort(np.where(marks, records["terms"], 0), axis=1))
    of_dates = times & _has_distinct(closes, group)
    past = of_dates & (closes <= members.now)
    by_price = np.where(known, -prices, 1.0)
    by_doubt = np.where(known, np.abs(prices - 0.5), 1.0)
    by_date = np.where(past, -closes, closes)
    value = np.where(of_dates, by_date, np.where(of_levels, by_doubt, by_price))
    named = np.round(members.named[of_families] / NAMED_STEP)
    return -records["salience"], value, past, -named, ~members.live[of_families]


def _has_distinct(closes: NDArray[np.float64], group: Positions) -> NDArray[np.bool_]:
    """For each market, whether the closing times of all markets of its family are known and no two
    of them are equal."""
    order = np.lexsort((closes, group))
    again = np.r_[False, (np.diff(closes[order]) == 0) & (np.diff(group[order]) == 0)]
    spoilt = (closes[order] == 0) | again
    return np.bincount(group[order], spoilt)[group] == 0

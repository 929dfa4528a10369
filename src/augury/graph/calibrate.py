"""Measures how often two markets moved together if an edge of a causal graph joins them. Pure.

Edges are of several kinds (`augury.graph.strength.Kind`), and each kind has a strength. It is a
share of days: of the days on which at least one of the two markets moved, the share on which both
moved in the direction that the edge claims. If an edge claims no direction, a day on which both
moved counts one half, as if the direction were drawn by lot, so that the strengths of all kinds can
be compared.

Strengths are fitted on earlier days and scored on later ones. The days of one pair of events are
not independent, so each pair of events has the same weight, however many markets and days it has.
The same share of days is measured for pairs of unrelated markets. If a kind has few pairs of
events, its strength is pulled toward this share of the unrelated markets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.graph.strength import UNRELATED, Kind
from augury.relations.comovement import Changes

MOVED_LOG_ODDS: Final = 0.05
"""A market counts as moved on a day if its log-odds changed by at least this from the day before:
about 1.2 percentage points at a price of 50%. Chosen by hand."""
PRIOR_EVENT_PAIRS: Final = 25
"""The fitted strength of a kind of edge is pulled from the measured one toward that of unrelated
markets. If the kind was measured on this many pairs of events, it ends halfway between the two;
with more pairs, it is pulled less. The larger this number, the stronger the pull. Chosen by
hand."""
EARLIER_SHARE: Final = 0.6
"""Strengths of edges are fitted on this share (0 to 1) of the observations, the earliest ones, and
scored on the later ones. One observation is a day on which at least one market of a related pair
moved. Chosen by hand."""


class Joined(NamedTuple):
    """Two markets, and the edge that a causal graph would draw between them."""

    first_row: int
    """Row of the pair's first market in the array of daily price changes."""
    second_row: int
    """Row of the pair's second market in the array of daily price changes."""
    kind: Kind
    sign: int
    """What the edge says about the prices of the two markets. +1: they move the same way; -1: they
    move opposite ways; 0: nothing about the direction."""
    events: tuple[int, int]
    """Numbers that identify the events of the pair's two markets, the smaller number first."""
    hand_strength: float
    """The edge's strength (0 to 1) by weights that people chose, e.g. those of the steps of its
    path. It is only compared with the fitted strength."""


class _Days(NamedTuple):
    """Observations: one row for each pair of markets and each day on which at least one of the two
    moved."""

    pair: NDArray[np.int64]
    """For each observation: the index of its pair of markets in the list of pairs."""
    day: NDArray[np.int64]
    """For each observation: the column of its day in the array of daily price changes."""
    hit: NDArray[np.float64]
    """For each observation: 1 if both markets moved as the pair's edge says; 0.5 if both moved and
    the edge says nothing about the direction; else 0."""


class Cell(NamedTuple):
    """How often markets joined by one kind of edge moved together in one part of the price history.
    The part is either the earlier days, on which the strengths of edges are fitted, or the later
    days, on which these strengths are scored."""

    share: float
    """How often two markets joined by an edge of this kind both moved as the edge says, as a share
    (0 to 1) of the days on which at least one of them moved. If the edge claims no direction, a day
    on which both moved counts half. The share is computed for each pair of events and then averaged
    over the pairs of events, so that each pair of events counts the same, however many markets it
    has."""
    days: int
    """Number of observations. One observation is a pair of markets on a day on which at least one
    of the two moved."""
    pairs: int
    """Number of distinct pairs of markets among the observations counted in `days`."""
    events: int
    """Number of distinct pairs of events to which the pairs of markets counted in `pairs` belong.
    Several pairs of markets can belong to one pair of events."""


class KeptStrength(NamedTuple):
    """The fitted strength of a kind of edge, and what it was fitted and scored on."""

    strength: float
    """How often two markets joined by an edge of this kind both moved as the edge says, as a share
    (0 to 1) of the days on which at least one of them moved. The measured share (`Cell.share`) is
    pulled toward the share of unrelated markets (`PRIOR_EVENT_PAIRS`)."""
    fitted: Cell
    """How often markets joined by an edge of this kind moved together on the earlier days of the
    price history (before `Fit.split`). The strength was fitted on these days."""
    later: Cell | None
    """How often markets joined by an edge of this kind moved together on the later days of the
    price history (from `Fit.split` on). The strength was scored on these days. None if no such
    market moved on a later day."""


class Fit(NamedTuple):
    """The fitted strength of each kind of edge, and how well these strengths predict. They are
    fitted on the earlier days of the price history and scored on the later days."""

    split: int
    """The column in the array of daily price changes that divides the history: strengths are fitted
    on the days before it, and scored on the days from it on."""
    kinds: dict[Kind, KeptStrength]
    brier: dict[str, float]
    """Source of the strengths -> the Brier score of these strengths; smaller is better. Only
    related pairs count, and only the later days, i.e. those from `split` on.

    The score is the mean squared difference between the strength of a pair's edge and what happened
    (1: both markets moved as the edge says; 0.5: both moved, and the edge says nothing about the
    direction; else 0). Each pair of events has the same weight. Sources: `measured`: the fitted
    strengths; `before`: those set by people (`Joined.hand_strength`); `unrelated`: a baseline. The
    baseline gives every edge the same strength: that of pairs of unrelated markets (their
    `Cell.share`) on the earlier days, i.e. those before `split`."""
    error: dict[str, float]
    """Source of the strengths (as in `brier`) -> their mean absolute error, 0 to 1, on the later
    days, i.e. those on which they were not fitted.

    For one kind of edge, two means over its pairs of events are compared: the mean strength, and
    the mean share of later days on which both markets moved as the edge says. The error of this
    kind is their absolute difference. In the mean over all kinds, a kind with more pairs of events
    has more weight."""


def fit(changes: Changes, pairs: Sequence[Joined]) -> Fit:
    """Fit the strength of each kind of edge (how often two markets joined by such an edge moved
    together) on the earlier days, and score it on the later ones.

    changes : (markets, days), daily changes of log-odds, NaN if unknown
    pairs : pairs of markets to fit on and to score; some must be of the kind `UNRELATED`

    Raises
    ------
    ValueError
        When no market of a related pair moved on any day, or no market of an unrelated pair moved
        on the earlier days.
    """
    days = _days(changes, pairs)
    related = np.array([pair.kind != UNRELATED for pair in pairs], np.bool_)
    if not related[days.pair].any():
        raise ValueError("no two related markets have price changes on the same days")
    split = int(np.quantile(days.day[related[days.pair]], EARLIER_SHARE)) + 1
    earlier = _cells(pairs, days, days.day < split)
    later = _cells(pairs, days, days.day >= split)
    if UNRELATED not in earlier:
        raise ValueError(
            "no two unrelated markets have price changes on the same day in the earlier part of "
            "the price history; such pairs are needed for comparison"
        )
    base = earlier[UNRELATED].share
    kinds = {
        kind: KeptStrength(_shrunk(cell, base), cell, later.get(kind))
        for kind, cell in sorted(earlier.items())
    }
    return Fit(split, kinds, *_scores(pairs, days, days.day >= split, kinds, base))


def _shrunk(cell: Cell, base: float) -> float:
    """The strength of a kind of edge, 0 to 1: the measured share of days on which its markets moved
    as the edge says (`Cell.share`), pulled toward the share of unrelated markets (`base`). The
    fewer pairs of events were measured, the stronger the pull."""
    total = cell.events * cell.share + PRIOR_EVENT_PAIRS * base
    return round(total / (cell.events + PRIOR_EVENT_PAIRS), 3)


def _days(changes: Changes, pairs: Sequence[Joined]) -> _Days:
    found: list[tuple[NDArray, ...]] = []
    for number, pair in enumerate(pairs):
        one, other = changes[pair.first_row], changes[pair.second_row]
        moves = np.abs(one) >= MOVED_LOG_ODDS, np.abs(other) >= MOVED_LOG_ODDS
        held = np.flatnonzero(np.isfinite(one) & np.isfinite(other) & (moves[0] | moves[1]))
        if not len(held):
            continue
        both = (moves[0] & moves[1])[held]
        if pair.sign:
            hit = both & (np.sign(one[held] * other[held]) == pair.sign)
            found.append((np.full(len(held), number), held, hit.astype(float)))
        else:
            found.append((np.full(len(held), number), held, both / 2))
    if not found:
        nothing = np.zeros(0, np.int64)
        return _Days(nothing, nothing, np.zeros(0))
    return _Days(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _cells(pairs: Sequence[Joined], days: _Days, kept: NDArray[np.bool_]) -> dict[Kind, Cell]:
    """For each kind of edge, the share of days on which the markets joined by such an edge moved
    together. The share is computed for each pair of events and then averaged over the pairs of
    events.

    days : observations; only those rows count for which `kept` is True
    """
    hits: dict[Kind, dict[tuple[int, int], list[float]]] = defaultdict(lambda: defaultdict(list))
    used: dict[Kind, set[int]] = defaultdict(set)
    for number, hit in zip(days.pair[kept].tolist(), days.hit[kept].tolist(), strict=True):
        pair = pairs[number]
        hits[pair.kind][pair.events].append(hit)
        used[pair.kind].add(number)
    return {
        kind: Cell(
            share=float(np.mean([np.mean(found) for found in by_events.values()])),
            days=sum(map(len, by_events.values())),
            pairs=len(used[kind]),
            events=len(by_events),
        )
        for kind, by_events in hits.items()
    }


def _scores(
    pairs: Sequence[Joined],
    days: _Days,
    kept: NDArray[np.bool_],
    kinds: Mapping[Kind, KeptStrength],
    base: float,
) -> tuple[dict[str, float], dict[str, float]]:
    rows: dict[tuple[Kind, tuple[int, int]], list[tuple[float, float]]] = defaultdict(list)
    for number, hit in zip(days.pair[kept].tolist(), days.hit[kept].tolist(), strict=True):
        pair = pairs[number]
        if pair.kind != UNRELATED and pair.kind in kinds:
            rows[pair.kind, pair.events].append((hit, pair.hand_strength))
    brier: dict[str, list[float]] = defaultdict(list)
    off: dict[str, dict[Kind, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (kind, _), found in rows.items():
        hit, by_hand = np.array(found).T
        for name, value in (
            ("measured", np.full(len(hit), kinds[kind].strength)),
            ("before", by_hand),
            ("unrelated", np.full(len(hit), base)),
        ):
            brier[name].append(float(((value - hit) ** 2).mean()))
            off[name][kind].append(float((value - hit).mean()))
    return (
        {name: round(float(np.mean(values)), 4) for name, values in brier.items()},
        {
            name: round(
                float(
                    np.average(
                        [abs(np.mean(values)) for values in by_kind.values()],
                        weights=[len(values) for values in by_kind.values()],
                    )
                ),
                4,
            )
            for name, by_kind in off.items()
        },
    )

"""Measures how often markets joined by an edge moved together. Pure.

Edges are of several kinds (`augury.graph.strength.Kind`). The strength of a kind is a share of
days: of the days on which at least one of two joined markets moved, those on which both moved in
the direction that the edge claims. If an edge claims no direction, a day on which both moved counts
one half, as if the direction were drawn by lot, so that the strengths of all kinds can be compared.

Strengths are fitted on earlier days and scored on later ones. Days of one pair of events are not
independent, so a pair of events counts as one observation, however many markets and days it has.
Kinds with few observations are shrunk towards the share of unrelated markets.
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
"""Smallest change of log-odds from one day to the next at which a market counts as moved: about 1.2
percentage points at a price of 50%. Chosen by hand."""
PRIOR_DAYS: Final = 25
"""How far the share of days measured for a kind of edge is shrunk towards that of unrelated
markets, as a number of pairs of events: a kind measured on this many pairs lands halfway between
the two shares. A larger value shrinks more. Chosen by hand."""
EARLIER_SHARE: Final = 0.6
"""Share (0 to 1) of the observations on which strengths are fitted: the earliest ones. The later
ones score the strengths. One observation is a day on which at least one market of a related pair
moved. Chosen by hand."""


class Joined(NamedTuple):
    """Two markets, and the edge that a causal graph would draw between them: its kind, and whether
    it says that their prices move the same way or opposite ways."""

    first: int
    """Row of the first market in the array of daily price changes; `second`: row of the second."""
    second: int
    kind: Kind
    sign: int
    """What the edge says about the prices of the two markets. +1: they move the same way; -1: they
    move opposite ways; 0: nothing about the direction."""
    events: tuple[int, int]
    """Numbers that identify the events of the two markets, the smaller number first."""
    told: float
    """Strength (0 to 1) of the edge by weights that people set. It is only compared with the fitted
    strength."""


class _Days(NamedTuple):
    """Observations: one row for each pair of markets and each day on which at least one of the two
    moved."""

    pair: NDArray[np.int64]
    day: NDArray[np.int64]
    hit: NDArray[np.float64]
    """For each row: 1 if both markets moved as their edge says; 0.5 if both moved and the edge says
    nothing about the direction; else 0."""


class Cell(NamedTuple):
    """How often markets joined by one kind of edge moved together, over one part of the price
    history: the earlier days, on which strengths are fitted, or the later ones, on which they are
    checked."""

    share: float
    """Of the days on which at least one market of a pair moved, the share (0 to 1) on which both
    moved as the edge says: the mean over pairs of events."""
    days: int
    pairs: int
    events: int
    """Number of different pairs of events that the markets belong to."""


class KeptStrength(NamedTuple):
    """The fitted strength of a kind of edge, with the measurements that it was fitted on (`fitted`)
    and checked on (`later`)."""

    strength: float
    fitted: Cell
    later: Cell | None
    """Measurements on the later days, which were not used for fitting; None if no market in a pair
    with this kind of edge moved then."""


class Fit(NamedTuple):
    """The fitted strengths of all kinds of edges, and how well they predict the later days."""

    until: int
    """Index of the column, in the array of daily price changes, at which the later days begin."""
    kinds: dict[Kind, KeptStrength]
    brier: dict[str, float]
    """Brier scores on the later days, related pairs only: mean squared difference between the
    strength of a pair's edge and what happened (1: both markets moved as the edge says, 0.5: both
    moved and the edge says nothing about the direction, else 0). Each pair of events has the same
    weight. The keys say where the strengths come from: `measured` (fitted), `before`
    (`Joined.told`, set by people), `unrelated` (the share of unrelated markets, for every edge)."""
    error: dict[str, float]
    """Mean absolute difference between the strength of a kind of edge and the share (`Cell.share`)
    of that kind on the later days. The mean is over kinds, weighted by their numbers of pairs of
    events. Keys as in `brier`."""


def fit(changes: Changes, pairs: Sequence[Joined]) -> Fit:
    """Fit the strength of each kind of edge on the earlier days, and score it on the later ones.
    The strength is how often two markets joined by such an edge moved together.

    changes : (markets, days), daily changes of log-odds, NaN if unknown
    pairs : pairs to fit and score; some must be of the kind `UNRELATED`

    Raises
    ------
    ValueError
        No related pair moved at all, or no unrelated pair moved on the earlier days.
    """
    days = _days(changes, pairs)
    related = np.array([pair.kind != UNRELATED for pair in pairs], np.bool_)
    if not related[days.pair].any():
        raise ValueError("no two related markets have prices on the same days")
    until = int(np.quantile(days.day[related[days.pair]], EARLIER_SHARE)) + 1
    earlier = _cells(pairs, days, days.day < until)
    later = _cells(pairs, days, days.day >= until)
    if UNRELATED not in earlier:
        raise ValueError(
            "no two unrelated markets have prices on the same days early in their history"
        )
    base = earlier[UNRELATED].share
    kinds = {
        kind: KeptStrength(_shrunk(cell, base), cell, later.get(kind))
        for kind, cell in sorted(earlier.items())
    }
    return Fit(until, kinds, *_judged(pairs, days, days.day >= until, kinds, base))


def _shrunk(cell: Cell, base: float) -> float:
    return round((cell.events * cell.share + PRIOR_DAYS * base) / (cell.events + PRIOR_DAYS), 3)


def _days(changes: Changes, pairs: Sequence[Joined]) -> _Days:
    found: list[tuple[NDArray, ...]] = []
    for number, pair in enumerate(pairs):
        one, other = changes[pair.first], changes[pair.second]
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
    """Measurements by kind of edge, from those rows of `days` for which `kept` is True. The share
    of a kind is the mean over its pairs of events."""
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


def _judged(
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
            rows[pair.kind, pair.events].append((hit, pair.told))
    brier: dict[str, list[float]] = defaultdict(list)
    off: dict[str, dict[Kind, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (kind, _), found in rows.items():
        hit, told = np.array(found).T
        for name, value in (
            ("measured", np.full(len(hit), kinds[kind].strength)),
            ("before", told),
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

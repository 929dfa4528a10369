"""How often markets joined by an edge moved together: fitted on earlier days, judged later. Pure.

Of the days on which at least one of two markets moved, the share on which both did, and the way the
edge claims: that is the strength of its kind. An edge that claims no direction is counted as one
whose direction is drawn by lot, so that strengths of both can be compared. Days of one pair of
events are not independent, so a pair of events counts as one observation however many markets and
days it has; kinds with few of them are drawn towards what unrelated markets show.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.graph.strength import UNRELATED, Kind
from augury.relations.comovement import Changes

MOVED: Final = 0.05
"""Change of log-odds within a day from which a market has moved: some 1.2 points at a half."""
PRIOR: Final = 25
"""Pairs of events that the share of unrelated markets counts for."""
EARLIER: Final = 0.6
"""Share of all days with a move that strengths are fitted on."""


class Joined(NamedTuple):
    """Two markets and the edge that would join them."""

    first: int
    """Row of its changes."""
    second: int
    kind: Kind
    sign: int
    """+1: the edge says that they move the same way, -1: opposite ways, 0: it does not say."""
    events: tuple[int, int]
    """Numbers of their events, the smaller first."""
    told: float
    """The strength that the edge was given before any was measured."""


class _Days(NamedTuple):
    """Each day on which one of a pair moved."""

    pair: NDArray[np.int64]
    day: NDArray[np.int64]
    hit: NDArray[np.float64]
    """1 where both moved as the edge says; a half where both moved and it says no direction."""


class Cell(NamedTuple):
    """One kind of edge, over one span of days."""

    share: float
    """Of the days on which one of two moved, those on which both did as the edge says."""
    days: int
    pairs: int
    events: int
    """Different pairs of events."""


class KeptStrength(NamedTuple):
    """The strength of a kind, and what it was held against."""

    strength: float
    fitted: Cell
    later: Cell | None
    """The days that nothing was fitted on; None: no such edge on them."""


class Fit(NamedTuple):
    """The strengths and how good they are on the later days."""

    until: int
    """First day that is no longer fitted on."""
    kinds: dict[Kind, KeptStrength]
    brier: dict[str, float]
    """Mean squared distance of strength and hit on the later days, related pairs only, each pair
    of events at the same weight: `measured`, `before` (strengths as told by hand) and `unrelated`
    (every edge at the rate of unrelated markets)."""
    error: dict[str, float]
    """Mean distance of strength and share by kind on the later days, kinds weighed by their pairs
    of events: same keys."""


def fit(changes: Changes, pairs: Sequence[Joined]) -> Fit:
    """Strengths from the earlier days and their scores on the later ones.

    changes : (markets, days), of log-odds, NaN where not known
    pairs : `UNRELATED` ones among them

    Raises
    ------
    ValueError
        No related pair moved, or no unrelated one did on the earlier days.
    """
    days = _days(changes, pairs)
    related = np.array([pair.kind != UNRELATED for pair in pairs], np.bool_)
    if not related[days.pair].any():
        raise ValueError("no two related markets have prices of the same days")
    until = int(np.quantile(days.day[related[days.pair]], EARLIER)) + 1
    earlier = _cells(pairs, days, days.day < until)
    later = _cells(pairs, days, days.day >= until)
    if UNRELATED not in earlier:
        raise ValueError("no two unrelated markets have prices of the same earlier days")
    base = earlier[UNRELATED].share
    kinds = {
        kind: KeptStrength(_shrunk(cell, base), cell, later.get(kind))
        for kind, cell in sorted(earlier.items())
    }
    return Fit(until, kinds, *_judged(pairs, days, days.day >= until, kinds, base))


def _shrunk(cell: Cell, base: float) -> float:
    return round((cell.events * cell.share + PRIOR * base) / (cell.events + PRIOR), 3)


def _days(changes: Changes, pairs: Sequence[Joined]) -> _Days:
    found: list[tuple[NDArray, ...]] = []
    for number, pair in enumerate(pairs):
        one, other = changes[pair.first], changes[pair.second]
        moves = np.abs(one) >= MOVED, np.abs(other) >= MOVED
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
    """By kind: the mean over pairs of events of each one's share."""
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

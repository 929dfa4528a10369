"""Ranking of related markets inside each relation. Pure numpy.

Trees fitted on judged queries (`training/relations/fit.py`) give the chance that a careful reader
would put a market in each relation; it stands where that chance is largest, if it is above a floor.
A market stands only where the base has a path that says why.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from augury.relations.columns import Floats, Paths, held
from augury.relations.paths import RELATIONS, Reached, Relation
from augury.search.related import Pool

FLOOR: Final = 0.05
"""Chance below which a market is not shown: the highest that costs less than .01 of nDCG@10 in
held-out queries (`docs/experiments/relations-ranker.md`)."""
CLAIM: Final = 2.0
"""A relation claims one of the best direct results where its chance is larger than so many times
the result's score in `direct`. Twice as many keep more for direct and lose as much in relations."""
FAMILY_SIZE: Final = 3
FAMILY_SHARE: Final = 0.7
"""So many markets of one family stand at their own chance, further ones at so much of it: a list
shows several causes and not one ladder."""


def bearing(
    reached: Reached, tags: NDArray[np.uint16], fits: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How much each market is about the question's own factors, (n,), and the weight of the path
    to each of its factors by relation, (3, n, MOST_TAGS)."""
    about = held(tags, fits)
    own = (reached.asked[tags] * about).max(axis=1, initial=0)
    return own, reached.weights[:, tags] * about


def through(found: Paths) -> Floats:
    """Weight of what leads to each market's factors, (3, n, MOST_TAGS): the base's paths, and for
    correlated the question's own factor where no path does."""
    weights = found.weights.copy()
    weights[2] = np.where(weights[2].any(axis=1)[:, None], weights[2], found.own)
    return weights


def gains(
    chances: NDArray[np.floating], may: NDArray[np.bool_], direct: NDArray[np.floating]
) -> Floats:
    """(3, n): the chance of each relation where a market may stand in it.

    Parameters
    ----------
    chances : (n, 3)
        From the trees.
    may : (3, n)
        Whether anything of the base says why.
    direct : (n,)
        Score of the best direct results, 0 of others.
    """
    possible = np.where(may, chances.T, 0)
    kept = (direct > 0) & (CLAIM * direct >= possible.max(axis=0, initial=0))
    return np.where(kept, 0, possible).astype(np.float32)


def ordered(
    gains: Floats, keys: NDArray[np.int64], family: NDArray[np.uint64]
) -> dict[Relation, tuple[NDArray[np.intp], Floats]]:
    """By relation: positions best first, and their gains; no market in two of them."""
    best = gains.argmax(axis=0)  # ties: the earlier relation
    out: dict[Relation, tuple[NDArray[np.intp], Floats]] = {}
    for nth, relation in enumerate(RELATIONS):
        shown = np.flatnonzero((best == nth) & (gains[nth] >= FLOOR))
        gain = gains[nth, shown]
        order = _order(gain, keys[shown])
        crowded = order[_place(family[shown][order]) >= FAMILY_SIZE]
        gain[crowded] *= FAMILY_SHARE
        order = _order(gain, keys[shown])
        out[relation] = shown[order], gain[order]
    return out


def rank(
    chances: NDArray[np.floating],
    pool: Pool,
    ways: Floats,
    direct: Floats,
    labelled: Floats | None = None,
) -> dict[Relation, tuple[NDArray[np.intp], Floats, NDArray[np.uint16]]]:
    """By relation: positions in the pool best first, their chances, and the factor each was
    reached through.

    Parameters
    ----------
    chances : (n, 3)
        From the trees: upstream, downstream, correlated.
    ways : (3, n, MOST_TAGS)
        From `through`.
    direct : (n,)
        Score of the best direct results, 0 of others.
    labelled : (3, n)
        Weight by relation of what somebody else says of each market; it counts only where nothing
        of the base leads to it.
    """
    gain = gains(chances, np.asarray(ways.any(axis=2)), direct)
    if labelled is not None:
        told = labelled.any(axis=0) & ~ways.any(axis=(0, 2)) & (direct == 0)
        gain[:, told] = labelled[:, told]
    out: dict[Relation, tuple[NDArray[np.intp], Floats, NDArray[np.uint16]]] = {}
    for nth, (relation, (shown, chance)) in enumerate(
        ordered(gain, pool.keys, pool.family).items()
    ):
        place = ways[nth, shown].argmax(axis=1) if len(shown) else shown
        out[relation] = shown, chance, pool.tags[shown, place]
    return out


def _order(gain: NDArray[np.float32], keys: NDArray[np.int64]) -> NDArray[np.intp]:
    return np.lexsort((keys, -np.round(gain, 4)))


def _place(families: NDArray[np.uint64]) -> NDArray[np.intp]:
    """How many of the same family stand before each position."""
    place = np.zeros(len(families), np.intp)
    seen: dict[int, int] = {}
    for nth, family in enumerate(families.tolist()):
        place[nth] = seen.get(family, 0)
        seen[family] = place[nth] + 1
    return place

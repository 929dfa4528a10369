"""Ranking of related markets inside each relation (upstream, downstream, correlated). Pure numpy.

Trees fitted on judged queries (`training/relations/fit.py`) give the chance that a careful reader
would put a market in each relation. A market is listed in the relation with the largest chance, if
that chance reaches the relation's floor, which was fitted with the trees, and a path of the factor
base, or a language model's label, says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from augury.relations.causal.paths import RELATIONS, Reached, Relation
from augury.relations.columns import Floats, Paths, held
from augury.search.related import Pool

CLAIM_RATIO: Final = 2.0
"""A market that is a direct result (on the question itself) is listed in a relation instead if the
chance that it is in that relation is larger than CLAIM times its score as a direct result. A larger
value keeps more markets as direct results. With twice this value the lists of the relations lose as
much quality as the direct results gain, as measured."""
FAMILY_SIZE: Final = 3
FAMILY_SHARE: Final = 0.7
"""The best FAMILY_SIZE markets of a family (e.g. the levels of one quantity) keep their chance; the
chance of further ones is multiplied by FAMILY_SHARE. A list then shows several causes, and not only
the levels of one quantity. Both values were chosen by reading lists
(`docs/experiments/relations-ranker.md`)."""


def bearing(
    reached: Reached, tags: NDArray[np.uint16], fits: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Two arrays. The first, (n,), says how much each market is about the factors that the question
    is about. The second, (3, n, MOST_TAGS), says how strongly the paths of each relation lead to
    each factor of each market: the weight of the path times how much the market is about the
    factor."""
    about = held(tags, fits)
    own = (reached.asked[tags] * about).max(axis=1, initial=0)
    return own, reached.weights[:, tags] * about


def through(found: Paths) -> Floats:
    """How strongly the paths of each relation lead to each factor of each market: (3, n,
    MOST_TAGS).

    For the relation "correlated", a market to which no such path leads has another value: how much
    it is about the question's own factors (`Paths.own`).
    """
    weights = found.weights.copy()
    weights[2] = np.where(weights[2].any(axis=1)[:, None], weights[2], found.own)
    return weights


def gains(
    chances: NDArray[np.floating], may: NDArray[np.bool_], direct: NDArray[np.floating]
) -> Floats:
    """The chance of each market to be in each relation, (3, n); 0 where the market may not be
    listed.

    Parameters
    ----------
    chances : (n, 3)
        From the trees: upstream, downstream, correlated.
    may : (3, n)
        Whether the factor base has a path that says why the market is in the relation.
    direct : (n,)
        The score of each of the best direct results (markets on the question itself), 0 for other
        markets.
    """
    possible = np.where(may, chances.T, 0)
    kept = (direct > 0) & (CLAIM_RATIO * direct >= possible.max(axis=0, initial=0))
    return np.where(kept, 0, possible).astype(np.float32)


def ordered(
    gains: Floats,
    keys: NDArray[np.int64],
    family: NDArray[np.uint64],
    floors: Mapping[Relation, float],
) -> dict[Relation, tuple[NDArray[np.intp], Floats]]:
    """For each relation, the positions of the markets listed in it, best first, and their chances.
    A market is listed only in the relation with its largest chance.

    gains : (3, n), from the function `gains`
    keys : (n,), numbers of the markets, which decide the order of equal chances
    family : (n,), a hash that is equal for the markets of one family; from the fourth market of a
        family on, the chance is reduced (`FAMILY_SHARE`)
    floors : smallest chance, 0 to 1, with which a market is listed, by relation (`Ranker.floors`)
    """
    best = gains.argmax(axis=0)  # ties: the earlier relation
    out: dict[Relation, tuple[NDArray[np.intp], Floats]] = {}
    for nth, relation in enumerate(RELATIONS):
        shown = np.flatnonzero((best == nth) & (gains[nth] >= floors[relation]))
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
    floors: Mapping[Relation, float],
    labelled: Floats | None = None,
) -> dict[Relation, tuple[NDArray[np.intp], Floats, NDArray[np.uint16]]]:
    """For each relation, three arrays: the positions in the pool of the markets listed in the
    relation, best first; their chances; and the number of the factor through which each was
    reached.

    Parameters
    ----------
    chances : (n, 3)
        From the trees: upstream, downstream, correlated.
    ways : (3, n, MOST_TAGS)
        From `through`: how strongly paths lead to each market's factors.
    direct : (n,)
        The score of each of the best direct results (markets on the question itself), 0 for other
        markets.
    floors
        Smallest chance with which a market is listed, by relation.
    labelled : (3, n)
        Weight of a language model's label on each market, by relation; it counts only if the factor
        base has no path to the market and the market is no direct result.
    """
    gain = gains(chances, np.asarray(ways.any(axis=2)), direct)
    if labelled is not None:
        told = labelled.any(axis=0) & ~ways.any(axis=(0, 2)) & (direct == 0)
        gain[:, told] = labelled[:, told]
    out: dict[Relation, tuple[NDArray[np.intp], Floats, NDArray[np.uint16]]] = {}
    for nth, (relation, (shown, chance)) in enumerate(
        ordered(gain, pool.keys, pool.family, floors).items()
    ):
        place = ways[nth, shown].argmax(axis=1) if len(shown) else shown
        out[relation] = shown, chance, pool.tags[shown, place]
    return out


def _order(gain: NDArray[np.float32], keys: NDArray[np.int64]) -> NDArray[np.intp]:
    return np.lexsort((keys, -np.round(gain, 4)))


def _place(families: NDArray[np.uint64]) -> NDArray[np.intp]:
    """For each position of a list of markets, how many markets before it are of the same family."""
    place = np.zeros(len(families), np.intp)
    seen: dict[int, int] = {}
    for nth, family in enumerate(families.tolist()):
        place[nth] = seen.get(family, 0)
        seen[family] = place[nth] + 1
    return place

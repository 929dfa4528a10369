"""Ranking of related markets inside each relation. Pure numpy.

A market is related by the factor of it that lies best on a path from the question: the weight of
that path, how well the market fits the factor, then closeness to the query's words, trade, and
whether it stands alone or among fifty siblings.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from augury.relations.paths import RELATIONS, Reached, Relation
from augury.search.related import Pool

WEIGHTS: Final[dict[str, float]] = {
    "path": 4.0,
    "dense": 1.0,
    "words": 0.4,
    "year": 0.3,
    "salience": 0.06,
    "own": -2.0,
    "fixture": -0.5,
}
"""See `docs/relations.md` for how they were chosen."""
FAMILY_SIZE: Final = 6
FAMILY_PENALTY: Final = 0.6
"""So many markets of one family stand at their own score, further ones give way by so much."""
FLOOR: Final = 0.05
"""Path weight times fit below which a market is not shown at all."""


def bearing(
    reached: Reached, tags: NDArray[np.uint16], fits: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How much each market is about the question's own factors, (n,), and the weight of the path
    to each of its factors by relation, (3, n, MOST_TAGS)."""
    weights = np.where(tags > 0, 0.35 + 0.65 * fits, 0).astype(np.float32)
    own = (reached.asked[tags] * weights).max(axis=1, initial=0)
    return own, reached.weights[:, tags] * weights


def rank(reached: Reached, pool: Pool) -> dict[Relation, tuple[NDArray[np.intp], NDArray, NDArray]]:
    """By relation: positions in the pool best first, their scores in (0, 1), and the factor each
    was reached through. A market stands in the relation whose path is strongest."""
    own, paths = bearing(reached, pool.tags, pool.fits)
    evidence = paths.max(axis=2, initial=0)  # (3, n)
    strongest = evidence.argmax(axis=0)  # ties: the earlier relation
    common = (
        WEIGHTS["dense"] * pool.dense
        + WEIGHTS["words"] * pool.words
        + WEIGHTS["year"] * pool.year
        + WEIGHTS["salience"] * pool.salience
        + WEIGHTS["own"] * own
        + WEIGHTS["fixture"] * pool.fixture
    )
    out: dict[Relation, tuple[NDArray[np.intp], NDArray, NDArray]] = {}
    for nth, relation in enumerate(RELATIONS):
        held = np.flatnonzero((strongest == nth) & (evidence[nth] >= FLOOR))
        raw = WEIGHTS["path"] * evidence[nth, held] + common[held]
        order = _order(raw, pool.keys[held])
        crowded = order[_place(pool.family[held][order]) >= FAMILY_SIZE]
        raw[crowded] -= FAMILY_PENALTY
        order = _order(raw, pool.keys[held])
        chosen = held[order]
        via = pool.tags[chosen, paths[nth, chosen].argmax(axis=1)] if len(chosen) else chosen
        score = 1 / (1 + np.exp(-(raw[order] - 2.0)))
        out[relation] = chosen, score.astype(np.float32), via
    return out


def _order(raw: NDArray, keys: NDArray[np.int64]) -> NDArray[np.intp]:
    return np.lexsort((keys, -np.round(raw, 3)))


def _place(families: NDArray[np.uint64]) -> NDArray[np.intp]:
    """How many of the same family stand before each position."""
    place = np.zeros(len(families), np.intp)
    seen: dict[int, int] = {}
    for nth, family in enumerate(families.tolist()):
        place[nth] = seen.get(family, 0)
        seen[family] = place[nth] + 1
    return place

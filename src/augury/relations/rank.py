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
    "path": 3.0,
    "dense": 1.5,
    "words": 0.2,
    "year": 0.4,
    "salience": 0.06,
    "stale": -1.0,
    "own": -2.0,
    "foreign": -0.6,
    "fixture": -0.5,
    "rival": -4.0,
}
"""How they were chosen, and what each is worth: `docs/relations.md`."""
SUBJECT: Final = 0.5
"""What the weight of a path keeps for a market that hardly fits its factor."""
OTHER_RESPECT: Final = 0.4
"""Weight, in `correlated`, of a market about the question's own factor that asks something else:
less direct than `NOT_DIRECT`."""
NOT_DIRECT: Final = 4.0
NAMING: Final = 0.15
"""Share of the question's rarity that a title holds which names something of it."""
MOVED: Final = 0.4
"""What perfect co-movement of prices adds to a path, as a share of it. By itself it relates
nothing: on sparse histories most pairs are quotes of thin books (`docs/relations.md`)."""
FAMILY_SIZE: Final = 6
FAMILY_PENALTY: Final = 0.3
"""So many markets of one family stand at their own score, further ones give way by so much."""
FACTOR_SIZE: Final = 20
FACTOR_PENALTY: Final = 0.2
MOST_STEPS: Final = 8
"""Every so many markets reached through one factor, further ones give way by so much more, so many
times at most: a list shows several causes and not one of them two hundred times."""
FLOOR: Final = 0.1
"""Path weight times fit below which a market is not shown at all."""
MIDDLE: Final = 2.0
"""Raw score that is shown as one half."""
YEAR: Final = 31_557_600
"""Seconds."""
GRACE: Final = 0.25
"""Years before the question's own markets in which another closes without being stale."""
SETTLED: Final = 5.0
"""Years before the question's own markets from which a market is not shown: what was settled so
long ago moves nothing."""
LATER: Final = 2.0
"""Years after them from which a market is no cause of theirs any more."""


def bearing(
    reached: Reached, tags: NDArray[np.uint16], fits: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How much each market is about the question's own factors, (n,), and the weight of the path
    to each of its factors by relation, (3, n, MOST_TAGS)."""
    weights = np.where(tags > 0, SUBJECT + (1 - SUBJECT) * fits, 0).astype(np.float32)
    own = (reached.asked[tags] * weights).max(axis=1, initial=0)
    return own, reached.weights[:, tags] * weights


def rank(
    reached: Reached,
    pool: Pool,
    foreign: NDArray[np.bool_],
    rivals: NDArray[np.bool_],
    unnamed: NDArray[np.bool_],
    ties: NDArray[np.float32],
    labelled: NDArray[np.float32] | None = None,
) -> dict[Relation, tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.uint16]]]:
    """By relation: positions in the pool best first, their scores in (0, 1), and the factor each
    was reached through. A market stands in the relation whose path is strongest.

    Parameters
    ----------
    foreign : (n,)
        Markets about another entity of a list that the question names one of.
    rivals : (n,)
        Markets of a contest that the question names one contender of: another outcome of what is
        asked, rather than something beside it.
    unnamed : (n, MOST_TAGS)
        Tags by which a market is about somebody or something of its own ("the song in question").
        They relate it only where it names something of the question.
    ties : (n,)
        How closely prices moved with those of the question's own markets, in [0, 1].
    labelled : (3, n)
        Weight by relation of what somebody else says of each market; it counts only where no path
        of the base leads to it.
    """
    own, paths = bearing(reached, pool.tags, pool.fits)
    paths[:, unnamed & (pool.words < NAMING)[:, None]] = 0
    evidence = paths.max(axis=2, initial=0) * (1 + MOVED * ties)  # (3, n)
    aside = (own > 0) & (pool.directness < NOT_DIRECT)
    aside &= OTHER_RESPECT * own > evidence.max(axis=0, initial=0)
    evidence[2, aside] = OTHER_RESPECT * own[aside]
    if labelled is not None:
        told = labelled.any(axis=0) & ~paths.any(axis=(0, 2))
        evidence[:, told] = labelled[:, told]
    strongest = evidence.argmax(axis=0)  # ties: the earlier relation
    years = np.where(pool.closes > 0, (pool.when - pool.closes.astype(np.float64)) / YEAR, 0)
    common = (
        WEIGHTS["dense"] * pool.dense
        + WEIGHTS["words"] * pool.words
        + WEIGHTS["year"] * pool.year
        + WEIGHTS["salience"] * pool.salience
        + WEIGHTS["stale"] * np.clip(years - GRACE, 0, 3)
        + WEIGHTS["own"] * np.where(aside, 0, own)
        + WEIGHTS["fixture"] * pool.fixture
    )
    out: dict[Relation, tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.uint16]]] = {}
    for nth, relation in enumerate(RELATIONS):
        shown = (strongest == nth) & (evidence[nth] >= FLOOR) & (years < SETTLED)
        if relation == "upstream":
            shown &= years > -LATER
        if relation == "downstream":
            shown &= ~foreign  # what happens to one team, country, bank happens not to another
        held = np.flatnonzero(shown)
        raw = WEIGHTS["path"] * evidence[nth, held] + common[held]
        if relation == "correlated":
            raw += WEIGHTS["rival"] * rivals[held]
        else:  # what moves together is mostly about others
            raw += WEIGHTS["foreign"] * foreign[held]
        through = np.where(aside[held, None], reached.asked[pool.tags[held]], paths[nth, held])
        via = pool.tags[held, through.argmax(axis=1)] if len(held) else pool.tags[:0, 0]
        order = _order(raw, pool.keys[held])
        crowded = order[_place(pool.family[held][order]) >= FAMILY_SIZE]
        raw[crowded] -= FAMILY_PENALTY
        order = _order(raw, pool.keys[held])
        raw[order] -= FACTOR_PENALTY * np.minimum(_place(via[order]) // FACTOR_SIZE, MOST_STEPS)
        order = _order(raw, pool.keys[held])
        score = 1 / (1 + np.exp(MIDDLE - raw[order]))
        score = np.minimum.accumulate(score).astype(np.float32)
        out[relation] = held[order], score, via[order]
    return out


def _order(raw: NDArray, keys: NDArray[np.int64]) -> NDArray[np.intp]:
    return np.lexsort((keys, -np.round(raw, 3)))


def _place(families: NDArray[np.uint64] | NDArray[np.uint16]) -> NDArray[np.intp]:
    """How many of the same family stand before each position."""
    place = np.zeros(len(families), np.intp)
    seen: dict[int, int] = {}
    for nth, family in enumerate(families.tolist()):
        place[nth] = seen.get(family, 0)
        seen[family] = place[nth] + 1
    return place

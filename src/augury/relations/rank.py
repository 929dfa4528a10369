"""Ranking of related markets inside each relation (upstream, downstream, correlated). Pure numpy.

Decision trees fitted on judged queries (`training/relations/fit.py`) give the chance that a careful
reader would put a market in each relation. A market is listed in the relation with the largest
chance if this chance reaches the relation's floor, which was fitted with the trees, and is larger
than a share of the market's score as a direct result (`RELATED_RATIO`). The trees know the paths of
the factor base (which factor drives which) and the texts. So a market may be listed although no
path leads to it; then its reason says so. A market may also be listed because of a language model's
label (its answer on how two events are related).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from augury.relations.causal.paths import RELATIONS, Reached, Relation
from augury.relations.columns import Floats, Paths, subject_weights
from augury.search.rank import place_in_family
from augury.search.related import Pool, Ranked
from augury.search.schemas import Dimension

RELATED_RATIO: Final = 0.7
"""A market found as a direct result (on the question itself) may also be related to the question.
It is listed in a relation, too, if the chance that it is in that relation is larger than
RELATED_RATIO times its score as a direct result. A larger value leaves more markets to the direct
results alone. Chosen on judged queries (`docs/adr/0049-two-lists.md`)."""
FAMILY_SIZE: Final = 3
"""Of the markets of one family (e.g. the levels of one quantity), this many keep their chance of
being in a relation (upstream, downstream, correlated): those with the largest chance. The chances
of the family's other markets are multiplied by `FAMILY_SHARE`."""
FAMILY_SHARE: Final = 0.7
"""The best `FAMILY_SIZE` markets of a family (e.g. the levels of one quantity) keep their chance of
being in a relation. The chances of the family's other markets are multiplied by this share (0 to
1), so that a list shows several causes and not only one quantity. Chosen by reading lists
(`docs/experiments/relations-ranker.md`)."""
SUBJECT_SIZE: Final = 2
"""Of the markets about one factor (a thing in the world, e.g. the price of gold), this many keep
their chance of being in a relation: those with the largest chance. The chances of the others are
multiplied by `SUBJECT_SHARE`."""
SUBJECT_SHARE: Final = 0.85
"""The best `SUBJECT_SIZE` markets about one factor (a thing in the world, e.g. the price of gold)
keep their chance of being in a relation. The chances of the others are multiplied by this share (0
to 1). A smaller share shows more different factors in a list, but the lists match the judgments of
readers less well. Chosen on judged queries (`docs/experiments/relations-ranker.md`)."""


def bearing(
    reached: Reached, tags: NDArray[np.uint16], fits: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How much each of n markets has to do with the question: two arrays of numbers from 0 to 1.

    The first, (n,), is how much the market is about the factors (things in the world) that the
    question is about. The second, (3, n, MOST_TAGS), says for each relation, each market and each
    factor of the market how strongly a path leads from the question's factors to this factor: the
    weight of the path, times how much the market is about the factor.

    tags, fits : (n, MOST_TAGS), ids of the markets' factors and how well each one fits
    """
    about = subject_weights(tags, fits)
    own = (reached.own[tags] * about).max(axis=1, initial=0)
    return own, reached.weights[:, tags] * about


def path_weights(found: Paths) -> Floats:
    """How strongly paths of the factor base connect the question with the factors (things in the
    world) of n markets, from 0 to 1. There is one value for each relation, market and factor of the
    market: (3, n, MOST_TAGS).

    A market about the question's own subject counts as correlated with it. So if a market has no
    path of the relation "correlated", its values for this relation say how much it is about the
    question's own factors (`Paths.own`).
    """
    weights = found.weights.copy()
    weights[2] = np.where(weights[2].any(axis=1)[:, None], weights[2], found.own)
    return weights


def gains(chances: NDArray[np.floating], direct: NDArray[np.floating]) -> Floats:
    """The numbers, 0 to 1, by which markets are ranked for the list of each relation, shape (3, n).

    A market's numbers are its chances. They are 0 if its score as a direct result is so high that
    only the list of direct results has it (`RELATED_RATIO`).

    Parameters
    ----------
    chances : (n, 3)
        From the trees: upstream, downstream, correlated.
    direct : (n,)
        The score of each direct result (market on the question itself), 0 for other markets.
    """
    kept = RELATED_RATIO * direct >= chances.max(axis=1, initial=0)
    return np.where(kept, 0, chances.T).astype(np.float32)


def ordered(
    gains: Floats,
    keys: NDArray[np.int64],
    family: NDArray[np.uint64],
    subject: NDArray[np.integer],
    floors: Mapping[Dimension, float],
) -> dict[Relation, tuple[NDArray[np.intp], Floats]]:
    """For each relation, the list of its markets, as two arrays: their positions, best first, and
    the chances (0 to 1) that they are in this relation.

    Of these relations, a market is listed only in the one for which its chance is largest.

    gains : (3, n), from the function `gains`: each market's chance of being in each relation
    keys : (n,), database numbers of the markets; of two markets with equal chances, the one with
        the smaller number comes first
    family : (n,), a hash that is equal for the markets of one family; of each family, the best
        `FAMILY_SIZE` markets keep their chance, and that of the others is reduced (`FAMILY_SHARE`)
    subject : (n,), the factor (thing in the world) that each market is most about, 0 for none; of
        each factor, the best `SUBJECT_SIZE` markets keep their chance, and that of the others is
        reduced (`SUBJECT_SHARE`)
    floors : relation -> smallest chance, 0 to 1, with which a market is listed (`Ranker.floors`),
        before any reduction
    """
    best = gains.argmax(axis=0)  # ties: the earlier relation
    # A market about no known factor crowds no other one.
    about = np.where(subject > 0, subject, -1 - np.arange(len(subject)))
    out: dict[Relation, tuple[NDArray[np.intp], Floats]] = {}
    for nth, relation in enumerate(RELATIONS):
        shown = np.flatnonzero((best == nth) & (gains[nth] >= floors[relation]))
        gain = gains[nth, shown]
        for group, size, share in (
            (family, FAMILY_SIZE, FAMILY_SHARE), (about, SUBJECT_SIZE, SUBJECT_SHARE)
        ):  # fmt: skip
            order = _order(gain, keys[shown])
            gain[order[place_in_family(group[shown][order]) >= size]] *= share
        order = _order(gain, keys[shown])
        out[relation] = shown[order], gain[order]
    return out


def rank(
    chances: NDArray[np.floating],
    pool: Pool,
    weights: Floats,
    direct: Floats,
    floors: Mapping[Dimension, float],
    labeled: Floats | None = None,
) -> dict[Relation, Ranked]:
    """For each relation, the list of its markets, best first. A market's score is the chance (0 to
    1) that it is in this relation. Each market comes with the id of one of its factors (things in
    the world): the one with the largest of the market's `weights` for this relation. The id is 0 if
    no path of this relation leads to any of its factors.

    Parameters
    ----------
    chances : (n, 3)
        The fitted trees' chance (0 to 1) of each market to be upstream, downstream, correlated.
    weights : (3, n, MOST_TAGS)
        From `path_weights`: how strongly paths lead from the query's factors to each of the
        market's factors.
    direct : (n,)
        The score of each direct result (market on the question itself), 0 for other markets.
    floors
        Relation -> smallest chance, 0 to 1, with which a market is listed.
    labeled : (3, n)
        Weight of the language model's label that puts the market in the relation; 0 without a
        label. It replaces the market's chances if it is larger and no path leads to the market,
        unless it is at most `RELATED_RATIO` times the market's score as a direct result.
    """
    gain = gains(chances, direct)
    if labeled is not None:
        by_label = labeled.max(axis=0) > np.maximum(gain.max(axis=0), RELATED_RATIO * direct)
        by_label &= ~weights.any(axis=(0, 2))
        gain[:, by_label] = labeled[:, by_label]
    out: dict[Relation, Ranked] = {}
    for nth, (relation, (shown, chance)) in enumerate(
        ordered(gain, pool.keys, pool.family, pool.tags[:, 0], floors).items()
    ):
        reached = weights[nth, shown]
        factors = np.where(reached.any(axis=1), pool.tags[shown, reached.argmax(axis=1)], 0)
        out[relation] = Ranked(shown, chance, factors)
    return out


def _order(gain: NDArray[np.float32], keys: NDArray[np.int64]) -> NDArray[np.intp]:
    return np.lexsort((keys, -np.round(gain, 4)))

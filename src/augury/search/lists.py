"""Fifth stage of a search: make one ranked list per relation. Decision trees fitted on judged
queries give a market its grade for the list `direct`, and its chance of belonging to each of the
other lists."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from augury.search.rank import by_grade, of_another_time
from augury.search.related import NOTHING, Lookup
from augury.search.relating import Related
from augury.search.schemas import Dimension
from augury.search.understanding import Understood

MAX_PROTECTED = 40
"""Largest number of markets at the top of the list `direct` that other lists cannot simply take; it
is twice the number of requested results if that is smaller. Another list takes such a market only
if its chance of belonging there is more than `augury.relations.rank.CLAIM_RATIO` times its score in
`direct`. Markets further down are not protected, because for them a causal path says more than
similar words. Chosen by hand."""


class Hit(NamedTuple):
    """A market in a ranked list. `key`: the market's number; `score`: the higher, the earlier the
    market stands in the list; `change`: sequence number of the database change with which the
    market was indexed. Only in lists other than `direct`: `factor_id`, the id of the factor (e.g. a
    policy rate) through which the market was found, and `reason`, why the market is related to the
    query."""

    key: int
    change: int
    score: float
    factor_id: int = 0
    reason: str | None = None


class Lists(NamedTuple):
    """The ranked markets of a search, one list per relation (`direct`, `upstream`, ...). The list
    `direct` is always made, even if it was not requested, because a market's score in it decides
    whether another list may take the market."""

    understood: Understood
    hits: dict[Dimension, list[Hit]]
    lookup: Lookup = NOTHING


def rank(related: Related) -> Lists:
    """Make the ranked lists of a search, one per relation (`direct`, `upstream`, ...). A market is
    in one list only: if another list takes a market, `direct` leaves it out."""
    understood, reading, wanted = related.understood, related.reading, related.understood.wanted
    ranking = related.ranking
    if ranking.by_title and (grades := reading.direct()) is not None:
        last = of_another_time(understood.query, related.direct_candidates.records)
        ranking = by_grade(related.direct_candidates, grades, last)
    keys, changes = related.hits.keys, related.hits.payload["change"]
    hits: dict[Dimension, list[Hit]] = {}
    claimed: set[int] = set()
    if set(wanted.dimensions) != {"direct"}:
        sure = np.zeros(len(keys), np.float32)
        surely = min(2 * wanted.top_k, MAX_PROTECTED)
        sure[ranking.order[:surely]] = ranking.scores[:surely]
        for relation, found in reading.rank(sure, wanted.most).items():
            hits[relation] = [
                Hit(int(keys[at]), int(changes[at]), score, factor_id, reason)
                for at, score, factor_id, reason in found
            ]
            claimed.update(hit.key for hit in hits[relation])
    order = ranking.order
    listed = (keys[order].tolist(), changes[order].tolist(), ranking.scores.tolist())
    hits["direct"] = [Hit(*one) for one in zip(*listed, strict=True) if one[0] not in claimed]
    return Lists(understood, hits, related.lookup)

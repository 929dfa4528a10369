"""Fifth stage of a search: make one ranked list per relation. Decision trees fitted on judged
queries give a market its grade for the list `direct`, and its chance of belonging to each other
list."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from augury.search.rank import by_grade, of_another_time
from augury.search.related import NOTHING, Lookup
from augury.search.relating import Related
from augury.search.schemas import Dimension
from augury.search.understanding import Understood

SURELY_DIRECT = 40
"""Up to this many markets at the top of the list `direct` are protected: another list takes one of
them only if its chance of belonging there is more than `augury.relations.rank.CLAIM` times its
score in `direct`. Markets further down are not protected, because for these a causal path says more
than similar words. Chosen by hand."""


class Hit(NamedTuple):
    """A market in a ranked list, with its score: the higher, the earlier in the list. `key`: its
    number; `change`: number of the database change with which it was indexed. In other lists than
    `direct`, `tag` is the number of the factor (e.g. a policy rate) through which it was found, and
    `reason` says why it is related to the query."""

    key: int
    change: int
    score: float
    tag: int = 0
    reason: str | None = None


class Lists(NamedTuple):
    """The ranked markets of a search, one list per relation (`direct`, `upstream`, ...). The list
    `direct` is always made, even if it was not requested, because a market's score in it decides
    whether another list may take the market."""

    asked: Understood
    hits: dict[Dimension, list[Hit]]
    lookup: Lookup = NOTHING


def rank(related: Related) -> Lists:
    """Make the ranked lists of a search, one per relation (`direct`, `upstream`, ...). A market is
    in one list only: `direct` leaves out those that another list takes."""
    asked, reading, wanted = related.asked, related.reading, related.asked.wanted
    ranking = related.ranking
    if ranking.by_title and (grades := reading.direct()) is not None:
        last = of_another_time(asked.query, related.own.records)
        ranking = by_grade(related.own, grades, last)
    keys, changes = related.hits.keys, related.hits.payload["change"]
    hits: dict[Dimension, list[Hit]] = {}
    claimed: set[int] = set()
    if set(wanted.dimensions) != {"direct"}:
        sure = np.zeros(len(keys), np.float32)
        surely = min(2 * wanted.top_k, SURELY_DIRECT)
        sure[ranking.order[:surely]] = ranking.scores[:surely]
        for relation, found in reading.rank(sure, wanted.most).items():
            hits[relation] = [
                Hit(int(keys[at]), int(changes[at]), score, tag, reason)
                for at, score, tag, reason in found
            ]
            claimed.update(hit.key for hit in hits[relation])
    order = ranking.order
    listed = (keys[order].tolist(), changes[order].tolist(), ranking.scores.tolist())
    hits["direct"] = [Hit(*one) for one in zip(*listed, strict=True) if one[0] not in claimed]
    return Lists(asked, hits, related.lookup)

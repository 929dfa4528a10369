"""Fourth stage of a search: find out which factors (things in the world, such as a policy rate) the
query is about, add the markets on these and on related factors, and compute how each market is
related to the query (`augury.search.related`)."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.search import rank
from augury.search.engine import EngineHits
from augury.search.gathering import Gathering
from augury.search.related import Lookup, Pool, PoolReading, Relations
from augury.search.scoring import MAX_VOTERS, ScoredHits, ranked
from augury.search.text import DocumentFrequencies
from augury.search.understanding import Understood


class Related(NamedTuple):
    """All markets that may be listed for a query, with everything that was computed about how each
    one is related to the query."""

    understood: Understood
    lookup: Lookup
    hits: EngineHits
    """All candidate markets, in the order of `pool`."""
    ranking: rank.Ranking
    """The candidates for the list `direct`, i.e. the first `Pool.own` markets in `hits`, ordered by
    words, meaning and factors."""
    pool: Pool
    reading: PoolReading

    @property
    def own(self) -> rank.Candidates:
        """The candidates for the list `direct`, i.e. the first `Pool.own` markets in `hits`; the
        others are candidates only for the lists of related markets."""
        return ranked(self.hits.between(0, self.pool.own))


def relate(
    scored: ScoredHits, relations: Relations, gathering: Gathering, frequencies: DocumentFrequencies
) -> Related:
    """Find out which factors (things in the world, such as a policy rate) the query is about, and
    add the markets on these and on related factors to the hits. Returns all these markets, with how
    each one is related to the query."""
    found, understood = scored.gathered.hits, scored.gathered.understood
    best = found.payload.take(scored.voters)
    lookup = relations.ask(
        understood.text, found.keys[scored.voters], best["tags"], _fits(best), scored.votes
    )
    parts, own = [found], len(found)
    if lookup.unanswered:
        # Markets on the same thing in other words: "payrolls" and "jobs added".
        parts.append(gathering.with_tags(lookup.unanswered, understood).without(found.keys))
        own += len(parts[-1])
    if set(understood.wanted.dimensions) != {"direct"}:
        taken = np.concatenate([part.keys for part in parts])
        parts.append(gathering.with_tags(lookup.tags, understood).without(taken))
    hits = EngineHits.chained(parts)
    features = _features(scored, hits, own, frequencies)
    fits = _fits(hits.payload)
    ranking = rank.order(
        ranked(hits.between(0, own)),
        features[:own],
        adjust=rank.factor_adjustment(
            *lookup.factor_shares(hits.payload["tags"][:own], fits[:own])
        ),
        collapse=not understood.parsed.asks_level,
    )
    pool = _pool(understood, hits, fits, features, own, ranking.order[:MAX_VOTERS])
    return Related(understood, lookup, hits, ranking, pool, lookup.read(pool))


def _features(
    scored: ScoredHits, hits: EngineHits, own: int, frequencies: DocumentFrequencies
) -> rank.Features:
    """Ranking features of `hits`, (hits, 7). The first hits are those in `scored`. Their features
    are known already, so only the features of the other hits are computed. `own`: see
    `Pool.own`."""
    known = len(scored.features)
    if known == len(hits):
        return scored.features
    more = rank.read(scored.gathered.understood.query, ranked(hits.between(known)), frequencies)
    features = np.concatenate([scored.features, more])
    rank.count_families(features[own:], hits.payload["family"][own:])
    if own > known:
        rank.count_families(features[:own], hits.payload["family"][:own])
    return features


def _pool(
    understood: Understood,
    hits: EngineHits,
    fits: NDArray[np.float32],
    features: rank.Features,
    own: int,
    voters: NDArray[np.intp],
) -> Pool:
    query, payload = understood.query, hits.payload
    column = dict(zip(rank.FEATURES, features.T, strict=True))
    terms = np.ascontiguousarray(payload["terms"])
    named = (terms[:, None, :] == query.ids[None, :, None]).any(axis=2)
    return Pool(
        keys=hits.keys,
        # In Fortran order, because the few columns of tags are read one by one.
        tags=np.asfortranarray(payload["tags"]),
        fits=fits,
        features=features,
        directness=rank.raw(features),
        dense=column["dense"],
        words=column["words"],
        matched_weight=named @ query.weights,
        matched_share=named.mean(axis=1, dtype=np.float32) if len(query.ids) else column["words"],
        fixture=column["fixture"] * payload["fixture"],
        salience=payload["salience"],
        closes=payload["closes"],
        family=np.ascontiguousarray(payload["family"]),
        own=own,
        voters=voters,
        terms=len(query.ids),
        max_term_weight=float(query.weights.max(initial=0)),
        when=_when(payload["closes"][voters]),
    )


def _fits(payload: NDArray[Any]) -> NDArray[np.float32]:
    return np.asfortranarray(payload["fits"] / 255, np.float32)


def _when(closes: NDArray[np.uint32]) -> int:
    """When a question is likely to be resolved, in epoch seconds: the median of the known `closes`
    of its best markets (0: unknown), or the start of today (UTC) if none is known."""
    known = np.sort(closes[closes > 0])
    return int(known[len(known) // 2]) if len(known) else int(time.time()) // 86_400 * 86_400

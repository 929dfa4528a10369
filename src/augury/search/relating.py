"""Fourth stage of a search: find out which factors (things in the world, such as a policy rate) the
query is about, add the markets on these and on related factors, and compute how each market is
related to the query (`augury.search.related`)."""

from __future__ import annotations

import time
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.search import rank
from augury.search.engine import EngineHits
from augury.search.gathering import Gathering
from augury.search.related import Lookup, Pool, PoolReading, Relations
from augury.search.scoring import MAX_VOTERS, ScoredHits, to_candidates
from augury.search.text import DocumentFrequencies
from augury.search.understanding import Understood

MIN_MATCHED: Final = 0.35
"""A query is taken to mean a market if enough of its words occur in the market's question or
event's name: their summed weight (0 to 1) has to be at least this. Other markets are listed as
direct only if their meaning is near (`MIN_COSINE`) or they are about a factor (thing in the world)
that the query asks about. Chosen by reading the results of 37 queries whose words name no
factor."""
MIN_COSINE: Final = 0.5
"""A query and a market count as near in meaning if the cosine of their vectors is at least this.
Chosen by reading the results of 37 queries whose words name no factor."""
MAX_FACTORS: Final = 32
"""For one query, search goes through the factors (things in the world) that may be related to it
(`Lookup.tags`), skips those without a market, and looks up the markets of at most this many. A
larger number makes a search slower. Chosen by hand."""


class Related(NamedTuple):
    """All markets that may be listed for a query, with everything that was computed about how each
    one is related to the query."""

    understood: Understood
    lookup: Lookup
    hits: EngineHits
    """All candidate markets, in the order of `pool`."""
    ranking: rank.Ranking
    """The candidates for the list `direct`, i.e. the first `Pool.direct_count` markets in `hits`,
    ordered by words, meaning and factors."""
    pool: Pool
    own: NDArray[np.float32]
    """For each candidate for the list `direct`, how much it is about the factors (things in the
    world) that the query asks about, 0 to 1."""
    reading: PoolReading

    @property
    def direct_candidates(self) -> rank.Candidates:
        """The candidates for the list `direct`, i.e. the first `Pool.direct_count` markets in
        `hits`; the others are candidates only for the lists of related markets."""
        return to_candidates(self.hits.between(0, self.pool.direct_count))


def relate(
    scored: ScoredHits, relations: Relations, gathering: Gathering, frequencies: DocumentFrequencies
) -> Related:
    """Find out which factors (things in the world, such as a policy rate) the query is about, and
    add the markets on these and on related factors to the hits. Returns all these markets, with how
    each one is related to the query."""
    found, understood = scored.gathered.hits, scored.gathered.understood
    matched = matched_weights(understood, found.payload[scored.voters])
    meant = is_meant(matched, found.dense[scored.voters])
    voters, votes = scored.voters[meant], scored.votes[meant]
    best = found.payload.take(voters)
    lookup = relations.ask(understood.text, found.keys[voters], best["tags"], _fits(best), votes)
    parts, direct_count = [found], len(found)
    if lookup.unanswered:
        # Markets on the same thing in other words: "payrolls" and "jobs added".
        parts.append(gathering.with_tags(lookup.unanswered, understood).without(found.keys))
        direct_count += len(parts[-1])
    if set(understood.wanted.dimensions) != {"direct"}:
        taken = np.concatenate([part.keys for part in parts])
        found_by_tag = gathering.with_tags(lookup.tags, understood, MAX_FACTORS)
        parts.append(found_by_tag.without(taken))
    hits = EngineHits.chained(parts)
    features = _features(scored, hits, direct_count, frequencies)
    fits = _fits(hits.payload)
    own, elsewhere = lookup.factor_shares(hits.payload["tags"][:direct_count], fits[:direct_count])
    ranking = rank.order(
        to_candidates(hits.between(0, direct_count)),
        features[:direct_count],
        adjust=rank.factor_adjustment(own, elsewhere),
        collapse=not understood.parsed.asks_level,
    )
    pool = _pool(understood, hits, fits, features, direct_count, ranking.order[:MAX_VOTERS])
    return Related(understood, lookup, hits, ranking, pool, own, lookup.read(pool))


def _features(
    scored: ScoredHits, hits: EngineHits, direct_count: int, frequencies: DocumentFrequencies
) -> rank.Features:
    """Ranking features of all `hits`, (hits, 7). The first hits are those in `scored`, whose
    features are known already; those of the other hits are computed here. `direct_count`: number of
    candidates for the list `direct` (`Pool.direct_count`)."""
    known = len(scored.features)
    if known == len(hits):
        return scored.features
    more = rank.features_without_family(
        scored.gathered.understood.query, to_candidates(hits.between(known)), frequencies
    )
    features = np.concatenate([scored.features, more])
    rank.count_families(features[direct_count:], hits.payload["family"][direct_count:])
    if direct_count > known:
        rank.count_families(features[:direct_count], hits.payload["family"][:direct_count])
    return features


def _pool(
    understood: Understood,
    hits: EngineHits,
    fits: NDArray[np.float32],
    features: rank.Features,
    direct_count: int,
    voters: NDArray[np.intp],
) -> Pool:
    query, payload = understood.query, hits.payload
    column = dict(zip(rank.FEATURES, features.T, strict=True))
    named = _named(understood, payload)
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
        relation_vectors=payload["relation"],
        query=understood.text,
        direct_count=direct_count,
        voters=voters,
        terms=len(query.ids),
        max_term_weight=float(query.weights.max(initial=0)),
        median_close=_median_close(payload["closes"][voters]),
    )


def _named(understood: Understood, payload: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of the query's terms occur in each market's question or event's name: (n, terms)."""
    terms = np.ascontiguousarray(payload["terms"])
    return (terms[:, None, :] == understood.query.ids[None, :, None]).any(axis=2)


def matched_weights(understood: Understood, payload: NDArray[Any]) -> NDArray[np.float32]:
    """For each market, the sum of the weights of those query terms that occur in its question or in
    its event's name: shape (n,), each from 0 to 1."""
    return _named(understood, payload) @ understood.query.weights


def is_meant(matched: NDArray[np.float32], dense: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether the query may mean a market: the market has enough of the query's words, or its
    meaning is near. It is not enough that the market shares a word of little weight ("today") with
    the query. `matched`: from `matched_weights`; `dense`: cosine of the query's vector and the
    market's."""
    return (matched >= MIN_MATCHED) | (dense >= MIN_COSINE)


def _fits(payload: NDArray[Any]) -> NDArray[np.float32]:
    return np.asfortranarray(payload["fits"] / 255, np.float32)


def _median_close(closes: NDArray[np.uint32]) -> int:
    """When a question is likely to be resolved, in epoch seconds: the median of the known `closes`
    of its best markets (0: unknown), or the start of today (UTC) if none is known."""
    known = np.sort(closes[closes > 0])
    return int(known[len(known) // 2]) if len(known) else int(time.time()) // 86_400 * 86_400

"""Third stage of a search: score the hits by words and meaning, and choose the voters, i.e. the
hits that indicate what the query is about. Pure numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.search import rank
from augury.search.engine import EngineHits
from augury.search.gathering import Gathered
from augury.search.text import DocumentFrequencies

MAX_VOTERS = 10
"""`augury.relations` infers which factors (things in the world) a query is about from its best
direct results (markets on the query's own subject). It uses at most this many of them. Chosen by
hand."""


class ScoredHits(NamedTuple):
    """The hits of a search with their ranking features. Some of the hits are voters: they indicate
    what the query is about."""

    gathered: Gathered
    features: rank.Features
    """(hits, 7): the ranking features of each hit, columns as in `augury.search.rank.FEATURES`."""
    voters: NDArray[np.intp]
    """Positions of those hits that indicate what the query is about, best first."""
    votes: NDArray[np.float32]
    """For each hit in `voters`: its score, in (0, 1). Hits with a larger score have more influence
    on what the query is taken to be about."""


def score(gathered: Gathered, frequencies: DocumentFrequencies) -> ScoredHits:
    """Score the hits by words and meaning alone, before it is known how markets are related to the
    query."""
    hits, query = gathered.hits, gathered.understood.query
    candidates = to_candidates(hits)
    features = rank.features(query, candidates, frequencies)
    first = rank.order(candidates, features, collapse=False)
    at = voters(first.order, hits.payload["fixture"], query.fixture)
    return ScoredHits(gathered, features, first.order[at], first.scores[at])


def voters(
    order: NDArray[np.intp], fixtures: NDArray[np.uint8], asks_game: bool
) -> NDArray[np.intp]:
    """Positions in `order` of the hits that indicate what the query is about: the best
    `MAX_VOTERS`. Markets on single games or short windows of time are left out, unless the query
    asks for a game or nothing else was found.

    order : the hits, best first, as indices into `fixtures`
    fixtures : for each hit, 0 unless it is a market on a single game or a short window of time
    """
    games = (fixtures[order] > 0) & (not asks_game)
    return np.argsort(games, kind="stable")[
        : min(MAX_VOTERS, len(order) - games.sum() or len(order))
    ]


def to_candidates(hits: EngineHits) -> rank.Candidates:
    """The engine's hits as candidates for the ranker."""
    return rank.Candidates(hits.keys, hits.payload, hits.dense, hits.lexical)

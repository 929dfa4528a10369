"""Third stage of a search: how alike each hit is to the query by words and meaning, and which of
them say what the query is about. Pure numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.search import rank
from augury.search.engine import EngineHits
from augury.search.gathering import Gathered
from augury.search.text import DocumentFrequencies

VOTERS = 10
"""Best direct results that say what a query is about."""


class ScoredHits(NamedTuple):
    """Hits with what the ranker reads of them."""

    gathered: Gathered
    features: rank.Features
    """(hits, 7)"""
    voters: NDArray[np.intp]
    """Places of those that say what the query is about."""
    votes: NDArray[np.float32]
    """Their scores."""


def score(gathered: Gathered, frequencies: DocumentFrequencies) -> ScoredHits:
    """By words and meaning alone, whatever else is known of the markets."""
    hits, query = gathered.hits, gathered.asked.query
    candidates = ranked(hits)
    features = rank.features(query, candidates, frequencies)
    first = rank.order(candidates, features, collapse=False)
    at = voters(first.order, hits.payload["fixture"], query.fixture)
    return ScoredHits(gathered, features, first.order[at], first.scores[at])


def voters(
    order: NDArray[np.intp], fixtures: NDArray[np.uint8], asks_game: bool
) -> NDArray[np.intp]:
    """Which places of the order say what a query is about: the first ones, and games among them
    only where a game is asked for or nothing else is found."""
    games = (fixtures[order] > 0) & (not asks_game)
    return np.argsort(games, kind="stable")[: min(VOTERS, len(order) - games.sum() or len(order))]


def ranked(hits: EngineHits) -> rank.Candidates:
    """What the ranker reads of the engine's hits."""
    return rank.Candidates(hits.keys, hits.payload, hits.dense, hits.lexical)

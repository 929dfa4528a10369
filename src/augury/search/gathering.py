"""Second stage of a search: gather the best hits by words (terms) and by meaning (vector). It can
also look up the markets that are about a factor, i.e. about something in the world such as a policy
rate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.markets.records import Status
from augury.search.engine import MAX_KEY, EngineHits, SearchEngine, SparseVector
from augury.search.rank import RankQuery
from augury.search.text import DocumentFrequencies
from augury.search.understanding import Understood

MIN_CANDIDATES = 100
"""Smallest number of candidate markets that a search takes from the index by terms, and again by
vector, before it ranks them. It takes twice the number of requested results if that is more, and
`PHRASE_CANDIDATES` if the query has quoted phrases. The ranker was fitted with the same number of
candidates (`augury.search.fit.POOL_MARKETS`)."""

PHRASE_CANDIDATES = 500
"""Number of candidate markets that a search takes from the index by terms, and again by vector, for
a query with quoted phrases. It is larger than `MIN_CANDIDATES`, because most of these markets do
not contain the phrases and are dropped. Chosen by hand."""

MAX_OCCURRENCES = 100_000
"""For one query, at most this many postings (occurrences of a term in a market) are scanned. The
rarest terms are scanned first, and the two rarest even if they exceed the limit. Measured in
`docs/adr/0001-search-engine.md`."""

MIN_TAGGED = 40
"""For each factor (something in the world, such as a policy rate) that is looked up, this many
markets are taken, or the number of requested results if that is larger. Markets that fit the factor
best, are traded most and close last are preferred. Chosen by hand."""


class Overdue:
    """The set of overdue markets: their scheduled close has passed, and the venue has sent no
    update since. The index has them as active, but callers see them as closed."""

    def __init__(self) -> None:
        self._keys = np.array([MAX_KEY + 1], np.int64)
        """Market numbers of the overdue markets, ascending. After them comes one element that is
        larger than any market number, so that a binary search never returns a position past the
        end."""

    def __len__(self) -> int:
        return len(self._keys) - 1

    def put(self, keys: NDArray[np.int64]) -> None:
        """Replace the set of overdue markets (their close has passed without news from the venue).
        `keys`: their market numbers, ascending."""
        self._keys = np.append(keys, MAX_KEY + 1)

    def are_overdue(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each of the markets with these numbers is overdue, i.e. its close has passed
        without news from its venue."""
        return self._keys[np.searchsorted(self._keys, keys)] == keys

    def among(self, seqs: Iterable[int]) -> set[int]:
        """Those of the market numbers `seqs` whose markets are overdue, i.e. their close has passed
        without news from the venue."""
        keys = np.fromiter(seqs, np.int64)
        return set(keys[self.are_overdue(keys)].tolist())


class Gathered(NamedTuple):
    """A query, and the hits that the index returned for its words (terms) and for its meaning
    (vector)."""

    understood: Understood
    hits: EngineHits


class Gathering:
    """Asks the search engine for hits. If the caller filters by status, an overdue market (its
    close has passed without news from its venue) counts as closed."""

    def __init__(self, engine: SearchEngine, overdue: Overdue) -> None:
        self._engine, self._overdue = engine, overdue

    def gather(self, understood: Understood, frequencies: DocumentFrequencies) -> Gathered:
        """The best hits for a query by its terms and the best by its vector, each market once."""
        wanted = understood.wanted
        limit = (
            PHRASE_CANDIDATES
            if understood.parsed.phrases
            else max(MIN_CANDIDATES, 2 * wanted.top_k)
        )
        terms = rarest_terms(understood.query, frequencies)
        hits = self._in_status(
            lambda among: self._engine.search(terms, understood.vector, among, limit), wanted.status
        )
        return Gathered(understood, hits)

    def with_tags(
        self, tags: Sequence[int], understood: Understood, most_tags: int | None = None
    ) -> EngineHits:
        """The best markets under each of the tags `tags` (ids of factors, i.e. of things in the
        world such as a policy rate). The best are those of highest merit: they fit the factor best,
        are traded most and close last. Only the first `most_tags` of the tags that any market has
        are used; None: all."""
        most = max(MIN_TAGGED, understood.wanted.top_k)
        return self._in_status(
            lambda among: self._engine.tagged(tags, understood.vector, among, most, most_tags),
            understood.wanted.status,
        )

    def _in_status(
        self, ask: Callable[[tuple[Status] | None], EngineHits], status: Status | None
    ) -> EngineHits:
        found = ask(None if status is None else (status,))
        if status == "active":
            return found.where(~self._overdue.are_overdue(found.keys))
        if status == "closed" and len(self._overdue):
            active = ask(("active",))
            return EngineHits.joined([found, active.where(self._overdue.are_overdue(active.keys))])
        return found


def rarest_terms(query: RankQuery, frequencies: DocumentFrequencies) -> SparseVector:
    """The query's rarest terms, with their weights. Terms are taken from the rarest on, as long as
    together they occur at most `MAX_OCCURRENCES` times in the catalogue; the first two are always
    taken.

    A word that occurs in a tenth of a large catalogue says little and costs most to search. Such a
    word still counts in the ranking. In a small catalogue all terms usually fit.
    """
    counts = frequencies.count(query.ids)
    order = np.argsort(counts, kind="stable")
    kept = order[(np.cumsum(counts[order]) <= MAX_OCCURRENCES) | (np.arange(len(order)) < 2)]
    return SparseVector(query.ids[kept], query.weights[kept])

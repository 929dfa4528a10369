"""Second stage of a search: the best hits by words and by meaning, and those under factors."""

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

CANDIDATES = 100
"""Best hits taken from either side of the index, before ranking; more for longer answers."""

PHRASE_CANDIDATES = 500
"""The same where a quoted phrase will throw most of them out."""

OCCURRENCES = 100_000
"""Most occurrences of a query's terms that are looked at for candidates; two terms always are."""

TAGGED = 40
"""Best markets of each related factor that are ranked; more for longer answers."""


class Overdue:
    """Which markets are overdue: the index has them among the active, people among the closed."""

    def __init__(self) -> None:
        self._keys = np.array([MAX_KEY + 1], np.int64)
        """Ascending, and one above all numbers."""

    def __len__(self) -> int:
        return len(self._keys) - 1

    def put(self, keys: NDArray[np.int64]) -> None:
        """All of them by number, ascending."""
        self._keys = np.append(keys, MAX_KEY + 1)

    def told(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each of these markets is overdue."""
        return self._keys[np.searchsorted(self._keys, keys)] == keys

    def among(self, seqs: Iterable[int]) -> set[int]:
        """The overdue ones among markets by number."""
        keys = np.fromiter(seqs, np.int64)
        return set(keys[self.told(keys)].tolist())


class Gathered(NamedTuple):
    """What words and meaning brought up."""

    asked: Understood
    hits: EngineHits


class Gathering:
    """Asks the engine, with the overdue among the closed and not among the active."""

    def __init__(self, engine: SearchEngine, overdue: Overdue) -> None:
        self._engine, self._overdue = engine, overdue

    def gather(self, asked: Understood, frequencies: DocumentFrequencies) -> Gathered:
        """The best hits of either side of the index."""
        wanted = asked.wanted
        limit = PHRASE_CANDIDATES if asked.parsed.phrases else max(CANDIDATES, 2 * wanted.top_k)
        terms = telling(asked.query, frequencies)
        hits = self._in_status(
            lambda among: self._engine.search(terms, asked.vector, among, limit), wanted.status
        )
        return Gathered(asked, hits)

    def under(self, tags: Sequence[int], asked: Understood) -> EngineHits:
        """The best markets of each of these factors."""
        most = max(TAGGED, asked.wanted.top_k)
        return self._in_status(
            lambda among: self._engine.tagged(tags, asked.vector, among, most), asked.wanted.status
        )

    def _in_status(
        self, ask: Callable[[tuple[Status] | None], EngineHits], status: Status | None
    ) -> EngineHits:
        found = ask(None if status is None else (status,))
        if status == "active":
            return found.where(~self._overdue.told(found.keys))
        if status == "closed" and len(self._overdue):
            active = ask(("active",))
            return EngineHits.joined([found, active.where(self._overdue.told(active.keys))])
        return found


def telling(query: RankQuery, frequencies: DocumentFrequencies) -> SparseVector:
    """The terms to gather candidates by: the rarest, as far as the budget of occurrences goes.

    A word that a tenth of a large catalogue holds tells little and costs most; the ranking still
    counts it. A catalogue smaller than the budget is always searched by every term.
    """
    counts = frequencies.count(query.ids)
    order = np.argsort(counts, kind="stable")
    kept = order[(np.cumsum(counts[order]) <= OCCURRENCES) | (np.arange(len(order)) < 2)]
    return SparseVector(query.ids[kept], query.weights[kept])

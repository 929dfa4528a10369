"""The interface (port) through which search uses relations; `augury.relations` implements it.

A factor is something in the world that markets are about, such as a policy rate. When a market is
indexed, it gets tags: the ids of the factors that it is about. For a query, this interface says
which tags to look up, and how the markets found are related to the query and why. Search itself
knows nothing about factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from augury.search.text import DocumentText

Relation = Literal["upstream", "downstream", "correlated"]

RELATION_VECTOR_SIZE: Final = 261
"""Length of a market's relation vector (`augury.relations.vectors`), in bytes."""


class Tag(NamedTuple):
    """A factor (something in the world, such as a policy rate) that a market is about."""

    factor_id: int
    """Id of the factor (a thing in the world, such as a policy rate), 1 to 65535."""
    fit: float
    """How much of the market's text is about the factor (a thing in the world), in (0, 1]."""
    yes_direction: int
    """+1 if the market's Yes means that the factor rises, -1 if it means that the factor falls, 0
    if that is unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The n markets that may be listed for a query, with one array per attribute."""

    keys: NDArray[np.int64]
    tags: NDArray[np.uint16]
    """(n, MOST_TAGS): ids of the factors (things in the world, such as a policy rate) that each
    market is about. Unused places are 0."""
    fits: NDArray[np.float32]
    """(n, MOST_TAGS): how much each market is about each factor in `tags`, in [0, 1]."""
    features: NDArray[np.float32]
    """(n, 7): the ranking features of each market, columns as in `augury.search.rank.FEATURES`."""
    directness: NDArray[np.float32]
    """(n,): how directly each market is about the query itself: the weighted sum of its `features`
    (`augury.search.rank.raw`), without a fixed range."""
    dense: NDArray[np.float32]
    """(n,): cosine of the query's vector and each market's."""
    words: NDArray[np.float32]
    """(n,): the ranking feature `words`, a BM25 score of each market's question and event's name.
    The weights of the query's terms in it sum to 1."""
    matched_weight: NDArray[np.float32]
    """(n,): the summed weight of those query terms, months and numbers included, that occur in each
    market's question or event's name. The weights of all terms sum to 1, so the sum is 0 to 1."""
    matched_share: NDArray[np.float32]
    """(n,): the share (0 to 1) of the query's distinct terms that occur in each market's question
    or event's name."""
    fixture: NDArray[np.float32]
    """(n,): 1 for a market on one game; 2 for a market on a side bet on a game, and for a market on
    a price in one short window; 0 for other markets. If the query itself asks about a
    game or such a window, 0 for all markets."""
    salience: NDArray[np.float32]
    """(n,): how much each market is traded: ln(1 + liquidity + volume / 10), see
    `augury.search.records.salience`."""
    closes: NDArray[np.uint32]
    """(n,): when each market closes, in epoch seconds; 0: unknown."""
    family: NDArray[np.uint64]
    """(n,): a hash for each market; markets of one family, e.g. of one event, have the same."""
    relation_vectors: NDArray[np.int8]
    """(n, RELATION_VECTOR_SIZE): the relation vector of each market, from
    `Relations.relation_vectors`. It is computed from the market's text alone. Together with the
    vector of a query, it tells how the market is related to that query."""
    query: str
    """The text that is searched for."""
    direct_count: int
    """Number of candidates for the list `direct`. They are the first markets of the pool, and
    `PoolReading.direct` grades only them. Search found them by words, by meaning, or as markets on
    a factor that the query's words name. The markets after them are candidates only for the lists
    of related markets."""
    voters: NDArray[np.intp]
    """Positions, in the pool, of the best direct results (markets on the query's own subject). The
    factors (things in the world) of these markets indicate what the query is about."""
    terms: int
    """Number of the query's distinct terms."""
    max_term_weight: float
    """The largest weight of a query term (0 to 1); the weights of all terms sum to 1."""
    median_close: int
    """Time around which the query's answer is expected, in epoch seconds: the median close of the
    markets in `voters`, or the start of today (UTC) if none of their closes is known. Today's start
    is precise enough: a difference of hours does not change the ranking."""


class Ranked(NamedTuple):
    """The markets that have one relation to a query (e.g. `upstream`), best first. Each array has
    one entry per market."""

    positions: NDArray[np.intp]
    """Position of each listed market in the arrays of the `Pool`."""
    scores: NDArray[np.float32]
    factor_ids: NDArray[np.uint16]
    """Ids of the factors (e.g. a policy rate) through which the markets were found; 0 for a market
    to which no path of this relation leads."""


class PoolReading(Protocol):
    """How each market of a `Pool` (the markets that may be listed) is related to the query, judged
    by the factors (things in the world) that both are about. It is computed once per search. All
    lists of the search are made with it: one list for each relation, and the list `direct`."""

    def direct(self) -> NDArray[np.float32] | None:
        """How directly a market is about the query itself, for each of the first
        `Pool.direct_count` candidates: an array of shape (direct_count,), with values between 0 and
        1. None if no factors are known; then only words and meaning rank the markets."""
        ...

    @property
    def direct_floor(self) -> float:
        """Smallest grade (0 to 1) with which a market is listed as direct, as fitted with the trees
        that give the grades."""
        ...

    def rank(self, direct: NDArray[np.float32]) -> dict[Relation, Ranked]:
        """The markets of each relation (`upstream`, `downstream`, `correlated`), best first; no
        market is in two of these relations.

        `direct` (n,): the scores of the direct results, and 0 for all other markets. A direct
        result is also listed in a relation if its chance of being in that relation is larger than
        `augury.relations.rank.RELATED_RATIO` times its direct score.
        """
        ...

    def reason(self, relation: Relation, position: int, factor_id: int) -> str:
        """Why a market is in the list of `relation`, for people to read. `position` and `factor_id`
        as in `Ranked`."""
        ...

    def direct_reasons(self, positions: NDArray[np.intp]) -> list[str]:
        """Why each of these markets is in the list `direct`, for people to read; empty if the query
        and the market have no factor in common. `positions`: positions in the pool."""
        ...


class Lookup(Protocol):
    """What is known about one query: which factors (things in the world, such as a policy rate) it
    asks about, and which are related to these."""

    @property
    def tags(self) -> Sequence[int]:
        """Ids of the factors (things in the world) whose markets may be related to the query, the
        most promising first."""
        ...

    @property
    def unanswered(self) -> Sequence[int]:
        """Ids of the factors (things in the world) that the query's words name with certainty,
        although few of the query's best direct results are about them. Markets about such a factor
        may be the answer although they share no word with the query."""
        ...

    def factor_shares(
        self, tags: NDArray[np.uint16], fits: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Two arrays (n,), from 0 to 1: how much each market is about the factors that the query
        asks about, and how much about factors related to these. `tags` and `fits`, both (n,
        MOST_TAGS): ids of the factors that each market is about, and how much it is about each."""
        ...

    def read(self, pool: Pool) -> PoolReading:
        """Compute how each market of the pool is related to the query."""
        ...


class Relations(Protocol):
    """What search needs to know about factors (things in the world, such as a policy rate): which
    ones a market or a query is about, and how they are related."""

    @property
    def version(self) -> str:
        """The version of everything that decides which tags (ids of factors) and which relation
        vector a text gets. It changes whenever a text may get others than before; the index is then
        rebuilt."""
        ...

    def tags(self, text: DocumentText) -> Sequence[Tag]:
        """The factors (things in the world) that a market with this text is about, best fitting
        first, at most `MOST_TAGS`."""
        ...

    def relation_vectors(self, sentences: NDArray[np.float32]) -> NDArray[np.int8]:
        """The relation vectors of n markets, (n, RELATION_VECTOR_SIZE). They tell, from the
        markets' texts, how the markets are related to a query. `sentences`: the markets' sentence
        vectors, (n, dim)."""
        ...

    def ask(
        self,
        query: str,
        keys: NDArray[np.int64],
        tags: NDArray[np.uint16],
        fits: NDArray[np.float32],
        scores: NDArray[np.float32],
    ) -> Lookup:
        """Find out which factors (things in the world) a query is about, from its words and from
        its k best direct results. The results are given by `keys` (k,), `tags` and `fits` (k,
        MOST_TAGS) and `scores` (k,) in (0, 1)."""
        ...


class _Nothing:
    tags: Sequence[int] = ()
    unanswered: Sequence[int] = ()

    def factor_shares(
        self, tags: NDArray[np.uint16], fits: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        nothing = np.zeros(len(tags), np.float32)
        return nothing, nothing

    def read(self, pool: Pool) -> PoolReading:
        return _Unread()


class _Unread:
    direct_floor = 0.0

    def direct(self) -> None:
        return None

    def rank(self, direct: NDArray[np.float32]) -> dict[Relation, Ranked]:
        return {}

    def reason(self, relation: Relation, position: int, factor_id: int) -> str:
        return ""

    def direct_reasons(self, positions: NDArray[np.intp]) -> list[str]:
        return [""] * len(positions)


NOTHING: Lookup = _Nothing()
"""The `Lookup` of every query if no factors (things in the world) are known: it has no tags to look
up, and relates no market to the query."""


class Unrelated:
    """Stand-in for `Relations` if no factors are known: markets have no tags, and queries have no
    related markets."""

    version = ""

    def tags(self, text: DocumentText) -> Sequence[Tag]:
        return ()

    def relation_vectors(self, sentences: NDArray[np.float32]) -> NDArray[np.int8]:
        return np.zeros((len(sentences), RELATION_VECTOR_SIZE), np.int8)

    def ask(
        self,
        query: str,
        keys: NDArray[np.int64],
        tags: NDArray[np.uint16],
        fits: NDArray[np.float32],
        scores: NDArray[np.float32],
    ) -> Lookup:
        return NOTHING

"""The port of relations: what search asks of them. `augury.relations` answers.

When a market is indexed it gets tags (numbers of the factors it is about); when a query is asked,
relations say which tags to look up and how what was found is related. Search knows neither
factors nor reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from augury.search.text import DocumentText

Relation = Literal["upstream", "downstream", "correlated"]


class Tag(NamedTuple):
    """A factor that a market is about."""

    number: int
    """In 1 .. 65535."""
    fit: float
    """How much of the market's text is about it, in (0, 1]."""
    lean: int
    """+1 where Yes means more of the factor, -1 where it means less, 0: unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Markets that may be related, column by column; n of them."""

    keys: NDArray[np.int64]
    tags: NDArray[np.uint16]
    """(n, MOST_TAGS), 0 pads"""
    fits: NDArray[np.float32]
    """(n, MOST_TAGS), in [0, 1]"""
    features: NDArray[np.float32]
    """(n, 7), columns as in `augury.search.rank.FEATURES`."""
    directness: NDArray[np.float32]
    """Their weighted sum: how directly the market is about the query itself."""
    dense: NDArray[np.float32]
    """Cosine of query and market."""
    words: NDArray[np.float32]
    """Share of the query's rarity that the market's title names."""
    naming: NDArray[np.float32]
    """Share of the query's rarity that question or event's name holds, month and number too."""
    named: NDArray[np.float32]
    """Share of the query's terms that they hold."""
    fixture: NDArray[np.float32]
    """1 for one game that the query does not ask for, 2 for a side bet on one or a short window."""
    salience: NDArray[np.float32]
    """How much the market is traded."""
    closes: NDArray[np.uint32]
    """Epoch seconds, 0: unknown."""
    family: NDArray[np.uint64]
    """What makes markets one family."""
    own: int
    """So many markets stand first that words and meaning brought up, or factors that the query's
    words name: `PoolReading.direct` is of these."""
    voters: NDArray[np.intp]
    """Places of the best direct results, which say what the query is about."""
    terms: int
    """Terms of the query."""
    heaviest: float
    """Share of the query's rarity that its rarest term has."""
    when: int
    """Epoch seconds at which the markets on the question itself close, half of them earlier; where
    that is not known, the day's beginning: an hour changes no order."""


class Ranked(NamedTuple):
    """A related market: its position in the pool, its score, and why it is related."""

    position: int
    score: float
    tag: int
    """The factor it was reached through."""
    reason: str


class PoolReading(Protocol):
    """What is known of each market of a pool; found out once, and read for all lists."""

    def direct(self) -> NDArray[np.float32] | None:
        """How directly each of the first `Pool.own` markets is about the query, (own,) in (0, 1);
        None: nothing more is known of that than its words and meaning."""
        ...

    def rank(self, direct: NDArray[np.float32], most: int) -> dict[Relation, list[Ranked]]:
        """The `most` best of each relation, best first; no market in two of them.

        `direct` (n,): the score at which a market stands among the best direct results, else 0. A
        relation may claim it only with a larger chance (`augury.relations.rank.CLAIM`)."""
        ...


class Lookup(Protocol):
    """One query's question to the relations."""

    @property
    def tags(self) -> Sequence[int]:
        """Tags whose markets may be related, the most promising first."""
        ...

    @property
    def unanswered(self) -> Sequence[int]:
        """Tags that the query's words surely name, and of which few of its best direct results
        are: markets under them may be the answer though they share no word with it."""
        ...

    def bearing(
        self, tags: NDArray[np.uint16], fits: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """How much markets, given with tags and fits (n, MOST_TAGS), are about what the query
        itself is about, and how much about what is only related to it: two arrays (n,)."""
        ...

    def read(self, pool: Pool) -> PoolReading:
        """What is known of each market of the pool."""
        ...


class Relations(Protocol):
    """What `SearchService` needs to know of relations."""

    @property
    def version(self) -> str:
        """Changes whenever the same text may get other tags: the index is then built anew."""
        ...

    def tags(self, text: DocumentText) -> Sequence[Tag]:
        """The factors a market is about, best fitting first, at most `MOST_TAGS`."""
        ...

    def ask(
        self,
        query: str,
        keys: NDArray[np.int64],
        tags: NDArray[np.uint16],
        fits: NDArray[np.float32],
        scores: NDArray[np.float32],
    ) -> Lookup:
        """What a query is about, by its words and by its best direct results, given with their
        `keys`, `tags` and `fits` (k, MOST_TAGS) and their scores (k,) in (0, 1)."""
        ...


class _Nothing:
    tags: Sequence[int] = ()
    unanswered: Sequence[int] = ()

    def bearing(
        self, tags: NDArray[np.uint16], fits: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        nothing = np.zeros(len(tags), np.float32)
        return nothing, nothing

    def read(self, pool: Pool) -> PoolReading:
        return _Unread()


class _Unread:
    def direct(self) -> None:
        return None

    def rank(self, direct: NDArray[np.float32], most: int) -> dict[Relation, list[Ranked]]:
        return {}


NOTHING: Lookup = _Nothing()
"""Asked for no relation, or about nothing."""


class Unrelated:
    """No relations are known: nothing has tags, nothing is related."""

    version = ""

    def tags(self, text: DocumentText) -> Sequence[Tag]:
        return ()

    def ask(
        self,
        query: str,
        keys: NDArray[np.int64],
        tags: NDArray[np.uint16],
        fits: NDArray[np.float32],
        scores: NDArray[np.float32],
    ) -> Lookup:
        return NOTHING

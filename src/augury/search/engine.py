"""The interface (port) of the search engine: it takes documents and returns scored candidates.

An engine stores every market twice: as a sparse vector of weighted terms (lexical) and as a dense
vector (semantic). A search takes the best markets by terms and the best by vector and returns their
union, each with its cosine. The ranking counts words itself, from the payload (a record stored with
each market). Lexical scores serve to choose candidates; the ranking looks at them only if no title
fits the query (`rank.MIN_LEXICAL_SCORE`). So they are not computed for markets that were found by
their vector alone: these have the lexical score 0.

Two implementations pass the same tests (`tests/search/test_engine.py`):
`augury.search.edge.EdgeEngine` in this process and `augury.search.server.ServerEngine` by URL.

The database is the source of truth, the index a projection of it. `checkpoint()` is the sequence
number of the last database change that the index is certain to hold; after a crash the caller
replays later changes. Replaying is safe at any time: `upsert` and `delete` are idempotent.

Errors: `Unavailable` when the engine is closed, full or unreachable, `SetupProblem` when another
process owns the index, `ValueError` for a document that does not fit the schema.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from augury.errors import SetupProblem
from augury.search.postings import MAX_TAG, MOST_TAGS

T = TypeVar("T")

STATUSES = ("active", "closed", "resolved")
"""The statuses of markets; the index has a partition for each. `EngineHits.status` holds positions
in this tuple."""

MAX_KEY = 2**63 - 2


class IndexInUse(SetupProblem):
    """Another process has opened the index of this data folder."""


@dataclass(frozen=True, slots=True, eq=False)
class SparseVector:
    """Weighted terms of a document or a query. A document's score is the dot product of its weights
    with the query's.

    indices : uint32 (n,), term ids, unique
    values : float32 (n,), weights > 0; those of a query include the inverse document frequency, so
        that scores of different partitions and machines are comparable
    """

    indices: NDArray[np.uint32]
    values: NDArray[np.float32]

    @classmethod
    def empty(cls) -> SparseVector:
        return cls(np.empty(0, np.uint32), np.empty(0, np.float32))

    def __len__(self) -> int:
        return len(self.indices)


@dataclass(frozen=True)
class IndexSchema:
    """Layout of an index. An index that was written with another schema is emptied when it is
    opened.

    dim : length of the dense vectors
    payload : numpy dtype of the record that comes back with each candidate (fixed size, no
        object fields), so that ranking features arrive as arrays and not as objects
    version : name of the analyzer, weighting and embedding that made terms and vectors
    """

    dim: int
    payload: np.dtype
    version: str

    def __post_init__(self) -> None:
        if self.dim < 1:
            raise ValueError("dim must be at least 1")
        if self.payload.hasobject or self.payload.itemsize == 0:
            raise ValueError("payload must be a dtype of fixed, non-zero size without objects")

    @property
    def fingerprint(self) -> str:
        """A hash of the schema, 16 hexadecimal digits. It changes whenever stored documents have to
        be rebuilt."""
        layout = np.lib.format.dtype_to_descr(self.payload)
        text = repr((self.dim, layout, self.version))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, eq=False)
class IndexDocument:
    """A market as the index sees it.

    key : the market's number in the database (`seq`), 0 <= key <= 2**63 - 2
    status : one of `STATUSES`. The index has a partition for each status; a document whose status
        changes moves to the partition of its new status
    terms : weighted terms, for lexical search
    vector : float32 (dim,), unit length, or zero where the text has no known word
    payload : one record of `IndexSchema.payload`, as bytes (`record.tobytes()`)
    tags : at most `MOST_TAGS` pairs of a tag and a merit. A tag, 1 to 65535, is the id of a factor
        (a thing in the world, e.g. a policy rate) that the market is about. The merit, above 0,
        orders the markets of one tag: `SearchEngine.tagged`, which finds documents by tag, returns
        those of higher merit first.
    shown : data of the market that a search result shows, as bytes; `SearchEngine.shown` returns
        them, and they are never searched
    """

    key: int
    status: str
    terms: SparseVector
    vector: NDArray[np.float32]
    payload: bytes
    tags: SparseVector = field(default_factory=SparseVector.empty)
    shown: bytes = b""


@dataclass(frozen=True, slots=True, eq=False)
class EngineHits:
    """The candidates that a search or a look-up by tags found, in ascending order of key.

    keys : int64 (m,), unique
    lexical : float32 (m,), dot product of terms; 0 where the vector or a tag alone found the
        document
    dense : float32 (m,), cosine with the query vector, accurate to 0.001 (coordinates are stored in
        two bytes); 0 without a query vector
    status : uint8 (m,), index into `STATUSES`
    payload : record array (m,) of `IndexSchema.payload`
    """

    keys: NDArray[np.int64]
    lexical: NDArray[np.float32]
    dense: NDArray[np.float32]
    status: NDArray[np.uint8]
    payload: NDArray[np.void]

    @classmethod
    def none(cls, payload: np.dtype) -> EngineHits:
        """A result without candidates, whose record array has the dtype `payload`."""
        scores = np.empty(0, np.float32)
        empty = np.empty(0, payload)
        return cls(np.empty(0, np.int64), scores, scores, np.empty(0, np.uint8), empty)

    @classmethod
    def chained(cls, found: Sequence[EngineHits]) -> EngineHits:
        """The candidates of all results in `found`, one result after the other."""
        return cls(
            np.concatenate([one.keys for one in found]),
            np.concatenate([one.lexical for one in found]),
            np.concatenate([one.dense for one in found]),
            np.concatenate([one.status for one in found]),
            concatenate_records([one.payload for one in found]),
        )

    @classmethod
    def joined(cls, found: Sequence[EngineHits]) -> EngineHits:
        """The candidates of all results in `found`, in ascending order of key. If a document was
        found twice, its first candidate is kept."""
        every = cls.chained(found)
        order = np.argsort(every.keys, kind="stable")
        keys = every.keys.take(order)
        again = keys[1:] == keys[:-1]
        if again.any():
            order = np.delete(order, np.flatnonzero(again) + 1)
        return every.taken(order)

    def taken(self, at: NDArray[np.intp]) -> EngineHits:
        """The candidates at the positions `at`, in that order."""
        return EngineHits(
            self.keys.take(at),
            self.lexical.take(at),
            self.dense.take(at),
            self.status.take(at),
            self.payload.take(at),
        )

    def where(self, kept: NDArray[np.bool_]) -> EngineHits:
        """The candidates for which `kept` (m,) is True."""
        return self if kept.all() else self.taken(np.flatnonzero(kept))

    def without(self, keys: NDArray[np.int64]) -> EngineHits:
        """The candidates whose keys are not among `keys`."""
        return self.where(~np.isin(self.keys, keys))

    def between(self, start: int, end: int | None = None) -> EngineHits:
        """The candidates from position `start` up to, but without, `end` (None: to the last), as
        views (nothing is copied)."""
        part = slice(start, end)
        return EngineHits(
            self.keys[part],
            self.lexical[part],
            self.dense[part],
            self.status[part],
            self.payload[part],
        )

    def __len__(self) -> int:
        return len(self.keys)


def concatenate_records(records: Sequence[NDArray[np.void]]) -> NDArray[np.void]:
    """Concatenate arrays of the same record dtype.

    `numpy.concatenate` copies records field by field, which takes a hundred times as long, so this
    copies them as plain bytes. For the same reason records are selected with `take`, not `[]`.
    """
    dtype = records[0].dtype
    return np.concatenate([one.view(np.dtype((np.void, dtype.itemsize))) for one in records]).view(
        dtype
    )


class SearchEngine(Protocol):
    """The interface of a search engine: it stores markets as documents and returns candidates for a
    query. Synchronous and thread-safe: many threads may search while one writes.

    From asyncio, call through `asyncio.to_thread` or a small pool.
    """

    @property
    def schema(self) -> IndexSchema: ...

    def upsert(self, docs: Iterable[IndexDocument]) -> None:
        """Insert documents. A document replaces the stored one with the same key. If several of
        `docs` have the same key, the last one is kept. Searches find the documents as soon as the
        call returns."""
        ...

    def delete(self, keys: Iterable[int]) -> None:
        """Remove documents; unknown keys are ignored."""
        ...

    def search(
        self,
        terms: SparseVector | None,
        vector: NDArray[np.float32] | None,
        statuses: Sequence[str] | None = None,
        limit: int = 100,
    ) -> EngineHits:
        """The union of the `limit` best documents by `terms` and the `limit` best by `vector`.

        `statuses` restricts both searches (None: all statuses); `terms` or `vector` may be None,
        which leaves that search out. Documents with equal scores are listed by ascending key. If
        more documents tie than fit into `limit`, the engine chooses which of them are returned; its
        choice is stable while nothing is written.
        """
        ...

    def tagged(
        self,
        tags: Sequence[int],
        vector: NDArray[np.float32] | None,
        statuses: Sequence[str] | None = None,
        limit: int = 100,
        most_tags: int | None = None,
    ) -> EngineHits:
        """The documents that have the given tags, with their cosines to `vector`. A tag is the id
        of a factor (a thing in the world, e.g. a policy rate) that a document is about.

        For each tag, the `limit` documents of highest merit are found, ties by ascending key. The
        merit, stored in `IndexDocument.tags`, says how good a result the document is for the tag.
        Returns at most len(tags) x `limit` documents, each once.

        most_tags : only the first `most_tags` of the tags that any document of these statuses has
            are used; None: all
        """
        ...

    def shown(self, keys: Sequence[int]) -> dict[int, bytes]:
        """The stored bytes of these documents (`IndexDocument.shown`: what a search result shows),
        by key. An engine may store them for all documents, for some or for none; the caller reads
        the rest from the database."""
        ...

    def checkpoint(self) -> int:
        """Sequence number of the last database change that the index is certain to hold, as
        recorded by `set_checkpoint`; 0 for a new, cleared or rebuilt index."""
        ...

    def set_checkpoint(self, sequence: int) -> None:
        """Record that all database changes up to sequence number `sequence` are in the index.

        Everything written before the call is made durable first, so that a checkpoint never claims
        more than the index holds after a crash.
        """
        ...

    def flush(self) -> None:
        """Make everything written so far durable."""
        ...

    def count(self, status: str | None = None) -> int:
        """Number of stored documents with this status; None: with any status."""
        ...

    def clear(self) -> None:
        """Remove all documents; the checkpoint becomes 0."""
        ...

    def close(self) -> None:
        """Flush, then close files and connections; a second call does nothing."""
        ...


def partitions(statuses: Sequence[str] | None) -> tuple[str, ...]:
    """Names of the index's partitions to search, in the order of `STATUSES`. The index has one
    partition for each status of markets, named like the status. If `statuses` is None, all
    partitions are searched. Raises ValueError for an unknown status."""
    if statuses is None:
        return STATUSES
    if unknown := set(statuses).difference(STATUSES):
        raise ValueError(f"unknown status: {', '.join(sorted(unknown))}")
    return tuple(status for status in STATUSES if status in statuses)


def check(doc: IndexDocument, schema: IndexSchema) -> None:
    """Raise ValueError, with the reason, for a document that does not fit the schema."""
    if not 0 <= doc.key <= MAX_KEY:
        raise ValueError(f"key {doc.key} is outside 0..{MAX_KEY}")
    if doc.status not in STATUSES:
        raise ValueError(f"document {doc.key}: unknown status {doc.status!r}")
    if doc.vector.shape != (schema.dim,):
        raise ValueError(
            f"document {doc.key}: vector of shape {doc.vector.shape}, not ({schema.dim},)"
        )
    if not np.isfinite(doc.vector).all() or not np.isfinite(doc.terms.values).all():
        raise ValueError(
            f"document {doc.key}: a number of its vector, or the weight of one of its terms, is"
            " infinite or not a number"
        )
    if len(doc.terms.indices) != len(doc.terms.values):
        raise ValueError(f"document {doc.key}: terms and weights differ in number")
    tags = doc.tags.indices
    if len(tags) > MOST_TAGS or not ((tags > 0) & (tags < MAX_TAG)).all():
        raise ValueError(
            f"document {doc.key}: should have at most {MOST_TAGS} tags, each from 1 to"
            f" {MAX_TAG - 1}"
        )
    if len(doc.payload) != schema.payload.itemsize:
        raise ValueError(
            f"document {doc.key}: payload of {len(doc.payload)} bytes,"
            f" not {schema.payload.itemsize}"
        )


def best(keys: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Positions of the `limit` highest scores, highest first, ties by ascending key."""
    if len(scores) <= limit:
        return np.lexsort((keys, -scores))
    # Only scores from the `limit`-th highest on are sorted.
    last = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    kept = np.flatnonzero(scores >= last)
    return kept[np.lexsort((keys[kept], -scores[kept]))[:limit]]


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """`items` in lists of at most `size`."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch

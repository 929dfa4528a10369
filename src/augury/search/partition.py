"""One partition of the index inside this process, and searches over several of them.

Terms are in a Qdrant Edge shard, the rest in columns (`augury.search.slots`). The hits of all
partitions are merged and only the best are kept; only for these is the rest of the data read.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import qdrant_edge as qdrant
from numpy.typing import NDArray

from augury.errors import Unavailable
from augury.search.engine import EngineHits, IndexDocument, IndexSchema, SparseVector, best
from augury.search.postings import Tagged, best_of_each
from augury.search.slots import SlotColumns, Slots, Words, fixed, sketch

MIN_SHORTLIST = 1024
"""A dense search computes exact cosines only for a shortlist: the vectors whose coordinates agree
with the query's in the most signs. The full length of the shortlist is this number of vectors, or
four times the number of requested hits if that is larger.

How the shortlist is made depends on the number of vectors in the index:

- more than `_FULL_SCAN_SLOTS` (200,000): half of the signs are compared first; all signs are then
  compared only for the vectors that are nearest so far. The shortlist has the full length;
- fewer, but more than twice the full length: all signs of all vectors are compared, and the
  shortlist has half of the full length;
- at most twice the full length: the shortlist has all vectors.

Measured in `docs/adr/0001-search-engine.md`."""

_TERMS = "terms"
_FULL_SCAN_SLOTS = 200_000  # slots up to which all bits of all sketches are compared


class Partition:
    """The indexed markets of one status (`active`, `closed` or `resolved`). Their terms are in a
    Qdrant Edge shard, the rest in memory-mapped arrays; a market's position in these arrays is
    called its slot.

    `lock` is held while slots are read by key or written, for well under a millisecond. A scan
    reads without the lock, because the slots that it finds are read again under the lock.
    """

    def __init__(self, path: Path, schema: IndexSchema) -> None:
        self.lock = threading.Lock()
        (path / "terms").mkdir(parents=True, exist_ok=True)
        self.columns = SlotColumns(path, schema)
        self._shard = _open_shard(path / "terms")
        # Hash of each document's terms, if written since the index was opened, by key. It is not
        # stored, because after a crash only the shard itself knows what it holds.
        self._digests: dict[int, int] = {}

    def put(self, docs: Sequence[IndexDocument]) -> None:
        if not docs:
            return
        self.columns.reserve(len(docs))  # fails on a full disk, before anything is changed
        # Most changes leave the terms as they are: writing these would only grow the shard's log.
        digests = [hash((doc.terms.indices.tobytes(), doc.terms.values.tobytes())) for doc in docs]
        points = [
            qdrant.Point(doc.key, {_TERMS: _sparse(doc.terms)}, None)
            for doc, digest in zip(docs, digests, strict=True)
            if self._digests.get(doc.key) != digest
        ]
        if points:
            self._update(qdrant.UpdateOperation.upsert_points(points))
        with self.lock:
            self.columns.put(docs)
        self._digests.update(zip((doc.key for doc in docs), digests, strict=True))

    def remove(self, keys: Iterable[int]) -> None:
        known = [key for key in keys if key in self.columns.slots]
        if not known:
            return
        with self.lock:
            self.columns.remove(known)
        for key in known:
            self._digests.pop(key, None)
        self._update(qdrant.UpdateOperation.delete_points([*known]))

    def matching(self, query: qdrant.Query, limit: int) -> list[tuple[int, float]]:
        """The `limit` documents of this partition that match `query` best by their terms, as (key,
        score)."""
        with _edge():
            found = self._shard.query(qdrant.QueryRequest(limit, query=query))
        return [(int(point.id), point.score) for point in found]

    def best_of_tags(self, tags: Sequence[int], limit: int) -> tuple[Tagged, NDArray[np.int64]]:
        """The `limit` best documents under each tag. A tag is the id of a factor (a thing in the
        world, e.g. a policy rate) that a document is about. Returns one row per pair of tag and
        document, and the key of each row's document."""
        with self.lock:
            found = self.columns.best_of_tags(tags, limit)
            return found, self.columns.keys(found.slots)

    def shown(self, keys: Sequence[int]) -> dict[int, bytes]:
        """The stored bytes of these documents (`IndexDocument.shown`: what a search result shows)
        by key; documents without stored bytes are left out."""
        with self.lock:
            slots = self.columns.slots
            return {
                key: text
                for key in keys
                if (slot := slots.get(key)) is not None and (text := self.columns.shown(slot))
            }

    def candidates(
        self, status: int, hits: dict[int, float], near: Slots, vector: NDArray[np.float32] | None
    ) -> EngineHits:
        """The documents in `hits` (key -> lexical score) and those in the slots `near` (positions
        in the arrays) as candidates, in no particular order, with their cosines to `vector`.
        Deleted documents are left out. `status`: index into `STATUSES`."""
        columns = self.columns
        with self.lock:
            slots, lexical = near, np.zeros(len(near), np.float32)
            if hits:
                worded = {
                    slot: score
                    for key, score in hits.items()
                    if (slot := columns.slots.get(key)) is not None
                }
                nearby = near.tolist()
                slots = np.array([*nearby, *worded.keys() - set(nearby)], np.int64)
                lexical = np.array([worded.get(slot, 0.0) for slot in slots.tolist()], np.float32)
            keys = columns.keys(slots)
            payload = columns.payload.take(slots)
            dense = (
                columns.cosines(slots, vector)
                if vector is not None
                else np.zeros(len(slots), np.float32)
            )
        state = np.full(len(slots), status, np.uint8)
        found = EngineHits(keys, lexical, dense, state, payload)
        return found.where(keys >= 0)

    def _update(self, operation: qdrant.UpdateOperation) -> None:
        with _edge():
            self._shard.update(operation)

    def flush(self) -> None:
        self.columns.flush()
        with _edge():
            self._shard.flush()

    def close(self) -> None:
        self._shard.close()


def nearest(parts: Sequence[Partition], vector: NDArray[np.float32], limit: int) -> list[Slots]:
    """For each partition, the slots (positions in its arrays) of those documents that are among the
    `limit` nearest to `vector` in all partitions."""
    query = sketch(fixed(vector[None, :]))
    wanted = max(MIN_SHORTLIST, 4 * limit)
    size = sum(part.columns.size for part in parts)
    if size <= _FULL_SCAN_SLOTS:
        distances = [part.columns.distances(query, len(query)) for part in parts]
        chosen = shortlist(distances, wanted if size <= 2 * wanted else wanted // 2)
    else:
        # Half of the bits are compared for every sketch, all bits for the nearest 8 x `wanted`.
        halves = [part.columns.distances(query, _half(query)) for part in parts]
        near = shortlist(halves, 8 * wanted)
        fine = [part.columns.fine(query, slots) for part, slots in zip(parts, near, strict=True)]
        chosen = [s[at] for s, at in zip(near, shortlist(fine, wanted), strict=True)]
    keys: list[NDArray[np.int64]] = []
    cosines: list[NDArray[np.float32]] = []
    for part, slots in zip(parts, chosen, strict=True):
        with part.lock:
            keys.append(part.columns.keys(slots))
            cosines.append(part.columns.cosines(slots, vector))
    merged, scores = np.concatenate(keys), np.concatenate(cosines)
    scores[merged < 0] = -2  # a free slot ranks below every document
    ends = np.cumsum([len(slots) for slots in chosen])
    picked = np.zeros(len(merged), bool)
    picked[best(merged, scores, limit)] = True
    return [s[mark] for s, mark in zip(chosen, np.split(picked, ends[:-1]), strict=True)]


def _half(words: Words) -> int:
    return -(-len(words) // 2)


def shortlist(distances: Sequence[NDArray[Any]], wanted: int) -> list[NDArray[np.intp]]:
    """Find the `wanted` smallest distances of all arrays together. Returns their positions: one
    array of positions for each array of distances.

    Ties with the largest of them are included, too, up to 4 x `wanted` positions in all. If there
    are at most 2 x `wanted` distances, all positions are returned.
    """
    if sum(map(len, distances)) <= 2 * wanted:
        return [np.arange(len(d)) for d in distances]
    # Sorting all distances would cost more than computing them. A sample gives an approximate
    # bound, and a histogram of the distances within it gives the exact one.
    sample = np.cumsum(np.bincount(np.concatenate([d[::16] for d in distances])))
    bound = int(np.searchsorted(sample, wanted // 14))
    while True:
        hits = [np.flatnonzero(d <= bound) for d in distances]
        if sum(map(len, hits)) >= wanted:
            break
        bound += 4
    within = np.bincount(
        np.concatenate([d[h] for d, h in zip(distances, hits, strict=True)]), minlength=bound + 1
    )
    exact = int(np.searchsorted(np.cumsum(within), wanted))
    hits = [h[d[h] <= exact] for d, h in zip(distances, hits, strict=True)]
    room = 4 * wanted
    for i, h in enumerate(hits):
        hits[i] = h[:room]
        room -= len(hits[i])
    return hits


def matching(
    parts: Sequence[Partition], terms: SparseVector | None, limit: int
) -> list[dict[int, float]]:
    """The `limit` best lexical matches of all partitions together. Returns one dict per partition
    with the matches found there: key -> score."""
    if terms is None or not len(terms):
        return [{} for _ in parts]
    query = qdrant.Query.Nearest(_sparse(terms), using=_TERMS)
    hits = [part.matching(query, limit) for part in parts]
    if len(parts) > 1 and sum(map(len, hits)) > limit:
        # Score (negated) and key of the last hit kept; ties go to the lower keys.
        order = sorted([(-score, key) for part in hits for key, score in part])
        floor, last = order[limit - 1]
        hits = [
            [(key, score) for key, score in part if (-score, key) <= (floor, last)] for part in hits
        ]
    return [dict(part) for part in hits]


def of_tags(
    parts: Sequence[Partition], tags: Sequence[int], limit: int, most_tags: int | None = None
) -> list[Slots]:
    """The best documents under each tag. A tag is the id of a factor (a thing in the world, e.g. a
    policy rate) that a document is about. For each tag, the `limit` best documents of all
    partitions together are found. Only the first `most_tags` of the tags that any document has are
    used; None: all. Returns, for each partition, the slots of those that are in it (positions in
    its arrays)."""
    tags = list(dict.fromkeys(tags))
    found = [part.best_of_tags(tags, limit) for part in parts]
    of_all = Tagged.joined([one for one, _ in found])
    keys = np.concatenate([keys for _, keys in found])
    used = np.flatnonzero(np.isin(of_all.nth, np.unique(of_all.nth)[:most_tags]))
    picked = used[best_of_each(of_all.taken(used), keys[used], limit)]
    part = np.repeat(np.arange(len(parts)), [len(keys) for _, keys in found])[picked]
    return [np.unique(of_all.slots[picked[part == nth]]) for nth in range(len(parts))]


def drop_doubles(parts: Sequence[Partition]) -> None:
    """If a document is in two partitions, remove it from the one that comes first in `parts`.

    A crash while a document changes its status can leave it in both. It does not matter which copy
    stays: after the restart, the change is made again, and this writes the document's current
    state into the right partition."""
    for i, part in enumerate(parts):
        for other in parts[i + 1 :]:
            part.remove(part.columns.slots.keys() & other.columns.slots.keys())


def _open_shard(path: Path) -> qdrant.EdgeShard:
    if (path / "edge_config.json").exists():
        return qdrant.EdgeShard.load(str(path))
    terms = qdrant.EdgeSparseVectorParams(memory=qdrant.Memory.Pinned)
    return qdrant.EdgeShard.create(str(path), qdrant.EdgeConfig(sparse_vectors={_TERMS: terms}))


def _sparse(terms: SparseVector) -> qdrant.SparseVector:
    return qdrant.SparseVector(terms.indices.tolist(), terms.values.tolist())


@contextlib.contextmanager
def _edge() -> Iterator[None]:
    """Context manager that turns the plain `Exception` that Qdrant Edge raises into `Unavailable`,
    which callers can catch."""
    try:
        yield
    except Exception as error:
        raise Unavailable(f"The search index failed: {error}") from error

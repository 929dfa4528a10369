"""The engine inside this process: Qdrant Edge for terms, flat columns for vectors.

One partition per status. Each holds an Edge shard (sparse vectors under a write-ahead log) and
memory-mapped columns (key, vector, payload, tags) whose rows are called slots.

Dense search is a scan, not a graph. A vector's *sketch* is the signs of its coordinates, 32 bytes
at 256 dimensions; Hamming distance between sketches picks a shortlist, and the stored vectors of
the shortlist give the cosine. On near-duplicate families that finds more of the true neighbours
than a graph does, nothing needs building or optimizing, an upsert is visible at once, and the
answer depends on the documents alone. The cost is linear; `docs/adr/0001-search-engine.md` has
the figures. Beyond a few million documents, use the server (`augury.search.server`).

Threads: Edge holds the interpreter lock during every call, searches included. The scan, which is
numpy's, runs mostly without it. Edge's `optimize()`
is never called: it would hold the interpreter lock for minutes, and sparse vectors need none.

Crash safety: a slot is written in place and no document is ever moved, so an interrupted write
can damage only documents newer than the checkpoint, and these the caller replays.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import qdrant_edge as qdrant
from numpy.typing import NDArray

from augury.errors import Unavailable
from augury.search.engine import (
    STATUSES,
    EngineHits,
    IndexDocument,
    IndexInUse,
    IndexSchema,
    SparseVector,
    batches,
    best,
    check,
    partitions,
)
from augury.search.postings import MOST_TAGS, Postings

SHORTLIST = 1024
"""Vectors whose cosine is computed in a dense search of a large catalogue; half of it in a small
one, where all bits of all sketches are compared."""

_TERMS = "terms"
_UNIT = 2**15 - 1
_BATCH = 128  # documents a write holds the interpreter lock for
_BLOCK = 32_768  # slots a scan handles at a time: its buffers stay in the processor's cache
_ALONE = 200_000  # slots up to which one thread scans all bits at once
_FIRST = 1024  # slots of a new partition
_SHOWN = 510  # bytes kept of what a result shows; what is longer is left to the database

log = logging.getLogger(__name__)

_SHOWN_RECORD = np.dtype([("size", "<u2"), ("text", "u1", (_SHOWN,))])

_Slots = NDArray[np.integer[Any]]

Words = NDArray[np.uint64]
"""Sketches, one row of bits per word and one column per slot: uint64 (words, slots)."""


class EdgeEngine:
    """`Engine` kept in a folder that one process owns at a time."""

    def __init__(self, path: Path, schema: IndexSchema) -> None:
        """Open the index in `path`, or start an empty one there.

        An index of another schema, or one whose files can't be read, is started anew: its
        checkpoint is 0 then, and the caller's replay fills it.
        """
        self._schema = schema
        self._path = path
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock_file = _own(path / "lock")
        self._writing = threading.Lock()
        self._gate = _Gate()
        self._closed = False
        try:
            self._sequence = 0
            self._parts = self._load()
        except BaseException:
            self._lock_file.close()
            raise

    @property
    def schema(self) -> IndexSchema:
        return self._schema

    # Writing

    def upsert(self, docs: Iterable[IndexDocument]) -> None:
        with self._changing():
            for batch in batches(docs, _BATCH):
                for doc in batch:
                    check(doc, self._schema)
                latest = {doc.key: doc for doc in batch}
                for status, part in self._parts.items():
                    part.put([doc for doc in latest.values() if doc.status == status])
                # Only now leave the former partition: a document is in two for a moment rather
                # than in none, and searches drop the second.
                for status, part in self._parts.items():
                    part.remove([key for key, doc in latest.items() if doc.status != status])

    def delete(self, keys: Iterable[int]) -> None:
        with self._changing():
            for batch in batches(keys, _BATCH):
                for part in self._parts.values():
                    part.remove(batch)

    def flush(self) -> None:
        with self._changing():
            self._flush()

    def set_checkpoint(self, sequence: int) -> None:
        with self._changing():
            self._flush()
            self._write_checkpoint(sequence)

    def checkpoint(self) -> int:
        return self._sequence

    def clear(self) -> None:
        with self._changing(), self._gate.shut("The search index is being rebuilt."):
            for part in self._parts.values():
                part.close()
            self._parts = self._create()

    def close(self) -> None:
        with self._writing:
            if self._closed:
                return
            self._closed = True
            self._gate.shut_for_good("The search index is closed.")
            try:
                self._flush()
            finally:
                for part in self._parts.values():
                    part.close()
                self._lock_file.close()

    # Reading

    def count(self, status: str | None = None) -> int:
        return sum(len(self._parts[name].columns) for name in partitions(status and [status]))

    def search(
        self,
        terms: SparseVector | None,
        vector: NDArray[np.float32] | None,
        statuses: Sequence[str] | None = None,
        limit: int = 100,
    ) -> EngineHits:
        if limit < 1:
            raise ValueError("limit must be at least 1")
        names = partitions(statuses)
        if vector is not None and not vector.any():
            vector = None
        if not names:
            return EngineHits.none(self._schema.payload)
        with self._gate:
            parts = [self._parts[name] for name in names]
            near = (
                _nearest(parts, vector, limit)
                if vector is not None
                else [np.empty(0, np.int64)] * len(parts)
            )
            matching = _matching(parts, terms, limit)
            found = [
                part.candidates(STATUSES.index(name), hits, slots, vector)
                for name, part, hits, slots in zip(names, parts, matching, near, strict=True)
            ]
        return _merged(found)

    def tagged(
        self,
        tags: Sequence[int],
        vector: NDArray[np.float32] | None,
        statuses: Sequence[str] | None = None,
        limit: int = 100,
    ) -> EngineHits:
        if limit < 1:
            raise ValueError("limit must be at least 1")
        names = partitions(statuses)
        if not names or not tags:
            return EngineHits.none(self._schema.payload)
        if vector is not None and not vector.any():
            vector = None
        with self._gate:
            parts = [self._parts[name] for name in names]
            slots = _of_tags(parts, tags, limit)
            found = [
                part.candidates(STATUSES.index(name), {}, near, vector)
                for name, part, near in zip(names, parts, slots, strict=True)
            ]
        return _merged(found)

    def shown(self, keys: Sequence[int]) -> dict[int, bytes]:
        with self._gate:
            found: dict[int, bytes] = {}
            for part in self._parts.values():
                found |= part.shown(keys)
        return found

    # Files

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        with self._writing:
            if self._closed:
                raise Unavailable("The search index is closed.")
            yield

    def _flush(self) -> None:
        for part in self._parts.values():
            part.flush()

    def _load(self) -> dict[str, _Partition]:
        if (sequence := self._read_checkpoint()) is not None:
            self._sequence = sequence
            parts: dict[str, _Partition] = {}
            try:
                for status in STATUSES:
                    parts[status] = _Partition(self._path / status, self._schema)
                _drop_doubles(list(parts.values()))
                return parts
            except Exception:
                log.exception("The search index can't be read and is rebuilt from the database.")
                for part in parts.values():
                    part.close()
        return self._create()

    def _create(self) -> dict[str, _Partition]:
        """Empty partitions in place of what is there, and checkpoint 0."""
        # Without index.json the rest counts for nothing: a crash half way leaves no old document
        # that a replay would not know to delete.
        (self._path / "index.json").unlink(missing_ok=True)
        _sync(self._path)
        for status in STATUSES:
            if (self._path / status).exists():
                shutil.rmtree(self._path / status)
        parts = {status: _Partition(self._path / status, self._schema) for status in STATUSES}
        self._write_checkpoint(0)
        return parts

    def _read_checkpoint(self) -> int | None:
        """None where there is no index yet, or one of another schema."""
        try:
            meta = json.loads((self._path / "index.json").read_bytes())
            return meta["checkpoint"] if meta["schema"] == self._schema.fingerprint else None
        except (OSError, ValueError, KeyError):
            return None

    def _write_checkpoint(self, sequence: int) -> None:
        meta = {"schema": self._schema.fingerprint, "checkpoint": sequence}
        _replace(self._path / "index.json", json.dumps(meta).encode())
        self._sequence = sequence


class _Partition:
    """The documents of one status: terms in an Edge shard, the rest in columns.

    `lock` is held while slots are read by key or written, for well under a millisecond; a scan
    reads without it, because what it finds is looked up again under the lock.
    """

    def __init__(self, path: Path, schema: IndexSchema) -> None:
        self.lock = threading.Lock()
        (path / "terms").mkdir(parents=True, exist_ok=True)
        self.columns = _Columns(path, schema)
        self._shard = _open_shard(path / "terms")
        # Of the terms written since the index was opened; never stored, because after a crash
        # only the shard itself knows what it holds.
        self._digests: dict[int, int] = {}

    def put(self, docs: Sequence[IndexDocument]) -> None:
        if not docs:
            return
        self.columns.reserve(len(docs))  # a full disk shows here, before anything is changed
        # Prices change every minute and terms hardly ever: the shard's log would grow for nothing.
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
        """(key, score) of the `limit` best lexical matches."""
        with _edge():
            found = self._shard.query(qdrant.QueryRequest(limit, query=query))
        return [(int(point.id), point.score) for point in found]

    def best_of_tag(
        self, tag: int, limit: int
    ) -> tuple[_Slots, NDArray[np.int64], NDArray[np.float32]]:
        """Slots, keys and merits of the `limit` best documents under a tag."""
        with self.lock:
            return self.columns.best_of_tag(tag, limit)

    def shown(self, keys: Sequence[int]) -> dict[int, bytes]:
        """What documents of these keys show, as far as it is kept."""
        with self.lock:
            slots = self.columns.slots
            return {
                key: text
                for key in keys
                if (slot := slots.get(key)) is not None and (text := self.columns.shown(slot))
            }

    def candidates(
        self, status: int, hits: dict[int, float], near: _Slots, vector: NDArray[np.float32] | None
    ) -> tuple[NDArray[Any], ...]:
        """The columns of `Candidates` for lexical hits and near slots; deleted ones left out."""
        columns = self.columns
        with self.lock:
            worded = {
                slot: score
                for key, score in hits.items()
                if (slot := columns.slots.get(key)) is not None
            }
            nearby = near.tolist()
            slots = np.array([*nearby, *worded.keys() - set(nearby)], np.int64)
            lexical = np.array([worded.get(slot, 0.0) for slot in slots.tolist()], np.float32)
            keys = columns.keys(slots)
            payload = columns.payload[slots]
            dense = (
                columns.cosines(slots, vector)
                if vector is not None
                else np.zeros(len(slots), np.float32)
            )
        held = keys >= 0
        state = np.full(len(slots), status, np.uint8)
        return keys[held], lexical[held], dense[held], state[held], payload[held]

    def _update(self, operation: qdrant.UpdateOperation) -> None:
        with _edge():
            self._shard.update(operation)

    def flush(self) -> None:
        self.columns.flush()
        with _edge():
            self._shard.flush()

    def close(self) -> None:
        self._shard.close()


class _Columns:
    """Memory-mapped arrays of one row per slot, and the signs of the vectors in memory.

    keys : int64 (capacity,), key + 1, or 0 for a free slot
    vectors : int16 (capacity, dim), coordinates x `_UNIT`: as small as half floats, more exact
        for coordinates within -1..1, and turned to float32 eight times as fast
    payload : record (capacity,)
    tags, merits : uint16 and float32 (capacity, MOST_TAGS), 0 pads
    shown : record (capacity,) of a length and as many bytes, 0 where nothing is kept
    sketches : uint64 (ceil(dim / 64), capacity), rebuilt from the vectors when opened

    The files never shrink; freed slots are used again.
    """

    def __init__(self, path: Path, schema: IndexSchema) -> None:
        self._dim = schema.dim
        self._path, self._record = path, schema.payload
        self._capacity = 0
        self._sketches: Words = np.zeros((-(-schema.dim // 64), 0), np.uint64)
        file = path / "keys.i64"
        rows = file.stat().st_size // 8 if file.exists() else 0
        self._grow(max(rows, _FIRST))

        used = np.flatnonzero(self._keys)
        self.size = int(used[-1]) + 1 if len(used) else 0
        """Slots in use or once in use: all that a scan must look at."""
        self.slots: dict[int, int] = dict(
            zip((self._keys[used] - 1).tolist(), used.tolist(), strict=True)
        )
        if len(self.slots) < len(used):  # a power cut between two writes of one document
            kept = np.fromiter(self.slots.values(), np.int64, len(self.slots))
            self._keys[np.setdiff1d(used, kept)] = 0
        self._free = np.flatnonzero(self._keys[: self.size] == 0).tolist()
        self._postings = Postings()
        for start in range(0, self.size, _BLOCK):
            rows_ = slice(start, min(start + _BLOCK, self.size))
            self._sketches[:, rows_] = sketch(self._vectors[rows_])

    def __len__(self) -> int:
        return len(self.slots)

    def cosines(
        self, slots: NDArray[np.integer[Any]], vector: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        # einsum and not a matrix product: BLAS rounds a row differently by its neighbours, and
        # equal documents must score equal.
        stored = self._vectors[slots].astype(np.float32)
        return np.einsum("ij,j->i", stored, vector / np.float32(_UNIT))

    def shown(self, slot: int) -> bytes:
        """What the document in `slot` shows; empty where it is not kept."""
        start = slot * _SHOWN_RECORD.itemsize
        size = int.from_bytes(self._shown[start : start + 2], "little")
        return bytes(self._shown[start + 2 : start + 2 + size])

    def keys(self, slots: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Keys in `slots`; -1 for a free one."""
        return self._keys[slots] - 1

    def reserve(self, more: int) -> None:
        """Make room for `more` documents."""
        needed = self.size + more - len(self._free)
        if needed <= self._capacity:
            return
        try:
            self._grow(max(needed, self._capacity + self._capacity // 2))
        except OSError as error:
            raise Unavailable(f"The search index can't grow: {error.strerror}") from error

    def put(self, docs: Sequence[IndexDocument]) -> None:
        slots = [self._slot(doc.key) for doc in docs]
        vectors = fixed(np.stack([doc.vector for doc in docs]))
        self._vectors[slots] = vectors
        self.payload[slots] = np.frombuffer(
            b"".join(doc.payload for doc in docs), self.payload.dtype
        )
        self._sketches[:, slots] = sketch(vectors)
        for slot, doc in zip(slots, docs, strict=True):
            count = len(doc.tags)
            self._tags[slot], self._merits[slot] = 0, 0
            self._tags[slot, :count] = doc.tags.indices
            self._merits[slot, :count] = doc.tags.values
            kept = doc.shown if len(doc.shown) <= _SHOWN else b""
            start = slot * _SHOWN_RECORD.itemsize
            self._shown[start : start + 2 + len(kept)] = len(kept).to_bytes(2, "little") + kept
        self._keys[slots] = [doc.key + 1 for doc in docs]
        self.slots.update(zip((doc.key for doc in docs), slots, strict=True))
        self._postings.change(slots)

    def best_of_tag(
        self, tag: int, limit: int
    ) -> tuple[_Slots, NDArray[np.int64], NDArray[np.float32]]:
        """Slots, keys and merits of the `limit` best documents under a tag."""
        if self._postings.stale:
            used = slice(0, self.size)
            self._postings.build(self._tags[used], self._merits[used], self._keys[used])
        slots, merits = self._postings.best(tag, limit, self._tags, self._merits, self._keys)
        return slots, self.keys(slots), merits

    def _slot(self, key: int) -> int:
        if (slot := self.slots.get(key)) is not None:
            return slot
        if self._free:
            return self._free.pop()
        self.size += 1
        return self.size - 1

    def remove(self, keys: Iterable[int]) -> None:
        freed = [self.slots.pop(key) for key in keys]
        self._keys[freed] = 0
        self._free += freed
        self._postings.change(freed)

    def distances(self, query: Words, words: int) -> NDArray[np.uint8]:
        """Bits in which the first `words` words of each slot's sketch differ, by slot."""
        sketches, size = self._sketches, self.size  # one look: a writer may grow them meanwhile
        # A byte holds this up to 255 bits. Beyond, a count may wrap for a vector that points away
        # from the query: one more in the shortlist, and its cosine throws it out.
        out = np.empty(size, np.uint8)
        differ, ones = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint8)
        for start in range(0, size, _BLOCK):
            total = out[start : start + _BLOCK]
            d, o = differ[: len(total)], ones[: len(total)]
            for nth, (row, word) in enumerate(zip(sketches[:words], query[:words, 0], strict=True)):
                np.bitwise_xor(row[start : start + len(total)], word, out=d)
                np.bitwise_count(d, out=o if nth else total)
                if nth:
                    np.add(total, o, out=total)
        return out

    def fine(self, query: Words, slots: NDArray[np.integer[Any]]) -> NDArray[np.uint16]:
        """Bits in which the sketches in `slots` differ from the query's."""
        total = np.zeros(len(slots), np.uint16)
        for row, word in zip(self._sketches, query[:, 0], strict=True):
            total += np.bitwise_count(row.take(slots) ^ word)
        return total

    def flush(self) -> None:
        for mapped in self._mapped:
            mapped.flush()

    def _grow(self, capacity: int) -> None:
        keys = _map(self._path / "keys.i64", "<i8", (capacity,))
        vectors = _map(self._path / "vectors.i16", "<i2", (capacity, self._dim))
        payload = _map(self._path / "payload.rec", self._record, (capacity,))
        tags = _map(self._path / "tags.u16", "<u2", (capacity, MOST_TAGS))
        merits = _map(self._path / "merits.f32", "<f4", (capacity, MOST_TAGS))
        shown = _map(self._path / "shown.rec", _SHOWN_RECORD, (capacity,))
        self._mapped = keys, vectors, payload, tags, merits, shown
        # Plain views: indexing a memmap object costs 50 us more each time.
        self._keys: NDArray[np.int64] = np.asarray(keys)
        self._vectors: NDArray[np.int16] = np.asarray(vectors)
        self.payload: NDArray[np.void] = np.asarray(payload)
        self._tags: NDArray[np.uint16] = np.asarray(tags)
        self._merits: NDArray[np.float32] = np.asarray(merits)
        self._shown = shown.view(np.uint8).data  # ten times as fast as indexing an array
        sketches = np.zeros((len(self._sketches), capacity), np.uint64)
        sketches[:, : self._capacity] = self._sketches
        self._sketches, self._capacity = sketches, capacity


def _half(words: Words) -> int:
    return -(-len(words) // 2)


def _map(file: Path, dtype: Any, shape: tuple[int, ...]) -> np.memmap[Any, Any]:
    """Map `file`, made longer where needed, with its blocks allocated: to write into a hole on a
    full disk would kill the process."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.posix_fallocate(handle, 0, int(np.prod(shape)) * np.dtype(dtype).itemsize)
    finally:
        os.close(handle)
    return np.memmap(file, dtype, "r+", shape=shape)


def fixed(vectors: NDArray[np.float32]) -> NDArray[np.int16]:
    """Coordinates within -1..1 as they are stored."""
    return np.rint(np.clip(vectors, -1, 1) * _UNIT).astype(np.int16)


def sketch(vectors: NDArray[np.int16]) -> Words:
    """Signs of (n, dim) stored vectors as bits: uint64 (ceil(dim / 64), n)."""
    packed = np.packbits(vectors > 0, axis=1, bitorder="little")
    words = -(-vectors.shape[1] // 64)
    padded = np.zeros((len(vectors), words * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").T


def shortlist(distances: Sequence[NDArray[Any]], wanted: int) -> list[NDArray[np.intp]]:
    """Slots of the `wanted` smallest distances over all arrays, with those tied at the end.

    Ties are cut at four times `wanted`, by slot: a thousand equal texts are one answer.
    """
    if sum(map(len, distances)) <= 2 * wanted:
        return [np.arange(len(d)) for d in distances]
    # A sample gives a bound that is nearly right, and the histogram of what lies within it the
    # exact one: sorting all distances would cost more than computing them.
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


def _merged(found: Sequence[tuple[NDArray[Any], ...]]) -> EngineHits:
    """The columns of `Candidates` from each partition, as one."""
    merged = [np.concatenate(column) for column in zip(*found, strict=True)]
    # A document on its way from one partition to another may be in both: the first holds.
    order = np.argsort(merged[0], kind="stable")
    keys = merged[0][order]
    again = keys[1:] == keys[:-1]
    if again.any():
        order = np.delete(order, np.flatnonzero(again) + 1)
    return EngineHits(*(column[order] for column in merged))


def _of_tags(parts: Sequence[_Partition], tags: Sequence[int], limit: int) -> list[_Slots]:
    """The slots of the `limit` best documents of each tag, by partition."""
    chosen: list[list[_Slots]] = [[] for _ in parts]
    for tag in tags:
        found = [part.best_of_tag(tag, limit) for part in parts]
        keys = np.concatenate([k for _, k, _ in found])
        merits = np.concatenate([m for _, _, m in found])
        picked = np.zeros(len(keys), bool)
        picked[best(keys, merits, limit)] = True
        ends = np.cumsum([len(k) for _, k, _ in found])[:-1]
        for mine, (slots, _, _), mark in zip(chosen, found, np.split(picked, ends), strict=True):
            mine.append(slots[mark])
    return [np.unique(np.concatenate(slots)) for slots in chosen]


def _nearest(parts: Sequence[_Partition], vector: NDArray[np.float32], limit: int) -> list[_Slots]:
    """The slots of the `limit` nearest vectors, by partition."""
    query = sketch(fixed(vector[None, :]))
    wanted = max(SHORTLIST, 4 * limit)
    size = sum(part.columns.size for part in parts)
    if size <= _ALONE:
        distances = [part.columns.distances(query, len(query)) for part in parts]
        chosen = shortlist(distances, wanted if size <= 2 * wanted else wanted // 2)
    else:
        # Half of the bits for every vector, all of them for the nearest eightfold.
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
    scores[merged < 0] = -2  # a free slot is nearer to nothing
    ends = np.cumsum([len(slots) for slots in chosen])
    picked = np.zeros(len(merged), bool)
    picked[best(merged, scores, limit)] = True
    return [s[mark] for s, mark in zip(chosen, np.split(picked, ends[:-1]), strict=True)]


def _matching(
    parts: Sequence[_Partition], terms: SparseVector | None, limit: int
) -> list[dict[int, float]]:
    """Keys and scores of the `limit` best lexical matches, by partition."""
    if terms is None or not len(terms):
        return [{} for _ in parts]
    query = qdrant.Query.Nearest(_sparse(terms), using=_TERMS)
    hits = [part.matching(query, limit) for part in parts]
    if len(parts) > 1 and sum(map(len, hits)) > limit:
        # The least score among the best of all; a tie at the end goes to the lower keys.
        order = sorted([(-score, key) for part in hits for key, score in part])
        floor, last = order[limit - 1]
        hits = [
            [(key, score) for key, score in part if (-score, key) <= (floor, last)] for part in hits
        ]
    return [dict(part) for part in hits]


def _drop_doubles(parts: Sequence[_Partition]) -> None:
    """After a crash in a move a document may be in two partitions; the replay says which holds."""
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
    """Edge raises plain `Exception`; give it a name that callers can catch."""
    try:
        yield
    except Exception as error:
        raise Unavailable(f"The search index failed: {error}") from error


class _Gate:
    """Lets searches through until somebody shuts it and the last one has left."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._reason: str | None = None

    def __enter__(self) -> None:
        with self._changed:
            if self._reason is not None:
                raise Unavailable(self._reason)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._inside -= 1
            if not self._inside:
                self._changed.notify_all()

    def shut_for_good(self, reason: str) -> None:
        with self._changed:
            self._reason = reason
            self._changed.wait_for(lambda: not self._inside)

    @contextlib.contextmanager
    def shut(self, reason: str) -> Iterator[None]:
        self.shut_for_good(reason)
        try:
            yield
        finally:
            with self._changed:
                self._reason = None


def _own(file: Path) -> Any:
    """Hold `file` locked for as long as the returned handle is open."""
    handle = file.open("wb")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.close()
        raise IndexInUse(
            f"Another process is using the search index in {file.parent}. Stop it first, or give"
            " all processes one search server (AUGURY_SEARCH_URL)."
        ) from None
    return handle


def _replace(file: Path, content: bytes) -> None:
    """Write a file so that after a crash it is the old one or the new one, whole."""
    draft = file.with_suffix(".new")
    with draft.open("wb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())
    draft.replace(file)
    _sync(file.parent)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

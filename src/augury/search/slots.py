"""What the index stores of each document besides its terms: memory-mapped arrays with one row per
slot. A slot is the number of a document's row in these arrays.

Rows are written in place, and documents never move to another slot. A vector's *sketch* is the
signs of its coordinates, kept in memory: the Hamming distance between sketches picks a shortlist.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from augury.errors import Unavailable
from augury.search.engine import IndexDocument, IndexSchema
from augury.search.postings import MOST_TAGS, Postings, Tagged

_UNIT = 2**15 - 1
_BLOCK = 32_768  # slots a scan handles at a time: its buffers stay in the processor's cache
_FIRST = 1024  # slots of a new partition
_SHOWN = 510  # longest `IndexDocument.shown` stored, in bytes; others come from the database
_SHOWN_RECORD = np.dtype([("size", "<u2"), ("text", "u1", (_SHOWN,))])

Slots = NDArray[np.integer[Any]]
Words = NDArray[np.uint64]
"""Sketches of vectors: uint64 (words, slots). A sketch has the signs of a vector's coordinates as
bits, 64 in each word. Each column is the sketch of the vector in one slot (row of the index's
arrays)."""


class SlotColumns:
    """Arrays that hold the documents. The number of a document's row is called its slot. All arrays
    but `sketches` have one row per document and are memory-mapped files; `sketches` has one column
    per document.

    keys : int64 (capacity,), the document's key + 1, or 0 for a free slot
    vectors : int16 (capacity, dim), coordinates x `_UNIT`. This takes as little space as half
        floats. It is more exact for coordinates within -1..1, and eight times as fast to convert to
        float32
    payload : record (capacity,)
    tags, merits : uint16 and float32 (capacity, MOST_TAGS), the tags of each document and its merit
        under each of them (`IndexDocument.tags`); unused places are 0
    shown : record (capacity,), what a search result shows of the document: first the number of its
        bytes, then the bytes; the number is 0 if nothing is stored
    sketches : uint64 (ceil(dim / 64), capacity), the signs of the vectors' coordinates as bits, one
        column per slot; kept only in memory, and rebuilt from the vectors when opened

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
        """Number of slots that a scan has to read. The slots after these have never been used."""
        self.slots: dict[int, int] = dict(
            zip((self._keys[used] - 1).tolist(), used.tolist(), strict=True)
        )
        if len(self.slots) < len(used):  # a power cut left one document in two slots
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
        # einsum and not a matrix product: BLAS rounds a row differently depending on the rows next
        # to it, and equal documents must have equal scores.
        stored = self._vectors[slots].astype(np.float32)
        return np.einsum("ij,j->i", stored, vector / np.float32(_UNIT))

    def shown(self, slot: int) -> bytes:
        """What a search result shows of the document in `slot` (row of the arrays), as bytes; empty
        if it is not stored."""
        start = slot * _SHOWN_RECORD.itemsize
        size = int.from_bytes(self._shown[start : start + 2], "little")
        return bytes(self._shown[start + 2 : start + 2 + size])

    def keys(self, slots: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Keys of the documents in `slots` (rows of the arrays); -1 for a free slot."""
        return self._keys[slots] - 1

    def reserve(self, more: int) -> None:
        """Make room for `more` documents. Raises Unavailable if the disk is full."""
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

    def best_of_tags(self, tags: Sequence[int], limit: int) -> Tagged:
        """The `limit` documents of highest merit under each tag. A tag is the id of a factor (a
        thing in the world, e.g. a policy rate) that a document is about."""
        if self._postings.stale:
            used = slice(0, self.size)
            self._postings.build(self._tags[used], self._merits[used], self._keys[used])
        return self._postings.best(tags, limit, self._tags, self._merits, self._keys)

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
        """A rough distance between the query's vector and the vector in each slot (row of the
        arrays): the number of bits in which the first `words` 64-bit words of their sketches
        differ. A sketch has the signs of a vector's coordinates."""
        sketches, size = self._sketches, self.size  # read once: a writer may replace them meanwhile
        # A byte counts up to 255 bits. A higher count may wrap, for a vector that points away from
        # the query: it gets into the shortlist, and its cosine removes it again.
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
        """A distance between the query's vector and the vector in each of `slots` (rows of the
        arrays): the number of bits in which their sketches differ. A sketch has the signs of a
        vector's coordinates."""
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


def _map(file: Path, dtype: Any, shape: tuple[int, ...]) -> np.memmap[Any, Any]:
    """Map `file` into memory, extended if needed to `shape`. All its blocks are allocated on the
    disk first, because writing to a block that a full disk cannot provide would kill the
    process."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.posix_fallocate(handle, 0, int(np.prod(shape)) * np.dtype(dtype).itemsize)
    finally:
        os.close(handle)
    return np.memmap(file, dtype, "r+", shape=shape)


def fixed(vectors: NDArray[np.float32]) -> NDArray[np.int16]:
    """Vectors as they are stored: coordinates clipped to -1..1 and multiplied by `_UNIT` (32767),
    int16."""
    return np.rint(np.clip(vectors, -1, 1) * _UNIT).astype(np.int16)


def sketch(vectors: NDArray[np.int16]) -> Words:
    """Sketches of n stored vectors (n, dim): the signs of their coordinates as bits (1: positive),
    uint64 (ceil(dim / 64), n)."""
    packed = np.packbits(vectors > 0, axis=1, bitorder="little")
    words = -(-vectors.shape[1] // 64)
    padded = np.zeros((len(vectors), words * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").T

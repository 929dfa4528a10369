"""The engine inside this process: Qdrant Edge for terms, flat columns for vectors.

One partition per status. Each holds an Edge shard (sparse vectors under a write-ahead log) and
memory-mapped columns (key, vector, payload, tags) whose rows are called slots.

Dense search is a scan and uses no graph (such as HNSW). A vector's *sketch* is the signs of its
coordinates, 32 bytes at 256 dimensions; Hamming distance between sketches picks a shortlist, and
the stored vectors of the shortlist give the cosine. In families of near-duplicates this finds more
of the true neighbors than a graph does. Nothing needs building or optimizing, an upsert is visible
at once, and the answer depends on the documents alone. The cost is linear in the number of
documents; `docs/adr/0001-search-engine.md` has the figures. Beyond a few million documents, use the
server (`augury.search.server`).

Threads: Edge holds the interpreter lock during every call, searches included. The scan is numpy
code and runs mostly without the lock. Edge's `optimize()` is never called: it would hold the
interpreter lock for minutes, and sparse vectors do not need it.

Crash safety: slots are written in place and documents never move between slots, so an interrupted
write can damage only documents written after the checkpoint. The caller replays those changes.
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
    check,
    partitions,
)
from augury.search.partition import (
    Partition,
    drop_doubles,
    matching,
    nearest,
    of_tags,
)

_CLOSED = "The service is shutting down, so search is not available. Try again in a moment."
_BATCH = 128  # documents per write; Edge holds the interpreter lock during a write

log = logging.getLogger(__name__)


class EdgeEngine:
    """The search engine that runs inside this process, with the library Qdrant Edge. Its index is
    in a folder that only one process at a time can open."""

    def __init__(self, path: Path, schema: IndexSchema) -> None:
        """Open the index in `path`, or start an empty one there.

        An index with another schema or with unreadable files is replaced by an empty one with
        checkpoint 0; the caller fills it by replaying all changes of the database.
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
                # Documents leave their former partition last: for a moment they are in two
                # partitions rather than in none, and searches drop the duplicate.
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
            self._gate.shut_for_good(_CLOSED)
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
                nearest(parts, vector, limit)
                if vector is not None
                else [np.empty(0, np.int64)] * len(parts)
            )
            worded = matching(parts, terms, limit)
            found = [
                part.candidates(STATUSES.index(name), hits, slots, vector)
                for name, part, hits, slots in zip(names, parts, worded, near, strict=True)
            ]
        return EngineHits.joined(found)

    def tagged(
        self,
        tags: Sequence[int],
        vector: NDArray[np.float32] | None,
        statuses: Sequence[str] | None = None,
        limit: int = 100,
        most_tags: int | None = None,
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
            slots = of_tags(parts, tags, limit, most_tags)
            found = [
                part.candidates(STATUSES.index(name), {}, near, vector)
                for name, part, near in zip(names, parts, slots, strict=True)
            ]
        return EngineHits.joined(found)

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
                raise Unavailable(_CLOSED)
            yield

    def _flush(self) -> None:
        for part in self._parts.values():
            part.flush()

    def _load(self) -> dict[str, Partition]:
        if (sequence := self._read_checkpoint()) is not None:
            self._sequence = sequence
            parts: dict[str, Partition] = {}
            try:
                for status in STATUSES:
                    parts[status] = Partition(self._path / status, self._schema)
                drop_doubles(list(parts.values()))
                return parts
            except Exception:
                log.exception("search_index_unreadable_rebuild_started")
                for part in parts.values():
                    part.close()
        return self._create()

    def _create(self) -> dict[str, Partition]:
        """Replace the stored index by an empty one, whose checkpoint (the sequence number of the
        last database change in the index) is 0. Returns its partitions, each with the status of the
        markets that it holds: active, closed, resolved."""
        # Without index.json the other files are discarded on opening, so a crash half way leaves
        # no old document that the replay would not delete.
        (self._path / "index.json").unlink(missing_ok=True)
        _sync(self._path)
        for status in STATUSES:
            if (self._path / status).exists():
                shutil.rmtree(self._path / status)
        parts = {status: Partition(self._path / status, self._schema) for status in STATUSES}
        self._write_checkpoint(0)
        return parts

    def _read_checkpoint(self) -> int | None:
        """The stored checkpoint, i.e. the sequence number of the last database change that is
        certain to be in the index; None if there is no index or the stored one has another
        schema."""
        try:
            meta = json.loads((self._path / "index.json").read_bytes())
            return meta["checkpoint"] if meta["schema"] == self._schema.fingerprint else None
        except (OSError, ValueError, KeyError):
            return None

    def _write_checkpoint(self, sequence: int) -> None:
        meta = {"schema": self._schema.fingerprint, "checkpoint": sequence}
        _replace(self._path / "index.json", json.dumps(meta).encode())
        self._sequence = sequence


class _Gate:
    """Lets searches run until it is shut; from then on new ones raise `Unavailable`. Shutting waits
    until the running searches have finished."""

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
    """Lock `file` for as long as the returned handle is open. Raises IndexInUse if another process
    holds the lock."""
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
    """Replace a file atomically: after a crash it has either its old or its new content."""
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

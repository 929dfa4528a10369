"""Keeps a search index in step with the catalogue, in the order of its changes.

The database is the truth. The indexer reads changes above the index's checkpoint, makes
documents of them and writes them to the engine; a crash costs the replay of what came after the
last checkpoint, and replaying is idempotent. One writer at a time: the process that owns the
index folder, or whoever holds the advisory lock of an index on a server.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress

import numpy as np
import structlog
from numpy.typing import NDArray
from psycopg import AsyncConnection

from augury.clock import pause
from augury.errors import Unavailable
from augury.markets import store as markets
from augury.markets.store import IndexRow
from augury.search import records, store
from augury.search.embedding import Embedder
from augury.search.engine import IndexDocument, IndexSchema, SearchEngine, SparseVector
from augury.search.postings import MOST_TAGS
from augury.search.related import Relations, Tag
from augury.search.text import DocumentFrequencies, DocumentText, document_text, document_vector
from augury.storage import locks
from augury.storage.database import Database

log = structlog.get_logger(__name__)

RECORD = np.dtype(
    [
        ("change", "<u8"),
        ("tags", "<u2", (MOST_TAGS,)),
        ("fits", "u1", (MOST_TAGS,)),  # in 255ths
        *records.RECORD.descr,
    ]
)
"""What the engine returns with each candidate: the market's change, its tags, and what the ranker
reads."""

VERSION = "8"
"""Raise it when text, weighting or records change: every index is then built anew."""

BATCH = 1_000
"""Changes read and written at a time."""

CHECKPOINT_CHANGES, CHECKPOINT_SECONDS = 50_000, 30.0
"""A checkpoint is due after so many changes, or so long after the first one since the last."""

LOOK_EVERY = 0.5
"""Seconds between looks for changes while there are none."""

LEAD_EVERY = 5.0
"""Seconds between tries to become the writer of a shared index."""

Progress = Callable[[int], None]


def schema(embedder: Embedder, relations: Relations) -> IndexSchema:
    """What an index made by this code holds."""
    return IndexSchema(embedder.dim, RECORD, f"{VERSION}/{embedder.name}/{relations.version}")


class Indexer:
    """Follows the catalogue's changes into one engine."""

    def __init__(
        self,
        database: Database,
        engine: SearchEngine,
        embedder: Embedder,
        relations: Relations,
        name: str,
        *,
        shared: bool,
    ) -> None:
        """`name` tells this index from those of other machines on the same database; `shared`:
        other processes may write it too, so that one of them has to be chosen."""
        self._shared = shared
        self._database = database
        self._engine = engine
        self._embedder = embedder
        self._relations = relations
        self._name = f"{name}:{engine.schema.fingerprint}"
        self._counted = np.zeros(0, np.bool_)
        self._position = 0
        self._unsaved = 0
        self._unsaved_since = 0.0
        self._leading = not shared
        self.frequencies = DocumentFrequencies()

    @property
    def position(self) -> int:
        """Number of the last change that is searchable."""
        return self._position

    async def open(self) -> None:
        """Take up the index where it was left, or empty it when it can't be trusted."""
        async with self._database.reading() as conn:
            state = await store.load_index(conn, self._name)
            newest = await markets.last_change(conn)
        checkpoint = await asyncio.to_thread(self._engine.checkpoint)
        if state is None and self._shared and not self._leading:
            return  # whoever writes it builds it
        if state is None or checkpoint > newest:
            # A new index, or one of another database: a restored backup knows no index.
            await self._rebuild()
            return
        self.frequencies = DocumentFrequencies.from_bytes(state.frequencies)
        self._counted = np.unpackbits(np.frombuffer(state.counted, np.uint8)).astype(np.bool_)
        self._position = checkpoint

    async def _rebuild(self) -> None:
        if await asyncio.to_thread(self._engine.count):
            log.warning(
                "search_index_rebuild_started", reason="the index does not match the database"
            )
        async with self._database.transaction() as conn:
            await store.drop_index(conn, self._name)
        await asyncio.to_thread(self._engine.clear)
        self.frequencies = DocumentFrequencies()
        self._counted = np.zeros(0, np.bool_)
        self._position = 0

    async def catch_up(self, progress: Progress | None = None) -> int:
        """Apply all changes there are, checkpoint, and say how many there were.

        A shared index that another process writes is left to it: 0.
        """
        async with self._lead():
            return await self._catch_up(progress) if self._leading else 0

    async def _catch_up(self, progress: Progress | None) -> int:
        applied = 0
        reading = asyncio.create_task(self._read(self._position))
        try:
            while rows := await reading:
                # The next batch is read while this one is made into documents.
                reading = asyncio.create_task(self._read(rows[-1].change))
                await asyncio.to_thread(self._apply, rows)
                applied += len(rows)
                if progress:
                    progress(len(rows))
                if self._unsaved >= CHECKPOINT_CHANGES:
                    await self.checkpoint()
        finally:
            reading.cancel()
        if applied:
            await self.checkpoint()
        return applied

    async def follow(self, stop: asyncio.Event) -> None:
        """Apply changes as they come, until `stop`; then leave a checkpoint.

        While another process writes a shared index, its counts and position are read instead.
        """
        while not stop.is_set():
            async with self._lead():
                if self._leading:
                    await self._write(stop)
                else:
                    with suppress(Unavailable):  # the writer may be making it anew
                        await self.open()
            await pause(stop, LEAD_EVERY)

    @asynccontextmanager
    async def _lead(self) -> AsyncIterator[None]:
        """Be the writer of the index for the block, if no other process is; see `_leading`."""
        if not self._shared:
            yield
            return
        key = locks.index(zlib.crc32(self._name.encode()))
        # A session of its own: the lock is gone the moment this process is.
        async with await AsyncConnection.connect(
            self._database.direct_url, autocommit=True, connect_timeout=5
        ) as session:
            self._leading = await locks.take(session, key)
            try:
                if self._leading:
                    await self.open()
                yield
            finally:
                self._leading = False

    async def _write(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            rows = await self._read(self._position)
            if rows:
                await asyncio.to_thread(self._apply, rows)
            due = self._unsaved and time.monotonic() - self._unsaved_since > CHECKPOINT_SECONDS
            if due or self._unsaved >= CHECKPOINT_CHANGES:
                await self.checkpoint()
            if len(rows) < BATCH:
                await pause(stop, LOOK_EVERY)
        if self._unsaved:
            await self.checkpoint()

    async def checkpoint(self) -> None:
        """Make what was applied durable, so that it need not be replayed."""
        state = store.IndexState(self.frequencies.to_bytes(), np.packbits(self._counted).tobytes())
        # The counts first: a market counted in vain is skipped by its bit when replayed, one
        # left out of the counts would never be seen again.
        async with self._database.transaction() as conn:
            await store.save_index(conn, self._name, state)
        await asyncio.to_thread(self._engine.set_checkpoint, self._position)
        self._unsaved = 0

    async def _read(self, after: int) -> list[IndexRow]:
        async with self._database.reading() as conn:
            return await markets.changes_since(conn, after, BATCH)

    def _apply(self, rows: Sequence[IndexRow]) -> None:
        # The last news of a market is what it is now; a removal is always the last.
        latest = {row.seq: row for row in rows}
        gone = [seq for seq, row in latest.items() if row.removed]
        kept = [row for row in latest.values() if not row.removed]
        if gone:
            self._engine.delete(gone)
        if kept:
            self._engine.upsert(self._documents(kept))
        if not self._unsaved:
            self._unsaved_since = time.monotonic()
        self._unsaved += len(rows)
        self._position = rows[-1].change

    def _documents(self, rows: Sequence[IndexRow]) -> Iterator[IndexDocument]:
        texts = [_text(row) for row in rows]
        vectors = self._embedder.embed_documents(texts)
        terms = [document_vector(text) for text in texts]
        self._count([row.seq for row in rows], [ids for ids, _ in terms])
        for row, text, vector, (ids, weights) in zip(rows, texts, vectors, terms, strict=True):
            tags = self._relations.tags(text)
            record = _record(row, text, tags)
            yield IndexDocument(
                key=row.seq,
                status=row.status,
                terms=SparseVector(ids, weights * _nudge(row.seq)),
                vector=vector,
                payload=record.tobytes(),
                tags=_merits(tags, record),
                shown=store.ResultRow.of(row).packed(),
            )

    def _count(self, seqs: list[int], terms: list[NDArray[np.uint32]]) -> None:
        """Count each market once, by its first text: an update is no new document."""
        if (needed := max(seqs) + 1) > len(self._counted):
            self._counted = np.pad(self._counted, (0, needed + needed // 8 - len(self._counted)))
        new = ~self._counted[seqs]
        self.frequencies.add_batch([ids for ids, is_new in zip(terms, new, strict=True) if is_new])
        self._counted[seqs] = True


def _nudge(seq: int) -> np.float32:
    """A factor within 0.1 % of 1 that differs between neighbours: newer markets a trace higher.

    Hundreds of markets may have the same words. Which of them an engine counts among its best
    would be chance, and another process would choose others.
    """
    return np.float32(1 + (seq & 8191) * 1.2e-7)


def _text(row: IndexRow) -> DocumentText:
    return document_text(
        row.question,
        event_name=row.event_name,
        description=row.description,
        category=row.category,
        tags=row.tags,
    )


def _merits(tags: Sequence[Tag], record: NDArray[np.void]) -> SparseVector:
    """Under each tag: how well the market fits, then how much it is traded and how late it closes.

    A market that closed years ago is seldom what a question of today is related to.
    """
    trade = min(1.0, float(record["salience"]) / 18)
    lateness = min(1.0, max(0.0, (float(record["closes"]) - _LONG_AGO) / _SINCE))
    worth = 0.4 + 0.4 * trade + 0.2 * lateness
    return SparseVector(
        np.array([tag.number for tag in tags], np.uint32),
        np.array([(0.35 + 0.65 * tag.fit) * worth for tag in tags], np.float32),
    )


_LONG_AGO, _SINCE = 1_577_836_800, 7 * 365.25 * 86_400
"""2020-01-01, and seven years, in seconds."""


def _record(row: IndexRow, text: DocumentText, tags: Sequence[Tag]) -> NDArray[np.void]:
    out = np.zeros((), RECORD)
    ranked = records.record(
        text,
        family=records.family_key(row.platform, row.event_id, row.question),
        closes=row.closes_at.timestamp() if row.closes_at else None,
        liquidity=row.liquidity,
        volume=row.volume,
    )
    for field in records.RECORD.names or ():
        out[field] = ranked[field]
    out["change"] = row.change
    out["tags"][: len(tags)] = [tag.number for tag in tags]
    out["fits"][: len(tags)] = [round(255 * tag.fit) for tag in tags]
    return out

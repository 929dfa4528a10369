"""Keeps a search index up to date with the catalogue by applying its changes in order.

The database is the source of truth. The indexer reads the changes after the index's checkpoint,
turns them into documents and writes these to the engine. After a crash it replays the changes since
the last checkpoint; replaying is idempotent. An index has one writer at a time: the process that
owns the index folder, or for an index on a server the process that holds its advisory lock.
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
from augury.search.related import RELATION_VECTOR_SIZE, Relations, Tag
from augury.search.text import DocumentFrequencies, DocumentText, document_text, document_vector
from augury.storage import locks
from augury.storage.database import Database

log = structlog.get_logger(__name__)

RECORD = np.dtype(
    [
        ("change", "<u8"),
        ("tags", "<u2", (MOST_TAGS,)),
        ("fits", "u1", (MOST_TAGS,)),  # `Tag.fit` x 255
        ("relation", "i1", (RELATION_VECTOR_SIZE,)),
        *records.RECORD.descr,
    ]
)
"""The record that the index keeps of a market for ranking. `change`: sequence number of the
database change with which the market was last indexed. `tags`: ids of the factors (things in the
world, e.g. a policy rate) that the market is about. `fits`: how much of the market's text is about
each of these factors, 0 to 255. `relation`: the market's relation vector
(`Relations.relation_vectors`). The other fields are those that the ranker reads."""

VERSION = "9"
"""Version of the code that turns markets into documents of the index. Raise it when the documents'
text, weighting or records change: every index is then rebuilt."""

BATCH_CHANGES = 1_000
"""Number of database changes that are read, and applied to the index, at a time."""

CHECKPOINT_CHANGES, CHECKPOINT_SECONDS = 50_000, 30.0
"""The next checkpoint, which makes applied changes durable, is written after `CHECKPOINT_CHANGES`
changes since the last one, or `CHECKPOINT_SECONDS` seconds after the first of these changes,
whichever comes first."""

LOOK_EVERY = 0.5
"""Seconds between two queries to the database for changed markets. After a query that returned
`BATCH_CHANGES` changes, the next one follows at once."""

LEAD_EVERY = 5.0
"""Seconds between two attempts of a process to become the only writer of an index that several
processes share."""

Progress = Callable[[int], None]


def schema(embedder: Embedder, relations: Relations) -> IndexSchema:
    """The schema (layout and version) of an index that this version of the code writes."""
    return IndexSchema(embedder.dim, RECORD, f"{VERSION}/{embedder.name}/{relations.version}")


class Indexer:
    """Keeps one search index up to date. When markets change in the database, it makes the same
    changes in the index."""

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
        """`name` distinguishes this index from those of other machines on the same database.
        `shared`: whether other processes may write the index too. If so, only one process writes it
        at any time."""
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
        """Sequence number of the last database change that is in the index. Searches see all
        changes up to it."""
        return self._position

    async def open(self) -> None:
        """Continue with the index as it was left, or empty it if it does not belong to this
        database. A shared index that another process writes is left to that process."""
        async with self._database.reading() as conn:
            state = await store.load_index(conn, self._name)
            newest = await markets.last_change(conn)
        checkpoint = await asyncio.to_thread(self._engine.checkpoint)
        if state is None and self._shared and not self._leading:
            return  # the process that writes the index will build it
        if state is None or checkpoint > newest:
            # The index is new or belongs to another database. Backups contain no state of indexes.
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
        """Apply all pending database changes to the index, write a checkpoint, and return the
        number of changes.

        If the index is shared and another process writes it, does nothing and returns 0.
        """
        async with self._lead():
            return await self._catch_up(progress) if self._leading else 0

    async def _catch_up(self, progress: Progress | None) -> int:
        applied = 0
        reading = asyncio.create_task(self._read(self._position))
        try:
            while rows := await reading:
                # The next batch is read while this one is applied.
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
        """Apply database changes to the index as they arrive, until `stop` is set; then write a
        checkpoint.

        As long as another process writes a shared index, this only reads the document frequencies
        and the position that the other process has stored.
        """
        while not stop.is_set():
            async with self._lead():
                if self._leading:
                    await self._write(stop)
                else:
                    with suppress(Unavailable):  # the writer may be rebuilding it
                        await self.open()
            await pause(stop, LEAD_EVERY)

    @asynccontextmanager
    async def _lead(self) -> AsyncIterator[None]:
        """Try to become the only writer of the index for the duration of the block. `_leading` then
        says whether this succeeded; it always does if the index is not shared."""
        if not self._shared:
            yield
            return
        key = locks.index(zlib.crc32(self._name.encode()))
        # A separate session: PostgreSQL frees the lock as soon as this process ends.
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
            if len(rows) < BATCH_CHANGES:
                await pause(stop, LOOK_EVERY)
        if self._unsaved:
            await self.checkpoint()

    async def checkpoint(self) -> None:
        """Make all changes that were applied to the index durable, so that they need not be applied
        again after a crash."""
        state = store.IndexState(self.frequencies.to_bytes(), np.packbits(self._counted).tobytes())
        # The counts are saved first. After a crash between the two writes, replayed markets are not
        # counted again, because their bits are set. In the other order they would never be counted.
        async with self._database.transaction() as conn:
            await store.save_index(conn, self._name, state)
        await asyncio.to_thread(self._engine.set_checkpoint, self._position)
        self._unsaved = 0

    async def _read(self, after: int) -> list[IndexRow]:
        async with self._database.reading() as conn:
            return await markets.changes_since(conn, after, BATCH_CHANGES)

    def _apply(self, rows: Sequence[IndexRow]) -> None:
        # The latest change of a market has its current state; a removal is always the latest.
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
        relation_vectors = self._relations.relation_vectors(vectors)
        terms = [document_vector(text) for text in texts]
        self._count([row.seq for row in rows], [ids for ids, _ in terms])
        for row, text, vector, relation_vector, (ids, weights) in zip(
            rows, texts, vectors, relation_vectors, terms, strict=True
        ):
            tags = self._relations.tags(text)
            record = _record(row, text, tags, relation_vector)
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
        """Add markets to the document frequencies, except markets that were counted before. `seqs`:
        the markets' numbers; `terms`: the ids of each market's distinct terms. If the text of a
        counted market changes later, the frequencies stay unchanged."""
        if (needed := max(seqs) + 1) > len(self._counted):
            self._counted = np.pad(self._counted, (0, needed + needed // 8 - len(self._counted)))
        new = ~self._counted[seqs]
        self.frequencies.add_batch([ids for ids, is_new in zip(terms, new, strict=True) if is_new])
        self._counted[seqs] = True


def _nudge(seq: int) -> np.float32:
    """Multiplier (1 to 1.001) for the term weights of the market with number `seq`, to break ties.
    It rises with `seq` and starts again at 1 every 8,192 markets.

    Hundreds of markets may have the same words. If their scores were equal, an engine would return
    any of them, and two processes could return different ones.
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
    """The merit of a market under each of its tags (ids of factors, i.e. of things in the world),
    in (0, 1]. A look-up of a factor returns markets of higher merit first. The merit is higher the
    better the market fits the factor, the more it is traded and the later it closes: a market that
    closed years ago is seldom related to a question of today."""
    trade = min(1.0, float(record["salience"]) / 18)
    lateness = min(
        1.0, max(0.0, (float(record["closes"]) - _MERIT_PERIOD_START) / _MERIT_PERIOD_SECONDS)
    )
    worth = 0.4 + 0.4 * trade + 0.2 * lateness
    return SparseVector(
        np.array([tag.factor_id for tag in tags], np.uint32),
        np.array([(0.35 + 0.65 * tag.fit) * worth for tag in tags], np.float32),
    )


_MERIT_PERIOD_START, _MERIT_PERIOD_SECONDS = 1_577_836_800, 7 * 365.25 * 86_400
"""A look-up of a factor (a thing in the world, e.g. a policy rate) returns its markets in the order
of their merit. A later close gives a market a higher merit, but only within a period that starts at
`_MERIT_PERIOD_START` (2020-01-01, in epoch seconds) and lasts `_MERIT_PERIOD_SECONDS` (seven years,
in seconds). Chosen by hand."""


def _record(
    row: IndexRow, text: DocumentText, tags: Sequence[Tag], relation_vector: NDArray[np.int8]
) -> NDArray[np.void]:
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
    out["relation"] = relation_vector
    out["tags"][: len(tags)] = [tag.factor_id for tag in tags]
    out["fits"][: len(tags)] = [round(255 * tag.fit) for tag in tags]
    return out

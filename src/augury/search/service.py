"""Search as a use case: understand the query, gather candidates, rank, group by relation."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import structlog

from augury.markets.records import Status
from augury.search import query as understanding
from augury.search import rank, store
from augury.search.embedding import Embedder
from augury.search.engine import Engine, SparseVector
from augury.search.indexer import Indexer, Progress, schema
from augury.search.schemas import DIMENSIONS, Dimension
from augury.search.store import ResultRow
from augury.search.text import DocumentFrequencies, query_vector, terms
from augury.settings import Settings
from augury.storage.database import Database

log = structlog.get_logger(__name__)

CANDIDATES = 100
"""Best hits taken from either side of the index, before ranking; more for longer answers."""

NAMED = 20
"""Most markets that an id or an address in the query brings in by itself."""

ROWS_KEPT = 20_000
"""Result rows kept in memory, least recently shown dropped first (some 10 MB)."""

THREADS = 2


class Result(msgspec.Struct, frozen=True):
    """A search result of the specification, ready to be encoded."""

    id: str
    platform: str
    question: str
    outcomes: list[str]
    status: Status
    platform_url: str | None
    score: float
    dimension: Dimension


class Hit(NamedTuple):
    """A ranked market: its number, the change its index entry was made at, its score."""

    key: int
    change: int
    score: float


Found = dict[Dimension, list[Result]]


class SearchService:
    """Searches one index, and keeps it in step with the catalogue."""

    def __init__(self, database: Database, engine: Engine, embedder: Embedder, name: str) -> None:
        """`name` identifies the index in the database."""
        self._database = database
        self.engine = engine
        self.embedder = embedder
        self._indexer = Indexer(database, engine, embedder, name)
        self._rows: OrderedDict[tuple[int, int], ResultRow] = OrderedDict()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="augury-search")

    @property
    def frequencies(self) -> DocumentFrequencies:
        """In how many markets of the index each term occurs."""
        return self._indexer.frequencies

    @classmethod
    async def open(cls, settings: Settings, database: Database) -> SearchService:
        """The service over the index the settings name, as the index was left."""
        embedder = await asyncio.to_thread(Embedder.load)
        engine, name = await asyncio.to_thread(_open_engine, settings, embedder)
        service = cls(database, engine, embedder, name)
        try:
            await service._indexer.open()
        except BaseException:
            await service.close()
            raise
        return service

    async def close(self) -> None:
        """Let go of the index."""
        self._threads.shutdown(cancel_futures=True)
        await asyncio.to_thread(self.engine.close)

    async def catch_up(self, progress: Progress | None = None) -> int:
        """Bring the index up to the catalogue; how many changes that took."""
        return await self._indexer.catch_up(progress)

    async def follow(self, stop: asyncio.Event) -> None:
        """Keep the index in step until `stop`."""
        await self._indexer.follow(stop)

    async def index_report(self, last_change: int | None) -> dict[str, Any]:
        """Facts for health. `last_change`: the catalogue's newest change, None if unknown."""
        position = self._indexer.position
        documents = await asyncio.to_thread(self.engine.count)
        lag = None if last_change is None else max(0, last_change - position)
        return {"documents": documents, "position": position, "lag": lag}

    async def search(
        self,
        query: str,
        *,
        dimensions: tuple[Dimension, ...] = DIMENSIONS,
        top_k: int = 20,
        status: Status | None = None,
    ) -> Found:
        """The best `top_k` markets of each relation, best first.

        Only `direct` is ranked yet; the other relations are empty until they are known, because
        a market that merely looks similar is none of them.
        """
        parsed = understanding.parse(query)
        named = await self._named(parsed, status)
        found: Found = {dimension: [] for dimension in dimensions}
        if "direct" not in found:
            return found
        text = parsed.text or (named[0].question if named else "")
        hits = await asyncio.get_running_loop().run_in_executor(
            self._threads, self._rank, text, parsed, top_k, status
        )
        found["direct"] = await self._results(named, hits, "direct", top_k, status)
        return found

    async def _named(
        self, parsed: understanding.ParsedQuery, status: Status | None
    ) -> list[ResultRow]:
        if not (parsed.ids or parsed.slugs):
            return []
        async with self._database.reading() as conn:
            rows = await store.named_markets(conn, parsed.ids, parsed.slugs, NAMED)
        return [row for row in rows if status in (None, row.status)]

    def _rank(
        self, text: str, parsed: understanding.ParsedQuery, top_k: int, status: Status | None
    ) -> list[Hit]:
        frequencies = self._indexer.frequencies
        ids, weights = query_vector(terms(text), frequencies)
        candidates = self.engine.search(
            SparseVector(ids, weights),
            self.embedder.embed_query(text),
            None if status is None else (status,),
            max(CANDIDATES, 2 * top_k),
        )
        ranking = rank.rank(
            rank.RankQuery.of(text, frequencies),
            rank.Candidates(candidates.keys, candidates.payload, candidates.dense),
            frequencies,
        )
        changes = candidates.payload["change"]
        return [
            Hit(int(candidates.keys[place]), int(changes[place]), float(score))
            for place, score in zip(ranking.order, ranking.scores, strict=True)
        ]

    async def _results(
        self,
        named: list[ResultRow],
        hits: list[Hit],
        dimension: Dimension,
        top_k: int,
        status: Status | None,
    ) -> list[Result]:
        """Rows for the hits, named markets first; markets gone or changed meanwhile drop out."""
        first = {row.seq: row for row in named}
        wanted = [hit for hit in hits if hit.key not in first]
        shown = [(row, 1.0) for row in named[:top_k]]
        start = 0
        while len(shown) < top_k and start < len(wanted):
            part = wanted[start : start + top_k - len(shown)]
            start += len(part)
            rows = await self._fetch(part)
            shown += [
                (row, hit.score)
                for hit in part
                if (row := rows.get(hit.key)) is not None and status in (None, row.status)
            ]
        return [
            Result(
                row.id,
                row.platform,
                row.question,
                row.outcomes,
                row.status,
                row.url,
                round(score, 6),
                dimension,
            )
            for row, score in shown
        ]

    async def _fetch(self, hits: list[Hit]) -> dict[int, ResultRow]:
        rows: dict[int, ResultRow] = {}
        missing: dict[int, int] = {}
        for hit in hits:
            if (row := self._rows.get((hit.key, hit.change))) is not None:
                self._rows.move_to_end((hit.key, hit.change))
                rows[hit.key] = row
            else:
                missing[hit.key] = hit.change
        if missing:
            async with self._database.reading() as conn:
                fetched = await store.result_rows(conn, list(missing))
            for row in fetched:
                rows[row.seq] = self._rows[(row.seq, missing[row.seq])] = row
            while len(self._rows) > ROWS_KEPT:
                self._rows.popitem(last=False)
        return rows


def _open_engine(settings: Settings, embedder: Embedder) -> tuple[Engine, str]:
    """The engine of the settings, and the name of its index."""
    if settings.search_url:
        from augury.search.server import ServerEngine

        return ServerEngine(settings.search_url, schema(embedder)), "server"
    from augury.search.edge import EdgeEngine

    folder = Path(settings.data_dir) / "search"
    engine = EdgeEngine(folder, schema(embedder))
    return engine, _identity(folder / "identity")


def _identity(path: Path) -> str:
    """A name of its own for an index folder: several machines may share one database."""
    if not path.exists():
        path.write_text(f"local-{time.time_ns():x}")
    return path.read_text().strip()

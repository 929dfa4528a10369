"""The search service: keeps an index up to date with the catalogue, and answers queries from it.

A query passes once through six stages. Each is a module and takes the result of the one before:
`understanding`, `gathering`, `scoring`, `relating`, `lists` (ranking) and `presenting`.
"""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from augury.clock import now, pause
from augury.markets import store as markets
from augury.markets.freshness import AgeRule
from augury.markets.records import Status
from augury.search import rank
from augury.search.answers import Answers
from augury.search.embedding import Embedder
from augury.search.engine import IndexSchema, SearchEngine
from augury.search.gathering import Gathering, Overdue, rarest_terms
from augury.search.indexer import Indexer, Progress, schema
from augury.search.lists import Hit, Lists
from augury.search.lists import rank as rank_lists
from augury.search.presenting import Explored, Found, Presenter, folded
from augury.search.quotes import Quotes
from augury.search.related import Relations, Unrelated
from augury.search.relating import Related, relate
from augury.search.schemas import DIMENSIONS, Dimension
from augury.search.scoring import score, to_candidates
from augury.search.text import DocumentFrequencies
from augury.search.understanding import SearchArguments, Understood, understand
from augury.settings import Settings
from augury.storage.database import Database

OVERDUE_SECONDS = 30.0
"""Seconds between two queries to the database for overdue markets, i.e. those whose close has
passed without news from their venue."""


class SearchService:
    """Searches one index, and keeps it up to date with the catalogue."""

    def __init__(
        self,
        database: Database,
        engine: SearchEngine,
        embedder: Embedder,
        relations: Relations,
        name: str,
        *,
        shared: bool,
        age: AgeRule = AgeRule(),
    ) -> None:
        """`name`: name of the index. `shared`: whether the index is on a server that several
        processes use (see `Indexer`). `age`: the rule that says from which age a price is stale."""
        self._quotes = Quotes(database, age)
        self._overdue = Overdue()
        self._remote = shared
        self._relations = relations
        self.database = database
        self.engine = engine
        self.embedder = embedder
        self._indexer = Indexer(database, engine, embedder, relations, name, shared=shared)
        self._gathering = Gathering(engine, self._overdue)
        self.presenter = Presenter(database, engine, self._quotes, self._overdue)
        self._answers = Answers()

    @property
    def frequencies(self) -> DocumentFrequencies:
        """The number of indexed markets in which each term occurs."""
        return self._indexer.frequencies

    @classmethod
    async def open(
        cls, settings: Settings, database: Database, relations: Relations | None = None
    ) -> SearchService:
        """Open the service with the index that the settings name. The index is as it was last
        saved; `catch_up` brings it up to date.

        Without `relations` a search returns only direct results.
        """
        relations = relations or Unrelated()
        embedder = await asyncio.to_thread(shared_embedder)
        engine, name = await asyncio.to_thread(_open_engine, settings, schema(embedder, relations))
        shared = settings.search_url is not None
        age = AgeRule(timedelta(seconds=settings.price_max_age))
        service = cls(database, engine, embedder, relations, name, shared=shared, age=age)
        try:
            await service._indexer.open()
            await service._read_overdue()
        except BaseException:
            await service.close()
            raise
        return service

    async def close(self) -> None:
        """Close the index."""
        await asyncio.to_thread(self.engine.close)

    async def catch_up(self, progress: Progress | None = None) -> int:
        """Bring the index up to date with the catalogue; returns the number of changes applied."""
        applied = await self._indexer.catch_up(progress)
        await self._read_overdue()
        return applied

    async def follow(self, stop: asyncio.Event) -> None:
        """Keep the index up to date until `stop` is set."""
        await self._indexer.follow(stop)

    async def follow_quotes(self, stop: asyncio.Event) -> None:
        """Keep up-to-date quotes for search results in memory, until `stop` is set."""
        await self._quotes.follow(stop)

    async def follow_overdue(self, stop: asyncio.Event) -> None:
        """Until `stop` is set, look up at intervals which markets are overdue, i.e. whose close has
        passed without news from the venue. This is repeated because a market becomes overdue as
        time passes, without a change in the catalogue."""
        while not stop.is_set():
            await self._read_overdue()
            await pause(stop, OVERDUE_SECONDS)

    async def _read_overdue(self) -> None:
        async with self.database.reading() as conn:
            found = await markets.overdue(conn, now())
        self._overdue.put(found)

    async def index_report(self, last_change: int | None) -> dict[str, Any]:
        """Size, position and lag of the index, for health checks. The position is the sequence
        number of the last catalogue change in the index, the lag the number of changes that are not
        yet in it. `last_change`: sequence number of the catalogue's newest change, None if
        unknown."""
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
        fold: bool = False,
    ) -> Found:
        """The best `top_k` markets of each relation in `dimensions`, best first. A market in
        `direct` may also be in one of the other lists.

        `fold`: return one row per family (e.g. the markets of one event), and at most two about one
        factor (`repeats`); `top_k` then counts rows.
        """
        arguments = (query, dimensions, top_k, status, fold)
        if (known := self._answers.known(arguments, self._indexer.position)) is not None:
            return known
        position, at = self._indexer.position, time.monotonic()
        wanted = SearchArguments(query, dimensions, top_k, status, fold)
        explored = await self._search(wanted)
        found = folded(query, explored, top_k) if fold else explored.results
        self._answers.keep(arguments, found, position, at)
        return found

    async def explore(
        self, query: str, *, top_k: int = 20, status: Status | None = None
    ) -> Explored:
        """Like `search`, in all four relations. The answer also has the factors (things in the
        world, such as a policy rate) through which the markets were found."""
        return await self._search(SearchArguments(query, DIMENSIONS, top_k, status))

    async def _search(self, wanted: SearchArguments) -> Explored:
        understood = await understand(wanted, self.database, self.embedder, self.frequencies)
        if not understood.text:
            return await self.presenter.present(Lists(understood, {"direct": []}))
        if self._remote:
            # In a thread, because the engine blocks while it waits for its server.
            related = await asyncio.to_thread(self.related, understood)
        else:
            # Not in a thread: that would only wait for the interpreter lock that this thread holds.
            related = self.related(understood)
        await self._quotes.read_missing(related.hits.keys)
        return await self.presenter.present(rank_lists(related, self._quotes.current_prices, now()))

    def related(self, understood: Understood) -> Related:
        """All markets that may be listed for a query, with how each one is related to it. The
        query's text must not be empty."""
        frequencies = self.frequencies
        gathered = self._gathering.gather(understood, frequencies)
        scored = score(gathered, frequencies)
        return relate(scored, self._relations, self._gathering, frequencies)

    async def gather(
        self,
        text: str,
        *,
        depth: int,
        statuses: tuple[Status, ...] | None = None,
        open_at: float | None = None,
    ) -> list[Hit]:
        """Candidate markets for a forecast, the most direct first. The forecast examines them
        itself, so no market is left out because of its score or its family. Empty for a blank text.

        Parameters
        ----------
        depth
            The search takes this many of the best hits by terms, and as many by vector.
        statuses
            Only markets with one of these statuses; None: any.
        open_at
            Only markets that close after this time (epoch seconds) or at an unknown time; None:
            all.
        """
        if not text.strip():
            return []
        if self._remote:
            return await asyncio.to_thread(self._open_hits, text, depth, statuses, open_at)
        return self._open_hits(text, depth, statuses, open_at)

    def _open_hits(
        self, text: str, depth: int, statuses: tuple[Status, ...] | None, open_at: float | None
    ) -> list[Hit]:
        query = rank.RankQuery.of(text, self.frequencies)
        found = self.engine.search(
            rarest_terms(query, self.frequencies), self.embedder.embed_query(text), statuses, depth
        )
        closes = found.payload["closes"]
        kept = np.ones(len(closes), np.bool_)
        if open_at is not None:
            kept = (closes == 0) | (closes > open_at)
        found = found.where(kept)
        candidates = to_candidates(found)
        merit = rank.raw(rank.features(query, candidates, self.frequencies))
        keys, changes = found.keys, found.payload["change"]
        best = np.lexsort((keys, -merit))
        return list(map(Hit, keys[best].tolist(), changes[best].tolist(), merit[best].tolist()))


@cache
def shared_embedder() -> Embedder:
    """The embedder that all services of a process share; its state is read-only."""
    return Embedder.load()


def index_folder(settings: Settings) -> Path:
    """The folder in which the index is kept if no search server is configured."""
    return Path(settings.data_dir) / "search"


def _open_engine(settings: Settings, layout: IndexSchema) -> tuple[SearchEngine, str]:
    """The search engine that the settings name (a search server, or else the index in the data
    folder), and the name of its index. `layout`: the schema of the index."""
    if settings.search_url:
        from augury.search.server import ServerEngine

        key = settings.search_key.get_secret_value() if settings.search_key else None
        return ServerEngine(settings.search_url, layout, api_key=key), "server"
    from augury.search.edge import EdgeEngine

    folder = index_folder(settings)
    engine = EdgeEngine(folder, layout)
    return engine, _identity(folder / "identity")


def _identity(path: Path) -> str:
    """The unique name of an index folder, read from the file `path`, which is written on first use.
    It is needed because several machines, each with an index, may share a database."""
    if not path.exists():
        path.write_text(f"local-{time.time_ns():x}")
    return path.read_text().strip()

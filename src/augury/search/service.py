"""Search as a use case: understand the query, gather candidates, rank, group by relation."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from augury.clock import now, pause
from augury.markets import store as markets
from augury.markets.freshness import AgeRule
from augury.markets.records import Platform, ShownOrigin, Status, priced
from augury.search import families, rank, store
from augury.search import query as understanding
from augury.search.embedding import Embedder
from augury.search.engine import (
    MAX_KEY,
    EngineHits,
    IndexSchema,
    SearchEngine,
    SparseVector,
    together,
)
from augury.search.families import FoundFamily
from augury.search.indexer import Indexer, Progress, schema
from augury.search.query import ParsedQuery
from augury.search.quotes import Quoted, Quotes
from augury.search.related import NOTHING, Lookup, Pool, Relation, Relations, Unrelated
from augury.search.schemas import DIMENSIONS, Dimension
from augury.search.store import ResultRow
from augury.search.text import DocumentFrequencies
from augury.settings import Settings
from augury.storage.database import Database

CANDIDATES = 100
"""Best hits taken from either side of the index, before ranking; more for longer answers."""

PHRASE_CANDIDATES = 500
"""The same where a quoted phrase will throw most of them out."""

OCCURRENCES = 100_000
"""Most occurrences of a query's terms that are looked at for candidates; two terms always are."""

NAMED = 20
"""Most markets that an id or an address in the query brings in by itself."""

ANSWER_BYTES, ANSWER_SECONDS = 64 << 20, 5.0
"""Answers kept for those who ask the same again, as long as the index stands still: in about so
many bytes; the time bounds what a follower of a shared index may miss."""
_BYTES_A_RESULT = 2_000
"""Upper end of what a result takes in memory."""

ROWS_KEPT = 20_000
"""Result rows the index does not show by itself that are kept in memory, least recently shown
dropped first (some 10 MB)."""


FOLDED_AT_ONCE = 200
"""Most results of a relation that are looked at for folded lists."""

VOTERS = 10
"""Best direct results that say what a query is about."""

SURELY_DIRECT = 40
"""Best direct results that no other relation may claim; behind them a path tells more than
likeness does."""

OVERDUE_SECONDS = 30.0
"""How long what is known of overdue markets stands."""

NAMED_REASON = "Named in the query by its id or address."
DIRECT_REASON = "Asks about the query's own subject, by its words and meaning."
RELATED_REASON = "Shares a causal factor with the query."

TAGGED = 40
"""Best markets of each related factor that are ranked; more for longer answers."""


class Result(msgspec.Struct, frozen=True, gc=False):
    """A search result of the specification, ready to be encoded."""

    id: str
    platform: str
    question: str
    outcomes: list[str]
    status: Status
    """By the rule of age: an overdue market is closed."""
    platform_url: str | None
    score: float
    dimension: Dimension
    current_prices: dict[str, float | None] | None
    price_as_of: datetime | None
    closes_at: datetime | None
    volume: float | None
    event_id: str | None
    category: str | None
    stale: bool
    origin: ShownOrigin
    twin_ids: list[str]
    reason: str
    """Why it is among the results."""
    family: FoundFamily | None = None
    """In folded lists: what the row stands for besides its own market."""


class Hit(NamedTuple):
    """A ranked market: its number, the change its index entry was made at, its score."""

    key: int
    change: int
    score: float
    tag: int = 0
    reason: str | None = None


Found = dict[Dimension, list[Result]]


class Explored(NamedTuple):
    """What was found, and by which factors: for those who draw a picture of it."""

    found: Found
    lookup: Lookup
    tags: dict[str, int]
    """Related market -> the factor it was reached through."""


class _Gathered(NamedTuple):
    """What a query brought up, and how directly it is about the query."""

    query: rank.RankQuery
    vector: NDArray[np.float32]
    candidates: EngineHits
    features: rank.Features
    voters: NDArray[np.intp]
    """Places of those that say what the query is about."""
    ranking: rank.Ranking
    lookup: Lookup


class _Answer(NamedTuple):
    """What was found, at which state of the index and when."""

    found: Found
    position: int
    at: float

    def holds(self, position: int) -> bool:
        """Whether the same search would find the same now: nothing was indexed since."""
        return self.position == position and time.monotonic() - self.at < ANSWER_SECONDS


class SearchService:
    """Searches one index, and keeps it in step with the catalogue."""

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
        """`name` and `shared` as the indexer takes them; a shared index is on a server. `age`:
        which prices are too old to count."""
        self._quotes = Quotes(database, age)
        self._remote = shared
        self._relations = relations
        self._database = database
        self.engine = engine
        self.embedder = embedder
        self._indexer = Indexer(database, engine, embedder, relations, name, shared=shared)
        self._answers: OrderedDict[tuple[Any, ...], _Answer] = OrderedDict()
        self._answer_bytes = 0
        self._rows: OrderedDict[tuple[int, int], ResultRow] = OrderedDict()
        self._overdue = np.array([MAX_KEY + 1], np.int64)
        """Numbers of overdue markets, ascending, and one above all numbers."""

    @property
    def frequencies(self) -> DocumentFrequencies:
        """In how many markets of the index each term occurs."""
        return self._indexer.frequencies

    @classmethod
    async def open(
        cls, settings: Settings, database: Database, relations: Relations | None = None
    ) -> SearchService:
        """The service over the index the settings name, as the index was left.

        Without `relations` nothing but direct results is known.
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
        """Let go of the index."""
        await asyncio.to_thread(self.engine.close)

    async def catch_up(self, progress: Progress | None = None) -> int:
        """Bring the index up to date with the catalogue; how many changes that took."""
        applied = await self._indexer.catch_up(progress)
        await self._read_overdue()
        return applied

    async def follow(self, stop: asyncio.Event) -> None:
        """Keep the index in step until `stop`."""
        await self._indexer.follow(stop)

    async def follow_quotes(self, stop: asyncio.Event) -> None:
        """Keep the prices that results show in memory, until `stop`."""
        await self._quotes.follow(stop)

    async def follow_overdue(self, stop: asyncio.Event) -> None:
        """Keep up with which markets are overdue: time makes them so, and no change tells."""
        while not stop.is_set():
            await self._read_overdue()
            await pause(stop, OVERDUE_SECONDS)

    async def _read_overdue(self) -> None:
        async with self._database.reading() as conn:
            found = await markets.overdue(conn, now())
        self._overdue = np.append(found, MAX_KEY + 1)

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
        fold: bool = False,
    ) -> Found:
        """The best `top_k` markets of each relation, best first; no market in two of them.

        `fold`: one row a family (`augury.search.families`), and so the best `top_k` families.
        """
        asked = (query, dimensions, top_k, status, fold)
        if (known := self._answers.get(asked)) is not None:
            if known.holds(self._indexer.position):
                self._answers.move_to_end(asked)
                return known.found
            self._forget(asked)
        position, at = self._indexer.position, time.monotonic()
        if fold:
            deep = min(families.FOUND * top_k, FOLDED_AT_ONCE)
            deeper = await self._search(query, dimensions, top_k, status, max(deep, top_k))
            found: Found = {d: _folded(query, rows)[:top_k] for d, rows in deeper.found.items()}
        else:
            found = (await self._search(query, dimensions, top_k, status)).found
        self._forget(asked)  # another may have asked the same meanwhile
        self._answers[asked] = _Answer(found, position, at)
        self._answer_bytes += _size(asked, found)
        while self._answer_bytes > ANSWER_BYTES:
            self._forget(next(iter(self._answers)))
        return found

    def _forget(self, asked: tuple[Any, ...]) -> None:
        if (gone := self._answers.pop(asked, None)) is not None:
            self._answer_bytes -= _size(asked, gone.found)

    async def explore(
        self, query: str, *, top_k: int = 20, status: Status | None = None
    ) -> Explored:
        """`search` in all relations, with the factors that led to what was found."""
        return await self._search(query, DIMENSIONS, top_k, status)

    async def _search(
        self,
        query: str,
        dimensions: tuple[Dimension, ...],
        top_k: int,
        status: Status | None,
        most: int | None = None,
    ) -> Explored:
        """`most`: results of each relation where these are more than the `top_k` asked for; as many
        candidates are gathered as for `top_k`."""
        most = most or top_k
        parsed = understanding.parse(query)
        named = await self._named(parsed)
        # An id alone asks for that market, and then for those like it.
        text = parsed.text or (named[0].question if named else "")
        asked = (text, parsed, dimensions, top_k, status, most)
        if self._remote:
            # The engine waits for its server; nobody else should.
            hits, lookup = await asyncio.to_thread(self._hits, *asked)
        else:
            # In a thread it would only wait for the interpreter lock that this one holds.
            hits, lookup = self._hits(*asked)
        direct = await self._shown_directly(named, hits["direct"], parsed, most, status)
        taken = {row.seq for row, *_ in direct}
        found: Found = {dimension: [] for dimension in dimensions}
        wanted = [hit for d in dimensions if d != "direct" for hit in hits.get(d, ())]
        rows = await self._fetch([hit for hit in wanted if hit.key not in taken])
        shown = [row.seq for row, *_ in direct] if "direct" in found else []
        quotes = await self._quotes.of([*shown, *rows])
        late = self._late_among(quotes)
        if "direct" in found:
            found["direct"] = [
                _result(row, quote, row.seq in late, score, "direct", reason)
                for row, score, reason in direct
                if (quote := quotes.get(row.seq)) is not None
            ]
        tags: dict[str, int] = {}
        for dimension in dimensions:
            if dimension == "direct":
                continue
            for hit in hits.get(dimension, ()):
                row, quote = rows.get(hit.key), quotes.get(hit.key)
                if row is None or quote is None:
                    continue
                overdue = hit.key in late
                if status in (None, "closed" if overdue else row.status):
                    reason = hit.reason or RELATED_REASON
                    one = _result(row, quote, overdue, hit.score, dimension, reason)
                    found[dimension].append(one)
                    tags[row.id] = hit.tag
        return Explored(found, lookup, tags)

    async def _shown_directly(
        self,
        named: list[ResultRow],
        hits: list[Hit],
        parsed: ParsedQuery,
        top_k: int,
        status: Status | None,
    ) -> list[tuple[ResultRow, float, str]]:
        def belongs(row: ResultRow) -> bool:
            if status is not None:
                overdue = row.status == "active" and self._late_among([row.seq])
                if status != ("closed" if overdue else row.status):
                    return False
            return _has_phrases(row, parsed.phrases)

        shown = [(row, 1.0, NAMED_REASON) for row in named if belongs(row)][:top_k]
        taken = {row.seq for row, *_ in shown}
        waiting = [hit for hit in hits if hit.key not in taken]
        while len(shown) < top_k and waiting:
            # Rows gone or changed since they were indexed drop out, and the next ones follow.
            wanted = top_k - len(shown) if not parsed.phrases else len(waiting)
            part, waiting = waiting[:wanted], waiting[wanted:]
            rows = await self._fetch(part)
            shown += [
                (row, hit.score, DIRECT_REASON)
                for hit in part
                if (row := rows.get(hit.key)) and belongs(row)
            ]
        return shown[:top_k]

    async def gather(
        self,
        text: str,
        *,
        depth: int,
        statuses: tuple[Status, ...] | None = None,
        open_at: float | None = None,
    ) -> list[Hit]:
        """Markets to be looked at one by one, the likeliest first: none is left out for its score
        or its family.

        Parameters
        ----------
        depth
            Best hits taken from either side of the index.
        statuses
            Only markets in one of these states; None: any.
        open_at
            Only markets that close after this time (epoch seconds) or at no known one.
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
            _telling(query, self.frequencies), self.embedder.embed_query(text), statuses, depth
        )
        closes = found.payload["closes"]
        kept = np.ones(len(closes), np.bool_)
        if open_at is not None:
            kept = (closes == 0) | (closes > open_at)
        found = found.taken(kept)
        candidates = _ranked(found)
        merit = rank.raw(rank.features(query, candidates, self.frequencies))
        keys, changes = found.keys, found.payload["change"]
        best = np.lexsort((keys, -merit))
        return list(map(Hit, keys[best].tolist(), changes[best].tolist(), merit[best].tolist()))

    async def _named(self, parsed: ParsedQuery) -> list[ResultRow]:
        """The markets whose ids or addresses stand in the query."""
        if not parsed.is_lookup:
            return []
        pages: list[tuple[Platform, str]] = [
            (link.platform, name)
            for link in parsed.links
            # The market of an address if it has one, else the whole event.
            if (name := link.market or link.event)
        ]
        async with self._database.reading() as conn:
            return await store.named_markets(conn, parsed.market_ids, pages, NAMED)

    def _hits(
        self,
        text: str,
        parsed: ParsedQuery,
        dimensions: tuple[Dimension, ...],
        top_k: int,
        status: Status | None,
        most: int,
    ) -> tuple[dict[Dimension, list[Hit]], Lookup]:
        """Ranked markets by relation; `direct` always, for the others keep clear of it."""
        if not text:
            return {"direct": []}, NOTHING
        statuses = None if status is None else (status,)
        gathered = self._gather(text, parsed, top_k, statuses)
        found, ranking = gathered.candidates, gathered.ranking
        hits: dict[Dimension, list[Hit]] = {
            "direct": list(
                map(
                    Hit,
                    found.keys[ranking.order].tolist(),
                    found.payload["change"][ranking.order].tolist(),
                    ranking.scores.tolist(),
                )
            )
        }
        if set(dimensions) != {"direct"}:
            related = self._related(gathered, top_k, statuses, most)
            claimed = {hit.key for found in related.values() for hit in found}
            hits["direct"] = [hit for hit in hits["direct"] if hit.key not in claimed]
            hits |= related
        return hits, gathered.lookup

    def _gather(
        self, text: str, parsed: ParsedQuery, top_k: int, statuses: tuple[Status] | None
    ) -> _Gathered:
        frequencies = self.frequencies
        query = rank.RankQuery.of(text, frequencies)
        wanted = max(CANDIDATES, 2 * top_k) if not parsed.phrases else PHRASE_CANDIDATES
        vector = self.embedder.embed_query(text)
        telling = _telling(query, frequencies)
        found = self._in_status(
            lambda among: self.engine.search(telling, vector, among, wanted), statuses
        )
        candidates = _ranked(found)
        features = rank.features(query, candidates, frequencies)
        collapse = not parsed.asks_level
        # By words and meaning alone first: the best of these say what the query is about.
        first = rank.order(candidates, features, collapse=False)
        voters = _voters(first.order, found.payload["fixture"], query.fixture)
        at = first.order[voters]
        best = found.payload.take(at)
        lookup = self._relations.ask(
            text, found.keys[at], best["tags"], _fits(best), first.scores[voters]
        )
        if lookup.unanswered:
            # The same thing in other words: "payrolls" and "jobs added".
            tags, most = lookup.unanswered, max(TAGGED, top_k)
            own = self._in_status(
                lambda among: self.engine.tagged(tags, vector, among, most), statuses
            )
            found = EngineHits.joined([found, own])
            candidates = _ranked(found)
            features = rank.features(query, candidates, frequencies)
        adjust = rank.bearing(*lookup.bearing(found.payload["tags"], _fits(found.payload)))
        ranking = rank.order(candidates, features, adjust=adjust, collapse=collapse)
        voters = ranking.order[:VOTERS]
        gathered = _Gathered(query, vector, found, features, voters, ranking, lookup)
        pool = _pool_of(gathered, found.keys, found.payload, features)
        if ranking.by_title and (grades := lookup.direct(pool)) is not None:
            last = rank.of_another_time(query, candidates.records)
            gathered = gathered._replace(ranking=rank.by_grade(candidates, grades, last))
        return gathered

    def _in_status(
        self, ask: Callable[[tuple[Status] | None], EngineHits], statuses: tuple[Status] | None
    ) -> EngineHits:
        """What the engine finds, with the overdue among the closed and not among the active."""
        found = ask(statuses)
        if statuses == ("active",):
            late = self._are_overdue(found.keys)
            return found.taken(~late) if late.any() else found
        if statuses == ("closed",) and len(self._overdue) > 1:
            active = ask(("active",))
            return EngineHits.joined([found, active.taken(self._are_overdue(active.keys))])
        return found

    def _are_overdue(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        return self._overdue[np.searchsorted(self._overdue, keys)] == keys

    def _late_among(self, seqs: Iterable[int]) -> set[int]:
        """The overdue ones among markets by number."""
        keys = np.fromiter(seqs, np.int64)
        return set(keys[self._are_overdue(keys)].tolist())

    def _related(
        self, gathered: _Gathered, top_k: int, statuses: tuple[Status] | None, most: int
    ) -> dict[Relation, list[Hit]]:
        pool, changes = self._pool(gathered, top_k, statuses)
        return {
            relation: [
                Hit(int(pool.keys[at]), int(changes[at]), score, tag, reason)
                for at, score, tag, reason in ranked
            ]
            for relation, ranked in gathered.lookup.rank(pool, most).items()
        }

    def _pool(
        self, gathered: _Gathered, top_k: int, statuses: tuple[Status] | None
    ) -> tuple[Pool, NDArray[Any]]:
        """All that may be related, and the change each was indexed at."""
        found, lookup, query = gathered.candidates, gathered.lookup, gathered.query
        most = max(TAGGED, top_k)
        tagged = self._in_status(
            lambda among: self.engine.tagged(lookup.tags, gathered.vector, among, most), statuses
        )
        # Near by meaning and related by a factor: such candidates count as well.
        new = ~np.isin(tagged.keys, found.keys)
        more = rank.features(query, _ranked(tagged.taken(new)), self.frequencies)
        features = np.concatenate([gathered.features, more])
        keys = np.concatenate([found.keys, tagged.keys[new]])
        payload = together([found.payload, tagged.payload.take(np.flatnonzero(new))])
        direct = np.zeros(len(keys), np.float32)
        surely = min(2 * top_k, SURELY_DIRECT)
        direct[gathered.ranking.order[:surely]] = gathered.ranking.scores[:surely]
        return _pool_of(gathered, keys, payload, features, direct), payload["change"]

    async def _fetch(self, hits: list[Hit]) -> dict[int, ResultRow]:
        rows = {
            key: store.unpacked(packed)
            for key, packed in self.engine.shown([hit.key for hit in hits]).items()
        }
        missing: dict[int, int] = {}
        for hit in hits:
            if hit.key in rows:
                continue
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


def _size(asked: tuple[Any, ...], found: Found) -> int:
    """About the bytes that an answer takes while it is kept."""
    return 1_000 + 4 * len(asked[0]) + _BYTES_A_RESULT * sum(map(len, found.values()))


def _telling(query: rank.RankQuery, frequencies: DocumentFrequencies) -> SparseVector:
    """The terms to gather candidates by: the rarest, as far as the budget of occurrences goes.

    A word that a tenth of a large catalogue holds tells little and costs most; the ranking still
    counts it. A catalogue smaller than the budget is always searched by every term.
    """
    counts = frequencies.count(query.ids)
    order = np.argsort(counts, kind="stable")
    kept = order[(np.cumsum(counts[order]) <= OCCURRENCES) | (np.arange(len(order)) < 2)]
    return SparseVector(query.ids[kept], query.weights[kept])


def _voters(
    order: NDArray[np.intp], fixtures: NDArray[np.uint8], asks_game: bool
) -> NDArray[np.intp]:
    """Which places of the order say what a query is about: the first ones, and games among them
    only where a game is asked for or nothing else is found."""
    games = (fixtures[order] > 0) & (not asks_game)
    return np.argsort(games, kind="stable")[: min(VOTERS, len(order) - games.sum() or len(order))]


def _when(closes: NDArray[np.uint32]) -> int:
    """When a question is decided: as its best markets close, or today's beginning."""
    known = np.sort(closes[closes > 0])
    return int(known[len(known) // 2]) if len(known) else int(time.time()) // 86_400 * 86_400


def _pool_of(
    gathered: _Gathered,
    keys: NDArray[np.int64],
    payload: NDArray[Any],
    features: rank.Features,
    direct: NDArray[np.float32] | None = None,
) -> Pool:
    """Markets as relations look at them, the query's own candidates first."""
    query, voters = gathered.query, gathered.voters
    column = dict(zip(rank.FEATURES, features.T, strict=True))
    named = (payload["terms"][:, None, :] == query.ids[None, :, None]).any(axis=2)
    return Pool(
        keys=keys,
        tags=payload["tags"],
        fits=_fits(payload),
        features=features,
        directness=rank.raw(features),
        dense=column["dense"],
        words=column["words"],
        naming=named @ query.weights,
        named=named.mean(axis=1, dtype=np.float32) if len(query.ids) else column["words"],
        fixture=column["fixture"] * payload["fixture"],
        salience=payload["salience"],
        closes=payload["closes"],
        family=payload["family"],
        direct=np.zeros(len(keys), np.float32) if direct is None else direct,
        voters=voters,
        terms=len(query.ids),
        heaviest=float(query.weights.max(initial=0)),
        when=_when(payload["closes"][voters]),
    )


def _folded(query: str, rows: list[Result]) -> list[Result]:
    return [
        msgspec.structs.replace(row, score=score, family=family) if family else row
        for row, score, family in families.folded(query, rows)
    ]


def _has_phrases(row: ResultRow, phrases: tuple[str, ...]) -> bool:
    """Whether each quoted phrase stands in the market's question or in its event's name."""
    return all(
        understanding.contains_phrase(row.question, phrase)
        or understanding.contains_phrase(row.event_name or "", phrase)
        for phrase in phrases
    )


def _fits(payload: NDArray[np.void]) -> NDArray[np.float32]:
    return np.asarray(payload["fits"] / 255, np.float32)


def _ranked(found: EngineHits) -> rank.Candidates:
    """What the ranker reads of the engine's candidates."""
    return rank.Candidates(found.keys, found.payload, found.dense, found.lexical)


def _result(
    row: ResultRow, quote: Quoted, overdue: bool, score: float, dimension: Dimension, reason: str
) -> Result:
    status, prices = row.status, quote.prices
    if overdue and status == "active":
        status = "closed"
    else:
        overdue = False
    return Result(
        row.id,
        row.platform,
        row.question,
        row.outcomes,
        status,
        row.url,
        round(score, 6),
        dimension,
        priced(row.outcomes, prices),
        quote.price_as_of,
        quote.closes_at,
        quote.volume,
        row.event_id,
        quote.category,
        overdue or (quote.old and status == "active"),
        quote.origin,
        quote.twins,
        reason,
    )


@cache
def shared_embedder() -> Embedder:
    """One table for all services of a process: it holds only read-only state."""
    return Embedder.load()


def index_folder(settings: Settings) -> Path:
    """Where the index is kept without a search server."""
    return Path(settings.data_dir) / "search"


def _open_engine(settings: Settings, layout: IndexSchema) -> tuple[SearchEngine, str]:
    """The engine of the settings, and the name of its index."""
    if settings.search_url:
        from augury.search.server import ServerEngine

        key = settings.search_key.get_secret_value() if settings.search_key else None
        return ServerEngine(settings.search_url, layout, api_key=key), "server"
    from augury.search.edge import EdgeEngine

    folder = index_folder(settings)
    engine = EdgeEngine(folder, layout)
    return engine, _identity(folder / "identity")


def _identity(path: Path) -> str:
    """A name of its own for an index folder: several machines may share one database."""
    if not path.exists():
        path.write_text(f"local-{time.time_ns():x}")
    return path.read_text().strip()

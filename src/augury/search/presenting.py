"""Last stage of a search: turn ranked markets into results. Their data come from the index and from
memory; only what is missing there is read from the database."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from augury.markets.records import ShownOrigin, Status, priced
from augury.search import families, repeats, store
from augury.search.engine import SearchEngine
from augury.search.families import FoundFamily, FoundMember
from augury.search.gathering import Overdue
from augury.search.lists import Hit, Lists
from augury.search.query import contains_phrase
from augury.search.quotes import Quoted, Quotes
from augury.search.related import Lookup
from augury.search.schemas import Dimension
from augury.search.store import ResultRow
from augury.search.understanding import Understood
from augury.storage.database import Database

ROWS_KEPT = 20_000
"""At most this many result rows are kept in memory (about 10 MB). A result row holds what a search
result shows of one market. Rows that the index stores are not kept, only those that had to be read
from the database. The least recently used row is dropped first."""

NAMED_REASON = "Named in the query by its id or address."
DIRECT_REASON = "Asks about the query's own subject, by its words and meaning."
RELATED_REASON = "Shares a causal factor with the query."


class Result(msgspec.Struct, frozen=True, gc=False):
    """A search result as the API returns it, ready to be encoded."""

    id: str
    platform: str
    question: str
    outcomes: list[str]
    status: Status
    """The status that callers see: an active market whose close has passed without news from its
    venue is shown as closed."""
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
    """Why the market is among the results, as a sentence."""
    family: FoundFamily | None = None
    """The family (e.g. the markets of one event) that this result stands for. None if the list does
    not have one row per family, or if the search found only one market of the family."""
    also: list[FoundMember] = []
    """Further markets about the same thing (`repeats`). Empty if the list does not have one row per
    family."""


Found = dict[Dimension, list[Result]]


class Explored(NamedTuple):
    """Search results with the factors (things in the world, such as a policy rate) that led to
    them, from which a causal graph is drawn."""

    results: Found
    lookup: Lookup
    tags: dict[str, int]
    """Id of a related market -> id of the factor (e.g. a policy rate) through which the market was
    found."""


class Presenter:
    """Turns the ranked markets of a search into results."""

    def __init__(
        self, database: Database, engine: SearchEngine, quotes: Quotes, overdue: Overdue
    ) -> None:
        self._database, self._engine = database, engine
        self._quotes, self._overdue = quotes, overdue
        self._rows: OrderedDict[tuple[int, int], ResultRow] = OrderedDict()

    async def present(self, lists: Lists) -> Explored:
        """Turn the requested lists of markets into search results. For each related market, add the
        factor through which it was found. Markets that no longer exist are left out."""
        understood, hits = lists.understood, lists.hits
        dimensions, status = understood.wanted.dimensions, understood.wanted.status
        direct = await self._shown_directly(understood, hits.get("direct", []))
        named = {row.seq for row in understood.named}
        found: Found = {dimension: [] for dimension in dimensions}
        wanted = [hit for d in dimensions if d != "direct" for hit in hits.get(d, ())]
        rows = await self.rows([hit for hit in wanted if hit.key not in named])
        shown = [row.seq for row, *_ in direct]
        quotes = await self._quotes.of(list(dict.fromkeys([*shown, *rows])))
        late = self._overdue.among(quotes)
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
                    tags[row.id] = hit.factor_id
        return Explored(found, lists.lookup, tags)

    async def _shown_directly(
        self, understood: Understood, hits: list[Hit]
    ) -> list[tuple[ResultRow, float, str]]:
        phrases, wanted = understood.parsed.phrases, understood.wanted
        status = wanted.status
        most = len(understood.named) + len(hits) if wanted.fold else wanted.top_k

        def belongs(row: ResultRow) -> bool:
            if status is not None:
                overdue = row.status == "active" and self._overdue.among([row.seq])
                if status != ("closed" if overdue else row.status):
                    return False
            return _has_phrases(row, phrases)

        shown = [(row, 1.0, NAMED_REASON) for row in understood.named if belongs(row)][:most]
        taken = {row.seq for row, *_ in shown}
        waiting = [hit for hit in hits if hit.key not in taken]
        while len(shown) < most and waiting:
            # Markets that no longer exist or no longer fit are dropped, and the next hits follow.
            missing = most - len(shown) if not phrases else len(waiting)
            part, waiting = waiting[:missing], waiting[missing:]
            rows = await self.rows(part)
            shown += [
                (row, hit.score, hit.reason or DIRECT_REASON)
                for hit in part
                if (row := rows.get(hit.key)) and belongs(row)
            ]
        return shown[:most]

    async def rows(self, hits: Sequence[Hit]) -> dict[int, ResultRow]:
        """What search results show of each market in `hits`, by market number, except prices and
        other data that change often (see `Quoted`). Markets that no longer exist are left out."""
        rows = {
            key: store.unpacked(packed)
            for key, packed in self._engine.shown([hit.key for hit in hits]).items()
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


def folded(query: str, explored: Explored, top_k: int) -> Found:
    """Turn the results of each relation into one row per family (e.g. the markets of one event),
    limit the rows about one factor (`repeats`), and keep the best `top_k` rows of each relation."""
    out: Found = {}
    for dimension, found in explored.results.items():
        rows = [
            msgspec.structs.replace(row, score=score, family=family) if family else row
            for row, score, family in families.folded(query, found)
        ]
        if dimension == "direct":
            out[dimension] = rows[:top_k]
            continue
        questions = {row.id: row.question for row in found}
        out[dimension] = repeats.merged(rows, explored.tags, questions, top_k)
    return out


def _has_phrases(row: ResultRow, phrases: tuple[str, ...]) -> bool:
    """Whether the market's question or its event's name contains each quoted phrase."""
    return all(
        contains_phrase(row.question, phrase) or contains_phrase(row.event_name or "", phrase)
        for phrase in phrases
    )


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

"""First stage of a search: what is asked, read from the text, with the markets that it names."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from psycopg import AsyncConnection

from augury.markets.records import Platform, Status
from augury.search import query, store
from augury.search.embedding import Embedder
from augury.search.query import ParsedQuery
from augury.search.rank import RankQuery
from augury.search.schemas import Dimension
from augury.search.store import ResultRow
from augury.search.text import DocumentFrequencies
from augury.storage.database import Database

NAMED = 20
"""Most markets that an id or an address in the query brings in by itself."""


class Wanted(NamedTuple):
    """What a caller asks for."""

    query: str
    dimensions: tuple[Dimension, ...]
    top_k: int
    """Candidates are gathered for so many results of each relation."""
    status: Status | None
    most: int
    """Results of each relation, at least `top_k`."""


class Understood(NamedTuple):
    """A query as the other stages read it."""

    wanted: Wanted
    parsed: ParsedQuery
    named: list[ResultRow]
    """Markets whose ids or addresses stand in the query."""
    text: str
    """What to search for; empty where the query says nothing."""
    query: RankQuery
    vector: NDArray[np.float32]
    """Of the text: (dim,), zero where no word is known."""


async def understand(
    wanted: Wanted, database: Database, embedder: Embedder, frequencies: DocumentFrequencies
) -> Understood:
    """Read a query. An id alone asks for that market, and then for those like it."""
    parsed = query.parse(wanted.query)
    named = await _named(parsed, database) if parsed.is_lookup else []
    text = parsed.text or (named[0].question if named else "")
    return Understood(
        wanted, parsed, named, text, RankQuery.of(text, frequencies), embedder.embed_query(text)
    )


async def _named(parsed: ParsedQuery, database: Database) -> list[ResultRow]:
    pages: list[tuple[Platform, str]] = [
        (link.platform, name)
        for link in parsed.links
        # The market of an address if it has one, else the whole event.
        if (name := link.market or link.event)
    ]
    conn: AsyncConnection[Any]
    async with database.reading() as conn:
        return await store.named_markets(conn, parsed.market_ids, pages, NAMED)

"""First stage of a search: parse the query, and look up the markets that it names."""

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

MAX_NAMED = 20
"""Largest number of markets that are looked up for the ids and addresses in a query."""


class SearchArguments(NamedTuple):
    """What a search is asked for, with defaults filled in, as it is passed from stage to stage of
    the search."""

    query: str
    dimensions: tuple[Dimension, ...]
    top_k: int
    """Number of results that the caller requested in each relation (`direct`, `upstream`, ...). A
    large number makes the search gather more candidates."""
    status: Status | None
    fold: bool = False
    """Whether the markets of one family (e.g. of one event) are later put into one row. Then
    `top_k` counts families, and the list of a relation may have more than `top_k` markets."""


class Understood(NamedTuple):
    """A parsed query, with the markets that it names. It is the input of the later stages of a
    search."""

    wanted: SearchArguments
    parsed: ParsedQuery
    named: list[ResultRow]
    """Markets whose ids or addresses are in the query."""
    text: str
    """The text to search for. If the query is nothing but a market's id, the question of that
    market; empty if no market has this id."""
    query: RankQuery
    vector: NDArray[np.float32]
    """The vector of `text`: (dim,), all zeros if `text` has no tokens."""


async def understand(
    wanted: SearchArguments,
    database: Database,
    embedder: Embedder,
    frequencies: DocumentFrequencies,
) -> Understood:
    """Parse a query and look up the markets it names. If the query is only a market's id, the
    search text is that market's question, so that similar markets are found too."""
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
        return await store.named_markets(conn, parsed.market_ids, pages, MAX_NAMED)

"""Search's SQL: the rows of results, markets named outright, and the state of an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString, NamedTuple

import msgspec
from psycopg import AsyncConnection

from augury.markets.records import Platform, Status
from augury.markets.store import IndexRow


class ResultRow(NamedTuple):
    """What of a market is shown in a search result, and its event's name to find phrases in."""

    seq: int
    id: str
    platform: str
    question: str
    outcomes: list[str]
    status: Status
    url: str | None
    event_name: str | None
    event_id: str | None

    @classmethod
    def of(cls, row: IndexRow) -> ResultRow:
        return cls(
            row.seq,
            row.id,
            row.platform,
            row.question,
            row.outcomes,
            row.status,
            row.url,
            row.event_name,
            row.event_id,
        )

    def packed(self) -> bytes:
        """As the index keeps it; `unpacked` is the way back."""
        return _packer.encode(self)


_packer = msgspec.msgpack.Encoder()
_unpacker = msgspec.msgpack.Decoder(ResultRow)
unpacked = _unpacker.decode

_RESULT: LiteralString = "seq, id, platform, question, outcomes, status, url, event_name, event_id"


async def result_rows(conn: AsyncConnection[Any], seqs: Sequence[int]) -> list[ResultRow]:
    """The rows of markets by number, in no order; a removed market is left out."""
    cursor = await conn.execute(
        f"select {_RESULT} from markets where seq = any(%s)",  # noqa: S608
        (list(seqs),),
        binary=True,
    )
    return [ResultRow(*row) for row in await cursor.fetchall()]


async def named_markets(
    conn: AsyncConnection[Any],
    ids: Sequence[str],
    pages: Sequence[tuple[Platform, str]],
    limit: int,
) -> list[ResultRow]:
    """Markets named by id or UUID, or by what a venue's address names: (platform, slug or ticker).

    Markets named themselves come first, then those of a named event, most traded first. A
    Kalshi name may be a market's ticker, an event's, or a series'; Kalshi's pages do not tell.
    """
    tickers = [id.removeprefix("kalshi:") for id in ids if id.startswith("kalshi:")]
    tickers += [name.upper() for platform, name in pages if platform == "kalshi"]
    slugs = [name.lower() for platform, name in pages if platform == "polymarket"]
    addresses = [f"https://polymarket.com/event/{slug}" for slug in slugs]
    cursor = await conn.execute(
        f"""
        select {_RESULT} from (
          select 0 as nearness, m.* from markets m
          where id = any(%(ids)s) or uuid = any(%(uuids)s::uuid[])
            or (platform = 'polymarket' and slug = any(%(slugs)s))
          union all
          select 1, m.* from markets m
          where platform = 'kalshi' and event_id = any(%(tickers)s)
          union all
          select 1, m.* from markets m where url = any(%(addresses)s)
          union all
          select 2, m.* from unnest(%(tickers)s) as ticker
          join markets m on platform = 'kalshi' and event_id like ticker || '-%%'
          where ticker not like '%%-%%'
        ) named
        order by nearness, volume desc nulls last, seq
        limit %(limit)s
        """,  # noqa: S608
        {
            "ids": [*ids, *(f"kalshi:{ticker}" for ticker in tickers)],
            "uuids": [id for id in ids if ":" not in id],
            "slugs": slugs,
            "tickers": tickers,
            "addresses": addresses,
            "limit": 2 * limit,
        },
    )
    rows = {row[0]: ResultRow(*row) for row in reversed(await cursor.fetchall())}
    return list(reversed(rows.values()))[:limit]


class TitleRow(NamedTuple):
    """What a market is called."""

    id: str
    question: str
    event_name: str | None


async def titles(conn: AsyncConnection[Any]) -> list[TitleRow]:
    """What all markets are called, by id."""
    cursor = await conn.execute("select id, question, event_name from markets order by id")
    return [TitleRow(*row) for row in await cursor.fetchall()]


class IndexState(NamedTuple):
    """What is kept of an index: see the table's own comments."""

    frequencies: bytes
    counted: bytes


async def load_index(conn: AsyncConnection[Any], name: str) -> IndexState | None:
    """The state kept of the index `name`; None when it must be built anew."""
    cursor = await conn.execute(
        "select frequencies, counted from search_indexes where name = %s", (name,), binary=True
    )
    row = await cursor.fetchone()
    return IndexState(bytes(row[0]), bytes(row[1])) if row else None


async def save_index(conn: AsyncConnection[Any], name: str, state: IndexState) -> None:
    """Keep the state of the index `name`."""
    await conn.execute(
        """
        insert into search_indexes (name, frequencies, counted) values (%s, %s, %s)
        on conflict (name) do update
        set frequencies = excluded.frequencies, counted = excluded.counted, updated_at = now()
        """,
        (name, state.frequencies, state.counted),
    )


async def drop_index(conn: AsyncConnection[Any], name: str) -> None:
    """Forget an index that is emptied."""
    await conn.execute("delete from search_indexes where name = %s", (name,))

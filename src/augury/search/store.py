"""SQL of search: rows of results, markets named by id or address, and the state of an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString, NamedTuple

import msgspec
from psycopg import AsyncConnection

from augury.markets.records import Platform, Status
from augury.markets.store import IndexRow


class ResultRow(NamedTuple):
    """The fields of a market that a search result shows and that rarely change. Two more fields are
    not shown: `seq`, the market's number in the database, and `event_name`, in which the quoted
    phrases of a query are looked for."""

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
        """The row as bytes, for storing it in the index; `unpacked` is the inverse."""
        return _packer.encode(self)


_packer = msgspec.msgpack.Encoder()
_unpacker = msgspec.msgpack.Decoder(ResultRow)
unpacked = _unpacker.decode

_RESULT: LiteralString = "seq, id, platform, question, outcomes, status, url, event_name, event_id"


async def result_rows(conn: AsyncConnection[Any], seqs: Sequence[int]) -> list[ResultRow]:
    """For each of the markets with the database numbers `seqs`: the fields that a search result
    shows. The rows are in no particular order. A market that was removed has no row."""
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
    """Markets named by `ids` (market ids or UUIDs) or by `pages` (venue pages, each as platform and
    slug or ticker).

    Markets that are named themselves come first, then markets of a named event, then markets of a
    named series. In each of these groups the most traded market comes first. A Kalshi name may be
    the ticker of a market, an event or a series, because Kalshi's addresses do not say which.
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
    """A market's question and the name of its event."""

    id: str
    question: str
    event_name: str | None


async def titles(conn: AsyncConnection[Any]) -> list[TitleRow]:
    """Questions and names of events of all markets, ordered by id."""
    cursor = await conn.execute("select id, question, event_name from markets order by id")
    return [TitleRow(*row) for row in await cursor.fetchall()]


class IndexState(NamedTuple):
    """State of an index, kept in the database: `frequencies` (the number of markets in which each
    term occurs, as bytes of `DocumentFrequencies`) and `counted` (one bit per market number:
    whether the market is included in `frequencies`)."""

    frequencies: bytes
    counted: bytes


async def load_index(conn: AsyncConnection[Any], name: str) -> IndexState | None:
    """The stored state of the index `name`. None if no state is stored; the index must then be
    rebuilt."""
    cursor = await conn.execute(
        "select frequencies, counted from search_indexes where name = %s", (name,), binary=True
    )
    row = await cursor.fetchone()
    return IndexState(bytes(row[0]), bytes(row[1])) if row else None


async def save_index(conn: AsyncConnection[Any], name: str, state: IndexState) -> None:
    """Store the state of the index `name`."""
    await conn.execute(
        """
        insert into search_indexes (name, frequencies, counted) values (%s, %s, %s)
        on conflict (name) do update
        set frequencies = excluded.frequencies, counted = excluded.counted, updated_at = now()
        """,
        (name, state.frequencies, state.counted),
    )


async def drop_index(conn: AsyncConnection[Any], name: str) -> None:
    """Delete the stored state of the index `name`."""
    await conn.execute("delete from search_indexes where name = %s", (name,))

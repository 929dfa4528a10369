"""Reads markets in their current state: by id, by page, by event; whole or only as quotes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from psycopg.rows import args_row

from augury.markets.records import MarketType, Origin, Platform, Status
from augury.markets.store.sql import OVERDUE, SHOWN_STATUS, STALE, Connection, scalar, sql

Sort = Literal["volume", "closes_at", "updated_at"]


class StoredMarket(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the catalogue. Fields, units and meaning as in `records.Market`.

    `seq` is the market's serial number in this catalogue, assigned when it is inserted.
    """

    seq: int
    id: str
    platform: Platform
    platform_id: str
    question: str
    title: str
    subtitle: str | None
    description: str | None
    outcomes: list[str]
    prices: list[float | None]
    price_as_of: datetime | None
    status: Status
    resolution: str | None
    created_at: datetime | None
    closes_at: datetime | None
    resolved_at: datetime | None
    event_id: str | None
    event_name: str | None
    series_id: str | None
    exclusive: bool | None
    group_id: str | None
    group_name: str | None
    market_type: MarketType
    category: str | None
    tags: list[str]
    volume: float | None
    volume_24h: float | None
    liquidity: float | None
    open_interest: float | None
    best_bid: float | None
    best_ask: float | None
    strike_kind: str | None
    strike_floor: float | None
    strike_cap: float | None
    url: str | None
    slug: str | None
    token_ids: list[str]
    origin: Origin
    observed_at: datetime | None
    updated_at: datetime
    linked_market_ids: list[str] = []
    stale: bool = False
    """Whether the market's price or status is too old to rely on. Always False in rows as read
    here; `MarketService` sets it, and also shows a market as closed once its close has passed
    without news from its venue."""


_STORED_COLUMNS = tuple(f for f in StoredMarket.__struct_fields__ if f != "stale")


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """The conditions that the markets of a list must meet; None: no condition."""

    ids: list[str] | None = None
    platform: Platform | None = None
    status: Status | None = None
    """Only markets that are shown with this status. A market whose close has passed with no update
    since is shown as closed."""
    stale: bool | None = None
    category: str | None = None
    event_id: str | None = None
    q: str | None = None
    closes_before: datetime | None = None
    closes_after: datetime | None = None
    min_volume: float | None = None


class Position(msgspec.Struct, frozen=True):
    """Where a page of the list of markets ended. `value` is the last market's value of the sort
    column: a float for volume, an ISO time for the other columns, None if the market has no value.
    `seq` is that market's serial number."""

    value: float | str | None
    seq: int


class PlatformCount(NamedTuple):
    """The number of markets with the same venue, origin (synced, imported or sample) and status,
    and how fresh their data are. The status is the one that answers show: an overdue market counts
    as closed."""

    platform: Platform
    status: Status
    origin: Origin
    markets: int
    stale: int
    observed_at: datetime | None
    price_as_of: datetime | None


class Quote(NamedTuple):
    """A market's current prices, and the other fields that watchlists and the browser extension
    need. Meaning as in `records.Market`."""

    id: str
    seq: int
    platform: Platform
    question: str
    outcomes: list[str]
    prices: list[float | None]
    price_as_of: datetime | None
    status: Status
    resolution: str | None
    closes_at: datetime | None
    best_bid: float | None
    best_ask: float | None
    volume: float | None
    volume_24h: float | None
    url: str | None
    origin: Origin
    observed_at: datetime | None


def _stored(*values: Any) -> StoredMarket:
    return StoredMarket(**dict(zip(_STORED_COLUMNS, values, strict=True)))


async def _fetch_stored(conn: Connection, rest: str, params: dict[str, Any]) -> list[StoredMarket]:
    async with conn.cursor(row_factory=args_row(_stored), binary=True) as cursor:
        query = f"select {', '.join(_STORED_COLUMNS)} from markets {rest}"  # noqa: S608
        await cursor.execute(sql(query), params)
        return await cursor.fetchall()


async def fetch(conn: Connection, ids: Sequence[str]) -> list[StoredMarket]:
    """The markets with these ids, each once, in the given order; unknown ids are left out."""
    found = await _fetch_stored(conn, "where id = any(%(ids)s)", {"ids": list(ids)})
    by_id = {m.id: m for m in found}
    return [by_id[i] for i in dict.fromkeys(ids) if i in by_id]


async def fetch_related(conn: Connection, market: StoredMarket, limit: int) -> list[StoredMarket]:
    """Other markets of the same event, followed by markets of events with the same name (the same
    family). In each of these two groups, active markets come first, and more traded ones before
    less traded ones."""
    return await _fetch_stored(
        conn,
        """
        where seq <> %(seq)s
          and ((platform = %(platform)s and event_id = %(event_id)s) or group_id = %(group_id)s)
        order by (platform = %(platform)s and event_id is not distinct from %(event_id)s) desc,
                 status, volume desc nulls last, seq
        limit %(limit)s
        """,
        {
            "seq": market.seq, "platform": market.platform, "event_id": market.event_id,
            "group_id": market.group_id, "limit": limit,
        },
    )  # fmt: skip


class _Order(NamedTuple):
    key: str
    descending: bool


_ORDERS: dict[Sort, _Order] = {
    "volume": _Order("coalesce(volume, -1)", True),
    "closes_at": _Order("coalesce(closes_at, 'infinity')", False),
    "updated_at": _Order("updated_at", True),
}


# The plain comparison comes first, because the database has an index for it.
_STATUS: dict[Status, str] = {
    "active": f"status = 'active' and not {OVERDUE}",
    "closed": f"(status = 'closed' or {OVERDUE})",
    "resolved": "status = 'resolved'",
}


async def list_page(
    conn: Connection,
    filters: Filters,
    *,
    sort: Sort,
    limit: int,
    now: datetime,
    oldest: datetime,
    after: Position | None = None,
) -> list[StoredMarket]:
    """The next `limit` markets after a position. Markets without a value to sort by come last.

    `now` and `oldest` (the earliest quote time of a price that counts) decide status and staleness.

    The page starts strictly after the position's (value, seq). So no market is repeated or skipped
    because of ties, or because rows were added or removed since the previous page.
    """
    order = _ORDERS[sort]
    conditions: list[str] = []
    params: dict[str, Any] = {"limit": limit, "now": now, "oldest": oldest}
    if filters.status is not None:
        conditions.append(_STATUS[filters.status])
    if filters.stale is not None:
        conditions.append(STALE if filters.stale else f"not {STALE}")
    for name, condition in (
        ("ids", "id = any(%(ids)s)"),
        ("platform", "platform = %(platform)s"),
        ("event_id", "event_id = %(event_id)s"),
        ("category", "lower(category) = lower(%(category)s)"),
        ("closes_before", "closes_at < %(closes_before)s"),
        ("closes_after", "closes_at > %(closes_after)s"),
        ("min_volume", "coalesce(volume, -1) >= %(min_volume)s"),
    ):
        value = getattr(filters, name)
        if value is not None:
            conditions.append(condition)
            params[name] = value
    for n, word in enumerate((filters.q or "").split()):
        conditions.append(f"question ilike %(q{n})s")
        params[f"q{n}"] = f"%{_literal(word)}%"
    if after is not None:
        value = after.value
        if value is None:
            value = -1.0 if sort == "volume" else "infinity"
        cast = "float8" if sort == "volume" else "timestamptz"
        comparison = "<" if order.descending else ">"
        conditions.append(f"({order.key}, seq) {comparison} (%(after)s::{cast}, %(after_seq)s)")
        params |= {"after": value, "after_seq": after.seq}
    where = f"where {' and '.join(conditions)}" if conditions else ""
    way = "desc" if order.descending else "asc"
    return await _fetch_stored(
        conn, f"{where} order by {order.key} {way}, seq {way} limit %(limit)s", params
    )


def _literal(word: str) -> str:
    """`word` with the special characters of LIKE patterns escaped."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def position(market: StoredMarket, sort: Sort) -> Position:
    """The position of `market` in a list sorted by `sort`; the next page starts after it."""
    value = getattr(market, sort)
    return Position(value.isoformat() if isinstance(value, datetime) else value, market.seq)


async def counts_by_platform_status(
    conn: Connection, now: datetime, oldest: datetime
) -> list[PlatformCount]:
    """The number of markets by venue, shown status and origin (synced, imported or sample), and how
    fresh their data are.

    `now` and `oldest` (the earliest quote time of a price that counts) decide status and staleness.
    """
    rows = await conn.execute(
        sql(f"""
        select platform, {SHOWN_STATUS}, origin, count(*), count(*) filter (where {STALE}),
               max(observed_at), max(price_as_of)
        from markets group by 1, 2, 3 order by 1, 2, 3
        """),  # noqa: S608
        {"now": now, "oldest": oldest},
    )
    return [PlatformCount(*row) for row in await rows.fetchall()]


async def is_empty(conn: Connection) -> bool:
    """Whether the catalogue holds no market at all."""
    return await scalar(conn, "select not exists (select from markets)")


async def sample_size(conn: Connection) -> int:
    """How many markets of the sample (invented markets for a fresh installation) the catalogue
    holds."""
    return await scalar(conn, "select count(*) from markets where origin = 'sample'")


async def overdue(conn: Connection, now: datetime) -> NDArray[np.int64]:
    """Serial numbers (`seq`) of the markets that are overdue at `now`, ascending: their close has
    passed without an update from their venue since (`freshness.is_overdue`).

    Read as one binary value: an old dump has hundreds of thousands of overdue markets, and reading
    as many rows would block the event loop.
    """
    packed: bytes = await scalar(
        conn,
        f"""
        select coalesce(string_agg(int8send(seq), ''::bytea order by seq), ''::bytea) from markets
        where {OVERDUE}
        """,  # noqa: S608
        {"now": now},
        binary=True,
    )
    return np.frombuffer(packed, ">i8").astype(np.int64)


async def quotes(conn: Connection, ids: Sequence[str]) -> dict[str, Quote]:
    """The current quotes of the markets with these ids, by id; unknown ids are left out."""
    return {quote.id: quote for quote in await _quotes(conn, "id = any(%s)", list(ids))}


async def quotes_by_seq(conn: Connection, seqs: Sequence[int]) -> dict[int, Quote]:
    """The current quotes of the markets with these serial numbers (`seq`), by number; unknown
    numbers are left out."""
    return {quote.seq: quote for quote in await _quotes(conn, "seq = any(%s)", list(seqs))}


async def _quotes(conn: Connection, where: str, keys: list[Any]) -> list[Quote]:
    query = f"select {', '.join(Quote._fields)} from markets where {where}"  # noqa: S608
    rows = await conn.execute(sql(query), (keys,), binary=True)
    return [Quote(*row) for row in await rows.fetchall()]


async def members(conn: Connection, platform: str, event_id: str, limit: int) -> list[str]:
    """Ids of an event's markets, the most traded first."""
    rows = await conn.execute(
        "select id from markets where platform = %s and event_id = %s"
        " order by volume desc nulls last, seq limit %s",
        (platform, event_id, limit),
    )
    return [row[0] for row in await rows.fetchall()]

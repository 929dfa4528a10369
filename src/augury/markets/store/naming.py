"""Finds markets by any of their names: id, UUID, address of their page, slug or ticker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from augury.markets.naming import Name, VenueLink, read_name
from augury.markets.store.sql import Connection

MOST_NAMED = 5
"""Largest number of markets returned for one name. A name that several markets share identifies
none of them; the markets are only listed in an error message, so a few suffice."""


async def native_ids(conn: Connection, given: Sequence[str]) -> dict[str, str]:
    """Market ids by name: for each name in `given`, the id of the market that it identifies.

    A name is an id, a UUID, the address of the market's page (or of the page of an event that has
    only this market), a slug of Polymarket or a ticker of Kalshi. A name of no market, or of
    several, is left out.
    """
    found: dict[str, str] = {}
    names = {one: name for one in dict.fromkeys(given) if (name := read_name(one)) is not None}
    for column, value in (("id", _as_id), ("uuid", _as_uuid)):
        wanted = {one: keys for one, name in names.items() if (keys := value(name))}
        if not wanted:
            continue
        rows = await conn.execute(
            f"select {column}, id from markets where {column} = any(%s::{_TYPES[column]}[])",  # type: ignore[arg-type]  # noqa: S608
            ([key for keys in wanted.values() for key in keys],),
        )
        known = {str(key): id_ for key, id_ in await rows.fetchall()}
        found |= {
            one: known[key] for one, keys in wanted.items() for key in keys[::-1] if key in known
        }
    for one, name in names.items():
        if one not in found and name.kind in ("page", "slug"):
            markets = await named_by(conn, name)
            if len(markets) == 1:
                found[one] = markets[0]
    return {one: found[one] for one in names if one in found}


_TYPES = {"id": "text", "uuid": "uuid"}


def _as_id(name: Name) -> list[str]:
    """The market ids that `name` may stand for, the likelier first. Empty unless `name` is an id or
    the address of a page at Kalshi."""
    if name.kind == "page" and name.link is not None and name.link.platform == "kalshi":
        return [f"kalshi:{name.link.market}"] if name.link.market else []
    if name.kind != "id":
        return []
    platform, _, own = name.value.partition(":")
    platform = platform.lower()
    return [f"{platform}:{own}", *([f"kalshi:{own.upper()}"] if platform == "kalshi" else [])]


def _as_uuid(name: Name) -> list[str]:
    return [name.value] if name.kind == "uuid" else []


async def named_by(conn: Connection, name: Name) -> list[str]:
    """Ids of the markets that a slug, or the address of a page at a venue, stands for, at most
    `MOST_NAMED`."""
    if name.kind == "slug":
        return await _select(
            conn, "slug = %(slug)s or id = %(ticker)s",
            slug=name.value.lower(), ticker=f"kalshi:{name.value.upper()}",
        )  # fmt: skip
    link = name.link or VenueLink("polymarket", None, None)
    if link.platform == "kalshi":
        return await _select(
            conn, "platform = 'kalshi' and event_id = %(event)s", event=link.market or link.event
        )
    if link.market:
        return await _select(conn, "platform = 'polymarket' and slug = %(slug)s", slug=link.market)
    return await _select(
        conn,
        "platform = 'polymarket' and (slug = %(slug)s or url = %(url)s)",
        slug=link.event,
        url=f"https://polymarket.com/event/{link.event}",
    )


async def _select(conn: Connection, where: str, **params: Any) -> list[str]:
    rows = await conn.execute(
        f"select id from markets where {where} order by seq limit {MOST_NAMED}",  # type: ignore[arg-type]  # noqa: S608
        params,
    )
    return [row[0] for row in await rows.fetchall()]

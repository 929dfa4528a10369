"""Parses the names by which a market can be looked up: its id, its UUID, the address of its page at
its venue, its slug. Pure.

Every parameter that takes a market id accepts any of these names; `store.native_ids` finds the
market.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote
from uuid import UUID

MAX_NAME: Final = 1_000
"""A text longer than this, in characters, is not looked up as a name of a market (id, UUID, address
or slug)."""


@dataclass(frozen=True, slots=True)
class VenueLink:
    """The parts of the address of a page at a venue.

    Polymarket: `event` and `market` are slugs. Kalshi: `event` is the series ticker, and `market`
    the ticker of an event or market of that series (the address does not tell which).
    """

    platform: Literal["polymarket", "kalshi"]
    event: str | None
    market: str | None
    words: str = ""
    """The words in the address: "fed decision" of ".../fed-decision". They become the search text
    if the query has no other words."""


_LINK = re.compile(
    r"(?:https?://)?(?:[a-z]{2,6}\.)?(?P<host>polymarket\.com|kalshi\.com)"
    r"(?:/[a-z]{2}(?=/))?/(?P<path>[^\s\"'<>]{1,500})",
    re.IGNORECASE,
)

_SLUG_WORD = re.compile(r"[-_/]+")
_UUID = re.compile(
    r"(?:urn:uuid:)?(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
    re.IGNORECASE | re.ASCII,
)


class Name(NamedTuple):
    """A name that a market can be looked up by, and its kind: id, UUID, address of a page, or
    slug."""

    kind: Literal["id", "uuid", "page", "slug"]
    value: str
    link: VenueLink | None = None
    """The parsed address, if `kind` is `page`."""


def read_name(given: str) -> Name | None:
    """Parse `given` as the name of a market: the name's kind (id, UUID, address or slug) and its
    value. None for text that cannot name a market.

    A name is `polymarket:<id>` or `kalshi:<ticker>` (tickers in upper or lower case), a UUID as in
    RFC 9562, or an address at polymarket.com or kalshi.com. Any other text is taken as a slug of
    Polymarket or a ticker of Kalshi.
    """
    given = given.strip()
    if not given or len(given) > MAX_NAME or "\0" in given:
        return None
    if _UUID.fullmatch(given):
        return Name("uuid", str(UUID(given)))
    if (address := _LINK.fullmatch(given)) is not None:
        link = _link(address["host"], address["path"])
        return Name("page", given, link) if link else None
    platform, colon, _ = given.partition(":")
    if colon and platform.lower() in ("polymarket", "kalshi"):
        return Name("id", given)
    return Name("slug", given)


def take_links(text: str) -> tuple[str, list[VenueLink]]:
    """Take the addresses of venue pages out of `text`. Returns the remaining text, and one
    `VenueLink` for each address that can name a market or event."""
    found = (_link(match["host"], match["path"]) for match in _LINK.finditer(text))
    return _LINK.sub(" ", text), [link for link in found if link is not None]


def _link(host: str, path: str) -> VenueLink | None:
    path = unquote(path.split("?")[0].split("#")[0])
    if "\0" in path:  # names no market, and PostgreSQL refuses text with NUL
        return None
    parts = [part for part in path.rstrip("/.,;:!?)").split("/") if part]
    if len(parts) < 2:
        return None
    section, *rest = parts
    if host.lower() == "polymarket.com":
        if section.lower() not in ("event", "market"):
            return None
        event, market = rest[0].lower(), rest[1].lower() if rest[1:] else None
        if section.lower() == "market":
            event, market = None, event
        return VenueLink("polymarket", event, market, _unslug(market or event or ""))
    if section.lower() not in ("markets", "events"):
        return None
    # /markets/<series>[/<words>[/<ticker>]]; tickers of events and markets begin with the series'
    series = rest[0].upper()
    tickers = [part for part in rest[1:] if part.upper().startswith(series)]
    spoken = [part for part in rest[1:] if part not in tickers]
    ticker = tickers[-1].upper() if tickers else None
    return VenueLink("kalshi", series, ticker, _unslug(" ".join(spoken)))


def _unslug(slug: str) -> str:
    return " ".join(_SLUG_WORD.sub(" ", slug).split())

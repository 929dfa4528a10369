"""Readings of markets (what was read from their texts: what they assert, terms, names ...), packed
to be stored with the catalogue. Pure.

Making a reading takes thirty times as long as unpacking a stored one. A stored reading is used only
if this version of the code made it from the market's present text, so that forecasts are the same
with and without it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, Protocol

import msgspec

from augury import caches
from augury.forecast import cues, names, polarity, view
from augury.forecast.view import Words
from augury.language import calendar, numerals
from augury.markets import quantities
from augury.propositions import (
    ahead,
    blanked_text,
    claims,
    dates,
    games,
    negations,
    predicates,
    proposition,
    reading,
    teams,
    thresholds,
    time_words,
    windows,
    wording,
    written_dates,
)
from augury.propositions.reading import Readable, read_market
from augury.search import aliases, text

MODULES: Final = (
    ahead, aliases, blanked_text, caches, calendar, claims, cues, dates, games, names, negations,
    numerals, polarity, predicates, proposition, quantities, reading, teams, text,
    thresholds, time_words, view, windows, wording, written_dates,
)  # fmt: skip
"""All modules whose code influences what is read from a market's text. If one of them changes, what
was read and stored before is read again."""
RULES_CHARACTERS: Final = 1_500
"""Of a market's rules, only this many characters at the beginning are read and compared with
questions."""
MAX_SIDES: Final = 8
"""Only the first `MAX_SIDES` outcomes of a market are read and compared with questions."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[Words])


class ReadableMarket(Readable, Protocol):
    """A market with the fields that are needed to read its text, e.g. `evidence.Snapshot` or
    `markets.store.IndexRow`."""

    @property
    def description(self) -> str | None: ...
    @property
    def strike_kind(self) -> str | None: ...
    @property
    def strike_floor(self) -> float | None: ...
    @property
    def strike_cap(self) -> float | None: ...


@cache
def code() -> str:
    """An identifier of the code that reads markets' texts, 16 hexadecimal digits. It changes with
    the code of any of `MODULES`."""
    digest = hashlib.sha256()
    for module in MODULES:
        digest.update(Path(str(module.__file__)).read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()[:16]


def digest(market: ReadableMarket) -> bytes:
    """Hash, 8 bytes, of everything that determines how a market's text is understood: the fields of
    the market that are used, and the version of the code that reads them."""
    fields = (
        code(), market.question, market.title, market.subtitle,
        (market.description or "")[:RULES_CHARACTERS],
        market.outcomes, market.event_id, market.event_name, market.slug, market.closes_at,
        market.created_at, market.strike_kind, market.strike_floor, market.strike_cap,
    )  # fmt: skip
    return hashlib.blake2b(_encoder.encode(fields), digest_size=8).digest()


def sides(market: ReadableMarket) -> Sequence[int]:
    """Indices of the market outcomes that are read and compared with questions, at most
    `MAX_SIDES`. If the outcomes are a pair such as Yes and No or Over and Under, only the first is
    read, because the second is its complement."""
    labels = tuple(label.casefold() for label in market.outcomes)
    if labels in (("yes", "no"), ("up", "down"), ("over", "under"), ("long", "short")):
        return (0,)
    return range(min(len(labels), MAX_SIDES))


def read(market: ReadableMarket, outcome: int) -> Words:
    """Read a market's text (subject, level, window ...) as the assertion that the outcome with the
    index `outcome` comes true."""
    return cues.read(
        read_market(market, outcome),
        market.question,
        context=f"{market.event_name or ''} {(market.description or '')[:RULES_CHARACTERS]}",
        closes=market.closes_at.date() if market.closes_at else None,
    )


def packed(market: ReadableMarket) -> bytes:
    """Read a market's text for each of its outcomes that are compared with questions (`sides`), and
    pack the result to be stored."""
    return _encoder.encode([read(market, outcome) for outcome in sides(market)])


def unpacked(kept: bytes) -> list[Words]:
    """Undo `packed`: turn the bytes `kept` back into what was read from a market's text. Returns
    one item for each outcome that is compared with questions, in the order of `sides`."""
    return _decoder.decode(kept)

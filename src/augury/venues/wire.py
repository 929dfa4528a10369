"""Parses untrusted values in answers of venues: text, numbers, prices, times.

A value that can't be read becomes None, so that one changed optional field does not make the whole
record unusable. The only error raised is `BadPrice`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

QUESTION_LIMIT = 1_000
LABEL_LIMIT = 300
TEXT_LIMIT = 20_000
TAG_LIMIT = 50

WIDE_SPREAD = 0.10
"""If a market's spread (ask minus bid, in probability) is larger than this, its price is the last
trade instead of the midpoint of bid and ask."""
EMPTY_BOOK = (0.01, 0.99)
"""An order book counts as empty, i.e. nobody is quoting, if its bid is at most the first of these
two probabilities and its ask at least the second."""

Wire = Mapping[str, Any]


class BadPrice(ValueError):
    """Raised for a price outside [0, 1]: the whole record that holds it can't be trusted."""


# Control characters except tab and newline, and characters that change the direction of text, so
# that it is displayed differently from how it is stored.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def text(value: object, limit: int = LABEL_LIMIT) -> str | None:
    """`value` as text without control characters, at most `limit` code points long; None if nothing
    is left."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    cleaned = _UNPRINTABLE.sub("", value).strip()
    if len(cleaned) > limit:
        cleaned = cleaned[: limit - 1].rstrip() + "…"
    return cleaned or None


def line(value: object, limit: int = LABEL_LIMIT) -> str | None:
    """`value` as text on one line, without control characters and without the markdown bold that
    venues put into titles; None if nothing is left."""
    cleaned = text(value, limit * 2)
    if cleaned is None:
        return None
    return text(" ".join(cleaned.replace("**", "").split()), limit)


def identifier(value: object, limit: int = 200) -> str | None:
    """`value`, an id, as text; some API versions send decimal ids as numbers. None if it is not an
    id."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    cleaned = str(value).strip()
    if not cleaned or len(cleaned) > limit or not cleaned.isprintable() or " " in cleaned:
        return None
    return cleaned


def number(value: object) -> float | None:
    """`value` as a finite number, also from a decimal string; None if it is not one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) and abs(result) < 1e15 else None


def amount(value: object) -> float | None:
    """`value` as a number that can't be negative (volume, open interest); None if it is not one."""
    result = number(value)
    return None if result is None or result < 0 else result


def flag(value: object) -> bool | None:
    """`value` as a boolean, also from the words "true" and "false"; None for anything else."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(str(value).strip().casefold())


def probability(value: object) -> float | None:
    """`value`, the price in dollars of a contract that pays 1, as a probability; None if it is not
    a number.

    Raises
    ------
    BadPrice
        When the number is outside [0, 1].
    """
    result = number(value)
    if result is None:
        return None
    if not 0 <= result <= 1:
        raise BadPrice(f"{result:g}")
    return result


_POSTGRES_ZONE = re.compile(r"([+-]\d{2})$")


def moment(value: object) -> datetime | None:
    """A time in UTC from ISO 8601, PostgreSQL's text form, or epoch seconds or milliseconds.

    Epoch values above 1e11 are milliseconds: as seconds they would be past the year 5000. A time
    without a zone is UTC. A time outside the years 2000 to 2200 gives None.
    """
    found: datetime | None = None
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if abs(value) > 1e11 else float(value)
        try:
            found = datetime.fromtimestamp(seconds, UTC)
        except (OverflowError, ValueError, OSError):
            return None
    elif isinstance(value, str):
        stripped = value.strip()
        if stripped.isdecimal() and len(stripped) >= 9:
            return moment(int(stripped[:20]))
        try:
            found = datetime.fromisoformat(_POSTGRES_ZONE.sub(r"\1:00", stripped[:40]))
        except ValueError:
            return None
    elif isinstance(value, datetime):
        found = value
    if found is None:
        return None
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found
    try:
        found = found.astimezone(UTC)
    except OverflowError:
        return None
    return found if 2000 <= found.year <= 2200 else None


def items(value: object) -> list[Any] | None:
    """`value` as a list, also from a JSON string of a list; None for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, list) else None


def labels(values: Iterable[object]) -> tuple[str, ...]:
    """Tags as clean text, in the given order, without duplicates, at most `TAG_LIMIT` of them."""
    found: dict[str, None] = {}
    for value in values:
        if (label := line(value, 100)) is not None:
            found.setdefault(label)
        if len(found) >= TAG_LIMIT:
            break
    return tuple(found)


def two_sided(bid: float | None, ask: float | None) -> bool:
    """Whether bid and ask are both quoted, do not cross, and are not those of an empty book
    (`EMPTY_BOOK`)."""
    if bid is None or ask is None or not 0 < bid <= ask < 1:
        return False
    return not (bid <= EMPTY_BOOK[0] and ask >= EMPTY_BOOK[1])


def quote(bid: float | None, ask: float | None, last: float | None) -> float | None:
    """The price of an open market's first outcome from its best bid, best ask and last trade; None
    for "no quote".

    If bid and ask are both quoted, do not cross and are not those of an empty book (`two_sided`),
    the price is their midpoint. If the spread is wider than `WIDE_SPREAD`, the price is instead the
    last trade, moved into the range from bid to ask.

    In all other cases, the price is the last trade. If the last trade is below the bid, the price
    is the bid. If it is above the ask, the price is the ask. A side that is not quoted is ignored.
    Both sides are ignored if they cross.

    A last trade of 0 or 1 is always ignored.
    """
    traded = last if last is not None and 0 < last < 1 else None
    if two_sided(bid, ask):
        assert bid is not None
        assert ask is not None
        if ask - bid <= WIDE_SPREAD + 1e-9:
            return round((bid + ask) / 2, 6)
        return None if traded is None else min(max(traded, bid), ask)
    if traded is None:
        return None
    crossed = bid is not None and ask is not None and bid > ask
    if not crossed:
        if ask is not None and 0 < ask < 1:
            traded = min(traded, ask)
        if bid is not None and 0 < bid < 1:
            traded = max(traded, bid)
    return traded


# "Player Y", "Placeholder 20", "Will Artist 27 be ...": markets that a venue reserves for names not
# known yet. "Game 2 Winner" and "Queen (Player 817)" are real, hence the anchors.
_SLOT = (
    "player|person|candidate|party|team|company|option|individual|artist|country|movie|film|song"
    "|driver|club|actor|actress|nominee|show|album|book|model|city|state|contestant|other option"
)
_PLACEHOLDER = re.compile(
    r"\bplaceholder\b"
    rf"|^(?:{_SLOT})\s+(?:[a-z]{{1,2}}|\d{{1,3}})$"
    rf"|^will\s+(?:the\s+)?(?:{_SLOT})\s+(?-i:[A-Z]{{1,2}}|\d{{1,3}})\s+(?!of\b)[a-z]"
    r"|^(?:tbd|tba|n/a)$",
    re.IGNORECASE,
)


def is_placeholder(question: str | None, label: str | None) -> bool:
    """Whether a market's question or label has a placeholder, e.g. "Player Y", instead of a name
    that is not known yet."""
    return any(part is not None and _PLACEHOLDER.search(part) for part in (question, label))

"""Makes the ids of new records, `<prefix>_<uuid7>`, which sort by time of creation, and derives the
UUID of a market from the market's id."""

from __future__ import annotations

import os
import time
import uuid

_RANDOM = (1 << 74) - 1
_VERSION_AND_VARIANT = 7 << 76 | 2 << 62


def new_id(prefix: str) -> str:
    """A new id: `prefix`, an underscore, and a version 7 UUID (RFC 9562: 48 bits of milliseconds,
    74 random bits) as 32 hex digits."""
    random = int.from_bytes(os.urandom(10)) & _RANDOM
    # The version sits between the upper 12 and the lower 62 random bits.
    value = (random >> 62) << 64 | random & ((1 << 62) - 1)
    return f"{prefix}_{(time.time_ns() // 1_000_000) << 80 | _VERSION_AND_VARIANT | value:032x}"


def market_uuid(market_id: str) -> uuid.UUID:
    """The UUID (RFC 9562, version 5, namespace URL) derived from a market's id, e.g.
    `kalshi:<ticker>`. The same market has the same UUID on every installation."""
    return uuid.uuid5(uuid.NAMESPACE_URL, market_id)

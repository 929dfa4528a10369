"""Ids of records made here, `<prefix>_<uuid7>` (they sort by time of creation), and the UUID of a
market, which is derived from its own id."""

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
    """The version 5 UUID (RFC 9562, namespace URL) of a market's own id, like `kalshi:<ticker>`.

    Always the same for the same market, on every instance.
    """
    return uuid.uuid5(uuid.NAMESPACE_URL, market_id)

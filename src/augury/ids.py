"""Ids of things made here: `<prefix>_<ulid>`, sortable by the time they were made."""

from __future__ import annotations

import os
import time

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SHIFTS = range(125, -1, -5)


def new_id(prefix: str) -> str:
    """48 bits of milliseconds and 80 random bits, in Crockford's base 32."""
    value = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10))
    return f"{prefix}_" + "".join([_CROCKFORD[value >> shift & 31] for shift in _SHIFTS])

"""API keys: their form, how they are made and recognized, and what their scopes allow. Pure.

A key reads `aug_<prefix>_<secret>`: eight characters to look it up by, and 32 random bytes in
base 62. Only the SHA-256 of the whole key is stored; a slow hash would buy nothing against
guessing 256 bits.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
PREFIX_LENGTH = 8
SECRET_BYTES = 32
_SECRET_LENGTH = 43  # 62**43 > 256**32
_FORM = re.compile(r"aug_([0-9A-Za-z]{8})_[0-9A-Za-z]{43}", re.ASCII)

SCOPES: dict[str, str] = {
    "search:read": "Search, markets and the browser extension's routes, at the limits for keys.",
    "forecast:read": "Forecasts and causal graphs.",
    "rvol:read": "Realized volatility, while the account is approved for it.",
    "watch:write": "Watchlists, their deliveries and external series of the key's account.",
    "macro:read": "Requests that are forwarded to the macro runtime (/v1/macro-runtime).",
    "metrics:read": "Metrics for Prometheus at /metrics.",
    "internal": "Routes under /internal/v1, such as graph jobs; not those of the scope admin.",
    "admin": "Keys, accounts and imports, and an overview of the service's settings.",
}
LEGACY = "*"
EXPLICIT = frozenset({"forecast:read", "rvol:read", "metrics:read", "internal", "admin"})
"""Scopes that the legacy scope `*` does not include. A key has one of them only if the key's list
of scopes names it."""


class NewKey(NamedTuple):
    """A newly made API key; its full `text` is shown once and never stored."""

    text: str
    prefix: str
    digest: bytes


def mint() -> NewKey:
    """Make a new random API key."""
    prefix = "".join(secrets.choice(ALPHABET) for _ in range(PREFIX_LENGTH))
    number = int.from_bytes(secrets.token_bytes(SECRET_BYTES))
    digits = []
    for _ in range(_SECRET_LENGTH):
        number, digit = divmod(number, 62)
        digits.append(ALPHABET[digit])
    text = f"aug_{prefix}_{''.join(reversed(digits))}"
    return NewKey(text, prefix, digest(text))


def prefix_of(token: str) -> str | None:
    """The part of an API key by which it is looked up: `aug_<prefix>_<secret>` -> `<prefix>`. None
    for a text of another form."""
    found = _FORM.fullmatch(token)
    return found[1] if found else None


def digest(token: str) -> bytes:
    """The SHA-256 of an API key's text; it is stored in place of the key."""
    return hashlib.sha256(token.encode()).digest()


def matches(token_digest: bytes, stored: bytes) -> bool:
    """Whether the digest of a given key equals the stored one, compared in a time that does not
    depend on where they differ."""
    return hmac.compare_digest(token_digest, stored)


def grants(scopes: frozenset[str], wanted: str) -> bool:
    """Whether a key with `scopes` has the scope `wanted`, by its name or through the legacy scope
    `*`."""
    return wanted in scopes or (LEGACY in scopes and wanted not in EXPLICIT)

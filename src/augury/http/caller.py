"""Who makes a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request, after every check of its gate."""

    kind: Literal["anonymous", "key", "session"]
    tier: Literal["anonymous", "keyed"]
    """Whose limits hold: a key without `search:read` searches at the anonymous tier."""
    account_id: str | None
    key_id: str | None
    scopes: frozenset[str]
    rate_key: str

    @property
    def account(self) -> str:
        """The account's id, for routes whose gate lets nobody without one through; else empty."""
        return self.account_id or ""

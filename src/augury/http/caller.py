"""Who makes a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request: an account with its scopes, or nobody (anonymous). Determined by
    `callers.Gate`, the check of callers."""

    kind: Literal["anonymous", "key", "session"]
    tier: Literal["anonymous", "keyed"]
    """Which limits apply: "keyed" if the key grants the scope that the route asks for, else
    "anonymous". A key without `search:read` searches at the anonymous limits."""
    account_id: str | None
    key_id: str | None
    scopes: frozenset[str]
    rate_key: str

    @property
    def account(self) -> str:
        """The account's id; empty for an anonymous caller. Used by routes that admit no anonymous
        callers."""
        return self.account_id or ""

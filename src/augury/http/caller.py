"""Who makes a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request: an account with its scopes, or nobody (anonymous). Determined by
    `callers.Gate`, which checks keys, sessions, scopes and limits."""

    kind: Literal["anonymous", "key", "session"]
    tier: Literal["anonymous", "keyed"]
    """Which rate limits apply: "keyed" if the caller's key grants the scope that belongs to the
    route, else "anonymous". E.g. a key without `search:read` may search, but at the anonymous
    limits."""
    account_id: str | None
    key_id: str | None
    scopes: frozenset[str]
    rate_key: str

    @property
    def account(self) -> str:
        """The account's id, or an empty string for an anonymous caller. It is meant for routes that
        admit no anonymous callers: their code needs no check for None."""
        return self.account_id or ""

"""Who makes a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request, as its route's checks (`callers.Gate`) have found."""

    kind: Literal["anonymous", "key", "session"]
    tier: Literal["anonymous", "keyed"]
    """Limits that apply: "keyed" if the key grants the scope of the route, else "anonymous". A key
    without `search:read` searches at the anonymous limits."""
    account_id: str | None
    key_id: str | None
    scopes: frozenset[str]
    rate_key: str

    @property
    def account(self) -> str:
        """The account's id; empty for an anonymous caller. For routes that
        admit no anonymous callers."""
        return self.account_id or ""

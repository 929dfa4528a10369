"""Accounts, keys and sessions as they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Account:
    """An account: the owner of API keys, watchlists and series."""

    id: str
    name: str
    rvol_approved: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key as it may be shown, without its secret."""

    id: str
    account_id: str
    account: str
    prefix: str
    scopes: list[str]
    label: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    """When the key was last used, to the minute; None: never."""


@dataclass(frozen=True, slots=True)
class StoredKey:
    """The fields of a stored API key that authentication needs."""

    id: str
    account_id: str
    secret_hash: bytes
    scopes: list[str]
    expires_at: datetime | None
    revoked_at: datetime | None
    rvol_approved: bool
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A stored session of a browser in the console. If an API key opened it, the fields `key_...`
    have the key's current data."""

    id: str
    account_id: str
    account: str
    key_id: str | None
    scopes: list[str]
    key_scopes: list[str] | None
    key_expires_at: datetime | None
    rvol_approved: bool
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a valid API key or a session of the console belongs to: an account, and the scopes
    granted."""

    key_id: str
    """Id of the API key; for a session that was opened without a key, the session's id."""
    account_id: str
    scopes: frozenset[str]
    rvol_approved: bool
    expires_at: datetime | None

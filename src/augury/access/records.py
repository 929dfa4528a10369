"""Accounts and keys as they are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Account:
    """Who keys belong to."""

    id: str
    name: str
    rvol_approved: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key, without anything it could be used with."""

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
    """What authentication compares with."""

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
    """A session of the console as it is kept."""

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
    """Whom a valid key, or a session of the console, stands for."""

    key_id: str
    """Id of the key; for a session that was opened without a key, the session's id."""
    account_id: str
    scopes: frozenset[str]
    rvol_approved: bool
    expires_at: datetime | None

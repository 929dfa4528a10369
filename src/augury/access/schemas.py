"""Request and answer models of sessions, keys and accounts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from augury import clock
from augury.access.keys import LEGACY, SCOPES
from augury.access.records import Account, ApiKey
from augury.http.examples import request_example

Scope = Annotated[str, Field(max_length=40, strict=True)]
_KEY: dict[str, Any] = {
    "id": "key_019f3a5c7e1b7d2aa0c4b1f2d3e4f5a6",
    "account": "research",
    "prefix": "f0YAVz8r",
    "scopes": ["search:read", "forecast:read"],
    "label": "notebook",
    "state": "active",
    "created_at": "2026-11-20T08:00:00Z",
    "expires_at": None,
    "revoked_at": None,
    "last_used_at": "2026-11-21T09:30:00Z",
}
_SESSION: dict[str, Any] = {
    "signed_in": True,
    "account": "operator",
    "by": "link",
    "scopes": ["search:read", "forecast:read"],
    "csrf": "3f1c…",
    "expires_at": "2026-11-28T08:00:00Z",
    "version": "0.1.0",
    "top_k": 50,
}


class SignIn(BaseModel):
    """An API key, or the secret of a one-time link: exactly one of them."""

    model_config = request_example(key="aug_f0YAVz8r_…")

    key: str | None = Field(None, max_length=200, strict=True)
    link: str | None = Field(None, max_length=200, strict=True)

    @model_validator(mode="after")
    def _one(self) -> SignIn:
        if (self.key is None) == (self.link is None):
            raise ValueError("give either key or link, not both")
        return self


class SessionState(BaseModel):
    """Who is signed in here, and what they may do."""

    model_config = request_example(**_SESSION)

    signed_in: bool
    account: str | None
    by: Literal["key", "link"] | None
    scopes: list[str]
    csrf: str | None = Field(description="Send it as the header X-CSRF-Token with every change.")
    expires_at: datetime | None
    version: str
    top_k: int = Field(description="Largest top_k_per_dimension of a search.")


class KeyRequest(BaseModel):
    """A new key."""

    model_config = request_example(account="research", scopes=["search:read"], label="notebook")

    account: str = Field(min_length=1, max_length=200, strict=True)
    scopes: list[Scope] = Field(min_length=1, max_length=10)
    label: str | None = Field(None, max_length=200, strict=True)
    expires_in_days: float | None = Field(None, gt=0, le=36_500)


class KeyRotation(BaseModel):
    """How long the old key stays valid after the new one is made."""

    model_config = request_example(grace_hours=24)

    grace_hours: float = Field(24, ge=0, le=8_760)


class KeyRecord(BaseModel):
    """A key, without its secret."""

    model_config = request_example(**_KEY)

    id: str
    account: str
    prefix: str
    scopes: list[str]
    label: str | None
    state: Literal["active", "expired", "revoked"]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None = Field(description="When the key was last used, to the minute.")


class KeyMade(KeyRecord):
    """A new key with its text, which is shown this once."""

    model_config = request_example(**_KEY, key="aug_f0YAVz8r_…")

    key: str


class KeyList(BaseModel):
    """All keys, oldest first, and the scopes there are."""

    model_config = request_example(items=[_KEY], next_cursor=None, scopes=SCOPES)

    items: list[KeyRecord]
    next_cursor: None = None
    scopes: dict[str, str] = Field(default=SCOPES | {LEGACY: "All but the explicit scopes."})


class AccountRecord(BaseModel):
    """An account, and whether its keys may read realized volatility."""

    model_config = request_example(
        id="acc_019f3a5c7e1b7d2aa0c4b1f2d3e4f5a6",
        name="research",
        rvol_approved=True,
        created_at="2026-11-20T08:00:00Z",
    )

    id: str
    name: str
    rvol_approved: bool
    created_at: datetime


class AccountList(BaseModel):
    """All accounts by name."""

    items: list[AccountRecord]
    next_cursor: None = None


class AccountChange(BaseModel):
    """What an account is approved for."""

    model_config = request_example(rvol_approved=True)

    name: str = Field(min_length=1, max_length=200, strict=True)
    rvol_approved: bool = Field(strict=True)


def state_of(key: ApiKey) -> Literal["active", "expired", "revoked"]:
    """Whether a key is active, expired or revoked."""
    if key.revoked_at:
        return "revoked"
    return "expired" if key.expires_at and key.expires_at <= clock.now() else "active"


def key_record(key: ApiKey) -> dict[str, Any]:
    """A key, as the fields of `KeyRecord`."""
    fields = {name: getattr(key, name) for name in KeyRecord.model_fields if name != "state"}
    return fields | {"state": state_of(key)}


def account_record(account: Account) -> dict[str, Any]:
    """An account, as the fields of `AccountRecord`."""
    return {name: getattr(account, name) for name in AccountRecord.model_fields}

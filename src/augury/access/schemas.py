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
    """Credentials to sign in with: an API key, or the secret of a one-time link, but not both."""

    model_config = request_example(key="aug_f0YAVz8r_…")

    key: str | None = Field(None, max_length=200, strict=True, description="The API key.")
    link: str | None = Field(
        None,
        max_length=200,
        strict=True,
        description="Secret of the one-time link that `augury serve` prints.",
    )

    @model_validator(mode="after")
    def _one(self) -> SignIn:
        if (self.key is None) == (self.link is None):
            raise ValueError("give exactly one of key and link")
        return self


class SessionState(BaseModel):
    """Who is signed in with this browser, and what they may do."""

    model_config = request_example(**_SESSION)

    signed_in: bool
    account: str | None = Field(description="Name of the account. Null: nobody is signed in.")
    by: Literal["key", "link"] | None = Field(
        description="How the account signed in: with an API key, or with a one-time link. Null: "
        "nobody is signed in."
    )
    scopes: list[str] = Field(
        description="Scopes of the session: what it may do, e.g. search:read. Empty: nobody is "
        "signed in."
    )
    csrf: str | None = Field(
        description="Send this as the header X-CSRF-Token with every request that changes "
        "something. Null: nobody is signed in."
    )
    expires_at: datetime | None = Field(
        description="When the session ends. Null: nobody is signed in."
    )
    version: str = Field(description="Version of the service.")
    top_k: int = Field(
        description="Maximum number of search results per relation that the console may ask for "
        "in this session (request field top_k_per_dimension)."
    )


class KeyRequest(BaseModel):
    """An API key to create: its account, its scopes and its lifetime."""

    model_config = request_example(account="research", scopes=["search:read"], label="notebook")

    account: str = Field(
        min_length=1,
        max_length=200,
        strict=True,
        description="Name of the account that the key belongs to. A new name creates the account.",
    )
    scopes: list[Scope] = Field(
        min_length=1, max_length=10, description="Scopes: what the key may do, e.g. search:read."
    )
    label: str | None = Field(
        None, max_length=200, strict=True, description="Text to recognize the key by."
    )
    expires_in_days: float | None = Field(
        None, gt=0, le=36_500, description="Days until the key expires. Null: it never does."
    )


class KeyRotation(BaseModel):
    """How to replace an API key: how long the old key stays valid after the new one is made."""

    model_config = request_example(grace_hours=24)

    grace_hours: float = Field(
        24, ge=0, le=8_760, description="Hours until the old key stops working. 0: at once."
    )


class KeyRecord(BaseModel):
    """An API key, without its secret."""

    model_config = request_example(**_KEY)

    id: str
    account: str
    prefix: str = Field(description="The key's first eight characters after `aug_`.")
    scopes: list[str] = Field(description="Scopes: what the key may do, e.g. search:read.")
    label: str | None = Field(description="Text to recognize the key by. Null: none was given.")
    state: Literal["active", "expired", "revoked"]
    created_at: datetime
    expires_at: datetime | None = Field(description="When the key expires. Null: never.")
    revoked_at: datetime | None = Field(
        description="When the key was revoked. Null: it is not revoked."
    )
    last_used_at: datetime | None = Field(
        description="When the key was last used, to the minute. Null: never."
    )


class KeyMade(KeyRecord):
    """A new API key with its text, which is shown only in this answer."""

    model_config = request_example(**_KEY, key="aug_f0YAVz8r_…")

    key: str = Field(description="The text of the key, to be sent with requests.")


class KeyList(BaseModel):
    """All API keys, oldest first, and the meaning of every scope. Temporary keys that commands made
    for themselves are left out."""

    model_config = request_example(items=[_KEY], next_cursor=None, scopes=SCOPES)

    items: list[KeyRecord]
    next_cursor: None = None
    scopes: dict[str, str] = Field(
        default=SCOPES
        | {LEGACY: "All scopes except forecast:read, rvol:read, metrics:read, internal and admin."},
        description="Meaning of every scope, by its name.",
    )


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
    rvol_approved: bool = Field(
        description="Whether the account is approved for realized volatility. A key can read it "
        "only if its account is approved and the key has the scope rvol:read."
    )
    created_at: datetime


class AccountList(BaseModel):
    """All accounts, sorted by name."""

    items: list[AccountRecord]
    next_cursor: None = None


class AccountChange(BaseModel):
    """Which account to change, and whether its keys may read realized volatility."""

    model_config = request_example(rvol_approved=True)

    name: str = Field(min_length=1, max_length=200, strict=True, description="Name of the account.")
    rvol_approved: bool = Field(
        strict=True,
        description="Whether the account is approved for realized volatility. A key can read it "
        "only if its account is approved and the key has the scope rvol:read.",
    )


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

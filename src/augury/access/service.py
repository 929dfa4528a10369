"""Operations on accounts and API keys, and authentication by key."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from psycopg import Error

from augury import clock
from augury.access import keys, store
from augury.access.records import Account, ApiKey, Principal, StoredKey
from augury.errors import AuguryError, InvalidInput, NotFound
from augury.ids import new_id
from augury.storage.database import Database

REMEMBER_SECONDS = 3.0
"""Seconds for which the result of looking up an API key is reused: a revoked key works at most this
much longer."""
_MOST_REMEMBERED = 10_000
USE_NOTED_EVERY = timedelta(minutes=1)
"""The time at which an API key was last used is stored at most once in this time."""

OPERATOR = "operator"
"""Name of the account that command-line commands use when they send requests to the service that is
running on the same data folder."""
TEMPORARY_KEY_LASTS = timedelta(minutes=30)
"""Lifetime of the temporary API key with which a command-line command calls the running service. It
makes the key expire even if the command was killed and could not delete it."""
_TEMPORARY_LABEL = "lent"


def is_temporary(key: ApiKey) -> bool:
    """Whether an API key is the temporary key of a command-line command. Such a key is recognized
    by its account, lifetime and label together. The label alone is no proof, since callers choose
    the labels of their keys."""
    return (
        key.label == _TEMPORARY_LABEL
        and key.account == OPERATOR
        and key.expires_at is not None
        and key.expires_at - key.created_at <= TEMPORARY_KEY_LASTS + timedelta(minutes=1)
    )


class AccessService:
    """Creates and changes accounts and API keys, and authenticates callers by key."""

    def __init__(
        self,
        database: Database,
        *,
        remember: float = REMEMBER_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
        now: clock.Clock = clock.now,
    ) -> None:
        self._database = database
        self._remember = remember
        self._monotonic = monotonic
        self._now = now
        # The keys of this dict are digests, never tokens. Refused tokens are remembered, too.
        self._known: OrderedDict[bytes, tuple[float, Principal | None]] = OrderedDict()

    async def authenticate(self, token: str) -> Principal | None:
        """The account and scopes of the API key `token`; None if it is not a valid key."""
        prefix = keys.prefix_of(token)
        if prefix is None:
            return None
        digest = keys.digest(token)
        known = self._known.get(digest)
        if known is None or known[0] <= self._monotonic():
            principal = await self._look_up(prefix, digest)
            self._known[digest] = (self._monotonic() + self._remember, principal)
            self._known.move_to_end(digest)
            while len(self._known) > _MOST_REMEMBERED:
                self._known.popitem(last=False)
        else:
            principal = known[1]
        if principal and principal.expires_at and principal.expires_at <= self._now():
            return None
        return principal

    async def _look_up(self, prefix: str, digest: bytes) -> Principal | None:
        async with self._database.reading() as conn:
            stored = await store.key_by_prefix(conn, prefix)
        if stored is None or not keys.matches(digest, stored.secret_hash) or stored.revoked_at:
            return None
        await self._note_use(stored)
        return Principal(
            stored.id,
            stored.account_id,
            frozenset(stored.scopes),
            stored.rvol_approved,
            stored.expires_at,
        )

    async def _note_use(self, key: StoredKey) -> None:
        now = self._now()
        if key.last_used_at is not None and now - key.last_used_at < USE_NOTED_EVERY:
            return
        try:
            async with self._database.transaction() as conn:
                await store.note_use(conn, key.id, now)
        except (Error, AuguryError):
            pass  # authentication still works with a read-only database

    async def create_key(
        self,
        account: str,
        scopes: Sequence[str],
        *,
        label: str | None = None,
        expires_at: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """Create an API key of the account named `account`, and the account if it is new.

        Returns the record of the key, and its text, which is not stored and cannot be read again.
        """
        chosen = _checked_scopes(scopes)
        name = account.strip()
        if not name or len(name) > 200 or not name.isprintable():
            raise InvalidInput("An account needs a name of 1 to 200 visible characters.")
        if label and not label.isprintable():
            raise InvalidInput("A label may hold only visible characters and no line breaks.")
        async with self._database.transaction() as conn:
            owner = await store.ensure_account(conn, new_id("acc"), name)
            return await self._insert(conn, owner.id, chosen, label, expires_at)

    @asynccontextmanager
    async def temporary_key(self, *scopes: str) -> AsyncIterator[str]:
        """Yield the text of a temporary API key of the operator with these scopes; the key is
        deleted when the block ends."""
        key_id, text = await self.create_temporary_key(*scopes)
        try:
            yield text
        finally:
            await self.revoke_temporary_key(key_id)

    async def create_temporary_key(self, *scopes: str) -> tuple[str, str]:
        """Create a temporary API key of the operator with these scopes, which expires after
        `TEMPORARY_KEY_LASTS`. Returns its id and text."""
        until = self._now() + TEMPORARY_KEY_LASTS
        key, text = await self.create_key(
            OPERATOR, scopes, label=_TEMPORARY_LABEL, expires_at=until
        )
        return key.id, text

    async def revoke_temporary_key(self, key_id: str) -> None:
        """Delete a temporary API key before it expires."""
        async with self._database.transaction() as conn:
            await store.delete_key(conn, key_id)

    async def _insert(
        self,
        conn: store.Connection,
        account_id: str,
        scopes: Sequence[str],
        label: str | None,
        expires_at: datetime | None,
    ) -> tuple[ApiKey, str]:
        minted = keys.mint()
        key_id = new_id("key")
        await store.insert_key(
            conn,
            id=key_id,
            account_id=account_id,
            prefix=minted.prefix,
            secret_hash=minted.digest,
            scopes=scopes,
            label=label,
            expires_at=expires_at,
        )
        created = await store.key_by_id(conn, key_id)
        assert created is not None
        return created, minted.text

    async def list_keys(self, account: str | None = None) -> list[ApiKey]:
        """All API keys, or those of the account of this name."""
        async with self._database.reading() as conn:
            return await store.list_keys(conn, account)

    async def revoke_key(self, key_id: str) -> ApiKey:
        """Revoke an API key, and return its record. The key stops working in this process at once,
        in other processes within `REMEMBER_SECONDS` seconds. Idempotent."""
        async with self._database.transaction() as conn:
            await self._found(conn, key_id)
            await store.revoke_key(conn, key_id)
            self._known.clear()
            return await self._found(conn, key_id)

    async def rotate_key(self, key_id: str, *, grace: timedelta) -> tuple[ApiKey, str]:
        """Create a new API key with the scopes, label and expiry of an old one. The old key keeps
        working for `grace`, or until its own expiry if that is earlier. Returns the record of the
        new key and its text."""
        async with self._database.transaction() as conn:
            old = await self._found(conn, key_id)
            if old.revoked_at or (old.expires_at and old.expires_at <= self._now()):
                raise InvalidInput("This key has expired or was revoked. Create a new one.")
            if grace > timedelta(0):
                await store.expire_key(conn, key_id, grace)
            else:
                await store.revoke_key(conn, key_id)
            self._known.clear()
            return await self._insert(conn, old.account_id, old.scopes, old.label, old.expires_at)

    async def _found(self, conn: store.Connection, key_id: str) -> ApiKey:
        found = await store.key_by_id(conn, key_id)
        if found is None:
            raise NotFound("No key has this id. `augury keys list` shows them.")
        return found

    async def list_accounts(self) -> list[Account]:
        async with self._database.reading() as conn:
            return await store.list_accounts(conn)

    async def set_rvol_approved(self, account: str, approved: bool) -> Account:
        """Allow or forbid the keys of an account, given by its name, to read realized volatility.
        Returns the changed account."""
        async with self._database.transaction() as conn:
            found = await store.account_by_name(conn, account.strip())
            if found is None:
                raise NotFound("No account has this name.")
            await store.set_rvol_approved(conn, found.id, approved)
            self._known.clear()
            updated = await store.account_by_name(conn, found.name)
        assert updated is not None
        return updated


def _checked_scopes(scopes: Sequence[str]) -> list[str]:
    unknown = [s for s in scopes if s not in keys.SCOPES and s != keys.LEGACY]
    if unknown or not scopes:
        known = ", ".join([*keys.SCOPES, keys.LEGACY])
        problem = f"Unknown scope {unknown[0]!r}." if unknown else "A key needs a scope."
        raise InvalidInput(f"{problem} Scopes are: {known}.")
    return list(dict.fromkeys(scopes))

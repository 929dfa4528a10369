"""Sessions of the console: a browser signs in once and then holds a cookie, never a key.

There are two ways to sign in. One is an API key: the session has the key's scopes as long as the
key is valid. The other is the one-time link that `augury serve` prints for the owner of the
machine. The cookie is 32 random bytes; only its SHA-256 is stored. Writes carry a second token
(`csrf_of`), which a page of another origin can't read.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from augury import clock
from augury.access import keys, store
from augury.access.records import Principal
from augury.access.service import OPERATOR, REMEMBER_SECONDS, AccessService
from augury.errors import Unauthenticated
from augury.ids import new_id
from augury.storage.database import Database

SESSION_LASTS = timedelta(days=7)
LINK_LASTS = timedelta(minutes=15)
_TOKEN = re.compile(r"[0-9A-Za-z_-]{43}", re.ASCII)
_MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Session:
    """A valid session of a browser in the console: its account and scopes, and when it ends."""

    id: str
    account: str
    by_key: bool
    principal: Principal
    expires_at: datetime


def csrf_of(token: str) -> str:
    """The CSRF token that a request must send if it changes something, in the session whose cookie
    has the value `token`."""
    return hashlib.sha256(f"csrf:{token}".encode()).hexdigest()


def csrf_matches(token: str, sent: str) -> bool:
    # As bytes, because compare_digest takes only text that is ASCII.
    return hmac.compare_digest(csrf_of(token).encode(), sent.encode())


class SessionService:
    """Signs browsers in to and out of the console, and finds the session to which a cookie
    belongs."""

    def __init__(
        self,
        database: Database,
        access: AccessService,
        *,
        remember: float = REMEMBER_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
        now: clock.Clock = clock.now,
    ) -> None:
        self._database = database
        self._access = access
        self._remember = remember
        self._monotonic = monotonic
        self._now = now
        self._known: OrderedDict[bytes, tuple[float, Session | None]] = OrderedDict()

    async def new_link(self) -> str:
        """Make a link that signs the owner of this machine in to the console once, within
        `LINK_LASTS`. Returns the link's secret part.

        The session has all scopes, and its account is approved for realized volatility. This gives
        away nothing: whoever can read the link in the output of `augury serve` can also run
        `augury keys create`.
        """
        token = secrets.token_urlsafe(32)
        async with self._database.transaction() as conn:
            owner = await store.ensure_account(conn, new_id("acc"), OPERATOR)
            await store.set_rvol_approved(conn, owner.id, True)
            await store.insert_link(conn, _digest(token), owner.id, self._now() + LINK_LASTS)
        return token

    async def sign_in_by_link(self, link: str) -> tuple[str, Session]:
        """Sign in by the secret part of a one-time link, which is then used up. Returns the
        cookie's value and the session.

        Raises
        ------
        Unauthenticated
            The link is unknown, used or too old.
        """
        async with self._database.transaction() as conn:
            account_id = await store.use_link(conn, _digest(link), self._now())
            if account_id is None:
                raise Unauthenticated(
                    "This link was used before or has expired. Restart augury serve for a new "
                    "one, or sign in with an API key."
                )
            return await self._insert(conn, account_id, None, list(keys.SCOPES))

    async def sign_in_by_key(self, key: str) -> tuple[str, Session]:
        """Sign in by an API key; the session has the scopes of the key. Returns the cookie's value
        and the session.

        Raises
        ------
        Unauthenticated
            The key is not valid.
        """
        principal = await self._access.authenticate(key)
        if principal is None:
            raise Unauthenticated("This API key is not valid.")
        async with self._database.transaction() as conn:
            return await self._insert(conn, principal.account_id, principal.key_id, [])

    async def _insert(
        self, conn: store.Connection, account_id: str, key_id: str | None, scopes: list[str]
    ) -> tuple[str, Session]:
        token = secrets.token_urlsafe(32)
        now = self._now()
        await store.prune_sessions(conn, now)
        await store.insert_session(
            conn,
            id=new_id("ses"),
            token_hash=_digest(token),
            account_id=account_id,
            key_id=key_id,
            scopes=scopes,
            expires_at=now + SESSION_LASTS,
        )
        found = await store.session(conn, _digest(token), now)
        assert found is not None
        return token, _session(found)

    async def authenticate(self, token: str) -> Session | None:
        """The session whose cookie has the value `token`; None if there is none or it has ended."""
        if not _TOKEN.fullmatch(token):
            return None
        digest = _digest(token)
        known = self._known.get(digest)
        if known is None or known[0] <= self._monotonic():
            async with self._database.reading() as conn:
                found = await store.session(conn, digest, self._now())
            session = _session(found) if found is not None else None
            self._known[digest] = (self._monotonic() + self._remember, session)
            self._known.move_to_end(digest)
            while len(self._known) > _MOST_REMEMBERED:
                self._known.popitem(last=False)
        else:
            session = known[1]
        return session if session is not None and session.expires_at > self._now() else None

    async def sign_out(self, token: str) -> None:
        """End the session whose cookie has the value `token`. Idempotent."""
        async with self._database.transaction() as conn:
            await store.delete_session(conn, _digest(token))
        self._known.pop(_digest(token), None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _session(found: store.StoredSession) -> Session:
    scopes = found.key_scopes if found.key_scopes is not None else found.scopes
    ends = min(filter(None, (found.expires_at, found.key_expires_at)))
    principal = Principal(
        found.key_id or found.id, found.account_id, frozenset(scopes), found.rvol_approved, ends
    )
    return Session(found.id, found.account, found.key_id is not None, principal, ends)

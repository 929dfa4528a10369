"""Manages the delivery endpoints of a watchlist: create, change, delete, test, log and replay."""

from __future__ import annotations

import base64
import binascii
import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from augury.clock import Clock, isoformat, now
from augury.deliveries import store
from augury.deliveries.store import Connection, Endpoint, Logged, Outgoing
from augury.errors import Conflict, InvalidInput, NotFound
from augury.ids import new_id
from augury.net.addresses import MAX_URL, AddressPolicy, Refused
from augury.storage.database import Database
from augury.storage.vault import Vault

MAX_ENDPOINTS = 10
"""Largest number of endpoints to which one watchlist sends its alerts."""
MOST_REPLAYED = 1000
_SECRET = "whsec_"  # noqa: S105  (the prefix of the standard)

Type = Literal["webhook", "notify"]


@dataclass(frozen=True)
class NewEndpoint:
    """An endpoint to be created: the address to which a watchlist's alerts are to be sent."""

    type: Type
    url: str
    secret: str | None = None


class DeliveryService:
    """Creates, changes, tests and deletes the endpoints to which watchlists send alerts, and reads
    the log of messages to each endpoint."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        policy: AddressPolicy,
        *,
        notify_schemes: Sequence[str] = (),
        clock: Clock = now,
    ) -> None:
        self._database = database
        self._vault = vault
        self._policy = policy
        self._schemes = frozenset(s.lower() for s in notify_schemes)
        self._clock = clock

    def check(self, new: NewEndpoint, *loc: str | int) -> None:
        """Raise InvalidInput if alerts can't be sent to the new endpoint. The error names the
        endpoint's place in the request, `loc`."""
        try:
            if new.type == "webhook":
                self._policy.check_url(new.url)
            else:
                self._check_notify(new.url)
        except Refused as refused:
            raise InvalidInput.at(*loc, "url", msg=str(refused), type="url_refused") from None
        if new.secret is not None:
            if new.type != "webhook":
                raise InvalidInput.at(
                    *loc,
                    "secret",
                    msg="Only webhooks have a signing secret. Leave it out.",
                    type="secret_unused",
                )
            _check_secret(new.secret, *loc, "secret")

    def _check_notify(self, url: str) -> None:
        scheme = url.partition("://")[0].lower()
        if not self._schemes:
            raise Refused(
                "Endpoints of type notify are switched off on this service. The operator can "
                "enable them with AUGURY_NOTIFY_SCHEMES."
            )
        if scheme not in self._schemes or len(url) > MAX_URL or not url.isprintable():
            allowed = ", ".join(sorted(self._schemes))
            raise Refused(f"The URL should begin with one of these schemes: {allowed}.")
        if importlib.util.find_spec("apprise") is None:
            raise Refused(
                "Endpoints of type notify need the package apprise, which is not installed. The "
                "operator can install it: pip install 'augury[notify]'."
            )

    async def add(
        self, conn: Connection, watchlist_id: str, new: NewEndpoint
    ) -> tuple[Endpoint, str | None]:
        """Store an endpoint that `check` accepted. Returns it with its signing secret (None if it
        has none), which is not shown again."""
        if await store.count(conn, watchlist_id) >= MAX_ENDPOINTS:
            raise Conflict(
                f"A watchlist can have at most {MAX_ENDPOINTS} delivery endpoints. "
                "Delete one first.",
                code="too_many",
            )
        delivery_id = new_id("whd")
        secret = new.secret
        if new.type == "webhook" and secret is None:
            secret = _SECRET + base64.b64encode(os.urandom(32)).decode()
        endpoint = Endpoint(
            id=delivery_id,
            watchlist_id=watchlist_id,
            type=new.type,
            host=_shown(new),
            url=self._vault.seal(new.url.encode(), delivery_id),
            secret=self._vault.seal(secret.encode(), delivery_id) if secret else None,
            enabled=True,
            off_reason=None,
            failing_since=None,
            delivered_at=None,
            created_at=self._clock(),
        )
        await store.insert(conn, endpoint)
        return endpoint, secret

    async def create(
        self, account_id: str, watchlist_id: str, new: NewEndpoint
    ) -> tuple[Endpoint, str | None]:
        """Create an endpoint for a watchlist's alerts. Returns it with its signing secret (None if
        it has none)."""
        self.check(new, "body")
        async with self._database.transaction() as conn:
            await self._owned(conn, account_id, watchlist_id)
            return await self.add(conn, watchlist_id, new)

    async def list(self, account_id: str, watchlist_id: str) -> list[Endpoint]:
        """The endpoints to which a watchlist's alerts are sent."""
        async with self._database.transaction() as conn:
            await self._owned(conn, account_id, watchlist_id)
            return await store.endpoints(conn, account_id, watchlist_id)

    async def change(
        self,
        account_id: str,
        watchlist_id: str,
        delivery_id: str,
        *,
        url: str | None = None,
        enabled: bool | None = None,
        new_secret: bool = False,
    ) -> tuple[Endpoint, str | None]:
        """Change an endpoint's address, enable or disable it, or renew its signing secret.

        Returns the endpoint and the new secret, which is not shown again (None if it was not
        renewed).
        """
        secret = None
        async with self._database.transaction() as conn:
            endpoint = await self._endpoint(conn, account_id, watchlist_id, delivery_id)
            if url is not None:
                new = NewEndpoint(endpoint.type, url)  # type: ignore[arg-type]
                self.check(new, "body")
                sealed = self._vault.seal(url.encode(), endpoint.id)
                endpoint = endpoint._replace(url=sealed, host=_shown(new))
            if new_secret:
                if endpoint.type != "webhook":
                    raise InvalidInput.at(
                        "body",
                        "rotate_secret",
                        msg="Only webhooks have a signing secret. Leave it out.",
                    )
                secret = _SECRET + base64.b64encode(os.urandom(32)).decode()
                sealed = self._vault.seal(secret.encode(), endpoint.id)
                endpoint = endpoint._replace(secret=sealed)
            if enabled is not None:
                endpoint = endpoint._replace(
                    enabled=enabled,
                    off_reason=None if enabled else "The owner disabled this endpoint.",
                    failing_since=None if enabled else endpoint.failing_since,
                )
            await store.change(conn, endpoint)
        return endpoint, secret

    async def delete(self, account_id: str, watchlist_id: str, delivery_id: str) -> None:
        """Delete an endpoint with its log of messages."""
        async with self._database.transaction() as conn:
            endpoint = await self._endpoint(conn, account_id, watchlist_id, delivery_id)
            await store.delete(conn, endpoint.id)

    async def ping(self, account_id: str, watchlist_id: str, delivery_id: str) -> str:
        """Queue a test message to an endpoint. Returns the message's id; the endpoint's log shows
        under this id whether the message arrived."""
        async with self._database.transaction() as conn:
            endpoint = await self._endpoint(conn, account_id, watchlist_id, delivery_id)
            self._check_on(endpoint)
            data = {"watchlist_id": watchlist_id, "delivery_id": delivery_id}
            message = Outgoing(
                new_id("msg"), delivery_id, None, "ping", payload("ping", data, self._clock())
            )
            await store.enqueue(conn, [message])
        return message.id

    async def log(
        self,
        account_id: str,
        watchlist_id: str,
        delivery_id: str,
        *,
        limit: int,
        before: int | None,
    ) -> list[Logged]:
        """At most `limit` messages to an endpoint, newest first, each with its attempts. `before`:
        the `seq` of the last message on the previous page."""
        async with self._database.transaction() as conn:
            endpoint = await self._endpoint(conn, account_id, watchlist_id, delivery_id)
            return await store.log(conn, endpoint.id, limit=limit, before=before)

    async def replay(
        self,
        account_id: str,
        watchlist_id: str,
        delivery_id: str,
        *,
        message_id: str | None = None,
        since: datetime | None = None,
    ) -> list[str]:
        """Queue messages of an endpoint again: the logged message `message_id` or, without it, all
        alert messages whose delivery failed and that have not been queued again yet, at most
        `MOST_REPLAYED`. `since`: only messages created then or later (default: in the last 30
        days). Returns the new ids."""
        async with self._database.transaction() as conn:
            endpoint = await self._endpoint(conn, account_id, watchlist_id, delivery_id)
            self._check_on(endpoint)
            if message_id is not None:
                wanted = [message_id]
            else:
                since = since or self._clock() - timedelta(days=30)
                wanted = await store.not_delivered(conn, delivery_id, since, MOST_REPLAYED)
            sent = await store.replay(conn, delivery_id, {old: new_id("msg") for old in wanted})
            if message_id is not None and not sent:
                raise NotFound("The log of this delivery endpoint has no message with this id.")
        return sent

    def _check_on(self, endpoint: Endpoint) -> None:
        if not endpoint.enabled:
            raise Conflict(
                "This delivery endpoint is disabled. Enable it first.", code="delivery_off"
            )

    async def _owned(self, conn: Connection, account_id: str, watchlist_id: str) -> None:
        if not await store.owns(conn, account_id, watchlist_id):
            raise NotFound("No watchlist of yours has this id.")

    async def _endpoint(
        self, conn: Connection, account_id: str, watchlist_id: str, delivery_id: str
    ) -> Endpoint:
        await self._owned(conn, account_id, watchlist_id)
        found = await store.endpoint(conn, account_id, watchlist_id, delivery_id)
        if found is None:
            raise NotFound("This watchlist has no delivery endpoint with this id.")
        return found


def payload(kind: str, data: dict[str, Any], at: datetime) -> str:
    """The body of a message as JSON, as Standard Webhooks advises: type, timestamp, data."""
    return msgspec.json.encode({"type": kind, "timestamp": isoformat(at), "data": data}).decode()


def _shown(new: NewEndpoint) -> str:
    """The part of an endpoint's address that may be shown: the host of a webhook, else the scheme.
    Paths and queries may hold tokens."""
    if new.type == "notify":
        return new.url.partition("://")[0].lower()
    return (urlsplit(new.url).hostname or "").rstrip(".")


def _check_secret(secret: str, *loc: str | int) -> None:
    try:
        key = base64.b64decode(secret.removeprefix(_SECRET), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(_SECRET) or not 24 <= len(key) <= 64:
        raise InvalidInput.at(
            *loc,
            msg="Should be whsec_ followed by 24 to 64 random bytes as base64. Leave it out to "
            "have one generated.",
            type="secret_invalid",
        )

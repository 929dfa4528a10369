"""Sends due messages: signed, at the pace of each endpoint, at least once even across crashes.

A message is claimed under a lease and sent, then its outcome is recorded. If the process dies in
between, the lease runs out, and the message is sent again under the same `webhook-id`.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import sys
import time
from collections import Counter as Counts
from collections.abc import Sequence
from datetime import datetime, timedelta

import httpx2
import psycopg
import structlog
from prometheus_client import Counter, Histogram
from standardwebhooks import Webhook

from augury import clock
from augury.deliveries import store
from augury.deliveries.schedule import RETRY_PAUSES, retry_in, switches_off
from augury.deliveries.store import AttemptOutcome, Claimed, Health
from augury.errors import AuguryError
from augury.net import body, guard
from augury.net.addresses import AddressPolicy, Refused
from augury.net.budget import Budget
from augury.storage.database import Database
from augury.storage.failures import as_unavailable
from augury.storage.vault import CantOpen, Vault

log = structlog.get_logger(__name__)

ATTEMPTS = Counter(
    "augury_delivery_attempts", "Attempts to deliver, by how they ended.", ["outcome"]
)
SECONDS = Histogram("augury_delivery_seconds", "Duration of an attempt to deliver, in seconds.")

DEADLINE_SECONDS = 10.0
"""Seconds within which a webhook must have answered a message completely. A notification service
has twice as long."""
_SLOW = 1.0
"""An endpoint counts as slow if the moving average of its answer times is at least this long, in
seconds. Chosen by hand."""
_WEIGHT = 0.2
"""Weight (0 to 1) of an endpoint's newest answer time in its moving average; a larger weight
follows changes faster. Chosen by hand."""
_ROOM: dict[Health, float] = {"well": 1.0, "unknown": 0.75, "unwell": 0.5}
"""Health of an endpoint (how quickly it answers) -> share (0 to 1) of the limit on messages in
flight. All endpoints of this health or a worse one may together use at most this share; if it is
less than one message, they may use one. So slow endpoints (`unwell`) use at most half of the limit
and leave room for quick ones. Chosen by hand."""
_BURST_SECONDS = 10.0
"""A host to which nothing was sent for a while can get at once as many messages as `host_rate`
(messages per second) allows in this many seconds. Chosen by hand."""
_POLL = 0.25
_BATCH = 0.015
"""Results of attempts to send are collected for this many seconds, then stored together in one
transaction."""
_ANSWER_READ = 64 * 1024
_DRAIN = 5.0
_ENVIRONMENT = ("PATH", "PYTHONPATH", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""Environment variables that are passed to the separate process that sends a message to a
notification service. None of them is secret."""


def _room(places: int, health: Health, taken: int, rivals: int) -> int:
    """How many more messages may now be sent to endpoints of this health (how quickly they answer).
    `places`: maximum number of messages in flight; `taken`: messages in flight now; `rivals`: how
    many of the `taken` go to endpoints of this health or worse."""
    return min(places - taken, max(1, int(places * _ROOM[health])) - rivals)


class Sender:
    """Sends messages about alerts to their endpoints when they are due. Each process runs one, and
    any number of processes share the work."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        policy: AddressPolicy,
        *,
        deadline: float = DEADLINE_SECONDS,
        retries: Sequence[timedelta] = RETRY_PAUSES,
        lease: float = 3 * DEADLINE_SECONDS,
        at_once: int = 256,
        each: int = 16,
        each_unproven: int = 2,
        each_host: int = 32,
        host_rate: float = 10.0,
        host_burst: int | None = None,
    ) -> None:
        """Limits on messages in flight: `at_once` in all, `each` to one quick endpoint,
        `each_unproven` to any other endpoint, `each_host` to one host.

        One host gets `host_rate` messages per second, and after a pause up to `host_burst` at once
        (default: as many as in ten seconds). `deadline`: seconds within which a webhook must
        answer; a notification service has twice as long. `lease`: seconds for which a message is
        reserved for the process that sends it.
        """
        self._database = database
        self._vault = vault
        self._policy = policy
        self._deadline = deadline
        self._retries = retries
        self._lease = timedelta(seconds=lease)
        self._at_once, self._each, self._each_unproven = at_once, each, each_unproven
        self._each_host = each_host
        host_burst = host_burst or math.ceil(_BURST_SECONDS * host_rate)
        pause = timedelta(seconds=host_burst / host_rate)
        self._budget = Budget(host_burst, pause)
        self._dials: Budget | None = Budget(host_burst, pause)
        self._pace: dict[str, float] = {}
        self._flying: dict[asyncio.Task[None], Claimed] = {}
        self._done: list[AttemptOutcome] = []
        self._wake = asyncio.Event()
        self._notifying = asyncio.Semaphore(4)

    def wake(self) -> None:
        """Tell the sender that there may be messages to send."""
        self._wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Send until `stop` is set, then let messages in flight finish for a few seconds."""
        stopping = asyncio.create_task(stop.wait())
        stopping.add_done_callback(lambda _: self._wake.set())
        async with guard.client(
            self._policy,
            timeout=self._deadline,
            connections=self._at_once,
            dials=self._dials,
        ) as client:
            try:
                while not stop.is_set():
                    try:
                        await self._turn(client)
                    except (psycopg.Error, AuguryError) as error:
                        if not isinstance(error, AuguryError) and as_unavailable(error) is None:
                            raise
                        log.warning("deliveries_wait_for_database", reason=str(error)[:200])
                        await asyncio.sleep(1)
                    await self._rest()
                if self._flying:
                    await asyncio.wait(self._flying, timeout=_DRAIN)
            finally:
                stopping.cancel()
                for task in self._flying:
                    task.cancel()
                await asyncio.gather(*self._flying, return_exceptions=True)
                self._flying.clear()
            await self._turn(None)

    async def _rest(self) -> None:
        try:
            await asyncio.wait_for(self._wake.wait(), _POLL)
        except TimeoutError:
            return
        self._wake.clear()
        await asyncio.sleep(_BATCH)

    async def _turn(self, client: httpx2.AsyncClient | None) -> None:
        """Store the results of finished attempts and, with a `client`, take messages that are due
        and start sending them."""
        done = self._done[:]
        claimed: list[Claimed] = []
        async with self._database.transaction() as conn:
            await store.record(conn, done)
            if client is not None:
                for health in _ROOM:
                    claimed += await self._claim(conn, claimed, health)
        del self._done[: len(done)]
        for message in claimed:
            assert client is not None
            task = asyncio.create_task(self._send(client, message))
            self._flying[task] = message
            task.add_done_callback(self._landed)

    async def _claim(
        self, conn: store.Connection, claimed: list[Claimed], health: Health
    ) -> list[Claimed]:
        flying = [*self._flying.values(), *claimed]
        # Messages to endpoints of worse health count toward the limit of better ones, never the
        # other way round.
        order = list(_ROOM)
        alike = order[order.index(health) :]
        rivals = [message for message in flying if self._health(message) in alike]
        room = _room(self._at_once, health, len(flying), len(rivals))
        if room <= 0:
            return []
        taken, theirs = Counts(m.host for m in flying), Counts(m.host for m in rivals)
        whole = min(_room(self._each_host, health, 0, 0), self._budget.most)
        found = await store.claim(
            conn,
            Counts(message.delivery_id for message in flying),
            {id_: pace < _SLOW for id_, pace in self._pace.items()},
            health,
            {
                host: min(
                    _room(self._each_host, health, taken[host], theirs[host]),
                    self._budget.left(host),
                )
                for host in {*taken, *self._budget.spenders()}
            },
            each=self._each if health == "well" else self._each_unproven,
            each_host=whole,
            limit=room,
            lease=self._lease,
        )
        for message in found:
            self._budget.spend(message.host, 1)
        return found

    def _health(self, message: Claimed) -> Health:
        pace = self._pace.get(message.delivery_id)
        return "unknown" if pace is None else "well" if pace < _SLOW else "unwell"

    def _landed(self, task: asyncio.Task[None]) -> None:
        message = self._flying.pop(task, None)
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error(
                "delivery_failed_unexpectedly",
                delivery=message and message.delivery_id,
                message=message and message.id,
                error=type(error).__name__,
            )

    async def _send(self, client: httpx2.AsyncClient, message: Claimed) -> None:
        began_at, began = clock.now(), time.perf_counter()
        status: int | None = None
        failure: str | None
        try:
            url = self._vault.open(message.url, message.delivery_id).decode()
            if message.type == "notify":
                failure = await self._notify(url, message)
            else:
                assert message.secret is not None
                secret = self._vault.open(message.secret, message.delivery_id).decode()
                status = await self._post(client, url, secret, message, began_at)
                failure = (
                    None if 200 <= status < 300 else f"The endpoint answered with status {status}."
                )
        except CantOpen:
            # The endpoint was not contacted, so this is no attempt. The message is tried again when
            # its lease ends.
            log.error(
                "endpoint_not_decrypted",
                delivery=message.delivery_id,
                reason="the URL and secret of the endpoint were encrypted with another key",
                fix="restore AUGURY_SECRET_KEY or secret.key, or create the endpoint again",
            )
            return
        except Refused as refused:
            failure = str(refused)
        except (TimeoutError, httpx2.TimeoutException):
            failure = "The endpoint did not answer in time."
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            failure = f"The endpoint can't be reached ({type(error).__name__})."
        seconds = time.perf_counter() - began
        before = self._pace.get(message.delivery_id, seconds)
        self._pace[message.delivery_id] = before + _WEIGHT * (seconds - before)
        ATTEMPTS.labels("ok" if failure is None else "failed").inc()
        SECONDS.observe(seconds)
        now = clock.now()
        self._done.append(
            AttemptOutcome(
                message_id=message.id,
                delivery_id=message.delivery_id,
                attempt=message.attempt,
                at=began_at,
                seconds=round(seconds, 4),
                status_code=status,
                failure=failure,
                retry_in=retry_in(message.failures + 1, self._retries) if failure else None,
                off_reason=switches_off(status, message.failing_since, now) if failure else None,
            )
        )

    async def _post(
        self, client: httpx2.AsyncClient, url: str, secret: str, message: Claimed, at: datetime
    ) -> int:
        headers = {
            "Content-Type": "application/json",
            "webhook-id": message.id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": Webhook(secret).sign(message.id, at, message.payload),
        }
        async with (
            asyncio.timeout(self._deadline),
            client.stream("POST", url, content=message.payload, headers=headers) as response,
        ):
            try:
                # Read only so that the connection can be used again.
                await body.read(response, _ANSWER_READ)
            except (body.BodyError, httpx2.HTTPError):
                pass
            return response.status_code

    async def _notify(self, url: str, message: Claimed) -> str | None:
        """Send a message through apprise, in a separate process that can be killed. Returns why it
        failed; None if it was accepted."""
        async with self._notifying, asyncio.timeout(self._deadline * 2):
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "augury.deliveries.notify",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            )
            job = {
                "url": url,
                "payload": message.payload,
                "http": self._policy.http,
                "allowed": [*self._policy.names, *map(str, self._policy.networks)],
            }
            try:
                await process.communicate(json.dumps(job).encode())
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        return (
            None
            if process.returncode == 0
            else "The notification service did not accept the message."
        )

"""Limits on the open connections of the server, per address and in total. At the limit, the
connection that has been idle longest makes room for a new one."""

from __future__ import annotations

import os
import resource
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal, Protocol

import structlog
from prometheus_client import Counter as Metric

from augury.http.address import Network, bucket, is_trusted, parse
from augury.settings import Settings

log = structlog.get_logger("augury.http")

REFUSED = Metric("augury_connections_refused", "Connections refused or dropped.", ["reason"])
LEAST_RESERVE = 64
"""Smallest number of file descriptors that are kept free for files, the database and outgoing
connections. A quarter of the limit on descriptors is kept free, but never less than this and never
more than 1,024."""
MOST_DESCRIPTORS = 65_536
"""The soft limit on open file descriptors is raised to this number, or to the hard limit if that is
lower."""

Refusal = Literal["address", "all"]


class Connection(Protocol):
    """One open connection; `drop` closes it at once."""

    def drop(self) -> None: ...


class Connections:
    """The open connections of one server.

    When the limit is reached, the connection that has been idle longest is closed to make room, so
    that idle sockets never keep other callers out.
    """

    def __init__(self, most: int, each: int, trusted: Sequence[Network] = ()) -> None:
        """`most`: maximum number of open connections in total. `each`: maximum for one address
        (IPv6: for one /64). `trusted`: proxies without a limit of their own, since they carry the
        connections of many callers."""
        self.most = most
        self._each = each
        self._trusted = trusted
        self._open: dict[Connection, str | None] = {}
        self._of: Counter[str] = Counter()
        self._idle: dict[Connection, None] = {}

    @classmethod
    def of(cls, settings: Settings, trusted: Sequence[Network]) -> Connections:
        """Connections with the limits of the settings, which are reduced to what the file
        descriptors of this process allow."""
        most = min(settings.max_connections, _affordable())
        if most < settings.max_connections:
            log.warning(
                "open_file_limit_lowers_max_connections",
                max_connections=most,
                configured=settings.max_connections,
                fix="raise the limit on open files (ulimit -n, or LimitNOFILE= of systemd)",
            )
        # One address gets at most half of all connections.
        return cls(most, min(settings.max_connections_per_address, most // 2), trusted)

    def __len__(self) -> int:
        return len(self._open)

    def enter(self, connection: Connection, peer: str | None) -> Refusal | None:
        """Count a new connection. Returns None if it may stay, else the limit that it would exceed:
        "address" or "all"."""
        address = parse(peer or "")
        whose = None if address is None or is_trusted(address, self._trusted) else bucket(address)
        if whose is not None and self._of[whose] >= self._each:
            REFUSED.labels("address").inc()
            return "address"
        if len(self._open) >= self.most:
            oldest = next(iter(self._idle), None)
            REFUSED.labels("all" if oldest is None else "idle").inc()
            if oldest is None:
                return "all"
            self.leave(oldest)
            oldest.drop()
        self._open[connection] = whose
        if whose is not None:
            self._of[whose] += 1
        self._idle[connection] = None
        return None

    def busy(self, connection: Connection) -> None:
        """Record that a request has arrived on the connection."""
        self._idle.pop(connection, None)

    def idle(self, connection: Connection) -> None:
        """Record that the connection's request has been answered: it may now be closed to make room
        for another connection."""
        if connection in self._open:
            self._idle[connection] = None

    def leave(self, connection: Connection) -> None:
        """Record that the connection is closed. Idempotent."""
        self._idle.pop(connection, None)
        whose = self._open.pop(connection, None)
        if whose is not None:
            self._of[whose] -= 1
            if not self._of[whose]:
                del self._of[whose]


def raise_descriptor_limit() -> None:
    """Let this process open as many files as the hard limit allows, up to MOST_DESCRIPTORS."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _affordable() -> int:
    """Largest number of connections that leaves enough file descriptors for the rest of the
    service."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_DESCRIPTORS
    try:
        used = len(os.listdir("/proc/self/fd"))
    except OSError:
        used = 32
    return max(8, soft - used - max(LEAST_RESERVE, min(soft // 4, 1024)))

"""What a process asks of each request before anything else: a host name of ours, and patience of
callers without a key. In memory, so that it holds while the database is away."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
import time
from collections import OrderedDict

from starlette.datastructures import Headers
from starlette.types import Scope

from augury.errors import AuguryError, RateLimited
from augury.http.address import Address, Forwarding, bucket, is_trusted, parse, site
from augury.http.gcra import Rate, take
from augury.settings import Settings

MOST_KNOWN = 100_000
"""Callers whose rate is remembered; of more, those seen longest ago are forgotten."""
PER_SITE = 16
"""How many times the rate of one caller an IPv6 site (a /48) may have, which is 65,536 of them."""
WRONG_KEY_COST = 5
"""Requests without a key that one with a wrong key counts as."""


class Misdirected(AuguryError):
    """The request names a host that this service does not go by."""

    status = 421
    code = "host_unknown"


class Door:
    """The checks of one process."""

    def __init__(self, settings: Settings) -> None:
        self.forwarding = Forwarding.of(settings)
        self._rate = Rate.parse(settings.anonymous_rate)
        self._rate = self._rate._replace(burst=max(8, 4 * self._rate.burst))
        self._site_rate = Rate(-(-self._rate.interval // PER_SITE), self._rate.burst * PER_SITE)
        self._hosts = tuple(name.lower() for name in settings.allowed_hosts)
        self._any_host = "*" in self._hosts or (not self._hosts and not is_local(settings.host))
        self._arrivals: OrderedDict[str, int] = OrderedDict()
        # Of this process and its life: a log tells callers of one day apart, and names nobody.
        self._salt = (
            hashlib.sha256(b"log" + settings.secret_key.get_secret_value().encode()).digest()
            if settings.secret_key
            else os.urandom(32)
        )

    def check_host(self, scope: Scope) -> None:
        """Refuse a request that was sent to another name: a page of a stranger whose name leads
        here (rebinding).

        Raises
        ------
        Misdirected
            The Host header names nothing of ours.
        """
        if self._any_host:
            return
        peer = scope.get("client")
        address = parse(peer[0]) if peer else None
        if address is not None and is_trusted(address, self.forwarding.trusted):
            return  # the proxy's to judge
        host = _name(Headers(scope=scope).get("host", ""))
        if is_local(host) or parse(host) is not None or self._is_ours(host):
            return
        raise Misdirected(
            "This service does not go by the name in the Host header. The operator adds names "
            "with AUGURY_ALLOWED_HOSTS."
        )

    def _is_ours(self, host: str) -> bool:
        return any(
            host == ours or (ours.startswith("*.") and host.endswith(ours[1:]))
            for ours in self._hosts
        )

    def count(self, address: Address | None, cost: int = 1) -> None:
        """Count requests without a good key.

        Raises
        ------
        RateLimited
            The caller, or its IPv6 site, has sent too many.
        """
        wait = self._take(bucket(address), self._rate, cost)
        if (where := site(address)) is not None:
            wait = max(wait, self._take(where, self._site_rate, cost))
        if wait:
            raise RateLimited("Too many requests; try again later.", retry_after=wait)

    def charge(self, address: Address | None) -> None:
        """Count a wrong key: whoever tries many has soon no request left without one."""
        try:
            self.count(address, WRONG_KEY_COST)
        except RateLimited:
            return

    def _take(self, key: str, rate: Rate, cost: int) -> float:
        now = time.monotonic_ns() // 1000
        wait = 0.0
        for _ in range(cost):
            self._arrivals[key], decision = take(self._arrivals.get(key), now, rate)
            wait = max(wait, decision.retry_after)
        self._arrivals.move_to_end(key)
        while len(self._arrivals) > MOST_KNOWN:
            self._arrivals.popitem(last=False)
        return wait

    def mark(self, address: Address | None) -> str:
        """Eight characters that tell callers apart in a log without naming them."""
        text = bucket(address).encode()
        return hmac.new(self._salt, text, hashlib.sha256).hexdigest()[:8]


def is_local(host: str) -> bool:
    """Whether a name or address is of this machine alone."""
    if host.lower().rstrip(".") == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0].rstrip(".") if ":" in host else host.rstrip(".")

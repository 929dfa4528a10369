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
"""Number of callers whose rate is remembered. Beyond it, those seen longest ago are forgotten."""
PER_SITE = 16
"""Rate of a whole IPv6 site (a /48, which holds 65,536 subnets), as a multiple of one caller's
rate."""
WRONG_KEY_COST = 5
"""How many requests without a key one request with a wrong key counts as."""
NEW_KEYS = Rate.parse("1/s", burst=10)
"""Rate at which an address that has used up its limit may send keys that were not in use lately."""
KEY_REMEMBERED = 300.0
"""Seconds for which a valid key counts as in use."""
MOST_KEYS = 10_000


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
        self._good_keys: OrderedDict[bytes, float] = OrderedDict()
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

    def admit(self, address: Address | None, key: bytes | None) -> None:
        """Let a request in, or not, before anything is done for it.

        Without a `key` (Authorization header) the request counts at once. With one it counts when
        it is over, by `settle`, unless the key was good. An address whose limit is used up gets in
        with a key in use; with any other key at the pace of `NEW_KEYS`.

        Raises
        ------
        RateLimited
            The caller, or its IPv6 site, has sent too many.
        """
        if key is None:
            self.count(address)
        elif not self._is_in_use(key) and self._wait(address):
            _refuse(self._take(f"key {bucket(address)}", NEW_KEYS, 1))

    def settle(
        self, address: Address | None, key: bytes | None, *, good: bool, wrong: bool
    ) -> None:
        """Count a request that is over, by what became of its key.

        `good`: a route knew the caller by it; `wrong`: the answer was 401. Neither: no route asked.
        """
        if good and key is not None:
            self._good_keys[self._digest(key)] = time.monotonic() + KEY_REMEMBERED
            self._good_keys.move_to_end(self._digest(key))
            while len(self._good_keys) > MOST_KEYS:
                self._good_keys.popitem(last=False)
            return
        if wrong and key is not None:
            self._good_keys.pop(self._digest(key), None)
        if wrong or (key is not None and not self._is_in_use(key)):
            try:
                self.count(address, WRONG_KEY_COST if wrong else 1)
            except RateLimited:
                return

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
        _refuse(wait)

    def _wait(self, address: Address | None) -> float:
        """Seconds until a request without a key would be let in; nothing is counted."""
        now = time.monotonic_ns() // 1000
        places = [(bucket(address), self._rate)]
        if (where := site(address)) is not None:
            places.append((where, self._site_rate))
        return max(take(self._arrivals.get(k), now, rate)[1].retry_after for k, rate in places)

    def _digest(self, key: bytes) -> bytes:
        return hashlib.blake2b(key, key=self._salt, digest_size=16).digest()

    def _is_in_use(self, key: bytes) -> bool:
        return self._good_keys.get(self._digest(key), 0.0) > time.monotonic()

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


def _refuse(wait: float) -> None:
    if wait:
        raise RateLimited("Too many requests; try again later.", retry_after=wait)


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
        literal, _, port = host[1:].partition("]")
        return literal if not port or port.startswith(":") else ""
    return host.rpartition(":")[0].rstrip(".") if ":" in host else host.rstrip(".")

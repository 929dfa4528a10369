"""The first checks of each request: its Host header, and the rate of callers without a valid key.
Counts are kept in memory by each process, so that limits hold while the database is down."""

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

MAX_TRACKED_CALLERS = 100_000
"""Maximum number of callers without a valid key whose rate is remembered. If there are more, those
that have sent nothing for the longest time are forgotten."""
SITE_RATE_FACTOR = 16
"""A whole IPv6 site (a /48) may send requests at this multiple of the rate allowed to one caller (a
/64), although it holds 65,536 such subnets. Chosen by hand."""
WRONG_KEY_COST = 5
"""In the rate limit, one request with a wrong key counts as this many requests without a key."""
UNKNOWN_KEY_RATE = Rate.parse("1/s", burst=10)
"""Rate at which an address that has used up its limit may still send API keys that this process
does not know as valid. (A key is known as valid for `KEY_REMEMBERED_SECONDS` seconds after its last
accepted request.)"""
KEY_REMEMBERED_SECONDS = 300.0
"""After each accepted request with a key, a process remembers for this many seconds that the key is
valid. A remembered key is admitted even from an address that has used up its limit."""
MAX_REMEMBERED_KEYS = 10_000


class Misdirected(AuguryError):
    """Raised when the Host header of a request is not one of the names of this service."""

    status = 421
    code = "host_unknown"


class Door:
    """Two checks of each request before it is handled. One checks the Host header. The other limits
    the rate of callers without a valid key. Its counts are kept in this process."""

    def __init__(self, settings: Settings) -> None:
        self.forwarding = Forwarding.of(settings)
        self._rate = Rate.parse(settings.anonymous_rate)
        self._rate = self._rate._replace(burst=max(8, 4 * self._rate.burst))
        self._site_rate = Rate(
            -(-self._rate.interval // SITE_RATE_FACTOR), self._rate.burst * SITE_RATE_FACTOR
        )
        self._hosts = tuple(name.lower() for name in settings.allowed_hosts)
        self._any_host = "*" in self._hosts or (not self._hosts and not is_local(settings.host))
        self._arrivals: OrderedDict[str, int] = OrderedDict()
        self._good_keys: OrderedDict[bytes, float] = OrderedDict()
        # Salt of the marks (`mark`) that stand for callers' addresses in the log. If the settings
        # have no secret key, it changes with each start of the process.
        self._salt = (
            hashlib.sha256(b"log" + settings.secret_key.get_secret_value().encode()).digest()
            if settings.secret_key
            else os.urandom(32)
        )

    def check_host(self, scope: Scope) -> None:
        """Refuse a request whose Host header is not a name of this service. This stops DNS
        rebinding, where a stranger's page has a host name that resolves to this machine.

        Raises
        ------
        Misdirected
            The Host header is not one of the names of this service.
        """
        if self._any_host:
            return
        peer = scope.get("client")
        address = parse(peer[0]) if peer else None
        if address is not None and is_trusted(address, self.forwarding.trusted):
            return  # the proxy has checked the host
        host = _name(Headers(scope=scope).get("host", ""))
        if is_local(host) or parse(host) is not None or self._is_ours(host):
            return
        raise Misdirected(
            "This service does not answer to the host name in the Host header. The operator can "
            "add that name to AUGURY_ALLOWED_HOSTS."
        )

    def _is_ours(self, host: str) -> bool:
        return any(
            host == ours or (ours.startswith("*.") and host.endswith(ours[1:]))
            for ours in self._hosts
        )

    def admit(self, address: Address | None, key: bytes | None) -> None:
        """Check the rate of a request's caller, before anything else is done for the request.

        A request without a `key` (Authorization header) is counted at once. One with a key is
        counted by `count_finished` when it is over, unless the key is known as valid by then. An
        address that has used up its limit is still admitted with a key that is known as valid, and
        with any other key at the rate of `UNKNOWN_KEY_RATE`.

        Raises
        ------
        RateLimited
            The caller, or its IPv6 site (/48), has sent too many requests.
        """
        if key is None:
            self.count(address)
        elif not self._is_known_valid(key) and self._wait(address):
            _refuse(self._take(f"key {bucket(address)}", UNKNOWN_KEY_RATE, 1))

    def count_finished(
        self, address: Address | None, key: bytes | None, *, good: bool, wrong: bool
    ) -> None:
        """Count a finished request against the limit for callers without a valid key.

        - `good`: a route accepted the key. The request is not counted.
        - `wrong`: the answer was 401. It is counted as `WRONG_KEY_COST` requests.
        - Both False: no route checked the key, or the route refused it for another reason, e.g.
          because a scope is missing. The request is counted once, unless the key is known as
          valid. A request without a key is not counted again, because `admit` has counted it.
        """
        if good and key is not None:
            self._good_keys[self._digest(key)] = time.monotonic() + KEY_REMEMBERED_SECONDS
            self._good_keys.move_to_end(self._digest(key))
            while len(self._good_keys) > MAX_REMEMBERED_KEYS:
                self._good_keys.popitem(last=False)
            return
        if wrong and key is not None:
            self._good_keys.pop(self._digest(key), None)
        if wrong or (key is not None and not self._is_known_valid(key)):
            try:
                self.count(address, WRONG_KEY_COST if wrong else 1)
            except RateLimited:
                return

    def count(self, address: Address | None, cost: int = 1) -> None:
        """Count `cost` requests against the limit of callers without a valid key.

        Raises
        ------
        RateLimited
            The caller, or its IPv6 site (/48), has sent too many requests.
        """
        wait = self._take(bucket(address), self._rate, cost)
        if (where := site(address)) is not None:
            wait = max(wait, self._take(where, self._site_rate, cost))
        _refuse(wait)

    def _wait(self, address: Address | None) -> float:
        """Seconds until a request without a key would be admitted; 0 if it would be admitted now.
        Calling this function does not count as a request."""
        now = time.monotonic_ns() // 1000
        places = [(bucket(address), self._rate)]
        if (where := site(address)) is not None:
            places.append((where, self._site_rate))
        return max(take(self._arrivals.get(k), now, rate)[1].retry_after for k, rate in places)

    def _digest(self, key: bytes) -> bytes:
        return hashlib.blake2b(key, key=self._salt, digest_size=16).digest()

    def _is_known_valid(self, key: bytes) -> bool:
        return self._good_keys.get(self._digest(key), 0.0) > time.monotonic()

    def _take(self, key: str, rate: Rate, cost: int) -> float:
        now = time.monotonic_ns() // 1000
        wait = 0.0
        for _ in range(cost):
            self._arrivals[key], decision = take(self._arrivals.get(key), now, rate)
            wait = max(wait, decision.retry_after)
        self._arrivals.move_to_end(key)
        while len(self._arrivals) > MAX_TRACKED_CALLERS:
            self._arrivals.popitem(last=False)
        return wait

    def mark(self, address: Address | None) -> str:
        """Eight characters that stand for a caller's address in the log without revealing it."""
        text = bucket(address).encode()
        return hmac.new(self._salt, text, hashlib.sha256).hexdigest()[:8]


def _refuse(wait: float) -> None:
    if wait:
        raise RateLimited("Too many requests; try again later.", retry_after=wait)


def is_local(host: str) -> bool:
    """Whether a host name or address is localhost or a loopback address."""
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

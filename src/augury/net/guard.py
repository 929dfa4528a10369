"""An HTTP client that refuses connections to internal addresses (protection against SSRF).

A host name is resolved once for each connection, every resulting address is checked, and the
connection goes to one of exactly these addresses, so that DNS rebinding has no effect. The URL of
each request is checked, and so is that of each redirect. Proxies of the environment are not used,
because they would resolve names themselves.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from ssl import SSLContext
from typing import Any

import httpcore2
import httpx2
import structlog
from prometheus_client import Counter

from augury import __version__
from augury.net.addresses import AddressPolicy, Refused
from augury.net.budget import Budget
from augury.net.cookies import no_cookies

log = structlog.get_logger(__name__)

# Both libraries log URLs and headers, which hold credentials of users.
for _name in ("httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.WARNING)

REFUSED = Counter(
    "augury_net_refused",
    "Requests not sent because the address, which a user gave, is not allowed.",
)

MOST_ADDRESSES = 4
"""If a host name has several addresses, at most this many of them are tried."""
_PACE = 0.05

Resolver = Callable[[str, int], Awaitable[list[str]]]
"""A function that gets a host and a port and returns the numeric addresses of the host, best
first."""


async def resolve(host: str, port: int) -> list[str]:
    """The numeric addresses of a host, from the system's resolver; empty if there are none."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def is_own(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to this machine, judged by the route that a datagram to the
    address would take (none is sent). A connection to such an address is refused unless the policy
    allows it, because it would reach the ports of this machine without passing the reverse
    proxy."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), 9))
            return ip_address(probe.getsockname()[0].partition("%")[0]) == address
    except OSError:
        return False


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Network backend of httpcore2 that connects only to addresses that it has checked and that the
    policy allows."""

    def __init__(
        self, policy: AddressPolicy, resolver: Resolver = resolve, dials: Budget | None = None
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._dials = dials
        self._dialler: httpcore2.AsyncNetworkBackend = httpcore2.AnyIOBackend()  # type: ignore[assignment]

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  (httpcore2's interface)
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + (timeout or 10.0)
        try:
            async with asyncio.timeout_at(ends_at):
                addresses = await self._checked_addresses(host, port)
        except TimeoutError:
            raise httpcore2.ConnectTimeout("The host name did not resolve in time.") from None
        failure: Exception = httpcore2.ConnectError("No address to connect to.")
        for n, address in enumerate(addresses):
            share = max(0.1, ends_at - loop.time()) / (len(addresses) - n)
            try:
                await self._paced(address, loop.time() + share)
                return await self._dialler.connect_tcp(
                    address,
                    port,
                    timeout=share,
                    local_address=local_address,
                    socket_options=socket_options,
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def _paced(self, address: str, until: float) -> None:
        """Wait until the budget of new connections allows another one to an address (IPv6: to its
        /64 network), at most until the time `until` of the event loop's clock."""
        if self._dials is None:
            return
        ip = ip_address(address)
        key = address if ip.version == 4 else str(ip_network((ip, 64), strict=False))
        while not self._dials.left(key):
            if asyncio.get_running_loop().time() >= until:
                raise httpcore2.ConnectTimeout("Too many connections to this address.")
            await asyncio.sleep(_PACE)
        self._dials.spend(key, 1)

    async def _checked_addresses(self, host: str, port: int) -> list[str]:
        try:
            answers = [str(ip_address(host))]
        except ValueError:
            answers = await self._resolver(host, port)
        # The same text for an unknown name and for one of an internal address, so that the answer
        # does not reveal internal names.
        if not answers:
            raise Refused("The host does not resolve to a public address.")
        if host.lower().removesuffix(".") not in self._policy.names:
            for answer in answers:
                address = ip_address(answer)
                self._policy.check_address(address)
                if is_own(address) and not self._policy.allows(address):
                    raise Refused("The host does not resolve to a public address.")
        return answers[:MOST_ADDRESSES]

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109  (httpcore2's interface)
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise Refused("Connections to Unix sockets are not allowed.")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class GuardedTransport(httpx2.AsyncHTTPTransport):
    """httpx2's transport with connections made by `GuardedBackend`, so that requests can't reach
    addresses that the policy refuses, e.g. those of an internal network."""

    def __init__(
        self,
        policy: AddressPolicy,
        *,
        connections: int = 100,
        resolver: Resolver = resolve,
        tls: SSLContext | None = None,
        dials: Budget | None = None,
    ) -> None:
        """`connections`: largest number of connections that are open at the same time, over all
        hosts. `dials`: budget of new connections to each address; None: no limit."""
        context = tls or _tls()
        super().__init__(verify=context, trust_env=False)
        self._policy = policy
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=context,
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=15.0,
            network_backend=GuardedBackend(policy, resolver, dials),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            self._policy.check_url(str(request.url))
            return await super().handle_async_request(request)
        except Refused as refused:
            REFUSED.inc()
            log.info("address_refused", host=request.url.host[:100], reason=refused.detail)
            raise


def client(
    policy: AddressPolicy,
    *,
    timeout: float,
    connections: int = 100,
    resolver: Resolver = resolve,
    tls: SSLContext | None = None,
    dials: Budget | None = None,
) -> httpx2.AsyncClient:
    """An HTTP client for addresses that users gave. Redirects are not followed. A request raises
    `Refused` instead of connecting to an address that `policy` forbids.

    Parameters
    ----------
    timeout
        Seconds allowed for each step of a request, e.g. for connecting. The total time of a request
        is not limited here; the caller has to limit it.
    dials
        Budget of new connections to each address (IPv6: /64 network); beyond it a request waits.
    """
    return httpx2.AsyncClient(
        transport=GuardedTransport(
            policy, connections=connections, resolver=resolver, tls=tls, dials=dials
        ),
        timeout=timeout,
        follow_redirects=False,
        trust_env=False,
        cookies=no_cookies(),
        # Only the encoding that `body.read` can decompress with a limit on the size.
        headers={"User-Agent": f"augury/{__version__}", "Accept-Encoding": "gzip"},
    )


@cache
def _tls() -> SSLContext:
    """The TLS context, shared by all clients because reading the certificate
    authorities takes 20 ms."""
    return httpx2.create_ssl_context(trust_env=False)

"""The address that a request comes from. Only one forwarding header is read, and it is believed
only from proxies named in the settings."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starlette.types import Scope

from augury.errors import SetupProblem
from augury.settings import Settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_FOR = re.compile(r'(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^;,"\s]*))\s*(?=;|$)', re.IGNORECASE)
_MAX_HOPS = 32


def networks(names: Iterable[str]) -> tuple[Network, ...]:
    """The trusted proxies of the settings as networks, from texts like "10.0.0.0/8".

    Raises SetupProblem if a text is not a network, or if the network is larger than an IPv4 /8 or
    an IPv6 /7.
    """
    found = []
    for name in names:
        try:
            network = ipaddress.ip_network(name, strict=False)
        except ValueError:
            raise SetupProblem(
                f"AUGURY_TRUSTED_PROXIES: {name!r} is neither an address nor a network."
            ) from None
        if network.prefixlen < (8 if network.version == 4 else 7):
            raise SetupProblem(
                f"AUGURY_TRUSTED_PROXIES: {name} includes public addresses, so that any client "
                "could pretend to be a proxy. Name the proxy's own address or its private "
                "network."
            )
        found.append(network)
    return tuple(found)


@dataclass(frozen=True)
class Forwarding:
    """Which forwarding header is read (e.g. X-Forwarded-For), and from which proxies it is
    believed."""

    header: str = "x-forwarded-for"
    """Name of the only forwarding header that is read. It has to be the one that the proxy writes:
    a proxy passes on all other headers unchanged, so a caller could write a false address into
    them."""
    trusted: Sequence[Network] = ()
    hops: int | None = None
    """Number of proxies in front of the service. At most this many addresses are read, from the
    right end of the forwarding header; None: at most 32."""

    @classmethod
    def of(cls, settings: Settings) -> Forwarding:
        """The forwarding header and the trusted proxies of the settings. Raises SetupProblem if a
        trusted proxy is not a network, or is a network larger than an IPv4 /8 or an IPv6 /7."""
        trusted = networks(settings.trusted_proxies)
        return cls(settings.forwarded_header, trusted, settings.trusted_hops)

    def client(self, scope: Scope) -> Address | None:
        """The address that a request comes from. It is read from the request's ASGI `scope`: from
        the connection or, if a trusted proxy is connected, from the proxy's header. None if the
        connection has no address, e.g. on a Unix socket."""
        peer = scope.get("client")
        address = parse(peer[0]) if peer else None
        if not self.trusted or address is None or not is_trusted(address, self.trusted):
            return address
        name = self.header.encode()
        values = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
        return self.nearest_stranger(address, values)

    def nearest_stranger(self, address: Address, values: Sequence[str]) -> Address:
        """The address of the nearest sender that is not a trusted proxy, from `values` of the
        forwarding header.

        `address` is the peer of the connection, which has to be a trusted proxy. The header is read
        from the right, where our own proxies write. Everything to the left of the first untrusted
        address was written by that sender and is ignored.
        """
        listed = [part for value in values for part in value.split(",")]
        hops = listed[-(self.hops or _MAX_HOPS) :]
        for hop in reversed(hops):
            found = parse(_for(hop) if self.header == "forwarded" else hop)
            if found is None:
                # "unknown", "_hidden" or unreadable: the proxy that wrote this is the
                # nearest known address.
                return address
            address = found
            if not is_trusted(address, self.trusted):
                return address
        return address


def parse(text: str) -> Address | None:
    """Parse an address as proxies write it, with or without brackets, port or
    zone; None if unreadable."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def bucket(address: Address | None) -> str:
    """Key under which anonymous callers share a limit: an IPv4 address, an IPv6 /64 network, or
    "local" for a connection without an address."""
    if address is None:
        return "local"
    if isinstance(address, ipaddress.IPv6Address):
        return f"{ipaddress.IPv6Address(int(address) >> 64 << 64)}/64"
    return str(address)


def site(address: Address | None) -> str | None:
    """The IPv6 /48 network of a caller, as text; providers give one customer a network of this
    size. None without an IPv6 address."""
    if not isinstance(address, ipaddress.IPv6Address):
        return None
    return f"{ipaddress.IPv6Address(int(address) >> 80 << 80)}/48"


def is_trusted(address: Address, trusted: Sequence[Network]) -> bool:
    """Whether an address is in one of the networks `trusted`."""
    return any(address.version == n.version and address in n for n in trusted)


def _for(element: str) -> str:
    """The address in one element of a `Forwarded` header: `for=192.0.2.1;proto=https` -> 192.0.2.1
    (RFC 7239). Empty text if the element has none."""
    found = _FOR.search(element)
    return (found[1] or found[2] or "") if found else ""

"""Checks whether this service may connect to a URL or address that a user gave. Pure, without I/O.

Only public hosts in one canonical spelling are accepted. The spelling is checked when a URL is
given; the numeric address that it leads to is checked again when connecting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import urlsplit

from augury.errors import InvalidInput

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MAX_URL = 2048

# IANA's special-purpose registries for both families (RFC 6890 and later), multicast, and the
# addresses inside public ranges at which clouds serve their metadata.
_V4 = [
    IPv4Network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
    )
]  # fmt: skip
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
# Teredo, benchmarking, ORCHID (2001::/23 as a whole), documentation, 6to4, SRv6 and the old test
# net: global by their prefix, but not hosts of the public network.
_V6 = [
    IPv6Network(text)
    for text in (
        "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20",
    )
]  # fmt: skip

# Ports above 1023 that the Fetch standard forbids, and ports of stores that answer anybody.
_BAD_PORTS = {
    1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061,
    5432, 5984, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9200, 9300,
    10080, 10250, 10255, 11211, 27017,
}  # fmt: skip
# Names that are never public (RFC 6761, 6762, 8375, 9476 and what networks use inside).
_PRIVATE_ENDINGS = (
    "localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home",
    "lan", "home.arpa", "in-addr.arpa", "ip6.arpa", "test", "example", "invalid", "onion", "alt",
)  # fmt: skip

_VISIBLE = re.compile(r"[\x21-\x5b\x5d-\x7e]+", re.ASCII)  # no blank, no control, no backslash
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_QUAD = re.compile(r"(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}", re.ASCII)


class Refused(InvalidInput):
    """Raised for an address to which this service won't connect, e.g. an internal one."""

    code = "address_refused"


@dataclass(frozen=True)
class AddressPolicy:
    """Which addresses given by users this service may connect to.

    `http`: URLs without TLS are allowed too. `names` and `networks`: hosts that the operator allows
    although they are not public, on any port.
    """

    http: bool = False
    names: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = field(default=())

    @classmethod
    def of(cls, allowed: Iterable[str], *, http: bool) -> AddressPolicy:
        """The policy that allows public addresses and those in `allowed`, the values of a setting:
        each is a network, an address or a host name. `http`: URLs without TLS are allowed too."""
        names: set[str] = set()
        networks: list[Network] = []
        for entry in allowed:
            try:
                networks.append(ip_network(entry, strict=False))
            except ValueError:
                names.add(entry.lower().rstrip("."))
        return cls(http, frozenset(names), tuple(networks))

    def check_url(self, url: str) -> None:
        """Check a URL as it is written, without looking up its host.

        Raises
        ------
        Refused
            The URL is not allowed. The error's message says why and repeats nothing of the URL.
        """
        if len(url) > MAX_URL:
            raise Refused(f"The URL should have at most {MAX_URL} characters.")
        if not _VISIBLE.fullmatch(url):
            raise Refused(
                "The URL contains a space, a backslash, a control character or a non-ASCII "
                "character. Percent-encode it in a path or query; write a non-ASCII host name in "
                "Punycode (xn--...)."
            )
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise Refused("This is not a valid URL.") from None
        if parts.scheme not in ("https", "http"):
            raise Refused("The URL should begin with https://.")
        if parts.scheme == "http" and not self.http:
            raise Refused(
                "The URL should begin with https://. This service sends nothing unencrypted."
            )
        if "@" in parts.netloc:
            raise Refused("The URL may not contain a user name or password.")
        if "#" in url:
            raise Refused("The URL may not contain a fragment (#...).")
        host = (parts.hostname or "").lower()
        if parts.netloc.startswith("["):
            address = _literal(host)
            if address is None:
                raise Refused("The URL's host is in brackets, but is not a valid IP address.")
            self.check_address(address)
        else:
            self._check_name(host.removesuffix("."), has_dot=host.endswith("."))
        self._check_port(host, port)

    def check_address(self, address: Address) -> None:
        """Raise `Refused` for a numeric address that is neither public nor allowed by the
        operator."""
        if not (is_public(address) or self.allows(address)):
            raise Refused("The host does not resolve to a public address.")

    def allows(self, address: Address) -> bool:
        """Whether the operator has allowed `address`."""
        return any(address in n for n in self.networks if n.version == address.version)

    def _check_name(self, name: str, *, has_dot: bool) -> None:
        if name in self.names:
            return
        labels = name.split(".")
        if _NUMBER.fullmatch(labels[-1]):
            # A host that ends in a number is an IPv4 address (WHATWG URL, 3.5). Only the dotted
            # decimal form is read the same by every parser.
            address = _literal(name) if _QUAD.fullmatch(name) and not has_dot else None
            if address is None:
                raise Refused(
                    "If the URL's host is an IPv4 address, write it as four decimal numbers, e.g. "
                    "192.0.2.7."
                )
            self.check_address(address)
            return
        if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
            raise Refused("The URL's host is not a valid host name.")
        if len(labels) < 2 or any(name == e or name.endswith(f".{e}") for e in _PRIVATE_ENDINGS):
            raise Refused("The URL's host is not a public host name.")

    def _check_port(self, host: str, port: int | None) -> None:
        if port is None or port in (80, 443):
            return
        if host.removesuffix(".") in self.names:
            return
        address = _literal(host)
        if address is not None and self.allows(address):
            return
        if port < 1024 or port in _BAD_PORTS:
            raise Refused(
                "The URL's port is not allowed. Use 443, 80, or a port above 1023. Ports of "
                "well-known services such as databases are refused."
            )


def is_public(address: Address) -> bool:
    """Whether `address` is public. An IPv6 address with an embedded IPv4 address is public only in
    the NAT64 range `64:ff9b::/96`, if the IPv4 address is public; 6to4, Teredo and ISATAP are
    not."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _V4)
    if address.scope_id is not None:
        return False
    if address in _NAT64:  # how an IPv6-only network reaches IPv4 hosts (RFC 6052)
        return is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
    if address not in _GLOBAL_UNICAST or any(address in network for network in _V6):
        return False
    # ISATAP (RFC 5214) carries an IPv4 address in the lower half.
    return int(address) >> 32 & 0xFDFF_FFFF != 0x0000_5EFE


def _literal(text: str) -> Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None

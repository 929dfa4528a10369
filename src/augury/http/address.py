"""Where a request comes from, believing forwarding headers only of proxies named in settings."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence

from augury.errors import SetupProblem

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_FOR = re.compile(r'(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^;,"\s]*))\s*(?=;|$)', re.IGNORECASE)
_MAX_HOPS = 32


def networks(names: Iterable[str]) -> tuple[Network, ...]:
    """Parse the trusted proxies of the settings."""
    found = []
    for name in names:
        try:
            found.append(ipaddress.ip_network(name, strict=False))
        except ValueError:
            raise SetupProblem(
                f"AUGURY_TRUSTED_PROXIES: {name!r} is neither an address nor a network."
            ) from None
    return tuple(found)


def client_address(
    peer: str | None,
    forwarded: Sequence[str],
    x_forwarded_for: Sequence[str],
    trusted: Sequence[Network],
) -> Address | None:
    """The nearest hop that is not a trusted proxy; None for a caller without an address.

    Reads `Forwarded` (RFC 7239) before `X-Forwarded-For`. The lists are walked from the right,
    where our own proxies write; what stands left of the first stranger is the stranger's word.
    """
    address = parse(peer or "")
    if address is None or not trusted or not _is_trusted(address, trusted):
        return address
    hops = _forwarded_hops(forwarded) if forwarded else _listed(x_forwarded_for)
    for hop in reversed(hops[-_MAX_HOPS:]):
        found = parse(hop)
        if found is None:
            # "unknown", "_hidden" or nonsense: the proxy that wrote it is the nearest we know.
            return address
        address = found
        if not _is_trusted(address, trusted):
            return address
    return address


def parse(text: str) -> Address | None:
    """An address as proxies write it: perhaps in brackets, with a port or a zone."""
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
    """Whom anonymous limits count together: one IPv4 address, or one IPv6 /64."""
    if address is None:
        return "local"
    if isinstance(address, ipaddress.IPv6Address):
        return f"{ipaddress.IPv6Address(int(address) >> 64 << 64)}/64"
    return str(address)


def _is_trusted(address: Address, trusted: Sequence[Network]) -> bool:
    return any(address.version == n.version and address in n for n in trusted)


def _listed(values: Sequence[str]) -> list[str]:
    return [part for value in values for part in value.split(",")]


def _forwarded_hops(values: Sequence[str]) -> list[str]:
    hops = []
    for element in _listed(values):
        found = _FOR.search(element)
        hops.append((found[1] or found[2] or "") if found else "")
    return hops

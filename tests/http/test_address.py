"""Where a request comes from, and what a stranger may not make us believe (R7)."""

from __future__ import annotations

import random

import pytest

from augury.errors import SetupProblem
from augury.http.address import Forwarding, bucket, networks, parse

PROXIES = networks(["10.0.0.0/8", "127.0.0.1", "2001:db8:ffff::/48"])


def who(
    peer: str, forwarded: str = "", xff: str = "", header: str = "", hops: int | None = None
) -> str:
    """Whom a request counts as that carries both headers; one of them is named in the settings."""
    named = header or ("forwarded" if forwarded else "x-forwarded-for")
    pairs = [(b"forwarded", forwarded), (b"x-forwarded-for", xff)]
    headers = [(name, value.encode()) for name, value in pairs if value]
    scope = {"client": (peer, 40000) if peer else None, "headers": headers}
    return bucket(Forwarding(named, PROXIES, hops).client(scope))


@pytest.mark.parametrize(
    ("peer", "forwarded", "xff", "expected"),
    [
        ("198.51.100.7", "", "1.1.1.1", "198.51.100.7"),  # a stranger's word is nothing
        ("198.51.100.7", "for=1.1.1.1", "", "198.51.100.7"),
        ("10.0.0.1", "", "", "10.0.0.1"),
        ("10.0.0.1", "", "203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "", "1.1.1.1, 203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "", "1.1.1.1, 203.0.113.5, 10.2.3.4", "203.0.113.5"),
        ("10.0.0.1", "", "10.9.9.9", "10.9.9.9"),
        ("10.0.0.1", "", "203.0.113.5:4711", "203.0.113.5"),
        ("10.0.0.1", "", "203.0.113.5, unknown", "10.0.0.1"),
        ("10.0.0.1", "", "nonsense", "10.0.0.1"),
        ("10.0.0.1", "", ",", "10.0.0.1"),
        ("10.0.0.1", "for=203.0.113.5", "9.9.9.9", "203.0.113.5"),
        ("10.0.0.1", 'For="203.0.113.5:80";proto=https;by=10.0.0.1', "", "203.0.113.5"),
        ("10.0.0.1", 'for="[2001:db8:1:2:3::4]:443"', "", "2001:db8:1:2::/64"),
        ("10.0.0.1", "for=1.1.1.1, for=203.0.113.5;proto=http", "", "203.0.113.5"),
        ("10.0.0.1", "for=_hidden", "", "10.0.0.1"),
        ("10.0.0.1", "proto=https", "", "10.0.0.1"),
        ("::ffff:10.0.0.1", "", "::ffff:203.0.113.5", "203.0.113.5"),
        ("2001:db8:ffff::1", "", "2001:db8:5:6:7:8:9:a", "2001:db8:5:6::/64"),
        ("2001:db8:1:2:aaaa::1", "", "", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "", "", "fe80::/64"),
        ("", "", "", "local"),
    ],
)
def test_the_nearest_hop_that_is_not_ours(
    peer: str, forwarded: str, xff: str, expected: str
) -> None:
    assert who(peer, forwarded, xff) == expected


def test_a_spoofed_list_never_moves_a_caller() -> None:
    rng = random.Random(3)
    for _ in range(2000):
        spoofed = ", ".join(
            rng.choice(["1.2.3.4", "10.0.0.9", "::1", "unknown", "'", "for=2.2.2.2", "127.0.0.1"])
            for _ in range(rng.randrange(0, 40))
        )
        # The proxy appends the address it saw.
        assert who("10.0.0.1", "", f"{spoofed}, 203.0.113.5") == "203.0.113.5"


def test_a_header_that_is_not_named_is_nothing() -> None:
    """nginx, Caddy and HAProxy pass a caller's own `Forwarded` on."""
    assert who("10.0.0.1", "for=1.1.1.1", "203.0.113.5", "x-forwarded-for") == "203.0.113.5"
    assert who("10.0.0.1", "for=203.0.113.5", "1.1.1.1", "forwarded") == "203.0.113.5"
    assert who("10.0.0.1", "for=1.1.1.1", "", "x-forwarded-for") == "10.0.0.1"


def test_more_hops_than_there_are_proxies_are_not_believed() -> None:
    """Callers inside a trusted network could name any address to the left of their own."""
    assert who("10.0.0.1", "", "1.1.1.1, 10.9.9.9", hops=1) == "10.9.9.9"
    assert who("10.0.0.1", "", "1.1.1.1, 10.9.9.9", hops=2) == "1.1.1.1"


def test_a_slash_64_is_one_caller() -> None:
    rng = random.Random(4)
    hosts = [f"{rng.getrandbits(16):x}:{rng.getrandbits(16):x}:0:1" for _ in range(500)]
    assert {who(f"2001:db8:7:8:{host}") for host in hosts} == {"2001:db8:7:8::/64"}


def test_addresses_as_proxies_write_them() -> None:
    assert str(parse(' "[2001:db8::1]:80" ')) == "2001:db8::1"
    assert str(parse("::ffff:1.2.3.4")) == "1.2.3.4"
    assert parse("999.1.1.1") is None
    assert parse("") is None


def test_a_wrong_proxy_is_a_setup_problem() -> None:
    with pytest.raises(SetupProblem, match="AUGURY_TRUSTED_PROXIES"):
        networks(["10.0.0.0/8", "proxy.example"])

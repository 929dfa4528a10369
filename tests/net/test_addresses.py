"""Which addresses and URLs are public, by their spelling alone."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from augury.net.addresses import AddressPolicy, Refused, is_public

HTTP = AddressPolicy(http=True)


@pytest.mark.parametrize(
    "text",
    [
        "1.1.1.1", "93.184.215.14", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1",
        "169.253.0.1", "192.167.1.1", "198.17.255.255", "223.255.255.255", "2606:4700::1111",
        "2a00:1450::1", "64:ff9b::101:101",
    ],
)  # fmt: skip
def test_public_addresses(text: str) -> None:
    assert is_public(ip_address(text))


@given(st.ip_addresses(v=4))
def test_an_address_inside_another_is_judged_as_itself(address: IPv4Address) -> None:
    assert is_public(IPv6Address(int(IPv6Address("64:ff9b::")) | int(address))) == is_public(
        address
    )
    assert not is_public(IPv6Address(int(IPv6Address("::ffff:0:0")) | int(address)))
    assert not is_public(IPv6Address(int(IPv6Address("2002::")) | int(address) << 80))
    assert not is_public(IPv6Address(int(IPv6Address("2606:4700::5efe:0:0")) | int(address)))


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_what_python_knows_as_private_is_not_public(address: IPv4Address | IPv6Address) -> None:
    if is_public(address) and getattr(address, "ipv4_mapped", None) is None:
        nat64 = address in HTTP.networks or str(address).startswith("64:ff9b::")
        assert address.is_global or nat64


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com", "https://example.com/", "https://EXAMPLE.com:443/a?b=c",
        "https://example.com:8443/hook", "https://xn--bcher-kva.example.org/", "https://1.1.1.1/x",
        "https://[2606:4700::1111]/", "https://example.com./", "http://example.com/a%20b",
    ],
)  # fmt: skip
def test_urls_that_are_fine(url: str) -> None:
    HTTP.check_url(url)


def test_plain_http_only_where_the_operator_says_so() -> None:
    with pytest.raises(Refused, match="unencrypted"):
        AddressPolicy().check_url("http://example.com/")


def test_what_the_operator_allows() -> None:
    policy = AddressPolicy.of(["10.0.0.0/8", "receiver", "Inner.Corp.", "::1"], http=True)
    for url in (
        "http://10.1.2.3:22/", "http://receiver:25/", "http://inner.corp/", "http://[::1]:9/",
    ):  # fmt: skip
        policy.check_url(url)
    for url in ("http://11.1.2.3:22/", "http://other/", "http://x.corp/", "http://[::2]/"):
        with pytest.raises(Refused):
            policy.check_url(url)


@given(st.text(max_size=60))
def test_any_text_is_either_fine_or_refused(text: str) -> None:
    for url in (text, f"http://{text}", f"https://{text}/"):
        try:
            HTTP.check_url(url)
        except Refused:
            pass  # and no other error

"""The form of keys and what scopes grant."""

from __future__ import annotations

import re

import pytest

from augury.access import keys


def test_a_key_is_long_random_and_known_by_its_prefix() -> None:
    minted = [keys.mint() for _ in range(500)]
    assert len({m.text for m in minted}) == 500
    for key in minted:
        assert re.fullmatch(r"aug_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}", key.text)
        assert keys.prefix_of(key.text) == key.prefix
        assert keys.matches(keys.digest(key.text), key.digest)
        assert len(key.digest) == 32
    letters = "".join(m.text[13:] for m in minted)
    assert set(letters) == set(keys.ALPHABET)


@pytest.mark.parametrize(
    "token",
    ["", "aug_", "aug_x_y", "AUG_aaaaaaaa_" + "a" * 43, "aug_aaaaaaaa_" + "a" * 42,
     "aug_aaaaaaaa_" + "a" * 44, "aug_aaaaaaaé_" + "a" * 43, "aug_aaaaaaaa_" + "a" * 43 + "\n"],
)  # fmt: skip
def test_other_tokens_are_no_keys(token: str) -> None:
    assert keys.prefix_of(token) is None


def test_another_secret_does_not_match() -> None:
    a, b = keys.mint(), keys.mint()
    assert not keys.matches(keys.digest(a.text), b.digest)


@pytest.mark.parametrize(
    ("scopes", "granted"),
    [
        ({"search:read"}, {"search:read"}),
        ({"forecast:read", "rvol:read"}, {"forecast:read", "rvol:read"}),
        ({"*"}, {"search:read", "watch:write", "macro:read"}),
        ({"*", "forecast:read"}, {"search:read", "watch:write", "macro:read", "forecast:read"}),
        ({"internal"}, {"internal"}),
        (set(), set()),
    ],
)
def test_what_scopes_grant(scopes: set[str], granted: set[str]) -> None:
    assert {wanted for wanted in keys.SCOPES if keys.grants(frozenset(scopes), wanted)} == granted

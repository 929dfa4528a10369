"""Where a proxied request may go."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from augury.errors import AuguryError, NotFound, SetupProblem
from augury.macro.target import PREFIX, PathRefused, base_of, below

BASE = "https://macro.internal/api/v2"

REFUSED = (
    "..", "../", "a/..", "a/../b", "a/../../b", ".", "./a", "a/./b",
    "%2e%2e", "%2e%2e/a", "a/%2E%2e/b", ".%2e/a", "%2e./a", "%2e", "a/%2e/b",
    "/evil.example/x", "//evil.example", "a//b", "/",
    "a%2fb", "a%2Fb", "..%2f..%2fetc", "%2f%2fevil.example", "%2e%2e%2f",
    "a\\b", "..\\a", "a%5cb", "%5c%5cevil.example", "..%5c",
    "%252e%252e/a", "%252f", "%25%32%65", "a%25b",
    "..;/a", "..;x=1/a", ".;/a", "%2e%2e;/a",
    "%c0%ae%c0%ae/a", "%c0%af", "%e0%80%ae", "%ff",
    "a%00", "a%0d%0aHost:evil", "a%0a", "a%20b", "a%7f", "a%c2%85b",
    "a%3fb=1", "a%23b", "a%", "a%2", "a%zz", "%u002e%u002e",
)  # fmt: skip


@pytest.mark.parametrize("path", REFUSED)
def test_refused(path: str) -> None:
    with pytest.raises(PathRefused) as refused:
        below(BASE, (PREFIX + path).encode("latin-1"), b"")
    assert "evil" not in str(refused.value)


@pytest.mark.parametrize(
    ("path", "query", "url"),
    [
        ("series/GDP", b"", "/series/GDP"),
        ("series/GDP/", b"start=2020&x=%2e%2f", "/series/GDP/?start=2020&x=%2e%2f"),
        ("", b"", "/"),
        ("a..b/...c", b"", "/a..b/...c"),
        ("caf%C3%A9", b"", "/caf%C3%A9"),
        ("http:x", b"", "/http:x"),
        ("user@host", b"", "/user@host"),
        ("a%3Ab", b"", "/a:b"),
    ],
)  # fmt: skip
def test_passed(path: str, query: bytes, url: str) -> None:
    assert below(BASE, (PREFIX + path).encode(), query) == BASE + url


@pytest.mark.parametrize("path", [b"/v1%2fmacro-runtime/x", b"/v1/%6dacro-runtime/x", b"", b"/x"])
def test_a_prefix_spelled_otherwise_is_no_route(path: bytes) -> None:
    with pytest.raises(NotFound):
        below(BASE, path, b"")


@pytest.mark.parametrize("query", [b"a b", b"a\r\nHost: x", b"a#b", b"a\xff"])
def test_queries_that_are_none(query: bytes) -> None:
    with pytest.raises(PathRefused):
        below(BASE, PREFIX.encode() + b"a", query)


@pytest.mark.heavy
@settings(max_examples=2000, deadline=None)
@given(st.lists(st.sampled_from([*"./\\%;?#@:ae25fF0cC", "%2e", "%2f", "%5c", "%25", "..", "é"])))
def test_whatever_passes_stays_below(parts: list[str]) -> None:
    raw = (PREFIX + "".join(parts)).encode("utf-8")
    try:
        url = below(BASE, raw, b"")
    except AuguryError:
        return
    read = urlsplit(url)
    assert (read.scheme, read.netloc) == ("https", "macro.internal")
    path = unquote(unquote(read.path))
    assert path.startswith("/api/v2/")
    assert not {"..", "."} & {part.partition(";")[0] for part in path.split("/")}
    assert "\\" not in path
    assert "//" not in path


@pytest.mark.parametrize(
    "url",
    ["ftp://x", "macro.internal", "https://", "https://u:p@x", "https://x?k=1", "https://x#y"],
)
def test_addresses_that_are_no_upstream(url: str) -> None:
    with pytest.raises(SetupProblem):
        base_of(url)


def test_an_upstream() -> None:
    assert base_of("https://macro.internal/api/") == "https://macro.internal/api"

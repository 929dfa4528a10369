"""RFC 9111 by its own rules, and against hishel's reading of it."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest
from hishel import CacheMiss, CacheOptions, Headers, Request, Response, StoreAndUse
from hishel._core._spec import get_age, get_freshness_lifetime
from hypothesis import given, settings
from hypothesis import strategies as st

from augury.macro import caching
from augury.macro.caching import Stored

NOW = 1_800_000_000.0
TAG = '"a"'


def stored(cache_control: str = "", status: int = 200, **headers: str) -> Stored:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if cache_control:
        named["cache-control"] = cache_control
    return Stored(status, named, b"{}", NOW, NOW)


def asked(cache_control: str = "") -> caching.Directives:
    return caching.directives({"cache-control": cache_control} if cache_control else {})


@pytest.mark.parametrize(
    ("answer", "lifetime"),
    [
        (stored("max-age=60"), 60),
        (stored("max-age=60, s-maxage=5"), 5),
        (stored("max-age=60", expires=formatdate(NOW + 5, usegmt=True)), 60),
        (stored(date=formatdate(NOW - 10), expires=formatdate(NOW + 50)), 60),
        (stored(expires="0"), 0),
        (stored(expires="soon"), 0),
        (stored('max-age="60"'), 60),
        (stored("max-age=ten"), 0),
        (stored("max-age=-5"), 0),
        (stored("max-age=99999999999999"), 2.0**31),
        (stored("MAX-AGE=60"), 60),
        (stored("max-age=60, max-age=900"), 60),
        (stored('private="a, max-age=9", max-age=60'), 60),
        (stored(last_modified=formatdate(NOW - 1000)), 100),
        (stored(last_modified=formatdate(NOW - 1e8)), 86_400),
        (stored(last_modified=formatdate(NOW + 1000)), 0),
        (stored(), 0),
    ],
)
def test_freshness(answer: Stored, lifetime: float) -> None:
    assert answer.lifetime == pytest.approx(lifetime, abs=1)


def test_age_is_the_larger_of_what_clocks_say() -> None:
    assert stored(age="30").age(NOW + 5) == 35
    assert stored(date=formatdate(NOW - 40), age="30").age(NOW + 5) == 45
    assert stored(date=formatdate(NOW + 40)).age(NOW + 5) == 5
    slow = Stored(200, {"age": "30"}, b"", NOW - 3, NOW)
    assert slow.age(NOW) == 33
    assert stored(age="old").age(NOW - 100) == 0


@pytest.mark.parametrize(
    ("request_says", "answer_says", "after", "reused"),
    [
        ("", "max-age=60", 59, True),
        ("", "max-age=60", 60, False),
        ("no-cache", "max-age=60", 1, False),
        ("", "max-age=60, no-cache", 1, False),
        ("max-age=10", "max-age=60", 10, True),
        ("max-age=10", "max-age=60", 11, False),
        ("max-age=0", "max-age=60", 1, False),
        ("min-fresh=10", "max-age=60", 50, True),
        ("min-fresh=10", "max-age=60", 51, False),
        ("max-stale", "max-age=60", 900, True),
        ("max-stale=10", "max-age=60", 70, True),
        ("max-stale=10", "max-age=60", 71, False),
        ("max-stale=10", "max-age=60, must-revalidate", 61, False),
        ("max-stale=10", "s-maxage=60", 61, False),
    ],
)
def test_reuse(request_says: str, answer_says: str, after: float, reused: bool) -> None:
    assert caching.may_reuse(asked(request_says), stored(answer_says), NOW + after) is reused


def test_pragma_counts_where_nothing_else_is_said() -> None:
    assert "no-cache" in caching.directives({"pragma": "no-cache"})
    assert "no-cache" not in caching.directives(
        {"pragma": "no-cache", "cache-control": "max-age=1"}
    )


@pytest.mark.parametrize(
    ("request_says", "answer", "kept"),
    [
        ("", stored("max-age=60"), True),
        ("", stored(), True),
        ("", stored("max-age=60", 404), True),
        ("", stored("max-age=60", 500), False),
        ("", stored("max-age=60", 206), False),
        ("", stored("no-store"), False),
        ("no-store", stored("max-age=60"), False),
        ("", stored("private, max-age=60"), False),
        ("", stored('private="x-a", max-age=60'), False),
        ("", stored("max-age=60", vary="*"), False),
        ("", stored("max-age=60", vary="Accept"), True),
    ],
)
def test_storing(request_says: str, answer: Stored, kept: bool) -> None:
    assert caching.may_store(asked(request_says), answer) is kept


@pytest.mark.parametrize(
    ("request_says", "answer", "after", "stands_in"),
    [
        ("", stored("max-age=60"), 60 + 100, True),
        ("", stored("max-age=60"), 60 + 101, False),
        ("", stored("max-age=60, stale-if-error=9"), 69, True),
        ("", stored("max-age=60, stale-if-error=9"), 70, False),
        ("stale-if-error=0", stored("max-age=60"), 61, False),
        ("stale-if-error=0", stored("max-age=60, stale-if-error=9"), 61, True),
        ("", stored("max-age=60, must-revalidate, stale-if-error=9"), 61, False),
        ("", stored("s-maxage=60"), 61, False),
        ("", stored("max-age=60", 404), 61, False),
        ("", stored("no-cache", etag=TAG), 1, False),
    ],
)
def test_standing_in(request_says: str, answer: Stored, after: float, stands_in: bool) -> None:
    assert caching.may_stand_in(asked(request_says), answer, NOW + after, 100) is stands_in


def test_a_304_renews_what_is_stored() -> None:
    old = stored("max-age=1", etag=TAG, content_type="text/csv", age="9")
    told = {"cache-control": "max-age=60", "content-type": "text/html", "content-length": "0"}
    new = caching.freshened(old, told, NOW + 10, NOW + 11)
    assert (new.lifetime, new.age(NOW + 11), new.body) == (60, 1, old.body)
    assert new.headers["content-type"] == "text/csv"
    assert "content-length" not in new.headers
    assert caching.validators(new) == {"if-none-match": TAG}


def test_what_came_with_a_key_lies_in_no_cache_on_the_way() -> None:
    assert caching.for_callers({}) is None
    said = {"cache-control": 'public, s-maxage=9, max-age=60, x="a, b", must-revalidate'}
    assert caching.for_callers(said) == "private, max-age=60, must-revalidate"


DIRECTIVE = st.sampled_from(
    ["max-age=60", "s-maxage=30", "no-store", "no-cache", "private", "public",
     "must-revalidate", "stale-if-error=5", "immutable"]
)  # fmt: skip


@pytest.mark.heavy
@settings(max_examples=1000, deadline=None)
@given(
    said=st.lists(DIRECTIVE, max_size=4, unique=True),
    status=st.sampled_from([200, 203, 204, 300, 404, 410]),
    ages=st.tuples(*[st.none() | st.integers(-100_000, 100_000)] * 3),
)
def test_hishel_reads_the_same(
    said: list[str], status: int, ages: tuple[int | None, int | None, int | None]
) -> None:
    """hishel reads the machine's clock, so this test does too, at whole seconds."""
    now = float(int(time.time()))
    names = ("date", "expires", "last-modified")
    headers = {
        name: formatdate(now + ahead, usegmt=True)
        for name, ahead in zip(names, ages, strict=True)
        if ahead is not None
    }
    if said:
        headers["cache-control"] = ", ".join(said)
    ours = Stored(status, headers, b"", now, now)
    theirs = Response(status, Headers(headers))
    miss = CacheMiss(request=Request("GET", "http://x/"), options=CacheOptions(shared=True))
    assert caching.may_store({}, ours) is isinstance(miss.next(theirs), StoreAndUse)
    stated = "expires" in headers or ours.directives.keys() & {"max-age", "s-maxage"}
    if stated:  # heuristics are each cache's own
        theirs_lasts = get_freshness_lifetime(theirs, True) or 0
        assert max(0.0, ours.lifetime) == pytest.approx(max(0, theirs_lasts), abs=2)
    if "date" in headers:
        assert ours.age(now) == pytest.approx(get_age(theirs), abs=2)

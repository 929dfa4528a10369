"""What is read of a page, and of its address."""

from __future__ import annotations

import time

import pytest
from tests.pace import slower

from augury.extension.page import WebPage, words_of


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://a.org/us/fed-holds-rates-2026-09-17/?utm=x#top", "fed holds rates 2026 09 17"),
        ("https://apnews.com/article/will-powell-resign-3f2a91bc77de", "will powell resign"),
        ("https://x.org/news/2026/04/15/index.html", "2026"),
        ("https://x.org/", ""),
        ("not a url", "not a url"),
        ("https://[::1", ""),
        ("https://x.org/%66ed%2Dcuts", "fed cuts"),
    ],
)  # fmt: skip
def test_words_of_an_address(url: str, words: str) -> None:
    assert words_of(url) == words


@pytest.mark.parametrize(
    ("page", "question"),
    [
        (WebPage(title="Fed cuts rates by a quarter | Reuters"), "Fed cuts rates by a quarter"),
        (WebPage(title="Elche - Levante"), "Elche - Levante"),
        (WebPage(title="Fed cuts rates", query="bitcoin"), "bitcoin"),
        (WebPage(url="https://a.org/us-recession-odds"), "us recession odds"),
        (WebPage(title="News", text="The Fed cut rates today."), "News The Fed cut rates today."),
        (WebPage(url="https://kalshi.com/markets/kxfed"), "https://kalshi.com/markets/kxfed"),
        (WebPage(url="https://polymarket.com.evil.org/event/x-y"), "x y"),
        (WebPage(title="\u200b"), ""),
    ],
)
def test_what_is_searched_for(page: WebPage, question: str) -> None:
    assert page.question == question


def test_a_fetched_page_fills_what_is_missing() -> None:
    html = (
        b"<html><head><title>Old <b>name</b></title><meta property='og:title' "
        b"content='Fed &amp; ECB cut'>"
        b"<meta name=description content='Both banks cut.'></head><script>x</script>"
    )
    assert WebPage(url="https://a.org/1").filled(html).title == "Fed & ECB cut"
    assert WebPage(url="https://a.org/1").filled(html).text == "Both banks cut."
    assert WebPage(title="Mine").filled(html).title == "Mine"
    assert WebPage().filled(b"\xff\xfe<title>" * 1000).text == ""


@pytest.mark.parametrize(
    "html", [b"<![<![<![", b"<![foo[<", b"<p a='&#" + b"9" * 5_000 + b";'>"], ids=["[", "foo", "&#"]
)
def test_what_the_parser_gives_up_on_is_read_up_to_there(html: bytes) -> None:
    page = WebPage(url="https://a.org/fed-cuts").filled(b"<title>The Fed cuts</title>" + html)
    assert page.question == "The Fed cuts"
    assert WebPage(url="https://a.org/fed-cuts-rates").filled(html).question == "fed cuts rates"


@pytest.mark.parametrize(
    "html",
    [
        b"<title>" + b"a<b>" * 125_000,
        b"<title>" + b"a&lt;" * 100_000,
        b"<title>a</title>" * 30_000,
        b"<meta name=description content='" + b"a " * 250_000,
        b"<meta name=description content=a>" * 15_000,
        b"<" * 500_000,
        b"<a " * 160_000,
        b"<a b" + b"=c b" * 120_000,
        b"<!--" * 120_000,
        b"<![CDATA[" * 55_000,
        b"&" * 500_000,
        b"</" * 250_000,
    ],
    ids=lambda html: html[:14].decode(),
)
def test_a_hostile_page_is_read_in_bounded_time(html: bytes) -> None:
    """In a thread; the first grew with the square of its length before."""
    start = time.thread_time()
    WebPage(url="https://a.org/1").filled(html)
    assert time.thread_time() - start < slower()

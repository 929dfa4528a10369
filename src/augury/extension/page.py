"""A page as its reader's browser describes it: address, title, text. Pure: nothing is fetched."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from typing import Final
from urllib.parse import unquote, urlsplit

from augury.search.schemas import MAX_QUERY, is_readable

_SLUG_BREAK = re.compile(r"[-_+.,/\s]+")
_ENDING = re.compile(r"\.(?:s?html?|php|aspx?|jsp|cms|amp)$", re.IGNORECASE)
# Parts of paths that say where a page is on its site, not what it is about.
_PLACES: Final = frozenset(
    """news article articles story stories index amp live blog blogs post posts video videos watch
    en us uk world www html detail id page pages preview game match matches event events market
    markets status""".split()
)
_IDENTIFIER = re.compile(r"(?=.*\d)[a-z0-9]{7,}|\d{5,}|[a-f0-9]{8,}|c[a-z0-9]{10,}", re.IGNORECASE)
_SITE = re.compile(r"^(?P<title>.*\S)\s+(?:[|·•—–]|-|::)\s+(?P<site>[^|·•—–]{2,40})$")
_HEAD: Final = 200_000
"""The title and the description of a page are looked for in this many bytes from its start. Chosen
by hand."""
_PIECES: Final = 50
"""At most this many text pieces of a page's title are read. The limit bounds the work, since tags
may cut a title into any number of pieces. Chosen by hand."""
FIRST_WORDS: Final = 40
"""If a page's title is short or missing, this many words from the start of the page's text are
added to the search text. Chosen by hand."""
_VENUES: Final = ("polymarket.com", "kalshi.com")


@dataclass(frozen=True, slots=True)
class WebPage:
    """What is known of the web page that a reader is on; unknown parts are empty."""

    url: str = ""
    title: str = ""
    text: str = ""
    query: str = ""

    @property
    def host(self) -> str:
        return _split(self.url)[0]

    @property
    def path(self) -> str:
        return _split(self.url)[1]

    @property
    def heading(self) -> str:
        """The page's title without the name of its site; the words in its address if it has no
        title."""
        title = " ".join(self.title.split())
        found = _SITE.match(title)
        if found and len(found["title"].split()) >= 3 and len(found["site"].split()) <= 4:
            title = found["title"]
        return title if is_readable(title) else words_of(self.url)

    @property
    def is_of_venue(self) -> bool:
        """Whether the page is a venue's own page, whose address names the market that it shows."""
        host = self.host
        return any(host == venue or host.endswith(f".{venue}") for venue in _VENUES)

    @property
    def question(self) -> str:
        """The text to search for. It is the query if there is one; else, for a page at Polymarket
        or Kalshi, the page's address; else the heading. A short heading is followed by the first
        words of the page's text."""
        if is_readable(self.query):
            return self.query[:MAX_QUERY]
        if self.is_of_venue:
            return self.url[:MAX_QUERY]  # search reads the venues' own addresses
        heading = self.heading
        if is_readable(heading) and (len(heading.split()) > 2 or not self.text):
            return heading[:MAX_QUERY]
        first = " ".join(self.text.split()[:FIRST_WORDS])
        return f"{heading} {first}".strip()[:MAX_QUERY]

    def filled(self, html: bytes) -> WebPage:
        """The page, with a missing title or text taken from the fetched HTML.

        If the parser fails, what it has read until then is used.
        """
        reader = _HeadReader()
        with suppress(AssertionError, ValueError):  # HTMLParser raises on "<![<![" or "&#999...;"
            reader.feed(html[:_HEAD].decode("utf-8", "replace"))
        return replace(
            self,
            title=self.title or reader.title[:500],
            text=self.text or reader.description[:2000],
        )


def words_of(url: str) -> str:
    """The words in an address, i.e. in the longest part of its path, without identifiers:
    "https://a.com/news/fed-cuts-rates-9f8e7d6c" -> "fed cuts rates"."""
    best: list[str] = []
    for part in _split(url)[1].split("/"):
        words = [w for w in _SLUG_BREAK.split(_ENDING.sub("", part)) if w]
        words = [w for w in words if not _IDENTIFIER.fullmatch(w)]
        if len(words) == 1 and words[0].lower() in _PLACES:
            continue
        if sum(map(len, words)) > sum(map(len, best)):
            best = words
    return " ".join(best)


def _split(url: str) -> tuple[str, str]:
    """Host and decoded path of an address; query and fragment are ignored."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return "", ""
    return host, unquote(parts.path).replace("\0", "")


class _HeadReader(HTMLParser):
    """Reads the title and the description of a page, and nothing else."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.description = ""
        self._og_title = ""
        self._pieces: list[str] = []
        self._in_title = False

    @property
    def title(self) -> str:
        return self._og_title or " ".join(" ".join(self._pieces).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title":
            self._in_title = True
        elif tag == "meta":
            attributes = dict(attrs)
            name = (attributes.get("property") or attributes.get("name") or "").lower()
            content = " ".join((attributes.get("content") or "").split())
            if name == "og:title" and content:
                self._og_title = content
            elif name in ("description", "og:description") and not self.description:
                self.description = content

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title and len(self._pieces) < _PIECES:
            self._pieces.append(data[:500])

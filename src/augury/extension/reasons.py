"""Why a market is shown for a web page, as one sentence for readers."""

from __future__ import annotations

from typing import Final

from augury.extension.fixtures import Fixture
from augury.extension.games import Game
from augury.extension.page import WebPage
from augury.extension.store import PageMarketRow
from augury.search.service import SearchService
from augury.search.text import is_month, is_number, term_ids, terms

MAX_REASON_WORDS = 3
"""The reason why a market is shown names at most this many words that the market and the page have
in common ("The page is about ...")."""
COMMON_IDF: Final = 2.5
"""A word whose inverse document frequency is smaller than this is too common to say what a market
is about. With a larger value, more words count as too common. Chosen by hand."""


class Explainer:
    """Explains why a market is shown for a page, by the words that occur in both."""

    def __init__(self, search: SearchService, page: WebPage) -> None:
        self._frequencies = search.frequencies
        self._title = set(terms(page.question))
        self._all = self._title | set(terms(page.title)) | set(terms(page.text))

    def _telling(self, row: PageMarketRow) -> dict[str, float]:
        """The terms of a market's question that say what it is about, with the inverse document
        frequency of each."""
        found = [
            t for t in dict.fromkeys(terms(row.question)) if not is_number(t) and not is_month(t)
        ]
        rarity = self._frequencies.idf(term_ids(found)).tolist()
        return {t: r for t, r in zip(found, rarity, strict=True) if r >= COMMON_IDF}

    def shares(self, row: PageMarketRow) -> bool:
        """Whether the page contains a term that says what the market is about (see
        `COMMON_IDF`)."""
        return any(t in self._all for t in self._telling(row))

    def overlap(self, row: PageMarketRow) -> float:
        """Share (0 to 1), weighted by rarity, of the market's distinctive terms that the page
        contains."""
        telling = self._telling(row)
        total = sum(telling.values())
        return sum(r for t, r in telling.items() if t in self._all) / total if total else 0.0

    def why(self, row: PageMarketRow) -> str:
        """The sentence that tells readers of the web page why the market is shown: the words that
        page and market have in common or, if there are none, that the two are close in meaning."""
        telling = self._telling(row)
        for named, place in ((self._title, "The page is about"), (self._all, "The page mentions")):
            common = sorted((t for t in telling if t in named), key=lambda t: -telling[t])
            if common:
                return f"{place} {_spoken(row.question, common[:MAX_REASON_WORDS])}."
        return "Close in meaning to the page, without a word in common."


def _spoken(question: str, wanted: list[str]) -> str:
    """The words of a market's question whose terms are in `wanted`, as a list in words ("a, b and
    c") in the order of the question."""
    words: dict[str, str] = {}
    for word in question.replace("*", "").split():
        plain = word.strip(".,:;?!()[]\"'“”’").removesuffix("'s").removesuffix("’s")
        for t in terms(plain):
            words.setdefault(t, plain)
    chosen = list(dict.fromkeys(word for t, word in words.items() if t in wanted)) or wanted
    return chosen[0] if len(chosen) == 1 else f"{', '.join(chosen[:-1])} and {chosen[-1]}"


def why_game(game: Game) -> str:
    """Why a market on the page's own game is shown, as a sentence for readers that says when the
    game starts."""
    start = game.fixture.start
    if start is None:
        when = "time unknown"
    elif start.at is not None:
        when = f"{start.at:%d %b %Y %H:%M} UTC"
    else:
        when = f"{start.day:%d %b %Y}"
    about = "Who wins" if game.asks_winner else "On"
    return f"{about} the page's game: {versus(game.fixture)}, {when}."


def versus(fixture: Fixture) -> str:
    """The two sides of a game, as a text to read and to search for: "Arsenal vs Chelsea"."""
    return f"{fixture.home.text} vs {fixture.away.text}"

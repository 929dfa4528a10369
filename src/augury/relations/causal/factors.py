"""Finds the factors that a text is about, how well they fit, and whether Yes to the text means that
a factor rises or falls. Pure.

A factor is something in the world that markets are about, e.g. a policy rate. A market's factors
are found once, when the market is indexed, from its question and its event's name. A query's
factors are found when the query is made.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from augury.relations.causal.knowledge import Base
from augury.relations.causal.parts import Factor, Line, Phrase
from augury.search.text import fold, is_month, is_number, query_weight, title_terms

MAX_FACTORS: Final = 6
"""A text is taken to be about at most this many factors (things in the world, e.g. a policy rate):
those that fit best."""


class Match(NamedTuple):
    """A factor (something in the world that markets are about, e.g. a policy rate) that a text
    names."""

    factor: int
    """Id of the factor (something in the world that markets are about): its position in the factor
    base, `Base.factors`, counted from 1."""
    fit: float
    """How much of the question or query names the factor, in (0, 1]: roughly the share of words
    that belong to the factor's name. Numbers and months do not count, and weak words count less
    (`query_weight`)."""
    yes_direction: int
    """+1 if Yes to the text means a rise of the factor (`Factor.up`), -1 if it means a fall, 0 if
    the text does not say ("between 3% and 3.4%")."""
    words: tuple[str, ...]
    """The terms (stemmed words) of the text that name the factor."""
    part: bool = False
    """Whether the words that name this factor are only a part of those that name another factor of
    the text: "OpenAI" in "OpenAI's listing"."""


class Matcher:
    """Finds the factors (things in the world, e.g. a policy rate) that texts name. To be fast, it
    indexes each way of naming a factor (`Line`) by a few rare terms. Every text that names the
    factor in this way has at least one of these terms."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.factors: tuple[Factor, ...] = tuple(base.factors.values())
        common = Counter(word for f in self.factors for line in f.lines for word in line.words)
        self._lines: dict[str, list[tuple[int, Line]]] = defaultdict(list)
        for number, factor in enumerate(self.factors, 1):
            for line in factor.lines:
                for word in _anchors(line, common):
                    self._lines[word].append((number, line))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Key of a factor -> its id, i.e. its position in the factor base, counted from 1."""
        return {factor.key: number for number, factor in enumerate(self.factors, 1)}

    def match(self, title: str, event: str = "") -> list[Match]:
        """The factors (things in the world) that a text names, best fitting first, at most
        `MAX_FACTORS`.

        title : the market's question, or a query
        event : name of the market's event; for a market without an event, the kind of game that the
            market's rules name, as the function `game` returns it
        """
        found = list(title_terms(title))
        subject = dict.fromkeys(t for t in found if not is_number(t) and not is_month(t))
        weights = {word: query_weight(word) for word in subject}
        if event:
            found += ["|", *title_terms(event)]  # the bar keeps phrases within one of the texts
        places: dict[str, list[int]] = defaultdict(list)
        for place, word in enumerate(found):
            places[word].append(place)
        total = sum(weights.values())
        best: dict[int, tuple[float, tuple[str, ...]]] = {}
        bare: dict[int, bool] = {}
        for word in places:
            for number, line in self._lines.get(word, ()):
                words = _matched(line, found, places)
                if words is None or (line.alone and not subject.keys() <= set(words)):
                    continue
                explained = sum(weights.get(w, 0.0) for w in words)
                # Words that only the event's name has explain nothing of the question.
                fit = (explained + 0.25) / (total + 0.25) if total else 0.25
                if number not in best or fit > best[number][0]:
                    best[number] = fit, words
                    bare[number] = len(line.conjuncts) == 1
        if any(self.factors[number - 1].hearsay for number in best):
            best = {n: found for n, found in best.items() if self.factors[n - 1].hearsay}
        order = sorted(best, key=lambda number: (-best[number][0], number))[:MAX_FACTORS]
        if not order:
            return []
        folded = fold(title)
        words = {number: frozenset(best[number][1]) for number in order}
        return [
            Match(
                n,
                min(1.0, best[n][0]),
                yes_direction(folded, self.factors[n - 1]),
                best[n][1],
                bare[n] and any(words[n] < words[other] for other in order),
            )
            for n in order
        ]


def game(rules: str) -> str:
    """The kind of game that a market's rules name. " vs" is added at its end: "pro football game
    vs". Empty if the rules name no kind.

    Titles of games ("Dallas at Philadelphia") do not name the sport, but the rules' first sentence
    does: "If Dallas wins the Dallas vs Philadelphia professional football game ...".
    """
    found = _GAME.search(rules[:400])
    return f"{found[1].replace('professional', 'pro')} vs" if found else ""


_GAME: Final = re.compile(
    r"\b((?:professional|college) (?:[\w']+ ){1,4}(?:game|match|fight)) originally scheduled"
)


def _anchors(line: Line, common: Counter[str]) -> set[str]:
    """The terms under which a way of naming a factor (`line`) is indexed: every text that names the
    factor in this way has at least one of them. If several sets of terms have this property, the
    set with the rarest terms is taken.

    common : term -> number of ways of naming a factor that contain it
    """
    choices = [
        {min(phrase, key=lambda word: (common[word], word)) for phrase in conjunct}
        for conjunct in line.conjuncts
    ]
    return min(choices, key=lambda words: sum(common[w] for w in words))


def _matched(
    line: Line, found: Sequence[str], places: dict[str, list[int]]
) -> tuple[str, ...] | None:
    words: list[str] = []
    for conjunct in line.conjuncts:
        for phrase in conjunct:
            if _contains(found, places, phrase):
                words += phrase
                break
        else:
            return None
    if any(_contains(found, places, phrase) for phrase in line.without):
        return None
    return tuple(dict.fromkeys(words))


def _contains(found: Sequence[str], places: dict[str, list[int]], phrase: Phrase) -> bool:
    """Whether a text, given by its terms, contains a phrase. `places`: term -> its positions."""
    starts = places.get(phrase[0])
    if not starts:
        return False
    size = len(phrase)
    return size == 1 or any(tuple(found[at : at + size]) == phrase for at in starts)


# Whether Yes means that a factor rises or falls

_DOWN: Final = frozenset(
    """below under less lower lowest fewer decrease decreases decreased cut cuts drop drops fall
    falls fallen dip dips decline declines declining low slump crash crashes collapse shrink
    plunge plunges slide slides sink sinks worst""".split()
)
_UP: Final = frozenset(
    """above over more higher highest high increase increases increased rise rises raise raises
    hike hikes hit reach reaches surge surges soar soars jump jumps exceed exceeds exceeded least
    best""".split()
)
_NOT: Final = frozenset("not no never fail fails failed without nobody none refuse refuses".split())


def yes_direction(text: str, factor: Factor) -> int:
    """Whether Yes to a text means a rise or a fall of a factor (something in the world, e.g. a
    policy rate): +1 for a rise (`Factor.up`), -1 for a fall, 0 if unknown.

    Words such as "above" and "cut" count only if the factor is a quantity. Otherwise "falls" may
    mean a rise: a country that "falls into recession" has more recession.

    text : as `augury.search.text.fold` returns it
    """
    words = tuple(text.replace("?", " ").replace(",", " ").split())
    down, up = _words_of(factor.down_words, words), _words_of(factor.up_words, words)
    if own_words := down or up:
        side = -1 if down else 1
    elif factor.is_level:
        falls, rises = (sum(word in generic for word in words) for generic in (_DOWN, _UP))
        side = (rises > falls) - (falls > rises)
    else:
        side = 1
    # A negation inside the factor's own words ("no change", "bank fails") reverses nothing.
    return -side if any(word in _NOT and word not in own_words for word in words) else side


def _words_of(phrases: tuple[Phrase, ...], words: tuple[str, ...]) -> set[str]:
    """All words of those `phrases` that occur as a whole in a text. `words`: the text's words, in
    order."""
    return {word for phrase in phrases if _is_in(phrase, words) for word in phrase}


def _is_in(phrase: Phrase, words: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(words[at : at + size] == phrase for at in range(len(words) - size + 1))

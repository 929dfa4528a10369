"""The games that the catalogue's markets are about, indexed by side (team or player). Pure.

It finds the games that a page names. A headline rarely says "A vs B". It names both sides
somewhere, by city, nickname, surname or abbreviation, and it is about a game if the catalogue has
one between these sides. So the text is searched for sides, not for phrases. How venues abbreviate a
side is learned from their tickers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from augury.extension import names
from augury.extension.games import Game
from augury.extension.names import TeamName
from augury.search.text import fold, terms

_INDIVIDUAL_SPORTS: Final = frozenset({"tennis", "atp", "wta", "ufc", "boxing", "golf", "f1"})
"""Sports and leagues in which single athletes compete, not teams. A first name without the surname
does not identify an athlete."""
PARTLY, SURE = 0.4, 0.5
"""Certainties, 0 to 1, that a text means a side (team or player) of a game. `PARTLY`: the certainty
if the text has only a part of the name of a known side. `SURE`: a text names a game only if it
means at least one of the two sides with this certainty or more. Chosen by hand."""
_SHORT = 5
_ONE = "1:"
_WORD = re.compile(r"[a-z0-9]+")
_RARE = 4
"""A word is taken to identify a team or player only if it is in the names of at most this many of
them. Chosen by hand."""
_NONE: Final = frozenset[str]()
_TICKER = re.compile(r"-\d\d[a-z]{3}\d\d(?:\d{4})?(?P<both>[a-z]+?)(?:g\d)?-(?P<one>[a-z]+)$")
_LETTERS = re.compile(r"\b[A-Z][A-Z0-9]{1,4}\b")
_SLUG = re.compile(r"^[a-z0-9]+-(?P<left>[a-z]{2,5})\d?-(?P<right>[a-z]{2,5})\d?-20\d\d-")


class NamedGame(NamedTuple):
    """A market on a game whose two sides (teams or players) a text names."""

    game: Game
    certainty: float
    """Certainty, in (0, 1], that the text means both sides (teams or players) of the game: the
    smaller one of the two sides' certainties. A side's certainty is e.g. 1 for its full name and
    0.5 for its city alone."""
    gap: int
    """Distance between the names of the two sides in the text, in words: the smallest difference
    between the position of a word of one name and that of a word of the other."""
    sides: tuple[TeamName, TeamName]


class _NamedSide(NamedTuple):
    name: TeamName
    last: str
    """Last word of the name of the team or player; for a player, that is the surname."""
    league: str


class _FoundName(NamedTuple):
    certainty: float
    places: frozenset[int]
    """Positions, in the text, of the words that name the team or player."""
    name_words: frozenset[str]
    """The words in the text that name the team or player."""


class _KnownTeam(NamedTuple):
    """A known team or player in a text: the certainty (0 to 1) that the text means this one, and
    the positions of the words that name it."""

    certainty: float
    places: set[int]


class Roster:
    """The markets on games. They are looked up by the two sides (teams or players) of a game. The
    roster may still have a market that no longer exists. This does no harm, because callers read a
    market from the database before they show it."""

    def __init__(self) -> None:
        self._games: dict[str, Game] = {}
        self._sides: dict[tuple[frozenset[str], frozenset[str], str], int] = {}
        self._by_number: list[_NamedSide] = []
        self._playing: list[set[str]] = []
        self._by_token: defaultdict[str, set[int]] = defaultdict(set)
        self._letters: defaultdict[str, set[int]] = defaultdict(set)
        self._together: defaultdict[str, set[int]] = defaultdict(set)

    def __len__(self) -> int:
        return len(self._games)

    def add(self, game: Game, ticker_or_slug: str = "") -> None:
        """Add a market on a game. `ticker_or_slug`: the venue's identifier of the market, which has
        abbreviations of the game's two sides (teams or players)."""
        self.drop(game.id)
        self._games[game.id] = game
        fixture = game.fixture
        sides = [self._number(side, fixture.league) for side in (fixture.home, fixture.away)]
        for number in sides:
            self._playing[number].add(game.id)
        # A ticker lists the sides in the order of the question, but in "A at B" `home` is B.
        first, second = sides if game.home_first else sides[::-1]
        for letters, number in zip(_letters(ticker_or_slug), (first, second), strict=True):
            if letters:
                self._letters[letters].add(number)

    def drop(self, id: str) -> None:
        """Remove the market with this id, if there is one."""
        old = self._games.pop(id, None)
        if old is not None:
            for side in (old.fixture.home, old.fixture.away):
                self._playing[self._number(side, old.fixture.league)].discard(id)

    def between(self, one: TeamName, other: TeamName) -> list[Game]:
        """The markets on games between two sides (teams or players)."""
        return [self._games[id] for id in self._of(one) & self._of(other)]

    def _of(self, wanted: TeamName) -> set[str]:
        tokens = wanted.keys | wanted.terms | set(map(_beginning, wanted.terms))
        numbers = set().union(*(self._by_token.get(token, ()) for token in tokens))
        same = (n for n in numbers if names.same(wanted, self._by_number[n].name))
        return set().union(*(self._playing[n] for n in same))

    def named_in(self, text: str, league: str | None = None) -> list[NamedGame]:
        """The markets on games of which a text names both sides (teams or players). Each side must
        be named by a word that does not name the other.

        A word may be part of the names of several sides ("Williams"). Then the text is taken to
        name only the side whose name it gives most fully.
        """
        found = self._sides_in(text, names.broad(league) if league else None)
        of: defaultdict[str, list[_FoundName]] = defaultdict(list)
        for number, how in found.items():
            for id in self._playing[number]:
                of[id].append(how)
        out: list[NamedGame] = []
        for id, (one, *rest) in of.items():
            apart = [other for other in rest if _are_apart(one.places, other.places)]
            if apart and max(one.certainty, apart[0].certainty) >= SURE:
                other = apart[0]
                game = self._games[id]
                sides = game.fixture.home, game.fixture.away
                gap = min(abs(a - b) for a in one.places for b in other.places)
                out.append(NamedGame(game, min(one.certainty, other.certainty), gap, sides))
        return out

    def _sides_in(self, text: str, league: str | None) -> dict[int, _FoundName]:
        words: list[str] = []
        keys: dict[str, _KnownTeam] = {}
        found: dict[int, _FoundName] = {}

        def note(number: int, how: _FoundName) -> None:
            if league is not None and self._by_number[number].league not in ("", league):
                return
            before = found.get(number)
            if before is None or how.certainty > before.certainty:
                found[number] = how

        for run in names.runs(text):
            for letters in () if text == text.upper() else _LETTERS.findall(run):
                place = frozenset([len(words) + _index_of(letters, run)])
                for number in self._letters.get(letters.lower(), ()):
                    note(number, _FoundName(0.7, place, frozenset([letters])))
            for together, place in _joined(run):
                for number in self._together.get(together, ()):
                    note(number, _FoundName(0.9, frozenset([len(words) + place]), frozenset([run])))
            own = terms(names.replaced(run))
            _find_keys(own, len(words), keys)
            words += [*own, ""]
        at: defaultdict[str, set[int]] = defaultdict(set)
        for position, word in enumerate(words):
            at[word].add(position)
        for key, (certainty, places) in keys.items():
            for number in self._by_token.get(key, ()):
                name_words = frozenset(words[p] for p in places)
                note(number, _FoundName(certainty, frozenset(places), name_words))
        named = {p for certainty, places in keys.values() if certainty > SURE for p in places}
        for number in set().union(*(self._by_token.get(word, ()) for word in at if word)):
            how = self._by_terms(self._by_number[number], at, named)
            if how is not None:
                note(number, how)
        return {n: how for n, how in found.items() if not self._is_part(n, how, found)}

    def _by_terms(
        self, side: _NamedSide, at: defaultdict[str, set[int]], named: set[int]
    ) -> _FoundName | None:
        """Look for a side (team or player) in the text by the terms of its name. Returns the terms
        found, with their positions and how sure it is that they mean this side; None if the text
        does not name the side.
        `at`: positions of each term of the text; `named`: positions of the known names."""
        common = frozenset(word for word in side.name.terms if word in at)
        places = frozenset(p for word in common for p in at[word])
        if len(common) == len(side.name.terms):
            return _FoundName(0.8 if len(common) == 1 else 1.0, places, common)
        if side.name.keys:
            # A known side is found by the names of its keys. Other parts of its name ("Madrid",
            # "United") count only if the other side of the game is certain.
            if names.leagues(side.name) & names.FULLY_KNOWN:
                return None
            long = frozenset(w for w in common if len(w) > 3 and not at[w] & named)
            places = frozenset(p for word in long for p in at[word])
            return _FoundName(PARTLY, places, long) if long else None
        if side.last in common and len(side.last) > 2:
            return _FoundName(0.8, frozenset(at[side.last]), common)
        if side.league in _INDIVIDUAL_SPORTS:
            return None
        rare = frozenset(w for w in common if len(w) > 3 and len(self._by_token[w]) <= _RARE)
        if rare:
            return _FoundName(0.6, frozenset(p for word in rare for p in at[word]), rare)
        return None

    def _is_part(self, number: int, how: _FoundName, found: dict[int, _FoundName]) -> bool:
        """Whether the words by which a side (team or player) was found are only some of the words
        by which another side was found."""
        own = self._by_number[number].name
        return any(
            how.places & other.places
            and how.name_words < other.name_words
            and how.certainty <= other.certainty
            and not own.terms <= self._by_number[n].name.terms
            for n, other in found.items()
            if n != number
        )

    def _number(self, side: TeamName, league: str | None) -> int:
        of = names.broad(league) if league else ""
        # A known side gets one number, however its name is written.
        identity = (frozenset() if side.keys else side.terms, side.keys, of)
        number = self._sides.get(identity)
        if number is None:
            number = self._sides[identity] = len(self._by_number)
            last = next(iter(terms(side.text)[::-1]), "")
            self._by_number.append(_NamedSide(side, last, of))
            self._playing.append(set())
            for token in side.keys | side.terms:
                self._by_token[token].add(number)
            for word in side.terms:
                self._by_token[_beginning(word)].add(number)
            if len(together := "".join(_WORD.findall(fold(side.text)))) > _SHORT:
                self._together[together].add(number)
                if " " in side.text:
                    self._together[f"{_ONE}{together}"].add(number)
            for letters in names.initials(side, of):
                self._letters[letters].add(number)
        return number


def _find_keys(words: Sequence[str], start: int, keys: dict[str, _KnownTeam]) -> None:
    """Find the teams and players whose known names or cities are among `words`, and add them to
    `keys`: key of the team or player -> what was found, with the positions of its words in the
    text. A city directly before its team's name is part of that name.

    `start`: position in the text of the first of `words`.
    """
    spans: list[range] = []
    for mention in names.mentions(words):
        span = range(mention.start, mention.end)
        own = {key for key, _ in mention.keys}
        for size in (1, 2, 3):
            before = range(mention.start - size, mention.start)
            if before.start >= 0 and own & names.places().get(tuple(words[_slice(before)]), _NONE):
                span = range(before.start, mention.end)
        spans.append(span)
        for key, weight in mention.keys:
            certainty = 1.0 if weight > 0.5 else 0.7 if weight else 0.5
            _note(keys, key, certainty, start, span)
    for size in (3, 2, 1):
        for position in range(len(words) - size + 1):
            city = range(position, position + size)
            if any(city[0] in span and city[-1] in span and len(span) > size for span in spans):
                continue
            for key in names.places().get(tuple(words[_slice(city)]), _NONE):
                if key not in keys:
                    _note(keys, key, 0.5, start, city)


def _note(keys: dict[str, _KnownTeam], key: str, certainty: float, start: int, span: range) -> None:
    before = keys.get(key, _KnownTeam(0.0, set()))
    places = before.places | {start + position for position in span}
    keys[key] = _KnownTeam(max(certainty, before.certainty), places)


def _are_apart(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether a text names two different sides (teams or players) rather than one side twice. `one`
    and `other` are the positions of the words that name each side. They are different sides if each
    is named by a word that does not name the other. In "Vols beat East Tennessee", "Vols" names
    only Tennessee, and "East" only East Tennessee; "Tennessee" fits both."""
    return not (one <= other or other <= one)


def _beginning(word: str) -> str:
    """The token under which a word of a name is indexed. Names that are spelled almost alike
    (`names.same`) have the same token, so that each is found by the other: "rawalpindi",
    "rawalpindiz" -> "rawalp-"."""
    return f"{word[:6]}-"


def _slice(span: range) -> slice:
    return slice(span.start, span.stop)


def _joined(run: str) -> Iterator[tuple[str, int]]:
    """Yields candidates for names in the text `run`, each with the position of its first term. A
    candidate is one word, or two or three words in a row, written without spaces ("The Mongolz" ->
    "themongolz"). A single word gets the prefix "1:" (`_ONE`). Candidates of at most 5 characters
    (`_SHORT`), not counting the prefix, are left out."""
    words = _WORD.findall(fold(run))
    for size in (1, 2, 3):
        for start in range(len(words) - size + 1):
            together = "".join(words[start : start + size])
            if len(together) > _SHORT:
                # A single word adds something only for a side whose own name has several words.
                marked = f"{_ONE}{together}" if size == 1 else together
                yield marked, len(terms(" ".join(words[:start])))


def _index_of(letters: str, run: str) -> int:
    return len(terms(run[: run.index(letters)]))


def _letters(ticker_or_slug: str) -> tuple[str, str]:
    """The abbreviations of the first and the second side (team or player) in a ticker or slug;
    empty if it has none."""
    plain = ticker_or_slug.lower()
    if (ticker := _TICKER.search(plain)) is not None:
        both, one = ticker["both"], ticker["one"]
        if both.startswith(one) and both != one:
            return one, both.removeprefix(one)
        if both.endswith(one) and both != one:
            return both.removesuffix(one), one
        return "", ""
    if (slug := _SLUG.match(plain)) is not None:
        return slug["left"], slug["right"]
    return "", ""

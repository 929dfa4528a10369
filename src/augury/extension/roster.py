"""The games of a catalogue by who plays in them: which game does a page name? Pure.

A headline rarely says "A vs B". It names both sides somewhere, by city, nickname, surname or
letters, and what makes them a game is that the catalogue holds one of the two. So sides are looked
for, not phrases; and how the venues abbreviate a side is learned from their own tickers.
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

_ALONE: Final = frozenset({"tennis", "atp", "wta", "ufc", "boxing", "golf", "f1"})
"""Sports of individuals, in which a first name alone identifies nobody."""
PARTLY, SURE = 0.4, 0.5
"""Certainty, 0 to 1: of a side named only by one word of its name; and the least that the
better-named side of a game must reach."""
_SHORT = 5
_ONE = "1:"
_WORD = re.compile(r"[a-z0-9]+")
_RARE = 4
"""Largest number of sides that may share a term for it still to identify one of them."""
_NONE: Final = frozenset[str]()
_TICKER = re.compile(r"-\d\d[a-z]{3}\d\d(?:\d{4})?(?P<both>[a-z]+?)(?:g\d)?-(?P<one>[a-z]+)$")
_LETTERS = re.compile(r"\b[A-Z][A-Z0-9]{1,4}\b")
_SLUG = re.compile(r"^[a-z0-9]+-(?P<left>[a-z]{2,5})\d?-(?P<right>[a-z]{2,5})\d?-20\d\d-")


class NamedGame(NamedTuple):
    """A game both of whose sides a text names."""

    game: Game
    surety: float
    """Certainty, in (0, 1], of the side that is named less clearly: 1 for its own name, 0.5 for its
    city."""
    gap: int
    """Number of words between the two names."""
    sides: tuple[TeamName, TeamName]


class _Side(NamedTuple):
    name: TeamName
    last: str
    """Last term of the name: a player's surname."""
    league: str


class _Found(NamedTuple):
    surety: float
    places: frozenset[int]
    """Positions in the text."""
    whole: frozenset[str]
    """The terms that identified it."""


class _Known(NamedTuple):
    """A key among terms: how surely it is named, and everywhere it is."""

    surety: float
    places: set[int]


class Roster:
    """Sides and their games. A market that is gone may stay: who shows it reads it anew."""

    def __init__(self) -> None:
        self._games: dict[str, Game] = {}
        self._sides: dict[tuple[frozenset[str], frozenset[str], str], int] = {}
        self._by_number: list[_Side] = []
        self._playing: list[set[str]] = []
        self._by_token: defaultdict[str, set[int]] = defaultdict(set)
        self._letters: defaultdict[str, set[int]] = defaultdict(set)
        self._together: defaultdict[str, set[int]] = defaultdict(set)

    def __len__(self) -> int:
        return len(self._games)

    def add(self, game: Game, venue_name: str = "") -> None:
        """Enter a market. `venue_name`: its ticker or slug, for the letters of its sides."""
        self.drop(game.id)
        self._games[game.id] = game
        fixture = game.fixture
        sides = [self._number(side, fixture.league) for side in (fixture.home, fixture.away)]
        for number in sides:
            self._playing[number].add(game.id)
        # The venue's order is that of its question: "A at B" is read with B at home.
        first, second = sides if game.home_first else sides[::-1]
        for letters, number in zip(_letters(venue_name), (first, second), strict=True):
            if letters:
                self._letters[letters].add(number)

    def drop(self, id: str) -> None:
        """Forget a market, if it is known."""
        old = self._games.pop(id, None)
        if old is not None:
            for side in (old.fixture.home, old.fixture.away):
                self._playing[self._number(side, old.fixture.league)].discard(id)

    def between(self, one: TeamName, other: TeamName) -> list[Game]:
        """The markets on games of two sides."""
        return [self._games[id] for id in self._of(one) & self._of(other)]

    def _of(self, wanted: TeamName) -> set[str]:
        tokens = wanted.keys | wanted.terms | set(map(_beginning, wanted.terms))
        numbers = set().union(*(self._by_token.get(token, ()) for token in tokens))
        same = (n for n in numbers if names.same(wanted, self._by_number[n].name))
        return set().union(*(self._playing[n] for n in same))

    def named_in(self, text: str, league: str | None = None) -> list[NamedGame]:
        """The markets on games whose two sides a text names in different places.

        Where one place may be two sides' ("Williams"), the one that more of the text names counts.
        """
        found = self._sides_in(text, names.broad(league) if league else None)
        of: defaultdict[str, list[_Found]] = defaultdict(list)
        for number, how in found.items():
            for id in self._playing[number]:
                of[id].append(how)
        out: list[NamedGame] = []
        for id, (one, *rest) in of.items():
            apart = [other for other in rest if _are_apart(one.places, other.places)]
            if apart and max(one.surety, apart[0].surety) >= SURE:
                other = apart[0]
                game = self._games[id]
                sides = game.fixture.home, game.fixture.away
                gap = min(abs(a - b) for a in one.places for b in other.places)
                out.append(NamedGame(game, min(one.surety, other.surety), gap, sides))
        return out

    def _sides_in(self, text: str, league: str | None) -> dict[int, _Found]:
        words: list[str] = []
        keys: dict[str, _Known] = {}
        found: dict[int, _Found] = {}

        def note(number: int, how: _Found) -> None:
            if league is not None and self._by_number[number].league not in ("", league):
                return
            before = found.get(number)
            if before is None or how.surety > before.surety:
                found[number] = how

        for run in names.runs(text):
            for letters in () if text == text.upper() else _LETTERS.findall(run):
                place = frozenset([len(words) + _index_of(letters, run)])
                for number in self._letters.get(letters.lower(), ()):
                    note(number, _Found(0.7, place, frozenset([letters])))
            for together, place in _joined(run):
                for number in self._together.get(together, ()):
                    note(number, _Found(0.9, frozenset([len(words) + place]), frozenset([run])))
            own = terms(names.replaced(run))
            _find_keys(own, len(words), keys)
            words += [*own, ""]
        at: defaultdict[str, set[int]] = defaultdict(set)
        for position, word in enumerate(words):
            at[word].add(position)
        for key, (surety, places) in keys.items():
            for number in self._by_token.get(key, ()):
                whole = frozenset(words[p] for p in places)
                note(number, _Found(surety, frozenset(places), whole))
        named = {p for surety, places in keys.values() if surety > SURE for p in places}
        for number in set().union(*(self._by_token.get(word, ()) for word in at if word)):
            how = self._by_terms(self._by_number[number], at, named)
            if how is not None:
                note(number, how)
        return {n: how for n, how in found.items() if not self._is_part(n, how, found)}

    def _by_terms(
        self, side: _Side, at: defaultdict[str, set[int]], named: set[int]
    ) -> _Found | None:
        """`at`: where each term stands; `named`: where known names do."""
        said = frozenset(word for word in side.name.terms if word in at)
        places = frozenset(p for word in said for p in at[word])
        if len(said) == len(side.name.terms):
            return _Found(0.8 if len(said) == 1 else 1.0, places, said)
        if side.name.keys:
            # A known team has names of its own; "Madrid" or "United" is one beside a sure side.
            if names.leagues(side.name) & names.FULLY_KNOWN:
                return None
            long = frozenset(w for w in said if len(w) > 3 and not at[w] & named)
            places = frozenset(p for word in long for p in at[word])
            return _Found(PARTLY, places, long) if long else None
        if side.last in said and len(side.last) > 2:
            return _Found(0.8, frozenset(at[side.last]), said)
        if side.league in _ALONE:
            return None
        rare = frozenset(w for w in said if len(w) > 3 and len(self._by_token[w]) <= _RARE)
        if rare:
            return _Found(0.6, frozenset(p for word in rare for p in at[word]), rare)
        return None

    def _is_part(self, number: int, how: _Found, found: dict[int, _Found]) -> bool:
        """Whether a side was found by a part of what names another one."""
        own = self._by_number[number].name
        return any(
            how.places & other.places
            and how.whole < other.whole
            and how.surety <= other.surety
            and not own.terms <= self._by_number[n].name.terms
            for n, other in found.items()
            if n != number
        )

    def _number(self, side: TeamName, league: str | None) -> int:
        of = names.broad(league) if league else ""
        # Known sides are one however they are written.
        identity = (frozenset() if side.keys else side.terms, side.keys, of)
        number = self._sides.get(identity)
        if number is None:
            number = self._sides[identity] = len(self._by_number)
            last = next(iter(terms(side.text)[::-1]), "")
            self._by_number.append(_Side(side, last, of))
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


def _find_keys(words: Sequence[str], start: int, keys: dict[str, _Known]) -> None:
    """Enter the known names and cities among terms, with where they stand; a city before its own
    team's name is part of that."""
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
            surety = 1.0 if weight > 0.5 else 0.7 if weight else 0.5
            _note(keys, key, surety, start, span)
    for size in (3, 2, 1):
        for position in range(len(words) - size + 1):
            city = range(position, position + size)
            if any(city[0] in span and city[-1] in span and len(span) > size for span in spans):
                continue
            for key in names.places().get(tuple(words[_slice(city)]), _NONE):
                if key not in keys:
                    _note(keys, key, 0.5, start, city)


def _note(keys: dict[str, _Known], key: str, surety: float, start: int, span: range) -> None:
    before = keys.get(key, _Known(0.0, set()))
    places = before.places | {start + position for position in span}
    keys[key] = _Known(max(surety, before.surety), places)


def _are_apart(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether a text names two sides, not one of them twice: neither stands only where the other
    does ("Vols beat East Tennessee")."""
    return not (one <= other or other <= one)


def _beginning(word: str) -> str:
    """By which names that are spelt nearly alike are found (`names.same`)."""
    return f"{word[:6]}-"


def _slice(span: range) -> slice:
    return slice(span.start, span.stop)


def _joined(run: str) -> Iterator[tuple[str, int]]:
    """Up to three words of a run written as one ("The MongolZ"), and the term they begin at."""
    words = _WORD.findall(fold(run))
    for size in (1, 2, 3):
        for start in range(len(words) - size + 1):
            together = "".join(words[start : start + size])
            if len(together) > _SHORT:
                # One word is news only of a side that is written as several.
                marked = f"{_ONE}{together}" if size == 1 else together
                yield marked, len(terms(" ".join(words[:start])))


def _index_of(letters: str, run: str) -> int:
    return len(terms(run[: run.index(letters)]))


def _letters(venue_name: str) -> tuple[str, str]:
    """How a ticker or slug abbreviates the first and the second side; empty where it does not."""
    plain = venue_name.lower()
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

"""Demands of a question that a market has to meet in order to ask the same question. Pure.

The judge weighs how alike two texts are. It can accept a market that does not ask the same: one
about another office, about only one of two named alternatives, or without an event that has to come
first. The rules of this module find such demands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from augury.language import calendar, numerals
from augury.language.entities import Mention
from augury.language.vocabulary import words
from augury.matching import actors, seats, telling_acts

_ALTERNATIVE: Final = re.compile(r",? (?:or|nor) (?:the |either )?", re.I)
_TOGETHER: Final = re.compile(r" and (?:the )?", re.I)
_BOTH: Final = re.compile(
    r"\b(?:both|(?:at least )?one of|either of|any of)(?: of)? (?:the )?\Z", re.I
)
_ALWAYS: Final = re.compile(
    r"\b(?:every(?: single)?|each) (?:day|week|month|game|match)\b|\bat all times\b"
    r"|\bon at least one day\b|\bthe (?:whole|entire) time\b|\bcontinuously\b",
    re.I,
)
"""Matches phrases that say on how many occasions something has to hold: on every one ("each game",
"at all times") or on at least one day."""
_LASTS: Final = re.compile(r"\b(?:stay|remain|keep|hold)(?:s|ing)?\b", re.I)
"""Matches verbs for a state that lasts ("stay"). In a text with such a verb, "every day" only means
that the state does not end, so the phrases of `_ALWAYS` do not count."""
_FIRST: Final = re.compile(r"\bbefore (?P<what>[^,;?.]{3,60})", re.I)
_WHEN: Final = re.compile(
    rf"\d|\b(?:{calendar.MONTH}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|"
    r"\b(?:end|year|month|week|day|summer|winter|spring|fall|autumn|season|quarter|"
    r"midnight|noon|tomorrow|then|long|now|christmas|xmas|thanksgiving|easter|halloween|term|"
    r"midterms?|elections?|deadline|his|her|their|its|he|she|they|it|next|over|out|ends?|opens?|"
    r"starts?|begins?|kicks?|opener|camp)\b",
    re.I,
)
"""Matches a digit or a word which shows that "before" is followed by a time ("before June", "before
his term ends") and not by an event."""
_ORDERED: Final = re.compile(
    r"\b(?:before|ahead of|sooner|earlier|prior|first|faster|until|till|beats?|races?|outlasts?)\b",
    re.I,
)
"""Matches words which show that a question asks what comes first."""
_GAME: Final = re.compile(r"\bvs?\b|\bat\b|@", re.I)
"""Matches what stands between the two sides in the title of a market on a single game."""
_AGAIN: Final = re.compile(r"\bre-?elect(?:s|ed|ion)?\b", re.I)
_PRESIDENCY: Final = re.compile(r"\b(?:president|white house|2028)", re.I)
_COMMON: Final = frozenset(
    "the a an any some official officially actual actually first ever even gets comes does happens"
    " another new".split()
)
_OPPOSED: Final = (
    ("buy buys buying purchase purchases acquire acquires", "sell sells selling"),
    ("hire hires hired appoint appoints", "fire fires fired sack sacks sacked dismiss dismisses"),
    ("hike hikes raise raises hiked raised", "cut cuts cutting lower lowers lowered"),
    ("convict convicts convicted", "impeach impeaches impeached acquit acquits acquitted"),
    ("import imports", "export exports"),
)
_RUNS: Final = re.compile(
    r"\b(?:runs?|running)\s+(?:again\s+)?(?:for|in\s+(?:the|20))\b|\b(?:enter|join|jump\s+in(?:to)?|get\s+in(?:to)?)s?"
    r"\s+the\s+(?:\w+\s+){0,4}(?:race|primary|contest)\b|\b(?:announce|launch|declare|start|begin)\w*\s+(?:an?|his|her|their)"
    r"\s+(?:\w+\s+){0,2}(?:run|bid|candidacy|campaign)\b",
    re.I,
)
_WINS: Final = re.compile(
    r"\b(?:wins?|winning|winner|won|elected|become|takes?|flips?|holds?|keeps?|beats?|unseats?|prevails?)\b",
    re.I,
)
"""Matches verbs for winning what one runs for ("wins", "elected")."""
_AWARDED: Final = re.compile(rf"{_WINS.pattern}|\b(?:nominees?|nomination)\b", re.I)
_PIECE: Final = re.compile(
    r"\b(trailer|teaser|soundtrack|dlc|poster|spin-?off|documentar|biopic|memoir|remake)", re.I
)
"""Matches words for a thing that belongs to a film, game ... but is not the work itself
("trailer"). A market must contain all such words of the question; otherwise it does not ask the
same."""
_PLACE: Final = re.compile(
    rf"\b(?P<nth>{numerals.ORDINAL})\b(?!\s+(?:times?|half|quarter|round|terms?|lady|amendment|weeks?|days?|"
    r"months?|years?|place\s+votes?)\b)|(?:#\s?|\b(?:no\.|number)\s?)(?P<number>\d{1,2}|one|two|three)\b",
    re.I,
)
"""Matches a place in an order ("second", "#1", "number one"), and not what only counts times or
parts ("first time", "second half")."""
_SIDES: Final = tuple(tuple(frozenset(one.split()) for one in pair) for pair in _OPPOSED)


_RIVALS: Final = frozenset({"person", "team", "party", "company", "work", "coin"})
"""Kinds of entities (person, team ...) that cannot stand for each other: a market on one person
does not answer a question about another person."""


@dataclass(frozen=True, slots=True)
class Demands:
    """What a market has to say or to name in order to ask the same as one question; read from the
    question once and then checked against each market."""

    always: bool
    """Whether the question says on how many occasions something has to hold ("every day", "on at
    least one day"). If True, the market has to have such a phrase, too. False for a state that only
    has to last ("stay")."""
    alternatives: tuple[Mention, ...]
    """Entities that the question joins with another of the same kind by "or" or "both ... and":
    Vance and Rubio in "Vance or Rubio". A market has to name all of them."""
    firsts: tuple[frozenset[str], ...]
    """One set of words for each event that the question names after "before": the words that name
    the event, without case and accents. For each event, a market has to contain at least one of the
    words."""
    offices: frozenset[str]
    races: frozenset[str]
    """Kinds of office that the question is about ("senate", "governor"). A market does not ask the
    same if its title is about other kinds of office and none of these."""
    places: frozenset[str]
    """Names of the places that the question names, and of everything to which an entity in the
    question belongs (Minnesota for a senator of Minnesota). A market on a race for office elsewhere
    does not ask the same, unless it names somebody whom the question names."""
    beside: frozenset[str]
    """Keys (`Entity.key`) of entities that are named in the question's text, but not in the
    sentence that asks: Tatum in "I love Tatum. Will Brown win MVP?". A market on Tatum must also
    name Brown, i.e. an entity of the same kind from the sentence that asks; otherwise it does not
    ask the same."""
    asked: tuple[Mention, ...]
    """The entities named in the sentence that asks, if the question's text has other sentences,
    too. Empty if it has only this one."""
    words: frozenset[str]
    pieces: frozenset[str] = frozenset()
    """Words of the question for a thing that belongs to a work but is not the work ("trailer"). A
    market has to contain all of them."""
    runs: bool = False
    """Whether the question asks if somebody runs for something, and not if they win it. A market on
    a win or a nomination then does not ask the same."""
    ordered: bool = False
    """Whether the question asks which of two things comes first. Otherwise, a market does not ask
    the same if its title puts an event after "before" that the question does not mention ("pregnant
    before marriage")."""
    teams: frozenset[str] = frozenset()
    """Keys (`Entity.key`) of the teams that the question names. A market that is not on a single
    game, and whose title has the full names of teams but of none of these, does not ask the
    same."""
    again: bool = False
    """Whether the question asks if somebody is elected again. A market on the presidency then does
    not ask the same, unless the question names the presidency."""
    text: str = ""
    """The question's text."""
    places_said: frozenset[int] = frozenset()
    """Places in an order that the question names: 1 for "the first pick". A market whose title
    names one place, and not the one that the question names, does not ask the same."""
    acts: tuple[actors.Act, ...] = ()
    """Who does what to whom in the question. A market with the same act, but with actor and target
    swapped, does not ask the same."""

    @classmethod
    def of(cls, question: str, named: Sequence[Mention], asked: Sequence[Mention] = ()) -> Demands:
        """Read from a question what a market has to say or to name.

        named : the places in the question's text that name entities
        asked : those of `named` in the sentence that asks; empty if the text has only this one
        """
        beside = _beside(named, asked) if asked else frozenset[str]()
        return cls(
            _is_always(question), tuple(_alternatives(question, named)), tuple(_firsts(question)),
            _offices(named), seats.races(question, named), seats.places(named), beside,
            tuple(asked), _words(question), _pieces(question),
            _RUNS.search(question) is not None and _WINS.search(question) is None,
            _ORDERED.search(question) is not None, _teams(named),
            _AGAIN.search(question) is not None and _PRESIDENCY.search(question) is None,
            question, _places(question), actors.acts(question, named),
        )  # fmt: skip

    def unmet(self, market: str, named: Sequence[Mention]) -> bool:
        """Whether a market fails to meet at least one demand of the question.

        market : text of what the market asserts (`pairs.told`)
        named : the entities that `market` names
        """
        said, offices = _words(market), _offices(named)
        title = market.partition(" | ")[0]
        titled = [one for one in named if one.start < len(title)]
        races = seats.races(title, titled)
        return (
            (self.always and not _is_always(market))
            or any(not _named(one, named, said) for one in self.alternatives)
            or any(not wanted & said for wanted in self.firsts)
            or (not self.ordered and any(not then & self.words for then in _firsts(title)))
            or self._of_other_teams(title, titled)
            or (self.again and _PRESIDENCY.search(title) is not None)
            or bool(self.offices and offices and not self.offices & offices)
            or self._of_another(titled)
            or bool(self.races and races and not self.races & races)
            or (bool(races) and seats.elsewhere(title, titled, self.places, self.words))
            or _opposed(self.words, said)
            or (bool(self.pieces) and not self.pieces <= _pieces(market))
            or (self.runs and _AWARDED.search(title) is not None and _RUNS.search(title) is None)
            or telling_acts.is_unsaid(title, self.text)
            or self._is_of_another_place(title)
            or (bool(self.acts) and actors.swapped(self.acts, actors.acts(title, titled)))
        )

    def _is_of_another_place(self, title: str) -> bool:
        placed = _places(title)
        return len(placed) == len(self.places_said) == 1 and placed != self.places_said

    def _of_other_teams(self, title: str, titled: Sequence[Mention]) -> bool:
        if not self.teams or _GAME.search(title) or self.teams & _teams(titled):
            return False
        whole = {
            e.name
            for one in titled
            for e in one.entities
            if e.kind == "team" and one.text == e.name
        }
        # "Kansas City" may be any of its teams.
        said = {word for name in whole for word in _words(name) if len(word) > 3}
        return bool(whole) and not said & self.words

    def _of_another(self, titled: Sequence[Mention]) -> bool:
        """Whether a market's title names an entity that the question names only outside the
        sentence that asks (`beside`), and no entity of the same kind from this sentence. Always
        False if this sentence names none of that kind."""
        if not self.beside:
            return False
        theirs = [e for one in titled for e in one.entities]
        ours = [e for one in self.asked for e in one.entities]
        for kind in {e.kind for e in theirs if e.key in self.beside} & _RIVALS:
            named = {e.key for e in ours if e.kind == kind}
            if named and not named & {e.key for e in theirs}:
                return True
        return False


def _beside(named: Sequence[Mention], asked: Sequence[Mention]) -> frozenset[str]:
    """The keys of the entities in `named` that are not in `asked`. Also left out are entities to
    which one of `asked` belongs (a player's team)."""
    ours = [e for one in asked for e in one.entities]
    known = {e.name for e in ours}.union(*(e.of for e in ours))
    return frozenset(e.key for one in named for e in one.entities if e.name not in known)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.folded for word in words(text))


def _is_always(text: str) -> bool:
    return _ALWAYS.search(text) is not None and _LASTS.search(text) is None


def _alternatives(question: str, named: Sequence[Mention]) -> Iterator[Mention]:
    for one, other in pairwise(named):
        kinds = {e.kind for e in one.entities} & {e.kind for e in other.entities}
        between = question[one.end : other.start]
        joined = _ALTERNATIVE.fullmatch(between) or (
            _TOGETHER.fullmatch(between) and _BOTH.search(question[: one.start])
        )
        if kinds and not one.keys & other.keys and joined:
            yield one
            yield other


def _named(one: Mention, theirs: Sequence[Mention], said: frozenset[str]) -> bool:
    return any(one.keys & other.keys for other in theirs) or any(
        word.folded in said for word in words(one.text) if len(word.folded) > 3
    )


def _firsts(question: str) -> Iterator[frozenset[str]]:
    for found in _FIRST.finditer(question):
        what = found["what"]
        if _WHEN.search(what) is None:
            wanted = _words(what) - _COMMON
            if wanted:
                yield wanted


def _offices(found: Sequence[Mention]) -> frozenset[str]:
    return frozenset(e.key for one in found for e in one.entities if e.kind == "office")


def _teams(found: Sequence[Mention]) -> frozenset[str]:
    return frozenset(e.key for one in found for e in one.entities if e.kind == "team")


def _pieces(text: str) -> frozenset[str]:
    return frozenset(found.lower().replace("-", "") for found in _PIECE.findall(text))


def _places(text: str) -> frozenset[int]:
    return frozenset(numerals.place(m["nth"] or m["number"]) for m in _PLACE.finditer(text))


def _opposed(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    return any(
        (ours & one and theirs & other and not ours & other and not theirs & one)
        or (ours & other and theirs & one and not ours & one and not theirs & other)
        for one, other in _SIDES
    )

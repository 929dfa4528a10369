"""Demands of a question that a market has to meet in order to ask the same question. Pure.

The judge (the trained model) weighs how alike two texts are, so it can accept a market that asks
another question: a market on another office, or on only one of two named alternatives. Or the
question asks whether something happens before a certain event ("before Powell leaves"), and the
market does not mention this event. The rules of this module find such markets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from augury.language import calendar, numerals
from augury.language.entities import Mention
from augury.language.vocabulary import folded_words, words
from augury.matching import actors, details, seats, telling_acts

_ALTERNATIVE: Final = re.compile(r",? (?:or|nor) (?:the |either )?", re.I)
_TOGETHER: Final = re.compile(r" and (?:the )?", re.I)
_BOTH: Final = re.compile(
    r"\b(?:both|(?:at least )?one of|either of|any of)(?: of)? (?:the )?\Z", re.I
)
_OCCASIONS: Final = re.compile(
    r"\b(?:every(?: single)?|each) (?:day|week|month|game|match)\b|\bat all times\b"
    r"|\bon at least one day\b|\bthe (?:whole|entire) time\b|\bcontinuously\b",
    re.I,
)
"""Matches phrases that say on how many occasions something has to hold: on every occasion ("each
game", "at all times") or on at least one day."""
_LASTS: Final = re.compile(r"\b(?:stay|remain|keep|hold)(?:s|ing)?\b", re.I)
"""Matches verbs for a state that lasts ("stay"). In a text with such a verb, "every day" only means
that the state does not end, so the phrases of `_OCCASIONS` are ignored."""
_BEFORE: Final = re.compile(r"\bbefore (?P<what>[^,;?.]{3,60})", re.I)
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
"""Matches words which show that a question asks which of two things comes first: "before",
"sooner"."""
_GAME: Final = re.compile(r"\bvs?\b|\bat\b|@", re.I)
"""Matches the word between the two opponents in the title of a market on a single game: "vs",
"at"."""
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
    ("single singles", "album albums lp"),
    ("blockade blockades", "invade invades invasion"),
    ("highest high highs hottest warmest maximum", "lowest low lows coldest minimum"),
)
_RUNS: Final = re.compile(
    r"\b(?:runs?|running)\s+(?:again\s+)?(?:for\b|in\s+(?:the\b|20)|(?=20\d\d\b))|\b(?:enter|join|jump\s+in(?:to)?|get\s+in(?:to)?)s?"
    r"\s+the\s+(?:\w+\s+){0,4}(?:race|primary|contest)\b|\b(?:announce|launch|declare|start|begin)\w*\s+(?:an?|his|her|their)"
    r"\s+(?:\w+\s+){0,2}(?:run|bid|candidacy|campaign)\b",
    re.I,
)
_WINS: Final = re.compile(
    r"\b(?:wins?|winning|winner|won|elected|become|takes?|flips?|holds?|keeps?|beats?|unseats?|prevails?)\b",
    re.I,
)
"""Matches verbs for winning an office or a contest ("wins", "elected")."""
_AWARDED: Final = re.compile(rf"{_WINS.pattern}|\b(?:nominees?|nomination)\b", re.I)
_PART_OF_WORK: Final = re.compile(
    r"\b(trailer|teaser|soundtrack|dlc|poster|spin-?off|documentar|biopic|memoir|remake)", re.I
)
"""Matches words for a thing that belongs to a film, game ... but is not the work itself
("trailer"). A market that lacks one of these words of the question asks another question."""
_RANK: Final = re.compile(
    rf"\b(?P<nth>{numerals.ORDINAL})\b(?!\s+(?:times?|half|quarter|round|terms?|lady|amendment|weeks?|days?|"
    r"months?|years?|place\s+votes?)\b)|(?:#\s?|\b(?:no\.|number)\s?)(?P<number>\d{1,2}|one|two|three)\b",
    re.I,
)
"""Matches a rank, i.e. a place in an order ("second", "#1", "number one"), but no number that only
counts times or parts ("first time", "second half")."""
_OPPOSED_WORDS: Final = tuple(tuple(frozenset(one.split()) for one in pair) for pair in _OPPOSED)


_COUNT: Final = r"(?:\d{1,3}(?![\d.,%kmb])|one|two|three|four|five|six|seven|eight|nine|ten)"
_AT_LEAST: Final = re.compile(
    rf"\b(?:at\s+(?:least|most)|(?:no\s+)?(?:more|fewer|less)\s+than|over|under|minimum\s+of|up\s+to)\s+{_COUNT}\s"
    r"(?!percent|points?|bps|basis|degrees?|dollars?|cents?|euros?|years?|months?|weeks?|days?|hours?|people\s+out)[a-z]"
    rf"|\b{_COUNT}\s+or\s+(?:more|fewer|less)\b|\b\d{{1,3}}\+\s",
    re.I,
)
"""Matches a count that is a lower or an upper limit: "at least 2 cuts", "up to 3 cuts"."""
_COMPARED: Final = re.compile(
    r"\b(?:at\s+least|at\s+most|more|fewer|less|over|under|above|below|between|or\s+higher|or\s+lower|reach|hit|exceed)\b|[+$≥≤<>%]",
    re.I,
)
_EXACT_COUNT: Final = re.compile(
    rf"\b(?:exactly\s+)?{_COUNT}\s+(?!(?:of|out|in|by|to|on|percent|points?|bps)\b)(?:[a-z-]+\s+){{0,3}}?[a-z-]+s\b"
    r"|\bexactly\s+\d",
    re.I,
)
"""Matches an exact count in a market's title, as in "2 Fed rate cuts": the market resolves Yes only
at this count, not at more or fewer."""

_ALONE: Final = ("coin", "company", "product", "award")
"""Kinds of entities. If a text names an entity of one of these kinds, the text is about this
entity: a text that names the Oscars is not about the Golden Globes."""
_RIVALS: Final = frozenset({"person", "team", "party", "company", "work", "coin"})
"""Kinds of entities. Two entities of one such kind cannot stand for each other: a market on one
person does not answer a question about another person."""


@dataclass(frozen=True, slots=True)
class Demands:
    """What a market has to say or to name in order to ask the same question. The demands are read
    from the question once and then checked against each market."""

    names_occasions: bool
    """Whether the question says on how many occasions something has to hold ("every day", "on at
    least one day"). If True, the market has to have such a phrase, too. Always False if the
    question asks whether a state lasts ("stay above 50 every day")."""
    joined_entities: tuple[Mention, ...]
    """Entities of one kind that the question joins by "or" or by "both ... and": Vance and Rubio in
    "Vance or Rubio". A market has to name all of them."""
    events_after_before: tuple[frozenset[str], ...]
    """For each event that the question names after "before", the words that name the event, in
    lower case and without accents. A market has to contain at least one word of each event."""
    offices: frozenset[str]
    """Keys (`Entity.key`) of the offices that the question names. A market that names offices, but
    none of these, asks another question."""
    races: frozenset[str]
    """Kinds of office that the question is about ("senate", "governor"). A market asks another
    question if its title is about other kinds of office only."""
    places: frozenset[str]
    """Names of the places (countries, states, cities ...) that the question names, and of
    everything to which an entity in the question belongs (Minnesota for a senator of Minnesota). A
    market on a race for office elsewhere asks another question, unless it names somebody whom the
    question names."""
    named_around: frozenset[str]
    """Keys (`Entity.key`) of entities that the text names only outside the sentence with the
    question: Tatum in "I love Tatum. Will Brown win MVP?". A market on Tatum asks another question,
    unless it also names Brown, i.e. an entity of the same kind from the sentence with the
    question."""
    named_in_question: tuple[Mention, ...]
    """If the text has several sentences: the mentions of entities in the sentence with the
    question. Empty if the text is a single sentence."""
    words: frozenset[str]
    """Words of the question, in lower case and without accents."""
    parts_of_works: frozenset[str] = frozenset()
    """Words of the question for a thing that belongs to a film, game ... but is not the work itself
    ("trailer"). A market has to contain all of them."""
    asks_candidacy: bool = False
    """Whether the question asks if somebody runs for something, and not if they win it. A market on
    a win or a nomination then asks another question."""
    asks_order: bool = False
    """Whether the question asks which of two things comes first. If False, a market asks something
    else if its title has "before" and an event that the question does not mention ("pregnant before
    marriage")."""
    teams: frozenset[str] = frozenset()
    """Keys (`Entity.key`) of the teams that the question names. A market counts as being on
    other teams, and so as asking something else, if three things hold: its title has the full name
    of a team, it names none of `teams`, and the question has no word of four or more letters from
    that full name. Markets on a single game are exempt."""
    asks_reelection: bool = False
    """Whether the question asks if somebody is elected again, without naming the presidency. A
    market on the presidency then asks another question."""
    text: str = ""
    """Text of the question."""
    ranks: frozenset[int] = frozenset()
    """Ranks (places in an order) that the question names: 1 for "the first pick". If question and
    market's title name one rank each, and these differ, the market asks another question."""
    named: tuple[Mention, ...] = ()
    """The mentions of entities in the question's text. If question and market both name coins (or
    both name companies, products or awards), but none in common, the market asks another
    question."""
    acts: tuple[actors.Act, ...] = ()
    """Who does what to whom in the question. A market with the same act, but with actor and target
    swapped, asks another question."""

    @classmethod
    def of(
        cls,
        question: str,
        named: Sequence[Mention],
        named_in_question: Sequence[Mention] = (),
    ) -> Demands:
        """Read from a question what a market must say or name if it asks the same question.

        named : the mentions of entities in the question's text
        named_in_question : those of them in the sentence with the question; empty if the text has
            only this sentence
        """
        around = frozenset[str]()
        if named_in_question:
            around = _only_around(named, named_in_question)
        return cls(
            _names_occasions(question), tuple(_joined_entities(question, named)),
            tuple(_events_after_before(question)), _offices(named),
            seats.races(question, named), seats.places(named), around,
            tuple(named_in_question), folded_words(question), _parts_of_works(question),
            _RUNS.search(question) is not None and _WINS.search(question) is None,
            _ORDERED.search(question) is not None, _teams(named),
            _AGAIN.search(question) is not None and _PRESIDENCY.search(question) is None,
            question, _ranks(question), tuple(named), actors.acts(question, named),
        )  # fmt: skip

    def is_of_another(self, market: str, named: Sequence[Mention]) -> bool:
        """Whether a market is about another team, coin, race for office ... than the question, so
        that it neither asks the same question nor bounds the answer.

        market : text of what the market asserts (`pairs.market_text`)
        named : the mentions of entities in `market`
        """
        title = market.partition(" | ")[0]
        titled = [one for one in named if one.start < len(title)]
        offices, races = _offices(named), seats.races(title, titled)
        return (
            self._of_other_teams(title, titled)
            or bool(self.offices and offices and not self.offices & offices)
            or _are_of_others(self.named, titled)
            or bool(self.races and races and not self.races & races)
            or (bool(races) and seats.is_elsewhere(title, titled, self.places, self.words))
            or details.are_of_others(title, self.text)
        )

    def unmet(self, market: str, named: Sequence[Mention]) -> bool:
        """Whether a market fails to meet at least one demand of the question, so that it asks
        another question. This does not check whether the market is about another team, coin, race
        for office ...; `is_of_another` does.

        market : text of what the market asserts (`pairs.market_text`)
        named : the mentions of entities in `market`
        """
        market_words = folded_words(market)
        title = market.partition(" | ")[0]
        titled = [one for one in named if one.start < len(title)]
        return (
            (self.names_occasions and not _names_occasions(market))
            or any(not _named(one, named, market_words) for one in self.joined_entities)
            or any(not event & market_words for event in self.events_after_before)
            or (
                not self.asks_order
                and any(not event & self.words for event in _events_after_before(title))
            )
            or (self.asks_reelection and _PRESIDENCY.search(title) is not None)
            or self._of_entity_around(titled)
            or _opposed(self.words, market_words)
            or (bool(self.parts_of_works) and not self.parts_of_works <= _parts_of_works(market))
            or (
                self.asks_candidacy
                and _AWARDED.search(title) is not None
                and _RUNS.search(title) is None
            )
            or telling_acts.differ(title, self.text)
            or details.ask_otherwise(title, self.text)
            or self._is_of_another_rank(title)
            or (
                _AT_LEAST.search(self.text) is not None
                and _EXACT_COUNT.search(title) is not None
                and _COMPARED.search(title) is None
            )
            or (bool(self.acts) and actors.swapped(self.acts, actors.acts(title, titled)))
        )

    def _is_of_another_rank(self, title: str) -> bool:
        ranks = _ranks(title)
        return len(ranks) == len(self.ranks) == 1 and ranks != self.ranks

    def _of_other_teams(self, title: str, titled: Sequence[Mention]) -> bool:
        if not self.teams or _GAME.search(title) or self.teams & _teams(titled):
            return False
        whole = {
            e.name
            for one in titled
            for e in one.entities
            if e.kind == "team" and one.text == e.name
        }
        # "Kansas City" may be any team of that city.
        names = {word for name in whole for word in folded_words(name) if len(word) > 3}
        return bool(whole) and not names & self.words

    def _of_entity_around(self, titled: Sequence[Mention]) -> bool:
        """Whether a market's title is about an entity that the text names only outside the sentence
        with the question (`named_around`), and not about the entity of the same kind in that
        sentence: for "I love Tatum. Will Brown win MVP?", a title that names Tatum and not Brown.
        False if the sentence with the question names no entity of this kind.

        titled : the mentions of entities in the title
        """
        if not self.named_around:
            return False
        theirs = [e for one in titled for e in one.entities]
        ours = [e for one in self.named_in_question for e in one.entities]
        for kind in {e.kind for e in theirs if e.key in self.named_around} & _RIVALS:
            named = {e.key for e in ours if e.kind == kind}
            if named and not named & {e.key for e in theirs}:
                return True
        return False


def _only_around(named: Sequence[Mention], named_in_question: Sequence[Mention]) -> frozenset[str]:
    """The keys of the entities that a text names only outside the sentence with the question: Tatum
    in "I love Tatum. Will Brown win MVP?". An entity to which an entity in the question belongs is
    left out: a team, if the question names one of its players.

    named, named_in_question : the mentions in the whole text, and in the sentence with the question
    """
    ours = [e for one in named_in_question for e in one.entities]
    known = {e.name for e in ours}.union(*(e.of for e in ours))
    return frozenset(e.key for one in named for e in one.entities if e.name not in known)


def _names_occasions(text: str) -> bool:
    return _OCCASIONS.search(text) is not None and _LASTS.search(text) is None


def _joined_entities(question: str, named: Sequence[Mention]) -> Iterator[Mention]:
    for one, other in pairwise(named):
        kinds = {e.kind for e in one.entities} & {e.kind for e in other.entities}
        between = question[one.end : other.start]
        joined = _ALTERNATIVE.fullmatch(between) or (
            _TOGETHER.fullmatch(between) and _BOTH.search(question[: one.start])
        )
        if kinds and not one.keys & other.keys and joined:
            yield one
            yield other


def _named(one: Mention, theirs: Sequence[Mention], market_words: frozenset[str]) -> bool:
    return any(one.keys & other.keys for other in theirs) or any(
        word.folded in market_words for word in words(one.text) if len(word.folded) > 3
    )


def _events_after_before(text: str) -> Iterator[frozenset[str]]:
    for found in _BEFORE.finditer(text):
        what = found["what"]
        if _WHEN.search(what) is None:
            event = folded_words(what) - _COMMON
            if event:
                yield event


def _are_of_others(ours: Sequence[Mention], theirs: Sequence[Mention]) -> bool:
    """Whether both texts name entities of one of the kinds `_ALONE`, but none in common. A question
    on one stablecoin does not ask what a market on another one asks."""
    return any(
        (one := _of_kind(ours, kind)) and (other := _of_kind(theirs, kind)) and not one & other
        for kind in _ALONE
    )


def _of_kind(named: Sequence[Mention], kind: str) -> frozenset[str]:
    """The names of the entities of one kind (e.g. coins) that a text names. The names of everything
    to which any entity in the text belongs (`Entity.of`) are added, whatever its kind. Empty if the
    text names no entity of the kind."""
    entities = [e for one in named for e in one.entities]
    if not any(e.kind == kind for e in entities):
        return frozenset()
    names = {e.name for e in entities if e.kind == kind}.union(*(e.of for e in entities))
    # "Fannie Mae and Freddie Mac" are two.
    return frozenset(part for name in names for part in name.split(" and "))


def _offices(found: Sequence[Mention]) -> frozenset[str]:
    return frozenset(e.key for one in found for e in one.entities if e.kind == "office")


def _teams(found: Sequence[Mention]) -> frozenset[str]:
    return frozenset(e.key for one in found for e in one.entities if e.kind == "team")


def _parts_of_works(text: str) -> frozenset[str]:
    return frozenset(found.lower().replace("-", "") for found in _PART_OF_WORK.findall(text))


def _ranks(text: str) -> frozenset[int]:
    return frozenset(numerals.rank(m["nth"] or m["number"]) for m in _RANK.finditer(text))


def _opposed(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether two texts, given as sets of words, have opposed verbs ("buy" and "sell"), and neither
    has both."""
    return any(
        (ours & one and theirs & other and not ours & other and not theirs & one)
        or (ours & other and theirs & one and not ours & one and not theirs & other)
        for one, other in _OPPOSED_WORDS
    )

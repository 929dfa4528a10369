"""Which office in which place a text is about: the Senate seat of Ohio, the mayor of Boston. Pure.

The titles of two such races differ only in the place or the office ("Attorney General race in
Oklahoma", "in Minnesota"), so similar titles do not mean the same race.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from augury.language import calendar
from augury.language.entities import Mention
from augury.language.vocabulary import Entity, words

_OFFICES: Final = {
    "lieutenant governor": r"lt\.?\s+gov(?:ernor)?|lieutenant\s+governor",
    "governor": r"governor(?:ship)?s?|gubernatorial",
    "senate": r"(?<!by the )senate|senators?|senatorial",
    "house": r"(?<!white )(?<!by the )house(?!\s+(?:of\s+(?:lords|commons)|arrest|prices?))|"
    r"congress(?:man|woman|person)|representatives?|congressional",
    "attorney general": r"attorneys?\s+general",
    "secretary of state": r"secretary\s+of\s+state",
    "mayor": r"mayors?|mayoral",
    "treasurer": r"treasurers?",
}
"""Kind of office -> pattern of the words by which a text names a race for it, e.g. "gubernatorial"
for a governor."""
_RACE: Final = re.compile(
    "|".join(
        rf"(?P<{name.replace(' ', '_')}>\b(?:{pattern})\b)" for name, pattern in _OFFICES.items()
    ),
    re.I,
)
_SEAT: Final = re.compile(r"\bseat\b", re.I)
_CHAMBERS: Final = {"US Senate": "senate", "US House of Representatives": "house"}
_DISTRICT: Final = re.compile(r"(?:\b(?P<number>\d+)(?:st|nd|rd|th) )?congressional district\Z")
_COUNTRY: Final = "United States"
_COMMON: Final = frozenset(
    "will who what which how republican republicans democrat democrats democratic gop party race"
    " races election elections general primary special nominee nomination nominated senate senator"
    " house governor governorship attorney secretary state mayor seat win winner district"
    " the new next margin victory runoff congressional".split()
).union(calendar.MONTHS)
"""Words in titles about races for office, in lower case, that are not names of people or places
("senate", "runoff")."""
MAX_SHORT_LETTERS: Final = 3
"""A name of a place of at most this many letters is taken for an abbreviation ("PA", "Wis")."""
_ALSO_WORDS: Final = frozenset("in or me ok hi oh ma la id de co al as".split())
"""Short names of US states, in lower case, that are also words: "in" for Indiana."""


def races(text: str, named: Sequence[Mention]) -> frozenset[str]:
    """The kinds of office that a text is about (keys of `_OFFICES`, e.g. "governor"); empty if it
    is about none.

    named : the mentions of entities in the text
    """
    found = {str(match.lastgroup).replace("_", " ") for match in _RACE.finditer(text)}
    entities = [e for one in named for e in one.entities]
    if any(_DISTRICT.search(e.name) for e in entities):
        found.add("house")
    if not found and _SEAT.search(text):
        found |= {_CHAMBERS[of] for e in entities for of in e.of if of in _CHAMBERS}
    return frozenset(found)


def places(named: Sequence[Mention]) -> frozenset[str]:
    """The names of the places (countries, states, cities ...) that a text names, and of everything
    to which an entity in it belongs (Ohio for a senator or the governor of Ohio). The United States
    are left out.

    named : the mentions of entities in the text
    """
    entities = [e for one in named for e in one.entities]
    found = {e.name for e in entities if e.kind == "place"}
    found |= {e.name.partition(" of ")[2] for e in entities if e.kind == "office"} - {""}
    return frozenset(found.union(*(e.of for e in entities))) - {_COUNTRY}


def is_elsewhere(
    title: str,
    named: Sequence[Mention],
    question_places: frozenset[str],
    question_words: frozenset[str],
) -> bool:
    """Whether a market's title is about a race for office somewhere else than the question.

    This is so in two cases:

    - Both name congressional districts, and none is the same.
    - The title names places, the question names none of them, and the two share no other name.

    False if the title names no place.

    named : the mentions of entities in the title
    question_places : the places that the question names, from the function `places`
    question_words : the words of the question, without case and accents
    """
    located = [
        one for one in named
        if all(e.kind in ("place", "team") for e in one.entities) or _is_race(one)
    ]  # fmt: skip
    theirs = places(located)
    asked, located_in = _numbers(question_places), _numbers(theirs)
    if asked and located_in and not asked & located_in:
        return True
    if not theirs or theirs & question_places or _districts(theirs) & question_words:
        return False
    if any(_is_written(e, question_words) for one in located for e in one.entities):
        return False
    ends = [(one.start, one.end) for one in located]
    names = {
        word.folded for word in words(title)
        if word.capital and not word.folded.isdigit()
        and not any(start <= word.start < end for start, end in ends)
    }  # fmt: skip
    return not (names - _COMMON) & question_words


def _is_written(place: Entity, text_words: frozenset[str]) -> bool:
    """Whether a text has all words of one of the ways to write a place: "South Carolina", "PA".

    A single word ("Virginia") counts only if it is an abbreviation, because a full name may be part
    of another name ("West Virginia"). Abbreviations that are also words ("in") do not count.
    """
    return place.kind == "place" and any(
        text_words.issuperset(alias.words) and not _ALSO_WORDS.issuperset(alias.words)
        and (len(alias.words) > 1 or len("".join(alias.words)) <= MAX_SHORT_LETTERS)
        for alias in place.aliases
    )  # fmt: skip


def _districts(names: frozenset[str]) -> frozenset[str]:
    """The numbers of the congressional districts among the places `names`, each in all the forms in
    which people write it: "17", "17th"."""
    return frozenset(
        form
        for n in _numbers(names)
        for form in (f"{n}", f"{n:02}", f"{n}st", f"{n}nd", f"{n}rd", f"{n}th")
    )


def _numbers(names: frozenset[str]) -> frozenset[int]:
    found = (_DISTRICT.search(name) for name in names)
    return frozenset(int(m["number"]) for m in found if m and m["number"])


def _is_race(one: Mention) -> bool:
    return any(e.kind == "event" and places([one]) for e in one.entities)

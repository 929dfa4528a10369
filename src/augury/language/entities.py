"""Finds the entities (people, teams, places, companies ...) that a text names. Pure.

Longer names are looked for first, and no name is found inside another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from augury.language.vocabulary import Entity, Vocabulary, Word, words

MAX_CHARS: Final = 2_000
"""Maximum number of characters of a text in which names are looked for. The rest of a longer text
is ignored."""

NAMELESS: Final = frozenset(
    "a about after again all also am an and any are as at away back be before big but by can"
    " day did do down each ed eight en even ever every few first five for four from get go had"
    " has have he her here high him his how i if in into is it just last long low made make many"
    " max may me men min more most much my new next nine no nor not now of off old on once one"
    " only or other our out over own per power same say second sen set seven she show since six"
    " so some soon still sun take ten than that the them then there they third this three time"
    " to too top two under until up upon very was way we week were what when where which while"
    " who whole whom whose why will win with would year yes yet you your".split()
)
"""Words of grammar, number and time. Alone and in lower case, they never name an entity: in a text
about basketball, "to" is not Toronto."""
_ASKING: Final = frozenset(
    "are can could did do does has have how if is may should was were what when where which who"
    " whom whose why will would".split()
)
"""Words that can begin a question. Their capital letter at the beginning of a question does not
make them a name: "Who" is not the World Health Organization."""
_ENDS: Final = frozenset(".!?|:")
"""Characters that end a sentence or a section of a market's text. The word after one of them may
have a capital letter without being a name."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A passage of a text that names an entity (a person, a team, a country ...)."""

    start: int
    """Position in the text of the name's first character."""
    end: int
    """Position in the text after the name's last character."""
    text: str
    entities: tuple[Entity, ...]
    """The entity that is named, or several entities if the text leaves open which one is meant."""
    holder: Entity | None = None
    """The person whom a question means by naming the office that this person holds ("the British
    PM"), if the vocabulary knows the person (`language.offices`). Else None."""

    @property
    def meant(self) -> tuple[Entity, ...]:
        """All entities that this mention may stand for: `entities` and, if there is one, the
        `holder`."""
        return self.entities if self.holder is None else (*self.entities, self.holder)

    @property
    def keys(self) -> frozenset[str]:
        """The keys (`Entity.key`, e.g. "person:Victor Wembanyama") of all entities that this
        mention may stand for."""
        return frozenset(entity.key for entity in self.meant)


@dataclass(frozen=True, slots=True)
class _Candidate:
    first: int
    last: int
    entity: Entity
    guard: str
    capital: bool
    nameless: bool
    """Whether the passage is only an ordinary word that names no entity: a single word of
    `NAMELESS`, in lower case or capitalized only because it begins a question."""


def mentions(text: str, vocabulary: Vocabulary, context: str = "") -> list[Mention]:
    """Find the entities of the vocabulary that `text` names. Returns the mentions (the passages
    that name one) in the order of the text.

    Parameters
    ----------
    text
        The text as it was written: capital letters matter.
    context
        Another text on the same subject, e.g. the event's title. Its words help to choose between
        entities of the same name.
    """
    text_words = words(text[:MAX_CHARS])
    lower = not any(one.capital and not one.folded.isdigit() for one in text_words)
    around = {one.folded for one in text_words} | {one.folded for one in words(context[:MAX_CHARS])}
    candidates = _candidates(text, text_words, vocabulary)
    sure = {c.entity.topic for c in candidates if c.guard == "any"}
    taken: list[tuple[int, int]] = []
    found: list[Mention] = []

    def longest_first(span: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        # An article makes no name longer: in "the Fed chair", "Fed chair" goes before "the Fed".
        return span[0] - span[1] + (text_words[span[0]].folded == "the"), span

    spans = sorted({(c.first, c.last) for c in candidates}, key=longest_first)
    for first, last in spans:
        if any(first <= b and a <= last for a, b in taken):
            continue
        named = {(word.folded) for word in text_words[first : last + 1]}
        here = [c for c in candidates if (c.first, c.last) == (first, last)]
        meant = _meant(here, around - named, sure, lower=lower)
        if not meant:
            continue
        taken.append((first, last))
        start, end = text_words[first].start, text_words[last].end
        found.append(Mention(start, end, text[start:end], meant))
    return sorted(found, key=lambda one: one.start)


def _candidates(text: str, text_words: Sequence[Word], vocabulary: Vocabulary) -> list[_Candidate]:
    found = []
    folded = [word.folded for word in text_words]
    for first, word in enumerate(text_words):
        named = vocabulary.aliases_at(folded, first)
        if not named:
            continue
        begins = first == 0 or not _ENDS.isdisjoint(text[text_words[first - 1].end : word.start])
        for alias, entity in named:
            last = first + len(alias.words) - 1
            capital = word.capital and all(
                w.capital for w in text_words[first : last + 1] if len(w.folded) > 3
            )
            shouted = text[word.start : word.end].isupper()
            plain = not capital or (begins and word.folded in _ASKING and not shouted)
            nameless = plain and len(alias.words) == 1 and word.folded in NAMELESS
            found.append(_Candidate(first, last, entity, alias.guard, capital, nameless))
    return found


def _meant(
    here: Sequence[_Candidate], around: set[str], sure: set[str], *, lower: bool
) -> tuple[Entity, ...]:
    """The entities that one passage of a text may mean. If some of them fit the topics of the text,
    only these are returned.

    here : the entities with a name that equals the passage
    around : the other words of the text and its context
    sure : topics of the entities that the text certainly names; names of such a topic need no
        capital letter
    lower : the whole text has no capital letter
    """
    near = {c.entity.key for c in here if c.entity.context & around or c.entity.topic in sure}
    allowed = [
        c for c in here
        if _counts(c, c.entity.key in near, lower=lower or c.entity.topic in sure)
    ]  # fmt: skip
    fitting = [c for c in allowed if c.entity.key in near]
    kept = {c.entity.key: c.entity for c in (fitting or allowed)}
    return tuple(kept[key] for key in sorted(kept))


def _counts(candidate: _Candidate, near: bool, *, lower: bool) -> bool:
    if candidate.nameless:
        return False
    match candidate.guard:
        case "capital":
            return candidate.capital or (lower and near)
        case "context":
            return near and (candidate.capital or lower)
        case _:
            return True

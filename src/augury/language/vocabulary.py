"""The vocabulary: entities (people, teams, places ...) that texts name, with their aliases.

The entries are data, one TOML file for each topic in `vocabulary/`. An alias is another way to name
an entity; one that can also mean something else ends in a mark:

- `^`: the alias counts only with a capital letter ("Apple^": the fruit has none);
- `~`: the alias is also an ordinary word or another name ("Heat~"). It counts only with a capital
  letter, and only in a text on the entity's topic.

A text is on the topic if it has one of the words listed for the topic (`context` in the file), or
if it names another entity of the topic by an alias without a mark. In two
cases an alias with a mark counts in lower case, too: if the text names another entity of the topic
by an alias without a mark, and if it is on the topic and has no capital letters at all.
"""

from __future__ import annotations

import re
import sys
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from augury import compiled
from augury.caches import Once, cached

FOLDER: Final = Path(__file__).parent / "vocabulary"
"""Folder of the vocabulary files that are shipped with this version."""

Guard = Literal["any", "capital", "context"]
"""When an alias (a way to name an entity) is taken to name the entity. any: always; capital: only
with a capital letter; context: only with a capital letter, and if the text also has a word of the
entity's topic or names another entity of that topic."""

_GUARDS: Final[Mapping[str, Guard]] = {"^": "capital", "~": "context"}
"""Mark at the end of an alias in a vocabulary file -> the condition under which the alias
counts."""

KINDS: Final = frozenset(
    "person team party company product coin index commodity currency place office agency court"
    " group league event award work topic".split()
)
"""All kinds that an entity can have."""


class VocabularyProblem(ValueError):
    """An entry of the vocabulary cannot be used; the message names the file and the entry."""


@dataclass(frozen=True, slots=True)
class Alias:
    """One way to name an entity: "Wemby" for Victor Wembanyama."""

    words: tuple[str, ...]
    """The words of the alias in order, folded (`fold`: without case, accents, dots and
    apostrophes)."""
    guard: Guard


@dataclass(frozen=True, slots=True)
class Entity:
    """Someone or something named in texts: a person, a team, a place, a company ..."""

    name: str
    """The usual full name of the entity; together with `kind` it identifies the entity."""
    kind: str
    topic: str
    """Subject that the entity belongs to ("nba"). It tells the entity apart from others of the same
    name."""
    aliases: tuple[Alias, ...]
    context: frozenset[str]
    """Words which show that a text is about the entity's topic, folded (`fold`: without case,
    accents, dots and apostrophes)."""
    of: tuple[str, ...] = ()
    """Names of the entities that this one belongs to: the club of a player, the league of a club,
    the maker of a product."""
    holders: tuple[tuple[str, date | None, date | None], ...] = ()
    """For an office, who held it when, as (name of the holder, from, until). A date that the entry
    does not give is None."""
    source: str = field(default="", compare=False)
    """Name of the vocabulary file that has the entity's entry."""

    @property
    def key(self) -> str:
        """Kind and name, which together identify the entity: "person:Victor Wembanyama"."""
        return f"{self.kind}:{self.name}"


_WORD: Final = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*|[$#]?[^\W_]+", re.UNICODE)
_ASIDE: Final = re.compile(r"\s*\([^)]*\)")
_QUOTE: Final = str.maketrans("’‘`", "'''")
CACHED_TEXTS: Final = 256
"""Number of texts for which the result of `words` is cached, because the steps of one forecast
split the same texts (the question, the titles of markets) into words several times. The cache takes
at most 10 MB."""
CACHED_CHARS: Final = 2_000
"""Largest length, in characters, of a text for which the result of `words` is cached."""


class Word(NamedTuple):
    """A word of a text.

    folded : the word without case, accents and dots
    start : position of its first character in the text
    end : position just after its last character
    capital : whether it begins with a capital letter or a digit
    """

    folded: str
    start: int
    end: int
    capital: bool


def words(text: str) -> tuple[Word, ...]:
    """The words of a text with their positions. A possessive 's is not part of its word: "Wemby's"
    -> "wemby"."""
    return _cached_words(text) if len(text) <= CACHED_CHARS else _words(text)


def _words(text: str) -> tuple[Word, ...]:
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        start, end = match.span()
        first = word[0]
        if len(word) > 2 and word[-1] in "sSſ" and word[-2] in "'’":
            if len(word) > 3:
                word, end = word[:-2], end - 2
                folded = fold(word)
            else:  # "The A's" is a club, so it must not fold to the word "as"
                folded = f"{fold(first)}'s"
        else:
            folded = fold(word)
        found.append(Word(folded, start, end, first.isupper() or first.isdigit()))
    return tuple(found)


_cached_words = lru_cache(maxsize=CACHED_TEXTS)(_words)


@cached(1 << 20)
def _plain(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.translate(_QUOTE))
    return "".join(c for c in parts if not unicodedata.combining(c))


def fold(text: str) -> str:
    """A word without case, accents, dots and apostrophes: "São" -> "sao", "U.S." -> "us"."""
    plain = text if text.isascii() else _plain(text)
    folded = plain.casefold()
    if folded.isalnum():
        return folded
    return folded.replace(".", "").replace("'", "").replace("’", "")


def folded_words(text: str) -> frozenset[str]:
    """The words of a text without case, accents and dots (`Word.folded`)."""
    return frozenset(word.folded for word in words(text))


class Vocabulary:
    """All entities (people, teams, places ...), indexed by their aliases."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        """Make a vocabulary of `entities`. Entities with the same name and kind, e.g. from two
        files, are merged into one."""
        merged: dict[str, Entity] = {}
        for entity in entities:
            known = merged.get(entity.key)
            merged[entity.key] = entity if known is None else _merged(known, entity)
        self.entities: Final = tuple(merged.values())
        self._by_key: Final = merged
        self._by_first: dict[str, list[tuple[Alias, Entity]]] = {}
        for entity in self.entities:
            for alias in entity.aliases:
                self._by_first.setdefault(alias.words[0], []).append((alias, entity))
        for found in self._by_first.values():
            found.sort(key=lambda one: (-len(one[0].words), one[1].key))
        self._by_words: dict[tuple[str, ...], list[tuple[Alias, Entity]]] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}
        for word, found in self._by_first.items():
            for one in found:
                self._by_words.setdefault(one[0].words, []).append(one)
            lengths = dict.fromkeys(len(alias.words) for alias, _ in found)
            self._lengths[word] = tuple(lengths)
        self._joined: dict[str, list[tuple[Alias, Entity]]] = {}
        for word, found in self._by_first.items():
            first = re.split(r"[-/]", word, maxsplit=1)[0]
            if first and first != word:
                self._joined.setdefault(first, []).extend(found)
        self._members: dict[str, list[Entity]] = {}
        for entity in self.entities:
            for whole in entity.of if entity.kind == "person" else ():
                self._members.setdefault(whole, []).append(entity)

    def aliases_starting(self, word: str) -> list[tuple[Alias, Entity]]:
        """The aliases that begin with a folded word, each with its entity, longest alias first."""
        return self._by_first.get(word, [])

    def aliases_at(self, text_words: Sequence[str], first: int) -> list[tuple[Alias, Entity]]:
        """The aliases that a text has at its word with index `first`, each with its entity, longest
        alias first.

        text_words : the folded words of the text
        """
        found: list[tuple[Alias, Entity]] = []
        for length in self._lengths.get(text_words[first], ()):
            if first + length <= len(text_words):
                found += self._by_words.get(tuple(text_words[first : first + length]), ())
        return found

    def hyphenated(self, word: str) -> list[tuple[Alias, Entity]]:
        """The aliases whose first word begins with the folded word `word` and a hyphen or slash,
        each with its entity: "coca" finds "coca-cola"."""
        return self._joined.get(word, [])

    def person(self, name: str) -> Entity | None:
        """The person with this full name; None if the vocabulary has no such person."""
        return self._by_key.get(f"person:{name}")

    def members(self, name: str) -> list[Entity]:
        """The people who belong to the entity called `name`: a club's players and coach."""
        return self._members.get(name, [])

    @classmethod
    def load(cls, folder: Path = FOLDER) -> Vocabulary:
        """Read the vocabulary from the TOML files of a folder.

        Raises
        ------
        VocabularyProblem
            An entry cannot be used; the message names its file.
        """
        return cls(parse(texts(folder)))


def _merged(one: Entity, other: Entity) -> Entity:
    aliases = {alias.words: alias for alias in (*other.aliases, *one.aliases)}
    return replace(
        one, aliases=tuple(aliases.values()), context=one.context | other.context,
        of=tuple(dict.fromkeys((*one.of, *other.of))),
        holders=one.holders or other.holders,
    )  # fmt: skip


_default: Final = Once[Vocabulary]()


def default(folder: Path | None = None) -> Vocabulary:
    """The vocabulary shipped with this version. Each process reads it once: from a compact file if
    there is one (`augury.compiled`), else from the TOML files, which takes about a second.

    folder : where the compact file is kept if the folder of Python's compiled modules is read-only
    """
    return _default.get(lambda: Vocabulary(_shipped(folder)))


class _Indexed(NamedTuple):
    """The vocabulary as the compact file stores it. Most entities of a topic have the same
    `Entity.context`, so each context is stored once."""

    contexts: tuple[frozenset[str], ...]
    entities: tuple[tuple[int, Entity], ...]
    """A pair for each entity: the position of its context in `contexts`, and the entity itself,
    stored with an empty context."""


def _shipped(folder: Path | None) -> Iterator[Entity]:
    code = (sys.modules[__name__],)
    kept = compiled.load("vocabulary", _Indexed, texts(), _indexed, code, folder)
    for number, entity in kept.entities:
        yield replace(entity, context=kept.contexts[number])


def _indexed(written: Mapping[str, str]) -> _Indexed:
    entities = Vocabulary(parse(written)).entities
    numbers = {one: n for n, one in enumerate(dict.fromkeys(e.context for e in entities))}
    bare = tuple((numbers[e.context], replace(e, context=frozenset[str]())) for e in entities)
    return _Indexed(tuple(numbers), bare)


def texts(folder: Path = FOLDER) -> dict[str, str]:
    """The vocabulary files of a folder: file name -> content, as TOML."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.toml"))}


def parse(written: Mapping[str, str]) -> tuple[Entity, ...]:
    """The entities of vocabulary files. `written`: file name -> content, as TOML.

    Raises
    ------
    VocabularyProblem
        An entry cannot be used; the message names its file.
    """
    return tuple(entity for name, text in written.items() for entity in _file(name, text))


def _file(file: str, text: str) -> list[Entity]:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise VocabularyProblem(f"{file} is not valid TOML: {error}") from error
    kind, topic = raw.get("kind", "topic"), raw.get("topic", file.removesuffix(".toml"))
    context = frozenset(fold(w.folded) for text in raw.get("context", ()) for w in words(text))
    found = []
    for name, value in raw.get("entities", {}).items():
        entry: Mapping[str, Any] = value if isinstance(value, dict) else {"aliases": value}
        found.append(_entity(file, name, entry, kind, topic, context))
    return found


def _entity(
    file: str, name: str, entry: Mapping[str, Any], kind: str, topic: str, context: frozenset[str]
) -> Entity:
    own = entry.get("is", kind)
    if own not in KINDS:
        raise VocabularyProblem(
            f"{file}: {name!r} has an unknown kind, {own!r}. Use one of: "
            f"{', '.join(sorted(KINDS))}."
        )
    # A part in parentheses only tells entities of the same name apart; people leave it out.
    full = _ASIDE.sub("", name)
    marked_aliases = [full if full == name else f"{full}~", *entry.get("aliases", ())]
    aliases: dict[Sequence[str], Alias] = {}
    for one in marked_aliases:
        guard: Guard = _GUARDS.get(one[-1:], "any")
        alias_words = tuple(w.folded for w in words(one.rstrip("^~")))
        if not alias_words:
            raise VocabularyProblem(f"{file}: the alias {one!r} of {name!r} has no words.")
        # If an alias repeats the full name with a mark, the mark counts for the full name.
        if alias_words not in aliases or guard != "any":
            aliases[alias_words] = Alias(alias_words, guard)
    holders = tuple(
        (str(who), _day(start), _day(end)) for who, start, end in entry.get("holders", ())
    )
    of = entry.get("of", ())
    return Entity(
        name=name, kind=own, topic=entry.get("topic", topic), aliases=tuple(aliases.values()),
        context=context, of=tuple([of] if isinstance(of, str) else of), holders=holders,
        source=file,
    )  # fmt: skip


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None

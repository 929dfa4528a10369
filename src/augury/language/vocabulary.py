"""The vocabulary: entities (people, teams, places ...) that texts name, with their aliases.

Entries are data, one TOML file for each topic in `vocabulary/`. An alias that can also mean
something else ends in a mark:

- `^`: the alias counts only with a capital letter ("Apple^": the fruit has none);
- `~`: the alias is also an ordinary word or another name ("Heat~"). It counts only with a capital
  letter and beside a word of its topic or another entity of its topic.

In a text without capital letters, or beside another entity of the topic, a marked alias needs no
capital letter, but it needs a word of its topic or another entity of its topic.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from augury.remembered import Once, remembered

FOLDER: Final = Path(__file__).parent / "vocabulary"

Guard = Literal["any", "capital", "context"]
"""When an alias (a way to name an entity) counts as naming its entity. any: always; capital: only
with a capital letter; context: only with a capital letter and beside a word of the entity's topic
or another entity of this topic."""

_GUARDS: Final[Mapping[str, Guard]] = {"^": "capital", "~": "context"}

KINDS: Final = frozenset(
    "person team party company product coin index commodity currency place office agency court"
    " group league event award work topic".split()
)


class VocabularyProblem(ValueError):
    """An entry of the vocabulary that cannot be used; the message names its file and the entry."""


@dataclass(frozen=True, slots=True)
class Alias:
    """One way to name an entity: "Wemby" for Victor Wembanyama."""

    words: tuple[str, ...]
    """The words of the alias in order, folded (`fold`: without case, accents, dots and
    apostrophes)."""
    guard: Guard


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that texts name: a person, a team, a place, a company ..."""

    name: str
    """The usual full name of the entity; together with `kind` it identifies the entity."""
    kind: str
    topic: str
    """Subject that the entity belongs to ("nba"), which tells it apart from others of the same
    name."""
    aliases: tuple[Alias, ...]
    context: frozenset[str]
    """Words which show that a text is about the entity's topic, folded (`fold`)."""
    of: tuple[str, ...] = ()
    """Names of the entities that this one belongs to: a player's club, a club's league, a product's
    maker."""
    holders: tuple[tuple[str, date | None, date | None], ...] = ()
    """For an office, who held it when: (name of the holder, from, until). A date that is not given
    is None."""
    source: str = field(default="", compare=False)
    """Name of the vocabulary file with the entry."""

    @property
    def key(self) -> str:
        """Kind and name, which together identify the entity: "person:Victor Wembanyama"."""
        return f"{self.kind}:{self.name}"


_WORD: Final = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*|[$#]?[^\W_]+", re.UNICODE)
_ASIDE: Final = re.compile(r"\s*\([^)]*\)")
_QUOTE: Final = str.maketrans("’‘`", "'''")
CACHED_TEXTS: Final = 256
"""Number of texts for which the result of `words` is cached, because the steps of one forecast
split the same texts (the question, the titles of markets) several times. The cache takes 10 MB at
most."""
CACHED_CHARS: Final = 2_000
"""Largest length, in characters, of a text for which the result of `words` is cached."""


class Word(NamedTuple):
    """A word of a text: its letters without case, accents and dots (`folded`), its position, and
    whether it begins with a capital letter or a digit (`capital`)."""

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
        said = match.group()
        start, end = match.span()
        first = said[0]
        if len(said) > 2 and said[-1] in "sSſ" and said[-2] in "'’":
            if len(said) > 3:
                said, end = said[:-2], end - 2
                folded = fold(said)
            else:  # "The A's" is a club, so it must not fold to the word "as"
                folded = f"{fold(first)}'s"
        else:
            folded = fold(said)
        found.append(Word(folded, start, end, first.isupper() or first.isdigit()))
    return tuple(found)


_cached_words = lru_cache(maxsize=CACHED_TEXTS)(_words)


@remembered(1 << 20)
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


class Vocabulary:
    """All entities (people, teams, places ...), which can be found by any of their aliases."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        """Make the vocabulary of `entities`. Those with the same name and kind, e.g. from two
        files, become one entity."""
        merged: dict[str, Entity] = {}
        for entity in entities:
            known = merged.get(entity.key)
            merged[entity.key] = entity if known is None else _merged(known, entity)
        self.entities: Final = tuple(merged.values())
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

    def starting(self, word: str) -> list[tuple[Alias, Entity]]:
        """The aliases that begin with a folded word, each with its entity, longest alias first."""
        return self._by_first.get(word, [])

    def at(self, said: Sequence[str], first: int) -> list[tuple[Alias, Entity]]:
        """The aliases that begin at the word with index `first` of a text, each with its entity,
        longest alias first.

        said : the folded words of the text
        """
        found: list[tuple[Alias, Entity]] = []
        for length in self._lengths.get(said[first], ()):
            if first + length <= len(said):
                found += self._by_words.get(tuple(said[first : first + length]), ())
        return found

    def joined(self, word: str) -> list[tuple[Alias, Entity]]:
        """The aliases whose first word begins with the folded word `word` and a hyphen or slash,
        each with its entity: "coca" finds "coca-cola"."""
        return self._joined.get(word, [])

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
        return cls(entity for path in sorted(folder.glob("*.toml")) for entity in _file(path))


def _merged(one: Entity, other: Entity) -> Entity:
    aliases = {alias.words: alias for alias in (*other.aliases, *one.aliases)}
    return replace(
        one, aliases=tuple(aliases.values()), context=one.context | other.context,
        of=tuple(dict.fromkeys((*one.of, *other.of))),
        holders=one.holders or other.holders,
    )  # fmt: skip


_default: Final = Once[Vocabulary]()


def default() -> Vocabulary:
    """The vocabulary shipped with this version. The first call reads its files, which takes about a
    second."""
    return _default.get(Vocabulary.load)


def is_loaded() -> bool:
    """Whether the shipped vocabulary is loaded, so that `default` returns at once."""
    return bool(_default)


def _file(path: Path) -> list[Entity]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise VocabularyProblem(f"{path.name} is not valid TOML: {error}") from error
    kind, topic = raw.get("kind", "topic"), raw.get("topic", path.stem)
    context = frozenset(fold(w.folded) for said in raw.get("context", ()) for w in words(said))
    found = []
    for name, said in raw.get("entities", {}).items():
        entry: Mapping[str, Any] = said if isinstance(said, dict) else {"aliases": said}
        found.append(_entity(path, name, entry, kind, topic, context))
    return found


def _entity(
    path: Path, name: str, entry: Mapping[str, Any], kind: str, topic: str, context: frozenset[str]
) -> Entity:
    own = entry.get("is", kind)
    if own not in KINDS:
        raise VocabularyProblem(
            f"{path.name}: {name!r} has an unknown kind, {own!r}. Use one of: "
            f"{', '.join(sorted(KINDS))}."
        )
    # The part in parentheses only tells namesakes apart; people leave it out.
    full = _ASIDE.sub("", name)
    said = [full if full == name else f"{full}~", *entry.get("aliases", ())]
    aliases: dict[Sequence[str], Alias] = {}
    for one in said:
        guard: Guard = _GUARDS.get(one[-1:], "any")
        spoken = tuple(w.folded for w in words(one.rstrip("^~")))
        if not spoken:
            raise VocabularyProblem(f"{path.name}: the alias {one!r} of {name!r} has no words.")
        # If an alias repeats the full name with a mark, the mark counts for the full name.
        if spoken not in aliases or guard != "any":
            aliases[spoken] = Alias(spoken, guard)
    holders = tuple(
        (str(who), _day(start), _day(end)) for who, start, end in entry.get("holders", ())
    )
    of = entry.get("of", ())
    return Entity(
        name=name, kind=own, topic=entry.get("topic", topic), aliases=tuple(aliases.values()),
        context=context, of=tuple([of] if isinstance(of, str) else of), holders=holders,
        source=path.name,
    )  # fmt: skip


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None

"""The vocabulary: who and what people speak of, and how they say it.

Entries are data, one TOML file a topic in `vocabulary/`. An alias ends in a mark where it is not
always the name:

- `^` counts where it is written with a capital letter ("Apple^": the fruit has none);
- `~` is also an ordinary word or somebody else's name ("Heat~"): it counts with a capital letter,
  and only beside a word of its topic or another entity of it.

In a text without any capital letters, and beside another entity of the topic, a capital letter is
not asked for, but a word or an entity of the topic is.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from augury.remembered import Once

FOLDER: Final = Path(__file__).parent / "vocabulary"

Guard = Literal["any", "capital", "context"]
"""When an alias counts. any: always; capital: with a capital letter; context: with a capital letter
and beside its topic."""

_GUARDS: Final[Mapping[str, Guard]] = {"^": "capital", "~": "context"}

KINDS: Final = frozenset(
    "person team party company product coin index commodity currency place office agency court"
    " group league event award work topic".split()
)


class VocabularyProblem(ValueError):
    """An entry that cannot be used; the text names the file and the entry."""


@dataclass(frozen=True, slots=True)
class Alias:
    """One way of saying an entity."""

    words: tuple[str, ...]
    """Folded words (`fold`), in order."""
    guard: Guard


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that texts name."""

    name: str
    """The usual full name; together with `kind` it identifies the entity."""
    kind: str
    topic: str
    """Field that it belongs to. A context word of the field tells it apart from namesakes."""
    aliases: tuple[Alias, ...]
    context: frozenset[str]
    """Folded words that show that its topic is meant."""
    of: tuple[str, ...] = ()
    """Names of what it belongs to: a player's club, a club's league, a product's maker."""
    holders: tuple[tuple[str, date | None, date | None], ...] = ()
    """Of an office: its holders, from and until when (None: open)."""
    source: str = field(default="", compare=False)
    """Name of the file with the entry."""

    @property
    def key(self) -> str:
        """Identifies the entity."""
        return f"{self.kind}:{self.name}"


_WORD: Final = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*|[$#]?[^\W_]+", re.UNICODE)
_LETTERS: Final = re.compile(r"\w['’]s", re.I)
_ASIDE: Final = re.compile(r"\s*\([^)]*\)")
_QUOTE: Final = str.maketrans("’‘`", "'''")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text and where it stands."""

    folded: str
    start: int
    end: int
    capital: bool


def words(text: str) -> list[Word]:
    """The words of a text. A possessive 's is left off the word; its place stays the same."""
    found = []
    for match in _WORD.finditer(text):
        said, start, end = match.group(), match.start(), match.end()
        for suffix in ("'s", "’s"):
            if said.casefold().endswith(suffix) and len(said) > len(suffix) + 1:
                said, end = said[: -len(suffix)], end - len(suffix)
                break
        # "the A's" are a club, and not the word "as".
        folded = f"{fold(said[0])}'s" if _LETTERS.fullmatch(said) else fold(said)
        found.append(Word(folded, start, end, said[0].isupper() or said[0].isdigit()))
    return found


@cache
def _plain(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.translate(_QUOTE))
    return "".join(c for c in parts if not unicodedata.combining(c))


def fold(text: str) -> str:
    """A word without case, accents, dots and apostrophes: "São" and "sao", "U.S." and "us"."""
    plain = text if text.isascii() else _plain(text)
    return plain.casefold().replace(".", "").replace("'", "").replace("’", "")


class Vocabulary:
    """All entities, found by any of their aliases."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        """Entries of one name and kind, in two files, are one entity."""
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
        """The aliases that begin with a folded word, longest first."""
        return self._by_first.get(word, [])

    def at(self, said: Sequence[str], first: int) -> list[tuple[Alias, Entity]]:
        """The aliases that stand in a text of folded words at its word `first`, longest first."""
        found: list[tuple[Alias, Entity]] = []
        for length in self._lengths.get(said[first], ()):
            if first + length <= len(said):
                found += self._by_words.get(tuple(said[first : first + length]), ())
        return found

    def joined(self, word: str) -> list[tuple[Alias, Entity]]:
        """The aliases whose first word is a folded word and others behind hyphens."""
        return self._joined.get(word, [])

    def members(self, name: str) -> list[Entity]:
        """The people who belong to what has a name: a club's players and coach."""
        return self._members.get(name, [])

    @classmethod
    def load(cls, folder: Path = FOLDER) -> Vocabulary:
        """The vocabulary of a folder of TOML files.

        Raises
        ------
        VocabularyProblem
            An entry that cannot be read, by file and name.
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
    """The vocabulary that this version carries; read from its files, for a second, when first
    asked for."""
    return _default.get(Vocabulary.load)


def is_loaded() -> bool:
    """Whether `default` answers at once."""
    return bool(_default)


def _file(path: Path) -> list[Entity]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise VocabularyProblem(f"{path.name} is not TOML: {error}") from error
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
        raise VocabularyProblem(f"{path.name}: {name!r} is of the unknown kind {own!r}")
    # What stands in brackets tells namesakes apart; nobody says it.
    full = _ASIDE.sub("", name)
    said = [full if full == name else f"{full}~", *entry.get("aliases", ())]
    aliases: dict[Sequence[str], Alias] = {}
    for one in said:
        guard: Guard = _GUARDS.get(one[-1:], "any")
        spoken = tuple(w.folded for w in words(one.rstrip("^~")))
        if not spoken:
            raise VocabularyProblem(f"{path.name}: {name!r} has the empty alias {one!r}")
        # The full name of one word that the aliases guard is guarded too.
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

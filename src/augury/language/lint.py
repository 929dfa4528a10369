"""Checks the vocabulary (the people, teams, places ... that texts name, with their aliases). Pure.

It reports aliases that clash, are too short or are also ordinary words, and references to missing
entries. `augury language lint` prints the findings. Given a catalogue of markets, it also reports
aliases that market titles use as ordinary lower-case words. Such an alias needs a mark in its file:
`^` or `~`, which make it count only under certain conditions (see `language.vocabulary`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from augury.language.descriptions import Descriptions
from augury.language.vocabulary import Alias, Entity, Vocabulary, words

MIN_LOWERCASE_TITLES: Final = 50
"""An alias of one word that is in lower case in at least this many market titles counts as an
ordinary word: it is reported unless it has a mark (`^` or `~`). The larger the number, the fewer
aliases are reported. Chosen by hand."""
_MARKED_KINDS: Final = frozenset("person team party company product work group league coin".split())
"""Kinds of entities whose aliases need a mark (`^` or `~`, see `language.vocabulary`) if they are
also ordinary words. Aliases of other kinds ("inflation", "oil") are ordinary words on purpose."""
MIN_LETTERS: Final = 2
"""An alias (a way to name an entity) with fewer letters than this is reported as an error."""
_ALLOWED_LETTERS: Final = frozenset({"x"})
"""Aliases of one letter that are allowed although they are shorter than `MIN_LETTERS`."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A problem that the linter found in the vocabulary: `text` says which, `level` how serious it
    is."""

    level: Literal["error", "warning"]
    text: str


def lint(vocabulary: Vocabulary, titles: Iterable[str] = ()) -> Iterator[LintFinding]:
    """The problems of a vocabulary: first, as warnings, aliases that several entities share and
    references to missing entries; then, as errors, aliases that are too short or ordinary words.

    titles : titles of markets; they show which aliases are also ordinary words
    """
    yield from _clashes(vocabulary)
    yield from _dangling(vocabulary)
    yield from _short(vocabulary)
    yield from _ordinary(vocabulary, titles)


def lint_descriptions(vocabulary: Vocabulary, described: Descriptions) -> Iterator[LintFinding]:
    """The problems of descriptions: the entity is not in the vocabulary, or a description names
    it."""
    known = {entity.key: entity for entity in vocabulary.entities}
    for key, lists in described.items():
        if (entity := known.get(key)) is None:
            yield LintFinding(
                "error",
                f"{key} has descriptions, but no entry in the vocabulary; write its name as the"
                " vocabulary has it",
            )
        elif any(_joined(entity.name) in _joined(one) for one in lists):
            yield LintFinding("error", f"{key}: a description contains the name; leave it out")


def _joined(text: str) -> str:
    """The folded words of a text with a space before, between and after them, so that a name is
    found only as whole words."""
    return f" {' '.join(word.folded for word in words(text))} "


def _unmarked_aliases(vocabulary: Vocabulary) -> Iterator[tuple[Entity, Alias]]:
    for entity in vocabulary.entities:
        for alias in entity.aliases:
            if alias.guard == "any":
                yield entity, alias


def _clashes(vocabulary: Vocabulary) -> Iterator[LintFinding]:
    owners: dict[tuple[str, ...], list[Entity]] = {}
    for entity, alias in _unmarked_aliases(vocabulary):
        owners.setdefault(alias.words, []).append(entity)
    for alias_words, entities in sorted(owners.items()):
        if len(entities) > 1:
            names = " and ".join(f"{e.name} ({e.source})" for e in entities)
            yield LintFinding(
                "warning",
                f"{' '.join(alias_words)!r} is an unmarked alias of {names}; end it with ^ or ~",
            )


def _dangling(vocabulary: Vocabulary) -> Iterator[LintFinding]:
    known = {entity.name for entity in vocabulary.entities}
    for entity in vocabulary.entities:
        for name in entity.of:
            if name not in known:
                yield LintFinding(
                    "warning",
                    f"{entity.name}: its field 'of' refers to {name!r}, which has no entry in the"
                    " vocabulary",
                )


def _short(vocabulary: Vocabulary) -> Iterator[LintFinding]:
    for entity in vocabulary.entities:
        for alias in entity.aliases:
            if len("".join(alias.words)) < MIN_LETTERS and alias.words[0] not in _ALLOWED_LETTERS:
                yield LintFinding(
                    "error",
                    f"{entity.name} ({entity.source}): the alias "
                    f"{' '.join(alias.words)!r} has fewer than {MIN_LETTERS} letters",
                )


def _ordinary(vocabulary: Vocabulary, titles: Iterable[str]) -> Iterator[LintFinding]:
    lower: Counter[str] = Counter()
    for title in titles:
        lower.update({w.folded for w in words(title) if title[w.start : w.end].islower()})
    for entity, alias in _unmarked_aliases(vocabulary):
        if (
            entity.kind not in _MARKED_KINDS
            or len(alias.words) != 1
            or not alias.words[0].isalpha()
        ):
            continue
        if (n := lower[alias.words[0]]) >= MIN_LOWERCASE_TITLES:
            yield LintFinding(
                "error",
                f"{entity.name} ({entity.source}): {alias.words[0]!r} is an ordinary word in {n}"
                " titles; end the alias with ^ (it then counts only with a capital letter) or with"
                " ~ (it then counts only with a capital letter and in texts on its topic)",
            )

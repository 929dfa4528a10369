"""What the causal base is made of: factors, arrows between them, and links without one. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Sign = Literal["+", "-"]
Phrase = tuple[str, ...]
"""Consecutive terms."""

_LEVEL = re.compile(
    r"\b(higher|more|rises?|increases?|stronger|larger|greater|up|gains?|climbs?|grows?|faster)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Line:
    """One way of naming a factor: every conjunct needs one of its phrases, none of `without`."""

    conjuncts: tuple[tuple[Phrase, ...], ...]
    without: tuple[Phrase, ...]
    alone: bool = False
    """Whether the text must say nothing else: a bare name stands for what it is known for."""

    @property
    def words(self) -> tuple[str, ...]:
        """The terms of all its phrases, each once."""
        return tuple(dict.fromkeys(w for c in self.conjuncts for phrase in c for w in phrase))


@dataclass(frozen=True, slots=True)
class Factor:
    """One thing in the world. `up` says what a rise of it means: signs of edges refer to that."""

    key: str
    name: str
    up: str
    domain: str
    lines: tuple[Line, ...]
    up_words: tuple[Phrase, ...]
    down_words: tuple[Phrase, ...]
    pattern: str
    """Key of the pattern it was expanded from; its own key where it was written by hand."""
    entity: str | None
    """Key of the entity it is an instance for."""
    kind: str | None = None
    """Name of the list the entity stands in."""
    contests: tuple[str, ...] = ()
    """Keys of the contests that this is one contender's part in: the league's title of a team's."""
    siblings: bool = True
    """Whether the instances of its pattern say something of each other."""
    hearsay: bool = False
    """Whether its markets are about words and attention, and about nothing that is named there."""

    @property
    def is_level(self) -> bool:
        """Whether it is a quantity that rises and falls, and not something that happens."""
        return _LEVEL.search(self.up) is not None

    @property
    def is_of_one(self) -> bool:
        """Whether each of its markets is about somebody or something of its own: "the song in
        question leads the chart"."""
        return "in question" in self.up


@dataclass(frozen=True, slots=True)
class Edge:
    """`cause` drives `effect`. `sign`: "+" where more of the one means more of the other."""

    cause: str
    effect: str
    sign: Sign
    strength: int
    """3: a main, first-order driver; 2: a clear second-order one; 1: weak but real."""
    lag: int
    """Typical days until the effect shows."""
    reason: str
    inherited: bool = False
    """Whether it was written of a contest, and this is what it means for one contender."""


@dataclass(frozen=True, slots=True)
class FactorLink:
    """Two factors that move together without an arrow: a common driver, rivals, parallels."""

    one: str
    other: str
    sign: Sign
    strength: int
    reason: str

"""Parts of the factor base: factors, edges from cause to effect, and links without a direction.

Pure. A pattern is written once and expanded into one factor, its instance, for each entity of a
list (teams, countries).
"""

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
    """One way to name a factor: a text must have at least one phrase of each conjunct, and none of
    `without`."""

    conjuncts: tuple[tuple[Phrase, ...], ...]
    without: tuple[Phrase, ...]
    alone: bool = False
    """Whether the line matches only a text that says nothing else, i.e. a bare name."""

    @property
    def words(self) -> tuple[str, ...]:
        """The terms of all its phrases, each once."""
        return tuple(dict.fromkeys(w for c in self.conjuncts for phrase in c for w in phrase))


@dataclass(frozen=True, slots=True)
class Factor:
    """Something in the world that markets are about: a policy rate, a ceasefire, a team's season.

    `up` says what a rise of the factor means; the signs of its edges refer to that.
    """

    key: str
    name: str
    up: str
    domain: str
    lines: tuple[Line, ...]
    up_words: tuple[Phrase, ...]
    down_words: tuple[Phrase, ...]
    pattern: str
    """Key of the pattern that the factor is an instance of; its own key if written by hand."""
    entity: str | None
    """For an instance of a pattern: key of the entity (team, country) that it is about."""
    kind: str | None = None
    """For an instance of a pattern: name of the list that contains the entity."""
    contests: tuple[str, ...] = ()
    """If the factor is about one contender of a contest: keys of the factors on the whole contest.
    For a team's title, this is the factor on the league's title."""
    siblings: bool = True
    """Whether the factor counts as related to the other instances of its pattern."""
    hearsay: bool = False
    """Whether its markets are about what is said or searched; other factors that such a market
    names do not count."""

    @property
    def is_level(self) -> bool:
        """Whether the factor is a quantity that rises and falls rather than an event."""
        return _LEVEL.search(self.up) is not None

    @property
    def is_of_one(self) -> bool:
        """Whether the factor stands for many different things: under "the song in question leads
        the chart", each market can be about another song."""
        return "in question" in self.up


@dataclass(frozen=True, slots=True)
class Edge:
    """`cause` drives `effect`. `sign`: "+" if more of the cause means more of the effect, else
    "-"."""

    cause: str
    effect: str
    sign: Sign
    strength: int
    """3: a main, first-order driver; 2: a clear second-order one; 1: weak but real."""
    lag: int
    """Typical number of days until the effect shows."""
    reason: str
    inherited: bool = False
    """Whether the edge was written for a whole contest and is applied here to one contender."""


@dataclass(frozen=True, slots=True)
class FactorLink:
    """Two factors that move together, neither of which drives the other: they have a common driver,
    are rivals or are parallel cases."""

    one: str
    other: str
    sign: Sign
    strength: int
    reason: str

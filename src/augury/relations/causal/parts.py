"""Parts of the factor base: factors (things in the world that markets are about), edges from cause
to effect, and links without a direction.

Pure. A pattern is written once and expanded into one factor, its instance, for each entity of a
list (teams, countries).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Sign = Literal["+", "-"]
Phrase = tuple[str, ...]
"""Terms (stemmed words) that follow each other in a text: ("crude", "oil", "price")."""

_LEVEL = re.compile(
    r"\b(higher|more|rises?|increases?|stronger|larger|greater|up|gains?|climbs?|grows?|faster)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Line:
    """One way in which texts name a factor (something in the world that markets are about): a text
    matches if it has at least one phrase of each of the `conjuncts`, and none of `without`."""

    conjuncts: tuple[tuple[Phrase, ...], ...]
    without: tuple[Phrase, ...]
    alone: bool = False
    """Whether this way of naming the factor counts only if the text is no more than the bare name
    (besides numbers and months)."""

    @property
    def words(self) -> tuple[str, ...]:
        """The terms (stemmed words) of all phrases in `conjuncts`, each once."""
        return tuple(dict.fromkeys(w for c in self.conjuncts for phrase in c for w in phrase))


@dataclass(frozen=True, slots=True)
class Factor:
    """Something in the world that markets are about: a policy rate, a ceasefire, a team's season.

    `up` says in words what a rise of the factor means ("the rate is raised"). The sign of an edge
    tells what follows from a rise: "+" means that a rise of the cause makes a rise of the effect
    more likely.
    """

    key: str
    name: str
    up: str
    domain: str
    lines: tuple[Line, ...]
    up_words: tuple[Phrase, ...]
    down_words: tuple[Phrase, ...]
    pattern: str
    """Key of the pattern that the factor was made from (a pattern gives one factor for each team,
    country ...); the factor's own key if it was written by hand."""
    entity: str | None
    """For a factor made from a pattern: key of the entity (team, country) that it is about; else
    None."""
    kind: str | None = None
    """For a factor made from a pattern: name of the list (of teams, countries) that has its entity;
    else None."""
    contests: tuple[str, ...] = ()
    """For a factor on one contender of a contest (a team's title): keys of the factors on the whole
    contest (the league's title); else empty."""
    siblings: bool = True
    """Whether the factor counts as related to the other factors made from its pattern, e.g. one
    central bank's rate to another's."""
    hearsay: bool = False
    """Whether the factor's markets are about what is said or searched ("Will Trump say 'tariff'?").
    A market that matches such a factor does not count as being about a factor without this mark."""

    @property
    def is_level(self) -> bool:
        """Whether the factor is a quantity that rises and falls (a price) rather than an event (a
        ceasefire)."""
        return _LEVEL.search(self.up) is not None

    @property
    def is_of_one(self) -> bool:
        """Whether the factor stands for another thing in each market: "the song in question leads
        the chart" is about a different song each time."""
        return "in question" in self.up


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow between two factors (things in the world that markets are about): `cause` drives
    `effect`. `sign` is "+" if more of the cause means more of the effect, else "-"."""

    cause: str
    effect: str
    sign: Sign
    strength: int
    """How much the cause drives the effect. 3: it is a main, first-order driver; 2: a clear
    second-order one; 1: a weak but real one."""
    lag: int
    """Typical number of days from a change of the cause until the effect shows."""
    reason: str
    inherited: bool = False
    """Whether the edge was written for a whole contest (a league's title) and is applied here to
    one contender (a team's title)."""


@dataclass(frozen=True, slots=True)
class FactorLink:
    """A link without direction between two factors (things in the world that markets are about):
    they move together (`sign` "+") or against each other ("-"), but neither drives the other. E.g.
    they have a common driver, or they are rivals or parallel cases."""

    one: str
    other: str
    sign: Sign
    strength: int
    reason: str

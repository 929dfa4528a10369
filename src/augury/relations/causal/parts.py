"""Parts of the factor base: factors (things in the world that markets are about), edges from cause
to effect, and links without a direction. Pure.

A pattern is written once and gives one factor for each entity of a list (of teams, of countries).
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
    """A match line of a factor (something in the world that markets are about): one way in which
    texts name the factor. A text matches if it has at least one phrase of each element of
    `conjuncts`, and no phrase of `without`."""

    conjuncts: tuple[tuple[Phrase, ...], ...]
    without: tuple[Phrase, ...]
    alone: bool = False
    """Whether this line matches a text only if the text consists of the line's phrases
    (`conjuncts`) alone: each word of the text, except numbers and months, has to belong to one of
    these phrases."""

    @property
    def words(self) -> tuple[str, ...]:
        """The terms (stemmed words) of all phrases in `conjuncts`, each once."""
        return tuple(dict.fromkeys(w for c in self.conjuncts for phrase in c for w in phrase))


@dataclass(frozen=True, slots=True)
class Factor:
    """Something in the world that markets are about: a policy rate, a ceasefire, a team's season.

    Each factor can rise; `up` says in words what its rise is ("the rate is raised"). An edge with
    the sign "+" means that a rise of the cause makes a rise of the effect more likely.
    """

    key: str
    name: str
    up: str
    """What a rise of the factor means, in words: "the rate is raised"."""
    domain: str
    """Subject area, e.g. "macro"."""
    lines: tuple[Line, ...]
    """The ways in which texts name the factor."""
    up_words: tuple[Phrase, ...]
    """Phrases with which a text says that the factor rises; `down_words`: that it falls."""
    down_words: tuple[Phrase, ...]
    pattern: str
    """Key of the pattern that the factor was made from; the factor's own key if it was written by
    hand. A pattern gives one factor for each team, country ..."""
    entity: str | None
    """For a factor made from a pattern: key of the entity (a team, a country) that it is about.
    None for a factor written by hand."""
    entity_list: str | None = None
    """For a factor made from a pattern: name of the list (of teams, of countries) that contains its
    entity. None for a factor written by hand."""
    contests: tuple[str, ...] = ()
    """For a factor about one contender of a contest ("this team wins the league"): keys of the
    factors about the whole contest ("who wins the league"). Empty for other factors."""
    siblings: bool = True
    """Whether the factor counts as related to the other factors made from its pattern, e.g. one
    central bank's rate to another's."""
    hearsay: bool = False
    """Whether the factor's markets are about what people say or search for ("Will Trump say
    'tariff'?"). A market that matches such a factor is not assigned to factors of any other kind:
    in the example, not to a factor on tariffs."""

    @property
    def is_level(self) -> bool:
        """Whether the factor is a quantity that rises and falls (a price) rather than an event (a
        ceasefire)."""
        return _LEVEL.search(self.up) is not None

    @property
    def differs_by_market(self) -> bool:
        """Whether the factor means a different thing in each market: "the song in question leads
        the chart" is about a different song each time."""
        return "in question" in self.up


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow from cause to effect between two factors (things in the world that markets are
    about), which are given by their keys."""

    cause: str
    effect: str
    sign: Sign
    """"+" if a rise of the cause makes a rise of the effect more likely, "-" if it makes a fall
    more likely."""
    strength: int
    """How much the cause drives the effect. 3: it is a main, first-order driver; 2: a clear
    second-order one; 1: a weak but real one."""
    lag: int
    """Typical number of days from a change of the cause until the effect shows."""
    reason: str
    inherited: bool = False
    """Whether the edge was written for a whole contest ("who wins the league") and copied to one
    contender ("this team wins the league")."""


@dataclass(frozen=True, slots=True)
class FactorLink:
    """A link without direction between two factors (things in the world that markets are about):
    they move together, but neither drives the other. For example, they have a common driver, or
    they are rivals or parallel cases. The factors are given by their keys."""

    one: str
    other: str
    sign: Sign
    """"+" if both factors tend to rise and fall together, "-" if one tends to fall when the other
    rises."""
    strength: int
    """How strong the relation is, from 1 (weak but real) to 3 (main), as for edges."""
    reason: str

"""What is compared of a question or a market: proposition, words and what they weigh. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from augury.forecast.polarity import Turn
from augury.relations.proposition import Proposition
from augury.search.text import is_number, is_year, terms

Rarity = Callable[[str], float]
"""How telling a term is (`Embedder.rarity`)."""

NAME_WEIGHT: Final = 1.35
NUMBER_WEIGHT: Final = 0.45
_TRADED: Final = frozenset(
    terms(
        "trade settle close day session moment point mark level print quote futures spot touch"
        " settlement"
        " change hands value"
    )
)
"""Words that say no more than that there is a quantity, where one is named."""
_FAINT: Final = frozenset(
    terms(
        "season standings annual edition ceremony award awards official overall current regular"
        " kind type whatever any sort standing table competition"
    )
)
"""Words that tell no market from another."""


class Words(Struct, frozen=True, array_like=True):
    """A proposition, and what else is read of its text: all that depends on the text alone."""

    proposition: Proposition
    content: frozenset[str]
    """Terms that count: those of the proposition and its names."""
    names: frozenset[str]
    """Terms written with a capital."""
    covers: frozenset[str]
    """Terms, and what the names among them say besides."""
    context: frozenset[str]
    """Terms of the event, rules and tags: they confirm, but ask nothing."""
    closes: date | None = None
    motion: int = 0
    """1: something lasts; -1: something ends; 0: neither is said."""
    subject: frozenset[str] = frozenset()
    """Terms of the name it is asked of: "Will X ..."."""
    unique: bool = False
    """Only one can have what it asks about: the best, the most."""
    places: frozenset[int] = frozenset()
    """Places but the first that it names: second-best, #3, finish fourth."""
    modifiers: frozenset[str] = frozenset()
    """Small words that change what is asked: next, all, both."""
    still: bool = False
    """It is said to be "still" so."""
    sides: frozenset[str] = frozenset()
    """Opposites of which it names one ("rejected")."""
    against: frozenset[str] = frozenset()
    """The others of those ("approved")."""
    last: str | None = None
    """Last term of the contender's name: of a person the surname, of a club what tells it apart."""
    runs: tuple[frozenset[str], ...] = ()
    """Terms of the names that it says, name by name."""
    group: str = ""
    """Letter of the group that it names."""
    turns: frozenset[Turn] = frozenset()
    """Classes of words in it that turn a proposition round."""
    initials: tuple[tuple[str, frozenset[str]], ...] = ()
    """Of its names of two words or more: their initials, and their terms."""
    short: frozenset[str] = frozenset()
    """Names that it says by their initials alone."""
    nicknames: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    """Names of more words that say another: their terms, and what they say."""
    second: frozenset[str] = frozenset()
    """Terms of what is to come second: B of "A before B"."""
    enters: bool = False
    """It is about being in a contest at all: qualifying for it."""
    extreme: int = 0
    """1: of a temperature the highest is meant; -1: the lowest; 0: neither is said."""
    sounds: frozenset[str] = frozenset()
    """How its names sound, whatever letters they were brought into."""


class View(Words, frozen=True, kw_only=True, eq=False):
    """A proposition ready to be compared."""

    weights: dict[str, float]
    """Weight of each content term."""
    vector: NDArray[np.float32]


def view(words: Words, vector: NDArray[np.float32], rarity: Rarity) -> View:
    """What is compared of a proposition.

    vector : unit vector of the text
    """
    weights = {t: _weight(t, t in words.names, rarity) for t in sorted(words.content)}
    if words.proposition.threshold is not None:
        weights |= {t: min(0.1, weights[t]) for t in _TRADED & weights.keys()}
    return View(*structs.astuple(words), weights=weights, vector=vector)


def _weight(term: str, name: bool, rarity: Rarity) -> float:
    if is_number(term):
        return 0.1 if is_year(term) else NUMBER_WEIGHT
    if term in _FAINT:
        return 0.1
    weight = min(1.3, max(0.08, (rarity(term) - 4) / 14))
    return weight * NAME_WEIGHT if name else weight

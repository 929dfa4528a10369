"""What is compared of a question or a market: proposition, terms (word stems) and weights. Pure."""

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
"""Function that says how rare a term is, from about 3 (common) to 25 (`Embedder.rarity`). The rarer
a term, the more it tells about a text."""

NAME_WEIGHT: Final = 1.35
"""Factor by which the weight of a term (how telling it is) is raised if it is a name. Chosen by
hand."""
NUMBER_WEIGHT: Final = 0.45
"""Weight (how telling a term is) of a number other than a year. For comparison: words that are not
names have 0.08 to 1.3. Chosen by hand."""
_TRADED: Final = frozenset(
    terms(
        "trade settle close day session moment point mark level print quote futures spot touch"
        " settlement"
        " change hands value"
    )
)
"""Words that add nothing to a text that names a level ("close above $100"); their weight (how
telling they are) is then at most 0.1."""
_FAINT: Final = frozenset(
    terms(
        "season standings annual edition ceremony award awards official overall current regular"
        " kind type whatever any sort standing table competition"
    )
)
"""Words that do not tell markets apart; their weight (how telling they are) is 0.1."""


class Words(Struct, frozen=True, array_like=True):
    """The proposition of a text, and what else is read of the text: all that depends on the text
    alone."""

    proposition: Proposition
    content: frozenset[str]
    """Terms (word stems) by which the text is compared with others: those of what it asserts
    (`proposition`), and those of the names in it."""
    names: frozenset[str]
    """Terms of the words that the text writes with a capital, as names are."""
    covers: frozenset[str]
    """Terms that the text counts as naming: `content`, and those that its names also stand for
    ("russia" if it names Moscow; `names.besides`)."""
    context: frozenset[str]
    """Terms of a market's event name and rules: they can confirm a term of the question, but are
    no part of what the market asks."""
    closes: date | None = None
    motion: int = 0
    """1: the text says that something lasts; -1: that something ends; 0: neither."""
    subject: frozenset[str] = frozenset()
    """Terms of the name that follows the auxiliary verb: of X in "Will X ..."."""
    unique: bool = False
    """Whether the text asks for what only one contender can be: the best, the most."""
    places: frozenset[int] = frozenset()
    """Finishing places after the first that the text names: second-best, #3, finish fourth."""
    modifiers: frozenset[str] = frozenset()
    """Which modifiers that change what is asked the text has, of: next, whole, annual, monthly,
    both."""
    still: bool = False
    """Whether the text says that something is "still" so."""
    sides: frozenset[str] = frozenset()
    """For each pair of opposite results of which the text names one (`cues._OPPOSITES`): that one,
    e.g. `approval-` for "rejected"."""
    against: frozenset[str] = frozenset()
    """The opposites of the results in `sides`, e.g. `approval+` if the text says "rejected"."""
    last: str | None = None
    """Last term of the contender's name: a person's surname, or the word that tells a club from
    others. None if the name has only one term."""
    runs: tuple[frozenset[str], ...] = ()
    """For each name in the text, e.g. "Real Madrid": the set of its terms."""
    group: str = ""
    """Letter of the tournament group that the text names, in lower case; else empty."""
    turns: frozenset[Turn] = frozenset()
    """Classes (`polarity.Turn`) of the words in the text that reverse an assertion, e.g.
    `loses`."""
    initials: tuple[tuple[str, frozenset[str]], ...] = ()
    """For each name of two to five words: its initials in lower case, and its terms."""
    short: frozenset[str] = frozenset()
    """Words of two to five capital letters ("NBA") in the text, in lower case."""
    nicknames: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    """For each known name of two or more terms in the text: its terms, and the terms that the name
    also stands for."""
    second: frozenset[str] = frozenset()
    """Terms of the second of two things whose order in time is asked about: of B in "A before
    B"."""
    enters: bool = False
    """Whether the text asks about taking part in a contest at all, e.g. about qualifying for it."""
    extreme: int = 0
    """1: the text asks about a highest temperature; -1: a lowest; 0: neither."""
    sounds: frozenset[str] = frozenset()
    """First letter and consonants of each name in the text (`cues.sound`), equal for most ways of
    writing a foreign name."""


class View(Words, frozen=True, kw_only=True, eq=False):
    """What is read of a text (`Words`), with the weights of its terms and its vector: ready to be
    compared with another text."""

    weights: dict[str, float]
    """Weight of each term in `content`, 0.08 to 1.8: how telling the term is."""
    vector: NDArray[np.float32]


def view(words: Words, vector: NDArray[np.float32], rarity: Rarity) -> View:
    """A text, ready to be compared with others: what was read of it (`words`), the weight of each
    term (from its `rarity`), and the text's unit `vector`."""
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

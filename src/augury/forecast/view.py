"""The parts of a question or a market that are compared: what it asserts, its terms (word stems)
and their weights. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from augury.forecast.polarity import Turn
from augury.propositions.proposition import Proposition
from augury.search.text import is_number, is_year, terms

Rarity = Callable[[str], float]
"""Function that says how rare a term is, from about 3 (common) to 25 (`Embedder.rarity`). The rarer
a term, the more it tells about a text."""

NAME_WEIGHT: Final = 1.35
"""The weight of a term (how telling it is) is multiplied by this if the term is part of a name.
Chosen by hand."""
NUMBER_WEIGHT: Final = 0.45
"""Weight (how telling a term is) of a number; a year has 0.1. For comparison: words that are not
names have weights of 0.08 to 1.3. Chosen by hand."""
_LEVEL_FILLERS: Final = frozenset(
    terms(
        "trade settle close day session moment point mark level print quote futures spot touch"
        " settlement"
        " change hands value"
    )
)
"""Words that say little in a text with a level, such as "close" in "close above $100". There, the
weight of each (how telling a word is) is reduced to at most 0.1."""
_FAINT: Final = frozenset(
    terms(
        "season standings annual edition ceremony award awards official overall current regular"
        " kind type whatever any sort standing table competition"
    )
)
"""Words that do not tell markets apart. They always weigh 0.1. Any other word weighs more the rarer
it is: from 0.08 (very common) to 1.3, or to 1.8 in a name."""


class Words(Struct, frozen=True, array_like=True):
    """All that is read from the text of a question or a market: what it asserts (`proposition`),
    its terms, names, finishing places ... It depends on the text alone."""

    proposition: Proposition
    content: frozenset[str]
    """Terms (word stems) by which the text is compared with other texts: the terms of its assertion
    (`proposition`) and of the names in it."""
    names: frozenset[str]
    """Terms (word stems) of the capitalized words of the text, which are taken to be names."""
    covers: frozenset[str]
    """All terms that count as named by the text: its own terms (`content`), and terms that its
    names imply (`names.associated_terms`). A text that names Moscow also names "russia"."""
    context: frozenset[str]
    """Terms of a market's event name and rules. They can confirm that the market is about a term of
    the question, but are no part of what the market asks. Empty for a question."""
    closes: date | None = None
    persistence: int = 0
    """1: the text says that a state lasts ("remains"); -1: that a state ends ("leaves"); 0: neither
    of the two."""
    subject: frozenset[str] = frozenset()
    """Terms of the name that follows the auxiliary verb: of X in "Will X ..."."""
    unique: bool = False
    """Whether the text asks for something that only one contender can be: the best, the most."""
    places: frozenset[int] = frozenset()
    """Finishing places other than the first that the text names: 2 for "second-best", 3 for
    "#3"."""
    modifiers: frozenset[str] = frozenset()
    """Which of the words "next", "whole", "annual", "monthly" and "both" occur in the text.
    Synonyms count, too ("entire" for "whole"). Each of them changes what is asked."""
    still: bool = False
    """Whether the text says that something is "still" so."""
    polar_results: frozenset[str] = frozenset()
    """The results in the text that have an opposite. Each is the name of a pair of opposites
    (`cues._OPPOSITES`) and a sign: `approval+` for "approved", `approval-` for "rejected". The pair
    `course` has a third result: besides a rise (`course+`) and a fall (`course-`), there is "no
    change" (`course=`)."""
    against: frozenset[str] = frozenset()
    """The opposite of each result in `polar_results`: `approval+` if the text says "rejected"
    (`approval-`). Another text that names one of these may ask the opposite."""
    last: str | None = None
    """Last term of the contender's name: a person's surname, or the word by which a club differs
    from others. None if the name has only one term or there is no name."""
    name_terms: tuple[frozenset[str], ...] = ()
    """The terms of the names in the text, one set per name: {"real", "madrid"} for "Real
    Madrid"."""
    group: str = ""
    """Letter of the tournament group that the text names ("Group B" -> "b"); else empty."""
    turns: frozenset[Turn] = frozenset()
    """Classes (`polarity.Turn`) of the words in the text that reverse an assertion, e.g.
    `loses`."""
    initials: tuple[tuple[str, frozenset[str]], ...] = ()
    """For each name of two to five words in the text: its initials in lower case, and its terms."""
    short: frozenset[str] = frozenset()
    """Words of two to five capital letters ("NBA") in the text, in lower case."""
    nicknames: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    """For each known name of two or more terms in the text ("yellow metal"): the terms of the name,
    and the terms of the thing for which it is another name ("gold")."""
    second: frozenset[str] = frozenset()
    """If the text asks which of two things comes first, the terms of the second one: of B in "A
    before B"."""
    enters: bool = False
    """Whether the text asks only if someone takes part in a contest (e.g. qualifies for it), not
    how they do in it."""
    extreme: int = 0
    """1 if the text asks about the highest temperature of a day, -1 if about the lowest; 0:
    neither."""
    sounds: frozenset[str] = frozenset()
    """For each name in the text: its first letter and its consonants (`cues.sound`), which are
    equal for most ways of writing a foreign name."""


class View(Words, frozen=True, kw_only=True, eq=False):
    """All that is read from a text (`Words`), with the weights of its terms and its vector: what is
    needed to compare it with another text."""

    weights: dict[str, float]
    """Weight of each term in `content`, 0.08 to 1.8: how telling the term is."""
    vector: NDArray[np.float32]


def view(words: Words, vector: NDArray[np.float32], rarity: Rarity) -> View:
    """Prepare a text for comparison with other texts.

    words : what was read from the text: its assertion, terms, names ...
    vector : embedding of the text, scaled to length 1
    rarity : gives for each term how rare it is; a rarer term gets a larger weight
    """
    weights = {t: _weight(t, t in words.names, rarity) for t in sorted(words.content)}
    if words.proposition.threshold is not None:
        weights |= {t: min(0.1, weights[t]) for t in _LEVEL_FILLERS & weights.keys()}
    return View(*structs.astuple(words), weights=weights, vector=vector)


def _weight(term: str, name: bool, rarity: Rarity) -> float:
    if is_number(term):
        return 0.1 if is_year(term) else NUMBER_WEIGHT
    if term in _FAINT:
        return 0.1
    weight = min(1.3, max(0.08, (rarity(term) - 4) / 14))
    return weight * NAME_WEIGHT if name else weight

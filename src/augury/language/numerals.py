"""Number words: counts, ordinals, and scales such as "million". Pure."""

from __future__ import annotations

import re
from typing import Final

ONES: Final = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen".split()
    )
}
TENS: Final = {
    word: 10 * n
    for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
COUNTS: Final = {**ONES, **TENS}
"""Number word -> value of the word: zero to nineteen, and the tens ("twenty" ... "ninety")."""
ORDINALS: Final = {
    word: n
    for n, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
        " thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
        " twentieth".split(),
        1,
    )
}
SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
FACTORS: Final = {
    "k": 1e3, "mm": 1e6, "mn": 1e6, "m": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12, "t": 1e12, **SCALES,
}  # fmt: skip
"""Short or long word for a scale -> the factor that it stands for: "bn" -> 1e9 in "3 bn"."""

COUNT: Final = "|".join(sorted(COUNTS, key=len, reverse=True))
ORDINAL: Final = "|".join(sorted(ORDINALS, key=len, reverse=True))
FACTOR: Final = "|".join(FACTORS)
"""COUNT, ORDINAL and FACTOR: sources of regular expressions for a number word ("twelve"), an
ordinal ("third") and a scale ("million", "bn"), in lower case. They are alternatives without
parentheses (`a|b|c`), so a larger expression must put them in a group."""


def count(text: str) -> int:
    """The value of a whole number, written in digits or as one word of `COUNTS`: "twelve" -> 12.
    Any other text raises KeyError."""
    return int(text) if text.isdecimal() else COUNTS[text.casefold()]


_RANKS: Final = {**ORDINALS, **COUNTS}


def rank(text: str) -> int:
    """The rank (place in an order) that an ordinal or a number names: "second", "2nd", "2" and
    "two" -> 2; 0 if the text names none ("last")."""
    digits = re.sub(r"\D", "", text)
    return int(digits) if digits else _RANKS.get(text.casefold(), 0)


PARTS: Final = {"half": 0.5, "three": 0.75, "quarter": 0.25}
"""First word of a fraction -> value of the fraction: "three" -> 0.75, for "three quarters"."""


def compound(text: str) -> int:
    """The value of a number in one or two words, or in digits: "twenty-five" -> 25."""
    return sum(count(part) for part in re.split(r"[\s-]+", text))

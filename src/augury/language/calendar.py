"""The months, by name and number. Pure; whoever reads a month reads it by these."""

from __future__ import annotations

from typing import Final

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
"""Names of the months in lower case; month n is at index n - 1."""
SHORT: Final = {**{name[:3]: name for name in MONTHS if len(name) > 3}, "sept": "september"}
"""Short name to full name, without the period that some write after it."""
NUMBERS: Final = {name: n for n, name in enumerate(MONTHS, 1)} | {
    short: MONTHS.index(name) + 1 for short, name in SHORT.items()
}
"""Each name, long or short, in lower case: 1 to 12."""
MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
"""Pattern for a month's name in lower case, without a period. It does not check that the word ends
there."""


def month(name: str) -> int:
    """The number of a month by any of its names, however it is capitalized.

    Raises
    ------
    KeyError
        It is no month's name.
    """
    return NUMBERS[name.strip().rstrip(".").casefold()]

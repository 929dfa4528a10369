"""Names and numbers of the months, for all code that reads dates from text. Pure."""

from __future__ import annotations

from typing import Final

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
"""Names of the months in lower case; month n (1 to 12) is at index n - 1."""
SHORT: Final = {**{name[:3]: name for name in MONTHS if len(name) > 3}, "sept": "september"}
"""Short name of a month -> its full name, both in lower case and without a period: "sept" ->
"september"."""
NUMBERS: Final = {name: n for n, name in enumerate(MONTHS, 1)} | {
    short: MONTHS.index(name) + 1 for short, name in SHORT.items()
}
"""Long or short name of a month in lower case -> its number, 1 to 12."""
MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
"""Pattern for the long or short name of a month in lower case, without a period. It also matches
the beginning of a longer word."""


def month(name: str) -> int:
    """The number of a month, 1 to 12, by its long or short name in any case: "Sept." -> 9.

    Raises
    ------
    KeyError
        `name` is not the name of a month.
    """
    return NUMBERS[name.strip().rstrip(".").casefold()]

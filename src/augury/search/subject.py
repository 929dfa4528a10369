"""Splits a question into what it is about and the condition that it supposes. Pure.

"What happens to gold if the dollar collapses" is about gold and supposes that the dollar collapses.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

MAX_CHARACTERS: Final = 500
"""Only a text of at most this many characters is split into what it asks about and the condition
that it supposes. Longer texts are hardly questions, and are left whole."""


class SplitQuestion(NamedTuple):
    """A question split into what it asks about and the condition that it supposes, each in the
    question's own words."""

    about: str
    """What the question asks about, without its condition; the whole text if it has none."""
    condition: str = ""
    """The condition that the question supposes ("the dollar collapses"); empty if it has none."""


_MODAL: Final = r"(?:would|will|could|might|does|do|did|can|may|should)"
_CHANGE: Final = r"(?:affect|impact|hurt|help|change|move|influence|hit|shake|lift|boost)"
_CONDITIONS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^what\s+(?:{_MODAL}\s+)?happens?\s+(?:to|with)\s+(?P<about>.+?)"
        r",?\s+(?:if|when|once|should|in\s+case)\s+(?P<condition>.+)$",
        rf"^what\s+{_MODAL}\s+(?P<condition>.+?)\s+(?:do\s+to|mean\s+for)\s+(?P<about>.+)$",
        rf"^how\s+(?:much\s+|badly\s+)?{_MODAL}\s+(?P<condition>.+?)\s+{_CHANGE}\s+(?P<about>.+)$",
        r"^(?:(?:what\s+(?:is|would\s+be|are)\s+)?the\s+)?(?:impact|effects?|influence|"
        r"consequences|fallout)\s+of\s+(?P<condition>.+?)\s+(?:on|for)\s+(?P<about>.+)$",
        r"^(?:if|should|once)\s+(?P<condition>[^,]+),\s+(?:then\s+)?(?P<about>.+)$",
        r"^(?P<about>.+?),?\s+(?:if|in\s+case)\s+(?P<condition>.+)$",
    )
)
_EMPTY: Final = re.compile(r"(?:(?:so|and|but)\s+)?(?:what|who|how|even|as|only|ask)?\W*", re.I)
"""Matches words before "if" that name no subject, as in "what if" or "as if"; such a text is not
split."""


def split(text: str) -> SplitQuestion:
    """Split a question: "What happens to gold if the dollar collapses?" asks about "gold" and
    supposes "the dollar collapses". A text without a condition is not split."""
    whole = " ".join(text.split())
    if len(whole) <= MAX_CHARACTERS:
        for pattern in _CONDITIONS:
            found = pattern.match(whole)
            if found and not _EMPTY.fullmatch(found["about"]):
                return SplitQuestion(found["about"].rstrip(" ?"), found["condition"].rstrip(" ?"))
    return SplitQuestion(whole)

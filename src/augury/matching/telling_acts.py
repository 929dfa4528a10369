"""Acts that say what a market is about, so that a question which does not name them asks something
else. Pure.

"Out by June 30" and "impeached by June 30" share the person and the date, and the judge may take
one for the other. Only acts are listed that people name by a few known words.
"""

from __future__ import annotations

import re
from typing import Final

_ACTS: Final = tuple(
    (re.compile(rf"\b(?:{title})", re.I), re.compile(rf"\b(?:{said})", re.I))
    for title, said in (
        (r"impeach", r"impeach|articles\b"),
        (
            r"(?:get\s+)?married|marry|marriage|wedding",
            r"marr[yi]|wed\b|weds\b|wedding|hitched|knot|engage|propos|bride|groom|husband|wife|vows|altar|aisle|nuptial",
        ),
        (
            r"pregnan",
            r"pregnan|bab(?:y|ies)|child|expecting|birth|kid|mom|mum|mother|father|dad|parent|bump|knocked",
        ),
        (
            r"divorc",
            r"divorc|split|separat|break\s?up|breaks?\s+up|marriage|leave\s+(?:him|her)|end",
        ),
        (r"pardon", r"pardon|clemency|commut|forgiv|let\s+off|hook|free|spare|wipe|sentence"),
        (
            r"indict",
            r"indict|charg|prosecut|criminal|arraign|grand\s+jury|court|legal|felony|dock|trial|doj|law|case",
        ),
        (
            r"seen\s+in\s+public|public\s+appearance",
            r"see|public|appear|spot|show|photo|face|surface|emerge|video|camera|hid",
        ),
    )
)
"""Pairs of patterns: one for an act in a market's title, one for all words by which a question may
mean that act."""


def is_unsaid(title: str, question: str) -> bool:
    """Whether a market's title names an act of `_ACTS` that a question names by none of its
    words."""
    return any(act.search(title) and not said.search(question) for act, said in _ACTS)

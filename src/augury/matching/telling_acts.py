"""Acts ("impeached", "married") that a question must name to ask the same as a market whose title
names them. Pure.

"Out by June 30" and "impeached by June 30" share the person and the date, so the judge (the trained
model) may take one for the other. Only acts that people name by a few known words are listed.
"""

from __future__ import annotations

import re
from typing import Final

_ACTS: Final = tuple(
    (re.compile(rf"\b(?:{in_title})", re.I), re.compile(rf"\b(?:{in_question})", re.I))
    for in_title, in_question in (
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
"""Pairs of patterns: the first matches an act in a market's title, the second all words by which a
question may mean this act."""


def has_unasked_act(title: str, question: str) -> bool:
    """Whether a market's title names an act of `_ACTS` ("impeached") for which the question has no
    word."""
    return any(
        in_title.search(title) and not in_question.search(question)
        for in_title, in_question in _ACTS
    )

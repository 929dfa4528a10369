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
            r"indict|(?:federally|criminally)\s+charged|charged\s+with",
            r"indict|charg|prosecut|criminal|arraign|grand\s+jury|court|legal|felony|dock|trial|doj|law|case|arrest|jail",
        ),
        (
            r"resign",
            r"re-?sign|sign|step|quit|walk|relinquish|g[ia]ve\w*\s+up|hand\w*\s+(?:in|over)|bow|stand\w*\s+down|stood\s+down|"
            r"own\s+accord|voluntar|call\w*\s+it|leav|left|throw\w*\s+in|departure|pack",
        ),
        (
            r"declare\s+war",
            r"war\b|hostil",
        ),
        (
            r"(?<!labor )(?<!general )\bstrikes?\b(?!\s+(?:price|out|a\s+deal))",
            r"strik|struck|attack|bomb|hit|missile|\bair|raid|\bfire|shell|target|military\s+action|retaliat|drone|"
            r"pound|blow|walk|picket|labor|\bwork|union|action",
        ),
        (
            r"seen\s+in\s+public|public\s+appearance",
            r"see|public|appear|spot|show|photo|face|surface|emerge|video|camera|hid",
        ),
    )
)
"""Pairs of patterns. The first matches an act in a market's title ("impeached"), the second all
words by which a question may mean this act ("impeached", "articles")."""
_DEMANDED: Final = tuple(
    (re.compile(rf"\b(?:{in_question})", re.I), re.compile(rf"\b(?:{in_title})", re.I))
    for in_question, in_title in (
        (
            r"removed?\s+from\s+office|impeached\s+(?:and|n|&)\s+removed|convicted\s+and\s+removed",
            r"remov|convict|oust|\bout\b",
        ),
        (
            r"(?:at\s+)?war\s+(?:again|with\b)|go(?:es)?\s+to\s+war",
            r"war\b|invade|invasion|clash|conflict|military",
        ),
    )
)
"""Pairs of patterns. The first matches an act in a question ("removed from office"), the second the
words for it in a market's title ("removed", "convicted"). A title without any of these words does
not ask for the act."""


def differ(title: str, question: str) -> bool:
    """Whether a market's title and a question differ in a telling act: the title names an act of
    `_ACTS` ("impeached") that the question does not name, or the question names an act of
    `_DEMANDED` that the title does not name."""
    return any(
        in_title.search(title) and not in_question.search(question)
        for in_title, in_question in _ACTS
    ) or any(
        in_question.search(question) and not in_title.search(title)
        for in_question, in_title in _DEMANDED
    )

"""Whether a question is a market's own title, in its words or with one "not" more. Pure.

Capitals, quotes, marks and what stands around a question (`framing`) tell nothing apart. What is
said in the very words of a market is about that market, however its parts are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from augury.forecast.framing import framed
from augury.remembered import remembered
from augury.search.text import fold

_TOKEN: Final = re.compile(r"[^\W_]+(?:[.,/'-][^\W_]+)*|[%°$€£<>+]")
_SHORT: Final = re.compile(r"\b(?P<stem>is|are|was|does|do|did|has|have|would|could)n't\b")
_DASH: Final = str.maketrans("–—−’", "---'")
_DENIALS: Final = frozenset({"not", "never"})


def denied(core: str, title: str, outcomes: Sequence[str]) -> bool | None:
    """Whether a question asks for a market's No; None where it is not in the market's words.

    core : the question out of its frame (`Reading.core`)
    title : the market's question; only of markets with the outcomes Yes and No
    """
    if tuple(label.casefold() for label in outcomes) != ("yes", "no"):
        return None
    ours, theirs = _words(core), _title(title)
    if ours == theirs:
        return False
    if abs(len(ours) - len(theirs)) != 1:
        return None
    longer, shorter = (ours, theirs) if len(ours) > len(theirs) else (theirs, ours)
    differ = next((i for i, w in enumerate(shorter) if w != longer[i]), len(shorter))
    same = longer[differ] in _DENIALS and longer[differ + 1 :] == shorter[differ:]
    return True if same and differ else None


@remembered(32 << 20)
def _title(title: str) -> tuple[str, ...]:
    return _words(framed(title).core)


@remembered(8 << 20)
def _words(text: str) -> tuple[str, ...]:
    plain = fold(text.translate(_DASH))
    plain = _SHORT.sub(
        r"\g<stem> not", plain.replace("won't", "will not").replace("can't", "can not")
    )
    return tuple(_TOKEN.findall(plain))

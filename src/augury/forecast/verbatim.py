"""Whether a question repeats a market's title: word for word, or with a "not" added or left out.

Pure. Capitals, quotes and punctuation make no difference, nor do words around the question such as
"please tell me" (`framing`). A question in a market's own words is about that market, even if the
comparison of their parts (`match`) says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from augury.caches import cached
from augury.forecast.framing import framed
from augury.search.text import fold

_TOKEN: Final = re.compile(r"[^\W_]+(?:[.,/'-][^\W_]+)*|[%°$€£<>+]")
_SHORT: Final = re.compile(r"\b(?P<stem>is|are|was|does|do|did|has|have|would|could)n't\b")
_DASH: Final = str.maketrans("–—−’", "---'")
_DENIALS: Final = frozenset({"not", "never"})


def asks_for_no(core: str, title: str, outcomes: Sequence[str]) -> bool | None:
    """Whether a question that repeats a market's title asks for the market's No: False if the two
    are the same word for word, True if one of them has a "not" (or "never") that the other lacks,
    None if the question is in other words.

    core : the question without words around it such as "is it true that" (`Reading.core`)
    title : the market's question
    outcomes : the market's outcomes; None is returned unless they are Yes and No
    """
    if tuple(label.casefold() for label in outcomes) != ("yes", "no"):
        return None
    asked, own = _words(core), _title(title)
    if asked == own:
        return False
    if abs(asked.count(" ") - own.count(" ")) != 1:
        return None
    shorter, longer = sorted((asked.split(), own.split()), key=len)
    differ = next((i for i, w in enumerate(shorter) if w != longer[i]), len(shorter))
    same = longer[differ] in _DENIALS and longer[differ + 1 :] == shorter[differ:]
    return True if same and differ else None


@cached(8 << 20)
def _title(title: str) -> str:
    return _plain(framed(title).core)


@cached(1 << 20)
def _words(core: str) -> str:
    return _plain(core)


def _plain(text: str) -> str:
    """The words of a text in lower case, without punctuation, with "not" written out ("isn't" ->
    "is not"). They are one string, because that takes less memory than a tuple."""
    plain = fold(text.translate(_DASH))
    plain = _SHORT.sub(
        r"\g<stem> not", plain.replace("won't", "will not").replace("can't", "can not")
    )
    return " ".join(_TOKEN.findall(plain))

"""Replaces spellings that people use in chats by the usual ones: "wont" -> "won't", "w/o" ->
"without". Pure."""

from __future__ import annotations

import re
from typing import Final

_AUXILIARIES: Final = (
    "is are was were does do did has have had would could should might must need wo ca ai"
).split()
_WRITTEN_OUT: Final = {
    **{f"{word}nt": f"{word}n't" for word in _AUXILIARIES},
    "w/o": "without", "w/": "with", "gonna": "going to",
    "gunna": "going to", "wanna": "want to", "b4": "before", "tmrw": "tomorrow",
    "tmr": "tomorrow", "2moro": "tomorrow", "2nite": "tonight", "tonite": "tonight",
    "2day": "today", "govt": "government", "ppl": "people", "yr": "year", "yrs": "years",
    "wk": "week", "wks": "weeks", "mth": "month", "mths": "months", "nite": "night",
    "pres": "president", "prez": "president", "thx": "thanks", "pls": "please", "plz": "please",
    "theres": "there's", "thats": "that's", "alot": "a lot", "nvr": "never",
}  # fmt: skip
_WORDS = "|".join(sorted(map(re.escape, _WRITTEN_OUT), key=len, reverse=True))
_CHAT: Final = re.compile(rf"(?<![\w'’./-])(?:{_WORDS})(?![\w'’/-])", re.I)


def written_out(text: str) -> str:
    """The text with chat spellings replaced by the usual ones: "wont" -> "won't", "b4" -> "before".
    Passages in double quotes are left unchanged."""
    parts = text.split('"')
    parts[::2] = [_CHAT.sub(_usual, part) for part in parts[::2]]
    return '"'.join(parts)


def _usual(found: re.Match[str]) -> str:
    spelling = _WRITTEN_OUT[found[0].casefold()]
    # In capitals it may be a ticker symbol: "CANT", "WK".
    if found[0].isupper() and "/" not in found[0]:
        return found[0]
    return spelling.capitalize() if found[0][0].isupper() else spelling

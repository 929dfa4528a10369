"""Finds the quoted titles and the names in a text, because their words do not have the usual
meaning. It also puts into lower case those words that are in capitals only for emphasis
(`without_emphasis`). Pure.

"Miss Universe" misses nothing, "Anaheim Ducks" avoid nothing, and a title in quotes says nothing
about what the text asks. Names are recognized by capital letters, unless every word, or every
letter, of the text is capitalized.

Examples
--------
>>> spans = name_spans("Will the Anaheim Ducks miss the playoffs?")
>>> ["Will the Anaheim Ducks miss the playoffs?"[a:b] for a, b in spans]
['Anaheim Ducks']
>>> without_emphasis("Will China NOT invade Taiwan?")
'Will China not invade Taiwan?'
"""

from __future__ import annotations

import re
from typing import Final

from augury.language import calendar

Span = tuple[int, int]
"""A part of a text, as (position of its first character, position after its last one)."""

QUOTED: Final = re.compile(
    r"\"[^\"]{1,120}\"|(?<![\w])'(?=\w)[^']{1,80}(?:'[a-z]\b[^']{0,80})?'(?![\w])"
)
"""Matches a passage in single or double quotation marks, including the marks. An apostrophe within
a word does not end the passage."""

_EMPHASIS: Final = frozenset(
    """NOT NEVER WITHOUT FAIL FAILS AVOID AVOIDS MISS LOSE LOSES WIN WINS NO NONE NOBODY NEITHER
    WON'T ISN'T DOESN'T DON'T CAN'T AREN'T WILL BE BY BEFORE AFTER ABOVE BELOW OVER UNDER AND OR
    OTHER THAN ANY ALL BOTH EITHER STILL REMAIN STAY KEEP EVER REALLY ACTUALLY FINALLY""".split()
)
"""Words that, written in capitals, are emphasized and not names."""
_LOUD: Final = re.compile(r"(?<![\w'])[A-Z]{2,}(?:'[A-Z]+)?(?![\w'])")
_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")
_LOWER: Final = re.compile(r"[a-z]")
_CAPITAL: Final = r"[A-Z][\w'’&.!-]*"
_LINK: Final = r"(?:of|the|for|de|la|del|da|di|von|van|and|in|at|on|a|an|to|from|&)"
_LINKS: Final = frozenset("the and for from von van del".split())
_RUN: Final = re.compile(
    rf"(?<![\w'’]){_CAPITAL}(?:(?:,?\s+{_LINK}){{0,2}},?\s+(?:{_CAPITAL}|\d+))*"
)
"""Matches a name: capitalized words, possibly with small words such as "for" between them and
numbers after them: "March for Life", "Best Album, Non-Classical", "Nobody 2"."""
_FUNCTION: Final = frozenset(
    """will does do did is are has have can could would was were should might may if when who what
    which how where no not nobody none neither never without any anyone anybody someone somebody
    the a an by before after on in at it there they he she both either""".split()
)
"""Function words ("will", "the"). At the beginning of a text such a word has a capital letter, too,
but it does not belong to the name after it."""


def without_emphasis(text: str) -> str:
    """The text without capitals for emphasis: "will NOT" -> "will not". A text of more than 12
    letters that are all capitals is put in lower case as a whole."""
    if not _LOWER.search(text):
        return text.lower() if sum(c.isalpha() for c in text) > 12 else text
    quotes = [found.span() for found in QUOTED.finditer(text)]

    def lower(found: re.Match[str]) -> str:
        named = found[0] not in _EMPHASIS or inside(quotes, found.start())
        # Within quotes such a word belongs to a title: "NEVER ENOUGH".
        return found[0] if named else found[0].lower()

    return _LOUD.sub(lower, text)


def capitals_mark_names(text: str) -> bool:
    """Whether the capital letters of a text show which words are names. They do if some ordinary
    word outside of quotes begins with a small letter."""
    words = [w for w in _WORD.findall(QUOTED.sub(" ", text)) if len(w) > 2]
    return any(w[0].islower() and w not in _LINKS for w in words)


def name_spans(text: str) -> list[Span]:
    """Where the quotes and names of a text are, as spans (start, end) from left to right. A name
    within a quote has no span of its own."""
    found = [match.span() for match in QUOTED.finditer(text)]
    if not capitals_mark_names(text):
        return found
    for match in _RUN.finditer(text):
        start, end = match.span()
        if inside(found, start):
            continue
        words = match[0].split()
        if start == 0 and words[0].casefold().strip(",") in _FUNCTION:
            first = next((n for n, word in enumerate(words) if n and not word[0].islower()), None)
            words = words[first:] if first else []  # without "Will" and an article after it
            start = text.index(words[0], len(match[0].split()[0])) if words else end
        if words and not all(
            w.strip(",.").casefold() in calendar.MONTH_NUMBERS or w[0].isdigit() for w in words
        ):
            if start == 0 and len(words) == 1:
                continue  # every sentence begins with a capital
            found.append((start, end))
    return sorted(found)


def inside(spans: list[Span], place: int) -> bool:
    """Whether the position `place` of a text lies within one of the spans."""
    return any(start <= place < end for start, end in spans)


def masked(text: str) -> tuple[str, list[str]]:
    """Hide the quoted passages of a text, so that their words are not read. Returns the text with
    each passage replaced by a made-up word, and the list of the passages, from which `unmasked`
    restores the text."""
    quotes: list[str] = []

    def hide(found: re.Match[str]) -> str:
        if len(quotes) >= len(_LETTERS):
            return found[0]
        quotes.append(found[0])
        return f"Qzq{_LETTERS[len(quotes) - 1]}"

    return (QUOTED.sub(hide, text), quotes) if '"' in text or "'" in text else (text, quotes)


def unmasked(text: str, quotes: list[str]) -> str:
    """The inverse of `masked`: the text with each made-up word replaced by the quoted passage that
    it stands for. A word that only looks like a made-up one stays.

    quotes : the quoted passages, as `masked` returns them
    """

    def back(found: re.Match[str]) -> str:
        number = _LETTERS.index(found[1].lower())
        return quotes[number] if number < len(quotes) else found[0]

    return _MADE_UP_WORD.sub(back, text)


_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_MADE_UP_WORD: Final = re.compile(r"qzq([a-z])", re.I)

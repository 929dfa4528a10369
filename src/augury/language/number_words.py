"""Numbers in words, written in figures: "one hundred and five thousand" -> "105 thousand". Pure."""

from __future__ import annotations

import re
from typing import Final

from augury.language.numerals import COUNT, COUNTS, ONES, PARTS, SCALES, TENS, compound

_SCALE = "|".join(SCALES)
_PART = rf"(?:{COUNT}|(?:hundred|{_SCALE})(?:\s+and(?=\s+(?:{COUNT})\b))?)\b"
_RUN: Final = re.compile(
    rf"\b(?P<one>an?\s+(?=(?:hundred|{_SCALE})\b))?(?P<said>{_PART}(?:[\s-]+{_PART})+|"
    rf"(?:hundred|{_SCALE})\b(?:\s+and(?=\s+(?:{COUNT})\b))?(?:[\s-]+{_PART})*)",
    re.I,
)
"""Matches two or more consecutive number words ("twenty five"), or a single "hundred", "thousand"
..."""
_VAGUE: Final = re.compile(
    r"\b(?:few|several|couple(?:\s+of)?|many|some|(?:half|quarters?)(?:\s+of)?)\s+\Z", re.I
)
_WHOLE = rf"(?:(?:{'|'.join(TENS)})[\s-](?:{'|'.join(ONES)})|{COUNT}|\d{{1,6}})"
_POINT: Final = re.compile(
    rf"\b(?P<whole>{_WHOLE})\s+point\s+(?P<digits>(?:{COUNT})(?:\s+(?:{COUNT}))?)\b", re.I
)
_AND_PART: Final = re.compile(
    rf"\b(?P<whole>{_WHOLE})\s+and\s+(?P<part>a\s+half|a\s+quarter|three[\s-]quarters?)"
    rf"(?=\s+(?:percent|per\s+cent|%|percentage|points?|degrees?|inches|feet|hours|years)|"
    rf"\s+(?:and|to|or)\s+(?:{_WHOLE}(?:\.\d+)?)(?:\s+and\s+a\s+half)?\s+(?:{_SCALE})\b)",
    re.I,
)
_RANGE: Final = re.compile(
    rf"\b(?P<how>between|from)\s+(?P<low>{_WHOLE})\s+(?P<to>and|to)\s+(?P<high>{_WHOLE})\b", re.I
)
_SCALED: Final = re.compile(
    rf"\b(?:an?|(?P<many>{_WHOLE}))\s+(?P<scale>{_SCALE})\s+and\s+a\s+(?P<part>half|quarter)\b",
    re.I,
)
"""Matches a number with a fraction of its unit: "a million and a half" (1.5 million)."""
_BUCK: Final = re.compile(rf"\b(?:a|one)\s+buck\s+(?P<cents>{_WHOLE})\b(?!\s+(?:{_SCALE}))", re.I)
_HINT: Final = re.compile(rf"\b(?:{COUNT}|hundred|{_SCALE})\b", re.I)


def in_figures(text: str) -> str:
    """The text with each number in words replaced by figures. A "thousand" or "million" at the end
    of a number stays a word, and so do words that form no number ("twenty twenty-six")."""
    if _HINT.search(text) is None:
        return text
    text = _BUCK.sub(lambda found: f"$1.{compound(found['cents']):02}", text)
    text = _POINT.sub(_decimal, text)
    text = _AND_PART.sub(_mixed, text)
    text = _SCALED.sub(_scaled, text)
    text = _RANGE.sub(_ranged, text)
    return _RUN.sub(_figure, text)


def _decimal(found: re.Match[str]) -> str:
    digits = "".join(str(COUNTS[one]) for one in found["digits"].casefold().split())
    return f"{compound(found['whole'])}.{digits}"


def _mixed(found: re.Match[str]) -> str:
    part = next(n for name, n in PARTS.items() if name in found["part"].casefold())
    return f"{compound(found['whole']) + part:g}"


def _scaled(found: re.Match[str]) -> str:
    many = compound(found["many"] or "one") + PARTS[found["part"].casefold()]
    return f"{many:g} {found['scale'].casefold()}"


def _ranged(found: re.Match[str]) -> str:
    low, high = compound(found["low"]), compound(found["high"])
    return f"{found['how']} {low} {found['to']} {high}" if low < high else found[0]


def _figure(found: re.Match[str]) -> str:
    if _VAGUE.search(found.string[: found.start()]):
        return found[0]
    number_words = [one for one in re.split(r"[\s-]+", found["said"].casefold()) if one != "and"]
    number = _value(number_words, after_a=found["one"] is not None)
    if number is None or not any(one == "hundred" or one in SCALES for one in number_words):
        return found[0]
    scale = SCALES.get(number_words[-1])
    return f"{number / scale:.10g} {number_words[-1]}" if scale else str(number)


def _value(number_words: list[str], *, after_a: bool) -> int | None:
    """The whole number that number words make: ["two", "hundred"] -> 200. None if they make none:
    ["twenty", "twenty"].

    after_a : whether "a" or "an" stands before the words, as in "a hundred" (100)
    """
    total, here, last = 0, int(after_a), float("inf")
    fresh = not after_a
    for word in number_words:
        if word in COUNTS:
            n = COUNTS[word]
            free = here % 100 == 0 or (here % 10 == 0 and here % 100 >= 20 and 0 < n < 10)
            if not free and not fresh:
                return None
            here += n
        elif word == "hundred":
            if not 0 < here < 100:
                return None
            here *= 100
        else:
            if here == 0 or SCALES[word] >= last:
                return None
            last = SCALES[word]
            total, here = total + here * int(last), 0
        fresh = False
    return total + here

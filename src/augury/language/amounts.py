"""Amounts as people say them: "three quarters of a trillion", "13 or fewer, or else 17 or more".

Pure. `normalized` rewrites the amounts of a text in a form that `markets.quantities` can read:
digits for number words, "between A and B" for "at least A and at most B", and "not between A and B"
for "below A or above B".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from augury.language.number_words import in_figures
from augury.language.numerals import COUNT, COUNTS, FACTORS, ONES, PARTS, SCALES, TENS, compound

_SCALE = "|".join(SCALES)
_COUNTED: Final = re.compile(
    rf"(?<!bucks\s)(?<!dollars\s)(?<!\d\s)\b(?:(?P<part>half|(?:a\s+|one\s+)?quarter|three[\s-]quarters)(?:\s+of)?\s+an?|"
    rf"(?P<many>an?|few|couple(?:\s+of)?|(?:{COUNT})(?:[\s-](?:{COUNT}))?|\d+(?:\.\d+)?)"
    rf"(?:\s+and\s+(?P<more>a\s+half|a\s+quarter|three\s+quarters))?)"
    rf"[\s-]+(?P<scale>dozen|hundred|{_SCALE}|grand)\b"
    rf"(?:(?:\s+and)?\s+(?P<rest>(?:{COUNT})(?:[\s-](?:{COUNT}))?)\b(?!\s+(?:{_SCALE})))?",
    re.I,
)
"""Matches an amount in words that ends in a scale word: "half a million", "two and a half billion",
"a dozen"."""
_COMPOUND: Final = re.compile(rf"\b(?P<tens>{'|'.join(TENS)})-(?P<ones>{'|'.join(ONES)})\b", re.I)
_BUCKS: Final = re.compile(
    rf"(?<![\w$])(?P<n>an?|{COUNT}|\d[\d,]{{0,20}}(?:\.\d{{1,20}})?(?:k|m|bn?|\s+(?:{_SCALE}))?)[\s-]+"
    r"(?:bucks?|dollars?)(?P<off>[\s-]+(?:off|signs?|tree|general|stores?|bills?|index)\b)?\b",
    re.I,
)
_CENTS: Final = re.compile(r"(?<![\w$.])(?P<n>\d{1,2})[\s-]?(?:cents?\b|¢)", re.I)
_GRAND: Final = re.compile(r"(?<![\d,.])(?P<n>\d[\d,]{0,20}(?:\.\d{1,20})?)\s+grand\b", re.I)
_DIGITS: Final = re.compile(
    r"(?P<lead>\b(?:stays?|remains?|keeps?|is|be|finish(?:es)?|ends?|lands?)\s+)?\b(?:(?:in|to|into|"
    r"at|with|within)\s+)?(?:the\s+)?(?P<how>single|double|triple)[\s-](?:digits?|figures?)\b",
    re.I,
)
_FIGURES: Final = {"single": "less than 10", "double": "at least 10", "triple": "at least 100"}

_NUMBER = (
    r"(?P<{0}>[$€£]?\s?-?\d[\d,]{{0,20}}(?:\.\d{{1,20}})?)(?P<{0}s>\s?(?:k|mm|mn|m|bn|b|tn|t|"
    rf"{_SCALE})\b)?(?P<{{0}}u>\s?(?:%|percent\b|per\s+cent\b|[°º]\s?[fc]?(?!\w)|degrees?"
    r"(?:\s+(?:f|c|fahrenheit|celsius))?\b|bps\b|basis\s+points?\b|dollars?\b|(?:sq(?:uare)?\s+)?"
    r"(?:km|kilomet(?:er|re)s|miles)\b|points?\b))?"
)
_X, _Y = _NUMBER.format("a"), _NUMBER.format("b")
_NOUN = r"(?:\s+(?!or\b|and\b|but\b)[a-z][a-z-]+){0,2}?"
_UP_IN = (
    r"at\s+least|at\s+or\s+(?:above|over)|no\s+(?:less|fewer|lower|cooler|colder)\s+than|"
    r"not\s+(?:less|fewer|lower)\s+than|a\s+minimum\s+of|upwards?\s+of"
)
_DOWN_IN = (
    r"at\s+most|at\s+or\s+(?:below|under)|no\s+(?:more|greater|higher|warmer|hotter)\s+than|"
    r"not\s+(?:more|higher)\s+than|a\s+maximum\s+of"
)
_UP = r"above|over|more\s+than|greater\s+than|higher\s+than|beyond|past|exceeding|north\s+of"
_DOWN = (
    r"below|under|less\s+than|fewer\s+than|lower\s+than|beneath|short\s+of|shy\s+of|south\s+of|"
    r"sub-?"
)
_STRONGER = "warmer|hotter|stronger|larger|bigger|up|beyond"
_WEAKER = "colder|cooler|smaller|weaker"
_MORE = rf"more|higher|above|greater|over|better|{_STRONGER}"
_LESS = rf"fewer|less|lower|below|under|{_WEAKER}"
_BEFORE: Final = re.compile(
    rf"\b(?:(?P<up_in>{_UP_IN})|(?P<down_in>{_DOWN_IN})|(?P<up>{_UP})|(?P<down>{_DOWN}))"
    rf"\s*(?:the\s+)?{_X}(?!\w|[-/]\d)",
    re.I,
)
_BEHIND: Final = re.compile(
    rf"(?<![\w.,$-])(?:\bat\s+)?{_X}(?:{_NOUN},?\s+(?:or|and)\s+(?:(?P<up_in>{_MORE})|"
    rf"(?P<down_in>{_LESS}))\b|(?:\+|[\s-]plus\b)(?P<plus>))(?!\s+than)",
    re.I,
)
_JOIN_OR: Final = re.compile(r",? ?or(?: else)?(?: (?:at|is|lands?|be|finish))?", re.I)
_JOIN_AND: Final = re.compile(r",? ?(?:and|but|yet|though|while)?(?: (?:still|also|not))?", re.I)
_EITHER: Final = re.compile(r"\b(?:somewhere )?either(?: (?:at|is|lands?|be))? ?\Z", re.I)
_OUTSIDE: Final = re.compile(
    rf"\b(?P<how>outside|out\s+of|beyond|inside|within|in)\s+(?:of\s+)?(?:the\s+|an?\s+)?"
    rf"(?:range\s+(?:of\s+|from\s+))?{_X}\s?(?:-|–|—|to)\s?{_Y}(?:\s+(?:range|band|window|bracket))\b",
    re.I,
)


class _Rewrite(NamedTuple):
    """A pattern for one kind of amount, and the text or function that replaces its matches.

    The pattern is tried only on texts that contain one of `needs`, because looking for these
    strings takes a twentieth of the time that trying the pattern takes.
    """

    needs: tuple[str, ...]
    """Substrings in lower case: a text that the pattern matches contains at least one of them."""
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]

    def __call__(self, text: str) -> str:
        return self.pattern.sub(self.replacement, text) if _has(text, self.needs) else text


def _has(text: str, parts: Iterable[str]) -> bool:
    folded = text.casefold()
    return any(part in folded for part in parts)


def normalized(text: str) -> str:
    """The text with its amounts in digits, and with two bounds joined to one range: "two and a half
    billion" -> "2.5 billion", "13 or fewer, or else 17 or more" -> "not between 14 and 16"."""
    text = in_figures(text)
    for rewrite in _FIGURED:
        text = rewrite(text)
    text = _joined(text)
    for rewrite in _USUAL:
        text = rewrite(text)
    return text


def _ranged(found: re.Match[str]) -> str:
    denied = found["how"].casefold() not in ("inside", "within", "in")
    low = f"{found['a']}{found['as'] or ''}{found['au'] or ''}".strip()
    high = f"{found['b']}{found['bs'] or ''}{found['bu'] or ''}".strip()
    return f"{'not ' if denied else ''}between {low} and {high}"


_HERE: Final = _NUMBER.format("a")
_USUAL: Final = [
    _Rewrite(tuple(needs.split()), re.compile(rf"{before}(?={_HERE})", re.I), usual)
    for needs, before, usual in (
        ("sub", r"\bsub-?\s?", "below "),
        ("upward", r"\bupwards?\s+of\s+", "more than "),
        ("cooler colder", r"\b(?:no|not)\s+(?:cooler|colder)\s+than\s+", "at least "),
        ("warmer hotter", r"\b(?:no|not)\s+(?:warmer|hotter)\s+than\s+", "at most "),
    )
] + [
    _Rewrite(
        tuple(needs.split()),
        re.compile(rf"(?P<x>(?<![\w.,$-]){_HERE}{_NOUN}){behind}", re.I), rf"\g<x>{usual}",
    )
    for needs, behind, usual in (
        (_STRONGER.replace("|", " "), rf"\s+or\s+(?:{_STRONGER})\b(?!\s+than)", " or higher"),
        ("up above beyond", r"\s+and\s+(?:up|above|beyond)\b(?!\s+than)", " or higher"),
        (_WEAKER.replace("|", " "), rf"\s+or\s+(?:{_WEAKER})\b(?!\s+than)", " or lower"),
        ("plus", r"[\s-]plus\b", " or more"),
    )
]  # fmt: skip
"""Unusual phrases for a bound ("sub-4%", "50 plus"), each with the usual phrase that replaces it
("below 4%", "50 or more")."""

# Number words


def _figure(found: re.Match[str]) -> str:
    scale, many = found["scale"].casefold(), (found["many"] or "").casefold()
    if many.startswith(("few", "couple")):
        return found[0]  # not a definite number
    if found["part"]:
        part = found["part"].casefold()
        factor = next(n for name, n in PARTS.items() if name in part)
    elif many in ("a", "an"):
        factor = 1.0
    elif many[0].isdigit():
        if scale not in ("dozen", "hundred", "grand") and not found["more"]:
            return found[0]  # "3 million" has digits already
        factor = float(many)
    else:
        words = re.split(r"[\s-]+", many)
        if len(words) == 2 and not (words[0] in TENS and ONES.get(words[1], 10) < 10):
            return found[0]
        factor = float(compound(many))
    if found["more"]:
        factor += next(n for name, n in PARTS.items() if name in found["more"].casefold())
    if scale in SCALES and not found["rest"]:
        return f"{factor:g} {scale}"
    counted = factor * {"dozen": 12.0, "hundred": 100.0, "grand": 1e3, **SCALES}[scale]
    counted += compound(found["rest"]) if found["rest"] else 0
    return f"{counted:.10g}"


def _dollars(found: re.Match[str]) -> str:
    if found["off"]:
        return found[0]
    amount = found["n"].casefold()
    number = "1" if amount in ("a", "an") else str(COUNTS.get(amount, found["n"]))
    return f"${number}"


_GROUPED: Final = re.compile(
    r"(?<![\w.,])(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})*[ \u00a0\u202f]000|\d{1,3}(?:\.\d{3}){2,}|"
    r"\d{2,3}\.000)(?![\d.,]*\d|\s?(?:%|percent|per\s+cent|yen|jpy|[ap]\.?m))",
    re.I,
)
"""Matches a number with spaces or points before the thousands, as most of Europe writes it:
"100 000", "1.500.000", "25.000"."""
_FIGURED: Final = (
    _Rewrite(
        ("000", "."), _GROUPED,
        lambda found: f"{int(re.sub(r'[^0-9]', '', found[0])):,}",
    ),
    _Rewrite(("dozen", "hundred", "grand", *SCALES), _COUNTED, _figure),
    _Rewrite((".",), re.compile(r"(?<![\w.])\.(?=\d)"), "0."),
    _Rewrite(tuple(f"{tens}-" for tens in TENS), _COMPOUND, lambda found: str(compound(found[0]))),
    _Rewrite(
        ("percent", "per cent"),
        re.compile(rf"\b(?:{COUNT})(?=\s+(?:percent|per\s+cent)\b)", re.I),
        lambda found: str(COUNTS[found[0].casefold()]),
    ),
    _Rewrite(("grand",), _GRAND, lambda found: f"{found['n']}k"),
    _Rewrite(("mil",), re.compile(r"(?<=\d)\s?mils?\b", re.I), " million"),
    _Rewrite(("bil",), re.compile(r"(?<=\d)\s?bils?\b", re.I), " billion"),
    _Rewrite(("buck", "dollar"), _BUCKS, _dollars),
    _Rewrite(("cent", "¢"), _CENTS, lambda found: f"${int(found['n']) / 100:.2f}"),
    _Rewrite(
        ("digit", "figure"), _DIGITS,
        lambda found: f"{found['lead'] or ''}{_FIGURES[found['how'].casefold()]}",
    ),
    _Rewrite(("range", "band", "window", "bracket"), _OUTSIDE, _ranged),
)  # fmt: skip
"""Replacements that `normalized` makes first, before it joins two bounds into one range
(`_joined`). They rewrite an amount in its usual form: "two dozen" -> "24", "100 000" -> "100,000",
"50 bucks" -> "$50", "double digits" -> "at least 10", "outside the 3-5 range" -> "not between 3 and
5"."""
_UPPER_BOUND_PARTS: Final = tuple(
    "most more greater higher warmer hotter maximum below under less fewer lower beneath short shy"
    " south sub colder cooler smaller weaker".split()
)
"""Parts of words for a quick test in `_joined`, which joins a lower and an upper bound into one
range. In lower case, every text with an upper bound ("3 or fewer") has at least one of these parts;
"more" is included because of "no more than 3". `_joined` leaves a text without any of them as it
is. A text that has one of them may still be without an upper bound."""

# Bounds


@dataclass(frozen=True, slots=True)
class _Bound:
    up: bool
    """Whether the amount is a lower bound ("at least 13"); False: an upper bound ("at most 13")."""
    inside: bool
    """Whether the number itself meets the bound: True for "at least 13", False for "over 13"."""
    value: float
    as_written: str
    """The bound's number as the text writes it, with its scale: "1.5 million" in "at least 1.5
    million"."""
    counted: bool
    """Whether `value` is a whole number of things or degrees, so that the next possible value is
    one higher."""
    unit: str
    scale: str
    start: int
    end: int


def _bounds(text: str) -> Iterator[_Bound]:
    """The one-sided bounds of a text ("at least 13", "17 or more"), in the order of the text."""
    found = [_bound(m, behind=False) for m in _BEFORE.finditer(text)]
    for match in _BEHIND.finditer(text):
        if not any(b.start < match.end("a") and match.start("a") < b.end for b in found):
            found.append(_bound(match, behind=True))
    yield from sorted(found, key=lambda b: b.start)


def _bound(found: re.Match[str], *, behind: bool) -> _Bound:
    groups = found.groupdict()
    up = any(groups.get(name) is not None for name in ("up_in", "up", "plus"))
    inside = any(groups.get(name) is not None for name in ("up_in", "down_in", "plus"))
    raw, scale = found["a"], (found["as"] or "").strip().casefold()
    unit = (found["au"] or "").strip()
    digits = float(re.sub(r"[^\d.]", "", raw))
    counted = raw.strip().isdigit() and not scale and (
        not unit or unit.casefold().startswith(("°", "º", "deg"))
    )  # fmt: skip
    value = digits * FACTORS.get(scale, 1.0) * (-1 if "-" in raw else 1)
    as_written = f"{raw}{found['as'] or ''}".strip()
    return _Bound(up, inside, value, as_written, counted, unit, scale, found.start(), found.end())


def _joined(text: str) -> str:
    """Replace two bounds that belong together by one phrase: "13 or fewer, or 17 or more" -> "not
    between 14 and 16". If the text has several such pairs, only the last pair is replaced. If it
    has none, it is returned unchanged."""
    if not _has(text, _UPPER_BOUND_PARTS):
        return text
    bounds = list(_bounds(text))
    for one, other in reversed(list(pairwise(bounds))):
        between = " ".join(text[one.end : other.start].split())
        if one.up == other.up or one.end > other.start:
            continue
        low, high = sorted((one, other), key=lambda b: b.value)
        if not low.value < high.value:
            continue
        if not low.up and high.up and _JOIN_OR.fullmatch(between):
            start = one.start
            if found := _EITHER.search(text[:start]):
                start = found.start()
            phrase = _without(low, high)
        elif low.up and not high.up and _JOIN_AND.fullmatch(between):
            start, phrase = one.start, _within(low, high)
        else:
            continue
        return f"{text[:start]}{phrase}{text[other.end :]}"
    return text


def _without(low: _Bound, high: _Bound) -> str:
    """The phrase for all numbers outside a range. `low` says which are below the range, `high`
    which are above it. For counts (whole numbers), both numbers of the phrase belong to the range:
    "13 or fewer" and "17 or more" -> "not between 14 and 16"."""
    if not (low.counted and high.counted):
        return f"not between {_with_unit(low, high)} and {_with_unit(high, low)}"
    least = int(low.value) + low.inside
    most = int(high.value) - high.inside
    unit = _unit(low, high)
    if least > most:
        return f"not between {low.as_written} and {high.as_written}{unit}"
    return (
        f"not exactly {least}{unit}" if least == most else f"not between {least} and {most}{unit}"
    )


def _within(low: _Bound, high: _Bound) -> str:
    """The phrase for a range with a lower and an upper bound. For counts (whole numbers), both
    numbers of the phrase belong to the range: "at least 13" (`low`) and "below 17" (`high`) ->
    "between 13 and 16"."""
    if not (low.counted and high.counted):
        return f"between {_with_unit(low, high)} and {_with_unit(high, low)}"
    least = int(low.value) + (not low.inside)
    most = int(high.value) - (not high.inside)
    if low.value >= 1000 or least >= most:  # a price or a level rather than a count
        return f"between {low.as_written} and {high.as_written}{_unit(low, high)}"
    return f"between {least} and {most}{_unit(low, high)}"


def _with_unit(one: _Bound, other: _Bound) -> str:
    """The number of the bound `one` as the text writes it, with its scale and unit. `other` is the
    second bound of the same range.

    A scale ("million"), "%" or degrees that the text gives only for `other` holds for `one`, too:
    "4.6 or 4.8 million" means "4.6 million" by its first number. Any other unit ("points") is
    written only with the larger of the two numbers: "between 4 and 5 points" has "4" and "5
    points".
    """
    scale = f" {other.scale}" if other.scale and not one.scale and one.value < 1000 else ""
    unit = one.unit or other.unit
    if unit and unit[0] in "%°º":
        return f"{one.as_written}{scale}{unit}"
    # Only the larger of two numbers gets the unit's word: "between 4 and 5 points".
    number = f"{one.as_written}{scale}"
    return f"{number} {unit}" if unit and one.value > other.value else number


def _unit(*bounds: _Bound) -> str:
    unit = next((b.unit for b in bounds if b.unit), "")
    return "" if not unit else " degrees" if unit[0] in "°º" else f" {unit}"
